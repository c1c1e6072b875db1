//! Real servers, each on a small project of its own. The test finds out at run time which of them are installed, and
//! names the others as skipped. `IAC_MCP_SERVERS` is a list of the folders that contain their programs.
#![forbid(unsafe_code)]
#![expect(clippy::unwrap_used, clippy::print_stderr, reason = "a test fails loudly")]

#[path = "support/launcher.rs"]
mod launcher;

use std::io::Read as _;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use iac_language_servers::settings::{Chosen, Settings};
use iac_language_servers::types::{Cause, Follow, Location, Place, Position, Range, Relation, State};
use iac_language_servers::{LanguageServers, Workspace};
use serde_json::json;

use launcher::Launcher;

/// A project: its language, the files, and the definition whose uses the test finds.
struct Project {
    language: &'static str,
    files: &'static [(&'static str, &'static str)],
    symbol: &'static str,
    at: (&'static str, u32, u32),
    uses: &'static [(&'static str, u32)],
    broken: (&'static str, &'static str),
    /// A file with an error on its last line, and the text of an edit that repairs it.
    mended: (&'static str, &'static str, &'static str),
}

const RUST: Project = Project {
    language: "rust",
    files: &[
        ("Cargo.toml", "[package]\nname = \"tiny\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n"),
        (
            "src/lib.rs",
            "mod area;\n/* 😀 */ pub fn total(sides: &[u32]) -> u32 { sides.iter().map(|s| area::square(*s)).sum() }\n",
        ),
        (
            "src/area.rs",
            "pub fn square(side: u32) -> u32 { side * side }\npub fn double(side: u32) -> u32 { square(side) * 2 }\n",
        ),
    ],
    symbol: "square",
    at: ("src/area.rs", 0, 7),
    uses: &[("src/area.rs", 1), ("src/lib.rs", 1)],
    broken: ("src/area.rs", "pub fn square(side: u32) -> u32 { \"x\" }\n"),
    mended: ("src/lib.rs", "mod area;\nstruct One;\nimpl Clone for One {}", "fn clone(&self) -> Self"),
};

const TYPESCRIPT: Project = Project {
    language: "typescript",
    files: &[
        (
            "tsconfig.json",
            "{\"compilerOptions\": {\"strict\": true, \"module\": \"nodenext\", \"target\": \"es2022\"}, \"include\": [\"src\"]}\n",
        ),
        ("package.json", "{\"name\": \"tiny\", \"type\": \"module\"}\n"),
        ("src/area.ts", "export function square(side: number): number {\n  return side * side;\n}\n"),
        (
            "src/main.ts",
            "import { square } from './area.js';\nconst é = '😀'; export const total = square(2);\n",
        ),
        // A server would fetch types for a library that is not there.
        ("loose.js", "const _ = require('lodash');\nexports.all = _.map([1], (one) => one);\n"),
    ],
    symbol: "square",
    at: ("src/area.ts", 0, 16),
    uses: &[("src/main.ts", 0), ("src/main.ts", 1)],
    broken: ("src/area.ts", "export function square(side: number): number {\n  return 'x';\n}\n"),
    mended: ("src/late.ts", "export const late = square(2);", "square"),
};

const PYTHON: Project = Project {
    language: "python",
    files: &[
        ("pyproject.toml", "[project]\nname = \"tiny\"\nversion = \"0.1.0\"\n"),
        ("tiny/__init__.py", ""),
        (
            "tiny/area.py",
            "def square_of(side: int) -> int:\n    return side * side\n\n\nclass Shape:\n    def area(self) -> int:\n        return square_of(2)\n",
        ),
        ("tiny/main.py", "from tiny.area import square_of\n\né = '😀'; total = square_of(2)\n"),
    ],
    symbol: "square_of",
    at: ("tiny/area.py", 0, 4),
    uses: &[("tiny/area.py", 6), ("tiny/main.py", 0), ("tiny/main.py", 2)],
    broken: ("tiny/area.py", "def square_of(side: int) -> int:\n    return 'x'\n"),
    mended: ("tiny/late.py", "late = square_of(2)", "from tiny.area import square_of"),
};

const C: Project = Project {
    language: "c",
    files: &[
        (
            "compile_commands.json",
            "[{\"directory\": \"ROOT\", \"file\": \"area.c\", \"command\": \"cc -c area.c\"}, {\"directory\": \"ROOT\", \"file\": \"main.c\", \"command\": \"cc -c main.c\"}]\n",
        ),
        ("area.h", "int square(int side);\n"),
        ("area.c", "#include \"area.h\"\nint square(int side) { return side * side; }\n"),
        ("main.c", "#include \"area.h\"\nint main(void) { return square(2); }\n"),
    ],
    symbol: "square",
    at: ("area.c", 1, 4),
    uses: &[("main.c", 1)],
    broken: ("area.c", "#include \"area.h\"\nint square(int side) { return missing; }\n"),
    mended: ("main.c", "#include \"area.h\"\nint main(void) { return square(2) }", ";"),
};

const BASH: Project = Project {
    language: "shellscript",
    files: &[
        ("area.sh", "#!/bin/bash\nsquare() {\n    echo $(($1 * $1))\n}\nsquare 2\n"),
        ("main.sh", "#!/bin/bash\nsource ./area.sh\nsquare 3\n"),
    ],
    symbol: "square",
    at: ("area.sh", 1, 0),
    uses: &[("area.sh", 4), ("main.sh", 2)],
    broken: ("area.sh", ""),
    mended: ("area.sh", "", ""),
};

/// Rust with a dependency that was not fetched.
const UNFETCHED_RUST: Project = Project {
    files: &[
        (
            "Cargo.toml",
            "[package]\nname = \"tiny\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[dependencies]\niac-mcp-fetched-by-nobody = \"1\"\n[workspace]\n",
        ),
        ("src/lib.rs", "pub fn square(side: u32) -> u32 { side * side }\n"),
    ],
    ..RUST
};

/// Go with a dependency that was not fetched, in a version of Go that is not installed.
const UNFETCHED_GO: Project = Project {
    language: "go",
    files: &[
        ("go.mod", "module tiny\n\ngo 1.99\n\nrequire example.com/nobody v1.0.0\n"),
        (
            "area.go",
            "package tiny\n\nimport \"example.com/nobody\"\n\nfunc Square(side int) int { return nobody.Times(side, side) }\n",
        ),
    ],
    ..BASH
};

/// Java with a dependency that was not fetched.
const UNFETCHED_JAVA: Project = Project {
    language: "java",
    files: &[
        (
            "pom.xml",
            "<project><modelVersion>4.0.0</modelVersion><groupId>tiny</groupId><artifactId>tiny</artifactId><version>1</version><dependencies><dependency><groupId>nobody</groupId><artifactId>nobody</artifactId><version>1</version></dependency></dependencies></project>\n",
        ),
        ("src/main/java/Area.java", "class Area { int square(int side) { return side * side; } }\n"),
    ],
    ..BASH
};

const PHP: Project = Project {
    language: "php",
    files: &[
        ("composer.json", "{\"require\": {\"nobody/nobody\": \"1.0\"}}\n"),
        ("area.php", "<?php\nfunction square($side) { return $side * $side; }\n"),
        ("main.php", "<?php\n// square\necho square(2);\n"),
    ],
    symbol: "square",
    at: ("area.php", 1, 9),
    uses: &[("main.php", 2)],
    ..BASH
};

fn open(
    profile: &str,
    project: &Project,
    root: &Path,
    environment: &[(&str, &str)],
) -> (LanguageServers, Arc<Workspace>, Line) {
    for (path, text) in project.files {
        put(&root.join(path), &text.replace("ROOT", root.to_str().unwrap()));
    }
    let mut path: Vec<_> =
        std::env::split_paths(&std::env::var_os("IAC_MCP_SERVERS").unwrap_or_default()).collect();
    path.retain(|folder| folder.is_dir());
    let chosen: Chosen = serde_json::from_value(json!({"prefer": [profile], "path": path})).unwrap();
    let more = environment.iter().map(|(name, value)| (name.into(), value.into()));
    let mut settings = Settings::standard(std::env::vars_os().chain(more)).with(chosen).unwrap();
    settings.profiles.retain(|known| known.name == profile);
    // A helper program starts some servers, so the test must find that program as well.
    if let Some((_, search)) = settings.environment.iter_mut().find(|(name, _)| name == "PATH") {
        path.extend(std::env::split_paths(&search.clone()));
        *search = std::env::join_paths(path).unwrap();
    }
    let line = Line::new();
    let proxy = format!("http://{}", line.listener.local_addr().unwrap());
    // jdtls would use this proxy instead of the one from its profile.
    for name in
        ["http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"].iter().filter(|_| profile != "jdtls")
    {
        settings.environment.push((name.into(), proxy.clone().into()));
    }
    if let Some((_, search)) = settings.environment.iter_mut().find(|(name, _)| name == "PATH") {
        let folders =
            std::iter::once(traps(root)).chain(std::env::split_paths(&search.clone()).collect::<Vec<_>>());
        *search = std::env::join_paths(folders).unwrap();
    }
    let servers = LanguageServers::new(Arc::new(Launcher), settings);
    let workspace = servers.workspace(root).unwrap();
    (servers, workspace, line)
}

/// The only way to the network: a proxy that answers nothing. Every attempt to fetch something arrives here.
struct Line {
    listener: TcpListener,
}

impl Line {
    fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        Self { listener }
    }

    /// The first request to the proxy; empty if there was none.
    fn called(&self) -> String {
        let Ok((mut caller, _)) = self.listener.accept() else { return String::new() };
        let mut said = [0; 200];
        caller.set_nonblocking(false).unwrap();
        caller.set_read_timeout(Some(Duration::from_secs(1))).unwrap();
        let length = caller.read(&mut said).unwrap_or_default();
        format!("called: {}", String::from_utf8_lossy(&said[..length]))
    }
}

/// Programs that fetch or install; no question may start any of them.
const FETCHERS: [&str; 7] = ["npm", "npx", "yarn", "pip", "uv", "curl", "wget"];

/// Puts programs with these names first on the path; each records that it was started.
fn traps(root: &Path) -> PathBuf {
    let folder = root.join(".traps");
    for name in FETCHERS {
        let path = folder.join(name);
        put(
            &path,
            &format!("#!/bin/sh\necho {name} \"$@\" >>{}\nexit 1\n", folder.join("started").display()),
        );
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    folder
}

/// The fetching programs that were started.
fn started(root: &Path) -> String {
    std::fs::read_to_string(root.join(".traps/started")).unwrap_or_default()
}

#[test]
fn a_fetcher_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let npm = traps(folder.path()).join("npm");
    #[expect(clippy::disallowed_methods, reason = "the trap itself is tried")]
    let ended = std::process::Command::new(npm).args(["install", "lodash"]).status().unwrap();
    assert!(!ended.success());
    assert_eq!(started(folder.path()), "npm install lodash\n");
    let line = Line::new();
    assert_eq!(line.called(), "");
    let mut caller = std::net::TcpStream::connect(line.listener.local_addr().unwrap()).unwrap();
    std::io::Write::write_all(&mut caller, b"CONNECT index:443").unwrap();
    assert_eq!(line.called(), "called: CONNECT index:443");
}

fn put(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::io::Write::write_all(&mut std::fs::File::create(path).unwrap(), text.as_bytes()).unwrap();
}

async fn check(profile: &str, project: &Project) {
    let folder = tempfile::tempdir().unwrap();
    let (servers, workspace, line) = open(profile, project, folder.path(), &[]);
    let began = Instant::now();
    match workspace.prepare(project.language, 60_000).await {
        Ok(status) => assert_eq!(status.state, State::Ready, "{profile}: {status:?}"),
        Err(failure) if failure.cause == Cause::NotInstalled => return eprintln!("skipped: {failure}"),
        Err(failure) if failure.message.contains("is not installed") => {
            return eprintln!("skipped: {failure}");
        }
        Err(failure) => panic!("{failure:?}"),
    }
    eprintln!("{profile}: ready after {:?}: {:?}", began.elapsed(), workspace.servers());
    outline(profile, project, &workspace).await;
    uses(profile, project, &workspace).await;
    if !project.broken.1.is_empty() {
        mistakes(profile, project, &workspace, folder.path()).await;
    }
    if !project.mended.1.is_empty() && !MENDS_NOTHING.contains(&profile) {
        mends(profile, project, &workspace, folder.path()).await;
    }
    assert_eq!((started(folder.path()), line.called()), Default::default(), "{profile}");
    drop((servers, workspace));
}

/// A project without its dependencies stays that way, and a person gets a message. Nothing is fetched.
async fn fetches_nothing(profile: &str, project: &Project, environment: &[(&str, &str)]) {
    let folder = tempfile::tempdir().unwrap();
    let (servers, workspace, line) = open(profile, project, folder.path(), environment);
    let status = match workspace.prepare(project.language, 60_000).await {
        Ok(status) => status,
        Err(failure) => return eprintln!("skipped: {failure}"),
    };
    let source = project.files.last().unwrap().0.to_owned();
    drop(workspace.document_symbols(vec![source], 20_000).await.unwrap());
    assert_eq!((started(folder.path()), line.called()), Default::default(), "{profile}");
    assert!(status.message.is_some(), "{profile}: {status:?}");
    eprintln!("{profile}: {:?}", status.message);
    drop((servers, workspace));
}

async fn outline(profile: &str, project: &Project, workspace: &Workspace) {
    let (path, line, column) = project.at;
    let symbols = workspace.document_symbols(vec![path.to_owned()], 20_000).await.unwrap().remove(0).unwrap();
    let found = symbols.items.iter().find(|symbol| symbol.name == project.symbol);
    let found = found.unwrap_or_else(|| panic!("{profile}: {symbols:?}"));
    if !symbols.flat {
        assert_eq!(found.name_range.start, Position { line, column }, "{profile}: {found:?}");
    }
    let named = workspace.workspace_symbols(project.language, project.symbol, 20_000).await.unwrap();
    assert!(named.items.iter().any(|symbol| symbol.name.contains(project.symbol)), "{profile}: {named:?}");
}

async fn uses(profile: &str, project: &Project, workspace: &Workspace) {
    let (path, line, column) = project.at;
    let place = Place { path: path.to_owned(), at: Position { line, column } };
    let answer = workspace
        .related(vec![Follow { relation: Relation::References, at: place }], 20_000)
        .await
        .unwrap()
        .remove(0)
        .unwrap();
    for (path, line) in project.uses {
        let found = answer.items.iter().any(|found| found.path == *path && found.range.start.line == *line);
        assert!(found, "{profile}: no use at {path}:{line}: {answer:?}");
    }
    assert_eq!(answer.freshness.doubts, [], "{profile}");
}

async fn mistakes(profile: &str, project: &Project, workspace: &Workspace, root: &Path) {
    let (path, text) = project.broken;
    let ask = || workspace.diagnostics(vec![path.to_owned()], 20_000);
    let clean = ask().await.unwrap().remove(0).unwrap();
    assert_eq!(clean.items.iter().filter(|it| it.severity == 1).count(), 0, "{profile}: {clean:?}");
    put(&root.join(path), text);
    let broken = ask().await.unwrap().remove(0).unwrap();
    assert!(broken.items.iter().any(|it| it.severity == 1), "{profile}: {broken:?}");
    if workspace.servers()[0].abilities.workspace_diagnostics {
        for _ in 0..2 {
            let whole = workspace.workspace_diagnostics(project.language, 20_000).await.unwrap();
            assert!(
                whole.items.iter().any(|it| it.severity == 1 && it.location.path == path),
                "{profile}: {whole:?}"
            );
        }
    }
}

/// Servers that have no edit for a missing import.
const MENDS_NOTHING: [&str; 2] = ["pyright", "basedpyright"];

/// The server offers an edit to repair a mistake, and the file stays as it is.
async fn mends(profile: &str, project: &Project, workspace: &Workspace, root: &Path) {
    let (path, text, expected) = project.mended;
    put(&root.join(path), text);
    let last = text.lines().last().unwrap();
    let line = u32::try_from(text.lines().count()).unwrap() - 1;
    let place = |column| Position { line, column };
    let range = Range { start: place(0), end: place(u32::try_from(last.len()).unwrap()) };
    let at = Location { path: path.to_owned(), range };
    let offered = workspace.actions(at, Some("quickfix"), 20_000).await.unwrap();
    let mut edits = offered.items.iter().filter_map(|one| one.edits.as_ref()).flatten();
    assert!(edits.any(|edit| edit.text.contains(expected)), "{profile}: {offered:?}");
    assert_eq!(std::fs::read_to_string(root.join(path)).unwrap(), text);
}

#[tokio::test]
async fn ty() {
    check("ty", &PYTHON).await;
}

#[tokio::test]
async fn zuban() {
    check("zuban", &PYTHON).await;
}

#[tokio::test]
async fn pyright() {
    check("pyright", &PYTHON).await;
}

#[tokio::test]
async fn basedpyright() {
    check("basedpyright", &PYTHON).await;
}

#[tokio::test]
async fn tsc() {
    check("tsc", &TYPESCRIPT).await;
}

#[tokio::test]
async fn typescript_language_server() {
    check("typescript-language-server", &TYPESCRIPT).await;
}

#[tokio::test]
async fn rust_analyzer() {
    check("rust-analyzer", &RUST).await;
}

#[tokio::test]
async fn rust_analyzer_fetches_nothing_where_it_may_not() {
    fetches_nothing("rust-analyzer", &UNFETCHED_RUST, &[("CARGO_NET_OFFLINE", "true")]).await;
}

#[tokio::test]
async fn gopls_fetches_nothing() {
    fetches_nothing("gopls", &UNFETCHED_GO, &[]).await;
}

#[tokio::test]
async fn jdtls_fetches_nothing() {
    fetches_nothing("jdtls", &UNFETCHED_JAVA, &[]).await;
}

#[tokio::test]
async fn intelephense() {
    check("intelephense", &PHP).await;
}

#[tokio::test]
async fn clangd() {
    check("clangd", &C).await;
}

#[tokio::test]
async fn bash_language_server() {
    check("bash-language-server", &BASH).await;
}
