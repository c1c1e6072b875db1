//! The files that a dictionary may include, found by href.

use super::{Includes, MOST_BYTES};
use crate::dictionary::encoding::{Decoded, decode};
use crate::dictionary::standard;
use std::borrow::Cow;
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

/// What an href leads to.
pub(super) enum Found<'l> {
    /// The file's text and the problems of its encoding.
    Text(&'l str, Option<&'l str>),
    /// The file is there, but too large to read.
    TooLarge,
    /// The file was not given, but these are terms like those it has.
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
    percent_decoded(path).into_owned()
}

/// The href that a relative one means inside an included file; at the top it stays as it stands.
pub(super) fn joined(base: Option<&str>, href: &str) -> String {
    let href = href.trim();
    let absolute = href.starts_with('/') || href.contains(':');
    match base.and_then(|base| base.rfind('/').map(|at| &base[..=at])) {
        Some(folder) if !absolute => format!("{folder}{href}"),
        _ => href.to_owned(),
    }
}

fn percent_decoded(path: &str) -> Cow<'_, str> {
    let Some(first) = path.find('%') else { return Cow::Borrowed(path) };
    let mut bytes = path.as_bytes()[..first].to_vec();
    let mut rest = &path.as_bytes()[first..];
    while let Some((byte, after)) = rest.split_first() {
        let hex = (*byte == b'%').then(|| after.get(..2)).flatten();
        let value = hex.and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
        bytes.push(value.unwrap_or(*byte));
        rest = if value.is_some() { &after[2..] } else { after };
    }
    Cow::Owned(String::from_utf8_lossy(&bytes).into_owned())
}
