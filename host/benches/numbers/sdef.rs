//! Measures how long dictionaries take to parse, compared with libxml2's tree parse of the same bytes in its own
//! process.
//!
//! Both parse a dictionary, and the standard suite if it is included, and drop the result. Ours is one merged
//! dictionary; libxml2's is a tree for each file.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use iac_core::dictionary::{Includes, parse};

use crate::start::dictionaries;
use crate::table::{Row, Target};

const ROUNDS: u32 = 400;
const LONG: Duration = Duration::from_millis(400);

pub(crate) fn rows() -> Vec<Row> {
    let (files, whose) = dictionaries();
    let theirs = libxml2(&files);
    let standard = files.iter().position(|file| file.ends_with("CocoaStandard.sdef"));
    let includes = standard.map(|at| includes(&files[at])).unwrap_or_default();
    let included = standard.and_then(|at| theirs.get(at).copied().flatten()).unwrap_or_default();
    let (mut ours, mut other, mut worst) = (0.0, 0.0, 0.0_f64);
    for (file, theirs) in files.iter().zip(&theirs) {
        let Some(theirs) = theirs else { continue };
        let bytes = std::fs::read(file).expect("a file that was just listed");
        let standard = "/CocoaStandard.sdef".as_bytes();
        let includes_it = bytes.windows(standard.len()).any(|window| window == standard);
        let theirs = theirs + if includes_it { included } else { 0.0 };
        let fastest = fastest(&bytes, &includes);
        (ours, other, worst) = (ours + fastest, other + theirs, worst.max(fastest / theirs));
    }
    if other == 0.0 {
        return vec![Row::absent("SDEF parse over libxml2", "python3 or libxml2 is missing")];
    }
    vec![
        Row::told(format!("SDEF parse of {} dictionaries by libxml2", files.len()), other * 1e3, "ms")
            .note(whose),
        Row::told("the same by this program, names resolved and parts merged", ours * 1e3, "ms"),
        Row::new("SDEF parse over libxml2's tree parse", ours / other, "x", Target::AtMost(1.0))
            .note(format!("{worst:.2} x at worst")),
    ]
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

/// Returns the time of libxml2 for each file; `None` if libxml2 or Python is not installed.
fn libxml2(files: &[PathBuf]) -> Vec<Option<f64>> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/numbers/libxml2.py");
    let output = Command::new("python3").arg(script).args(files).output();
    let output = output.ok().filter(|output| output.status.success());
    let lines = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    lines.lines().map(|line| line.parse().ok()).collect()
}

fn includes(standard: &Path) -> Includes {
    let path = "/System/Library/ScriptingDefinitions/CocoaStandard.sdef".to_owned();
    std::fs::read(standard).map(|bytes| Includes::from([(path, bytes)])).unwrap_or_default()
}
