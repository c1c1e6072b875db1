//! The elements of texts: paragraphs, words, characters.

use super::{Found, View, ordinal, place};
use crate::os_error::{Answer, NO_SUCH_OBJECT, refuse};
use crate::schema::{Kind, PropertyInfo};
use crate::value::specifier::{Specifier, Step};
use crate::value::{APP, ObjectId, Value};
use std::ops::Range;
use std::rc::Rc;

/// A part of a text that is the value of an object's property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) object: ObjectId,
    pub(crate) term: Rc<str>,
    whole: Rc<str>,
    /// The byte range of the part in the whole text.
    pub(crate) range: Range<usize>,
}

/// Several parts of a text, such as its words.
pub(crate) struct Parts {
    pub(crate) of: Part,
    pub(crate) ranges: Vec<Range<usize>>,
}

impl Part {
    pub(crate) fn text(&self) -> &str {
        &self.whole[self.range.clone()]
    }

    /// Returns the whole text with this part replaced.
    pub(crate) fn replaced_by(&self, text: &str) -> String {
        let (before, after) = (&self.whole[..self.range.start], &self.whole[self.range.end..]);
        format!("{before}{text}{after}")
    }

    pub(crate) fn whole(&self) -> &Rc<str> {
        &self.whole
    }

    pub(crate) fn at(&self, range: &Range<usize>) -> Self {
        Self { range: range.clone(), ..self.clone() }
    }
}

impl Parts {
    pub(crate) fn part(&self, at: usize) -> Part {
        self.of.at(&self.ranges[at])
    }

    fn found(&self) -> Vec<Found> {
        let text = |range: &Range<usize>| Found::Leaf(Value::text(&self.of.whole[range.clone()]));
        self.ranges.iter().map(text).collect()
    }
}

/// The style of a range of a text, in bytes of the whole.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub(crate) range: Range<usize>,
    pub(crate) term: Rc<str>,
    pub(crate) value: Value,
}

impl Run {
    fn of(stored: &Value) -> Option<Self> {
        let Value::List(parts) = stored else { return None };
        let [Value::Int(from), Value::Int(to), Value::Text(term), value] = &**parts else { return None };
        let range = usize::try_from(*from).ok()?..usize::try_from(*to).ok()?;
        Some(Self { range, term: Rc::clone(term), value: value.clone() })
    }

    fn stored(self) -> Value {
        let number = |place: usize| Value::Int(i64::try_from(place).unwrap_or(i64::MAX));
        let (from, to) = (number(self.range.start), number(self.range.end));
        Value::List(vec![from, to, Value::Text(self.term), self.value])
    }
}

impl View<'_> {
    /// Returns the style at the start of parts of a text; the default style if none was set. `None` if the specifier
    /// does not mean parts of a text.
    pub(crate) fn styled(&self, of: &Specifier, term: &str, root: ObjectId) -> Answer<Option<Found>> {
        if let Some(part) = self.part(of, root)? {
            let styled = self.style_of(&part, term).is_some();
            return Ok(styled.then(|| Found::Leaf(style(&self.runs(&part), &part, term))));
        }
        let Some(Parts { of, ranges }) = self.parts(of, root)? else { return Ok(None) };
        Ok(self.style_of(&of, term).map(|_| {
            let runs = self.runs(&of);
            let each = ranges.iter().map(|range| style(&runs, &of.at(range), term));
            Found::Many(each.map(Found::Leaf).collect())
        }))
    }

    /// Returns the property for the font, size or colour of a text, if the text is rich.
    pub(crate) fn style_of(&self, part: &Part, term: &str) -> Option<Rc<PropertyInfo>> {
        if !["font", "size", "color"].contains(&term) {
            return None;
        }
        let class = self.class(part.object);
        let held = class.properties.get(&part.term)?;
        // In a dictionary from `.scriptSuite` files, rich text has the same type as plain text.
        let is_contents = class.contents.as_deref() == Some(&part.term);
        let rich = held
            .types
            .iter()
            .filter(|each| &*each.name == "rich text" || is_contents && &*each.name == "text");
        rich.filter_map(|each| self.schema().class(&each.name))
            .find_map(|class| class.properties.get(term).cloned())
    }

    /// Returns the style runs of a whole text. Later ones take precedence. If a script sets the whole text, the runs
    /// are lost.
    pub(crate) fn runs(&self, part: &Part) -> Vec<Run> {
        match self.model().value(part.object, &runs_of(&part.term)) {
            Some(Value::List(all)) => match &**all {
                [Value::Text(whole), runs @ ..] if *whole == part.whole => {
                    runs.iter().filter_map(Run::of).collect()
                }
                _ => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    /// Returns the byte ranges of the parts of a text.
    fn ranges(&self, of: &Part, class: &str) -> Answer<Vec<Range<usize>>> {
        let runs = if class == "attribute run" { self.runs(of) } else { Vec::new() };
        if runs.is_empty() {
            return ranges(of, class);
        }
        let ends = runs.iter().flat_map(|run| [run.range.start, run.range.end]);
        let mut cuts: Vec<usize> = ends.filter(|at| of.range.contains(at)).collect();
        cuts.extend([of.range.start, of.range.end]);
        cuts.sort_unstable();
        cuts.dedup();
        let look =
            |at: usize| ["font", "size", "color"].map(|term| style(&runs, &of.at(&(at..of.range.end)), term));
        let mut all: Vec<Range<usize>> = Vec::new();
        for (start, end) in cuts.iter().copied().zip(cuts.iter().copied().skip(1)) {
            match all.last_mut() {
                Some(last) if look(last.start) == look(start) => last.end = end,
                _ => all.push(start..end),
            }
        }
        Ok(all)
    }

    /// Returns the part of a text that a specifier means: a whole text, or one of its words. `None` if it means
    /// something else.
    pub(crate) fn part(&self, specifier: &Specifier, root: ObjectId) -> Answer<Option<Part>> {
        match &specifier.step {
            Step::Property { of, term } => match self.resolve_from(of, root) {
                Ok(Found::One(id)) => Ok(self.text_in(id, term)),
                _ => Ok(None),
            },
            Step::Index { of, index } => match self.parts(of, root)? {
                Some(parts) => place(parts.ranges.len(), *index).map(|at| Some(parts.part(at))),
                None => Ok(None),
            },
            Step::Ordinal { of, which } => match self.parts(of, root)? {
                Some(parts) => ordinal(parts.ranges.len(), *which).map(|at| Some(parts.part(at))),
                None => Ok(None),
            },
            _ => Ok(None),
        }
    }

    /// Returns the parts of a text that elements mean; `None` if they are not the elements of a text.
    pub(crate) fn parts(&self, elements: &Specifier, root: ObjectId) -> Answer<Option<Parts>> {
        let Step::Elements { of, class } = &elements.step else { return Ok(None) };
        if !has(class) {
            return Ok(None);
        }
        let part = match self.part(of, root)? {
            Some(part) => Some(part),
            None => match self.resolve_from(of, root) {
                Ok(Found::One(id)) => self.implied(id, class),
                _ => None,
            },
        };
        part.map(|of| Ok(Parts { ranges: self.ranges(&of, class)?, of })).transpose()
    }

    /// Returns the text of an object that has no elements of this kind itself: the paragraphs of a document are those
    /// of its text.
    pub(crate) fn implied(&self, id: ObjectId, class: &str) -> Option<Part> {
        let info = self.class(id);
        let contents = info.contents.as_deref().filter(|_| has(class))?;
        if info.elements.iter().any(|each| &**each == class) { None } else { self.text_in(id, contents) }
    }

    /// Returns the elements of a result, which may be objects or texts.
    pub(crate) fn elements(&self, found: Found, class: &str) -> Answer<Vec<Found>> {
        match found {
            Found::One(id) => match self.implied(id, class) {
                Some(of) => Ok(Parts { ranges: self.ranges(&of, class)?, of }.found()),
                None => self.every(id, class),
            },
            Found::Many(all) => {
                all.into_iter().map(|each| self.elements(each, class).map(Found::Many)).collect()
            }
            Found::Leaf(Value::Text(whole)) => {
                let of = Part { object: APP, term: "".into(), range: 0..whole.len(), whole };
                Ok(Parts { ranges: self.ranges(&of, class)?, of }.found())
            }
            Found::Leaf(_) => refuse(NO_SUCH_OBJECT),
        }
    }

    fn text_in(&self, object: ObjectId, term: &str) -> Option<Part> {
        let class = self.class(object);
        let property = class.properties.get(term).filter(|property| property.kind == Kind::Text)?;
        match self.typed(object, property) {
            Found::Leaf(Value::Text(whole)) => {
                Some(Part { object, term: Rc::clone(&property.term), range: 0..whole.len(), whole })
            }
            _ => None,
        }
    }
}

fn style(runs: &[Run], part: &Part, term: &str) -> Value {
    let here = |run: &&Run| &*run.term == term && run.range.contains(&part.range.start);
    runs.iter().rfind(here).map_or_else(|| plain(term), |run| run.value.clone())
}

/// Returns the default style of a text.
fn plain(term: &str) -> Value {
    match term {
        "font" => Value::text("Helvetica"),
        "size" => Value::Int(12),
        _ => Value::List(vec![Value::Int(0); 3]),
    }
}

/// Returns the hidden term under which an object stores the style runs of one of its texts.
pub(crate) fn runs_of(term: &str) -> String {
    format!(".runs of {term}")
}

/// Converts the style runs of a whole text to their stored form, which includes the text.
pub(crate) fn stored_runs(whole: &str, runs: Vec<Run>) -> Value {
    let runs = runs.into_iter().filter(|run| !run.range.is_empty()).map(Run::stored);
    Value::List(std::iter::once(Value::text(whole)).chain(runs).collect())
}

/// Whether texts have elements of this class.
pub(crate) fn has(class: &str) -> bool {
    ["paragraph", "word", "character", "attribute run", "attachment", "text"].contains(&class)
}

/// Returns the ranges of the parts of a text. A paragraph includes its line break.
fn ranges(of: &Part, class: &str) -> Answer<Vec<Range<usize>>> {
    let text = of.text();
    let parts: Vec<&str> = match class {
        "paragraph" => text.split_inclusive('\n').collect(),
        "word" => {
            text.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty()).collect()
        }
        "character" => text.char_indices().map(|(at, c)| &text[at..at + c.len_utf8()]).collect(),
        "attribute run" | "text" => vec![text],
        // Simulated texts are plain, so they have no attachments.
        "attachment" => Vec::new(),
        _ => return refuse(NO_SUCH_OBJECT),
    };
    let start = |part: &str| of.range.start + (part.as_ptr() as usize - text.as_ptr() as usize);
    Ok(parts.into_iter().map(|part| start(part)..start(part) + part.len()).collect())
}
