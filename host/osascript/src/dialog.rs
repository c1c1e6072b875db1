//! A dialog on the Mac, in its own process: a fixed script that reads the question from its input. Every user of a Mac
//! can read the arguments of every process.

use std::time::Duration;

use iac_core::step::RunFailure;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::raised::{self, Said};
use crate::spawn::{Pipes, Process};
use crate::supervisor::Supervisor;
use crate::turns::Turns;
use crate::worker;

const SCRIPT: &str = include_str!("dialog.js");

/// How long after its time limit a dialog that is still open is killed.
const GRACE: Duration = Duration::from_secs(3);

/// The most bytes of an answer. An answer is the title of a button.
const LONGEST: u64 = 4_096;

/// The app through which a program could press a button.
const SYSTEM_EVENTS: &str = "com.apple.systemevents";

/// The error number for Escape and for a Cancel button.
const CANCELLED: i64 = -128;

/// The contents of a dialog.
#[derive(Debug)]
pub struct Dialog {
    pub title: String,
    pub text: String,
    /// From left to right. The last one is the default.
    pub buttons: Vec<String>,
}

#[derive(Debug, PartialEq, Eq)]
pub enum Closed {
    /// With this button.
    By(String),
    /// With Escape, or by its time limit.
    Silent(String),
    /// It could not be shown.
    Unshown(String),
}

impl Supervisor {
    /// Shows a dialog until a button is pressed or the time is over. Meanwhile no server of this user talks to System
    /// Events.
    pub async fn dialog(&self, dialog: &Dialog, patience: Duration) -> Closed {
        let deadline = tokio::time::Instant::now() + patience;
        let mut turns = match &self.shared.settings.locks {
            Some(locks) => Turns::open(locks, SYSTEM_EVENTS).ok(),
            None => None,
        };
        let turn = async {
            match &mut turns {
                Some(turns) => turns.take().await.map(Some),
                None => Ok(None),
            }
        };
        let Ok(Ok(_turn)) = tokio::time::timeout_at(deadline, turn).await else {
            return Closed::Unshown("System Events is busy and could press its buttons".to_owned());
        };
        let left = deadline.saturating_duration_since(tokio::time::Instant::now());
        match tokio::time::timeout(left + GRACE, self.show(dialog, left)).await {
            Ok(closed) => closed,
            Err(_) => Closed::Silent(format!("no button was pressed within {} seconds", patience.as_secs())),
        }
    }

    /// Runs the dialog's process. Dropping the future kills the process, and the dialog with it.
    async fn show(&self, dialog: &Dialog, left: Duration) -> Closed {
        let arguments = worker::arguments(&self.shared.settings, SCRIPT);
        let input = dialog.input(left.as_secs().max(1));
        let started = Process::start(&self.shared.settings, &arguments, &self.shared.liveness);
        let (mut process, Pipes { mut stdin, stdout, stderr }) = match started {
            Ok(started) => started,
            Err(error) => return Closed::Unshown(error.to_string()),
        };
        let feed = async move {
            if let Err(error) = stdin.write_all(input.as_bytes()).await {
                tracing::debug!(%error, "osascript did not read the question");
            }
        };
        let mut answer = String::new();
        let mut stdout = stdout.take(LONGEST);
        let mut said = Said::by(stderr);
        let ((), read) = tokio::join!(feed, stdout.read_to_string(&mut answer));
        let well = process.wait().await.is_ok_and(|status| status.success());
        match (well && read.is_ok(), answer.trim_end_matches('\n')) {
            (true, "") => Closed::Silent("the dialog closed without an answer".to_owned()),
            (true, button) => Closed::By(button.to_owned()),
            (false, _) => match raised::read(&said.all().await) {
                RunFailure::Script { number: CANCELLED, .. } => {
                    Closed::Silent("the dialog was cancelled".to_owned())
                }
                failure => Closed::Unshown(failure.to_string()),
            },
        }
    }
}

impl Dialog {
    /// The input of the script, in ASCII: other characters of JSON stand only in texts, where an escape means the same.
    fn input(&self, seconds: u64) -> String {
        let Self { title, text, buttons } = self;
        let json =
            json!({ "title": title, "text": text, "seconds": seconds, "buttons": buttons }).to_string();
        let escaped = |letter: char| -> String {
            let mut units = [0; 2];
            match letter.is_ascii() {
                true => letter.to_string(),
                false => {
                    letter.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")).collect()
                }
            }
        };
        json.chars().map(escaped).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_input_is_ascii_and_comes_back_equal() {
        let text = "Größe \u{1f600} \"x\"\n- ⏎ \u{2028} \\u0041 \0".to_owned();
        let dialog = Dialog { title: "é".to_owned(), text, buttons: vec!["Deny".to_owned()] };
        let input = dialog.input(50);
        assert!(input.is_ascii(), "{input}");
        let read: serde_json::Value = serde_json::from_str(&input).expect("JSON");
        let buttons = json!({ "title": "é", "text": dialog.text, "seconds": 50, "buttons": ["Deny"] });
        assert_eq!(read, buttons);
    }
}
