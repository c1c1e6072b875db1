//! The last way to ask: a dialog on the Mac. While it is open, nothing that could press its buttons may run.

use std::time::Duration;

use iac_core::permission::{Answer, Choice, Decided, Question};
use iac_core::step::RunFailure;
use iac_osascript::{Closed, Dialog};
use tokio::sync::{RwLock, RwLockReadGuard};
use tokio_util::sync::CancellationToken;

use super::{Attempt, Pipeline};

/// What the audit log calls the user who answers a dialog.
const BY: &str = "dialog of this Mac";

/// A dialog has at most three buttons. "Always" is only offered on the command line and in clients' forms.
const OFFERED: [Choice; 3] = [Choice::Hour, Choice::Once, Choice::Deny];

/// The longest script, in lines, that a dialog shows. A longer one could extend beyond the screen, and nobody would
/// read the rest.
const LINES: usize = 20;

/// The most rows of text in a dialog, and the characters in a row. A dialog does not scroll: the end of a longer text,
/// and its buttons, would be below the edge of a small screen.
const ROWS: usize = 40;
const COLUMNS: usize = 60;

/// The app through which a script could press a button.
const SYSTEM_EVENTS: &str = "com.apple.systemevents";

/// Whether there is a screen with a logged-in user, and which calls must wait while a dialog is open.
#[derive(Debug)]
pub(super) struct Screen {
    is_there: bool,
    /// Locked for reading while a script may type or click, and for writing while a dialog is open.
    quiet: RwLock<()>,
}

impl Screen {
    pub(super) fn new(is_there: bool) -> Self {
        Self { is_there, quiet: RwLock::default() }
    }

    /// Whether the user can be asked on this Mac.
    pub(super) fn is_there(&self) -> bool {
        self.is_there
    }

    /// Whether a script may type or click, so that it must wait while a dialog is open.
    pub(super) fn is_touched(&self, app: &str, decided: &Decided) -> bool {
        self.is_there && (decided.harm.is_shell || app.eq_ignore_ascii_case(SYSTEM_EVENTS))
    }

    /// Makes a call that may type or click wait until no dialog is open, for at most the call's time.
    ///
    /// # Errors
    /// A dialog was open for all that time, or the call was cancelled.
    pub(super) async fn touched(
        &self,
        app: &str,
        decided: &Decided,
        left: Duration,
        cancel: &CancellationToken,
    ) -> Result<Option<RwLockReadGuard<'_, ()>>, RunFailure> {
        if !self.is_touched(app, decided) {
            return Ok(None);
        }
        tokio::select! {
            biased;
            quiet = self.quiet.read() => Ok(Some(quiet)),
            () = cancel.cancelled() => Err(RunFailure::Cancelled),
            () = tokio::time::sleep(left) => {
                Err(RunFailure::Busy("a question is open on the screen".to_owned()))
            }
        }
    }
}

impl Pipeline {
    /// Asks on this Mac if the client cannot ask.
    pub(super) async fn or_here(
        &self,
        answer: Answer,
        question: &Question,
        attempt: &Attempt<'_>,
        cancel: &CancellationToken,
    ) -> Answer {
        let (Answer::NoWay(_), Some(patience)) = (&answer, attempt.caller.patience()) else { return answer };
        let here = tokio::select! {
            here = self.ask_here(question, patience) => here,
            () = cancel.cancelled() => Some(Answer::Unanswered("the call was cancelled".to_owned())),
        };
        here.unwrap_or(answer)
    }

    /// Asks on this Mac; `None` if no user is logged in.
    async fn ask_here(&self, question: &Question, patience: Duration) -> Option<Answer> {
        if !self.screen.is_there {
            return None;
        }
        let text = shown(question);
        if question.wording().script.len() > LINES || rows(&text) > ROWS {
            let why = "this client has no way to ask, and the question is too long for a dialog of this Mac";
            return Some(Answer::NoWay(why.to_owned()));
        }
        let began = std::time::Instant::now();
        let quiet = tokio::time::timeout(patience, self.screen.quiet.write()).await;
        let Ok(_quiet) = quiet else {
            return Some(Answer::Unanswered("another dialog was open all the time".to_owned()));
        };
        let left = patience.saturating_sub(began.elapsed());
        let choices: Vec<Choice> = OFFERED.into_iter().filter(|choice| question.offers(*choice)).collect();
        let dialog = Dialog {
            title: "iac-mcp".to_owned(),
            text,
            buttons: choices.iter().map(|choice| choice.label().to_owned()).collect(),
        };
        match self.supervisor.dialog(&dialog, left).await {
            Closed::By(button) => {
                let choice = choices.into_iter().find(|choice| choice.label() == button);
                let (choice, digest, by) = (choice.unwrap_or(Choice::Deny), question.digest(), BY.to_owned());
                Some(Answer::Chosen { choice, digest, by })
            }
            Closed::Silent(why) => Some(Answer::Unanswered(why)),
            Closed::Unshown(why) => {
                tracing::warn!(why, "no dialog could be shown");
                None
            }
        }
    }
}

/// The text of a dialog. A button has no room for what a longer answer covers.
fn shown(question: &Question) -> String {
    let covered = match question.offers(Choice::Hour) {
        true => format!("\n\"{}\" covers: {}", Choice::Hour.label(), question.covered()),
        false => String::new(),
    };
    let room = ROWS.saturating_sub(rows(covered.trim_start()));
    question.text_that(|text| rows(text) <= room) + &covered
}

/// The rows that a text takes in a dialog, which breaks long lines.
fn rows(text: &str) -> usize {
    text.lines().map(|line| line.chars().count().div_ceil(COLUMNS).max(1)).sum()
}

#[cfg(test)]
mod tests {
    use iac_core::permission::{Classified, Level, Source};

    use super::*;

    #[test]
    fn a_long_line_takes_several_rows() {
        assert_eq!(rows(""), 0);
        assert_eq!(rows("a\n\nb"), 3);
        assert_eq!(rows(&"é".repeat(COLUMNS)), 1);
        assert_eq!(rows(&format!("a\n{}", "x".repeat(COLUMNS * 2 + 1))), 4);
    }

    #[tokio::test(start_paused = true)]
    async fn what_may_click_waits_for_an_open_dialog_no_longer_than_its_call() {
        let harm = Classified { level: Level::Safe, reason: "reads".into(), is_shell: false };
        let decided = Decided { allowed: true, harm, source: Source::OnlyReads, scopes: Vec::new() };
        let (screen, left) = (Screen::new(true), Duration::from_secs(3));
        let (open, cancelled) = (CancellationToken::new(), CancellationToken::new());
        cancelled.cancel();
        let touch = async |app: &str, cancel| screen.touched(app, &decided, left, cancel).await.err();
        assert_eq!(touch(SYSTEM_EVENTS, &cancelled).await, None, "no dialog is open");
        let _dialog = screen.quiet.write().await;
        assert_eq!(touch("com.apple.mail", &open).await, None);
        assert_eq!(touch(SYSTEM_EVENTS, &cancelled).await, Some(RunFailure::Cancelled));
        assert!(matches!(touch(SYSTEM_EVENTS, &open).await, Some(RunFailure::Busy(_))));
    }
}
