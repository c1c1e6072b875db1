//! One step: a property, or a class and which of its elements are meant.

use super::apply::{Class as Held, FILES, not_an_object};
use super::chain::{Placed, follows_step};
use super::error::{Fail, shown};
use super::tokens::{Kind, is_of_word};
use super::{Parser, is_application};
use crate::dictionary::{APPLICATION, Class, names};
use crate::specifier::read::has_files;
use crate::specifier::{Id, SpecifierError, quoted, resolve};
use crate::words::RefId;

/// The pick of a step.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Pick {
    /// A property, as it is spelled.
    Property(String),
    /// Elements of a class. The class is given by its index in the dictionary.
    Element(usize, How),
    /// One of a collection, or all of it: `item 2 of (…)`.
    Item(How),
    /// A reference from an earlier answer.
    Reference(RefId),
    /// A file, by its path.
    File(String),
    /// The application, named or not.
    Application,
    /// The contents of parentheses, with their class if a test may apply to them.
    Inner(Option<usize>),
}

/// Which elements are picked.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum How {
    /// All.
    Every,
    /// Those of a range; indexes count from 0, or from the end.
    Range(i32, i32),
    /// The first, or the first match.
    First,
    /// The last, or the last match.
    Last,
    /// Counts from 0, or from the end.
    Index(i32),
    Name(String),
    Id(Id),
    /// Only the class, in the singular.
    Bare,
}

/// The words between the ends of a range.
const RANGES: [&str; 2] = ["thru", "through"];

type Reading = Result<(Vec<Placed>, usize), Fail>;
type Primary = Result<(Pick, usize), Fail>;

/// The largest number of readings of one step.
const MOST_READINGS: usize = 64;

/// The largest number of possessives in a row.
const MOST_POSSESSIVES: usize = 16;

const ORDINALS: [&str; 10] =
    ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"];

/// A term of the dictionary at some token.
pub(super) enum Term {
    Property(String),
    Class(usize, String),
}

impl Parser<'_> {
    /// All readings of the step at a token: its picks, outermost container first, and the next token.
    pub(super) fn steps(&mut self, at: usize, base: usize) -> Result<Vec<Reading>, Fail> {
        self.possessives(at, base, 0)
    }

    fn possessives(&mut self, at: usize, base: usize, depth: usize) -> Result<Vec<Reading>, Fail> {
        let mut readings: Vec<Reading> = Vec::new();
        for primary in self.primaries(at, base)? {
            let (pick, next) = match primary {
                Ok(primary) => primary,
                Err(fail) => {
                    readings.push(Err(fail));
                    continue;
                }
            };
            let first = Placed { pick, at };
            if self.kind(next) != Some(&Kind::Possessive) {
                readings.push(Ok((vec![first], next)));
                continue;
            }
            if depth >= MOST_POSSESSIVES {
                let instead = "write `b of a` instead of `a's b`";
                return Err(Fail::refused(next, next, "too many possessives", instead));
            }
            let behind = match self.possessives(next + 1, base, depth + 1) {
                Ok(behind) => behind,
                Err(fail) => vec![Err(fail)],
            };
            readings.extend(behind.into_iter().map(|reading| {
                reading.map(|(mut picks, next)| {
                    picks.insert(0, first.clone());
                    (picks, next)
                })
            }));
        }
        readings.truncate(MOST_READINGS);
        Ok(readings)
    }

    fn primaries(&mut self, at: usize, base: usize) -> Result<Vec<Primary>, Fail> {
        match self.kind(at) {
            None => Err(self.missing(at)),
            Some(Kind::Sign("(")) => Ok(vec![self.parenthesis(at, base)]),
            Some(Kind::Sign("{")) => {
                let instead = "write the objects alone, and the properties in `properties` of iac_mcp_get_elements or iac_mcp_get_properties";
                Err(Fail::refused(at, at, "a list of properties is not one object", instead))
            }
            Some(Kind::Text(text)) => {
                let instead = format!("write what it is, such as `… {}`", quoted(text));
                Err(Fail::refused(at, at, "a text is not an object", instead))
            }
            Some(Kind::Word(_) | Kind::Barred(_)) => Ok(self.named(at, base)),
            Some(_) => Err(self.unexpected(at, "a property, a class, `every` or `first`")),
        }
    }

    fn missing(&self, at: usize) -> Fail {
        let wrong =
            if self.tokens.is_empty() { "the text is empty" } else { "expected an object, got the end" };
        Fail::refused(at, at, wrong, "name an object, such as `message 3 of inbox`")
    }

    fn named(&mut self, at: usize, base: usize) -> Vec<Primary> {
        let mut found: Vec<Primary> = Vec::new();
        let word = self.word(at).unwrap_or_default();
        if is_application(&word) {
            let named = matches!(self.kind(at + 1), Some(Kind::Text(_)));
            if named || follows_step(self.kind(at + 1)) {
                found.push(Ok((Pick::Application, at + 1 + usize::from(named))));
            }
        }
        if let Some(Kind::Word(word)) = self.kind(at)
            && let Some(id) = RefId::parse(word)
        {
            found.push(Ok((Pick::Reference(id), at + 1)));
        }
        if has_files(self.dictionary)
            && let Some((path, next)) = self.posix_file(at)
        {
            found.push(Ok((Pick::File(path.to_owned()), next)));
        }
        for (term, next) in self.terms(at) {
            match term {
                Term::Property(term) => found.push(Ok((Pick::Property(term), next))),
                Term::Class(class, spelled) => {
                    // `folder POSIX file "/tmp"`
                    let is_file = |class: &Class| FILES.contains(&class.name.as_str());
                    if self.class_at(class).is_some_and(is_file)
                        && has_files(self.dictionary)
                        && let Some((path, next)) = self.posix_file(next)
                    {
                        found.push(Ok((Pick::File(path.to_owned()), next)));
                    }
                    let pick = self.picked(at, class, &spelled, next);
                    found.push(pick.map(|(how, next)| (Pick::Element(class, how), next)));
                    found.extend(self.meant_property(class, next).map(Ok));
                }
            }
        }
        match word.as_str() {
            "the" => {
                let next = (at..).find(|at| !self.is_word(*at, &["the"])).unwrap_or(at + 1);
                found.extend(self.primaries(next, base).unwrap_or_else(|fail| vec![Err(fail)]));
            }
            "every" | "each" => found.extend(self.every(at, base)),
            _ => found.extend(self.ordinal(at, &word, base)),
        }
        found.extend(self.item_of(at, &word).map(Ok));
        found
    }

    /// `POSIX file "/tmp"`, perhaps with `as alias` behind it.
    pub(super) fn posix_file(&self, at: usize) -> Option<(&str, usize)> {
        let posix = usize::from(self.is_word(at, &["posix"]) && self.is_word(at + 1, &["file"]));
        let Some(Kind::Text(path)) = self.kind(at + posix + 1) else { return None };
        let is_path = path.starts_with('/') || path.starts_with("~/");
        let is_file = posix == 1 || self.is_word(at, &["alias"]);
        let end = at + posix + 2;
        let is_coerced = self.is_word(end, &["as"]) && self.is_word(end + 1, &["alias", "file"]);
        (is_file && is_path).then_some((path, end + 2 * usize::from(is_coerced)))
    }

    /// `item 2`, `first item`, `items`, in apps without such a class, and of any collection. Read after the app's own
    /// terms.
    fn item_of(&self, at: usize, word: &str) -> Option<(Pick, usize)> {
        let is_term = self.class("item").is_some();
        let is_named = |at: usize| self.is_word(at, &["item", "items"]);
        let (how, end) = match word {
            "item" => self.selected(at + 1).ok()??,
            "items" => self.selected(at + 1).ok()?.unwrap_or((How::Every, at + 1)),
            "every" | "each" => (How::Every, at + 2),
            _ => match (how(word)?.ok()?, self.integer(at + 1)) {
                (from @ (How::First | How::Last), Some((count, end))) if is_named(end) => {
                    (first_of(&count, from == How::First)?, end + 1)
                }
                (how, _) => (how, at + 2),
            },
        };
        let has_item = is_named(at) || is_named(end - 1);
        let is_many = matches!(how, How::Every | How::Range(..));
        let is_one = matches!(how, How::First | How::Last | How::Index(_));
        let is_inside = self.is_sign(end + 1, "(");
        let is_meant = has_item && (is_one || is_many) && (is_inside || !(is_term || is_many));
        (is_meant && self.is_word(end, &["of", "in"])).then_some((Pick::Item(how), end))
    }

    /// The terms of the dictionary that begin at a token, longest first, and the next tokens.
    pub(super) fn terms(&self, at: usize) -> Vec<(Term, usize)> {
        let mut found = Vec::new();
        let longest = self.dictionary.longest_term();
        let is_inner = |kind: &Kind| matches!(kind, Kind::Sign("-" | "." | "&" | "/") | Kind::Number(_));
        let is_word = |kind: &Kind| matches!(kind, Kind::Word(_) | Kind::Barred(_));
        let length = self.tokens.iter().skip(at).take(longest);
        let length = length.take_while(|token| is_word(&token.kind) || is_inner(&token.kind)).count();
        for end in (at + 1..=at + length).rev() {
            let ends_in_word = |kind: &Kind| is_word(kind) || matches!(kind, Kind::Number(_));
            if !self.kind(at).is_some_and(is_word) || !self.kind(end - 1).is_some_and(ends_in_word) {
                continue;
            }
            let spelled = self.words(at, end).replace('|', "");
            if !spelled.contains(is_of_word) {
                continue;
            }
            if self.dictionary.has_property(&spelled) {
                found.push((Term::Property(spelled.clone()), end));
            }
            if let Some(class) = self.class(&spelled) {
                found.push((Term::Class(class, spelled), end));
            }
        }
        found
    }

    fn class(&self, spelled: &str) -> Option<usize> {
        let class = self.dictionary.class(spelled)?;
        self.dictionary.classes.get_index_of(&class.name)
    }

    pub(super) fn class_at(&self, class: usize) -> Option<&Class> {
        self.dictionary.classes.get_index(class).map(|(_, class)| class)
    }

    /// The selection among the elements of a class; `next` is the token after the class.
    fn picked(&self, at: usize, class: usize, spelled: &str, next: usize) -> Result<(How, usize), Fail> {
        if let Some(selected) = self.selected(next)? {
            return match self.ends_of_others(class, next) {
                Some(others) => Err(range_of_others(&self.words(at, next), others, next, selected.1)),
                None => Ok(selected),
            };
        }
        if self.is_sign(next, "(") {
            return Err(self.selected_inside(class, next));
        }
        if self.is_relative(next) {
            let wrong = format!("{} counts from another object", self.shown(next));
            return Err(Fail::refused(
                next,
                next + 1,
                wrong,
                "use an index, such as `paragraph 2 of document 1`",
            ));
        }
        if !follows_step(self.kind(next)) {
            return Err(self.unquoted(at, class, next));
        }
        let is_plural = self.class_at(class).is_some_and(|class| is_plural(class, spelled));
        Ok((if is_plural { How::Every } else { How::Bare }, next))
    }

    /// The error for a class with unquoted words after it.
    fn unquoted(&self, at: usize, class: usize, next: usize) -> Fail {
        let class = self.class_at(class);
        let name = class.map_or("", |class| class.name.as_str());
        if self.is_word(next, &["id", "named", "index"]) {
            let wrong = format!("expected a number or a text in quotes, got {}", self.shown(next + 1));
            let instead = format!("write the value out, such as `{name} id 12` or `{name} id \"…\"`");
            return Fail::refused(next + 1, next + 2, wrong, instead);
        }
        let Some((_, end)) = self.terms(next).into_iter().next() else {
            let wrong = format!("expected a name in quotes behind `{name}`, got {}", self.shown(next));
            let instead = format!("put the name in quotes: `{name} \"…\"`");
            return Fail::refused(next, next + 1, wrong, instead);
        };
        let words = self.words(at, end);
        let near = resolve::near_properties(self.dictionary, name, &words);
        Fail::unknown(end, SpecifierError::UnknownProperty { property: words, owner: name.to_owned(), near })
    }

    /// Mail's `mailbox inbox`: a property of the application that holds an object of the class.
    fn meant_property(&self, class: usize, next: usize) -> Option<(Pick, usize)> {
        let wanted = self.class_at(class)?;
        self.terms(next).into_iter().find_map(|(term, end)| {
            let Term::Property(term) = term else { return None };
            let property = self.dictionary.property(APPLICATION, &term)?;
            let held = resolve::class_of(self.dictionary, &property.kind)?;
            self.dictionary.is_a(held, &wanted.name).then_some((Pick::Property(term), end))
        })
    }

    fn is_relative(&self, at: usize) -> bool {
        let two = |first: &str, second: &[&str]| {
            self.is_word(at, &[first])
                && self.is_word(at + 1, second)
                && self.is_word(at + 2, &["of"])
                && self.terms(at + 1).is_empty()
        };
        self.is_word(at, &["before", "after", "behind"]) || two("in", &["front", "back"])
    }

    /// The selector after a class: an index, a name, an id, a range; `None` if there is none.
    fn selected(&self, at: usize) -> Result<Option<(How, usize)>, Fail> {
        // `folder ("Documents")`
        if self.is_sign(at, "(")
            && matches!(self.kind(at + 1), Some(Kind::Text(_) | Kind::Number(_)))
            && self.is_sign(at + 2, ")")
            && !self.is_word(at + 3, &RANGES)
        {
            let selected = self.selected(at + 1)?;
            return Ok(selected.map(|(how, end)| (how, end + 1)));
        }
        if let Some(range) = self.range(at)? {
            return Ok(Some(range));
        }
        if let Some(fail) = self.range_of_elements(at) {
            return Err(fail);
        }
        let has_word = self.is_word(at, &["index", "named"]);
        let value = at + usize::from(has_word);
        if let Some((index, end)) = self.integer(value).filter(|_| !self.is_word(at, &["named"])) {
            return index_of(&index, value).map(|index| Some((How::Index(index), end)));
        }
        if let Some(Kind::Text(name)) = self.kind(value).filter(|_| !self.is_word(at, &["index"])) {
            return Ok(Some((How::Name(name.clone()), value + 1)));
        }
        if !self.is_word(at, &["id"]) {
            return Ok(None);
        }
        if let Some(Kind::Text(id)) = self.kind(at + 1) {
            return Ok(Some((How::Id(Id::Text(id.clone())), at + 2)));
        }
        let Some((id, end)) = self.integer(at + 1) else { return Ok(None) };
        let wrong =
            || Fail::refused(at + 1, at + 2, "the id is too large for a number", "put the id in quotes");
        id.parse().map(|id| Some((How::Id(Id::Number(id)), end))).map_err(|_| wrong())
    }

    /// The error for `words (word 3) thru (word 5)` and `items "a" thru "b"`.
    fn range_of_elements(&self, at: usize) -> Option<Fail> {
        let end = match self.kind(at)? {
            Kind::Sign("(") => self.closing(at)? + 1,
            Kind::Text(_) => at + 1,
            Kind::Word(_) if self.is_word(at, &["from"]) => {
                let thru =
                    (at..self.tokens.len()).find(|at| self.is_word(*at, &["to", "thru", "through"]))?;
                let of = (at..self.tokens.len()).find(|at| self.is_word(*at, &["of", "in"]));
                return of.is_none_or(|of| thru < of).then(|| without_numbers(at, thru));
            }
            _ => return None,
        };
        self.is_word(end, &RANGES).then(|| without_numbers(at, end))
    }

    /// The plural of another class that a range counts by: `text from word 5 to word 25`.
    fn ends_of_others(&self, class: usize, at: usize) -> Option<&str> {
        let ends = self.terms(at + 1).into_iter().filter(|_| self.is_word(at, &["from"]));
        let mut classes = ends.filter_map(|(term, _)| match term {
            Term::Class(other, _) => Some(other),
            Term::Property(_) => None,
        });
        let other = classes.next().filter(|other| *other != class)?;
        self.class_at(other).map(|other| other.plural.as_str())
    }

    /// The error for a class with something in parentheses that selects no element.
    fn selected_inside(&self, class: usize, at: usize) -> Fail {
        let name = self.class_at(class).map_or("", |class| class.name.as_str());
        self.phrase(at + 1).unwrap_or_else(|| {
            let wrong = format!("{} behind `{name}` in parentheses selects none", self.shown(at + 1));
            let instead = format!("write the place, the name or the id out: `{name} 2`, `{name} \"…\"`");
            Fail::refused(at, at + 1, wrong, instead)
        })
    }

    /// `1 thru 10`, `from 1 to 10`, `from message 1 to message 5`
    fn range(&self, at: usize) -> Result<Option<(How, usize)>, Fail> {
        let is_from = self.is_word(at, &["from"]);
        let between: &[&str] = if is_from { &["to", "thru", "through"] } else { &["thru", "through"] };
        let Some((from, next)) = self.bound(at + usize::from(is_from), is_from)? else { return Ok(None) };
        if !self.is_word(next, between) {
            return if is_from { Err(self.unexpected(next, "`to`")) } else { Ok(None) };
        }
        let Some((to, end)) = self.bound(next + 1, true)? else {
            return Err(self.unexpected(next + 1, "the last index of the range"));
        };
        if to < from && (from < 0) == (to < 0) {
            // In the text, indexes count from 1, and from -1 at the end.
            let [from, to] = [from, to].map(|place| place + i32::from(place >= 0));
            let wrong = format!("the range {from} thru {to} ends before it begins");
            return Err(Fail::refused(at, end, wrong, format!("write {to} thru {from}")));
        }
        Ok(Some((How::Range(from, to), end)))
    }

    fn bound(&self, at: usize, with_words: bool) -> Result<Option<(i32, usize)>, Fail> {
        match self.word(at).filter(|_| with_words).as_deref() {
            Some("beginning") => return Ok(Some((0, at + 1))),
            Some("end") => return Ok(Some((-1, at + 1))),
            _ => {}
        }
        let term = self.terms(at).into_iter().filter(|_| with_words);
        let ends = [at].into_iter().chain(term.map(|(_, end)| end));
        let found = ends.filter_map(|at| self.integer(at).map(|(index, end)| (index, at, end))).next();
        let Some((index, at, end)) = found else { return Ok(None) };
        // A number outside a range may be an id, or may be too large. The caller decides.
        match index_of(&index, at) {
            Ok(index) => Ok(Some((index, end))),
            Err(fail) => {
                if with_words {
                    Err(fail)
                } else {
                    Ok(None)
                }
            }
        }
    }

    /// The digits of an integer, with its sign.
    fn integer(&self, at: usize) -> Option<(String, usize)> {
        let is_negative = self.is_sign(at, "-");
        let digits = at + usize::from(is_negative);
        match self.kind(digits)? {
            Kind::Number(number) if number.bytes().all(|byte| byte.is_ascii_digit()) => {
                let sign = if is_negative { "-" } else { "" };
                Some((format!("{sign}{number}"), digits + 1))
            }
            _ => None,
        }
    }

    fn every(&mut self, at: usize, base: usize) -> Vec<Primary> {
        let class = at + 1 + usize::from(self.is_word(at + 1, &["the"]));
        let mut found: Vec<Primary> = Vec::new();
        for (term, next) in self.terms(class) {
            let Term::Class(class, _) = term else { continue };
            let range = match self.range(next) {
                Ok(range) => range.unwrap_or((How::Every, next)),
                Err(fail) => {
                    found.push(Err(fail));
                    continue;
                }
            };
            found.push(Ok((Pick::Element(class, range.0), range.1)));
        }
        if found.is_empty() {
            found.push(Err(self.unknown(class, base, true)));
        }
        found
    }

    fn ordinal(&mut self, at: usize, word: &str, base: usize) -> Vec<Primary> {
        let Some(how) = how(word) else { return Vec::new() };
        if let Ok(from @ (How::First | How::Last)) = &how
            && let Some(found) = self.first_ones(at + 1, from == &How::First)
        {
            return found;
        }
        let Ok(how) = how else {
            let wrong = format!("{} counts from 1", self.shown(at));
            return vec![Err(Fail::refused(at, at + 1, wrong, "write `first` or `1st` for the first one"))];
        };
        let class = at + 1 + usize::from(self.is_word(at + 1, &["the"]));
        let classes: Vec<Primary> = self
            .terms(class)
            .into_iter()
            .filter_map(|(term, next)| match term {
                Term::Class(class, _) => Some(Ok((Pick::Element(class, how.clone()), next))),
                Term::Property(_) => None,
            })
            .collect();
        if classes.is_empty() { vec![Err(self.unknown(class, base, true))] } else { classes }
    }

    /// `first 3 messages`, `last 5 notes`, with the number at a token.
    fn first_ones(&self, at: usize, from_start: bool) -> Option<Vec<Primary>> {
        let (count, class) = self.integer(at)?;
        let range = first_of(&count, from_start)?;
        let classes = self.terms(class).into_iter().filter_map(|(term, next)| match term {
            Term::Class(class, _) => Some(Ok((Pick::Element(class, range.clone()), next))),
            Term::Property(_) => None,
        });
        Some(classes.collect()).filter(|found: &Vec<Primary>| !found.is_empty())
    }

    /// The error for words that are not a term of the dictionary. Suggestions come from the container, if it can be
    /// read.
    pub(super) fn unknown(&mut self, at: usize, base: usize, is_class: bool) -> Fail {
        let is_name = match self.kind(at) {
            Some(Kind::Word(word)) => !is_keyword(word),
            kind => matches!(kind, Some(Kind::Barred(_))),
        };
        if !is_name {
            return self.unexpected(at, if is_class { "the name of a class" } else { "an object" });
        }
        let range = || self.range_of_elements(at + 1);
        if let Some(refused) = self.phrase(at).or_else(|| self.path_of_file(at)).or_else(range) {
            return refused;
        }
        let mut end = at + 1;
        while matches!(self.kind(end), Some(Kind::Word(word)) if !is_keyword(word)) {
            end += 1;
        }
        let words = self.words(at, end);
        if !is_class && !self.dictionary.commands_named(&words).is_empty() {
            let wrong = format!("{} is a command of the app", shown(&words));
            let instead =
                "run it with iac_mcp_read_command or iac_mcp_run_command, and name here only its target";
            return Fail::refused(at, end, wrong, instead);
        }
        let is_selected =
            matches!(self.kind(end), Some(Kind::Number(_) | Kind::Text(_))) || self.is_word(end, &["id"]);
        let inside = (end..self.tokens.len()).take_while(|at| !self.is_sign(*at, ")"));
        let container = inside.into_iter().find(|at| self.is_word(*at, &["of", "in"]));
        let container = match container.map(|of| self.chain(of + 1, &[], base)) {
            // What is known about the container says more than that the word is unknown.
            Some(Err(fail)) if fail.is_refusal() => return fail,
            container => container.and_then(Result::ok),
        };
        let reach = container.as_ref().map_or(at, |chain| chain.end);
        let owner = container.map_or_else(|| self.bases[base].class.clone(), |chain| chain.object.class);
        if let Held::Value(property, of, kind) = &owner {
            return Fail::unknown(reach, not_an_object(property, of, kind));
        }
        let holder = crate::foreign::clean(&self.words(end + 1, reach), 60);
        let error = self.no_term(&words, owner.name(), is_class || is_selected);
        Fail::unknown(reach, error.held_by(&holder))
    }

    /// The error for `alias "…"` in an app without such a class, inside a longer text.
    fn path_of_file(&self, at: usize) -> Option<Fail> {
        let posix = usize::from(self.is_word(at, &["posix"]));
        let name = at + posix;
        let Some(Kind::Text(path)) = self.kind(name + 1).filter(|_| self.is_word(name, &["alias", "file"]))
        else {
            return None;
        };
        let (wrong, instead) = match path.contains(':') && !path.starts_with('/') {
            true => (
                format!("{} is a path with colons", shown(path)),
                "write the path with slashes and without quotes, such as `files of /Users/…`",
            ),
            false => (
                format!("{} is a path, not an object of the app", shown(path)),
                match has_files(self.dictionary) {
                    true => "write `POSIX file \"/Users/…\"`",
                    false => "name an object of the app; a path alone is a file only as an argument",
                },
            ),
        };
        Some(Fail::refused(at, name + 2, wrong, instead))
    }

    fn no_term(&self, words: &str, owner: &str, is_class: bool) -> SpecifierError {
        let near = resolve::near_properties(self.dictionary, owner, words);
        if is_class || near.is_empty() {
            let error = resolve::unknown_element(self.dictionary, owner, words);
            let SpecifierError::UnknownElement { element, owner, near: elements } = error else {
                return error;
            };
            let all =
                || names::near(words, self.dictionary.classes.keys().map(String::as_str), resolve::NEAR);
            let is_near = !names::near(words, elements.iter().map(String::as_str), 1).is_empty();
            let near = if is_near { elements } else { [all(), elements].concat() };
            let mut told = Vec::new();
            for name in near {
                if !told.contains(&name) && told.len() < resolve::NEAR {
                    told.push(name);
                }
            }
            return SpecifierError::UnknownElement {
                element: crate::foreign::clean(&element, 60),
                owner,
                near: told,
            };
        }
        let property = crate::foreign::clean(words, 60);
        SpecifierError::UnknownProperty { property, owner: owner.to_owned(), near }
    }
}

/// `first`, `last`, `3rd`; an error for the zeroth.
fn how(word: &str) -> Option<Result<How, ()>> {
    match word {
        "first" | "front" => return Some(Ok(How::First)),
        "last" | "back" => return Some(Ok(How::Last)),
        _ => {}
    }
    if let Some(index) = ORDINALS.iter().position(|ordinal| *ordinal == word) {
        return i32::try_from(index).ok().map(|index| Ok(How::Index(index)));
    }
    let digits = ["st", "nd", "rd", "th"].into_iter().find_map(|suffix| word.strip_suffix(suffix))?;
    match digits.parse::<i32>().ok().filter(|_| digits.bytes().all(|byte| byte.is_ascii_digit()))? {
        0 => Some(Err(())),
        1 => Some(Ok(How::First)),
        number => Some(Ok(How::Index(number - 1))),
    }
}

/// The range of the first or the last ones.
fn first_of(count: &str, from_start: bool) -> Option<How> {
    let count = count.parse::<i32>().ok().filter(|count| *count > 0)?;
    Some(if from_start { How::Range(0, count - 1) } else { How::Range(-count, -1) })
}

/// Whether a word picks one element by its place: `first`, `last`, `3rd`.
pub(super) fn is_ordinal(word: &str) -> bool {
    matches!(how(word), Some(Ok(_)))
}

fn index_of(digits: &str, at: usize) -> Result<i32, Fail> {
    match digits.parse::<i32>() {
        Ok(0) => {
            let instead = "write 1 for the first one, -1 for the last one";
            Err(Fail::refused(at, at + 1, "AppleScript counts from 1", instead))
        }
        Ok(index) => Ok(if index > 0 { index - 1 } else { index }),
        Err(_) => {
            let wrong = format!("{} is too large for an index", shown(digits));
            Err(Fail::refused(at, at + 1, wrong, "write `id` before an id"))
        }
    }
}

fn range_of_others(words: &str, others: &str, at: usize, reach: usize) -> Fail {
    let wrong = format!("a range of {} cannot be counted by {others}", shown(words));
    Fail::refused(at, reach, wrong, format!("write `{others} 5 thru 25 of …`"))
}

fn without_numbers(at: usize, reach: usize) -> Fail {
    Fail::refused(
        at,
        reach,
        "a range has numbers at both ends",
        "write for example `words 3 thru 5 of document 1`",
    )
}

/// The plural of a class, or a name that is its own plural.
fn is_plural(class: &Class, spelled: &str) -> bool {
    let spelled = names::key(spelled);
    let plural = class.synonyms.iter().any(|synonym| names::key(synonym) + "s" == spelled);
    names::key(&class.plural) == spelled || plural
}

fn is_keyword(word: &str) -> bool {
    let keywords =
        ["of", "in", "whose", "where", "that", "as", "and", "or", "thru", "through", "id", "is", "from"];
    keywords.iter().any(|each| word.eq_ignore_ascii_case(each))
}
