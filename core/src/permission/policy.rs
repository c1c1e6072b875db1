//! The operator's decisions in advance: a profile, and rules that take precedence over it.
//!
//! ```toml
//! profile = "standard"            # read-only, standard or trusted
//! scripts = "off"                 # off or ask: whether clients may bring scripts of their own
//! rules = [
//!   { app = "com.apple.mail", property = "read status", decision = "allow" },
//!   { app = "com.apple.mail", property = "content", level = "SAFE", decision = "ask" },
//!   { app = "*", command = "delete", decision = "deny", reason = "nothing is thrown away" },
//! ]
//! ```
//!
//! The first matching rule decides; otherwise the profile does. The parser is strict: an unknown key, a wrong word or a
//! rule that can never match is an error with its place, and nothing runs on such a policy.

mod file;

use super::{Level, LevelRule, Source, Touch, classify_command, is_everywhere};
use crate::app::same_id;
use crate::dictionary::{Command, names};
use crate::specifier::quoted;

pub use file::PolicyError;

/// The decision about an action. A later one in this list is stricter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ruling {
    /// It runs.
    Allow,
    /// A human is asked first.
    Ask,
    /// It is refused.
    Deny,
}

const RULINGS: [(&str, Ruling); 3] = [("allow", Ruling::Allow), ("ask", Ruling::Ask), ("deny", Ruling::Deny)];

/// The decision if no rule fits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Profile {
    /// Reads are allowed, everything else is refused.
    ReadOnly,
    /// Reads are allowed, everything else needs approval.
    #[default]
    Standard,
    /// Everything is allowed except commands that run code, which are refused.
    Trusted,
}

const PROFILES: [(&str, Profile); 3] =
    [("read-only", Profile::ReadOnly), ("standard", Profile::Standard), ("trusted", Profile::Trusted)];

/// Everything the operator has decided.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Policy {
    profile: Profile,
    rules: Vec<Rule>,
    levels: Vec<LevelRule>,
    /// Bundle ids of apps with content that counts as the operator's own words.
    own_content: Vec<String>,
    /// Whether decisions ignore that other people's content was read.
    ignores_taint: bool,
    /// Whether clients may send their own scripts. A human reads each of them.
    scripts: bool,
    /// Whether only reads are possible, whatever the rules say.
    only_reads: bool,
}

/// One decision of the operator. A missing part matches everything.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// A bundle id, or a name if that only makes the policy stricter; `*` at the end matches any rest.
    pub app: Option<String>,
    /// A command by its term, in any spelling, or by its eight-character code.
    pub command: Option<String>,
    /// A property that is read or set, in any spelling.
    pub property: Option<String>,
    /// The level.
    pub level: Option<Level>,
    /// The id of the plugin that the rule applies to.
    pub plugin: Option<String>,
    /// The decision.
    pub decision: Ruling,
    /// The reason to show in refusals and questions.
    pub reason: Option<String>,
    /// Whether an app that is not running may be opened.
    pub launch: bool,
    /// Its line in the file, from 1.
    pub line: usize,
}

/// A policy's decision about one touch of one action.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Verdict {
    /// The decision.
    pub(super) ruling: Ruling,
    /// The source of the decision.
    pub(super) source: Source,
    /// Whether an app that is not running may be opened.
    pub(super) launch: bool,
}

impl Verdict {
    /// Makes a verdict that allows nothing without a human, so it does not open an app either. A human's yes also
    /// covers opening the app.
    pub(super) fn without_launch(ruling: Ruling, source: Source) -> Self {
        Self { ruling, source, launch: false }
    }
}

impl Ruling {
    /// The word in the file: `allow`, `ask` or `deny`.
    pub fn as_str(self) -> &'static str {
        RULINGS.iter().find(|(_, ruling)| *ruling == self).map_or("", |(word, _)| word)
    }
}

impl Profile {
    /// The word in the file: `read-only`, `standard` or `trusted`.
    pub fn as_str(self) -> &'static str {
        PROFILES.iter().find(|(_, profile)| *profile == self).map_or("", |(word, _)| word)
    }

    fn ruling(self, level: Level) -> Ruling {
        match (self, level) {
            (_, Level::Safe) | (Self::Trusted, _) => Ruling::Allow,
            (Self::Standard, _) => Ruling::Ask,
            (Self::ReadOnly, _) => Ruling::Deny,
        }
    }
}

impl Policy {
    /// Reads the text of a `policy.toml`.
    ///
    /// # Errors
    /// Anything in it is not understood; the error has its line and column.
    pub fn parse(text: &str) -> Result<Self, PolicyError> {
        file::parse(text)
    }

    /// A policy of a profile without rules.
    pub fn of(profile: Profile) -> Self {
        Self { profile, ..Self::default() }
    }

    /// The same policy, but it refuses everything except reads.
    #[must_use]
    pub fn only_reads(self) -> Self {
        Self { only_reads: true, ..self }
    }

    /// The profile, which decides if no rule fits.
    pub fn profile(&self) -> Profile {
        self.profile
    }

    /// The rules in the order in which they are tried.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// The levels that the operator has set, the first that fits first.
    pub fn levels(&self) -> &[LevelRule] {
        &self.levels
    }

    /// Whether clients may bring scripts of their own. A human is asked about each.
    pub fn runs_scripts(&self) -> bool {
        self.scripts && !self.only_reads
    }

    /// Whether an app may contain other people's words, which could address the assistant.
    pub fn is_content_of_others(&self, app: &str) -> bool {
        !self.ignores_taint && !self.own_content.iter().any(|own| same_id(own, app))
    }

    /// Properties that a rule names. A call that reads all properties reads these too.
    pub(super) fn named_properties(&self) -> impl Iterator<Item = &str> {
        self.rules.iter().filter_map(|rule| rule.property.as_deref())
    }

    /// Whether any rule that names a property fits a touch.
    pub(super) fn names_property_of(&self, touch: &Touch<'_>) -> bool {
        self.rules.iter().any(|rule| rule.property.is_some() && rule.fits(touch))
    }

    /// Whether any rule that names a command fits a touch.
    pub(super) fn names_command_of(&self, touch: &Touch<'_>) -> bool {
        self.rules.iter().any(|rule| rule.command.is_some() && rule.fits(touch))
    }

    /// Decides about one act of a plugin's script, which may read and change anything that its level allows. So a rule
    /// that forbids a property or a command of the app, or asks about it, also restrains an act that may reach it. Only
    /// an act with the command's own word in its name is refused; about others a human decides.
    pub(super) fn judge_act(&self, touch: &Touch<'_>, tainted: bool) -> Verdict {
        let verdict = self.judge(touch, tainted);
        let earlier = self.rules.iter().take_while(|rule| !rule.fits(touch));
        let within = earlier.filter_map(|rule| rule.within(touch));
        within.fold(verdict, |worst, found| if found.ruling > worst.ruling { found } else { worst })
    }

    /// Decides about one touch.
    pub(super) fn judge(&self, touch: &Touch<'_>, tainted: bool) -> Verdict {
        let found = self.rules.iter().find(|rule| rule.fits(touch));
        if self.only_reads && touch.level > Level::Safe {
            return Verdict::without_launch(Ruling::Deny, Source::OnlyReads);
        }
        let verdict = found.map_or_else(|| self.by_profile(touch), Rule::verdict);
        let named = found.is_some_and(|rule| rule.command.is_some() || rule.property.is_some());
        if touch.is_shell && !named && found.is_none_or(|rule| rule.decision != Ruling::Deny) {
            return Verdict::without_launch(Ruling::Deny, Source::Shell);
        }
        if verdict.ruling == Ruling::Allow && touch.is_fragile && !named {
            return Verdict::without_launch(Ruling::Ask, Source::Fragile);
        }
        if verdict.ruling == Ruling::Allow && tainted && touch.level == Level::Dangerous && !named {
            return Verdict::without_launch(Ruling::Ask, Source::Tainted);
        }
        verdict
    }

    fn by_profile(&self, touch: &Touch<'_>) -> Verdict {
        let launch = self.profile == Profile::Trusted;
        Verdict { ruling: self.profile.ruling(touch.level), source: Source::Profile(self.profile), launch }
    }
}

impl Rule {
    fn fits(&self, touch: &Touch<'_>) -> bool {
        let is = |wanted: &Option<String>, given: Option<&str>| {
            wanted
                .as_ref()
                .is_none_or(|wanted| given.is_some_and(|given| names::key(wanted) == names::key(given)))
        };
        let command = |wanted: &String| {
            touch.command.is_some_and(|command| {
                names::key(wanted) == names::key(command.name) || wanted == command.code
            })
        };
        self.app.as_ref().is_none_or(|app| self.fits_app(app, touch))
            && self.command.as_ref().is_none_or(command)
            && is(&self.property, touch.property)
            && self.level.is_none_or(|level| level == touch.level)
            && self.plugin.as_ref().is_none_or(|plugin| touch.plugin == Some(plugin))
    }

    /// The verdict on an act of a script that may reach what the rule is about; `None` if it cannot, or if the rule
    /// allows it.
    fn within(&self, act: &Touch<'_>) -> Option<Verdict> {
        let is_here = self.fits_app(self.app.as_deref().unwrap_or("*"), act)
            && self.plugin.as_ref().is_none_or(|plugin| act.plugin == Some(plugin));
        let (term, least) = match (&self.property, &self.command) {
            (Some(property), _) => (property, Level::Safe),
            (_, Some(command)) if !is_of_scripts(command) => (command, level_of(command)),
            _ => return None,
        };
        let reaches = self.level.unwrap_or(least) <= act.level;
        if self.decision == Ruling::Allow || !is_here || !reaches {
            return None;
        }
        let words = self.command.as_deref().map(names::split).unwrap_or_default();
        let own = act.command.map(|command| names::split(command.name)).unwrap_or_default();
        let is_named = !words.is_empty() && words.iter().all(|word| own.contains(word));
        let ruling = if is_named { self.decision } else { Ruling::Ask };
        let reach = format!("it is about {}, which this script may reach", quoted(term));
        let reason = match &self.reason {
            Some(reason) => format!("{reason}; {reach}"),
            None => reach,
        };
        Some(Verdict::without_launch(ruling, Source::Rule { line: self.line, reason: Some(reason) }))
    }

    /// Any bundle can have any name, so a name may only make the policy stricter.
    fn fits_app(&self, wanted: &str, touch: &Touch<'_>) -> bool {
        let by_id = match wanted.strip_suffix('*') {
            Some(start) => starts_with(touch.app, start),
            None => wanted.eq_ignore_ascii_case(touch.app),
        };
        by_id || (self.decision != Ruling::Allow && names::key(wanted) == names::key(touch.app_name))
    }

    fn verdict(&self) -> Verdict {
        let source = Source::Rule { line: self.line, reason: self.reason.clone() };
        Verdict { ruling: self.decision, source, launch: self.launch }
    }
}

/// The level of a command, by its name or code alone. An act below that level cannot run the command.
fn level_of(command: &str) -> Level {
    let named = Command { name: command.to_owned(), code: command.to_owned(), ..Command::default() };
    classify_command("", &named, &[]).level
}

/// Whether a rule means an act of a script, by its term or its digest, or a command that this server adds to every app.
/// Such a rule does not apply to what an act does.
fn is_of_scripts(command: &str) -> bool {
    let is_digest = command.len() == 8 && command.chars().all(|letter| letter.is_ascii_hexdigit());
    command.starts_with("script ") || is_digest || is_everywhere(command)
}

fn starts_with(text: &str, start: &str) -> bool {
    text.get(..start.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(start))
}

#[cfg(test)]
mod tests;
