//! Turns an action into a decision, and an answer into an approval.

use super::classify::{classify_act, is_raised, opens_address, sends};
use super::closed::{Hit, Why, is_path_of_file, written_paths};
use super::policy::Verdict;
use super::question::COVERED;
use super::touch::{classes, touches};
use super::{
    Answer, Approved, Asked, Choice, Classified, CommandName, Decision, Digest, Gate, Level, Question,
    Refusal, Ruling, Scope, Source, TAINT, Touch, Unasked, Wording, classify,
};
use crate::Millis;
use crate::action::{Action, Creation, Deed, Invocation, Preview, Seen};
use crate::app::{App, STANDARD_ADDITIONS, same_id};
use crate::fault::{Code, Fault};
use crate::marshal::Given;
use crate::specifier::{Path, quoted};

/// Decides on an action: the strictest ruling on any of its touches counts.
pub fn decide(action: Action, app_name: &str, gate: &Gate, now: Millis) -> Decision {
    let harm = classify(&action, gate.policy.levels());
    if let Some(hit) = gate.closed.reached_by(&action) {
        return Decision::Deny(closed(&hit, harm, &action));
    }
    let once = counts_once(&action, gate);
    let mut judged = judge(&action, app_name, &harm, once, gate, now);
    judged.sort_by_key(|judged| std::cmp::Reverse((judged.verdict.ruling, judged.scope.level)));
    // Every spelling of an object ends here as an action in one app. System deeds without an app reach no object.
    if let Some(app) = gate.app.as_deref().filter(|app| !action.app.is_empty() && !same_id(app, &action.app))
    {
        let scopes = judged.into_iter().map(|judged| judged.scope).collect();
        return Decision::Deny(denied(Source::OtherApp(app.to_owned()), harm, scopes));
    }
    if let Some(most) = gate.most.filter(|most| granted(&action, &harm, gate) > *most) {
        let scopes = judged.into_iter().map(|judged| judged.scope).collect();
        return Decision::Deny(denied(Source::Ceiling(most), harm, scopes));
    }
    // Asking macOS changes nothing in the app, so it may run even if only reads are allowed. But no one expects the
    // dialog, and a rule that allows reads of an app says nothing about it.
    if action.deed.asks_macos() {
        for Judged { verdict, .. } in &mut judged {
            if verdict.ruling == Ruling::Allow {
                *verdict = Verdict::without_launch(Ruling::Ask, Source::Dialog);
            }
        }
    }
    // An approval counts for one text, so neither a rule nor an earlier approval replaces a human who reads this one.
    if let Deed::RunScript { .. } = &action.deed {
        let is_tainted = gate.untrusted.is_some_and(|read| now.since(read) < TAINT);
        let source = if is_tainted { Source::Tainted } else { Source::Script };
        for Judged { verdict, .. } in &mut judged {
            *verdict = match (verdict.ruling, gate.policy.runs_scripts()) {
                (Ruling::Deny, _) => continue,
                (_, false) => Verdict::without_launch(Ruling::Deny, Source::NoScripts),
                (_, true) => Verdict::without_launch(Ruling::Ask, source.clone()),
            };
        }
    }
    let launch = judged.iter().all(|judged| judged.verdict.launch);
    let Verdict { ruling, source, .. } =
        judged.first().map(|first| first.verdict.clone()).expect("an action touches something");
    let same = judged.into_iter().filter(|judged| judged.verdict.ruling == ruling);
    let scopes = same.map(|judged| judged.scope).collect();
    match ruling {
        Ruling::Allow => Decision::Allow(Approved { action, harm, source, scopes, launch }),
        Ruling::Ask => Decision::Ask(Unasked { action, harm, source, scopes, once }),
        Ruling::Deny => Decision::Deny(denied(source, harm, scopes)),
    }
}

/// The level that a plugin's grant must have. A script was granted with its level for any number of objects, so the
/// number does not count here; the human sees it.
fn granted(action: &Action, harm: &Classified, gate: &Gate) -> Level {
    let Deed::Script(script) = &action.deed else { return harm.level };
    let levels = gate.policy.levels();
    let acts = script.acts.iter().map(|act| classify_act(&action.app, act, 0, levels).level);
    acts.max().unwrap_or(harm.level)
}

/// Decides on an action that would write a file which turned out to exist. The action replaces the file, even if the
/// command's name does not say so.
pub(crate) fn decide_replacing(action: Action, app_name: &str, gate: &Gate, now: Millis) -> Decision {
    let mut replacing = action.clone();
    replacing.deed.replace_files();
    match decide(replacing, app_name, gate, now) {
        Decision::Allow(approved) => Decision::Allow(Approved { action, ..approved }),
        Decision::Ask(unasked) => Decision::Ask(Unasked { action, ..unasked }),
        Decision::Deny(refusal) => Decision::Deny(refusal),
    }
}

/// The decision about one touch.
#[derive(Clone, Debug)]
struct Judged {
    verdict: Verdict,
    scope: Scope,
}

fn judge(
    action: &Action,
    app_name: &str,
    harm: &Classified,
    once: bool,
    gate: &Gate,
    now: Millis,
) -> Vec<Judged> {
    let tainted = gate.untrusted.is_some_and(|read| now.since(read) < TAINT);
    let touches = touches(action, app_name, gate.plugin.as_deref(), harm, &gate.policy);
    let judge = |touch: Touch<'_>| {
        let verdict = match &action.deed {
            Deed::Script(_) => gate.policy.judge_act(&touch, tainted),
            _ => gate.policy.judge(&touch, tainted),
        };
        let verdict = match once && touch.level > Level::Safe {
            true => verdict,
            false => with_grants(verdict, &touch, gate, now),
        };
        Judged { verdict, scope: Scope::of(&touch) }
    };
    touches.into_iter().map(judge).collect()
}

/// An earlier approval allows an action that would ask. A refused action stays refused.
fn with_grants(verdict: Verdict, touch: &Touch<'_>, gate: &Gate, now: Millis) -> Verdict {
    match gate.grants.covering(touch, now).filter(|_| !touch.is_fragile) {
        Some(grant) if verdict.ruling == Ruling::Ask => {
            let source = Source::Grant { id: grant.id.clone() };
            Verdict { ruling: Ruling::Allow, source, launch: true }
        }
        _ => verdict,
    }
}

/// Decides about one command or property of an app, independent of the objects.
pub fn forecast(scope: &Scope, app_name: &str, is_shell: bool, gate: &Gate, now: Millis) -> (Ruling, Source) {
    let touch = Touch {
        app: &scope.app,
        app_name,
        plugin: scope.plugin.as_deref(),
        level: scope.level,
        is_shell,
        command: scope
            .command
            .as_ref()
            .map(|command| CommandName { name: &command.name, code: &command.code }),
        property: scope.property.as_deref(),
        class: scope.class.as_deref(),
        is_fragile: false,
        is_many: scope.many,
    };
    let tainted = gate.untrusted.is_some_and(|read| now.since(read) < TAINT);
    let verdict = with_grants(gate.policy.judge(&touch, tainted), &touch, gate, now);
    (verdict.ruling, verdict.source)
}

/// Whether a property may be read without asking anyone, so that its value may be in an answer.
pub(crate) fn may_read(property: &str, app: &App, gate: &Gate, now: Millis) -> bool {
    let touch = Touch {
        app: &app.bundle_id,
        app_name: &app.name,
        plugin: gate.plugin.as_deref(),
        level: Level::Safe,
        is_shell: false,
        command: None,
        property: Some(property),
        class: None,
        is_fragile: false,
        is_many: false,
    };
    with_grants(gate.policy.judge(&touch, false), &touch, gate, now).ruling == Ruling::Allow
}

impl Unasked {
    /// The action in words: all its parts, such as the properties that a read names.
    pub(crate) fn in_words(&self) -> String {
        each(&self.scopes, Scope::order).join(", ")
    }

    /// The rules that would allow it, in the form of the list in the policy.
    pub(crate) fn policy_line(&self) -> String {
        each(&self.scopes, Scope::policy_line).join(", ")
    }

    /// The command lines that would allow it, as a part of a sentence.
    pub(crate) fn command_lines(&self) -> String {
        command_lines(&self.scopes)
    }

    /// A look at the objects that the action would change, as a part of the question; `None` if there are none.
    pub(crate) fn preview(&self, look: Preview) -> Option<Approved> {
        if look.subjects.is_empty() {
            return None;
        }
        let Action { app, terms, .. } = &self.action;
        let action = Action { app: app.clone(), terms: terms.clone(), deed: Deed::Preview(look) };
        let harm = classify(&action, &[]);
        Some(Approved {
            action,
            harm,
            source: Source::Preview { of: Box::new(self.source.clone()) },
            scopes: self.scopes.clone(),
            launch: false,
        })
    }

    /// The action.
    pub(crate) fn action(&self) -> &Action {
        &self.action
    }

    /// Decides again, because a file that it would write exists.
    pub(crate) fn replacing(self, app_name: &str, gate: &Gate, now: Millis) -> Decision {
        decide_replacing(self.action, app_name, gate, now)
    }

    /// Binds a command to the values that the human will see of its objects.
    pub(crate) fn after(mut self, seen: Vec<Seen>) -> Self {
        if let Deed::Command(invocation) = &mut self.action.deed {
            invocation.seen.extend(seen);
        }
        self
    }

    /// Puts the question in words. It is bound to these words and to the parts of the script, which the module `jxa`
    /// passes in.
    pub(crate) fn ask(self, mut wording: Wording, mut parts: Vec<String>) -> Asked {
        let Self { action, harm, source, scopes, once } = self;
        if same_id(&action.app, STANDARD_ADDITIONS) {
            wording.app = SYSTEM.into();
        }
        let why = why(&source);
        // The profile asks about every change, so it is not a reason specific to this one. The reason is what this
        // change does.
        let because = match &source {
            Source::Profile(_) => format!("it {}", harm.reason),
            Source::Rule { .. } => format!("it {}, {why}", harm.reason),
            _ => why.clone(),
        };
        let is_broad = once || is_wide(&action, &harm) || is_followed(&action);
        let once = action.deed.asks_macos() || !wording.script.is_empty() || wording.differs || is_broad;
        let lasting = if once || scopes.len() > COVERED { Vec::new() } else { scopes.clone() };
        let told = if shows_what_was_read(&action.deed) {
            each(&scopes, Scope::order).join(", ")
        } else {
            wording.deed.clone()
        };
        let (level, digest) = (harm.level, Digest::of(&[]));
        let (told, why, because) = (told.into(), why.into(), because.into());
        let unbound = Question { wording, told, level, why, because, scopes: lasting, digest };
        // A longer approval covers the scopes, so the digest includes them.
        parts.extend(scopes.iter().map(Scope::policy_line));
        parts.push(unbound.text());
        let digest = Digest::of(&parts);
        Asked { action, harm, scopes, question: Question { digest, ..unbound } }
    }
}

/// The name of Standard Additions in a question: people do not know the file that holds these commands of macOS.
const SYSTEM: &str = "macOS";

/// Whether the question shows something that was read from the app: the old value that an undo writes, the
/// whole of a text to which something is added, or the name of an object among the parameters.
fn shows_what_was_read(deed: &Deed) -> bool {
    match deed {
        Deed::Set(_) => true,
        Deed::Command(invocation) => invocation.values().any(|given| !given.paths().is_empty()),
        _ => false,
    }
}

/// The class that stands for any object at a POSIX path.
const ITEM: &str = "item";

/// Whether an approval counts for this call only. A path has no class, so a longer approval would cover every path. No
/// scope covers what is sent to whom, which address is opened, or what a change removes besides the old value. If a
/// value raised the level, a longer approval would cover every other value of that level.
fn counts_once(action: &Action, gate: &Gate) -> bool {
    let has_file = |given: &Given| !given.files().is_empty();
    let is_path = |path: &Path| is_path_of_file(&action.app, &action.terms, path);
    let changes = action.deed.changes();
    let set = changes.iter().any(|one| is_path(&one.subject.path) || one.values.iter().any(has_file));
    let mut values = action.deed.commands().into_iter().flat_map(Invocation::values);
    let sent = values.any(|value| has_file(value) || value.paths().into_iter().any(is_path));
    let loses = changes.iter().any(|one| one.loses.is_some());
    set || sent
        || writes_path(action)
        || loses
        || sends(action)
        || opens_address(action)
        || is_raised(action, gate.policy.levels())
}

/// Whether a property gets a path as a text. The app then saves the object there, and another path may hide a file.
fn writes_path(action: &Action) -> bool {
    written_paths(&action.deed.commands(), &action.deed.changes()).next().is_some()
}

/// Whether a longer approval would cover far more than the question showed. A dangerous command may name a class that
/// others inherit from: an `item` may be a whole folder.
fn is_wide(action: &Action, harm: &Classified) -> bool {
    let Some(dictionary) = &action.terms.0 else { return false };
    let has_kinds =
        |class: &&str| dictionary.classes.keys().any(|other| other != class && dictionary.is_a(other, class));
    let commands = action.deed.commands();
    // An object at the end of a path is an `item` of Finder until the server has looked at it.
    let is_far = |class: &str| harm.level == Level::Dangerous || class == ITEM;
    commands.into_iter().flat_map(classes).any(|class| is_far(class) && has_kinds(&class))
}

/// Whether commands follow a new object, at any level. An approval for an hour would also cover the same command on
/// other objects, which the human has not seen.
fn is_followed(action: &Action) -> bool {
    let has_more = |creation: &Creation| !creation.then.is_empty() || !creation.sets.is_empty();
    matches!(&action.deed, Deed::Create(creation) if has_more(creation) || creation.origin().is_some())
}

fn why(source: &Source) -> String {
    match source {
        Source::Profile(profile) => format!("asked by the policy's profile \"{}\"", profile.as_str()),
        Source::Rule { .. } => format!("asked by {source}"),
        other => format!("asked because {other}"),
    }
}

/// The result of an answer.
pub(crate) enum Answered {
    /// The action may run.
    Yes(Box<Approved>),
    /// It may not.
    No(Box<Refusal>),
    /// The answer belongs to another question: this one is still open.
    Again(Box<Asked>),
}

impl Asked {
    /// The action.
    pub(crate) fn action(&self) -> &Action {
        &self.action
    }

    /// The question.
    pub(crate) fn question(&self) -> &Question {
        &self.question
    }

    /// Adds a note to the question, once. The question is then bound to the note, too.
    pub(crate) fn note(&mut self, note: &str) {
        let question = &mut self.question;
        let notes = question.wording.consequence.get_or_insert_default();
        if notes.contains(note) {
            return;
        }
        let joint = if notes.is_empty() { "" } else { "; " };
        *notes = format!("{notes}{joint}{note}");
        question.digest = Digest::of(&[question.digest.to_hex(), question.text()]);
    }

    /// Takes an answer. A refusal by the current policy counts too.
    pub(crate) fn answered(self, answer: Answer, app_name: &str, gate: &Gate, now: Millis) -> Answered {
        match answer {
            Answer::Chosen { digest, .. } if digest != self.question.digest => {
                Answered::Again(Box::new(self))
            }
            Answer::Chosen { choice, by, .. } => self.chosen(choice, by, app_name, gate, now),
            Answer::Unanswered(why) => {
                let said = format!("not allowed: {why}");
                self.no(&said, Source::Nobody { why })
            }
            Answer::NoWay(why) => self.required(&why),
        }
    }

    /// Only an offered answer counts as an approval.
    fn chosen(self, choice: Choice, by: String, app_name: &str, gate: &Gate, now: Millis) -> Answered {
        if choice == Choice::Deny || !self.question.offers(choice) {
            let said = format!("a human refused this (asked by: {by})");
            return self.no(&said, Source::Human { choice: Choice::Deny, by });
        }
        match decide(self.action, app_name, gate, now) {
            Decision::Deny(refusal) => Answered::No(Box::new(refusal)),
            Decision::Allow(Approved { action, .. }) | Decision::Ask(Unasked { action, .. }) => {
                let source = Source::Human { choice, by };
                let Self { harm, scopes, .. } = self;
                Answered::Yes(Box::new(Approved { action, harm, source, scopes, launch: true }))
            }
        }
    }

    fn no(self, said: &str, source: Source) -> Answered {
        let message = format!("{}: {said}", self.question.told());
        let fault =
            Fault::new(Code::PermissionDenied, message, "do not repeat it unless the user asks for it again")
                .in_app(&self.action.app)
                .with("level", self.harm.level.as_str());
        self.refused(source, fault)
    }

    fn required(self, why: &str) -> Answered {
        let told = self.question.told();
        let message = format!("{told}: a human must approve this, and no one could be asked: {why}");
        if let Deed::RunScript { .. } = self.action.deed {
            let suggestion = "use the other tools, or a client that can show the user a question; a rule cannot approve a script: a person must read it";
            let fault =
                Fault::new(Code::PermissionRequired, message, suggestion).with("requiresPrompt", true);
            let fault = fault.with("level", self.harm.level.as_str());
            return self.refused(Source::Nobody { why: why.to_owned() }, fault);
        }
        let lines = each(&self.scopes, Scope::policy_line);
        let commands = command_lines(&self.scopes);
        let those = if lines.len() == 1 { "that line" } else { "those lines" };
        let suggestion = format!(
            "tell the user what you want to do; the user can allow it with {commands} or by {those} in `rules` of policy.toml"
        );
        let fault = Fault::new(Code::PermissionRequired, message, suggestion)
            .with("requiresPrompt", true)
            .in_app(&self.action.app)
            .with("level", self.harm.level.as_str())
            .with("policyLine", lines.join(", "));
        self.refused(Source::Nobody { why: why.to_owned() }, fault)
    }

    fn refused(self, source: Source, fault: Fault) -> Answered {
        Answered::No(Box::new(Refusal { source, harm: self.harm.clone(), scopes: self.scopes, fault }))
    }
}

fn command_lines(scopes: &[Scope]) -> String {
    each(scopes, |scope| format!("`{}`", scope.command_line())).join(" and ")
}

/// One sentence for each scope, without repeats. A write of two properties needs one rule for each.
fn each(scopes: &[Scope], say: impl Fn(&Scope) -> String) -> Vec<String> {
    let mut said: Vec<String> = Vec::new();
    for line in scopes.iter().map(say) {
        if !said.contains(&line) {
            said.push(line);
        }
    }
    said
}

/// No line of the policy can allow this.
fn closed(hit: &Hit, harm: Classified, action: &Action) -> Refusal {
    let name = quoted(&hit.name);
    let (code, place, message, suggestion) = match &hit.why {
        Why::Closed(place) => (
            Code::PermissionDenied,
            place.as_str(),
            format!("{name} leads to {place}, which is closed to every call"),
            "use another file; only the user can change this one, by hand or with `iac-mcp policy`",
        ),
        Why::Unnamed => (
            Code::PermissionDenied,
            "a file that has no name here",
            format!(
                "{name} may be any file, even one that is closed to every call; expected a file with a name"
            ),
            "name the file: use a `named` specifier in a named folder, or a reference from a list",
        ),
        Why::Silent => (
            Code::Unavailable,
            "a disk that does not answer",
            format!("the disk of {name} does not answer, so the server cannot tell which file is behind it"),
            "try again when the disk answers, or ask the user to eject it",
        ),
    };
    let fault = Fault::new(code, message, suggestion).in_app(&action.app).with("level", harm.level.as_str());
    let scope = Scope { app: action.app.to_string(), level: harm.level, ..Scope::default() };
    Refusal { source: Source::Closed { place: place.to_owned() }, harm, scopes: vec![scope], fault }
}

fn denied(source: Source, harm: Classified, scopes: Vec<Scope>) -> Refusal {
    let scope = scopes.first().cloned().unwrap_or_default();
    let what = scope.in_words();
    let message = match &source {
        Source::OnlyReads | Source::Shell | Source::NoScripts | Source::Ceiling(_) | Source::OtherApp(_) => {
            format!("calls {what} are not allowed: {source}")
        }
        source => format!("{source} does not allow calls {what}"),
    };
    let fault = |suggestion: &str| {
        Fault::new(Code::PermissionDenied, message, suggestion)
            .in_app(&scope.app)
            .with("level", scope.level.as_str())
    };
    let fault = match &source {
        Source::OnlyReads => {
            fault("only the user can change this, by starting the server without --read-only")
        }
        Source::NoScripts => fault(
            "use the other tools; only the user can switch scripts on, with `iac-mcp policy scripts ask`",
        ),
        Source::OtherApp(app) => {
            fault(&format!("name objects of {app}, or open the other app, which needs a grant of its own"))
        }
        Source::Ceiling(_) => {
            let Scope { app, plugin, level, .. } = &scope;
            let (plugin, level) = (plugin.as_deref().unwrap_or("PLUGIN"), level.as_str().to_lowercase());
            fault(&format!(
                "only the user can change this: `iac-mcp plugin grant {plugin} apps-change {app} --level {level}`"
            ))
        }
        _ => fault(&format!("only the user can change this: `{}`", scope.command_line()))
            .with("policyLine", scope.policy_line()),
    };
    Refusal { source, harm, scopes, fault }
}

#[cfg(test)]
mod tests;
