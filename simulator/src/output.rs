//! The two output streams of the process. Nothing else writes to them.

use std::io::{self, Write as _};

/// Writes a script's result to stdout.
pub(crate) fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// Writes one line to stderr. If that fails, nobody can be told.
pub(crate) fn complain(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}
