//! The help: one page for each command that fits a screen, examples, man pages and completions.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::PathBuf;

use clap::{Arg, Args, Command, CommandFactory as _};
use clap_complete::Shell;

use super::{Arguments, Failure};

/// Global options that each command's page shows. The first page shows all of them.
const NEAR: [&str; 2] = ["json", "simulated"];

/// Examples for each command: the command's words, then a line for each example and its purpose. The tests run each
/// line.
const EXAMPLES: &[(&str, &[(&str, &str)])] = &[
    (
        "",
        &[
            ("iac-mcp demo", "see three questions answered, without a Mac"),
            ("iac-mcp describe Mail message", "what a script can do with a message"),
            ("iac-mcp doctor", "check the installation"),
        ],
    ),
    (
        "apps",
        &[
            ("iac-mcp apps", "every app that can be scripted"),
            ("iac-mcp apps mail --json", "those with `mail` in their name, for a program"),
        ],
    ),
    (
        "describe",
        &[
            ("iac-mcp describe Mail", "classes and commands at a glance"),
            ("iac-mcp describe Finder folder", "one class, with its properties and elements"),
            ("iac-mcp describe Mail send", "one command, with its parameters"),
        ],
    ),
    (
        "call",
        &[
            ("iac-mcp call iac_mcp_list_apps", "a tool without arguments"),
            (
                r#"iac-mcp call iac_mcp_get_elements '{"app":"Mail","elements":"every mailbox"}'"#,
                "what a model would send",
            ),
            (
                r#"echo '{"search":"unread"}' | iac-mcp call iac_mcp_describe_app -"#,
                "arguments from another program",
            ),
        ],
    ),
    ("lint", &[("iac-mcp lint Finder", "faults of an app's dictionary")]),
    (
        "tools",
        &[
            ("iac-mcp tools", "the tools that a client sees"),
            ("iac-mcp tools Mail", "what `--tools mail` adds to them"),
        ],
    ),
    (
        "policy",
        &[
            ("iac-mcp policy show", "what is allowed now"),
            ("iac-mcp policy allow com.apple.reminders --command make", "make reminders without a question"),
            (
                r#"iac-mcp policy explain iac_mcp_run_command '{"app":"Finder","command":"empty"}'"#,
                "why a call would be asked about",
            ),
        ],
    ),
    (
        "audit",
        &[
            ("iac-mcp audit --changes --since 7d", "what was changed this week"),
            ("iac-mcp audit verify", "whether somebody altered the log"),
        ],
    ),
    (
        "top",
        &[
            ("iac-mcp top", "a view that renews itself each second; q ends it"),
            ("iac-mcp top --json", "the same once, for a program"),
        ],
    ),
    ("undo", &[("iac-mcp undo", "what was written in the last hour")]),
    (
        "setup",
        &[
            ("iac-mcp setup", "offer each client on this computer, and list all without a terminal"),
            ("iac-mcp setup cursor", "the entry for one client"),
        ],
    ),
    (
        "plugin",
        &[
            ("iac-mcp plugin list", "the installed plugins"),
            ("iac-mcp plugin new my-plugin", "a project that you can build and install"),
        ],
    ),
    (
        "sim",
        &[("iac-mcp sim new my-mac", "a simulated Mac that keeps its changes: use it with --world my-mac")],
    ),
];

/// Returns the clap command with its help.
pub(super) fn command() -> Command {
    let mut command = with_endings(Arguments::command(), "");
    // Only this passes global options on to the subcommands.
    command.build();
    without_far(command.mut_args(|arg| {
        let is_far = is_far(&arg);
        arg.hide_short_help(is_far)
    }))
}

fn is_far(arg: &Arg) -> bool {
    arg.is_global_set() && !NEAR.contains(&arg.get_id().as_str())
}

fn below(command: &Command) -> Vec<String> {
    let names = command.get_subcommands().map(Command::get_name).filter(|name| *name != "help");
    names.map(str::to_owned).collect()
}

/// Adds the lines at the end of each command's help.
fn with_endings(mut command: Command, words: &str) -> Command {
    for name in below(&command) {
        let words = format!("{words} {name}").trim_start().to_owned();
        command = command.mut_subcommand(name, |below| with_endings(below, &words));
    }
    let more = match words {
        "" => "`iac-mcp COMMAND --help` shows examples; `iac-mcp --help` shows every option.",
        _ => "`iac-mcp --help` shows the options that every command has.",
    };
    match examples(words) {
        Some(examples) => command.after_help(more).after_long_help(format!("{examples}\n\n{more}")),
        None => command.after_help(more),
    }
}

/// Hides the options that are on the first page.
fn without_far(mut command: Command) -> Command {
    for name in below(&command) {
        command = command.mut_subcommand(name, |below| {
            without_far(below.mut_args(|arg| {
                let is_far = is_far(&arg);
                arg.hide(is_far)
            }))
        });
    }
    command
}

fn examples(words: &str) -> Option<String> {
    let (_, examples) = EXAMPLES.iter().find(|(of, _)| *of == words)?;
    let mut text = "Examples:".to_owned();
    for (line, purpose) in *examples {
        // Writing to a string cannot fail.
        let _ = write!(text, "\n  # {purpose}\n  {line}");
    }
    Some(text)
}

/// Prints a script that completes the command line in your shell.
#[derive(Debug, Args)]
pub(super) struct Completions {
    /// The shell.
    shell: Shell,
}

impl Completions {
    pub(super) fn run(self) -> Result<(), Failure> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut command(), "iac-mcp", &mut script);
        Ok(io::stdout().write_all(&script)?)
    }
}

/// Writes the manual pages into a folder.
#[derive(Debug, Args)]
pub(super) struct Man {
    /// An existing folder, for example ~/.local/share/man/man1.
    folder: PathBuf,
}

impl Man {
    pub(super) fn run(self) -> Result<(), Failure> {
        let wrong = |error: io::Error| Failure::Failed(format!("{}: {error}", self.folder.display()));
        let pages = with_endings(Arguments::command(), "").disable_help_subcommand(true);
        clap_mangen::generate_to(pages, &self.folder).map_err(wrong)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn each(command: &Command, check: &mut impl FnMut(&Command)) {
        check(command);
        command
            .get_subcommands()
            .filter(|below| below.get_name() != "help")
            .for_each(|below| each(below, check));
    }

    #[test]
    fn a_page_fits_a_screen() {
        each(&command(), &mut |command| {
            let page = command.clone().term_width(80).render_help().to_string();
            let name = command.get_name();
            // `plugin` has 27 commands.
            let most = if name == "plugin" { 44 } else { 40 };
            assert!(page.lines().count() <= most, "{name}: {} lines", page.lines().count());
            assert!(page.lines().all(|line| line.chars().count() <= 80), "{name}: {page}");
        });
    }

    #[test]
    fn each_example_stands_with_a_command_that_exists() {
        let command = command();
        for (words, lines) in EXAMPLES {
            let found = words.split_whitespace().try_fold(&command, |at, word| at.find_subcommand(word));
            let long = found.unwrap_or_else(|| panic!("{words}")).clone().render_long_help().to_string();
            assert!(lines.iter().all(|(line, _)| long.contains(line)), "{words}");
        }
    }
}
