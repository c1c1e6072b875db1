//! The reasons why an answer may be incomplete. Every answer carries them, so that no one takes an empty list for
//! "there is nothing".

use std::collections::BTreeSet;

use crate::world::{Doubt, Freshness};

/// The maximum number of places that a note names.
const PLACES: usize = 5;

/// The beginning of a note about files that no server reads.
const UNSERVED: &str = "files `.";

/// A reason for `complete: false`, in the order in which they are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reason {
    /// A server still reads the project.
    Loading,
    /// A server never says when it has read the project.
    ReadinessUnknown,
    /// A server could not read the project.
    Degraded,
    /// A server cut its list.
    IndexCapped,
    /// The deadline passed.
    Deadline,
    /// A granted folder could not be opened.
    RootClosed,
    /// There are more files than the plugin examines.
    FileCap,
    /// The project's settings hide files from a server.
    ServerScope,
    /// A server knows only files that are open.
    UnopenedOnly,
    /// The build leaves out code that may contain more results.
    InactiveCode,
    /// A server reports what it checks itself, and not what the compiler finds.
    OwnChecks,
    /// A file has syntax errors.
    SyntaxErrors,
    /// Types implement a protocol or an interface by their members and do not name it.
    Structural,
    /// Uses, or other declarations of the symbol, that a rename does not edit.
    Unedited,
    /// Strings hold the name, and code may look it up by them.
    InStrings,
    /// The new name already has a meaning where a rename puts it.
    NameTaken,
    /// The server gives no definition and no type at a place.
    Unresolved,
    /// A server ended and was started again meanwhile.
    Restarted,
    /// There are more results than the answer shows.
    Truncated,
}

/// The doubts about a server that does not read every file.
const NARROWED: [Reason; 3] = [Reason::Degraded, Reason::ServerScope, Reason::UnopenedOnly];

/// The facts about the completeness of one answer.
#[derive(Clone, Debug, Default)]
pub(crate) struct Doubts {
    reasons: BTreeSet<Reason>,
    failed: usize,
    /// Places of a name that have no meaning for a server.
    untyped: usize,
    /// Extensions of files that no server has read.
    unserved: BTreeSet<String>,
    notes: Vec<(Option<Reason>, String)>,
}

impl Reason {
    fn name(self) -> &'static str {
        match self {
            Self::Loading => "loading",
            Self::ReadinessUnknown => "readiness_unknown",
            Self::Degraded => "degraded",
            Self::IndexCapped => "index_capped",
            Self::Deadline => "deadline",
            Self::RootClosed => "root_closed",
            Self::FileCap => "file_cap",
            Self::ServerScope => "server_scope",
            Self::UnopenedOnly => "unopened_only",
            Self::InactiveCode => "inactive_code",
            Self::OwnChecks => "own_checks",
            Self::SyntaxErrors => "syntax_errors",
            Self::Structural => "structural",
            Self::Unedited => "unedited_uses",
            Self::InStrings => "in_strings",
            Self::NameTaken => "name_taken",
            Self::Unresolved => "unresolved",
            Self::Restarted => "restarted",
            Self::Truncated => "truncated",
        }
    }
}

impl Doubts {
    pub(crate) fn add(&mut self, reason: Reason) {
        self.reasons.insert(reason);
    }

    /// Adds the doubts of a server about its answer.
    pub(crate) fn hear(&mut self, freshness: &Freshness) {
        freshness.doubts.iter().for_each(|&doubt| self.add(reason(doubt)));
    }

    /// Counts files that gave no answer.
    pub(crate) fn fail(&mut self, files: usize) {
        self.failed += files;
    }

    /// Counts places that may be uses, and names some of them.
    pub(crate) fn untyped(&mut self, name: &str, places: &[String]) {
        self.untyped += places.len();
        if !places.is_empty() {
            let places = named(places, "places");
            self.note(format!(
                "`{name}` stands where the server knows no type, so each may be a use: {places}"
            ));
        }
    }

    /// Counts calls of functions that a server does not know.
    pub(crate) fn unknown_calls(&mut self, places: &[String]) {
        self.untyped += places.len();
        if !places.is_empty() {
            self.note(format!("the server does not know what is called here: {}", named(places, "places")));
        }
    }

    /// Adds files that no server reads, by their extension, and why.
    pub(crate) fn unserved(&mut self, extension: &str, why: &str) {
        if self.unserved.insert(extension.to_owned()) {
            self.note(format!("{UNSERVED}{extension}` were not read: {why}"));
        }
    }

    /// Withdraws the doubt about files that no server reads.
    pub(crate) fn withdraw_unserved(&mut self) {
        self.unserved.clear();
        self.notes.retain(|(_, note)| !note.starts_with(UNSERVED));
    }

    /// Adds all doubts of another answer.
    pub(crate) fn join(&mut self, other: &Self) {
        self.reasons.extend(&other.reasons);
        self.failed += other.failed;
        self.untyped += other.untyped;
        self.unserved.extend(other.unserved.iter().cloned());
        other.notes.iter().for_each(|note| self.say(note.clone()));
    }

    /// Withdraws the doubts about files that a server does not read. This is right if the answer to a stronger
    /// question has no doubts.
    pub(crate) fn settle(&mut self, other: &Self) {
        self.reasons.retain(|reason| !NARROWED.contains(reason) || other.reasons.contains(reason));
    }

    /// Withdraws reasons, and the notes about them.
    pub(crate) fn withdraw(&mut self, reasons: &[Reason]) {
        self.reasons.retain(|reason| !reasons.contains(reason));
        self.notes.retain(|(about, _)| about.is_none_or(|about| !reasons.contains(&about)));
    }

    /// Tells whether files that a server does not read are a reason.
    pub(crate) fn is_narrowed(&self) -> bool {
        NARROWED.iter().any(|reason| self.reasons.contains(reason))
    }

    /// Adds a sentence, once.
    pub(crate) fn note(&mut self, note: impl Into<String>) {
        self.say((None, note.into()));
    }

    /// Adds a sentence about a reason. If the reason is withdrawn, the sentence goes with it.
    pub(crate) fn explain(&mut self, reason: Reason, note: impl Into<String>) {
        self.say((Some(reason), note.into()));
    }

    /// Adds a reason with places, if there are any.
    pub(crate) fn places(&mut self, reason: Reason, said: &str, places: &[String]) {
        if !places.is_empty() {
            self.add(reason);
            self.explain(reason, format!("{said}: {}", named(places, "places")));
        }
    }

    /// Says how many results were left out because the query excludes their files.
    pub(crate) fn excluded(&mut self, count: usize) {
        if count > 0 {
            let results = if count == 1 { "result" } else { "results" };
            self.note(format!("{count} {results} in excluded files left out"));
        }
    }

    fn say(&mut self, note: (Option<Reason>, String)) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Adds that the build leaves out code, if it does: the note, the places, and their kind.
    pub(crate) fn inactive(&mut self, said: &str, places: &[String], what: &str) {
        if !places.is_empty() {
            self.add(Reason::InactiveCode);
            self.explain(Reason::InactiveCode, format!("{said}: {}", named(places, what)));
        }
    }

    /// Adds a note about shortened parts; it replaces the notes before it.
    pub(crate) fn shortened(&mut self, note: String) {
        self.notes.retain(|(_, note)| !note.starts_with("shortened: "));
        self.notes.insert(0, (None, note));
    }

    /// Tells whether the answer is complete.
    pub(crate) fn is_complete(&self) -> bool {
        self.reasons.is_empty() && self.failed == 0 && self.untyped == 0 && self.unserved.is_empty()
    }

    /// Tells whether a reason is there.
    pub(crate) fn has(&self, reason: Reason) -> bool {
        self.reasons.contains(&reason)
    }

    /// Returns the reasons by their names.
    pub(crate) fn reasons(&self) -> Vec<String> {
        let failed = (self.failed > 0).then(|| format!("some_files_failed({})", self.failed));
        let untyped = (self.untyped > 0).then(|| format!("untyped_uses({})", self.untyped));
        let extensions: Vec<&str> = self.unserved.iter().map(String::as_str).collect();
        let unserved = (!extensions.is_empty()).then(|| format!("no_server({})", extensions.join(", ")));
        let named = self.reasons.iter().map(|reason| reason.name().to_owned());
        named.chain(untyped).chain(unserved).chain(failed).collect()
    }

    /// Returns the sentences as one text.
    pub(crate) fn notes(&self) -> Option<String> {
        let notes: Vec<&str> = self.notes.iter().map(|(_, note)| note.as_str()).collect();
        (!notes.is_empty()).then(|| notes.join("; "))
    }
}

/// The first of some places, and how many more there are.
pub(crate) fn named(places: &[String], what: &str) -> String {
    let (named, rest) = places.split_at(places.len().min(PLACES));
    let more = if rest.is_empty() { String::new() } else { format!(" and {} more {what}", rest.len()) };
    format!("{}{more}", named.join(", "))
}

fn reason(doubt: Doubt) -> Reason {
    match doubt {
        Doubt::Loading => Reason::Loading,
        Doubt::ReadinessUnknown => Reason::ReadinessUnknown,
        Doubt::Degraded => Reason::Degraded,
        Doubt::Capped => Reason::IndexCapped,
        Doubt::Scope => Reason::ServerScope,
        Doubt::OpenOnly => Reason::UnopenedOnly,
        Doubt::Restarted => Reason::Restarted,
        Doubt::Stale => Reason::Deadline,
        Doubt::Syntax => Reason::SyntaxErrors,
    }
}
