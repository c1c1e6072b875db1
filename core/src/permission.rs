//! Decides whether an action may run. The action is classified and judged, and an allowed action leaves as an
//! [`Approved`], which proves the decision.

mod classify;
mod closed;
mod decide;
mod grant;
mod later;
mod policy;
mod question;
mod touch;
mod writes;

use std::sync::Arc;

use crate::Millis;
use crate::action::{Action, Deed, Shut, SystemDeed, Terms};
use crate::app::App;
use crate::fault::Fault;
use crate::specifier::Path;

pub use classify::{Classified, LevelRule, MANY, classify, classify_command, classify_write};
pub(crate) use classify::{OPEN, READS, holds_address, is_address, only_reads};
pub use closed::{Closed, Links, Where};
pub(crate) use decide::{Answered, decide_replacing, may_read};
pub use decide::{decide, forecast};
pub use grant::{CommandScope, Grant, Grants, Scope};
pub(crate) use later::Later;
pub use policy::{Policy, PolicyError, Profile, Rule, Ruling};
pub use question::{Answer, Choice, Digest, Question, Wording};
pub(crate) use question::{NAMED, may_name, named};
pub use touch::{CommandName, Touch, is_everywhere};
pub(crate) use writes::{is_trash_name, may_be_trash, moved_by};

pub use crate::words::Level;

/// Everything that a decision depends on. The shell reads it again for every step.
#[derive(Clone, Debug, Default)]
pub struct Gate {
    /// The operator's policy.
    pub policy: Arc<Policy>,
    /// The approvals that humans have given.
    pub grants: Arc<Grants>,
    /// When content that others may have written was last read.
    pub untrusted: Option<Millis>,
    /// The plugin that calls, if it is not the client itself.
    pub plugin: Option<String>,
    /// Whether the plugin undoes an earlier call of its own.
    pub takes_back: bool,
    /// The highest level that the operator granted the plugin in the app. No rule and no answer raises it.
    pub most: Option<Level>,
    /// The app that the plugin calls through its handle. It reaches no other app, however an argument names one.
    pub app: Option<String>,
    /// Files that no argument may lead to.
    pub closed: Arc<Closed>,
    /// Whether no one can be asked: the client cannot ask, and there is no screen for a dialog.
    pub alone: bool,
}

impl Gate {
    /// Whether the contents of a container may be listed without reaching a closed place.
    pub(crate) fn may_list(&self, app: &App, container: &Path) -> bool {
        self.closed.is_listed(&app.bundle_id, &Terms(app.dictionary.clone()), container)
    }

    /// The names that a read of everything in a folder has to leave out.
    pub(crate) fn left_out(&self, app: &App, folder: &Path) -> Vec<Shut> {
        self.closed.left_out(&app.bundle_id, &Terms(app.dictionary.clone()), folder)
    }
}

/// How long dangerous calls need approval after the server read other people's content. An approval for an hour lasts
/// as long.
const TAINT: Millis = Millis(60 * 60 * 1000);

/// An action that may run: the only thing a script is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct Approved {
    action: Action,
    harm: Classified,
    source: Source,
    scopes: Vec<Scope>,
    launch: bool,
}

/// Who decided.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// A rule of the policy.
    Rule {
        /// Its line in the file.
        line: usize,
        /// The reason in the rule.
        reason: Option<String>,
    },
    /// The policy's profile.
    Profile(Profile),
    /// The server was started for reads only.
    OnlyReads,
    /// It is itself a shell, and no rule names it.
    Shell,
    /// It is a script of the client, and the policy does not switch scripts on.
    NoScripts,
    /// It is a script of the client, which a human must read.
    Script,
    /// The plugin was granted less.
    Ceiling(Level),
    /// The plugin called through the handle of another app, this one.
    OtherApp(String),
    /// An argument leads to a file that is closed under every policy.
    Closed {
        /// The closed place in words.
        place: String,
    },
    /// It is dangerous, and content of others was read within the last hour.
    Tainted,
    /// Only a position leads to an object, so a human must check that it is the right one.
    Fragile,
    /// It opens a dialog of macOS, which interrupts the user.
    Dialog,
    /// The server reads the objects for a question to a human.
    Preview {
        /// The decision that wants the question.
        of: Box<Self>,
    },
    /// It only checks whether an app answers.
    Probe,
    /// A human, earlier.
    Grant {
        /// The grant's name.
        id: String,
    },
    /// A human, now.
    Human {
        /// The choice.
        choice: Choice,
        /// How they were asked.
        by: String,
    },
    /// No human has answered the question.
    Nobody {
        /// Why not.
        why: String,
    },
}

/// The decision.
#[derive(Debug)]
pub enum Decision {
    /// It may run.
    Allow(Approved),
    /// A human has to say yes first.
    Ask(Unasked),
    /// It may not run.
    Deny(Refusal),
}

/// An action that needs a human's answer.
#[derive(Debug)]
pub struct Unasked {
    action: Action,
    harm: Classified,
    source: Source,
    scopes: Vec<Scope>,
    /// Whether a yes counts for this action only.
    once: bool,
}

/// An action that a human is being asked about.
#[derive(Debug)]
pub struct Asked {
    action: Action,
    harm: Classified,
    scopes: Vec<Scope>,
    question: Question,
}

/// Why an action may not run.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// Who decided.
    pub source: Source,
    /// How much harm it could do.
    pub harm: Classified,
    /// The refused scopes, the strictest first.
    pub scopes: Vec<Scope>,
    /// The error for the client.
    pub fault: Fault,
}

/// A decision, for the audit log.
#[derive(Clone, Debug, PartialEq)]
pub struct Decided {
    /// Whether it may run.
    pub allowed: bool,
    /// How much harm it can do.
    pub harm: Classified,
    /// Who decided.
    pub source: Source,
    /// Its scopes, one for each part.
    pub scopes: Vec<Scope>,
}

impl Approved {
    /// The approved action.
    pub fn action(&self) -> &Action {
        &self.action
    }

    /// Who allowed it.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// Whether an app that is not running may be opened for it.
    pub fn may_launch(&self) -> bool {
        self.launch
    }

    /// Checks whether an app answers: it counts some elements and launches nothing. It is the same under every policy,
    /// because no client can ask for it, and no client sees its answer.
    pub(crate) fn probe(app: &str) -> Self {
        let action =
            Action { app: app.into(), terms: Terms::default(), deed: Deed::System(SystemDeed::Alive) };
        let harm = classify(&action, &[]);
        Self { action, harm, source: Source::Probe, scopes: Vec::new(), launch: false }
    }

    /// A read of the system converter's output for an app's dictionary. Like [`Self::probe`] it is the same for every
    /// policy: no client can ask for it, and it reads only data that `iac_mcp_describe_app` shows anyway.
    pub(crate) fn dictionary(path: &str) -> Self {
        let action = Action::of_system(SystemDeed::Dictionary { path: path.to_owned() });
        let harm = classify(&action, &[]);
        Self { action, harm, source: Source::Probe, scopes: Vec::new(), launch: false }
    }

    /// Checks whether macOS lets this process read a library, or lets macOS ask the person. It is the same under every
    /// policy, because only the operator's commands ask, and macOS decides.
    pub(crate) fn access(entity: u8, wait: Option<u64>) -> Self {
        let action = Action::of_system(SystemDeed::Access { entity, wait });
        let harm = classify(&action, &[]);
        Self { action, harm, source: Source::Probe, scopes: Vec::new(), launch: false }
    }

    /// Returns the decision under which it runs, once its script is written.
    pub(crate) fn decided(self) -> Decided {
        let Self { harm, source, scopes, .. } = self;
        Decided { allowed: true, harm, source, scopes }
    }
}

impl std::fmt::Display for Source {
    /// A part of a sentence: `the rule in line 3 of the policy`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Rule { line, reason: None } => write!(f, "the rule in line {line} of the policy"),
            Self::Rule { line, reason: Some(reason) } => {
                write!(f, "the rule in line {line} of the policy ({reason})")
            }
            Self::Profile(profile) => write!(f, "the policy's profile \"{}\"", profile.as_str()),
            Self::OnlyReads => f.write_str("the server was started with --read-only"),
            Self::Shell => f.write_str("commands that run code or type keys need a rule that names them"),
            Self::NoScripts => f.write_str("client scripts are off"),
            Self::Script => f.write_str("a script may do anything"),
            Self::Ceiling(most) => write!(f, "the plugin was granted no more than {}", most.as_str()),
            Self::OtherApp(app) => write!(f, "the plugin called through its handle of {app}"),
            Self::Closed { place } => write!(f, "no argument may lead to {place}"),
            Self::Tainted => f.write_str("the server read other people's content in the last hour"),
            Self::Fragile => f.write_str("only a position leads to the object, and positions change"),
            Self::Dialog => f.write_str("the dialog of macOS interrupts the person at the Mac"),
            Self::Preview { of } => write!(f, "a look at what the server will ask a human about ({of})"),
            Self::Probe => f.write_str("a fixed check of this server"),
            Self::Grant { id } => write!(f, "the grant {id}"),
            Self::Human { choice, by } => write!(f, "a human ({}, {by})", choice.as_str()),
            Self::Nobody { why } => write!(f, "no one approved it ({why})"),
        }
    }
}
