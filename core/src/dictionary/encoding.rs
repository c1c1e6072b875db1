//! From a file's bytes to text.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};
use std::borrow::Cow;

/// A file's text without byte order mark, and the problems of its encoding.
pub(super) struct Decoded<'a> {
    pub(super) text: Cow<'a, str>,
    pub(super) defect: Option<String>,
}

/// Decodes by the byte order mark, otherwise by the pattern of the first bytes, otherwise by the XML declaration,
/// otherwise as UTF-8.
pub(super) fn decode(bytes: &[u8]) -> Decoded<'_> {
    if let Some((encoding, length)) = Encoding::for_bom(bytes) {
        return decode_as(encoding, &bytes[length..]);
    }
    match bytes {
        [b'<', 0, ..] => decode_as(UTF_16LE, bytes),
        [0, b'<', ..] => decode_as(UTF_16BE, bytes),
        _ => decode_declared(bytes),
    }
}

fn decode_declared(bytes: &[u8]) -> Decoded<'_> {
    let Some(label) = declared(bytes) else { return decode_as(UTF_8, bytes) };
    match encoding_for(label) {
        // A declaration that could be read byte by byte is not in UTF-16, even if it says so.
        Some(encoding) if encoding == UTF_16LE || encoding == UTF_16BE => decode_as(UTF_8, bytes),
        Some(encoding) => decode_as(encoding, bytes),
        None => {
            let defect = format!("unknown encoding `{}`, read as UTF-8", String::from_utf8_lossy(label));
            Decoded { defect: Some(defect), ..decode_as(UTF_8, bytes) }
        }
    }
}

fn decode_as<'a>(encoding: &'static Encoding, bytes: &'a [u8]) -> Decoded<'a> {
    let (text, malformed) = encoding.decode_without_bom_handling(bytes);
    let defect = malformed.then(|| format!("invalid {} bytes, replaced by U+FFFD", encoding.name()));
    Decoded { text, defect }
}

fn encoding_for(label: &[u8]) -> Option<&'static Encoding> {
    let other = label.eq_ignore_ascii_case(b"macroman").then_some(encoding_rs::MACINTOSH);
    Encoding::for_label(label).or(other)
}

/// The value of `encoding` in an XML declaration at the very start.
fn declared(bytes: &[u8]) -> Option<&[u8]> {
    let head = &bytes[..bytes.len().min(256)];
    let head = head.strip_prefix(b"<?xml")?;
    let declaration = &head[..find(head, b"?>")?];
    let after = &declaration[find(declaration, b"encoding")? + b"encoding".len()..];
    let value = after.trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
    let (quote, value) = value.split_first()?;
    let end = value.iter().position(|byte| byte == quote)?;
    matches!(quote, b'"' | b'\'').then(|| &value[..end])
}

fn find(bytes: &[u8], part: &[u8]) -> Option<usize> {
    bytes.windows(part.len()).position(|window| window == part)
}
