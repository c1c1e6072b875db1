//! Limits the number of JSON values in a line, before anything is allocated for them.
//!
//! A value takes a hundred bytes of memory or more once it is parsed. 14 MiB of `{"a":1},` took 1.8 GB, and blocked
//! the only thread for two seconds.

/// The most values in a line: as many as in ten of the largest batches. A 16 MiB line that is mostly one string has
/// only seven.
pub(super) const MOST: usize = 100_000;

/// Whether a line has too many values. Whether it is JSON at all is checked later.
pub(super) fn are_too_many(line: &[u8]) -> bool {
    // Each value takes at least two bytes with its separator.
    line.len() / 2 >= MOST && count(line) > MOST
}

/// Counts the values of JSON: the first one of each list or object, and one after each comma.
fn count(line: &[u8]) -> usize {
    let mut count = 1;
    let mut bytes = line.iter().filter(|byte| !byte.is_ascii_whitespace()).peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b',' => count += 1,
            b'[' | b'{' => count += usize::from(!matches!(bytes.peek(), Some(b']' | b'}'))),
            b'"' => {
                while let Some(byte) = bytes.next().filter(|byte| **byte != b'"') {
                    if *byte == b'\\' {
                        bytes.next();
                    }
                }
            }
            _ => {}
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_counted_and_not_commas() {
        let check =
            |line: String, expected| assert_eq!(are_too_many(line.as_bytes()), expected, "{line:.60}");
        let list = |part: &str, count: usize| format!("[{}0]", format!("{part},").repeat(count));
        check(list("1", MOST - 2), false);
        check(list("1", MOST - 1), true);
        check(list("{\"a\":1}", MOST / 2 - 1), false);
        check(list("{\"a\":1}", MOST / 2), true);
        check(list("[]", MOST), true);
        check(list("null", MOST), true);
        check(list("\"x\"", MOST), true);
        check(list("-1.5e3", MOST), true);
        check(format!("{{\"text\":\"{}\"}}", ",{[1]}".repeat(MOST)), false);
        check(format!("[{}]", "[ ],".repeat(MOST - 2)), false);
        check(format!("{{\"text\":\"{}\"}}", "\\\",".repeat(MOST)), false);
        check("[".repeat(300_000), true);
        check(format!("{{\"a\":{}", list("true", MOST)), true);
        check(String::new(), false);
    }
}
