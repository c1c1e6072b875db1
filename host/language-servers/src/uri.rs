//! File URIs. Servers escape differently, so they are compared by the path that they mean.

use std::path::{Component, Path, PathBuf};

/// Makes the URI of an absolute path.
pub(crate) fn of(path: &Path) -> String {
    let mut uri = "file://".to_owned();
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' => {
                uri.push(char::from(*byte))
            }
            byte => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

/// Returns the absolute path that a URI means, without `.` and `..`; none for another scheme or no UTF-8.
pub(crate) fn path(uri: &str) -> Option<PathBuf> {
    let scheme = uri.get(..7).filter(|scheme| scheme.eq_ignore_ascii_case("file://"))?;
    let rest = &uri[scheme.len()..];
    let rest = &rest[rest.find('/')?..];
    let rest = rest.split(['?', '#']).next().unwrap_or(rest);
    let decoded = String::from_utf8(decode(rest.as_bytes())).ok()?;
    Some(normal(Path::new(&decoded)))
}

fn decode(escaped: &[u8]) -> Vec<u8> {
    let digit = |at: usize| escaped.get(at).and_then(|byte| char::from(*byte).to_digit(16));
    let mut bytes = Vec::with_capacity(escaped.len());
    let mut at = 0;
    while at < escaped.len() {
        match (escaped[at], digit(at + 1), digit(at + 2)) {
            (b'%', Some(high), Some(low)) => {
                bytes.extend(u8::try_from(high * 16 + low));
                at += 3;
            }
            (byte, ..) => {
                bytes.push(byte);
                at += 1;
            }
        }
    }
    bytes
}

fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                normal.pop();
            }
            Component::CurDir => {}
            other => normal.push(other),
        }
    }
    normal
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(uri: &str, expected: Option<&str>) {
        assert_eq!(path(uri), expected.map(PathBuf::from), "{uri}");
    }

    #[test]
    fn one_path_has_many_uris() {
        for uri in [
            "file:///a/b@c.ts",
            "file:///a/b%40c.ts",
            "FILE:///a/./x/../b%40c.ts",
            "file://localhost/a/b@c.ts",
        ] {
            check(uri, Some("/a/b@c.ts"));
        }
        check("file:///a/%C3%A9%25.py", Some("/a/é%.py"));
        check("file:///a/100%.py", Some("/a/100%.py"));
        check("file:///a/%c3%a9", Some("/a/é"));
        check("file:///a/%ff", None);
        check("untitled:a", None);
        check("é", None);
        check("file://", None);
    }

    proptest! {
        #[test]
        fn there_and_back(name in "[^/\0]{1,20}") {
            prop_assume!(name != "." && name != "..");
            let whole = Path::new("/root").join(&name);
            prop_assert_eq!(path(&of(&whole)), Some(whole));
        }
    }
}
