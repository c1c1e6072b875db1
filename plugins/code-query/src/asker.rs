//! Asks one server about the places of one symbol.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use crate::code::{self, Code, Thing};
use crate::crawl::{self, Outline, Share};
use crate::doubts::Doubts;
use crate::find::Hit;
use crate::hidden;
use crate::locate::{self, Located};
use crate::request::{Common, Target};
use crate::tree::{Node, Spot, Tree, key};
use crate::trouble::Trouble;
use crate::uses::{Uses, sorted};
use crate::world::{
    Cause, Each, Failure, File, Follow, Freshness, Location, Locations, Neighbour, Position, Relation,
    Server, Step,
};

/// The place of a declaration.
pub(crate) type Declared = (String, Spot);

/// The symbol at a location, if there is one, and its code.
pub(crate) type Coded = (Option<Node>, Code);

pub(crate) fn begin(one: &Location) -> Declared {
    (one.path.clone(), key(one.range.start))
}

/// Asks one server about the places of one symbol.
pub(crate) struct Asker<'a, 'b> {
    pub(crate) located: &'b Located<'a>,
    pub(crate) server: Server,
    pub(crate) what: &'static str,
    pub(crate) common: &'b Common,
}

impl<'a, 'b> Asker<'a, 'b> {
    pub(crate) fn new(
        located: &'b Located<'a>,
        what: &'static str,
        common: &'b Common,
        can: impl Fn(&crate::world::Abilities) -> bool,
        doubts: &mut Doubts,
    ) -> Result<Self, Trouble> {
        let server = locate::ready(located.site, &located.language, common, what, can, doubts)?;
        Ok(Self { located, server, what, common })
    }

    pub(crate) fn related(&self, relation: Relation, doubts: &mut Doubts) -> Result<Vec<Location>, Trouble> {
        let answers =
            self.located.site.workspace.related(relation, &self.located.places, self.common.timeout);
        let found = self.every(answers, doubts, |found: Locations| (found.items, found.freshness))?;
        Ok(sorted(found.into_iter()))
    }

    pub(crate) fn hierarchy(&self, step: Step, doubts: &mut Doubts) -> Result<Vec<Neighbour>, Trouble> {
        let answers = self.located.site.workspace.hierarchy(step, &self.located.places, self.common.timeout);
        self.every(answers, doubts, |found| (found.items, found.freshness))
    }

    /// Joins the answers for all places.
    fn every<T, U>(
        &self,
        answers: Each<T>,
        doubts: &mut Doubts,
        open: impl Fn(T) -> (Vec<U>, Freshness),
    ) -> Result<Vec<U>, Trouble> {
        let mut all = Vec::new();
        for answer in answers.map_err(|failure| self.trouble(failure))? {
            let (items, freshness) = open(answer.map_err(|failure| self.trouble(failure))?);
            doubts.hear(&freshness);
            all.extend(items);
        }
        Ok(all)
    }

    /// No server knows uses in code that the build leaves out. So the plugin searches every file for the name.
    pub(crate) fn doubt_hidden(&self, target: &Target, doubts: &mut Doubts) {
        if !matches!(target, Target::Name { path: None, .. }) {
            let name = self.located.name();
            hidden::doubt_uses(self.located.site, &self.server, &name, self.common, doubts);
        }
    }

    /// Withdraws doubts about files that the server does not read, if none of them contains the name.
    pub(crate) fn settle(&self, doubts: &mut Doubts) {
        let mut of_uses = Doubts::default();
        if doubts.is_narrowed()
            && self.server.abilities.references
            && self.uses(Relation::References, false, &mut of_uses).is_ok()
        {
            doubts.settle(&of_uses);
        }
    }

    /// The outline of a file; `None` if there is none.
    pub(crate) fn outline(&self, path: &str) -> Vec<Outline<'a>> {
        let file = crawl::file(path, &self.located.language);
        let partial = Common { allow_partial: true, ..self.common.clone() };
        let (site, share, mut doubts) = (self.located.site, &Share::Whole, Doubts::default());
        let found = crawl::outlines(site, vec![file], share, &partial, false, self.what, &mut doubts);
        found.unwrap_or_default()
    }

    /// The outline of a file, with locals.
    pub(crate) fn outline_with_locals(&self, path: &str) -> Option<Tree> {
        let file = crawl::file(path, &self.located.language);
        let partial = Common { allow_partial: true, ..self.common.clone() };
        let (site, mut doubts) = (self.located.site, Doubts::default());
        let found = crawl::outlines(site, vec![file], &Share::Whole, &partial, true, self.what, &mut doubts);
        found.ok()?.into_iter().next().map(|outline| outline.tree)
    }

    /// The outlines of the files of locations, for the names around them. Files without an outline are left out.
    pub(crate) fn trees(&self, locations: &[Location]) -> BTreeMap<String, Tree> {
        let mut places: BTreeMap<&str, Vec<Position>> = BTreeMap::new();
        for one in locations.iter().filter(|one| !one.path.starts_with('/')) {
            places.entry(&one.path).or_default().push(one.range.start);
        }
        let (site, others) = (self.located.site, OnceCell::new());
        let file = |path: &str| {
            let extension = path.rsplit('.').next().unwrap_or(path);
            let reads = |server: &&Server| server.extensions.iter().any(|one| one == extension);
            let other = || others.get_or_init(|| site.workspace.servers()).iter().find(reads);
            let server = Some(&self.server).filter(reads).or_else(other)?;
            Some(crawl::file(path, server.languages.first()?))
        };
        let files: Vec<File> = places.keys().filter_map(|path| file(path)).collect();
        let partial = Common { allow_partial: true, ..self.common.clone() };
        let (share, mut doubts) = (Share::Around(&places), Doubts::default());
        let outlines = crawl::outlines(site, files, &share, &partial, false, "outline", &mut doubts);
        outlines.unwrap_or_default().into_iter().map(|outline| (outline.file.path, outline.tree)).collect()
    }

    /// The symbols at some locations, each with its code.
    pub(crate) fn coded(
        &self,
        locations: &[Location],
        symbol: impl Fn(&Tree, Position) -> Option<&Node>,
        doubts: &mut Doubts,
    ) -> Vec<Coded> {
        let trees = self.trees(locations);
        let node =
            |one: &Location| trees.get(&one.path).and_then(|tree| symbol(tree, one.range.start)).cloned();
        let things: Vec<Thing<'_>> =
            locations.iter().map(|one| (self.located.site, one.path.clone(), node(one))).collect();
        let codes = code::of(&things, self.common, doubts);
        things.into_iter().map(|(_, _, node)| node).zip(codes).collect()
    }

    pub(crate) fn trouble(&self, failure: Failure) -> Trouble {
        match failure.cause {
            Cause::Unsupported => locate::unsupported(&self.server, self.what),
            _ => Trouble::of(failure, self.what, self.common.timeout),
        }
    }

    /// The uses of a symbol and, if wanted, its declarations, as far as the server reports them. Both are requested at
    /// once. The found symbols themselves count as declarations.
    pub(crate) fn uses(
        &self,
        relation: Relation,
        declaration: bool,
        doubts: &mut Doubts,
    ) -> Result<(Uses, BTreeSet<Declared>), Trouble> {
        let relations = if declaration { &[relation, Relation::Definition] as &[_] } else { &[relation] };
        let places = &self.located.places;
        let follow = |&relation: &Relation| places.iter().map(move |at| Follow { relation, at: at.clone() });
        let asked: Vec<Follow> = relations.iter().flat_map(follow).collect();
        let answers = self.located.site.workspace.follow(&asked, self.common.timeout);
        let mut answers = answers.map_err(|failure| self.trouble(failure))?;
        let defined = answers.split_off(places.len().min(answers.len()));
        let mut uses = Uses::default();
        for answer in answers {
            let found = answer.map_err(|failure| self.trouble(failure))?;
            doubts.hear(&found.freshness);
            uses.add(found);
        }
        let mut declared = if declaration { self.own() } else { BTreeSet::new() };
        // If a server cannot answer for all places, the plugin asks it for none.
        let defined: Result<Vec<Locations>, Failure> = defined.into_iter().collect();
        declared.extend(defined.into_iter().flatten().flat_map(|found| found.items).map(|one| begin(&one)));
        uses.sort();
        Ok((uses, declared))
    }

    /// The declarations, as far as the server reports them.
    pub(crate) fn declared(&self) -> BTreeSet<Declared> {
        let mut declared = self.own();
        if let Ok(found) = self.related(Relation::Definition, &mut Doubts::default()) {
            declared.extend(found.iter().map(begin));
        }
        declared
    }

    /// The declarations of the symbols that were found by name.
    pub(crate) fn own(&self) -> BTreeSet<Declared> {
        let place = |hit: &Hit<'_>| (hit.path.clone(), key(hit.place().at));
        self.located.hits.iter().map(place).collect()
    }
}
