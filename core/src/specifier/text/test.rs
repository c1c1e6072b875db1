//! Tests: `read status is false and (subject contains "a" or not flagged status)`.

use super::Parser;
use super::chain::FILTERS;
use super::compare::Comparison;
use super::error::{Fail, shown};
use super::step::{Term, is_ordinal};
use super::tokens::Kind;
use std::sync::LazyLock;

use crate::dictionary::{APPLICATION, Property, TypeRef};
use crate::filter::{Compare, Filter, Operator};
use crate::moment::Part;
use crate::specifier::{SpecifierError, resolve};

/// The largest number of comparisons in one filter.
const MOST_TESTS: usize = 64;

/// The deepest nesting of parentheses and `not`, as in JSON.
const DEEPEST: usize = 14;

/// The most words to read as a property that is not a term: `last modified date`.
const MOST_WORDS: usize = 3;

/// The word for an element's container, of any class.
const CONTAINER: &str = "container";

/// The path of a property to test, starting at the tested element.
struct Path<'a> {
    /// As a filter names it: `container.name`.
    term: String,
    property: &'a Property,
}

type Reading = Result<(Filter<String>, usize), Fail>;

/// The context of a test: the class that it is about, and its depth.
#[derive(Clone, Copy)]
struct Place<'a> {
    class: &'a str,
    depth: usize,
}

impl Parser<'_> {
    /// Reads a test of elements of a class; returns the next token.
    pub(super) fn test(&self, at: usize, class: &str) -> Reading {
        self.either(at, Place { class, depth: 0 })
    }

    fn either(&self, at: usize, place: Place<'_>) -> Reading {
        if place.depth > DEEPEST {
            let instead = "write the same test with fewer parentheses";
            return Err(Fail::refused(
                at,
                at,
                format!("the test is nested deeper than {DEEPEST} levels"),
                instead,
            ));
        }
        self.joined(at, "or", Filter::Or, |at| {
            self.joined(at, "and", Filter::And, |at| self.negated(at, place))
        })
    }

    fn joined(
        &self,
        at: usize,
        word: &str,
        join: impl Fn(Vec<Filter<String>>) -> Filter<String>,
        read: impl Fn(usize) -> Reading,
    ) -> Reading {
        let (first, mut end) = read(at)?;
        let mut filters = vec![first];
        while self.is_word(end, &[word]) {
            if filters.len() == MOST_TESTS {
                let wrong = format!("the filter has more than {MOST_TESTS} tests");
                return Err(Fail::refused(end, end, wrong, "read more and choose among it yourself"));
            }
            // Some scripts repeat the word: `… and whose name is "a"`.
            let (next, behind) = read(end + 1 + usize::from(self.is_word(end + 1, &FILTERS)))?;
            filters.push(next);
            end = behind;
        }
        let only = if filters.len() == 1 { filters.pop() } else { None };
        Ok((only.unwrap_or_else(|| join(filters)), end))
    }

    fn negated(&self, at: usize, place: Place<'_>) -> Reading {
        let inner = Place { depth: place.depth + 1, ..place };
        if self.is_word(at, &["not"]) && !self.begins_with_term(at, place.class) {
            if inner.depth > DEEPEST {
                return self.either(at, inner);
            }
            return self.negated(at + 1, inner).map(|(filter, end)| (Filter::Not(Box::new(filter)), end));
        }
        if !self.is_sign(at, "(") {
            return self.compared(at, place);
        }
        // Parentheses may stand around what is compared: `(start date) > today`.
        if let Some((path, end)) = self.wrapped(at, place.class) {
            return self.comparison(&path, end);
        }
        let (filter, end) = self.either(at + 1, inner)?;
        match self.is_sign(end, ")") {
            true => Ok((filter, end + 1)),
            false => Err(self.unexpected(end, "`and`, `or` or `)`")),
        }
    }

    /// The path in parentheses at a token, if it is compared. AppleScript requires them around a count.
    fn wrapped(&self, at: usize, class: &str) -> Option<(Path<'_>, usize)> {
        let is_count = self.count(at + 1).is_some();
        let is_compared =
            |end: usize| self.is_sign(end, ")") && (is_count || !self.comparisons(end + 1).is_empty());
        let paths = self.paths(at + 1, class).ok()?;
        paths.into_iter().find(|(_, end)| is_compared(*end)).map(|(path, end)| (path, end + 1))
    }

    fn begins_with_term(&self, at: usize, class: &str) -> bool {
        let mut terms = self.terms(at).into_iter();
        terms
            .any(|(term, _)| matches!(term, Term::Property(term) if self.property_of(class, &term).is_some()))
    }

    fn compared(&self, at: usize, place: Place<'_>) -> Reading {
        if self.is_word(at, &["it"]) {
            return self.itself(at, place.class);
        }
        if let Some(reading) = self.reversed(at, place.class) {
            return reading;
        }
        let mut fail: Option<Fail> = None;
        for (path, next) in self.paths(at, place.class)? {
            match self.comparison(&path, next) {
                Ok(reading) => return Ok(reading),
                Err(other) => fail = Some(other.or(fail)),
            }
        }
        let fail = fail.unwrap_or_else(|| self.unexpected(at, "a property"));
        Err(self.tested_elements(at, place.class).or_else(|| self.tested_element(at)).unwrap_or(fail))
    }

    /// `"Google" is in name`, which means `name contains "Google"`.
    fn reversed(&self, at: usize, class: &str) -> Option<Reading> {
        let Some(Kind::Text(text)) = self.kind(at) else { return None };
        let within = self.comparisons(at + 1);
        let is_in =
            |(comparison, _): &&(Comparison, usize)| matches!(comparison, Comparison::In | Comparison::NotIn);
        let (comparison, next) = *within.iter().find(is_in)?;
        let is_wrapped = self.is_sign(next, "(");
        let paths = match self.paths(next + usize::from(is_wrapped), class) {
            Ok(paths) => paths,
            Err(fail) => return Some(Err(fail)),
        };
        let closed = paths.into_iter().find(|(_, end)| !is_wrapped || self.is_sign(*end, ")"));
        Some(match closed {
            None => Err(self.unexpected(next, "a property")),
            Some((path, end)) => {
                let (operator, value) = (Operator::Contains, text.as_str().into());
                let holds = Filter::Compare(Compare { property: path.term, operator, value });
                let is_not = comparison == Comparison::NotIn;
                let filter = if is_not { Filter::Not(Box::new(holds)) } else { holds };
                Ok((filter, end + usize::from(is_wrapped)))
            }
        })
    }

    /// `it is frontmost`, `it is not visible`: a property that is true or false.
    fn itself(&self, at: usize, class: &str) -> Reading {
        for (comparison, next) in self.comparisons(at + 1) {
            let Comparison::By(operator @ (Operator::Equal | Operator::NotEqual)) = comparison else {
                continue;
            };
            if self.begins_with_term(next, class) {
                let paths = self.paths(next, class)?;
                let is_boolean = |(path, _): &&(Path<'_>, usize)| is_boolean(path.property);
                if let Some((path, end)) = paths.iter().find(is_boolean) {
                    let property = path.term.clone();
                    return Ok((Filter::Compare(Compare { property, operator, value: true.into() }), *end));
                }
            }
        }
        let instead = "compare a property, such as `name is \"…\"`";
        Err(Fail::refused(at, at + 1, "an element as a whole is not compared", instead))
    }

    /// The paths of properties that begin at a token, those with most tokens first.
    fn paths(&self, at: usize, class: &str) -> Result<Vec<(Path<'_>, usize)>, Fail> {
        let start = at + usize::from(self.is_word(at, &["its"]));
        let start = start + usize::from(self.is_word(start, &["the"]));
        let found = self.chains(start, class);
        let found = if found.is_empty() { self.meant(start, class) } else { found };
        if found.is_empty() { Err(self.untested(start, at, class)) } else { Ok(found) }
    }

    /// Reads one to three words that are not a term of the app as the property that they mean. Terms are excluded,
    /// because a term may belong to another object on the path.
    fn meant(&self, at: usize, class: &str) -> Vec<(Path<'_>, usize)> {
        let is_word = |at: usize| matches!(self.kind(at), Some(Kind::Word(_)));
        let found = (1..=MOST_WORDS).rev().find_map(|count| {
            let end = at + count;
            let word = (at..end).all(is_word).then(|| self.words(at, end))?;
            let is_term = self.dictionary.has_property(&word);
            let property = self.dictionary.meant(class, &word).filter(|_| !is_term)?;
            // The filter keeps the client's words; the answer says which property they mean.
            Some((Path { term: word, property }, end))
        });
        found.into_iter().collect()
    }

    fn chains(&self, start: usize, class: &str) -> Vec<(Path<'_>, usize)> {
        let mut chains: Vec<(Vec<String>, usize)> = Vec::new();
        let mut open: Vec<(Vec<String>, usize)> =
            self.tested_terms(start).into_iter().map(|(term, end)| (vec![term], end)).collect();
        while let Some((terms, end)) = open.pop() {
            if chains.len() > MOST_TESTS || terms.len() > DEEPEST {
                break;
            }
            // `mailbox.name` is how `properties` names a path.
            if self.kind(end) == Some(&Kind::Possessive) || self.is_sign(end, ".") {
                let inner = |(term, end): (String, usize)| ([vec![term], terms.clone()].concat(), end);
                open.extend(self.tested_terms(end + 1).into_iter().map(inner));
            }
            if self.is_word(end, &["of", "in"]) {
                if self.is_word(end + 1, &["it"]) {
                    chains.push((terms.clone(), end + 2));
                }
                let next = end + 1 + usize::from(self.is_word(end + 1, &["its", "the", "every", "all"]));
                let outer = |(term, end): (String, usize)| ([terms.clone(), vec![term]].concat(), end);
                open.extend(self.tested_terms(next).into_iter().map(outer));
            }
            chains.push((terms, end));
        }
        chains.sort_by_key(|(_, end)| std::cmp::Reverse(*end));
        let resolved = chains.iter().filter_map(|(terms, end)| Some((self.path(terms, class)?, *end)));
        resolved.collect()
    }

    /// The properties that the words at a token may name, and the classes of possible containers: `name of calendar`.
    fn tested_terms(&self, at: usize) -> Vec<(String, usize)> {
        if let Some((term, end)) = self.count(at) {
            return vec![(term, end)];
        }
        let term = |(term, end): (Term, usize)| match term {
            Term::Property(term) | Term::Class(_, term) => (term, end),
        };
        let mut terms: Vec<(String, usize)> = self.terms(at).into_iter().map(term).collect();
        if terms.is_empty() && self.is_word(at, &[CONTAINER]) {
            terms.push((CONTAINER.to_owned(), at + 1));
        }
        if let Some(part) = self.word(at).and_then(|word| Part::parse(&word)) {
            terms.push((part.as_str().to_owned(), at + 1));
        }
        let posix = usize::from(self.is_word(at, &["posix"]));
        if self.is_word(at + posix, &["path"]) && terms.is_empty() {
            terms.push((POSIX_PATH.to_owned(), at + posix + 1));
        }
        // `messages.count`
        if self.is_word(at, &[COUNT]) && at > 0 && self.is_sign(at - 1, ".") {
            terms.push((COUNT.to_owned(), at + 1));
        }
        terms
    }

    /// Reads `count of messages` or `number of every message` as a filter's term: `messages.count`.
    fn count(&self, at: usize) -> Option<(String, usize)> {
        if !self.is_word(at, &COUNTS) || !self.is_word(at + 1, &["of"]) {
            return None;
        }
        let class = at + 2 + usize::from(self.is_word(at + 2, &["the", "every", "each"]));
        let found = self.terms(class).into_iter().find_map(|(term, end)| match term {
            Term::Class(class, _) => Some((self.class_at(class)?, end)),
            Term::Property(_) => None,
        });
        found.map(|(class, end)| (format!("{}.{COUNT}", class.plural), end))
    }

    /// Reads `name of container` as the property `name` of the property `container` of the class. A path may also begin
    /// with the element's container. Whether the listed elements are in such a container is checked later.
    fn path(&self, terms: &[String], class: &str) -> Option<Path<'_>> {
        if let [count, elements] = terms
            && count == COUNT
            && self.dictionary.element(class, elements).is_some()
        {
            return Some(Path { term: format!("{elements}.{COUNT}"), property: part_of_date(Part::Day) });
        }
        let mut owner = class.to_owned();
        let mut path: Vec<&str> = Vec::new();
        let mut last: Option<&Property> = None;
        for term in terms.iter().rev() {
            if let Some(part) = last.filter(|last| holds_dates(last)).and_then(|_| Part::parse(term)) {
                path.push(part.as_str());
                last = Some(part_of_date(part));
                continue;
            }
            if let Some((elements, COUNT)) = term.rsplit_once('.') {
                let is_there = last.is_none() && self.dictionary.element(&owner, elements).is_some();
                path.push(term);
                last = Some(part_of_date(Part::Day)).filter(|_| is_there);
                last?;
                continue;
            }
            // Only later is it known whether an object with a URL also has a POSIX path.
            if term == POSIX_PATH
                && self.property_of(&owner, term).is_none()
                && (last.is_some_and(holds_file) || self.property_of(&owner, "URL").is_some())
            {
                path.push(term);
                last = Some(part_of_date(Part::Date));
                continue;
            }
            if last.is_some_and(|last| self.holds_value(last)) {
                return None;
            }
            let Some(property) = self.property_of(&owner, term) else {
                // Elements make a list: `city of addresses`.
                if let Some((_, elements)) = self.dictionary.element(&owner, term) {
                    owner.clone_from(&elements.name);
                    path.push(&elements.plural);
                    continue;
                }
                owner = self.tested_holder(term).filter(|_| path.is_empty())?;
                path.push(term);
                continue;
            };
            owner = resolve::class_of(self.dictionary, &property.kind).unwrap_or_default().to_owned();
            path.push(&property.name);
            last = Some(property);
        }
        Some(Path { term: path.join("."), property: last? })
    }

    /// The class of a possible container, by its name; empty for the word `container`, which stands for any class.
    fn tested_holder(&self, term: &str) -> Option<String> {
        if term == CONTAINER {
            return Some(String::new());
        }
        let class = self.dictionary.class(term).filter(|class| class.name != APPLICATION)?;
        (!self.dictionary.elements(&class.name).is_empty()).then(|| class.name.clone())
    }

    pub(super) fn holds_value(&self, property: &Property) -> bool {
        resolve::class_of(self.dictionary, &property.kind).is_none() && !resolve::is_open(&property.kind)
    }

    /// The error if no property of the class begins at a token.
    fn untested(&self, start: usize, at: usize, class: &str) -> Fail {
        let Some((_, end)) = self.terms(start).into_iter().next() else {
            let Some(Kind::Word(_) | Kind::Barred(_)) = self.kind(start) else {
                let instead = "begin each comparison with a property: `name is \"a\" or name is \"b\"`";
                let wrong = format!("expected a property of `{class}`, got {}", self.shown(start));
                return Fail::refused(at, start, wrong, instead);
            };
            if let Some(fail) = self.tested_class(start, class) {
                return fail;
            }
            let end = self.behind_words(start);
            return self.no_tested_property(&self.words(start, end), start, class);
        };
        self.tested_elements(start, class)
            .or_else(|| self.tested_element(start))
            .or_else(|| self.tested_class(start, class))
            .unwrap_or_else(|| self.no_tested_property(&self.words(start, end), end, class))
    }

    /// The end of the words before an operator, which name one property: `video kind is …`.
    fn behind_words(&self, start: usize) -> usize {
        let is_name = |at: &usize| {
            let is_word = matches!(self.kind(*at), Some(Kind::Word(_) | Kind::Barred(_)));
            is_word && !self.is_word(*at, &["of", "in", "and", "or"]) && self.comparisons(*at).is_empty()
        };
        let words = (start + 1..self.tokens.len()).take(MOST_WORDS).take_while(is_name).count();
        let end = start + 1 + words;
        // Without an operator behind them, only the first word is known to be meant.
        if self.comparisons(end).is_empty() { start + 1 } else { end }
    }

    /// The error for `class is …` if the dictionary has no such property, although every object has a class.
    fn tested_class(&self, start: usize, class: &str) -> Option<Fail> {
        let instead = "write the class itself, such as `every document file of …`, or read the elements with all properties, which have their `class`";
        let wrong = format!("the class of `{class}` is not a property to test");
        self.is_word(start, &["class"]).then(|| Fail::refused(start, start + 1, wrong, instead))
    }

    /// The error for elements that are compared as if they were a property: `participants contains …`.
    fn tested_elements(&self, start: usize, class: &str) -> Option<Fail> {
        let (plural, end) = self.terms(start).into_iter().find_map(|(term, end)| match term {
            Term::Class(element, _) => Some((&self.class_at(element)?.plural, end)),
            Term::Property(_) => None,
        })?;
        let (_, element) = self.dictionary.element(class, plural)?;
        let (comparison, _) = *self.comparisons(end).first()?;
        let property = self.name_of(&element.name).or_else(|| {
            let own: Vec<_> = self.dictionary.properties(&element.name);
            // What people look for in a phone number or an address is its value, not its label.
            let value = own.iter().find(|own| own.name == "value");
            value.or_else(|| own.iter().find(|own| !own.hidden)).map(|own| own.name.clone())
        })?;
        let wrong = format!("{} are elements, not a property of `{class}`", shown(&self.words(start, end)));
        let operator = match comparison {
            Comparison::By(Operator::Contains) | Comparison::Not(Operator::Contains) => "contains",
            _ => "is",
        };
        let instead = format!("test a property of them, such as `{property} of {plural} {operator} \"…\"`");
        Some(Fail::refused(start, end, wrong, instead))
    }

    /// The error for an element inside a test: `value of text field 1`.
    fn tested_element(&self, start: usize) -> Option<Fail> {
        let mut at = start;
        loop {
            if self.word(at).is_some_and(|word| is_ordinal(&word)) {
                let (class, end) = self.terms(at + 1).into_iter().find_map(|(term, end)| match term {
                    Term::Class(class, _) => Some((self.class_at(class)?, end)),
                    Term::Property(_) => None,
                })?;
                let wrong =
                    format!("{} is an element, which a filter cannot reach", shown(&self.words(at, end)));
                let path = self.words(start, at);
                let instead = format!("test all of them, such as `{path} {} contains \"…\"`", class.plural);
                return Some(Fail::refused(at, end, wrong, instead));
            }
            let (_, end) = self.terms(at).into_iter().next()?;
            if self.is_value(end) {
                let wrong =
                    format!("{} is an element, which a filter cannot reach", shown(&self.words(at, end + 1)));
                let instead = "test a property, or read the elements and choose yourself";
                return Some(Fail::refused(at, end + 1, wrong, instead));
            }
            if !self.is_word(end, &["of", "in"]) {
                return None;
            }
            at = end + 1;
        }
    }

    fn no_tested_property(&self, words: &str, reach: usize, class: &str) -> Fail {
        let near = resolve::near_properties(self.dictionary, class, words);
        let property = crate::foreign::clean(words, 60);
        Fail::unknown(reach, SpecifierError::UnknownProperty { property, owner: class.to_owned(), near })
    }

    /// Reads the operator and the value; a boolean property may be alone.
    fn comparison(&self, path: &Path<'_>, next: usize) -> Reading {
        let compare =
            |operator, value| Filter::Compare(Compare { property: path.term.clone(), operator, value });
        let mut fail: Option<Fail> = None;
        for (comparison, at) in self.comparisons(next) {
            let read = match comparison {
                Comparison::By(operator) => {
                    self.value(at, path.property).map(|(value, end)| (compare(operator, value), end))
                }
                Comparison::Not(operator) => {
                    let value = self.value(at, path.property);
                    value.map(|(value, end)| (Filter::Not(Box::new(compare(operator, value))), end))
                }
                Comparison::In | Comparison::NotIn => self.list(at, path.property).map(|(values, end)| {
                    let each = values.into_iter().map(|value| compare(Operator::Equal, value)).collect();
                    let any = Filter::Or(each);
                    (if comparison == Comparison::In { any } else { Filter::Not(Box::new(any)) }, end)
                }),
            };
            match read.and_then(|(filter, end)| self.unchained(end).map(|()| (filter, end))) {
                Ok(read) => return Ok(read),
                Err(other) => fail = Some(other.or(fail)),
            }
        }
        match fail {
            Some(fail) => Err(fail),
            None if is_boolean(path.property) && !self.is_value(next) => {
                Ok((compare(Operator::Equal, serde_json::Value::Bool(true)), next))
            }
            None => Err(self.unexpected(next, "an operator, such as `is`, `contains` or `>`")),
        }
    }

    /// Whether a text or a number is there, as behind a class: `value of attribute "AXMain"`.
    fn is_value(&self, at: usize) -> bool {
        matches!(self.kind(at), Some(Kind::Number(_) | Kind::Text(_)))
    }

    fn unchained(&self, at: usize) -> Result<(), Fail> {
        if self.comparisons(at).is_empty() {
            return Ok(());
        }
        let instead = "join two comparisons with `and`";
        Err(Fail::refused(at, at, "comparisons do not chain", instead))
    }
}

/// The name for the number of elements in a filter's term, after their plural: `messages.count`.
const COUNT: &str = "count";

/// The POSIX path of a file, which AppleScript derives from a reference to the file.
pub(crate) const POSIX_PATH: &str = "POSIX path";

/// AppleScript's words for a count.
const COUNTS: [&str; 2] = [COUNT, "number"];

fn holds_dates(property: &Property) -> bool {
    let is_date = |kind: &TypeRef| kind.name == "date" && !kind.list;
    let mut kinds = property.kind.0.iter();
    kinds.clone().any(is_date) && kinds.all(|kind| is_date(kind) || kind.name == "missing value")
}

fn holds_file(property: &Property) -> bool {
    property.kind.0.iter().any(|kind| ["file", "alias"].contains(&kind.name.as_str()))
}

/// A part of a date as a property, so that its value is read like any other.
fn part_of_date(part: Part) -> &'static Property {
    static NUMBER: LazyLock<Property> = LazyLock::new(|| date_part(Part::Day, &[]));
    static NAME: LazyLock<Property> = LazyLock::new(|| date_part(Part::Weekday, &[]));
    static MONTH: LazyLock<Property> = LazyLock::new(|| date_part(Part::Month, &["text"]));
    // For a day, a week or a year, the same words are accepted as for dates: `today`, `last week`, `this year`.
    static DAY: LazyLock<Property> = LazyLock::new(|| date_part(Part::Date, &["date"]));
    static YEAR: LazyLock<Property> = LazyLock::new(|| date_part(Part::Year, &["date"]));
    match part {
        Part::Month => &MONTH,
        Part::Weekday => &NAME,
        Part::Date | Part::Week => &DAY,
        Part::Year => &YEAR,
        _ => &NUMBER,
    }
}

/// A part, with other types that its value may have in a test.
fn date_part(part: Part, more: &[&str]) -> Property {
    let mut kind = part.kind();
    kind.0.extend(more.iter().map(|name| TypeRef { name: (*name).to_owned(), ..TypeRef::default() }));
    Property { name: part.as_str().to_owned(), code: PART.to_owned(), kind, ..Property::default() }
}

/// The code of a part of a date. It is longer than a code of a dictionary can be.
pub(super) const PART: &str = "part of a date";

fn is_boolean(property: &Property) -> bool {
    property.kind.0.iter().any(|kind| kind.name == "boolean" && !kind.list)
}
