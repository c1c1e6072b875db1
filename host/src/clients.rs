//! MCP clients as this program knows them: what they start servers from, which no argument may lead to, and `setup` writes.
//!
//! # Source
//! The clients' own documentation.

use iac_core::permission::Where;

/// An MCP client.
#[derive(Clone, Copy, Debug)]
pub struct Client {
    /// Its name on the command line.
    pub id: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// Its list of servers, from the home folder: on a Mac, and elsewhere.
    pub file: [&'static str; 2],
    /// How servers stand in it.
    pub form: Form,
    /// What else starts programs for it, from the home folder: files, or folders with all that is in them.
    more: &'static [&'static str],
    /// The lists that any project may have.
    project: &'static [&'static str],
}

/// How servers stand in the file of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// JSON, under this key.
    Json(&'static str),
    /// TOML, a table below this one.
    Toml(&'static str),
    /// A form that is only shown.
    Yaml,
}

/// Every client that is known.
pub const CLIENTS: [Client; 7] = [
    Client {
        id: "claude-desktop",
        title: "Claude Desktop",
        file: [
            "Library/Application Support/Claude/claude_desktop_config.json",
            ".config/Claude/claude_desktop_config.json",
        ],
        form: Form::Json("mcpServers"),
        more: &["Library/Application Support/Claude", ".config/Claude"],
        project: &[],
    },
    Client {
        id: "claude-code",
        title: "Claude Code",
        file: [".claude.json", ".claude.json"],
        form: Form::Json("mcpServers"),
        more: &[".claude"],
        project: &[".mcp.json", ".claude/settings.json", ".claude/settings.local.json"],
    },
    Client {
        id: "cursor",
        title: "Cursor",
        file: [".cursor/mcp.json", ".cursor/mcp.json"],
        form: Form::Json("mcpServers"),
        more: &[".cursor"],
        project: &[".cursor/mcp.json"],
    },
    Client {
        id: "vscode",
        title: "VS Code",
        file: ["Library/Application Support/Code/User/mcp.json", ".config/Code/User/mcp.json"],
        form: Form::Json("servers"),
        more: &[
            "Library/Application Support/Code/User",
            "Library/Application Support/Code - Insiders/User",
            ".config/Code/User",
        ],
        project: &[".vscode/mcp.json", ".vscode/settings.json", ".vscode/tasks.json"],
    },
    Client {
        id: "codex",
        title: "Codex",
        file: [".codex/config.toml", ".codex/config.toml"],
        form: Form::Toml("mcp_servers"),
        more: &[".codex"],
        project: &[".codex/config.toml"],
    },
    Client {
        id: "zed",
        title: "Zed",
        file: [".config/zed/settings.json", ".config/zed/settings.json"],
        form: Form::Json("context_servers"),
        more: &[".config/zed"],
        project: &[".zed/settings.json", ".zed/tasks.json"],
    },
    Client {
        id: "goose",
        title: "Goose",
        file: [".config/goose/config.yaml", ".config/goose/config.yaml"],
        form: Form::Yaml,
        more: &[".config/goose"],
        project: &[],
    },
];

/// What belongs to clients and no argument may lead to, each with what it is in words.
pub fn closed() -> Vec<(Where, String)> {
    let of = |client: &Client| {
        let words = format!("the configuration of {}", client.title);
        let homes = client.file.iter().chain(client.more).map(|path| Where::InHome((*path).to_owned()));
        let projects = client.project.iter().map(|path| Where::Ends((*path).to_owned()));
        homes.chain(projects).map(move |place| (place, words.clone())).collect::<Vec<_>>()
    };
    CLIENTS.iter().flat_map(of).collect()
}
