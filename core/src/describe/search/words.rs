//! Words of a query and of dictionaries, and which of them mean the same.

use crate::dictionary::names;

/// One word of a query with its synonyms.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Word {
    stem: String,
    others: Vec<&'static str>,
    /// The weight of the word, lower for generic words.
    pub(super) weight: f64,
}

/// Generic words, which fit almost any term.
const GENERIC: &[&str] = &["add", "change", "create", "make", "new", "object", "item", "name"];

/// Words without meaning for a search.
const EMPTY: &[&str] = &[
    "a", "about", "all", "an", "and", "any", "are", "at", "can", "do", "does", "for", "from", "get", "give",
    "how", "i", "in", "is", "it", "let", "mark", "me", "my", "of", "on", "or", "please", "show", "tell",
    "that", "the", "this", "to", "via", "want", "what", "which", "who", "with", "you", "your",
];

/// Words that people use for terms with other names in dictionaries. They are stems, and each line has one meaning.
const ALIKE: &[&[&str]] = &[
    &["email", "mail", "message"],
    &["mail", "inbox", "mailbox"],
    &["text", "sms", "imessage", "message", "chat"],
    &["create", "make", "new", "add"],
    &["remove", "delete", "erase", "trash"],
    &["task", "todo", "reminder", "do"],
    &["song", "track", "music", "playlist"],
    &["appointment", "meeting", "event"],
    &["agenda", "schedule", "calendar", "event"],
    &["contact", "person", "people", "address"],
    &["directory", "folder"],
    &["picture", "image", "photo"],
    &["website", "webpage", "page", "url", "tab", "document"],
    &["link", "url", "address"],
    &["browser", "safari", "chrome", "tab"],
    &["unread", "read"],
    &["due", "deadline"],
    &["done", "complete", "completed", "finish"],
    &["answer", "reply"],
    &["attach", "attachment"],
    &["copy", "duplicate"],
    &["close", "quit", "exit"],
    &["start", "launch", "run", "open", "play"],
    &["stop", "pause"],
    &["louder", "volume", "sound"],
    &["screen", "desktop", "display"],
    &["wallpaper", "picture", "desktop"],
    &["type", "keystroke", "key", "keyboard"],
    &["press", "click", "button"],
    &["program", "app", "application", "process"],
    &["bash", "shell", "terminal", "command", "script"],
    &["body", "content", "text"],
    &["title", "subject", "name"],
    &["flag", "flagged", "star"],
    &["recipient", "to", "cc"],
    &["sender", "author", "sent"],
    &["movie", "video"],
    &["album", "playlist"],
    &["speak", "say"],
    &["notify", "notification", "alert"],
    &["search", "find"],
    &["archive", "move"],
    &["dark", "appearance"],
    &["location", "place"],
    &["birthday", "birth"],
    &["phone", "telephone"],
    &["slide", "presentation"],
    &["reboot", "restart"],
    &["selected", "selection", "chosen"],
];

impl Word {
    /// How well the word fits the best of some tokens: 1 for equal words, less for words with the same meaning or
    /// beginning.
    pub(super) fn fits(&self, tokens: &[String]) -> f64 {
        tokens.iter().map(|token| self.fit(token)).fold(0.0, f64::max)
    }

    /// Whether a token is this word.
    pub(super) fn is(&self, token: &str) -> bool {
        self.stem == token
    }

    fn fit(&self, token: &str) -> f64 {
        if self.stem == *token {
            return 1.0;
        }
        if self.others.contains(&token) {
            return 0.75;
        }
        let alike = self.stem.bytes().zip(token.bytes()).take_while(|(a, b)| a == b).count();
        let longest = self.stem.len().max(token.len());
        let is_part = alike > 3 && alike == self.stem.len().min(token.len());
        if is_part || (alike > 4 && alike * 10 >= longest * 6) { 0.6 } else { 0.0 }
    }
}

/// The words of a query, without filler words unless there are no others.
pub(super) fn query(text: &str) -> Vec<Word> {
    let all = tokens(text);
    let telling: Vec<String> = all.iter().filter(|token| !EMPTY.contains(&token.as_str())).cloned().collect();
    let mut kept = if telling.is_empty() { all } else { telling };
    kept.dedup();
    kept.into_iter()
        .take(16)
        .map(|stem| {
            let others = ALIKE
                .iter()
                .filter(|line| line.contains(&stem.as_str()))
                .flat_map(|line| line.iter().copied());
            let others = others.filter(|other| *other != stem).collect();
            let weight = if GENERIC.contains(&stem.as_str()) { 0.4 } else { 1.0 };
            Word { stem, others, weight }
        })
        .collect()
}

/// The stems of a text's words, without plural endings.
pub(super) fn tokens(text: &str) -> Vec<String> {
    names::split(text).into_iter().map(|word| stem(&word)).collect()
}

fn stem(word: &str) -> String {
    let is_long = word.len() > 3;
    match word {
        "people" => "person".to_owned(),
        _ if is_long && word.ends_with("ies") => format!("{}y", &word[..word.len() - 3]),
        _ if is_long && ["sses", "shes", "ches", "xes"].iter().any(|end| word.ends_with(end)) => {
            word[..word.len() - 2].to_owned()
        }
        _ if is_long && word.ends_with('s') && !word.ends_with("ss") && !word.ends_with("us") => {
            word[..word.len() - 1].to_owned()
        }
        _ => word.to_owned(),
    }
}
