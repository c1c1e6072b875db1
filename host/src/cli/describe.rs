//! `describe`

mod term;

use std::io::{self, Write};

use clap::Args;
use iac_apps::Definition;
use iac_core::dictionary::{Class, Command, Dictionary, Way, describe};
use iac_state::shell_word;

use super::dictionary::{self, clean};
use super::options::{Common, Mac};
use super::{Failure, paint};

#[derive(Debug, Args)]
pub(super) struct Describe {
    /// The name or bundle id of an app, or the path of an .sdef or .scriptSuite file.
    #[arg(value_name = "APP|FILE")]
    what: String,
    /// A class, command, enumeration, property or element to describe.
    term: Option<String>,
}

impl Describe {
    pub(super) fn run(self, common: &Common, mac: Mac) -> Result<(), Failure> {
        let (app, definition) = dictionary::of(&self.what, common, mac)?;
        let title = match app.version.as_str() {
            "" => self.what.clone(),
            version => format!("{} {version} ({})", app.name, app.bundle_id),
        };
        let mut out = paint::stdout();
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
}

fn overview(out: &mut impl Write, title: &str, definition: &Definition) -> io::Result<()> {
    let Definition { dictionary, problems } = definition;
    let (strong, faint) = (paint::STRONG, paint::FAINT);
    writeln!(out, "{strong}{}{strong:#}", clean(title))?;
    let counts = dictionary.counts();
    let enumerations = dictionary.enumerations.values().filter(|each| !each.built_in && !each.hidden).count();
    writeln!(
        out,
        "{faint}{}, {}, {}, {}{faint:#}",
        paint::count(counts.commands, "command"),
        if counts.classes == 1 { "1 class".to_owned() } else { format!("{} classes", counts.classes) },
        paint::count(enumerations, "enumeration"),
        paint::count(problems.len(), "problem")
    )?;
    if dictionary.way != Way::Sdef {
        writeln!(out, "{faint}terms from {}{faint:#}", dictionary.way.as_str())?;
    }
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
        "\n{faint}add a term to see its details, for example: iac-mcp describe … {}{faint:#}",
        example(dictionary)
    )
}

fn line(out: &mut impl Write, name: &str, kind: &str, description: Option<&str>) -> io::Result<()> {
    let (style, faint) = (paint::NAME, paint::FAINT);
    let head = format!("{:<26} {kind:<26}", clean(name));
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
    let properties = match class.properties.len() {
        1 => "1 property".to_owned(),
        many => format!("{many} properties"),
    };
    match class.elements.len() {
        0 => properties,
        elements => format!("{properties}, {}", paint::count(elements, "element")),
    }
}

fn example(dictionary: &Dictionary) -> String {
    let class = dictionary.classes.values().find(|class| !class.built_in && class.name != "application");
    class.map_or_else(|| "application".to_owned(), |class| shell_word(&clean(&class.name)))
}
