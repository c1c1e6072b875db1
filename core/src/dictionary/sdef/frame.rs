//! One file that is being read: which of its elements are open, and which were handed out.

use super::stream::Tag;
use super::xpointer::Selection;
use memchr::memchr_iter;
use quick_xml::Reader;
use quick_xml::events::BytesStart;
use std::cell::OnceCell;

/// One file that is being read.
pub(super) struct Frame<'a> {
    pub(super) reader: Reader<&'a [u8]>,
    /// The href of the include that it came from; `None` for the dictionary itself.
    pub(super) href: Option<String>,
    /// Elements that are open in the file.
    pub(super) open: usize,
    /// A root element was seen.
    pub(super) rooted: bool,
    /// Reads no more; open elements must be closed.
    pub(super) ended: bool,
    text: &'a str,
    selection: Option<Selection>,
    /// How many of the outermost open elements are on the selection's path.
    matched: usize,
    /// Open elements that are not handed out while their children may be: includes that failed, and fallbacks.
    hollow: Vec<Hollow>,
    /// Open elements that were handed out.
    shown: usize,
    /// An element without content was handed out and must be closed.
    empty: bool,
    selected: bool,
    /// The file names a namespace of includes somewhere.
    names_includes: OnceCell<bool>,
    counted: (usize, usize),
}

struct Hollow {
    depth: usize,
    include: bool,
}

/// The treatment of an element.
pub(super) enum Admission {
    /// It is handed out.
    Show,
    /// It is on the selection's path: its children are looked at.
    Descend,
    /// It is an include.
    Include,
    /// It is the fallback of an include that failed: its children are read.
    Hollow,
    /// It is skipped with all its contents.
    Skip,
}

impl<'a> Frame<'a> {
    pub(super) fn new(text: &'a str, href: Option<String>, selection: Option<Selection>) -> Self {
        let mut reader = Reader::from_str(text);
        reader.config_mut().allow_dangling_amp = true;
        Self {
            reader,
            href,
            open: 0,
            rooted: false,
            ended: false,
            text,
            selection,
            matched: 0,
            hollow: Vec::new(),
            shown: 0,
            empty: false,
            selected: false,
            names_includes: OnceCell::new(),
            counted: (0, 1),
        }
    }

    /// Returns whether an element that was handed out is closed before anything more is read.
    pub(super) fn closes(&mut self) -> bool {
        let closes = std::mem::take(&mut self.empty) || self.ended && self.shown > 0;
        self.shown -= usize::from(closes);
        closes
    }

    /// Returns whether an element stands beside the root. Also records that a root was seen.
    pub(super) fn is_second_root(&mut self) -> bool {
        self.open == 0 && std::mem::replace(&mut self.rooted, true)
    }

    pub(super) fn admission(&self, element: &BytesStart<'_>) -> Admission {
        let local = element.local_name();
        match self.hollow.last() {
            Some(hollow) if hollow.include && hollow.depth == self.open => match local.as_ref() {
                "fallback" => Admission::Hollow,
                _ => Admission::Skip,
            },
            _ => match self.admission_by_path(element) {
                Admission::Show if local.as_ref() == "include" && self.has_includes(element) => {
                    Admission::Include
                }
                admission => admission,
            },
        }
    }

    fn admission_by_path(&self, element: &BytesStart<'_>) -> Admission {
        let Some(selection) = &self.selection else { return Admission::Show };
        if self.shown > 0 || !self.hollow.is_empty() {
            return Admission::Show;
        }
        match selection.steps.get(self.matched) {
            Some(step) if self.matched == self.open && step.admits(element) => {
                let last = self.matched + 1 == selection.steps.len();
                if last { Admission::Show } else { Admission::Descend }
            }
            _ => Admission::Skip,
        }
    }

    /// Whether an `include` element counts: with any prefix, because some files forget to declare theirs, or without a
    /// prefix if the file names a namespace of includes.
    fn has_includes(&self, element: &BytesStart<'_>) -> bool {
        let namespaces = ["http://www.w3.org/2001/XInclude", "http://www.w3.org/2003/XInclude"];
        let named = || namespaces.iter().any(|uri| self.text.contains(uri));
        element.name().prefix().is_some() || *self.names_includes.get_or_init(named)
    }

    pub(super) fn show(&mut self, empty: bool) {
        self.open += usize::from(!empty);
        self.shown += 1;
        self.empty = empty;
        self.selected = true;
    }

    pub(super) fn descend(&mut self, empty: bool) -> Option<Tag<'a>> {
        self.open += usize::from(!empty);
        self.matched += usize::from(!empty);
        None
    }

    pub(super) fn hollow(&mut self, empty: bool, include: bool) -> Option<Tag<'a>> {
        if !empty {
            self.open += 1;
            self.hollow.push(Hollow { depth: self.open, include });
        }
        None
    }

    /// Takes back the element that was handed out last; returns whether it is without content.
    pub(super) fn take_back(&mut self) -> bool {
        let empty = std::mem::take(&mut self.empty);
        self.shown -= 1;
        self.open -= usize::from(!empty);
        empty
    }

    /// Ends the innermost open element; returns whether it was handed out.
    pub(super) fn end(&mut self) -> bool {
        let hollow = self.hollow.pop_if(|hollow| hollow.depth == self.open).is_some();
        self.open -= 1;
        self.matched = self.matched.min(self.open);
        let shown = self.shown > 0 && !hollow;
        self.shown -= usize::from(shown);
        shown
    }

    pub(super) fn selected_nothing(&self) -> bool {
        self.selection.is_some() && !self.selected
    }

    /// The line that was read last, from 1.
    pub(super) fn line(&mut self) -> usize {
        let (from, line) = self.counted;
        let at =
            usize::try_from(self.reader.buffer_position()).unwrap_or(from).min(self.text.len()).max(from);
        let line = line + memchr_iter(b'\n', &self.text.as_bytes()[from..at]).count();
        self.counted = (at, line);
        line
    }
}
