//! The MCP clients that this program knows, with the files that list the servers they start. `setup` writes these
//! files; no argument of a call may lead to them.
//!
//! # Source
//! The clients' own documentation.

use iac_core::permission::Where;

/// An MCP client.
#[derive(Clone, Copy, Debug)]
pub struct Client {
    /// Its name on the command line.
    pub id: &'static str,
    /// Its name as shown to people.
    pub title: &'static str,
    /// The file with its list of servers, relative to the home folder: on a Mac, and elsewhere. Empty if there is
    /// none.
    pub file: [&'static str; 2],
    /// Paths that older or other versions use. If `file` does not exist, the first of these that exists is used.
    pub older: &'static [&'static str],
    /// The format of its list of servers.
    pub form: Form,
    /// Signs that the client is installed: a path relative to the home folder, an absolute path, or the name of a
    /// program.
    pub signs: &'static [&'static str],
    /// Other files or folders, relative to the home folder, from which it starts programs. A folder includes all of
    /// its contents.
    more: &'static [&'static str],
    /// The list files that a project may contain.
    project: &'static [&'static str],
}

/// The format of the list of servers in a client's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// JSON, under this key.
    Json(&'static str),
    /// JSON with comments and trailing commas, under this key.
    Commented(&'static str),
    /// OpenCode's JSON, which has its own fields.
    OpenCode,
    /// TOML: a table below this one.
    Toml(&'static str),
    /// YAML: an entry of this mapping.
    YamlMap(&'static str),
    /// YAML: an item of this list.
    YamlList(&'static str),
    /// The client has no file, so the entry is shown to the user, who pastes it.
    Shown,
}

const NONE: Client = Client {
    id: "",
    title: "",
    file: ["", ""],
    older: &[],
    form: Form::Json("mcpServers"),
    signs: &[],
    more: &[],
    project: &[],
};

/// All known clients.
pub const CLIENTS: [Client; 21] = [
    Client {
        id: "claude-desktop",
        title: "Claude Desktop",
        file: [
            "Library/Application Support/Claude/claude_desktop_config.json",
            ".config/Claude/claude_desktop_config.json",
        ],
        signs: &["/Applications/Claude.app", "Library/Application Support/Claude", ".config/Claude"],
        more: &["Library/Application Support/Claude", ".config/Claude"],
        ..NONE
    },
    Client {
        id: "claude-code",
        title: "Claude Code",
        file: [".claude.json", ".claude.json"],
        signs: &["claude", ".claude"],
        more: &[".claude"],
        project: &[".mcp.json", ".claude/settings.json", ".claude/settings.local.json"],
        ..NONE
    },
    Client {
        id: "cursor",
        title: "Cursor",
        file: [".cursor/mcp.json", ".cursor/mcp.json"],
        signs: &["/Applications/Cursor.app", ".cursor"],
        more: &[".cursor"],
        project: &[".cursor/mcp.json"],
        ..NONE
    },
    Client {
        id: "vscode",
        title: "VS Code",
        file: ["Library/Application Support/Code/User/mcp.json", ".config/Code/User/mcp.json"],
        form: Form::Commented("servers"),
        signs: &["Library/Application Support/Code/User", ".config/Code/User"],
        more: &[
            "Library/Application Support/Code/User",
            "Library/Application Support/Code - Insiders/User",
            ".config/Code/User",
        ],
        project: &[".vscode/mcp.json", ".vscode/settings.json", ".vscode/tasks.json"],
        ..NONE
    },
    Client {
        id: "codex",
        title: "Codex, also in the ChatGPT app",
        file: [".codex/config.toml", ".codex/config.toml"],
        form: Form::Toml("mcp_servers"),
        signs: &["codex", ".codex"],
        more: &[".codex"],
        project: &[".codex/config.toml"],
        ..NONE
    },
    Client {
        id: "zed",
        title: "Zed",
        file: [".config/zed/settings.json", ".config/zed/settings.json"],
        form: Form::Commented("context_servers"),
        signs: &["/Applications/Zed.app", ".config/zed"],
        more: &[".config/zed"],
        project: &[".zed/settings.json", ".zed/tasks.json"],
        ..NONE
    },
    Client {
        id: "goose",
        title: "Goose",
        file: [".config/goose/config.yaml", ".config/goose/config.yaml"],
        form: Form::YamlMap("extensions"),
        signs: &["goose", ".config/goose"],
        more: &[".config/goose"],
        ..NONE
    },
    Client {
        id: "lm-studio",
        title: "LM Studio",
        file: [".lmstudio/mcp.json", ".lmstudio/mcp.json"],
        older: &[".cache/lm-studio/mcp.json"],
        signs: &[".lmstudio", ".cache/lm-studio"],
        more: &[".lmstudio", ".cache/lm-studio"],
        ..NONE
    },
    Client {
        id: "devin",
        title: "Devin Desktop and CLI",
        file: [".config/devin/mcp_config.json", ".config/devin/mcp_config.json"],
        signs: &["devin", ".config/devin"],
        more: &[".config/devin"],
        project: &[".devin/mcp_config.json"],
        ..NONE
    },
    Client {
        id: "windsurf",
        title: "Devin Desktop's Cascade (formerly Windsurf)",
        file: [".codeium/windsurf/mcp_config.json", ".codeium/windsurf/mcp_config.json"],
        signs: &[".codeium/windsurf"],
        more: &[".codeium/windsurf"],
        ..NONE
    },
    Client {
        id: "gemini",
        title: "Gemini CLI",
        file: [".gemini/settings.json", ".gemini/settings.json"],
        form: Form::Commented("mcpServers"),
        // No sign by folder: `.gemini` may belong to Antigravity.
        signs: &["gemini"],
        more: &[".gemini"],
        project: &[".gemini/settings.json"],
        ..NONE
    },
    Client {
        id: "antigravity",
        title: "Antigravity",
        file: [".gemini/config/mcp_config.json", ".gemini/config/mcp_config.json"],
        older: &[".gemini/antigravity/mcp_config.json"],
        signs: &["/Applications/Antigravity.app", "agy", ".gemini/config", ".gemini/antigravity"],
        project: &[".agents/mcp_config.json"],
        ..NONE
    },
    Client {
        id: "cline",
        title: "Cline",
        file: [
            ".cline/data/settings/cline_mcp_settings.json",
            ".cline/data/settings/cline_mcp_settings.json",
        ],
        signs: &["cline", ".cline"],
        more: &[".cline"],
        ..NONE
    },
    Client {
        id: "cline-vscode",
        title: "Cline, older extension of VS Code",
        file: [
            "Library/Application Support/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
            ".config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
        ],
        signs: &[
            "Library/Application Support/Code/User/globalStorage/saoudrizwan.claude-dev",
            ".config/Code/User/globalStorage/saoudrizwan.claude-dev",
        ],
        ..NONE
    },
    Client {
        id: "opencode",
        title: "OpenCode",
        file: [".config/opencode/opencode.jsonc", ".config/opencode/opencode.jsonc"],
        older: &[".config/opencode/opencode.json"],
        form: Form::OpenCode,
        signs: &["opencode", ".config/opencode"],
        more: &[".config/opencode"],
        project: &["opencode.json", "opencode.jsonc"],
    },
    Client {
        id: "kiro",
        title: "Kiro",
        file: [".kiro/settings/mcp.json", ".kiro/settings/mcp.json"],
        signs: &["/Applications/Kiro.app", "kiro-cli", ".kiro"],
        more: &[".kiro"],
        project: &[".kiro/settings/mcp.json"],
        ..NONE
    },
    Client {
        id: "warp",
        title: "Warp",
        file: [".warp/.mcp.json", ".warp/.mcp.json"],
        signs: &["/Applications/Warp.app", ".warp"],
        more: &[".warp"],
        project: &[".warp/.mcp.json"],
        ..NONE
    },
    Client {
        id: "junie",
        title: "JetBrains Junie",
        file: [".junie/mcp/mcp.json", ".junie/mcp/mcp.json"],
        signs: &[".junie"],
        more: &[".junie"],
        project: &[".junie/mcp/mcp.json"],
        ..NONE
    },
    Client {
        id: "continue",
        title: "Continue",
        file: [".continue/config.yaml", ".continue/config.yaml"],
        form: Form::YamlList("mcpServers"),
        signs: &[".continue"],
        more: &[".continue"],
        ..NONE
    },
    Client {
        id: "amp",
        title: "Amp",
        file: [".config/amp/settings.json", ".config/amp/settings.json"],
        form: Form::Commented("amp.mcpServers"),
        signs: &["amp", ".config/amp"],
        more: &[".config/amp"],
        project: &[".amp/settings.json"],
        ..NONE
    },
    Client {
        id: "jetbrains",
        title: "JetBrains AI Assistant",
        form: Form::Shown,
        signs: &["Library/Application Support/JetBrains", ".config/JetBrains"],
        ..NONE
    },
];

/// Returns the clients' files that no call may touch, each with a description.
pub fn closed() -> Vec<(Where, String)> {
    let of = |client: &Client| {
        let words = format!("the configuration of {}", client.title);
        let files = client.file.iter().chain(client.older).filter(|path| !path.is_empty());
        let homes = files.chain(client.more).map(|path| Where::InHome((*path).to_owned()));
        let projects = client.project.iter().map(|path| Where::Ends((*path).to_owned()));
        homes.chain(projects).map(move |place| (place, words.clone())).collect::<Vec<_>>()
    };
    CLIENTS.iter().flat_map(of).collect()
}
