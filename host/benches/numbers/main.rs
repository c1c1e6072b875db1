//! `./bench`: measures every number that the design promises in one run, and prints each with the value to compare it
//! with.
//!
//! `./bench WORD …` measures only the named parts; `./bench --list` lists them.
#![forbid(unsafe_code)]
#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a benchmark starts programs, looks at the clock and prints"
)]

mod calls;
mod client;
mod echo;
mod events;
mod guide;
mod mac;
mod mail;
mod references;
mod sdef;
mod start;
mod table;

use std::process::ExitCode;

use table::Row;

type Part = (&'static str, fn() -> Vec<Row>);

/// In the same order as the table in the design.
const PARTS: [Part; 8] = [
    ("start", start::rows),
    ("calls", calls::rows),
    ("workers", calls::workers),
    ("events", events::rows),
    ("guide", guide::rows),
    ("mail", mail::rows),
    ("references", references::rows),
    ("sdef", sdef::rows),
];

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    match words.first().map(String::as_str) {
        Some(echo::ARGUMENT) => return echo::serve(),
        Some(echo::OTHER) => return echo::lines(&words[1]),
        Some("--list") => return list(),
        _ => {}
    }
    let wanted = |part: &&Part| words.is_empty() || words.iter().any(|word| word == part.0);
    let mut failed = 0;
    table::head();
    for (name, rows) in PARTS.iter().filter(wanted) {
        let rows = rows();
        println!("{name}");
        rows.iter().for_each(Row::print);
        failed += rows.iter().filter(|row| row.passed() == Some(false)).count();
    }
    println!("{}", if failed == 0 { "every target is met".to_owned() } else { format!("{failed} missed") });
    ExitCode::from(u8::from(failed > 0))
}

fn list() -> ExitCode {
    PARTS.iter().for_each(|(name, _)| println!("{name}"));
    ExitCode::SUCCESS
}
