//! Extra notes of an answer: the places of other elements, similar names, and the parts that were not read.

use indexmap::IndexMap;
use serde_json::{Map, Value as Json, json};

use super::Listing;
use super::World;
use super::show;
use crate::action::{Column, Groups, Rank};
use crate::app::{App, same_id};
use crate::change::{self, hidden};
use crate::dictionary::{Dictionary, TypeExpr, names as words};
use crate::fault::{Code, Fault};
use crate::filter::{Compare, Filter, Fold, Operator};
use crate::osa_error::OsaError;
use crate::series::dated;
use crate::specifier::{By, Path, Segment};
use crate::step::query::FEW_NAMES;

/// Classes of which the application itself holds only some objects: an app, the class, and the class that holds the
/// others.
///
/// # Source
/// Mail keeps the mailboxes "On My Mac" itself and the others in accounts.
const APART: [(&str, &str, &str); 1] = [("com.apple.mail", "mailbox", "account")];

/// Containers that may hold others of their class: an app and the class. A list through the outer ones misses what the
/// inner ones hold, and people mean all of them. Finder is not among them, because people know that its folders have
/// folders.
///
/// # Source
/// Notes' dictionary: a folder has folders. `every folder` of an account is only the outer ones.
const NESTED: [(&str, &str); 1] = [("com.apple.Notes", "folder")];

/// The prefix of a property's name that concerns an object and its container.
///
/// # Source
/// OmniFocus' dictionary: `effectively completed`, `effectively dropped`.
const EFFECTIVELY: &str = "effectively ";

/// An answer names at most this many unread containers; the others are counted.
const MOST_SKIPPED: usize = 5;

/// The value of a comparison as a client writes it.
fn said(compare: &Compare<usize>) -> Json {
    match compare.value["$"].as_str() {
        Some("moment") => compare.value["said"].clone(),
        Some(_) => compare.value["v"].clone(),
        None => compare.value.clone(),
    }
}

/// The most comparisons to explain. A longer filter, such as a list of names, would fill the answer.
const MOST_COMPARED: usize = 8;

/// The number of values to name if a filter matches nothing and no value resembles its text. It is enough to show a
/// typing error, and too small to read a mailbox that way.
const MOST_NEAR: usize = 10;

impl Listing {
    /// Says where else objects are if the list leads through only some of them.
    pub(super) fn with_elsewhere(&self, body: &mut Json, app: &App) {
        let is_any = body["totalCount"].as_u64().is_some_and(|total| total > 0);
        let alone = if is_any { self.alone(app) } else { None };
        let before = body["note"].as_str().map(str::to_owned);
        let others = if is_any { self.others(app) } else { None };
        let notes = [
            before,
            self.elsewhere(app),
            self.inside(app),
            self.hidden(app),
            alone,
            self.first_dates(app),
            others,
        ];
        let note: Vec<String> = notes.into_iter().flatten().collect();
        if !note.is_empty() {
            body["note"] = json!(note.join("; "));
        }
    }

    /// A note that a count includes elements that stand for other objects.
    fn others(&self, app: &App) -> Option<String> {
        if self.wanted.groups.is_none() && self.wanted.limit > 0 {
            return None;
        }
        let (class, container) = (&self.wanted.collection.class, self.wanted.containers.first()?);
        let dictionary = app.dictionary().ok()?;
        let is_true = |term: &str| {
            let is_it = |compare: &Compare<usize>| {
                let column = &self.wanted.columns[compare.property];
                let is = (compare.operator, &compare.value) == (Operator::Equal, &json!(true));
                is && column.up == 0 && column.term == term
            };
            self.wanted.filter.as_ref().is_some_and(|filter| filter.requires(&is_it))
        };
        let other = change::counted_among(&app.bundle_id, dictionary, class, container.class(), &is_true)?;
        Some(format!("each {other} counts as one more {class}: the one that holds its tasks"))
    }

    /// The objects that a filter cannot find.
    fn hidden(&self, app: &App) -> Option<String> {
        let class = self.wanted.collection.class.as_str();
        let (properties, flag) = hidden(&app.bundle_id, class)?;
        let filter = self.wanted.filter.as_ref()?.columns();
        let mut asked = filter.into_iter().filter_map(|at| self.wanted.columns.get(at));
        let column = asked.find(|column| properties.contains(&column.term.as_str()))?;
        let plural = app.dictionary().ok()?.class(class).map_or(class, |class| class.plural.as_str());
        Some(format!(
            "locked {plural} hide their `{}`, so this filter cannot find them; `{flag} is true` lists them",
            column.shown()
        ))
    }

    /// A note that a filter tests only the element, although the container has the same property: an open task may be
    /// in a completed project.
    fn alone(&self, app: &App) -> Option<String> {
        let dictionary = app.dictionary().ok()?;
        let class = &self.wanted.collection.class;
        let compared = self.wanted.filter.as_ref()?.columns();
        let mut terms = compared.into_iter().map(|at| self.wanted.columns[at].term.as_str());
        if terms.clone().any(|term| term.starts_with(EFFECTIVELY)) {
            return None;
        }
        let own = terms.find(|term| dictionary.property(class, &format!("{EFFECTIVELY}{term}")).is_some())?;
        let all = dictionary.properties(class).into_iter().map(|property| property.name.as_str());
        let both: Vec<String> =
            all.filter(|name| name.starts_with(EFFECTIVELY)).map(|name| format!("{name} is false")).collect();
        Some(format!(
            "some may be in others that are done or dropped, because `{own}` is about each {class} alone; `{}` leaves those out",
            both.join(" and ")
        ))
    }

    /// A note that the filter tests only the first date of each series that the list leads through. It offers a list of
    /// the series itself, which takes all dates; the elements become properties in that list.
    fn first_dates(&self, app: &App) -> Option<String> {
        let dictionary = app.dictionary().ok()?;
        let [container] = self.wanted.containers.as_slice() else { return None };
        let owner = dated(&app.bundle_id, container.class()).filter(|owner| owner.rule.is_some())?;
        let is_time = |term: &str| term == owner.start || Some(term) == owner.end.as_deref();
        let of_owner = |column: &Column| {
            let (_, rest) = column.term.split_once('.').filter(|_| column.up == 1)?;
            Some(rest.to_owned())
        };
        let filter = self.wanted.filter.clone()?;
        let columns = || filter.columns().into_iter().map(|at| &self.wanted.columns[at]);
        if !columns().filter_map(of_owner).any(|term| is_time(&term)) {
            return None;
        }
        let plural =
            |class: &str| dictionary.class(class).map_or(class.to_owned(), |known| known.plural.clone());
        let class = &self.wanted.collection.class;
        // In the other list, a property of the elements becomes `PROPERTY of every CLASS`, a property of their
        // container.
        let there = |column: &Column| match column.up {
            0 => format!("{} of every {class}", column.term),
            1 => of_owner(column).unwrap_or_default(),
            _ => column.term.clone(),
        };
        let label = change::label(&app.bundle_id, dictionary, container.class());
        let own =
            self.wanted.columns.iter().take(self.wanted.wanted).filter(|column| column.up == 0).map(there);
        let mut properties: Vec<String> = label.into_iter().chain([owner.start.clone()]).chain(own).collect();
        if properties.len() == 2 {
            let label = change::label(&app.bundle_id, dictionary, class)?;
            properties.push(format!("{label} of every {class}"));
        }
        let there = |compare: Compare<usize>| {
            let property = there(&self.wanted.columns[compare.property]);
            let value = said(&compare);
            Ok::<_, Fault>(Filter::Compare(Compare { property, operator: compare.operator, value }))
        };
        let filter = filter.clone().map(&mut { there }).ok()?.to_json();
        let list = json!({ "elements": container.to_text(), "where": filter, "properties": properties });
        Some(format!(
            "a series of {} counts here by its first date only; {list} takes each of its dates",
            plural(container.class())
        ))
    }

    /// The containers inside those that the list leads through.
    fn inside(&self, app: &App) -> Option<String> {
        let [container] = self.wanted.containers.as_slice() else { return None };
        let (_, class) = NESTED.iter().find(|row| same_id(row.0, &app.bundle_id))?;
        let segments = container.segments();
        let is_every = |segment: &&Segment| matches!(segment, Segment::Element(member, By::Every) if member.class == *class);
        let is_outer = segments.len() > 1 && segments.last().is_some_and(is_every);
        if self.wanted.inner.is_some() || !is_outer {
            return None;
        }
        let plural = app.dictionary().ok()?.class(class).map_or(*class, |class| class.plural.as_str());
        Some(format!(
            "this leaves out what is in {plural} inside these {plural}; `\"recursive\": true` takes it too"
        ))
    }

    fn elsewhere(&self, app: &App) -> Option<String> {
        let [container] = self.wanted.containers.as_slice() else { return None };
        let collection = &self.wanted.collection;
        let (_, class, holder) = APART.iter().find(|row| same_id(row.0, &app.bundle_id))?;
        let dictionary = app.dictionary().ok()?;
        let segments = container.segments();
        let is_every = |at: usize, class: &str| match segments.get(at) {
            Some(Segment::Element(member, By::Every)) => member.class == class,
            None => at == segments.len() && collection.class == class,
            Some(_) => false,
        };
        let place = |path: Path, segments: &[&Segment]| {
            segments.iter().fold(path, |path, segment| path.then((*segment).clone())).to_text()
        };
        let plural = dictionary.class(class).map_or(*class, |class| class.plural.as_str());
        let (others, outer, inner) = if is_every(0, class) {
            let holders = Path::application().collection(dictionary, holder).ok()?;
            let holders = Path::application().then(Segment::Element(holders, By::Every));
            (
                format!("the {plural} of every {holder}"),
                place(holders, &segments),
                place(Path::application(), &segments),
            )
        } else if is_every(0, holder) && is_every(1, class) {
            let inner = place(Path::application(), segments.get(1..).unwrap_or_default());
            (format!("{plural} that no {holder} has"), place(Path::application(), &segments), inner)
        } else {
            return None;
        };
        let all = json!({ "container": [outer, inner], "elementType": collection.term });
        Some(format!("this leaves out {others}; {all} takes all"))
    }

    /// Adds the dates that the relative dates of the filter mean, each with its comparison: `due date < this week + 2
    /// weeks` shows that `due date <= next week` includes all of that week.
    pub(super) fn with_dates(&self, body: &mut Json, dates: &Json) {
        let Some(dates) = dates.as_object() else { return };
        let mut told = Map::new();
        for compare in self.wanted.filter.iter().flat_map(Filter::comparisons) {
            let said = compare.value["said"].as_str().and_then(|said| Some((said, dates.get(said)?)));
            if let Some((said, date)) = said {
                let property = self.wanted.columns[compare.property].shown();
                told.insert(format!("{property} {} {said}", compare.operator.as_str()), date.clone());
            }
        }
        let is_told = |said: &String| told.keys().any(|each| each.ends_with(&format!(" {said}")));
        let others: Vec<_> = dates.iter().filter(|(said, _)| !is_told(said)).collect();
        told.extend(others.into_iter().map(|(said, date)| (said.clone(), date.clone())));
        body["dates"] = Json::Object(told);
    }

    /// Explains why nothing matches a filter.
    pub(super) fn with_unmet(
        &self,
        body: &mut Json,
        answer: &Json,
        dictionary: &Dictionary,
        world: &World<'_>,
    ) {
        self.with_near(body, &answer["near"], dictionary);
        self.with_compared(body, &answer["compared"], dictionary, world);
    }

    /// Names the existing values that resemble the text of a filter, or all of them if there are few and none resembles
    /// it.
    fn with_near(&self, body: &mut Json, near: &Json, dictionary: &Dictionary) {
        let mut told = Map::new();
        for each in near.as_array().into_iter().flatten() {
            let column = each[0].as_u64().and_then(|at| self.wanted.columns.get(usize::try_from(at).ok()?));
            let (Some(column), Some(text)) = (column, each[1].as_str()) else { continue };
            let shown = |value: &str| match show::is_class(&column.kind) {
                true => show::class_term(value.to_owned(), dictionary),
                false => value.to_owned(),
            };
            let values: Vec<String> =
                each[2].as_array().into_iter().flatten().filter_map(Json::as_str).map(shown).collect();
            // A lookup by name gives all names, as for any other object that does not exist.
            let few = if self.first.is_some() { FEW_NAMES } else { MOST_NEAR };
            let near = words::offered(&shown(text), values.iter().map(String::as_str), few);
            if !near.is_empty() {
                told.insert(column.shown().to_owned(), json!(near));
            }
        }
        if !told.is_empty() {
            body["near"] = Json::Object(told);
            body["untrusted"] = json!(true);
        }
    }

    /// Says how each comparison of a filter that nothing matches was read, how many objects have a value to compare,
    /// and how many pass that comparison alone. A plugin looks only for what matches.
    fn with_compared(&self, body: &mut Json, compared: &Json, dictionary: &Dictionary, world: &World<'_>) {
        let Some(filter) = self.wanted.filter.as_ref().filter(|_| world.gate.plugin.is_none()) else {
            return;
        };
        let counts = compared.as_array().map(Vec::as_slice).unwrap_or_default();
        if body["totalCount"] != json!(0) || counts.is_empty() {
            return;
        }
        let told = |(compare, counts): (&Compare<usize>, &Json)| {
            let column = &self.wanted.columns[compare.property];
            let value = said(compare);
            let value = match value.as_str().filter(|_| show::is_class(&column.kind)) {
                Some(class) => json!(show::class_term(class.to_owned(), dictionary)),
                None => value,
            };
            let mut told =
                json!({ "property": column.term, "op": compare.operator.as_str(), "value": value });
            for (at, name) in ["of", "haveValue", "pass"].into_iter().enumerate() {
                if counts[at].is_u64() {
                    told[name] = counts[at].clone();
                }
            }
            told
        };
        let all = filter.comparisons().into_iter().zip(counts);
        body["compared"] = all.take(MOST_COMPARED).map(told).collect();
    }

    /// Names the skipped containers, so that unread elements do not look as if they did not exist.
    pub(super) fn with_skipped(&self, body: &mut Json, skipped: &Json, app: &App, dictionary: &Dictionary) {
        let skipped = skipped.as_array().map(Vec::as_slice).unwrap_or_default();
        if skipped.is_empty() {
            return;
        }
        let told = |each: &Json| {
            let mut told =
                json!({ "container": self.from(&each["from"], dictionary).map(|path| path.to_text()) });
            let fault = match OsaError::of_row(&each["error"], "elements") {
                Some(error) => error.to_fault(&app.bundle_id, &app.name),
                None => {
                    let place = self.shut(each).unwrap_or("a file");
                    let message = format!("it is or holds {place}, which is closed to every call");
                    Fault::new(Code::PermissionDenied, message, "")
                }
            };
            told["error"] = fault.to_json()["error"].take();
            told["message"] = json!(fault.message);
            told
        };
        body["complete"] = json!(false);
        let reason = match skipped.len() {
            1 => "one container was not read".to_owned(),
            count => format!("{count} containers were not read"),
        };
        let more = body["reason"].as_str().map(|before| format!("{before}; {reason}"));
        body["reason"] = json!(more.unwrap_or(reason));
        body["skipped"] = skipped.iter().take(MOST_SKIPPED).map(told).collect();
    }

    /// Says which values the filter, the order, a group or a sum treated as missing because the app returned an error.
    ///
    /// # Errors
    /// macOS has refused the access, so no value is known.
    pub(super) fn with_unread(
        &self,
        body: &mut Json,
        unread: &Json,
        app: &App,
        dictionary: &Dictionary,
    ) -> Result<(), Fault> {
        for each in unread.as_array().into_iter().flatten() {
            let message = each[4].as_str().unwrap_or_default().to_owned();
            let number = each[2].as_i64().unwrap_or_default();
            let fault = OsaError { number, message, at: "column".to_owned(), by: None }
                .to_fault(&app.bundle_id, &app.name);
            if fault.code == Code::AutomationNotAuthorized {
                return Err(fault);
            }
        }
        let mut counts: IndexMap<(u64, bool), (u64, &Json)> = IndexMap::new();
        for each in unread.as_array().into_iter().flatten() {
            let (Some(column), Some(count)) = (each[0].as_u64(), each[1].as_u64()) else { continue };
            counts.entry((column, each[3] == json!(true))).or_insert((0, &each[2])).0 += count;
        }
        let class = &self.wanted.collection.class;
        let plural = || dictionary.class(class).map_or(class.as_str(), |class| class.plural.as_str());
        let told = |((column, is_owner), (count, number)): (&(u64, bool), &(u64, &Json))| {
            let column = self.wanted.columns.get(usize::try_from(*column).ok()?)?;
            let of = match (is_owner, count) {
                (true, 1) => "container",
                (true, _) => "containers",
                (false, 1) => class.as_str(),
                (false, _) => plural(),
            };
            Some(format!("`{}` of {count} {of} could not be read ({number})", column.shown()))
        };
        let reasons: Vec<String> = counts.iter().filter_map(told).collect();
        if !reasons.is_empty() {
            body["complete"] = json!(false);
            let before = body["reason"].as_str().map(str::to_owned);
            body["reason"] = json!(before.into_iter().chain(reasons).collect::<Vec<_>>().join("; "));
        }
        Ok(())
    }

    /// The closed place that a skipped container is or contains.
    fn shut(&self, skipped: &Json) -> Option<&str> {
        let number = usize::try_from(skipped["from"][0].as_u64()?).ok()?;
        let which = usize::try_from(skipped["closed"].as_u64()?).ok()?;
        Some(&self.wanted.closed.get(number)?.get(which)?.place)
    }

    /// Adds empty groups, if the dictionary lists the values and all elements were read.
    pub(super) fn with_empty_groups(&self, body: &mut Json, dictionary: &Dictionary) {
        let Some(Groups { by, of, sort }) = &self.wanted.groups else { return };
        let [Some(column)] = by.as_slice() else { return };
        let column = &self.wanted.columns[*column];
        let values = values(&column.kind, dictionary);
        let is_partial = body["complete"] == json!(false);
        let total = body["groupCount"].as_u64();
        let Some(groups) = body["groups"].as_array_mut() else { return };
        let is_whole = !is_partial && Some(groups.len() as u64) == total;
        if !is_whole || groups.is_empty() || values.len() > MOST_VALUES {
            return;
        }
        // If the smallest groups come first, the empty ones are the first of all. In the order of the values there is
        // no place known for them.
        let is_first = match sort.first() {
            Some((Rank::Count, down)) => !down,
            Some(_) => return,
            None => false,
        };
        let mut empty = Vec::new();
        for value in values {
            if groups.iter().any(|group| group["key"][column.shown()] == value) {
                continue;
            }
            let mut group = json!({ "key": { column.shown(): value }, "count": 0 });
            for (fold, of) in of {
                let nothing = if *fold == Fold::Sum { json!(0) } else { Json::Null };
                group[format!("{}({})", fold.as_str(), self.wanted.columns[*of].shown())] = nothing;
            }
            empty.push(group);
        }
        // Empty groups never displace other groups, because no later page could show those.
        if groups.len() + empty.len() > self.wanted.limit {
            return;
        }
        let at = if is_first { 0 } else { groups.len() };
        groups.splice(at..at, empty);
        body["groupCount"] = json!(groups.len());
    }
}

/// The most possible values to list. A longer list says little about the values that occur.
const MOST_VALUES: usize = 12;

/// The values of a type that has few.
fn values(kind: &TypeExpr, dictionary: &Dictionary) -> Vec<Json> {
    let [kind] = kind.0.as_slice() else { return Vec::new() };
    if kind.list {
        return Vec::new();
    }
    match dictionary.enumerations.get(&kind.name) {
        Some(values) => {
            let shown = values.enumerators.iter().filter(|each| !each.hidden);
            shown.map(|each| json!(each.name)).collect()
        }
        None if kind.name == "boolean" => vec![json!(true), json!(false)],
        None => Vec::new(),
    }
}
