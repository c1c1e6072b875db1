//! A question to a human, and its answer. An answer counts only for its own question.

use std::fmt::Write as _;

use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::{Level, Scope};
use crate::specifier::quoted;

/// The number of objects that a question names if it does not name all. Of the others it gives only the count, so that
/// it stays readable.
pub(crate) const NAMED: usize = 5;

/// A question names all objects if they are at most so many, and their lines have at most so many characters together:
/// half a screen, which a person still reads line by line.
const ALL_NAMED: usize = 12;
const SHORT: usize = 1_000;

/// How many of some objects are read before a question, because it may name them.
pub(crate) fn may_name(count: usize) -> usize {
    if count <= ALL_NAMED { count } else { NAMED }
}

/// How many of the objects with these lines a question names.
pub(crate) fn named<S: AsRef<str>>(lines: &[S]) -> usize {
    let length: usize = lines.iter().map(|line| line.as_ref().chars().count()).sum();
    let is_short = lines.len() <= ALL_NAMED && length <= SHORT;
    if is_short { lines.len() } else { lines.len().min(NAMED) }
}

/// The most scopes that the label of an answer names: six still fit on two lines of a form. If there are more, no
/// longer answer is offered, because a person would not see all that it covers.
pub(super) const COVERED: usize = 6;

/// The digest of a question: everything that was shown, and the exact script that would run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digest([u8; 32]);

/// A question to a human in the words of this server. Other people's words are in quotes.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    pub(super) wording: Wording,
    pub(super) told: Box<str>,
    pub(super) level: Level,
    pub(super) why: Box<str>,
    /// The effect that the question is about, and the rule that asks, if there is one.
    pub(super) because: Box<str>,
    pub(super) scopes: Vec<Scope>,
    pub(super) digest: Digest,
}

/// The action in words.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wording {
    /// The app in words.
    pub app: Box<str>,
    /// The plugin that wants it, if it is not the client itself.
    pub plugin: Option<String>,
    /// The action, for example `set "read status" to true`. Words of others are quoted.
    pub deed: String,
    /// Whether it undoes an earlier call.
    pub is_undo: bool,
    /// The objects and the change of each: one line per object.
    pub objects: Vec<String>,
    /// How many objects there are; they may be more than are named.
    pub count: usize,
    /// Where the objects are that have no line, if the objects are in several containers: `: 3 in mailbox "Lists"`.
    pub others: Box<str>,
    /// How many of the objects have no line of their own, because the line of another one describes them too.
    pub shared: u32,
    /// Whether the objects get different values. Then the question shows every line, because no line represents the
    /// others. A yes counts once, for these values only.
    pub differs: bool,
    /// Whether the lines are a plugin's words about its script. A form shows every line, because the plugin has already
    /// joined equal objects in one line; a dialog shows as many lines as fit. The deed then names the app and the
    /// number of objects.
    pub plugins: bool,
    /// The lines of a script of the client, as they are to be shown; all of them.
    pub script: Box<[String]>,
    /// A note about an effect that cannot be undone, if there is one.
    pub consequence: Option<String>,
}

/// The possible answers of a human.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Choice {
    /// This once.
    Once,
    /// Allow this scope for an hour.
    Hour,
    /// Allow this scope from now on.
    Always,
    /// No.
    Deny,
}

const CHOICES: [(&str, &str, Choice); 4] = [
    ("once", "Allow once", Choice::Once),
    ("hour", "Allow for an hour", Choice::Hour),
    ("always", "Always allow", Choice::Always),
    ("deny", "Deny", Choice::Deny),
];

/// The result of asking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A human has chosen.
    Chosen {
        /// The choice.
        choice: Choice,
        /// The digest of the question that they answered.
        digest: Digest,
        /// How they were asked, for the audit log.
        by: String,
    },
    /// The human did not answer in time, or the client disconnected. Both count as a refusal.
    Unanswered(String),
    /// No one can be asked.
    NoWay(String),
}

impl Digest {
    /// The digest as 64 hexadecimal characters.
    pub fn to_hex(self) -> String {
        self.0.iter().fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        })
    }

    /// Digests parts so that their boundaries count: a text that moves from one part to the next changes the digest.
    pub(super) fn of(parts: &[String]) -> Self {
        Self(Sha256::digest(json!(parts).to_string().as_bytes()).into())
    }
}

impl Choice {
    /// The word on the wire: `once`, `hour`, `always` or `deny`.
    pub fn as_str(self) -> &'static str {
        self.row().0
    }

    /// The words on a button.
    pub fn label(self) -> &'static str {
        self.row().1
    }

    /// Reads the word on the wire.
    pub fn parse(word: &str) -> Option<Self> {
        CHOICES.iter().find(|(known, ..)| *known == word).map(|(.., choice)| *choice)
    }

    fn row(self) -> &'static (&'static str, &'static str, Self) {
        CHOICES
            .iter()
            .find(|(.., choice)| *choice == self)
            .expect("every choice has its row: a test reads the table")
    }
}

impl Question {
    /// The digest that the question is bound to.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// How much harm it can do.
    pub fn level(&self) -> Level {
        self.level
    }

    /// The reason for asking.
    pub fn why(&self) -> &str {
        &self.why
    }

    /// The possible answers, the mildest first, "no" last.
    pub fn choices(&self) -> Vec<Choice> {
        let all = CHOICES.iter().map(|(.., choice)| *choice);
        all.filter(|choice| self.offers(*choice)).collect()
    }

    /// Whether this answer is possible. "Always" is not possible for a dangerous action or for a scope that would cover
    /// too much.
    pub fn offers(&self, choice: Choice) -> bool {
        match choice {
            Choice::Once | Choice::Deny => true,
            Choice::Hour => !self.scopes.is_empty(),
            Choice::Always => !self.scopes.is_empty() && self.level < Level::Dangerous,
        }
    }

    /// The words of an answer in a form. A longer answer says what it covers, because that is more than this call.
    pub fn label(&self, choice: Choice) -> String {
        match choice {
            Choice::Once | Choice::Deny => choice.label().to_owned(),
            Choice::Hour | Choice::Always => format!("{}: {}", choice.label(), self.covered()),
        }
    }

    /// What a longer answer allows: `set "read status" of any message in Mail`.
    pub fn covered(&self) -> String {
        let mut all: Vec<String> = self.scopes.iter().map(Scope::covered).collect();
        all.dedup();
        format!("{} in {}", all.join(", "), self.wording.app)
    }

    /// The scopes that "for an hour" and "always" would allow.
    pub fn scopes(&self) -> &[Scope] {
        &self.scopes
    }

    /// The action.
    pub fn wording(&self) -> &Wording {
        &self.wording
    }

    /// One line: whether it undoes something, the plugin if one wants it, the app, the action and the number of
    /// objects.
    pub fn title(&self) -> String {
        self.line(&self.wording.deed)
    }

    /// The same line for the client: without values and names that were read to be shown to a human, because a rule may
    /// keep them from the client.
    pub fn told(&self) -> String {
        self.line(&self.told)
    }

    fn line(&self, deed: &str) -> String {
        let Wording { app, plugin, count, is_undo, .. } = &self.wording;
        let back = if *is_undo { "Take back an earlier change. " } else { "" };
        let who = plugin.as_ref().map(|plugin| format!("The plugin {} wants to", quoted(plugin)));
        if let Some(who) = who.as_ref().filter(|_| self.wording.plugins) {
            return format!("{back}{who} {deed}");
        }
        let who = who.map(|who| format!("{who}: ")).unwrap_or_default();
        let of = match count {
            0 | 1 => String::new(),
            several => format!(" ({several} objects)"),
        };
        format!("{back}{who}{app}: {deed}{of}")
    }

    /// The question with as many lines of a plugin as fit. A dialog has less room than a form.
    pub fn text_that(&self, fits: impl Fn(&str) -> bool) -> String {
        let (mut least, mut most) = (NAMED, self.wording.objects.len());
        // Fewer lines never take more room, so each try halves the rest.
        while least < most {
            let middle = (least + most).div_ceil(2);
            if fits(&self.text_with(middle)) {
                least = middle;
            } else {
                most = middle - 1;
            }
        }
        self.text_with(least)
    }

    /// The whole question as text, on several lines.
    pub fn text(&self) -> String {
        self.text_with(usize::MAX)
    }

    /// The question with at most this many lines of a plugin.
    fn text_with(&self, most: usize) -> String {
        let mut text = self.title();
        let lines = &self.wording.objects;
        let named = match (self.wording.differs, self.wording.plugins) {
            (true, _) => lines.len(),
            (false, true) => lines.len().min(most),
            (false, false) => named(lines),
        };
        if self.wording.plugins && named > 0 {
            text.push_str("\nIn the plugin's words:");
        }
        for line in &lines[..named] {
            text.push_str("\n- ");
            text.push_str(line);
        }
        let shared = usize::try_from(self.wording.shared).unwrap_or(usize::MAX);
        let more = self.wording.count.saturating_sub(named).saturating_sub(shared);
        let what = match (shared, more) {
            (0, _) => "",
            (_, 1) => " change",
            _ => " changes",
        };
        if more > 0 && named > 0 && !self.wording.differs {
            let _ = write!(text, "\n- and {more} more{what}{}", self.wording.others);
        }
        if !self.wording.script.is_empty() {
            // A client that shows Markdown shows a fenced text as it is. Each line begins with a number or a mark, so
            // that none closes the fence.
            let _ = write!(text, "\n```\n{}\n```", self.wording.script.join("\n"));
        }
        if let Some(consequence) = &self.wording.consequence {
            let _ = write!(text, "\nNote: {consequence}");
        }
        let _ = write!(text, "\n{} · {}", self.level.as_str(), self.because);
        text
    }
}
