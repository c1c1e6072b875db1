//! Asks for approval at the terminal, where the user is the person who typed the command.

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};
use std::sync::Arc;
use std::time::Duration;

use iac_core::permission::{Answer, Choice, Question};

use super::{Failure, paint};
use crate::consent::{Asked, Asker, Asking, Caller};

/// What the audit log calls the user who answers at a terminal.
const TERMINAL: &str = "terminal";

/// How many invalid answers end the question.
const TRIES: usize = 3;

/// Returns the caller for a command that was typed at a terminal.
pub(super) fn caller() -> Caller {
    match io::stdin().is_terminal() && io::stderr().is_terminal() {
        true => Caller::new("iac-mcp", Arc::new(Terminal)),
        false => Caller::alone("iac-mcp"),
    }
}

/// Asks at the terminal. Without a terminal, the answer is no.
pub(super) fn agree(agreed: bool, question: &str) -> Result<(), Failure> {
    if agreed {
        return Ok(());
    }
    if !io::stdin().is_terminal() {
        return Err(Failure::Misuse(format!(
            "{question}\nThis is not a terminal, so the command cannot ask. Add `--yes`"
        )));
    }
    write!(paint::stderr(), "{question} [y/N] ")?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    match answer.trim() {
        "y" | "Y" | "yes" => Ok(()),
        _ => Err(Failure::Failed("nothing was changed".to_owned())),
    }
}

#[derive(Debug)]
struct Terminal;

impl Asker for Terminal {
    fn ask<'a>(&'a self, question: &'a Question, _: Duration) -> Asking<'a> {
        let (text, choices, digest) = (question.text(), question.choices(), question.digest());
        let longer = choices.iter().filter(|choice| matches!(choice, Choice::Hour | Choice::Always));
        let longer: Vec<String> =
            longer.map(|choice| format!("{}: {}", choice.as_str(), question.covered())).collect();
        let text = [vec![text], longer].concat().join("\n");
        Box::pin(async move {
            let asked = tokio::task::spawn_blocking(move || choose(&text, &choices)).await;
            let choice = asked.unwrap_or_else(|error| Err(io::Error::other(error)));
            Asked::Answered(match choice {
                Ok(choice) => Answer::Chosen { choice, digest, by: TERMINAL.to_owned() },
                Err(error) => Answer::Unanswered(error.to_string()),
            })
        })
    }
}

/// Reads an answer. Only a whole word from the list counts. An empty answer means no, and so does the third invalid
/// word.
fn choose(text: &str, choices: &[Choice]) -> io::Result<Choice> {
    let words: Vec<&str> = choices.iter().map(|choice| choice.as_str()).collect();
    let words = words.join(" / ");
    let strong = paint::STRONG;
    let mut stderr = paint::stderr();
    writeln!(stderr, "{text}")?;
    for _ in 0..TRIES {
        write!(stderr, "{strong}{words}{strong:#}? [deny] ")?;
        stderr.flush()?;
        let mut line = String::new();
        io::stdin().lock().read_line(&mut line)?;
        let said = line.trim().to_lowercase();
        if said.is_empty() {
            break;
        }
        match Choice::parse(&said).filter(|choice| choices.contains(choice)) {
            Some(choice) => return Ok(choice),
            None => writeln!(stderr, "expected one of these words in full: {words}")?,
        }
    }
    Ok(Choice::Deny)
}
