//! The files that a dictionary may include, found by href.

use super::{Includes, MOST_BYTES};
use crate::dictionary::encoding::{Decoded, decode};
use crate::dictionary::standard;
use percent_encoding::percent_decode_str;
use std::cell::OnceCell;
use std::collections::BTreeMap;

/// Included files, each decoded when it is first asked for.
pub(super) struct Library<'a> {
    files: BTreeMap<String, File<'a>>,
}

struct File<'a> {
    bytes: &'a [u8],
    decoded: OnceCell<Decoded<'a>>,
}

/// The target of an href.
pub(super) enum Found<'l> {
    /// The file's text and the problems of its encoding.
    Text(&'l str, Option<&'l str>),
    /// The file was given, but is too large to read.
    TooLarge,
    /// The file was not given, but this text has the same terms.
    Instead(&'static str),
    /// The file was not given.
    Missing,
}

impl<'a> Library<'a> {
    pub(super) fn new(includes: &'a Includes) -> Self {
        let file = |bytes: &'a Vec<u8>| File { bytes, decoded: OnceCell::new() };
        Self { files: includes.iter().map(|(href, bytes)| (canonical(href), file(bytes))).collect() }
    }

    /// Looks up a canonical href.
    pub(super) fn find(&self, path: &str) -> Found<'_> {
        match self.files.get(path) {
            Some(file) if file.bytes.len() > MOST_BYTES => Found::TooLarge,
            Some(file) => {
                let decoded = file.decoded.get_or_init(|| decode(file.bytes));
                Found::Text(&decoded.text, decoded.defect.as_deref())
            }
            None if standard::is_standard(path) => Found::Instead(standard::SDEF),
            None => Found::Missing,
        }
    }
}

/// The path that an href names: without scheme and local host, percent-decoded.
pub(super) fn canonical(href: &str) -> String {
    let href = href.trim();
    let path = href.strip_prefix("file:").map_or(href, |rest| {
        let rest = rest.strip_prefix("//localhost").unwrap_or(rest);
        rest.strip_prefix("//").unwrap_or(rest)
    });
    percent_decode_str(path).decode_utf8_lossy().into_owned()
}

/// Resolves a relative href inside an included file; at the top it stays as it is.
pub(super) fn joined(base: Option<&str>, href: &str) -> String {
    let href = href.trim();
    let absolute = href.starts_with('/') || href.contains(':');
    match base.and_then(|base| base.rfind('/').map(|at| &base[..=at])) {
        Some(folder) if !absolute => format!("{folder}{href}"),
        _ => href.to_owned(),
    }
}
