//! An entry of a suite with its words from the terminology.

use serde_json::Value as Json;

/// One class, command, property or other entry: its facts in the suite, and its words in the terminology.
#[derive(Clone, Copy)]
pub(super) struct Entry<'a> {
    /// The entry's name in the suite, such as `NSApplication`. If the terminology has a name, scripts see that name
    /// instead.
    pub(super) key: &'a str,
    facts: &'a Json,
    words: Option<&'a Json>,
}

impl<'a> Entry<'a> {
    pub(super) fn new(key: &'a str, facts: &'a Json, words: Option<&'a Json>) -> Self {
        Self { key, facts, words }
    }

    /// The entries of a section, such as `Classes`, in the order of the file.
    pub(super) fn entries(self, section: &'a str) -> impl Iterator<Item = Self> {
        let entries = self.facts[section].as_object().into_iter().flatten();
        entries.map(move |(key, facts)| Self { key, facts, words: self.words_in(section, key) })
    }

    /// One entry of a section.
    pub(super) fn entry(self, section: &str, key: &str) -> Option<Self> {
        let (key, facts) = self.facts[section].as_object()?.get_key_value(key)?;
        Some(Self { key, facts, words: self.words_in(section, key) })
    }

    /// The same entry. If it has no words of its own, it takes those from another section.
    pub(super) fn or_words(self, owner: Self, section: &str) -> Self {
        Self { words: self.words.or_else(|| owner.words_in(section, self.key)), ..self }
    }

    fn words_in(self, section: &str, key: &str) -> Option<&'a Json> {
        self.words?.get(section)?.get(key)
    }

    /// The same entry, for a section with its words one level higher than in other sections.
    pub(super) fn words_of(self, words: Self) -> Self {
        Self { words: words.words.and_then(|words| words.get(self.key)), ..self }
    }

    /// An entry below a key, such as the one of `UnnamedArgument`.
    pub(super) fn below(self, key: &'a str) -> Option<Self> {
        let facts = self.facts.get(key)?;
        Some(Self { key, facts, words: self.words.and_then(|words| words.get(key)) })
    }

    /// Whether the suite has entries for it, not only a text.
    pub(super) fn is_dictionary(self) -> bool {
        self.facts.is_object()
    }

    /// The text that represents the whole entry, such as the code of an enumerator.
    pub(super) fn value(self) -> Option<&'a str> {
        self.facts.as_str()
    }

    /// The text of a key in the suite; blanks at the end of a code count.
    pub(super) fn text(self, key: &str) -> Option<&'a str> {
        self.facts.get(key)?.as_str().filter(|text| !text.trim().is_empty())
    }

    /// Whether the value of a key is yes. Property lists give it as a boolean or as a word.
    pub(super) fn yes(self, key: &str) -> bool {
        match self.facts.get(key) {
            Some(Json::Bool(yes)) => *yes,
            Some(Json::String(word)) => word.trim_start().starts_with(['Y', 'y', 'T', 't', '1']),
            _ => false,
        }
    }

    /// The term for scripts; `None` if the terminology has none.
    pub(super) fn term(self) -> Option<String> {
        self.terms().next()
    }

    /// The term for scripts, or the key if the terminology has none.
    pub(super) fn name(self) -> String {
        self.term().unwrap_or_else(|| self.key.to_owned())
    }

    /// Other terms of the same entry: a terminology may give a list of names.
    pub(super) fn synonyms(self) -> Vec<String> {
        self.terms().skip(1).collect()
    }

    /// The plural of a class.
    pub(super) fn plural(self) -> Option<String> {
        term(self.words?.get("PluralName")?)
    }

    /// Text of the app; untrusted.
    pub(super) fn description(self) -> Option<String> {
        Some(self.words?.get("Description")?.as_str()?.to_owned())
    }

    fn terms(self) -> impl Iterator<Item = String> {
        let name = self.words.and_then(|words| words.get("Name"));
        let names = match name {
            Some(Json::Array(names)) => names.iter().collect(),
            name => Vec::from_iter(name),
        };
        names.into_iter().filter_map(term)
    }
}

fn term(name: &Json) -> Option<String> {
    name.as_str().map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned)
}
