//! The program that macOS asks the user about, and the user's options for its consent.
//!
//! macOS does not ask about `osascript`, nor about this program, but about the *responsible* process. This is an app
//! that a person started, a program that the system started, or a program whose client declined the responsibility when
//! it started the program.
//!
//! # Source
//! Reports of public projects for macOS 12 to 26; `docs/permissions.md` names them.

use crate::foreign;

/// The error number with which macOS refuses.
pub const REFUSED: i64 = -1743;

/// The error number that says that the user was not asked yet.
pub const NOT_ASKED: i64 = -1744;

/// The error number that says that the app does not run, so that macOS cannot tell.
pub const NOT_RUNNING: i64 = -600;

/// The longest part of a name to show.
const LONGEST: usize = 80;

/// The program that macOS asks about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Responsible {
    name: Option<String>,
    kind: Kind,
}

/// How the program became responsible, if that changes what the user sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// The system does not tell which program it is.
    Unknown,
    /// An app: a terminal or an MCP client.
    App,
    /// A program without a bundle.
    Program,
    /// This program itself.
    Ourselves,
    /// Claude Code, which has the number of its version as its name.
    ClaudeCode,
    /// A login over the network.
    Ssh,
}

impl Responsible {
    /// Reads the path of the program; `None` if the system does not give it.
    pub fn of(path: Option<&str>) -> Self {
        let parts: Vec<&str> = path.unwrap_or_default().split('/').filter(|part| !part.is_empty()).collect();
        let bundle = parts.iter().find_map(|part| part.strip_suffix(".app"));
        let Some(file) = parts.last().copied() else { return Self { name: None, kind: Kind::Unknown } };
        let kind = match (bundle, file) {
            (Some(_), _) => Kind::App,
            (None, file) if file.starts_with("sshd") => Kind::Ssh,
            (None, "iac-mcp") => Kind::Ourselves,
            (None, _) if parts.windows(2).any(|pair| pair == ["claude", "versions"]) => Kind::ClaudeCode,
            _ => Kind::Program,
        };
        Self { name: Some(foreign::clean(bundle.unwrap_or(file), LONGEST).replace('"', "'")), kind }
    }

    /// The name that macOS shows in its dialog and in System Settings, if it is known.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// The name within a sentence.
    pub fn in_words(&self) -> String {
        match &self.name {
            Some(name) => format!("\"{name}\""),
            None => "the app that started this server".to_owned(),
        }
    }

    /// The sentence of macOS' dialog.
    pub fn dialog(&self, app: &str) -> String {
        format!("{} wants access to control \"{app}\"", self.in_words())
    }

    /// The path of the switch for an app in System Settings.
    pub fn switch(&self, app: &str) -> String {
        format!(
            "System Settings > Privacy & Security > Automation > {} > {app}",
            self.name.as_deref().unwrap_or("the app that started this server")
        )
    }

    /// Anything special about the dialog or the switch of this program.
    pub fn note(&self) -> Option<&'static str> {
        match self.kind {
            Kind::Unknown | Kind::App => None,
            Kind::Program => {
                Some("this is a program without a bundle: macOS may ask again when its file moves or changes")
            }
            Kind::Ourselves => Some(
                "macOS asks about this program itself: it may ask again when the file moves, or after an update that is not signed",
            ),
            Kind::ClaudeCode => Some(
                "this is Claude Code: macOS shows the number of its version, and asks again after each of its updates",
            ),
            Kind::Ssh => Some(
                "this is a login over ssh: the dialog appears on the Mac's own screen, and one answer counts for every ssh login of this user",
            ),
        }
    }

    /// The problem and the remedy, for error numbers about consent.
    pub fn refusal(&self, number: i64, bundle_id: &str, app: &str) -> Option<(String, String)> {
        let who = self.in_words();
        let note = self.note().map(|note| format!("; {note}")).unwrap_or_default();
        match number {
            NOT_ASKED => Some((
                format!(
                    "{app}: macOS has not asked the user about the app yet; it will ask whether {who} may control it. Nothing was done"
                ),
                format!(
                    "call the tool `system` with {{\"action\":\"consent\",\"app\":\"{bundle_id}\"}}: it asks the user, and then lets macOS ask. In a terminal, `iac-mcp consent {bundle_id}` does the same for that terminal{note}"
                ),
            )),
            REFUSED => Some((
                format!("{app}: macOS denies control of the app to {who}"),
                format!(
                    "the user can allow it in {}. If there is no such entry, macOS refused without asking: see \"Consent of macOS\" in docs/permissions.md{note}",
                    self.switch(app)
                ),
            )),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_says_whom_macos_asks_about() {
        let check = |path: &str, name: &str, kind: Kind| {
            let found = Responsible::of(Some(path));
            assert_eq!((found.name(), found.kind), (Some(name), kind), "{path}");
        };
        check("/System/Applications/Utilities/Terminal.app/Contents/MacOS/Terminal", "Terminal", Kind::App);
        let nested =
            "/Applications/Cursor.app/Contents/Frameworks/Cursor Helper.app/Contents/MacOS/Cursor Helper";
        check(nested, "Cursor", Kind::App);
        check("/usr/libexec/sshd-keygen-wrapper", "sshd-keygen-wrapper", Kind::Ssh);
        check("/Users/ada/.local/share/claude/versions/2.1.236", "2.1.236", Kind::ClaudeCode);
        check("/opt/homebrew/bin/iac-mcp", "iac-mcp", Kind::Ourselves);
        check("/opt/homebrew/bin/tmux", "tmux", Kind::Program);
        check("/tmp/a\u{202e}\"b\n", "a'b", Kind::Program);
        for nothing in [None, Some(""), Some("/")] {
            assert_eq!(Responsible::of(nothing).kind, Kind::Unknown);
        }
    }

    #[test]
    fn a_refusal_names_the_program_and_its_switch() {
        let terminal = Responsible::of(Some("/Applications/Ghostty.app/Contents/MacOS/ghostty"));
        let (message, suggestion) = terminal.refusal(NOT_ASKED, "com.apple.mail", "Mail").unwrap();
        assert!(message.contains("whether \"Ghostty\" may control it"), "{message}");
        assert!(suggestion.contains("`iac-mcp consent com.apple.mail`"), "{suggestion}");
        let (message, suggestion) = terminal.refusal(REFUSED, "com.apple.mail", "Mail").unwrap();
        assert!(message.contains("to \"Ghostty\""), "{message}");
        assert!(suggestion.contains("Automation > Ghostty > Mail"), "{suggestion}");
        let ssh = Responsible::of(Some("/usr/libexec/sshd-keygen-wrapper"));
        assert!(ssh.refusal(REFUSED, "x", "X").unwrap().1.contains("on the Mac's own screen"));
        let unknown = Responsible::of(None).refusal(REFUSED, "x", "X").unwrap();
        assert!(unknown.0.contains("the app that started this server"), "{unknown:?}");
        assert_eq!(terminal.refusal(-600, "x", "X"), None);
    }
}
