//! `references`, `definition`, `implementations`, `callers` and `callees`.

use std::collections::{BTreeMap, BTreeSet};

use iac_plugin::{Json, json};

use crate::answer::{Answer, Entry, Row};
use crate::asker::{Asker, Coded, Declared, begin};
use crate::crawl::{self, Outline};
use crate::doubts::{self, Doubts, Reason};
use crate::find::{self, Hit};
use crate::hidden;
use crate::imports;
use crate::kin;
use crate::kinds;
use crate::locate::{self, Located};
use crate::request::{Common, Target};
use crate::scope::{Desk, Site, show_range};
use crate::tree::{Node, Tree, key};
use crate::trouble::Trouble;
use crate::uses::{self, sorted};
use crate::world::{
    Each, Location, Naming, Neighbour, Neighbours, Place, Position, Range, Relation, State, Step, Symbol,
};

/// The maximum number of calls of one function to show.
const SITES: usize = 3;

/// The maximum number of steps from a type to the types below it.
const STEPS: usize = 30;

/// Answers `references`.
pub(crate) fn references(
    desk: &Desk<'_>,
    target: &Target,
    declaration: bool,
    common: &Common,
) -> Result<Answer, Trouble> {
    let mut doubts = Doubts::default();
    let located = locate::whole(desk, target, common, "references", &mut doubts)?;
    let asker = Asker::new(&located, "references", common, |can| can.references, &mut doubts)?;
    let relation = if declaration { Relation::ReferencesAndDeclaration } else { Relation::References };
    let (mut uses, declared) = asker.uses(relation, declaration, &mut doubts)?;
    asker.doubt_hidden(target, &mut doubts);
    uses.settle(&asker.server, &mut doubts);
    uses.exclude(&located, common);
    uses.doubt(&located, &asker.server, &mut doubts);
    let mut found = uses.items;
    // For some servers, each of several declarations is a use of the others.
    found.retain(|one| declaration || !located.declared || !is_one_of(&located, one));
    locate::expect_some(&asker.server, found.len(), &doubts)?;
    exclude(&mut found, located.site, common, |one| &one.path, &mut doubts);
    Ok(Answer::of(&found, common, doubts, |shown, _| reference_rows(&asker, shown, &declared)))
}

/// Answers `definition`: for a name with the symbols themselves, for a place with the server's answer.
pub(crate) fn definition(desk: &Desk<'_>, target: &Target, common: &Common) -> Result<Answer, Trouble> {
    let mut doubts = Doubts::default();
    if let Target::Name { pattern, path, kinds } = target {
        let hits = locate::named(desk, pattern, path.as_deref(), *kinds, common, "definition", &mut doubts)?;
        let mut hits = with_bodies(hits, common);
        let all = hits.len();
        hits.retain(|hit| !hit.site.is_among(&common.exclude, &hit.path));
        doubts.excluded(all - hits.len());
        return Ok(Answer::of(&hits, common, doubts, |shown, doubts| find::rows(shown, common, doubts)));
    }
    let located = locate::one(desk, target, common, "definition", &mut doubts)?;
    let asker = Asker::new(&located, "definition", common, |can| can.definition, &mut doubts)?;
    let mut found = asker.related(Relation::Definition, &mut doubts)?;
    locate::expect_some(&asker.server, found.len(), &doubts)?;
    if found.is_empty() {
        locate::explain_nothing(&located, &asker.server, "definition", &mut doubts)?;
    }
    exclude(&mut found, located.site, common, |one| &one.path, &mut doubts);
    Ok(Answer::of(&found, common, doubts, |shown, doubts| declaration_rows(&asker, shown, None, doubts)))
}

/// Answers `implementations`: from the server's own answer, otherwise from the types that derive from the type.
pub(crate) fn implementations(desk: &Desk<'_>, target: &Target, common: &Common) -> Result<Answer, Trouble> {
    let mut doubts = Doubts::default();
    let located = locate::one(desk, target, common, "implementations", &mut doubts)?;
    let can = |can: &crate::world::Abilities| can.implementations || can.types;
    let asker = Asker::new(&located, "implementations", common, can, &mut doubts)?;
    let (via, found) = if asker.server.abilities.implementations {
        ("implementation", asker.related(Relation::Implementations, &mut doubts)?)
    } else {
        let neighbours = asker.hierarchy(Step::Subtypes, &mut doubts)?;
        ("subtypes", sorted(neighbours.into_iter().map(|one| named_location(&one))))
    };
    let mut found = implementing(&asker, asker.with_those_below(found, &mut doubts));
    if found.is_empty() && located.hits.is_empty() {
        found = asker.below_outside(&mut doubts);
    }
    doubt_structure(&located, &mut doubts);
    // A server that could not read the project may have refused the question, and an implementation need not contain
    // the name of what it implements. So the places of the name prove nothing here.
    if asker.server.state != State::Degraded {
        asker.settle(&mut doubts);
    }
    asker.doubt_hidden(target, &mut doubts);
    locate::expect_some(&asker.server, found.len(), &doubts)?;
    exclude(&mut found, located.site, common, |one| &one.path, &mut doubts);
    Ok(Answer::of(&found, common, doubts, |shown, doubts| declaration_rows(&asker, shown, Some(via), doubts)))
}

/// Questions about types.
impl Asker<'_, '_> {
    /// Adds what implements the implementations. C servers and hierarchies of types give only the next step.
    fn with_those_below(&self, found: Vec<Location>, doubts: &mut Doubts) -> Vec<Location> {
        let by_step = !self.server.abilities.implementations;
        if !by_step && self.server.naming != Naming::Scoped {
            return found;
        }
        let workspace = self.located.site.workspace;
        let mut all: BTreeMap<Declared, Location> =
            found.iter().map(|one| (begin(one), one.clone())).collect();
        let mut next = found;
        for _ in 0..STEPS {
            let is_own = |one: &&Location| !one.path.starts_with('/');
            let place = |one: &Location| Place { path: one.path.clone(), at: one.range.start };
            let places: Vec<Place> = next.iter().filter(is_own).map(place).collect();
            if places.is_empty() {
                break;
            }
            let time = self.common.timeout;
            let answers: Each<Vec<Location>> = if by_step {
                let found = workspace.hierarchy(Step::Subtypes, &places, time);
                let named = |found: Neighbours| found.items.iter().map(named_location).collect();
                found.map(|answers| answers.into_iter().map(|answer| answer.map(named)).collect())
            } else {
                let found = workspace.related(Relation::Implementations, &places, time);
                found.map(|answers| {
                    answers.into_iter().map(|answer| answer.map(|found| found.items)).collect()
                })
            };
            let answers = answers.unwrap_or_else(|failure| vec![Err(failure)]);
            if answers.iter().any(Result::is_err) {
                doubts.add(Reason::IndexCapped);
                doubts.note("the server did not say what is below some of these");
            }
            next = answers.into_iter().flatten().flatten().collect();
            next.retain(|one| all.insert(begin(one), one.clone()).is_none());
        }
        sorted(all.into_values())
    }

    /// The types that derive from a class declared outside the project. Servers list none if they are asked at a use of
    /// it.
    fn below_outside(&self, doubts: &mut Doubts) -> Vec<Location> {
        let site = self.located.site;
        let defined = self.related(Relation::Definition, &mut Doubts::default()).unwrap_or_default();
        if !defined.iter().any(|one| !site.owns(&one.path)) || !self.server.abilities.references {
            return Vec::new();
        }
        let mut of_uses = Doubts::default();
        let Ok((uses, _)) = self.uses(Relation::References, false, &mut of_uses) else { return Vec::new() };
        let found = kin::below(self, &uses.items);
        uses.doubt(self.located, &self.server, doubts);
        doubts.join(&of_uses);
        if found.is_empty() {
            doubts.add(Reason::Unresolved);
            doubts.note("this is declared outside the project; only classes that name it in their header would be found");
        }
        found
    }
}

/// Every type with the members of a Python protocol implements it, even if it does not name the protocol. Servers know
/// only the types that name it.
fn doubt_structure(located: &Located<'_>, doubts: &mut Doubts) {
    if located.language != "python" {
        return;
    }
    let Some(place) = located.places.first() else { return };
    let head = (place.at.line..place.at.line + 5).map(|line| (place.path.clone(), line));
    let lines = located.site.lines(head);
    let head: String =
        lines.values().map(String::as_str).take_while(|line| !line.trim().is_empty()).collect();
    let bases = head.split(':').next().unwrap_or("");
    // A mere use of a class is not its header.
    let is_head = bases.trim_start().starts_with("class ");
    if is_head && bases.split(|letter: char| !letter.is_alphanumeric()).any(|word| word == "Protocol") {
        doubts.add(Reason::Structural);
        doubts.note("a class that has the members of a protocol implements it without its name; findSymbols finds members");
    }
}

/// Leaves out the symbol itself, and lines that only import or export a name, which some servers list.
fn implementing(asker: &Asker<'_, '_>, mut found: Vec<Location>) -> Vec<Location> {
    let located = asker.located;
    let defined = if located.hits.is_empty() { asker.declared() } else { BTreeSet::new() };
    found.retain(|one| !is_one_of(located, one) && !defined.contains(&begin(one)));
    let lines = located.site.lines(found.iter().map(|one| (one.path.clone(), one.range.start.line)));
    let is_alias = |one: &Location| {
        let start = one.range.start;
        let text = lines.get(&(one.path.clone(), start.line));
        text.is_some_and(|text| imports::is_imported(text, start.column))
    };
    found.retain(|one| !(imports::are_listed(&located.language) && is_alias(one)));
    found
}

/// Leaves out what is in excluded files, and says how much that is.
fn exclude<T>(
    found: &mut Vec<T>,
    site: Site<'_>,
    common: &Common,
    path: impl Fn(&T) -> &str,
    doubts: &mut Doubts,
) {
    let all = found.len();
    found.retain(|one| !site.is_among(&common.exclude, path(one)));
    doubts.excluded(all - found.len());
}

/// Tells whether it is a place of the symbol itself.
fn is_one_of(located: &Located<'_>, one: &Location) -> bool {
    let is = |place: &Place| place.path == one.path && key(place.at) == key(one.range.start);
    located.places.iter().any(is)
}

/// Answers `callers` and `callees`.
pub(crate) fn calls(
    desk: &Desk<'_>,
    target: &Target,
    step: Step,
    common: &Common,
) -> Result<Answer, Trouble> {
    let what = if step == Step::Callers { "callers" } else { "callees" };
    let mut doubts = Doubts::default();
    let located = locate::one(desk, target, common, what, &mut doubts)?;
    if !located.hits.is_empty() && located.hits.iter().all(|hit| hit.node.kind == kinds::MACRO) {
        return Err(of_macro(what));
    }
    let of_uses = step == Step::Callers;
    let can = |can: &crate::world::Abilities| can.calls || (of_uses && can.references);
    let asker = Asker::new(&located, what, common, can, &mut doubts)?;
    let mut heard = Doubts::default();
    let has_calls = asker.server.abilities.calls;
    let mut found = if has_calls { asker.hierarchy(step, &mut heard)? } else { Vec::new() };
    if found.is_empty() && located.hits.is_empty() && asker.is_macro() {
        return Err(of_macro(what));
    }
    if step == Step::Callers {
        asker.doubt_hidden(target, &mut doubts);
        asker.add_callers(&mut found, &mut heard, &mut doubts)?;
    } else {
        asker.doubt_body(&mut doubts);
        asker.add_callees(&mut found, &mut doubts);
    }
    doubts.join(&heard);
    locate::expect_some(&asker.server, found.len(), &doubts)?;
    found.sort_by_cached_key(|one| {
        let path = one.symbol.location.path.clone();
        // Places outside the project are rarely wanted, and would fill the first page.
        (path.starts_with('/'), path, key(one.symbol.name_range.start), one.symbol.name.clone())
    });
    found.dedup_by(|one, other| same_symbol(one, other));
    exclude(&mut found, located.site, common, |one| &one.symbol.location.path, &mut doubts);
    Ok(Answer::of(&found, common, doubts, |shown, doubts| neighbour_rows(&asker, step, shown, doubts)))
}

/// No server knows the callers of a macro, so an empty answer would be wrong.
fn of_macro(what: &str) -> Trouble {
    Trouble::new("UNSUPPORTED", format!("{what} of macros are not known; try references"))
}

/// Questions about calls.
impl Asker<'_, '_> {
    /// Adds callers that the server's list leaves out: the functions around uses that are calls. If the server knows
    /// all uses, there is no doubt about files that it does not read. If it cannot list uses, its list of callers is
    /// kept unchanged. If it has no list of callers, the added ones are the whole answer.
    fn add_callers(
        &self,
        found: &mut Vec<Neighbour>,
        heard: &mut Doubts,
        doubts: &mut Doubts,
    ) -> Result<(), Trouble> {
        let (mut of_uses, has_calls) = (Doubts::default(), self.server.abilities.calls);
        let mut uses = match self.uses(Relation::References, false, &mut of_uses) {
            Ok((uses, _)) => uses,
            Err(_) if has_calls => return Ok(()),
            Err(trouble) => return Err(trouble),
        };
        uses.settle(&self.server, doubts);
        uses.exclude(self.located, self.common);
        uses.only_calls(self.located);
        let known: BTreeSet<Declared> = found.iter().flat_map(|one| one.sites.iter().map(begin)).collect();
        let missing: Vec<Location> = uses
            .items
            .iter()
            .filter(|one| !known.contains(&begin(one)) && !is_one_of(self.located, one))
            .cloned()
            .collect();
        let trees = self.trees(&missing);
        let mut without = Vec::new();
        // The declaration of a member that implements this one has the form of a call.
        let is_declared = |site: &Location| {
            trees.get(&site.path).is_some_and(|tree| tree.named_at(site.range.start).is_some())
        };
        for site in missing.into_iter().filter(|site| !is_declared(site)) {
            match trees.get(&site.path).and_then(|tree| tree.caller(site.range.start)) {
                Some(node) => add_site(found, neighbour(&site.path, node), site),
                None if self.located.site.is_among(&self.common.exclude, &site.path) => {}
                None => without.push(format!(
                    "{}:{}",
                    self.located.site.show(&site.path),
                    site.range.start.line + 1
                )),
            }
        }
        if !without.is_empty() {
            doubts.note(format!("calls outside of any function: {}", doubts::named(&without, "places")));
        }
        uses.doubt(self.located, &self.server, doubts);
        if has_calls {
            heard.settle(&of_uses);
        } else {
            heard.join(&of_uses);
        }
        Ok(())
    }

    /// Adds functions that the body calls but the server's list leaves out, and says which calls lead nowhere for the
    /// server. Asks for the definition of every word that arguments follow, as for callers.
    fn add_callees(&self, found: &mut Vec<Neighbour>, doubts: &mut Doubts) {
        for place in &self.located.places {
            let outlines = self.outline(&place.path);
            let Some(tree) = outlines.first().map(|outline| &outline.tree) else { continue };
            let Some(own) = tree.named_at(place.at).filter(|node| kinds::is_callable(node.kind)) else {
                continue;
            };
            let start = key(own.name_range.start);
            let is_own = |at: &Range| {
                tree.named_at(at.start).is_none()
                    && tree.caller(at.start).is_some_and(|node| key(node.name_range.start) == start)
            };
            let is_known = |at: &Range| {
                let ends_there = |site: &Location| {
                    site.path == place.path
                        && (key(site.range.start) == key(at.start) || key(site.range.end) == key(at.end))
                };
                found.iter().any(|one| one.sites.iter().any(ends_there))
            };
            let mut calls = uses::calls(self.located.site, &place.path, &self.located.language, own.whole);
            calls.retain(|at| is_own(at) && !is_known(at));
            self.add_called(&place.path, calls, found, doubts);
        }
    }

    fn add_called(&self, path: &str, calls: Vec<Range>, found: &mut Vec<Neighbour>, doubts: &mut Doubts) {
        let site = self.located.site;
        let places: Vec<Place> =
            calls.iter().map(|at| Place { path: path.to_owned(), at: at.start }).collect();
        let answers = site.workspace.related(Relation::Definition, &places, self.common.timeout);
        let (mut meant, mut lost) = (Vec::new(), Vec::new());
        for (range, answer) in calls.into_iter().zip(answers.unwrap_or_default()) {
            match answer.map(|found| found.items.into_iter().next()) {
                Ok(Some(target)) => meant.push((Location { path: path.to_owned(), range }, target)),
                _ => lost.push(format!(
                    "{}:{}:{}",
                    site.show(path),
                    range.start.line + 1,
                    range.start.column + 1
                )),
            }
        }
        let targets: Vec<Location> = meant.iter().map(|(_, target)| target.clone()).collect();
        let trees = self.trees(&targets);
        for (site, target) in meant {
            let node = trees.get(&target.path).and_then(|tree| tree.named_at(target.range.start));
            let is_called = |node: &&Node| kinds::is_callable(node.kind) || kinds::is_type(node.kind);
            if let Some(node) = node.filter(is_called) {
                add_site(found, neighbour(&target.path, node), site);
            }
        }
        doubts.unknown_calls(&lost);
    }

    /// No server knows the calls in the left-out parts of a function.
    fn doubt_body(&self, doubts: &mut Doubts) {
        for place in &self.located.places {
            let found = self.outline(&place.path);
            let node = found.first().and_then(|outline| outline.tree.named_at(place.at));
            if let Some(whole) = node.map(|node| node.whole) {
                hidden::doubt_within(&found, &whole, doubts);
            }
        }
    }

    /// Whether a macro is declared at the place of the symbol.
    fn is_macro(&self) -> bool {
        let is = |(path, (line, column)): &Declared| {
            let at = Position { line: *line, column: *column };
            let node = |outline: &Outline<'_>| outline.tree.named_at(at).map(|node| node.kind);
            self.outline(path).iter().any(|outline| node(outline) == Some(kinds::MACRO))
        };
        matches!(self.server.naming, Naming::Scoped) && self.declared().iter().any(is)
    }
}

/// A symbol of an outline, in the form of a caller or callee.
fn neighbour(path: &str, node: &Node) -> Neighbour {
    let symbol = Symbol {
        name: node.name.clone(),
        kind: node.kind,
        detail: None,
        location: Location { path: path.to_owned(), range: node.whole },
        name_range: node.name_range,
        container: None,
        parent: None,
        deprecated: false,
    };
    Neighbour { symbol, sites: Vec::new() }
}

fn add_site(found: &mut Vec<Neighbour>, new: Neighbour, site: Location) {
    let at = found.iter().position(|one| same_symbol(one, &new)).unwrap_or(found.len());
    if at == found.len() {
        found.push(new);
    }
    found[at].sites.push(site);
}

fn named_location(neighbour: &Neighbour) -> Location {
    Location { path: neighbour.symbol.location.path.clone(), range: neighbour.symbol.name_range }
}

fn same_symbol(one: &Neighbour, other: &Neighbour) -> bool {
    one.symbol.location.path == other.symbol.location.path
        && key(one.symbol.name_range.start) == key(other.symbol.name_range.start)
        && one.symbol.name == other.symbol.name
}

/// Leaves out a declaration if the found files also contain its body, as with C headers. The server says which belong
/// together.
fn with_bodies<'a>(hits: Vec<Hit<'a>>, common: &Common) -> Vec<Hit<'a>> {
    let scoped = |hit: &Hit<'_>| crawl::naming(hit.site, &hit.language) == Naming::Scoped;
    let lines = |hit: &Hit<'_>| hit.node.whole.end.line - hit.node.whole.start.line;
    if hits.len() < 2 || hits.len() > 50 || !hits.iter().all(scoped) {
        return hits;
    }
    let declared_only = |hit: &Hit<'_>| {
        let body = |other: &&Hit<'_>| {
            other.node.name == hit.node.name && other.node.kind == hit.node.kind && lines(other) > lines(hit)
        };
        let Some(body) = hits.iter().find(body).filter(|_| kinds::is_callable(hit.node.kind)) else {
            return false;
        };
        let found = hit.site.workspace.related(Relation::Definition, &[hit.place()], common.timeout);
        let leads = |location: &Location| {
            location.path == body.path && key(location.range.start) == key(body.node.name_range.start)
        };
        found.is_ok_and(|answers| answers.into_iter().flatten().any(|found| found.items.iter().any(leads)))
    };
    let dropped: Vec<bool> = hits.iter().map(declared_only).collect();
    hits.into_iter().zip(dropped).filter_map(|(hit, dropped)| (!dropped).then_some(hit)).collect()
}

fn reference_rows(asker: &Asker<'_, '_>, shown: &[Location], declared: &BTreeSet<Declared>) -> Vec<Row> {
    let site = asker.located.site;
    let trees = asker.trees(shown);
    let previews = previews(site, shown);
    let around = around(site, shown, asker.common.context);
    let row = |(number, (location, preview)): (usize, (&Location, Option<String>))| {
        let start = location.range.start;
        let path = site.show(&location.path);
        let holder = trees.get(&location.path).and_then(|tree| tree.around(start));
        let is_declared = declared.contains(&begin(location));
        let shown = json!({
            "path": path,
            "line": start.line + 1,
            "column": start.column + 1,
            "preview": preview.as_ref(),
            "in": holder.map(Node::full_name),
            "declaration": is_declared.then_some(true),
            "external": location.path.starts_with('/').then_some(true),
            "context": around.get(number),
        });
        let label = format!("{}:{}", start.line + 1, start.column + 1);
        let head = if is_declared { format!("{label} declaration") } else { label.clone() };
        let tail = match (around.get(number), preview) {
            (Some(around), _) => format!("\n{around}"),
            (None, Some(line)) => format!(" {line}"),
            (None, None) => String::new(),
        };
        let holder = Some(holder.map_or_else(String::new, Node::full_name));
        let entry = Entry { list: "uses", holder, head, tail };
        Row::new(path, label, shown).below_file(entry)
    };
    shown.iter().zip(previews).enumerate().map(row).collect()
}

fn previews<'b>(site: Site<'_>, locations: impl IntoIterator<Item = &'b Location>) -> Vec<Option<String>> {
    find::previews(locations.into_iter().map(|one| (site, one.path.as_str(), one.range.start.line)))
}

/// The lines around each location, as one text.
fn around(site: Site<'_>, shown: &[Location], context: usize) -> Vec<String> {
    let Some(context) = u32::try_from(context).ok().filter(|&context| context > 0) else { return Vec::new() };
    let span = |one: &Location| {
        let line = one.range.start.line;
        let path = one.path.clone();
        (line.saturating_sub(context)..=line.saturating_add(context)).map(move |line| (path.clone(), line))
    };
    let lines = site.lines(shown.iter().flat_map(span));
    let text = |one: &Location| {
        span(one).filter_map(|at| lines.get(&at).map(String::as_str)).collect::<Vec<_>>().join("\n")
    };
    shown.iter().map(text).collect()
}

/// Turns locations into the symbols that are declared there.
fn declaration_rows(
    asker: &Asker<'_, '_>,
    shown: &[Location],
    via: Option<&str>,
    doubts: &mut Doubts,
) -> Vec<Row> {
    let site = asker.located.site;
    let symbol: fn(&Tree, Position) -> Option<&Node> =
        if via.is_some() { Tree::implemented_at } else { Tree::declared_at };
    let coded = asker.coded(shown, symbol, doubts);
    let row = |((location, preview), (node, code)): ((&Location, Option<String>), Coded)| {
        let node = node.as_ref();
        let range = node.map_or(location.range, Node::range);
        let shown = json!({
            "name": node.map(|node| node.name.clone()),
            "kind": node.map(|node| kinds::name(node.kind)),
            "path": site.show_range(&location.path, &range),
            "container": node.filter(|node| !node.containers.is_empty()).map(|node| node.containers.join(".")),
            "preview": preview.as_ref(),
            "body": code.body.as_ref(),
            "via": via,
            "external": location.path.starts_with('/').then_some(true),
        });
        let label = node.map_or_else(|| format!("{}", location.range.start.line + 1), Node::full_name);
        let name =
            node.map_or_else(String::new, |node| format!("{} {}", kinds::name(node.kind), node.full_name()));
        let signature = code.signature.or(preview);
        let entry = Entry::of_symbol("symbols", &show_range(&range), &name, signature, code.body.as_ref());
        Row::new(site.show(&location.path), label, shown).below_file(entry)
    };
    shown.iter().zip(previews(site, shown)).zip(coded).map(row).collect()
}

fn neighbour_rows(asker: &Asker<'_, '_>, step: Step, shown: &[Neighbour], doubts: &mut Doubts) -> Vec<Row> {
    let site = asker.located.site;
    let names: Vec<Location> = shown.iter().map(named_location).collect();
    let coded = asker.coded(&names, Tree::named_at, doubts);
    let list = if step == Step::Callers { "callers" } else { "callees" };
    let row = |((one, preview), (node, code)): ((&Neighbour, Option<String>), Coded)| {
        let symbol = &one.symbol;
        let path = site.show(&symbol.location.path);
        // Where a macro declares the symbol, the outline has the call of the macro.
        let node = node.filter(|node| node.kind != kinds::NULL);
        let ends = [symbol.name_range.end, symbol.location.range.end];
        let end = ends.into_iter().max_by_key(|&end| key(end)).unwrap_or(symbol.name_range.end);
        // clangd gives only the range of the name.
        let range = node.as_ref().map_or(Range { start: symbol.name_range.start, end }, Node::range);
        let shown = json!({
            "name": short(&symbol.name),
            "kind": kinds::name(symbol.kind),
            "path": site.show_range(&symbol.location.path, &range),
            "container": symbol.container,
            "preview": preview,
            "body": code.body.as_ref(),
            "sites": sites(site, &one.sites),
            "external": symbol.location.path.starts_with('/').then_some(true),
        });
        let name = node.as_ref().map_or_else(|| short(&symbol.name).to_owned(), Node::full_name);
        let name = format!("{} {name}{}", kinds::name(symbol.kind), at_sites(&one.sites));
        let signature = code.signature.filter(|_| step == Step::Callees);
        let entry = Entry::of_symbol(list, &show_range(&range), &name, signature, code.body.as_ref());
        Row::new(path, short(&symbol.name).to_owned(), shown).below_file(entry)
    };
    shown.iter().zip(previews(site, &names)).zip(coded).map(row).collect()
}

/// The first places of calls, in the file of the caller.
fn at_sites(sites: &[Location]) -> String {
    let sites = sorted(sites.iter().cloned());
    let show = |one: &Location| format!("{}:{}", one.range.start.line + 1, one.range.start.column + 1);
    let first: Vec<String> = sites.iter().take(SITES).map(show).collect();
    let more = if sites.len() > SITES { format!(" and {} more", sites.len() - SITES) } else { String::new() };
    if first.is_empty() { String::new() } else { format!(" at {}{more}", first.join(", ")) }
}

/// The name of a file, if the server gives a path as the caller: then the file itself calls.
fn short(name: &str) -> &str {
    name.strip_prefix('/')
        .and_then(|path| path.rsplit('/').next())
        .filter(|leaf| !leaf.is_empty())
        .unwrap_or(name)
}

/// The places of the calls, in order, each once.
fn sites(site: Site<'_>, sites: &[Location]) -> Vec<Json> {
    let show = |at: &Location| {
        let start = at.range.start;
        json!(format!("{}:{}:{}", site.show(&at.path), start.line + 1, start.column + 1))
    };
    sorted(sites.iter().cloned()).iter().map(show).collect()
}
