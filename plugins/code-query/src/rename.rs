//! `rename`: the edits, as data. The plugin applies nothing.
//!
//! A server renames what it knows: often one of several declarations that belong together, and nothing of what the new
//! name breaks. So the plugin asks it at every declaration, looks for uses that the edits leave unchanged, and reports
//! them.

use std::collections::{BTreeMap, BTreeSet};

use iac_plugin::json;

use crate::answer::{Answer, Entry, Row};
use crate::asker::{Asker, Declared, begin};
use crate::doubts::{Doubts, Reason};
use crate::find::{self, Hit, Wanted, Way};
use crate::kin::{self, Class};
use crate::kinds::{self, Kinds};
use crate::locate;
use crate::mask::{Masked, Mention, Part};
use crate::pattern::Pattern;
use crate::request::{Common, Target};
use crate::reserved;
use crate::scope::{self, Desk, Scope, Site, show_range};
use crate::structure;
use crate::tree::{Node, Tree, key};
use crate::trouble::Trouble;
use crate::uses::Uses;
use crate::world::{Cause, Edit, FileFilter, Location, Naming, Place, Position, Range, Relation};

/// The maximum number of files to search for the name.
const FILES: u32 = 1_000;

/// The maximum number of declarations of the name to compare.
const DECLARATIONS: usize = 200;

/// Answers `rename`.
pub(crate) fn answer(
    desk: &Desk<'_>,
    target: &Target,
    name: &str,
    common: &Common,
) -> Result<Answer, Trouble> {
    let mut doubts = Doubts::default();
    let located = locate::whole(desk, target, common, "rename", &mut doubts)?;
    let asker = Asker::new(&located, "rename", common, |can| can.rename, &mut doubts)?;
    let old = located.name();
    if located.places.is_empty() || old.is_empty() {
        return Err(Trouble::not_found("no name stands there"));
    }
    let mut plan = Plan::new(desk, &asker, &old, name);
    plan.check_name()?;
    let mut heard = Doubts::default();
    plan.ask_all(&mut heard)?;
    plan.check_outside()?;
    plan.add_family(&mut heard, &mut doubts)?;
    asker.doubt_hidden(target, &mut doubts);
    if asker.server.abilities.references {
        plan.compare_uses(&mut heard, &mut doubts);
    }
    doubts.join(&heard);
    plan.doubt_texts(&mut doubts);
    plan.doubt_name(&mut doubts);
    plan.doubt_structure(&mut doubts);
    let edits: Vec<Edit> = plan.edits.into_values().collect();
    let mut answer = Answer::of(&edits, common, doubts, |shown, _| rows(located.site, shown, name));
    answer.extra.insert("newText".to_owned(), json!(name));
    answer.extra.insert("applied".to_owned(), json!(false));
    Ok(answer)
}

fn rows(site: Site<'_>, edits: &[Edit], name: &str) -> Vec<Row> {
    let previews =
        find::previews(edits.iter().map(|one| (site, one.at.path.as_str(), one.at.range.start.line)));
    let row = |(one, preview): (&Edit, Option<String>)| {
        let (path, range) = (site.show(&one.at.path), show_range(&one.at.range));
        let shown = json!({"path": path, "range": range, "newText": one.text, "preview": preview.as_ref()});
        let tail = preview.map(|line| format!(" | {line}")).unwrap_or_default();
        let head = if one.text == name { range.clone() } else { format!("{range} -> {}", one.text) };
        Row::new(path, range, shown).below_file(Entry { list: "edits", holder: None, head, tail })
    };
    edits.iter().zip(previews).map(row).collect()
}

/// The file, the start and the end of an edit.
type Spot = (String, (u32, u32), (u32, u32));

/// The edits so far, by place.
struct Plan<'a, 'b> {
    desk: &'b Desk<'a>,
    asker: &'b Asker<'a, 'b>,
    old: &'b str,
    new: &'b str,
    edits: BTreeMap<Spot, Edit>,
    /// The places of the declarations that were renamed.
    places: Vec<Place>,
    /// The types that hold them.
    holders: Vec<Class>,
    /// The function that holds a local.
    around: Option<Range>,
}

impl<'a, 'b> Plan<'a, 'b> {
    fn new(desk: &'b Desk<'a>, asker: &'b Asker<'a, 'b>, old: &'b str, new: &'b str) -> Self {
        let places = asker.located.places.clone();
        let mut plan =
            Self { desk, asker, old, new, edits: BTreeMap::new(), places, holders: Vec::new(), around: None };
        let declared: Vec<Location> = plan.declarations();
        let trees = asker.trees(&declared);
        for one in &declared {
            let Some(tree) = trees.get(&one.path) else { continue };
            let at = one.range.start;
            plan.add_twins(&one.path, at);
            plan.holders.extend(kin::holder(tree, at).map(|node| (one.path.clone(), node.clone())));
            plan.around = plan.around.or_else(|| function_around(tree, at));
        }
        if plan.is_member() {
            plan.around = None;
        }
        plan
    }

    /// Adds the other overloads of a declaration in its file, if the target is only a use.
    fn add_twins(&mut self, path: &str, at: Position) {
        if self.asker.located.declared {
            return;
        }
        for outline in self.asker.outline(path) {
            let Some(own) = outline.tree.named_at(at) else { continue };
            let is_twin = |node: &&Node| {
                node.full_name() == own.full_name() && kinds::are_overloads(node.kind, own.kind)
            };
            let twins = outline.tree.nodes.iter().filter(is_twin);
            self.places.extend(twins.map(|node| Place { path: path.to_owned(), at: node.name_range.start }));
        }
    }

    fn site(&self) -> Site<'a> {
        self.asker.located.site
    }

    fn language(&self) -> &str {
        &self.asker.located.language
    }

    /// The places of the target, and their definitions in the project: the key of an object is listed as a symbol, but
    /// the member of an interface is its declaration.
    fn declarations(&self) -> Vec<Location> {
        let defined = self.asker.related(Relation::Definition, &mut Doubts::default()).unwrap_or_default();
        let mut found: Vec<Location> = self.places.iter().map(location).collect();
        for one in defined.into_iter().filter(|one| self.site().owns(&one.path)) {
            if !found.iter().any(|other| begin(other) == begin(&one)) {
                found.push(one);
            }
        }
        found
    }

    /// Whether the target is a member, according to its holder or the text.
    fn is_member(&self) -> bool {
        !self.holders.is_empty() || self.is_after_dot()
    }

    fn is_after_dot(&self) -> bool {
        let place = &self.places[0];
        let lines = self.site().lines([(place.path.clone(), place.at.line)]);
        let line = lines.values().next().map_or("", String::as_str);
        let before = split(line, place.at.column).0.trim_end();
        before.ends_with('.') || before.ends_with("->")
    }

    fn check_name(&self) -> Result<(), Trouble> {
        if self.old == self.new {
            return Err(Trouble::field(format!("\"{}\" is its name already", self.new)));
        }
        if self.language() == "python"
            && self.old.len() > 4
            && self.old.starts_with("__")
            && self.old.ends_with("__")
        {
            let message = format!("Python itself calls `{}` by this name, so it cannot be renamed", self.old);
            return Err(Trouble::new("UNSUPPORTED", message));
        }
        match reserved::objection(self.language(), self.new, self.is_member()) {
            Some(objection) => Err(Trouble::field(format!("{objection}; choose another newName"))),
            None => Ok(()),
        }
    }

    /// Asks at every declaration that no edit covers yet.
    fn ask_all(&mut self, heard: &mut Doubts) -> Result<(), Trouble> {
        for place in self.places.clone() {
            if !self.covers(&place.path, place.at) {
                self.ask(&place, heard)?;
            }
        }
        Ok(())
    }

    fn ask(&mut self, place: &Place, heard: &mut Doubts) -> Result<(), Trouble> {
        let answer = self.site().workspace.rename(place, self.new, self.asker.common.timeout);
        let found = answer.map_err(|failure| match (failure.cause, self.defined_outside()) {
            // A server that renames, but not this.
            (Cause::Unsupported, _) => {
                Trouble { hint: failure.suggestion, ..Trouble::new("UNSUPPORTED", failure.message) }
            }
            (Cause::Failed, Some(path)) => self.is_outside(&path),
            _ => self.asker.trouble(failure),
        })?;
        heard.hear(&found.freshness);
        for edit in found.items {
            let range = edit.at.range;
            self.edits.insert((edit.at.path.clone(), key(range.start), key(range.end)), edit);
        }
        Ok(())
    }

    /// Adds an edit of a plain name.
    fn add(&mut self, path: &str, start: Position) {
        let end = Position { line: start.line, column: start.column + length(self.old) };
        let at = Location { path: path.to_owned(), range: Range { start, end } };
        let edit = Edit { at, text: self.new.to_owned() };
        self.edits.insert((path.to_owned(), key(start), key(end)), edit);
    }

    fn covers(&self, path: &str, at: Position) -> bool {
        let from = (path.to_owned(), key(at), (0, 0));
        let to = (path.to_owned(), key(at), (u32::MAX, u32::MAX));
        self.edits.range(from..=to).next().is_some()
    }

    /// A rename of what is declared outside would break it: the plan can change only the uses here.
    fn check_outside(&self) -> Result<(), Trouble> {
        let site = self.site();
        let outside = site.foreign(self.edits.keys().map(|(path, ..)| path.as_str())).pop_first();
        let defined = || self.defined_outside().filter(|_| !self.binds());
        if let Some(path) = outside.or_else(defined) {
            return Err(self.is_outside(&path));
        }
        if self.edits.is_empty() {
            let message =
                format!("{} has no edits for a rename of `{}`", self.asker.server.profile, self.old);
            return Err(Trouble::new("UNSUPPORTED", message)
                .hint("ask at the declaration; references lists the uses"));
        }
        Ok(())
    }

    /// The file outside the project that declares the symbol.
    fn defined_outside(&self) -> Option<String> {
        let found = self.asker.related(Relation::Definition, &mut Doubts::default()).unwrap_or_default();
        self.site().foreign(found.iter().map(|one| one.path.as_str())).pop_first()
    }

    fn is_outside(&self, path: &str) -> Trouble {
        let old = self.old;
        let message = format!(
            "`{old}` is declared outside the project, in {path}; a rename of its uses here would break them"
        );
        Trouble::new("OUTSIDE", message).hint("references lists the uses")
    }

    /// Whether the edits change a name that an import binds here: `import a as b`, or `import a from 'b'` of a script.
    fn binds(&self) -> bool {
        let is_script = self.language().contains("script");
        let at = self.edits.values().map(|edit| (edit.at.path.clone(), edit.at.range.start.line));
        let lines = self.site().lines(at);
        self.edits.values().any(|edit| {
            let start = edit.at.range.start;
            let line = lines.get(&(edit.at.path.clone(), start.line)).map_or("", String::as_str);
            let (before, _) = split(line, start.column);
            let word =
                before.trim_end().rsplit(|letter: char| !letter.is_alphanumeric()).next().unwrap_or("");
            let adapts = edit.text != self.new && edit.text.contains(self.old);
            word == "as"
                || adapts
                || (is_script && matches!(word, "import" | "type" | "const" | "let" | "var"))
        })
    }

    /// Adds the declarations that override the target or that it overrides. Most servers know those of other classes,
    /// but those of Python rename only one of them.
    fn add_family(&mut self, heard: &mut Doubts, doubts: &mut Doubts) -> Result<(), Trouble> {
        if self.holders.is_empty() || self.asker.server.naming != Naming::Plain {
            return Ok(());
        }
        let mut others = self.others(self.old, false);
        others.retain(|(at, _)| !self.covers(&at.path, at.range.start));
        let classes: Vec<Class> =
            self.holders.iter().chain(others.iter().map(|(_, class)| class)).cloned().collect();
        let above = kin::above(self.asker, &classes);
        let places: Vec<Declared> = classes.iter().map(kin::place_of).collect();
        let is_kin = |one: usize, other: usize| {
            above[one].own.contains(&places[other])
                || above[other].own.contains(&places[one])
                || places[one] == places[other]
        };
        let mut family: BTreeSet<usize> = (0..self.holders.len()).collect();
        loop {
            let more: Vec<usize> = (0..classes.len())
                .filter(|one| !family.contains(one) && family.iter().any(|own| is_kin(*one, *own)))
                .collect();
            if more.is_empty() {
                break;
            }
            family.extend(more);
        }
        let first = self.holders.len();
        for &at in family.iter().filter(|at| **at >= first) {
            let (declared, class) = &others[at - first];
            let place = Place { path: declared.path.clone(), at: declared.range.start };
            self.holders.push(class.clone());
            if !self.covers(&place.path, place.at) {
                self.ask(&place, heard)?;
            }
            if !self.covers(&place.path, place.at) {
                doubts.places(
                    Reason::Unedited,
                    "a declaration that belongs to this one is not renamed",
                    &[self.show(declared)],
                );
            }
            self.places.push(place);
        }
        if self.language() == "python" {
            let above: Vec<&kin::Above> = family.iter().map(|at| &above[*at]).collect();
            self.check_bases(&above, doubts)?;
        }
        Ok(())
    }

    /// A member must keep its name if a base class that is declared outside has it too.
    fn check_bases(&self, above: &[&kin::Above], doubts: &mut Doubts) -> Result<(), Trouble> {
        let mut known: BTreeMap<&str, Option<bool>> = BTreeMap::new();
        let mut unknown = BTreeSet::new();
        for base in above.iter().flat_map(|above| &above.outside) {
            let has = *known.entry(&base.text).or_insert_with(|| kin::has_member(self.asker, base, self.old));
            if has == Some(true) {
                let message = format!(
                    "`{}` overrides a member of `{}`, which is declared outside the project; a rename would break that",
                    self.old, base.text
                );
                return Err(Trouble::new("OUTSIDE", message).hint("references lists the uses"));
            }
            if has.is_none() {
                unknown.insert(&base.text);
            }
        }
        unknown.extend(above.iter().flat_map(|above| &above.unknown).map(|base| &base.text));
        if !unknown.is_empty() {
            let names: Vec<&str> = unknown.into_iter().map(String::as_str).collect();
            doubts.add(Reason::Unresolved);
            doubts.note(format!(
                "the server does not know whether {} has a member `{}` too",
                names.join(", "),
                self.old
            ));
        }
        Ok(())
    }

    /// The declarations of a name in types, each with its type.
    fn others(&self, name: &str, locals: bool) -> Vec<(Location, Class)> {
        let hits = self.hits(name, locals);
        let at = |hit: &Hit<'_>| Location { path: hit.path.clone(), range: hit.node.name_range };
        let places: Vec<Location> = hits.iter().take(DECLARATIONS).map(at).collect();
        let trees = self.asker.trees(&places);
        let held = |one: Location| {
            let class = (one.path.clone(), kin::holder(trees.get(&one.path)?, one.range.start)?.clone());
            Some((one, class))
        };
        places.into_iter().filter_map(held).collect()
    }

    /// The declarations of a name in this root.
    fn hits(&self, name: &str, locals: bool) -> Vec<Hit<'a>> {
        let Ok(pattern) = Pattern::parse(name) else { return Vec::new() };
        let wanted =
            Wanted { pattern: &pattern, kinds: Kinds::ALL, locals, path: None, exclude: &[], what: "rename" };
        let found = find::hits(self.desk, &wanted, self.asker.common, Way::Best, &mut Doubts::default());
        let mut hits = found.unwrap_or_default();
        hits.retain(|hit| hit.site.is(&self.site()) && hit.node.name == name && hit.node.is_named());
        hits
    }

    /// Compares the edits with the uses of every renamed declaration.
    fn compare_uses(&mut self, heard: &mut Doubts, doubts: &mut Doubts) {
        let (mut uses, mut of_uses) = (Uses::default(), Doubts::default());
        let answers =
            self.site().workspace.related(Relation::References, &self.places, self.asker.common.timeout);
        let Ok(answers) = answers else { return };
        for found in answers.into_iter().flatten() {
            of_uses.hear(&found.freshness);
            uses.add(found);
        }
        uses.sort();
        uses.settle(&self.asker.server, doubts);
        uses.forget(|one| self.covers(&one.path, one.range.start));
        heard.settle(&of_uses);
        let lines = self.site().lines(uses.items.iter().map(|one| (one.path.clone(), one.range.start.line)));
        let spells = |one: &Location| {
            let line = lines.get(&(one.path.clone(), one.range.start.line)).map_or("", String::as_str);
            let (before, rest) = split(line, one.range.start.column);
            // `export { default as Name }` gives it a name of its own.
            rest.starts_with(self.old) && before.split_whitespace().next_back() != Some("as")
        };
        let mut missing: Vec<Location> = uses
            .items
            .iter()
            .filter(|one| spells(one) && !self.covers(&one.path, one.range.start))
            .cloned()
            .collect();
        if self.language() == "python" {
            // A name in Python is the same wherever it stands.
            missing.drain(..).for_each(|at| self.add(&at.path, at.range.start));
        }
        let missing: Vec<String> = missing.iter().map(|one| self.show(one)).collect();
        doubts.places(Reason::Unedited, "the server lists uses that it does not rename", &missing);
        uses.doubt(self.asker.located, &self.asker.server, doubts);
    }

    /// Says where comments and strings have the name. Code can find something by a string that is nothing but its name.
    fn doubt_texts(&mut self, doubts: &mut Doubts) {
        if self.around.is_some() {
            return;
        }
        let (mut exact, mut loose, mut unread) = (Vec::new(), 0_usize, 0);
        let filter = FileFilter { containing: Some(self.old.to_owned()), ..scope::filter("", FILES) };
        let Ok(files) = Scope::new(self.site(), String::new()).listed(&filter) else { return };
        if files.truncated {
            doubts.add(Reason::FileCap);
            doubts.note(format!("only the first {FILES} files were searched for strings with the name"));
        }
        for file in files.items {
            let Ok(text) = self.site().workspace.text(&file.path) else {
                unread += 1;
                continue;
            };
            let lists = self.language() == "python"
                && !self.is_member()
                && self.edits.keys().any(|(path, ..)| *path == file.path);
            for one in Masked::read(&text, &file.language).mentions(self.old) {
                if one.part == Part::Code || self.covers(&file.path, one.at) {
                    continue;
                }
                match one.is_name && is_dynamic(&file.language) {
                    true if lists && is_exported(&text, one.at.line) => self.add(&file.path, one.at),
                    true => exact.push(format!("{}:{}", self.site().show(&file.path), one.at.line + 1)),
                    false => loose += 1,
                }
            }
        }
        doubts.fail(unread);
        let said = format!("strings hold `{}`, and the code may look it up by them", self.old);
        doubts.places(Reason::InStrings, &said, &exact);
        if loose > 0 {
            let places = if loose == 1 { "place" } else { "places" };
            let old = self.old;
            doubts.note(format!("comments and texts keep `{old}` at {loose} {places}"));
        }
    }

    /// Says where the new name has a meaning already.
    fn doubt_name(&self, doubts: &mut Doubts) {
        let mut taken: BTreeSet<String> = BTreeSet::new();
        let classes: Vec<Declared> = self.holders.iter().map(kin::place_of).collect();
        let others = if self.holders.is_empty() { Vec::new() } else { self.others(self.new, false) };
        if !others.is_empty() {
            let all: Vec<Class> =
                self.holders.iter().chain(others.iter().map(|(_, class)| class)).cloned().collect();
            let above = kin::above(self.asker, &all);
            for ((at, class), own) in others.iter().zip(&above[self.holders.len()..]) {
                let place = kin::place_of(class);
                let is_below = classes.iter().any(|one| own.own.contains(one));
                let is_above = above[..self.holders.len()].iter().any(|one| one.own.contains(&place));
                let is_same = self.holders.iter().any(|(path, node)| {
                    (path == &at.path || self.asker.server.naming != Naming::Plain)
                        && node.full_name() == class.1.full_name()
                });
                if is_below || is_above || is_same || classes.contains(&place) {
                    taken.insert(self.show(at));
                }
            }
        }
        let is_scoped = self.asker.server.naming == Naming::Scoped;
        if !self.is_member() || is_scoped {
            taken.extend(self.free_places());
        }
        if !self.is_member()
            && self.around.is_none()
            && !matches!(self.language(), "python" | "rust")
            && !self.language().contains("script")
        {
            let own =
                self.asker.located.hits.first().map(|hit| hit.node.containers.clone()).unwrap_or_default();
            let same = self.hits(self.new, false).into_iter().filter(|hit| hit.node.containers == own);
            taken.extend(same.map(|hit| {
                format!("{}:{}", self.site().show(&hit.path), hit.node.name_range.start.line + 1)
            }));
        }
        let taken: Vec<String> = taken.into_iter().collect();
        doubts.places(Reason::NameTaken, &format!("`{}` already has a meaning there", self.new), &taken);
    }

    /// Where the new name stands by itself in the edited files; for a local, in its function.
    fn free_places(&self) -> Vec<String> {
        // `r#fn` is another word than `fn`.
        if self.edits.values().any(|edit| edit.text.starts_with("r#")) {
            return Vec::new();
        }
        let files: BTreeSet<&str> = self.edits.keys().map(|(path, ..)| path.as_str()).collect();
        let within = |one: &Mention| {
            self.around
                .is_none_or(|around| around.start.line <= one.at.line && one.at.line <= around.end.line)
        };
        let is_free = |one: &Mention| {
            let is_key = one.behind.starts_with('=')
                && !one.behind.starts_with("==")
                && one.before.ends_with(['(', ',']);
            let is_property = self.language().contains("script")
                && one.behind.starts_with(':')
                && one.before.ends_with(['{', ',']);
            one.part == Part::Code && !one.is_member() && !is_key && !is_property
        };
        let mut found = Vec::new();
        for path in files {
            let Ok(text) = self.site().workspace.text(path) else { continue };
            let mentions = Masked::read(&text, self.language()).mentions(self.new);
            let free = mentions.iter().filter(|one| is_free(one) && within(one));
            found.extend(free.map(|one| format!("{}:{}", self.site().show(path), one.at.line + 1)));
        }
        found
    }

    /// Types can conform to an interface by their members alone. The server renames those that name the interface.
    fn doubt_structure(&self, doubts: &mut Doubts) {
        if self.holders.is_empty() || !structure::is_structural(self.language()) {
            return;
        }
        let hits = self.hits(self.old, true);
        let mut at: Vec<Location> = hits
            .iter()
            .take(DECLARATIONS)
            .map(|hit| Location { path: hit.path.clone(), range: hit.node.name_range })
            .collect();
        at.retain(|one| !self.covers(&one.path, one.range.start));
        let mut loose = structure::loose(self.asker, &self.holders, at, self.old);
        loose.retain(|one| !self.covers(&one.path, one.range.start));
        let loose: Vec<String> = loose.iter().map(|one| self.show(one)).collect();
        let said =
            format!("members `{}` of types that fit by their members alone stay as they are", self.old);
        doubts.places(Reason::Structural, &said, &loose);
    }

    fn show(&self, one: &Location) -> String {
        format!("{}:{}", self.site().show(&one.path), one.range.start.line + 1)
    }
}

/// Splits a line at a column.
fn split(line: &str, column: u32) -> (&str, &str) {
    let at = line.char_indices().nth(column as usize).map_or(line.len(), |(at, _)| at);
    line.split_at(at)
}

fn location(place: &Place) -> Location {
    Location { path: place.path.clone(), range: Range { start: place.at, end: place.at } }
}

fn length(text: &str) -> u32 {
    u32::try_from(text.chars().count()).unwrap_or(u32::MAX)
}

/// The outermost function around a place that is not the name of a function or a type.
fn function_around(tree: &Tree, at: Position) -> Option<Range> {
    let is_outer = |node: &Node| {
        matches!(node.kind, kinds::PROPERTY | kinds::FIELD | kinds::METHOD)
            || (kinds::is_callable(node.kind) || kinds::is_type(node.kind)) && !tree.is_in_code(node)
    };
    if tree.named_at(at).is_some_and(is_outer) {
        return None;
    }
    let holds = |node: &&Node| {
        kinds::is_callable(node.kind) && key(node.name_range.end) <= key(at) && key(at) < key(node.whole.end)
    };
    tree.nodes.iter().find(holds).map(|node| node.whole)
}

/// Whether a line of Python belongs to `__all__ = […]`, the list of names that a module exports.
fn is_exported(text: &str, line: u32) -> bool {
    let lines: Vec<&str> = text.lines().take(line as usize + 1).collect();
    let goes_on = |line: &&&str| line.is_empty() || line.starts_with([' ', '\t', '\'', '"', ')', ']', '#']);
    lines.iter().rev().find(|line| !goes_on(line)).is_some_and(|line| line.starts_with("__all__"))
}

/// Whether code of a language finds things by strings.
fn is_dynamic(language: &str) -> bool {
    matches!(language, "python" | "ruby" | "php") || language.contains("script")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_exports_have_many_forms() {
        let text = "a = [\n'x']\n__all__ = (\n    'x',\n\n    # why\n    'y',\n)\nb = 'x'\n";
        let lines: Vec<u32> = (0..9).filter(|line| is_exported(text, *line)).collect();
        assert_eq!(lines, [2, 3, 4, 5, 6, 7]);
    }
}
