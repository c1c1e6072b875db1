//! How long a dictionary takes to be read, beside libxml2's tree parse of the same bytes in a process of its own.
//!
//! Both read a dictionary and the standard suite, where it is included, and drop what they made: ours a merged
//! dictionary, theirs a tree for each file.
//! `cargo bench -p iac-core --bench sdef [FOLDER]`; without a folder the corpus beside the repository is read.
#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a benchmark reads files, looks at the clock and prints"
)]

use iac_core::dictionary::{Includes, parse};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

const ROUNDS: u32 = 400;
const LONG: Duration = Duration::from_millis(400);

fn main() {
    let folder = folder();
    let files = files(&folder);
    let theirs = libxml2(&files);
    println!("{:<28} {:>9} {:>10} {:>10} {:>7}", "dictionary", "bytes", "ours", "libxml2", "ratio");
    let includes = standard(&folder);
    let standard_at = files.iter().position(|file| file.ends_with("CocoaStandard.sdef"));
    let standard_time = standard_at.and_then(|at| theirs.get(at).copied().flatten());
    let (mut sum, mut other_sum) = (0.0, 0.0);
    for (at, file) in files.iter().enumerate() {
        let bytes = std::fs::read(file).expect("a file that was just listed");
        let ours = fastest(&bytes, &includes);
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let includes_standard = memchr::memmem::find(&bytes, b"/CocoaStandard.sdef").is_some();
        let included = standard_time.filter(|_| includes_standard).unwrap_or_default();
        let other = theirs.get(at).copied().flatten().map(|seconds| seconds + included);
        if let Some(other) = other {
            sum += ours;
            other_sum += other;
        }
        print_line(&name, &bytes.len().to_string(), ours, other);
    }
    print_line("all that libxml2 reads", "", sum, Some(other_sum).filter(|sum| *sum > 0.0));
    println!("target: a ratio of at most 1.00");
}

fn print_line(name: &str, bytes: &str, ours: f64, theirs: Option<f64>) {
    let other = theirs.map_or("-".to_owned(), |theirs| format!("{:.1} µs", theirs * 1e6));
    let ratio = theirs.map_or("-".to_owned(), |theirs| format!("{:.2}", ours / theirs));
    println!("{name:<28} {bytes:>9} {:>7.1} µs {other:>10} {ratio:>7}", ours * 1e6);
}

fn fastest(bytes: &[u8], includes: &Includes) -> f64 {
    let until = Instant::now() + LONG;
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        let begun = Instant::now();
        drop(std::hint::black_box(parse(std::hint::black_box(bytes), includes)));
        best = best.min(begun.elapsed().as_secs_f64());
        if Instant::now() > until {
            break;
        }
    }
    best
}

/// What libxml2 takes for each file; nothing where it or Python is not installed.
fn libxml2(files: &[PathBuf]) -> Vec<Option<f64>> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/libxml2.py");
    let output = Command::new("python3").arg(script).args(files).output();
    let Some(output) = output.ok().filter(|output| output.status.success()) else {
        println!("libxml2 cannot be measured here: python3 or libxml2 is missing");
        return Vec::new();
    };
    String::from_utf8_lossy(&output.stdout).lines().map(|line| line.parse().ok()).collect()
}

fn folder() -> PathBuf {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus");
    let corpus = std::env::var_os("IAC_MCP_CORPUS").map_or(beside, PathBuf::from).join("sdef");
    let given = std::env::args().skip(1).find(|argument| !argument.starts_with('-')).map(PathBuf::from);
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/sdef/ok");
    given.unwrap_or(if corpus.is_dir() { corpus } else { fixtures })
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder of dictionaries");
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "sdef"));
    files.sort();
    files
}

fn standard(folder: &Path) -> Includes {
    let path = "/System/Library/ScriptingDefinitions/CocoaStandard.sdef".to_owned();
    std::fs::read(folder.join("CocoaStandard.sdef"))
        .map(|bytes| Includes::from([(path, bytes)]))
        .unwrap_or_default()
}
