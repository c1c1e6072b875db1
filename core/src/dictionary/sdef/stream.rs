//! Reads a dictionary's elements one after another. Included elements take the place of the include.

use super::attributes::{Attributes, Raw};
use super::frame::{Admission, Frame};
use super::library::{Found, Library, canonical, joined};
use super::xpointer::Selection;
use super::{DEEPEST, DEEPEST_INCLUDE, MOST_ELEMENTS, MOST_INCLUDED_BYTES, MOST_INCLUDES};
use crate::dictionary::ProblemKind;
use crate::dictionary::problems::Problems;
use quick_xml::events::{BytesStart, Event};

/// The start or the end of an element.
pub(super) enum Tag<'a> {
    /// An element begins; its [`Tag::Close`] follows in any case.
    Open(BytesStart<'a>),
    /// The innermost open element ends.
    Close,
}

/// A pull reader over a file and all that it includes.
///
/// Every opened element is closed, even if the file is malformed or a limit is reached.
pub(super) struct Stream<'a> {
    library: &'a Library<'a>,
    frames: Vec<Frame<'a>>,
    elements: usize,
    includes: usize,
    /// How much text was included, in bytes.
    bytes: usize,
    pub(super) problems: Problems,
}

impl<'a> Stream<'a> {
    pub(super) fn new(text: &'a str, library: &'a Library<'a>) -> Self {
        Self { frames: vec![Frame::new(text, None, None)], ..Self::empty(library) }
    }

    /// A stream over no file at all.
    pub(super) fn empty(library: &'a Library<'a>) -> Self {
        Self {
            library,
            frames: Vec::new(),
            elements: 0,
            includes: 0,
            bytes: 0,
            problems: Problems::default(),
        }
    }

    /// Reads the program's own text, after everything else.
    pub(super) fn append(&mut self, text: &'static str) {
        self.frames.push(Frame::new(text, None, None));
    }

    /// Returns the next start or end of an element; `None` at the end of the file.
    pub(super) fn next(&mut self) -> Option<Tag<'a>> {
        loop {
            let frame = self.frames.last_mut()?;
            if frame.closes() {
                return Some(Tag::Close);
            }
            if frame.ended {
                self.frames.pop();
                continue;
            }
            let opened = match frame.reader.read_event() {
                Ok(Event::Start(start)) => self.start(start, false),
                Ok(Event::Empty(start)) => self.start(start, true),
                Ok(Event::End(_)) if frame.end() => Some(Tag::Close),
                Ok(event) => self.other(&event),
                Err(error) => self.malformed(&error.to_string()),
            };
            if opened.is_some() {
                return opened;
            }
        }
    }

    /// Skips the content of the element that was just opened.
    pub(super) fn skip(&mut self, element: &BytesStart<'_>) {
        let Some(frame) = self.frames.last_mut() else { return };
        let empty = frame.take_back();
        self.pass(element, empty);
    }

    /// Records a problem at the current place.
    pub(super) fn problem(&mut self, place: impl Into<String>, kind: ProblemKind) {
        let (line, within) = match self.frames.last_mut() {
            Some(frame) => (frame.line(), frame.href.as_deref()),
            None => (0, None),
        };
        let place = place.into();
        let place = within.map_or_else(|| place.clone(), |href| format!("{place} in {href}"));
        self.problems.add(line, place, kind);
    }

    fn start(&mut self, start: BytesStart<'a>, empty: bool) -> Option<Tag<'a>> {
        self.elements += 1;
        if self.elements > MOST_ELEMENTS {
            return self.stop(format!("more than {MOST_ELEMENTS} elements"));
        }
        let frame = self.frames.last_mut()?;
        if frame.is_second_root() {
            return self.malformed("a second root element");
        }
        if frame.open >= DEEPEST {
            self.problem("file", ProblemKind::Limit(format!("elements nested deeper than {DEEPEST}")));
            return self.pass(&start, empty);
        }
        match frame.admission(&start) {
            Admission::Skip => self.pass(&start, empty),
            Admission::Include => self.include(&start, empty),
            Admission::Descend => frame.descend(empty),
            Admission::Hollow => frame.hollow(empty, false),
            Admission::Show => {
                frame.show(empty);
                Some(Tag::Open(start))
            }
        }
    }

    fn other(&mut self, event: &Event<'_>) -> Option<Tag<'a>> {
        match event {
            Event::Eof => self.eof(),
            Event::DocType(content) if content.contains("<!ENTITY") => {
                self.problem("DOCTYPE", ProblemKind::Defect("entity declarations are not read".to_owned()));
            }
            Event::Text(content) if content.starts_with('&') => {
                self.problem(
                    "text",
                    ProblemKind::Defect("`&` does not begin an entity; it is kept unchanged".to_owned()),
                );
            }
            _ => {}
        }
        None
    }

    fn eof(&mut self) {
        let Some(frame) = self.frames.last_mut() else { return };
        frame.ended = true;
        if frame.open > 0 {
            let open = frame.open;
            self.malformed(&format!("the file ends inside {open} open elements"));
        } else if !frame.rooted {
            self.malformed("no root element");
        } else if frame.selected_nothing() {
            self.problem("include", ProblemKind::Defect("the xpointer selects nothing".to_owned()));
        }
    }

    /// Enters the included file, or the include's fallback if there is no such file.
    fn include(&mut self, start: &BytesStart<'a>, empty: bool) -> Option<Tag<'a>> {
        let (frame, problem) = self.included(start);
        if let Some((place, kind)) = problem {
            self.problem(place, kind);
        }
        match frame {
            Some(frame) => {
                self.pass(start, empty);
                self.frames.push(frame);
                None
            }
            None => self.frames.last_mut()?.hollow(empty, true),
        }
    }

    /// Finds the target of an include and its problems.
    fn included(&mut self, start: &BytesStart<'a>) -> (Option<Frame<'a>>, Option<(String, ProblemKind)>) {
        let attributes = Attributes::of(start);
        let base = self.frames.last().and_then(|frame| frame.href.as_deref());
        let href = joined(base, &attributes.href.map(Raw::text).unwrap_or_default());
        let place = format!("include \"{href}\"");
        if let Some(kind) = self.refused(&href, &attributes) {
            return (None, Some((place, kind)));
        }
        self.includes += 1;
        let (text, defect) = match self.library.find(&canonical(&href)) {
            Found::Text(text, defect) => (text, defect.map(|text| ProblemKind::Defect(text.to_owned()))),
            Found::Instead(text) => (text, Some(ProblemKind::MissingInclude(href.clone()))),
            Found::TooLarge => return (None, Some((place, super::too_large()))),
            Found::Missing => return (None, Some((place, ProblemKind::MissingInclude(href)))),
        };
        self.bytes += text.len();
        if self.bytes > MOST_INCLUDED_BYTES {
            let limit = format!("more than {} MB included in all", MOST_INCLUDED_BYTES / 1_000_000);
            return (None, Some((place, ProblemKind::Limit(limit))));
        }
        let (selection, unknown) = selection(attributes.xpointer.map(Raw::text).as_deref());
        let problem = defect.or(unknown).map(|kind| (place, kind));
        (Some(Frame::new(text, Some(href), selection)), problem)
    }

    fn refused(&self, href: &str, attributes: &Attributes<'_>) -> Option<ProblemKind> {
        let path = canonical(href);
        let open = |frame: &Frame<'_>| frame.href.as_deref().is_some_and(|href| canonical(href) == path);
        if path.is_empty() {
            return Some(ProblemKind::Defect("an include without an href".to_owned()));
        }
        if attributes.parse.is_some_and(|parse| parse.short() != "xml") {
            return Some(ProblemKind::Defect("an include that is not XML contains no terms".to_owned()));
        }
        if self.frames.iter().any(open) {
            return Some(ProblemKind::Limit("the file includes itself".to_owned()));
        }
        if self.frames.len() > DEEPEST_INCLUDE {
            return Some(ProblemKind::Limit(format!("includes nested deeper than {DEEPEST_INCLUDE}")));
        }
        (self.includes >= MOST_INCLUDES)
            .then(|| ProblemKind::Limit(format!("more than {MOST_INCLUDES} includes")))
    }

    /// Reads on to the end of an element that is not counted as open.
    fn pass(&mut self, element: &BytesStart<'_>, empty: bool) -> Option<Tag<'a>> {
        let frame = self.frames.last_mut().filter(|_| !empty)?;
        let error = frame.reader.read_to_end(element.name()).err()?;
        self.malformed(&error.to_string())
    }

    fn malformed(&mut self, error: &str) -> Option<Tag<'a>> {
        self.problem("file", ProblemKind::Malformed(error.to_owned()));
        self.frames.last_mut()?.ended = true;
        None
    }

    fn stop(&mut self, limit: String) -> Option<Tag<'a>> {
        self.problem("file", ProblemKind::Limit(limit));
        self.frames.iter_mut().for_each(|frame| frame.ended = true);
        None
    }
}

fn selection(pointer: Option<&str>) -> (Option<Selection>, Option<ProblemKind>) {
    let Some(pointer) = pointer else { return (None, None) };
    match Selection::parse(pointer) {
        Some(selection) => (Some(selection), None),
        None => {
            let defect = format!("unsupported xpointer `{pointer}`; all suites are included");
            (Some(Selection::suites()), Some(ProblemKind::Defect(defect)))
        }
    }
}
