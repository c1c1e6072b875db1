//! The elements that texts have: paragraphs, words, characters.

use super::{Found, View, ordinal, place};
use crate::os_error::{Answer, NO_SUCH_OBJECT, refuse};
use crate::schema::Kind;
use crate::value::specifier::{Specifier, Step};
use crate::value::{APP, ObjectId, Value};
use std::ops::Range;
use std::rc::Rc;

/// A part of the text that a property of an object holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) object: ObjectId,
    pub(crate) term: Rc<str>,
    whole: Rc<str>,
    /// The range of the part in the whole, in bytes.
    pub(crate) range: Range<usize>,
}

/// The words of a text, or other parts of it.
pub(crate) struct Parts {
    pub(crate) of: Part,
    pub(crate) ranges: Vec<Range<usize>>,
}

impl Part {
    pub(crate) fn text(&self) -> &str {
        &self.whole[self.range.clone()]
    }

    /// The whole text with something else in the place of this part.
    pub(crate) fn replaced_by(&self, text: &str) -> String {
        let (before, after) = (&self.whole[..self.range.start], &self.whole[self.range.end..]);
        format!("{before}{text}{after}")
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

impl View<'_> {
    /// The part of a text that a specifier means, if it means one: a text itself, or one of its words.
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

    /// The parts of a text that elements mean, if they mean those of a text.
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
        part.map(|of| Ok(Parts { ranges: ranges(&of, class)?, of })).transpose()
    }

    /// The text of a whole object, if the object has no elements of this kind itself: the paragraphs of a document are
    /// those of its text.
    pub(crate) fn implied(&self, id: ObjectId, class: &str) -> Option<Part> {
        let info = self.class(id);
        let contents = info.contents.as_deref().filter(|_| has(class))?;
        if info.elements.iter().any(|each| &**each == class) { None } else { self.text_in(id, contents) }
    }

    /// Elements of a result: of objects, or of texts.
    pub(crate) fn elements(&self, found: Found, class: &str) -> Answer<Vec<Found>> {
        match found {
            Found::One(id) => match self.implied(id, class) {
                Some(of) => Ok(Parts { ranges: ranges(&of, class)?, of }.found()),
                None => self.every(id, class),
            },
            Found::Many(all) => {
                all.into_iter().map(|each| self.elements(each, class).map(Found::Many)).collect()
            }
            Found::Leaf(Value::Text(whole)) => {
                let of = Part { object: APP, term: "".into(), range: 0..whole.len(), whole };
                Ok(Parts { ranges: ranges(&of, class)?, of }.found())
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

/// Whether texts have elements of that class.
pub(crate) fn has(class: &str) -> bool {
    ["paragraph", "word", "character", "attribute run", "attachment", "text"].contains(&class)
}

/// The ranges of the parts of a text; a paragraph keeps its line end.
fn ranges(of: &Part, class: &str) -> Answer<Vec<Range<usize>>> {
    let text = of.text();
    let parts: Vec<&str> = match class {
        "paragraph" => text.split_inclusive('\n').collect(),
        "word" => {
            text.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty()).collect()
        }
        "character" => text.char_indices().map(|(at, c)| &text[at..at + c.len_utf8()]).collect(),
        "attribute run" | "text" => vec![text],
        // Texts are plain here: nothing is in them but characters.
        "attachment" => Vec::new(),
        _ => return refuse(NO_SUCH_OBJECT),
    };
    let start = |part: &str| of.range.start + (part.as_ptr() as usize - text.as_ptr() as usize);
    Ok(parts.into_iter().map(|part| start(part)..start(part) + part.len()).collect())
}
