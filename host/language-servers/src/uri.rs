//! File URIs. Servers escape them differently, so they are compared by the decoded path.

use std::path::{Component, Path, PathBuf};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, percent_encode};

/// Characters that are escaped in a URI.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Makes the URI of an absolute path.
pub(crate) fn of(path: &Path) -> String {
    format!("file://{}", percent_encode(path.as_os_str().as_encoded_bytes(), ESCAPED))
}

/// Returns the absolute path of a URI, without `.` and `..`; `None` for another scheme, or if it is not UTF-8.
pub(crate) fn path(uri: &str) -> Option<PathBuf> {
    let scheme = uri.get(..7).filter(|scheme| scheme.eq_ignore_ascii_case("file://"))?;
    let rest = &uri[scheme.len()..];
    let rest = &rest[rest.find('/')?..];
    let rest = rest.split(['?', '#']).next().unwrap_or(rest);
    let decoded = percent_decode_str(rest).decode_utf8().ok()?;
    Some(normal(Path::new(&*decoded)))
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
