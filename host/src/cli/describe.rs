//! `describe`

mod term;

use std::io::{self, Write};
use std::path::Path;

use clap::Args;
use iac_core::dictionary::{Class, Command, Dictionary, describe};

use super::options::{Common, Mac};
use super::{Failure, paint};
use crate::apps::{self, Definition};

#[derive(Debug, Args)]
pub(super) struct Describe {
    /// An app by name or bundle id, or an .sdef file.
    #[arg(value_name = "APP|FILE.sdef")]
    what: String,
    /// A class, command, enumeration, property or element of it.
    term: Option<String>,
}

impl Describe {
    pub(super) fn run(self, common: &Common, mac: Mac) -> Result<(), Failure> {
        let (title, definition) = self.definition(common, mac)?;
        let mut out = anstream::stdout();
        match (&self.term, common.json) {
            (None, true) => {
                let json = describe::describe(&definition.dictionary, &definition.problems);
                paint::answer(&json, true)?;
            }
            (None, false) => overview(&mut out, &title, &definition)?,
            (Some(term), json) => term::show(&mut out, term, &definition.dictionary, json)?,
        }
        Ok(())
    }

    fn definition(&self, common: &Common, mac: Mac) -> Result<(String, Definition), Failure> {
        let path = Path::new(&self.what);
        if path.extension().is_some_and(|extension| extension == "sdef") || path.is_file() {
            let base = Common::base(&mac);
            let read = apps::read_file(path, &base, common.standard.as_deref());
            let definition = read.map_err(|error| Failure::Failed(format!("{}: {error}", path.display())))?;
            return Ok((self.what.clone(), definition));
        }
        let pipeline = mac.pipeline(common)?;
        pipeline.prepare()?;
        let (app, definition) = pipeline.catalog().definition(&self.what)?;
        Ok((format!("{} {} ({})", app.name, app.version, app.bundle_id), definition))
    }
}

fn overview(out: &mut impl Write, title: &str, definition: &Definition) -> io::Result<()> {
    let Definition { dictionary, problems } = definition;
    let (strong, faint) = (paint::STRONG, paint::FAINT);
    writeln!(out, "{strong}{}{strong:#}", clean(title))?;
    let counts = dictionary.counts();
    let enumerations = dictionary.enumerations.values().filter(|each| !each.built_in && !each.hidden).count();
    writeln!(
        out,
        "{faint}{} commands, {} classes, {enumerations} enumerations, {} problems{faint:#}",
        counts.commands,
        counts.classes,
        problems.len()
    )?;
    for suite in &dictionary.suites {
        let commands: Vec<&Command> = dictionary
            .commands
            .iter()
            .filter(|each| each.suite == suite.name && !each.hidden && !each.built_in)
            .collect();
        let classes: Vec<&Class> = dictionary
            .classes
            .values()
            .filter(|each| each.suite == suite.name && !each.hidden && !each.built_in)
            .collect();
        if commands.is_empty() && classes.is_empty() {
            continue;
        }
        writeln!(out, "\n{strong}{}{strong:#}", clean(&suite.name))?;
        commands
            .iter()
            .try_for_each(|command| line(out, &command.name, "command", command.description.as_deref()))?;
        classes
            .iter()
            .try_for_each(|class| line(out, &class.name, &members(class), class.description.as_deref()))?;
    }
    for problem in problems {
        let place = clean(&problem.place);
        writeln!(
            out,
            "\n{faint}line {}, {place}:{faint:#} {}",
            problem.line,
            clean(&problem.kind.to_string())
        )?;
    }
    writeln!(
        out,
        "\n{faint}name a term to see all of it, for example: describe … {}{faint:#}",
        example(dictionary)
    )
}

fn line(out: &mut impl Write, name: &str, kind: &str, description: Option<&str>) -> io::Result<()> {
    let (style, faint) = (paint::NAME, paint::FAINT);
    let head = format!("{:<26} {kind:<22}", clean(name));
    let room = paint::width().saturating_sub(head.chars().count() + 4);
    let mut words: String = clean(description.unwrap_or_default());
    if words.chars().count() > room {
        words = words.chars().take(room.saturating_sub(1)).chain(['…']).collect();
    }
    let (name, kind) = head.split_at(head.char_indices().nth(26).map_or(head.len(), |(at, _)| at));
    let line = format!("  {style}{name}{style:#}{faint}{kind}{faint:#} {words}");
    writeln!(out, "{}", line.trim_end())
}

fn members(class: &Class) -> String {
    let of = |count: usize, one: &str| format!("{count} {one}");
    match (class.properties.len(), class.elements.len()) {
        (properties, 0) => of(properties, "properties"),
        (properties, elements) => format!("{properties} properties, {elements} el."),
    }
}

fn example(dictionary: &Dictionary) -> String {
    let class = dictionary.classes.values().find(|class| !class.built_in && class.name != "application");
    class.map_or_else(|| "application".to_owned(), |class| format!("\"{}\"", clean(&class.name)))
}

/// Text of an app on its way to a terminal: one line, and nothing that a terminal would obey.
fn clean(text: &str) -> String {
    let bidi =
        |c: char| matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let words = text.split(|c: char| c.is_whitespace() || c.is_control() || bidi(c));
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    #[test]
    fn nothing_that_a_terminal_would_obey() {
        assert_eq!(super::clean(" a\u{1b}[2J\n b\u{202e}c\tü "), "a [2J b c ü");
    }
}
