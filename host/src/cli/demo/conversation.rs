//! Shows calls and answers as they are sent.

use std::io::Write as _;
use std::time::Duration;

use serde_json::{Map, Value as Json, json};

use crate::cli::Failure;
use crate::cli::paint::{self, Shortened};
use crate::mcp::{Client, Received};

/// How much of an answer is shown.
const SHORTENED: Shortened = Shortened { items: 2, characters: 120 };

/// How far calls and answers are indented.
const INDENT: usize = 4;

/// A session with a server, printed as it happens.
pub(super) struct Conversation {
    client: Client,
    total: Total,
    questions: usize,
}

/// The totals of a conversation.
#[derive(Default)]
pub(super) struct Total {
    pub(super) calls: usize,
    pub(super) events: u64,
    pub(super) elapsed: Duration,
    /// Everything that was sent and received, if the output is JSON.
    pub(super) transcript: Option<Vec<Json>>,
}

impl Conversation {
    /// Begins to report a session. For programs, the report is printed at the end as JSON.
    pub(super) fn new(client: Client, for_programs: bool) -> Self {
        let transcript = for_programs.then(Vec::new);
        Self { client, total: Total { transcript, ..Total::default() }, questions: 0 }
    }

    /// Prints what a person wants to know.
    pub(super) fn question(&mut self, words: &str) -> Result<(), Failure> {
        self.questions += 1;
        if let Some(transcript) = &mut self.total.transcript {
            transcript.push(json!({ "question": words }));
            return Ok(());
        }
        let (name, strong) = (paint::NAME, paint::STRONG);
        Ok(writeln!(anstream::stdout(), "\n{name}{}{name:#}  {strong}{words}{strong:#}", self.questions)?)
    }

    /// Calls a tool and returns its answer. `why` is printed as the purpose of the call.
    ///
    /// # Errors
    /// The server does not answer, or answers with an error.
    pub(super) async fn call(&mut self, tool: &str, why: &str, arguments: Json) -> Result<Json, Failure> {
        let Json::Object(arguments) = arguments else {
            return Err(Failure::Failed(format!("{tool} takes an object, not {arguments}")));
        };
        self.show_call(tool, why, &arguments)?;
        let received = self.client.call(tool, arguments.clone()).await?;
        self.total.calls += 1;
        self.total.events += received.events;
        self.total.elapsed += received.elapsed;
        self.show_answer(tool, &arguments, &received)?;
        if received.is_error {
            return Err(Failure::Failed(format!("{tool} answered with an error")));
        }
        Ok(received.body)
    }

    /// Prints the conclusion from the answers: a sentence, and lines with details.
    pub(super) fn conclude(&mut self, sentence: &str, lines: &[String]) -> Result<(), Failure> {
        if let Some(transcript) = &mut self.total.transcript {
            transcript.push(json!({ "answer": sentence, "lines": lines }));
            return Ok(());
        }
        let mut out = anstream::stdout();
        let (good, strong) = (paint::GOOD, paint::STRONG);
        let sentence = paint::fold(sentence, INDENT, INDENT, paint::width());
        writeln!(out, "\n  {good}●{good:#} {strong}{sentence}{strong:#}")?;
        lines.iter().try_for_each(|line| writeln!(out, "    {line}"))?;
        Ok(())
    }

    /// Ends the report. The caller still has to end the session.
    pub(super) fn end(self) -> (Client, Total) {
        (self.client, self.total)
    }

    fn show_call(&self, tool: &str, why: &str, arguments: &Map<String, Json>) -> Result<(), Failure> {
        if self.total.transcript.is_some() {
            return Ok(());
        }
        let (name, faint) = (paint::NAME, paint::FAINT);
        let mut out = anstream::stdout();
        writeln!(out, "\n  {faint}→{faint:#} {name}{tool}{name:#}  {faint}{why}{faint:#}")?;
        Ok(writeln!(out, "{}", indented(&Json::from(arguments.clone()), Shortened::NOT))?)
    }

    fn show_answer(
        &mut self,
        tool: &str,
        arguments: &Map<String, Json>,
        received: &Received,
    ) -> Result<(), Failure> {
        let milliseconds = received.elapsed.as_secs_f64() * 1000.0;
        if let Some(transcript) = &mut self.total.transcript {
            transcript.push(json!({
                "tool": tool, "arguments": arguments, "answer": received.body, "isError": received.is_error,
                "events": received.events, "elapsedMs": milliseconds,
            }));
            return Ok(());
        }
        let strategy =
            received.strategy.as_ref().map(|strategy| format!(", by {strategy}")).unwrap_or_default();
        let events = if received.events == 1 { "Apple event" } else { "Apple events" };
        let faint = paint::FAINT;
        let mut out = anstream::stdout();
        writeln!(out, "  {faint}← {milliseconds:.0} ms, {} {events}{strategy}{faint:#}", received.events)?;
        Ok(writeln!(out, "{}", indented(&received.body, SHORTENED))?)
    }
}

fn indented(value: &Json, shortened: Shortened) -> String {
    let text = paint::json(value, paint::width().saturating_sub(INDENT), shortened);
    let margin = " ".repeat(INDENT);
    text.lines().map(|line| format!("{margin}{line}")).collect::<Vec<_>>().join("\n")
}
