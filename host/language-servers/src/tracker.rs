//! Tracks what a server reports about itself: work in progress, health, and abilities.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value as Json;
use tokio::time::Instant;

use crate::profile::{Profile, Ready};
use crate::types::State;

/// The most pieces of work in progress that are tracked. A server that announces more is flooding the host.
const MOST_WORK: usize = 1_000;

/// How far the warm-up has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Warm {
    /// It is still going on.
    Not,
    /// The server knows the project.
    Known,
    /// There is no sign to the contrary.
    Assumed,
}

/// What a server has reported.
#[derive(Debug)]
pub(crate) struct Tracker {
    pub(crate) warm: Warm,
    pub(crate) worked: Instant,
    /// Whether its log contained the awaited text.
    pub(crate) logged: bool,
    /// The names of work that has ended, if they begin with one of the awaited prefixes.
    ended: Vec<String>,
    begun: bool,
    work: HashMap<String, Work>,
    status: Option<Health>,
    /// Work that means a failure: its token and message.
    failed: Option<(String, String)>,
    /// Methods that were registered dynamically, by registration id.
    pub(crate) registered: BTreeMap<String, (String, Json)>,
}

#[derive(Debug)]
struct Work {
    title: String,
    text: String,
    percent: Option<u64>,
    counts: bool,
}

#[derive(Debug)]
struct Health {
    quiescent: bool,
    health: String,
    message: Option<String>,
}

impl Tracker {
    pub(crate) fn new() -> Self {
        Self {
            warm: Warm::Not,
            worked: Instant::now(),
            logged: false,
            ended: Vec::new(),
            begun: false,
            work: HashMap::new(),
            status: None,
            failed: None,
            registered: BTreeMap::new(),
        }
    }

    /// Handles `$/progress`.
    pub(crate) fn progress(&mut self, params: &Json, profile: &Profile) {
        let token =
            params.get("token").map(|token| token.as_str().map_or_else(|| token.to_string(), str::to_owned));
        let (Some(token), Some(value)) = (token, params.get("value")) else { return };
        let text = |key: &str| value.get(key).and_then(Json::as_str).unwrap_or_default().to_owned();
        match value.get("kind").and_then(Json::as_str) {
            Some("begin") => self.begin(token, text("title"), text("message"), profile),
            Some("report") => {
                if let Some(work) = self.work.get_mut(&token) {
                    work.text = text("message");
                    work.percent = value.get("percentage").and_then(Json::as_u64).or(work.percent);
                }
            }
            Some("end") => {
                self.failed.take_if(|(failed, _)| *failed == token);
                self.end(&token, profile);
            }
            _ => {}
        }
    }

    fn begin(&mut self, token: String, title: String, text: String, profile: &Profile) {
        if let Some(failed) =
            profile.failed_progress.as_ref().filter(|failed| title.starts_with(&failed.title))
        {
            self.failed = Some((token, format!("{title}: {text}; {}", failed.hint)));
            return;
        }
        let ignored =
            profile.ignored_progress.iter().any(|name| token.starts_with(name) || title.starts_with(name));
        self.begun |= awaited(profile).iter().any(|name| token.starts_with(name) || title.starts_with(name));
        if self.work.len() < MOST_WORK {
            self.work.insert(token, Work { title, text, percent: None, counts: !ignored });
        }
        self.touch(!ignored);
    }

    fn end(&mut self, token: &str, profile: &Profile) {
        let Some(work) = self.work.remove(token) else { return };
        for name in awaited(profile) {
            if (token.starts_with(name.as_str()) || work.title.starts_with(name.as_str()))
                && !self.ended.contains(name)
            {
                self.ended.push(name.clone());
            }
        }
        self.touch(work.counts);
    }

    fn touch(&mut self, counts: bool) {
        if counts {
            self.worked = Instant::now();
        }
    }

    /// Handles a log line.
    pub(crate) fn log(&mut self, line: &str, profile: &Profile) {
        if let Ready::Log { text } = &profile.ready {
            self.logged |= line.contains(text.as_str());
        }
    }

    /// Handles jdtls's `language/status`, which reports how well the project loaded. A build file with errors leaves
    /// the project without its sources, and a failed import leaves it empty.
    pub(crate) fn fail(&mut self, params: &Json, profile: &Profile) {
        let Some(failed) = &profile.failed_progress else { return };
        let text = |key: &str| params.get(key).and_then(Json::as_str).unwrap_or_default();
        let said = text("message");
        let reason = match (text("type"), said) {
            ("ProjectStatus", "OK") => return drop(self.failed.take_if(|(kind, _)| kind == "ProjectStatus")),
            ("ProjectStatus", _) => "its build file has errors, which its diagnostics say",
            ("Error", said) if said.starts_with(&failed.title) => said,
            _ => return,
        };
        self.failed = Some((text("type").to_owned(), format!("{reason}; {}", failed.hint)));
    }

    /// Handles `experimental/serverStatus`.
    pub(crate) fn status(&mut self, params: &Json) {
        self.status = Some(Health {
            quiescent: params.get("quiescent").and_then(Json::as_bool).unwrap_or(true),
            health: params.get("health").and_then(Json::as_str).unwrap_or("ok").to_owned(),
            message: params.get("message").and_then(Json::as_str).map(str::to_owned),
        });
        self.worked = Instant::now();
    }

    /// Whether work that is waited for has begun.
    pub(crate) fn has_begun(&self) -> bool {
        self.begun
    }

    /// Whether work that is waited for has ended.
    pub(crate) fn has_ended(&self) -> bool {
        !self.ended.is_empty()
    }

    pub(crate) fn is_busy(&self) -> bool {
        self.work.values().any(|work| work.counts)
    }

    /// Returns the state of a server that has answered its first request.
    pub(crate) fn state(&self, profile: &Profile) -> State {
        if self.failed.is_some() {
            return State::Degraded;
        }
        match (&profile.ready, &self.status) {
            (Ready::Status { .. }, Some(status)) if status.health == "error" && status.quiescent => {
                State::Degraded
            }
            // It also reports that it is quiescent before it has begun to load.
            (Ready::Status { .. }, Some(status))
                if status.quiescent && self.has_ended() && !self.is_busy() =>
            {
                State::Ready
            }
            (Ready::Status { .. }, _) => State::Loading,
            (..) if self.warm == Warm::Not || self.is_busy() => State::Loading,
            (..) => State::Ready,
        }
    }

    /// Whether a part of the project has a problem, such as a dependency.
    pub(crate) fn is_ill(&self) -> bool {
        self.failed.is_some() || self.status.as_ref().is_some_and(|status| status.health != "ok")
    }

    pub(crate) fn message(&self) -> Option<String> {
        if let Some((_, failed)) = &self.failed {
            return Some(failed.clone());
        }
        let status = self.status.as_ref().filter(|status| status.health != "ok")?;
        status.message.clone().or_else(|| Some(format!("it says that its health is `{}`", status.health)))
    }

    pub(crate) fn work(&self) -> Option<String> {
        let work =
            self.work.values().filter(|work| work.counts).min_by(|one, other| one.title.cmp(&other.title))?;
        let percent = work.percent.map(|percent| format!(" {percent} %")).unwrap_or_default();
        let text = if work.text.is_empty() { String::new() } else { format!(" {}", work.text) };
        Some(format!("{}{text}{percent}", work.title))
    }
}

fn awaited(profile: &Profile) -> &[String] {
    match &profile.ready {
        Ready::Status { after } | Ready::Progress { after, .. } => after,
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::profile::known;

    fn check(profile: &str, said: &[(&str, Json)], expected: State) {
        let profile = known().into_iter().find(|known| known.name == profile).unwrap();
        let mut tracker = Tracker::new();
        for (what, params) in said {
            match *what {
                "status" => tracker.status(params),
                "warm" => tracker.warm = Warm::Known,
                kind => {
                    let value = json!({"kind": kind, "title": params});
                    tracker.progress(&json!({"token": params, "value": value}), &profile);
                }
            }
        }
        assert_eq!(tracker.state(&profile), expected, "{said:?}");
    }

    #[test]
    fn quiet_is_not_ready() {
        let quiet = ("status", json!({"health": "ok", "quiescent": true}));
        let busy = ("status", json!({"health": "ok", "quiescent": false}));
        let ill = ("status", json!({"health": "error", "quiescent": true, "message": "no cargo"}));
        let roots = || json!("rustAnalyzer/Roots Scanned");
        let check = |said: &[(&str, Json)], expected| check("rust-analyzer", said, expected);
        check(std::slice::from_ref(&quiet), State::Loading);
        check(&[quiet.clone(), ("begin", roots()), quiet.clone()], State::Loading);
        check(&[("begin", roots()), ("end", roots()), quiet.clone()], State::Ready);
        check(&[("begin", roots()), ("end", roots()), quiet.clone(), busy], State::Loading);
        check(&[ill], State::Degraded);
        let flycheck = ("begin", json!("rustAnalyzer/flycheck/0"));
        check(&[("begin", roots()), ("end", roots()), quiet.clone(), flycheck], State::Ready);
        check(
            &[("begin", roots()), ("end", roots()), quiet, ("begin", json!("rustAnalyzer/Indexing"))],
            State::Loading,
        );
    }

    #[test]
    fn work_after_the_start() {
        check("pyright", &[], State::Loading);
        check("pyright", &[("warm", Json::Null)], State::Ready);
        check("pyright", &[("warm", Json::Null), ("begin", json!("Analyzing"))], State::Loading);
        check("pyright", &[("warm", Json::Null), ("begin", json!(1)), ("end", json!(1))], State::Ready);
    }

    #[test]
    fn work_that_stands_for_a_failure() {
        let known = known();
        let gopls = known.iter().find(|profile| profile.name == "gopls").unwrap();
        let mut tracker = Tracker::new();
        let say = |tracker: &mut Tracker, value: Json| {
            tracker.progress(&json!({"token": 1, "value": value}), gopls)
        };
        say(
            &mut tracker,
            json!({"kind": "begin", "title": "Error loading workspace", "message": "no modules"}),
        );
        assert_eq!(tracker.state(gopls), State::Degraded);
        assert!(tracker.is_ill() && !tracker.is_busy());
        let message = tracker.message().unwrap();
        assert!(message.starts_with("Error loading workspace: no modules; fetch what"), "{message}");
        say(&mut tracker, json!({"kind": "end"}));
        assert!(!tracker.is_ill() && tracker.message().is_none());
    }

    #[test]
    fn an_error_stands_for_the_project() {
        let known = known();
        let jdtls = known.iter().find(|profile| profile.name == "jdtls").unwrap();
        let mut tracker = Tracker::new();
        tracker.fail(&json!({"type": "Starting", "message": "Failed to import projects"}), jdtls);
        tracker.fail(&json!({"type": "Error", "message": "no Java"}), jdtls);
        assert!(!tracker.is_ill());
        tracker.fail(&json!({"type": "Error", "message": "Failed to import projects"}), jdtls);
        assert_eq!(tracker.state(jdtls), State::Degraded);
        assert!(tracker.message().unwrap().starts_with("Failed to import projects; "));
        let mut tracker = Tracker::new();
        tracker.fail(&json!({"type": "ProjectStatus", "message": "WARNING"}), jdtls);
        assert_eq!(tracker.state(jdtls), State::Degraded);
        assert!(tracker.message().unwrap().starts_with("its build file has errors"));
        tracker.fail(&json!({"type": "ProjectStatus", "message": "OK"}), jdtls);
        assert!(!tracker.is_ill());
    }

    #[test]
    fn floods_are_bounded() {
        let profile = known().remove(0);
        let mut tracker = Tracker::new();
        for token in 0..10_000 {
            tracker.progress(&json!({"token": token, "value": {"kind": "begin", "title": "x"}}), &profile);
        }
        assert_eq!(tracker.work.len(), MOST_WORK);
    }
}
