//! `status` and `restart`: the servers themselves.

use iac_plugin::json;

use crate::answer::{Answer, Row};
use crate::doubts::Doubts;
use crate::request::Common;
use crate::scope::Desk;
use crate::trouble::Trouble;
use crate::world::{Cause, Server, State};

/// Answers `status`: every server of every root, running or not; starts none.
pub(crate) fn answer(desk: &Desk<'_>, common: &Common) -> Answer {
    let servers: Vec<(String, Server)> = desk
        .sites()
        .iter()
        .flat_map(|site| {
            let root = site.workspace.root();
            site.workspace.servers().into_iter().map(move |server| (root.clone(), server))
        })
        .collect();
    Answer::of(&servers, common, Doubts::default(), |shown, _| {
        shown.iter().map(|(root, server)| row(root, server)).collect()
    })
}

/// Answers `restart`: the server of a language, or all that run.
///
/// # Errors
/// `NO_SERVER`.
pub(crate) fn restart(desk: &Desk<'_>, language: Option<&str>, common: &Common) -> Result<Answer, Trouble> {
    let mut failure = None;
    let mut restarted = 0;
    for site in desk.sites() {
        match site.workspace.restart(language) {
            Ok(()) => restarted += 1,
            Err(one) if one.cause == Cause::NoServer => failure = Some(one),
            Err(one) => return Err(Trouble::of(one, "restart", common.timeout)),
        }
    }
    if let (0, Some(failure)) = (restarted, failure) {
        return Err(Trouble::of(failure, "restart", common.timeout));
    }
    Ok(answer(desk, common))
}

fn row(root: &str, server: &Server) -> Row {
    let shown = json!({
        "server": server.profile,
        "languages": server.languages,
        "root": root,
        "state": state(server.state),
        "progress": server.progress,
        "version": server.version,
        "restarts": server.restarts,
        "memory": server.memory,
        "message": server.message,
    });
    Row::new(root.to_owned(), server.profile.clone(), shown)
}

fn state(state: State) -> &'static str {
    match state {
        State::Absent => "absent",
        State::Idle => "idle",
        State::Starting => "starting",
        State::Loading => "loading",
        State::Ready => "ready",
        State::Degraded => "degraded",
        State::Dead => "dead",
    }
}
