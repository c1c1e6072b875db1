//! The suites of an app and of the system, and the meaning of a name in one of them.

use super::entry::Entry;
use serde_json::Value as Json;

/// The longest chain of superclasses to follow; it also ends a cycle.
const LONGEST: usize = 16;

/// The longest name that is looked for, in bytes.
const LONGEST_NAME: usize = 512;

/// One suite with its terminology.
pub(super) struct Source {
    /// The file's name without extension, for problems.
    pub(super) file: String,
    pub(super) facts: Json,
    pub(super) words: Option<Json>,
}

/// All suites, those of the system first.
pub(super) struct Registry {
    pub(super) suites: Vec<Source>,
}

/// An entry with the index of its suite.
pub(super) type Placed<'a> = (usize, Entry<'a>);

impl Source {
    /// The name that other suites use for it.
    pub(super) fn name(&self) -> &str {
        self.facts["Name"].as_str().unwrap_or(&self.file)
    }

    pub(super) fn entry(&self) -> Entry<'_> {
        Entry::new(self.name(), &self.facts, self.words.as_ref())
    }
}

impl Registry {
    /// Finds the entry for `Name` or `Suite.Name` in a suite: the suite's own entry, otherwise that of any suite.
    ///
    /// A class name may contain dots, like those of other languages; only a suite's name before a dot is a prefix.
    pub(super) fn find<'a>(&'a self, section: &'a str, reference: &str, from: usize) -> Option<Placed<'a>> {
        let reference = reference.trim();
        if reference.len() > LONGEST_NAME {
            return None;
        }
        let own = || self.in_suite(from, section, reference);
        let prefixed = || {
            reference.match_indices('.').find_map(|(dot, _)| {
                let (suite, name) = (&reference[..dot], &reference[dot + 1..]);
                let suites = self.suites.iter().enumerate().filter(|(_, each)| each.name() == suite);
                suites.into_iter().find_map(|(at, _)| self.in_suite(at, section, name))
            })
        };
        own().or_else(prefixed).or_else(|| self.anywhere(section, reference)).or_else(|| {
            // Suites of a framework that is not here, such as AppleScript Studio's, name the system's own classes.
            self.anywhere(section, reference.rsplit_once('.')?.1)
        })
    }

    /// The class that a reference means for scripts: if classes extend one another, the extended one.
    pub(super) fn class(&self, reference: &str, from: usize) -> Option<Placed<'_>> {
        let mut found = self.find("Classes", reference, from)?;
        for _ in 0..LONGEST {
            match self.extended(found) {
                Some(base) => found = base,
                None => break,
            }
        }
        Some(found)
    }

    /// The superclass of a class, if both have the same code: the class then only extends its superclass.
    pub(super) fn extended(&self, (at, class): Placed<'_>) -> Option<Placed<'_>> {
        let (base_at, base) = self.find("Classes", class.text("Superclass")?, at)?;
        let itself = (base_at, base.key) == (at, class.key);
        (!itself && base.text("AppleEventCode") == class.text("AppleEventCode")).then_some((base_at, base))
    }

    /// The class name of elements: if a synonym of the class has the code of the elements, the name of the synonym,
    /// otherwise that of the class. The paragraphs and the words of a text have the class of a text, but names of their
    /// own.
    pub(super) fn class_of_elements(
        &self,
        reference: &str,
        code: Option<&str>,
        from: usize,
    ) -> Option<String> {
        let (class_at, class) = self.class(reference, from)?;
        let stands_for_it = |(at, synonym): &Placed<'_>| {
            let of = synonym.value().and_then(|name| self.class(name, *at));
            of.is_some_and(|(at, of)| (at, of.key) == (class_at, class.key))
        };
        let synonyms = (0..self.suites.len()).filter_map(|at| self.in_suite(at, "Synonyms", code?));
        let synonym = synonyms.into_iter().find(stands_for_it);
        Some(synonym.map_or_else(|| class.name(), |(_, synonym)| synonym.name()))
    }

    fn in_suite<'a>(&'a self, at: usize, section: &'a str, key: &str) -> Option<Placed<'a>> {
        Some((at, self.suites.get(at)?.entry().entry(section, key)?))
    }

    fn anywhere<'a>(&'a self, section: &'a str, key: &str) -> Option<Placed<'a>> {
        (0..self.suites.len()).find_map(|at| self.in_suite(at, section, key))
    }
}
