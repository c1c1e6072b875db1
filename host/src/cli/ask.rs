//! Asking at the terminal: the person who types the command is the human.

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};
use std::sync::Arc;
use std::time::Duration;

use iac_core::permission::{Answer, Choice, Question};

use super::{Failure, paint};
use crate::consent::{Asked, Asker, Asking, Caller};

/// How the human is named in the audit log.
const TERMINAL: &str = "terminal";

/// How often a question is repeated after an invalid answer.
const TRIES: usize = 3;

/// The person who typed this command.
pub(super) fn caller() -> Caller {
    match io::stdin().is_terminal() && io::stderr().is_terminal() {
        true => Caller::new("iac-mcp", Arc::new(Terminal)),
        false => Caller::alone("iac-mcp"),
    }
}

/// Asks the person at the terminal; without a person, the answer is no.
pub(super) fn agree(agreed: bool, question: &str) -> Result<(), Failure> {
    if agreed {
        return Ok(());
    }
    if !io::stdin().is_terminal() {
        return Err(Failure::Misuse(format!("{question} This terminal cannot ask; add --yes to agree")));
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

/// Only a whole word of the list is a yes. An empty answer is a no, and so is the third invalid word.
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
