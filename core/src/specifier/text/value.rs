//! The value that a property is compared with.

use serde_json::{Number, Value as Json, json};

use super::Parser;
use super::error::{Fail, shown};
use super::step::Term;
use super::test::PART;
use super::tokens::Kind;
use crate::dictionary::{Enumeration, Property};
use crate::moment::{self, Moment, Part};
use crate::numbered;

type Reading = Result<(Json, usize), Fail>;

/// The largest number of values in a list.
const MOST_VALUES: usize = 64;

/// The largest number of enumeration names in an error.
const MOST_NAMES: usize = 12;

/// The most parentheses around one value.
const MOST_PARENTHESES: usize = 14;

/// How many words an error shows if they are not a moment.
const MOST_OF_MOMENT: usize = 3;

impl Parser<'_> {
    /// Reads a value; returns the next token.
    pub(super) fn value(&self, at: usize, property: &Property) -> Reading {
        self.value_in(at, property, 0)
    }

    fn value_in(&self, at: usize, property: &Property, depth: usize) -> Reading {
        if let Some(found) = self.enumerator(at, property) {
            return Ok(found);
        }
        if let Some(found) = self.date(at, property)? {
            return Ok(found);
        }
        if let Some(found) = self.computed(at) {
            return Ok(found);
        }
        match self.kind(at) {
            Some(Kind::Text(text)) => Ok((coerced(text, property), at + 1)),
            Some(Kind::Number(number)) => {
                self.number(at, number, false, property).map(|value| (value, at + 1))
            }
            Some(Kind::Sign("-")) => match self.kind(at + 1) {
                Some(Kind::Number(number)) => {
                    self.number(at, number, true, property).map(|value| (value, at + 2))
                }
                _ => Err(self.unexpected(at + 1, "a number")),
            },
            Some(Kind::Sign("(")) if depth < MOST_PARENTHESES => {
                let inner = self.value_in(at + 1, property, depth + 1);
                match inner {
                    Ok((value, end)) if self.is_sign(end, ")") => Ok((value, end + 1)),
                    _ => Err(self.no_value_inside(at)),
                }
            }
            Some(Kind::Sign("{")) => {
                let instead = "compare with one value at a time, or write `is in {…}`";
                Err(Fail::refused(at, at, "a list is not compared as a whole", instead))
            }
            Some(Kind::Word(_) | Kind::Barred(_)) => self.constant(at, property),
            Some(Kind::Sign(_) | Kind::Possessive) => Err(self.unexpected(at, "a value")),
            None => Err(Fail::refused(at, at, "a value is missing at the end", "write the value out")),
        }
    }

    /// Reads what follows `is in`: a list, or a span of time such as `last month`.
    pub(super) fn list(&self, at: usize, property: &Property) -> Result<(Vec<Json>, usize), Fail> {
        let close = [("{", "}"), ("(", ")")].into_iter().find(|(open, _)| self.is_sign(at, open));
        let Some((_, close)) = close else {
            let span = self.value(at, property).ok().filter(|(value, _)| {
                holds(property, "date") && value.as_str().is_some_and(|text| moment::span(text).is_some())
            });
            if let Some((value, end)) = span {
                return Ok((vec![value], end));
            }
            let wrong = format!("expected a list, got {}", self.shown(at));
            let month = self.word(at).filter(|word| Part::Month.meant(&json!(word)).is_some());
            let instead = match (holds(property, "date"), month) {
                (true, Some(month)) => format!("write `month of {} is {month}`", property.name),
                (true, None) => {
                    "write the beginning and the end, such as `≥ today - 7 days and … < now`, or a span such as `last month`"
                        .to_owned()
                }
                _ => "write the values in braces, such as `is in {1, 2}`".to_owned(),
            };
            return Err(Fail::refused(at, at, wrong, instead));
        };
        let (mut values, mut next) = (Vec::new(), at + 1);
        loop {
            let (value, end) = self.value(next, property)?;
            values.push(value);
            if self.is_sign(end, close) {
                return Ok((values, end + 1));
            }
            if !self.is_sign(end, ",") || values.len() == MOST_VALUES {
                return Err(self.unexpected(end, &format!("`,` or `{close}`")));
            }
            next = end + 1;
        }
    }

    fn constant(&self, at: usize, property: &Property) -> Reading {
        let constants: [(&[&str], Json); 5] = [
            (&["true"], json!(true)),
            (&["false"], json!(false)),
            (&["missing", "value"], Json::Null),
            (&["null"], Json::Null),
            (&["missing"], Json::Null),
        ];
        let constants = constants.into_iter().chain(
            [(&["yes"][..], json!(true)), (&["no"][..], json!(false))]
                .into_iter()
                .filter(|_| holds(property, "boolean")),
        );
        let stands = |words: &[&str]| words.iter().enumerate().all(|(n, word)| self.is_word(at + n, &[word]));
        if let Some((words, value)) = constants.into_iter().find(|(words, _)| stands(words)) {
            return Ok((value, at + words.len()));
        }
        // `month of birth date is December`
        if property.code == PART
            && let Some(word) = self.word(at)
        {
            return Ok((json!(word), at + 1));
        }
        // `flag index is purple`
        if let Some(word) = self.word(at).filter(|word| numbered::is_number(&property.name, word)) {
            return Ok((json!(word), at + 1));
        }
        // A class is tried before a file, because Music's class `file track` begins with AppleScript's word `file`.
        if let Some(found) = self.class_value(at, property) {
            return Ok(found);
        }
        if let Some(found) = self.file_value(at)? {
            return Ok(found);
        }
        if let Some(fail) = self.other_property(at) {
            return Err(fail);
        }
        let choices = self.enumerations(property);
        let named: Vec<&str> =
            choices.iter().flat_map(|each| &each.enumerators).map(|each| each.name.as_str()).collect();
        if !named.is_empty() {
            let told = named.iter().take(MOST_NAMES).copied().collect::<Vec<_>>().join(", ");
            let wrong = format!("`{}` has no value {}", property.name, self.shown(at));
            return Err(Fail::refused(at, at, wrong, format!("write one of {told}")));
        }
        let is_object = !self.terms(at).is_empty();
        let (wrong, instead) = if holds(property, "date") {
            let said = self.words(at, (at + MOST_OF_MOMENT).min(self.tokens.len()));
            let instead = Moment::instead(&said).map(str::to_owned);
            let grammar = || format!("write date \"2026-01-27\", or {}", moment::GRAMMAR);
            (format!("{} is not a date", self.shown(at)), instead.unwrap_or_else(grammar))
        } else if is_object {
            let instead = "compare a property of it with a text or a number, such as `name of … is \"…\"`";
            (format!("{} is not a value", self.shown(at)), instead.to_owned())
        } else {
            let instead = "write the value out: a text in quotes, a number, true, false or missing value";
            (format!("{} has no value here", self.shown(at)), instead.to_owned())
        };
        Err(Fail::refused(at, at, wrong, instead))
    }

    /// The error for a comparison of two properties: `modification date > creation date`.
    fn other_property(&self, at: usize) -> Option<Fail> {
        let start = at + usize::from(self.is_word(at, &["its", "the"]));
        let end = self.terms(start).into_iter().find_map(|(term, end)| match term {
            Term::Property(term) => self.holds_value(self.property_of("", &term)?).then_some(end),
            Term::Class(..) => None,
        })?;
        let wrong = format!(
            "{} is a property, and a filter compares a property only with a value",
            shown(&self.words(at, end))
        );
        let instead = "write the value out, a text in quotes; to compare two properties, list both in `properties` and compare them yourself";
        Some(Fail::refused(at, end, wrong, instead))
    }

    fn enumerations(&self, property: &Property) -> Vec<&Enumeration> {
        let kinds = property.kind.0.iter();
        kinds.filter_map(|kind| self.dictionary.enumerations.get(&kind.name)).collect()
    }

    /// A value of an enumeration, by name or synonym, the longest that fits.
    fn enumerator(&self, at: usize, property: &Property) -> Option<(Json, usize)> {
        if !matches!(self.kind(at), Some(Kind::Word(_) | Kind::Barred(_))) {
            return None;
        }
        let all = self.enumerations(property);
        let names = all.iter().flat_map(|each| &each.enumerators).map(|each| each.name.len());
        let longest = names.max()?.min(self.tokens.len() - at);
        (at + 1..=at + longest).rev().find_map(|end| {
            let words = self.words(at, end);
            let is_whole = !matches!(self.kind(end - 1), Some(Kind::Text(_) | Kind::Sign(_)));
            let found = all.iter().find_map(|each| each.meant(&words));
            found.filter(|_| is_whole).map(|each| (json!(each.name), end))
        })
    }

    /// `date "2026-01-27"`, `2026-01-27`, or a moment; `None` if the property is not a date and the text is not one.
    fn date(&self, at: usize, property: &Property) -> Result<Option<(Json, usize)>, Fail> {
        let literal = match self.kind(at + 1) {
            Some(Kind::Text(text)) if self.is_word(at, &["date"]) => Some(text),
            _ => None,
        };
        let is_other = |text: &&String| !Moment::is_date(text) && Moment::parse(text).is_none();
        if let Some(text) = literal.filter(is_other) {
            let wrong = format!("{} is not a date that every Mac reads alike", shown(text));
            let instead = "write date \"2026-01-27\" or date \"2026-01-27T09:30:00\"";
            return Err(Fail::refused(at + 1, at + 2, wrong, instead));
        }
        let is_text = matches!(self.kind(at), Some(Kind::Text(_)));
        if literal.is_none() && (is_text || !holds(property, "date")) {
            return Ok(None);
        }
        if let Some((moment, end)) = self.moment(at)? {
            if self.is_sign(end, "-") || self.is_sign(end, "+") {
                let wrong = "this is not a valid time, or it is more than 10,000 years from now";
                return Err(Fail::refused(end, end + 2, wrong, "write a time such as `now - 14 days`"));
            }
            return Ok(Some((json!(moment), end)));
        }
        if let Some(text) = literal {
            return Ok(Some((json!(text), at + 2)));
        }
        let start = self.offset(at);
        let text = &self.text[start..];
        let Some(value) = bare_date(text).or_else(|| bare_week(text)) else {
            let Some(wrong) = like_a_date(text) else { return Ok(None) };
            let end = self.token_behind(start + wrong.len());
            let wrong = format!("{} is not a day of the calendar", shown(wrong));
            return Err(Fail::refused(
                at,
                end,
                wrong,
                "write a day such as 2026-01-27, or a day and a time such as 2026-01-27 15:00",
            ));
        };
        Ok(Some((json!(value), self.behind_date(start + value.len())?)))
    }

    fn file_value(&self, at: usize) -> Result<Option<(Json, usize)>, Fail> {
        let posix = self.is_word(at, &["posix"]) && self.is_word(at + 1, &["file"]);
        let value = at + if posix { 2 } else { 1 };
        if !posix && !self.is_word(at, &["file", "alias"]) {
            return Ok(None);
        }
        match self.kind(value) {
            Some(Kind::Text(path)) if path.starts_with('/') || path.starts_with("~/") => {
                Ok(Some((json!(path), value + 1)))
            }
            _ => Err(Fail::refused(at, value, "expected a path with slashes", "write `POSIX file \"/…\"`")),
        }
    }

    /// The name of a class, if the property holds one.
    fn class_value(&self, at: usize, property: &Property) -> Option<(Json, usize)> {
        if !holds(property, "type") && !holds(property, "type class") && property.name != "class" {
            return None;
        }
        self.terms(at).into_iter().find_map(|(term, end)| match term {
            Term::Class(class, _) => self.class_at(class).map(|class| (json!(class.name), end)),
            Term::Property(_) => None,
        })
    }

    /// A number, or a text if the property holds texts and no numbers.
    fn number(&self, at: usize, digits: &str, is_negative: bool, property: &Property) -> Result<Json, Fail> {
        let written = if is_negative { format!("-{digits}") } else { digits.to_owned() };
        let is_text = holds(property, "text")
            && !["integer", "real", "number", "any"].iter().any(|kind| holds(property, kind));
        if is_text {
            return Ok(json!(written));
        }
        if let Ok(integer) = written.parse::<i64>() {
            return Ok(json!(integer));
        }
        let real = written.parse::<f64>().ok().and_then(Number::from_f64);
        real.map(Json::Number)
            .ok_or_else(|| Fail::refused(at, at, "the number is too large", "write a smaller one"))
    }
}

/// A text, or the integer in the text if the property holds integers and no texts.
fn coerced(text: &str, property: &Property) -> Json {
    let is_integer = holds(property, "integer") && !holds(property, "text");
    let integer = text.parse::<i64>().ok().filter(|_| is_integer);
    integer.map_or_else(|| json!(text), |integer| json!(integer))
}

/// A date as programs write it, at the beginning of a text and without quotes.
fn bare_date(text: &str) -> Option<&str> {
    let is_of_date = |c: char| c.is_ascii_digit() || "-:.+TZ".contains(c);
    let to = |from: usize| text[from..].find(|c: char| !is_of_date(c)).map_or(text.len(), |end| from + end);
    let day = to(0);
    // A blank may stand between the day and the time.
    let whole = if text[day..].starts_with(' ') { &text[..to(day + 1)] } else { &text[..day] };
    [whole, &text[..day]].into_iter().find(|date| Moment::is_date(date))
}

/// A text such as `2026-02-30` or `2026-11`, which is no day.
fn like_a_date(text: &str) -> Option<&str> {
    let text = &text[..text.find(|c: char| !c.is_ascii_digit() && c != '-').unwrap_or(text.len())];
    let (year, rest) = text.split_once('-')?;
    (year.len() == 4 && !rest.is_empty()).then_some(text)
}

/// A week as programs write it: `2026-W48`.
fn bare_week(text: &str) -> Option<&str> {
    let week = &text[..text.find(|c: char| !c.is_ascii_alphanumeric() && c != '-').unwrap_or(text.len())];
    Part::Week.meant(&json!(week)).map(|_| week)
}

fn holds(property: &Property, kind: &str) -> bool {
    property.kind.0.iter().any(|each| each.name == kind)
}
