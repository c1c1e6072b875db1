//! Detects an answer that repeats a secret, either verbatim or in a common encoding.
//!
//! A server could hide a secret in more ways than anyone can search for. This finds the ways that occur without
//! intent: an error that repeats the request, a page that shows its headers, a token that was decoded.

use std::borrow::Cow;
use std::collections::BTreeSet;

use data_encoding::{BASE64_NOPAD, BASE64URL_NOPAD, Encoding, HEXLOWER, HEXUPPER};
use memchr::{memchr, memmem};
use percent_encoding::percent_decode;

/// Shorter values are not searched for, because they would occur in answers by chance.
const SHORTEST: usize = 6;

/// Tells whether an answer contains one of the secrets.
pub(super) fn repeats(answer: &[u8], secrets: &BTreeSet<String>) -> bool {
    let forms: BTreeSet<Vec<u8>> = secrets.iter().flat_map(|secret| values(secret)).flat_map(forms).collect();
    if forms.is_empty() {
        return false;
    }
    let from_address: Cow<'_, [u8]> = percent_decode(answer).into();
    let from_json = unescaped(answer);
    let mut texts = vec![answer];
    texts.extend([&from_address, &from_json].into_iter().filter_map(|text| match text {
        Cow::Owned(text) => Some(text.as_slice()),
        Cow::Borrowed(_) => None,
    }));
    forms.iter().any(|form| {
        let form = memmem::Finder::new(form);
        texts.iter().any(|text| form.find(text).is_some())
    })
}

/// Returns a secret and the values inside it: the value of `Basic` is `USER:PASSWORD` in base64.
fn values(secret: &str) -> Vec<Vec<u8>> {
    let bare = secret.trim_end_matches('=').as_bytes();
    let decoded = [BASE64_NOPAD, BASE64URL_NOPAD].iter().find_map(|form| form.decode(bare).ok());
    // Some secrets happen to be valid base64, but then the result is not text.
    let text = decoded.filter(|bytes| bytes.iter().all(|byte| (0x20..=0x7e).contains(byte)));
    let mut values = vec![secret.as_bytes().to_vec()];
    values.extend(text);
    let passwords: Vec<Vec<u8>> = values.iter().filter_map(|value| password(value)).collect();
    values.extend(passwords);
    values
}

/// Returns the text after the first colon.
fn password(value: &[u8]) -> Option<Vec<u8>> {
    memchr(b':', value).map(|at| value[at + 1..].to_vec())
}

/// Returns the forms of a value to search for.
fn forms(value: Vec<u8>) -> Vec<Vec<u8>> {
    if value.len() < SHORTEST {
        return Vec::new();
    }
    let mut forms = vec![HEXLOWER.encode(&value).into_bytes(), HEXUPPER.encode(&value).into_bytes()];
    for alphabet in [&BASE64_NOPAD, &BASE64URL_NOPAD] {
        forms.extend((0..3).map(|before| within(alphabet, before, &value)));
    }
    // HTML forms encode a space as `+`.
    let with_plus = value.iter().map(|byte| if *byte == b' ' { b'+' } else { *byte }).collect();
    forms.extend([with_plus, value]);
    forms.retain(|form| form.len() >= SHORTEST);
    forms
}

/// Returns the part of a longer base64 text that depends on this value alone. `before` is the number of bytes before
/// it, modulo three: three bytes make four letters, so the letters at either end may depend on neighbouring bytes
/// too.
fn within(alphabet: &Encoding, before: usize, value: &[u8]) -> Vec<u8> {
    let bytes = [&[0, 0][..before], value].concat();
    let mut letters = alphabet.encode(&bytes).into_bytes();
    if bytes.len() % 3 != 0 {
        letters.pop();
    }
    letters.split_off((before * 8).div_ceil(6))
}

/// Returns a text with JSON's ASCII escapes decoded; the same text if there are none.
fn unescaped(text: &[u8]) -> Cow<'_, [u8]> {
    let mut plain = Vec::new();
    let mut rest = text;
    while let Some(at) = memchr(b'\\', rest) {
        plain.extend_from_slice(&rest[..at]);
        let (byte, length) = match &rest[at + 1..] {
            [byte @ (b'"' | b'\\' | b'/'), ..] => (*byte, 2),
            [b'u', b'0', b'0', digits @ ..] if digits.len() >= 2 => match hex(&digits[..2]) {
                Some(byte) if byte.is_ascii() => (byte, 6),
                _ => (b'\\', 1),
            },
            _ => (b'\\', 1),
        };
        plain.push(byte);
        rest = &rest[at + length..];
    }
    match rest.len() == text.len() {
        true => Cow::Borrowed(text),
        false => {
            plain.extend_from_slice(rest);
            Cow::Owned(plain)
        }
    }
}

fn hex(digits: &[u8]) -> Option<u8> {
    u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use data_encoding::{BASE64, BASE64URL};
    use proptest::prelude::*;

    use super::*;

    fn check(secret: &str, answer: &str, expected: bool) {
        let secrets = BTreeSet::from([secret.to_owned()]);
        assert_eq!(repeats(answer.as_bytes(), &secrets), expected, "{secret} in {answer}");
    }

    #[test]
    fn a_secret_is_found_in_the_forms_of_programs() {
        let secret = "s3cr/t \"v=l+e\\";
        for answer in [
            "you sent s3cr/t \"v=l+e\\!",
            r#"{"sent": "s3cr\/t \"v=l+e\\"}"#,
            r#"{"sent": "s3cr/t \u0022v\u003dl\u002be\\"}"#,
            "/login?next=s3cr%2Ft%20%22v%3dl%2be%5c&x",
            "q=s3cr%2Ft+%22v%3Dl%2Be%5C",
        ] {
            check(secret, answer, true);
            check("another-secret", answer, false);
        }
        let bytes = secret.as_bytes();
        check(secret, &format!("0x{}", HEXLOWER.encode(bytes)), true);
        check(secret, &HEXUPPER.encode(bytes), true);
        for around in ["", "a", "ab", "abc", "Bearer "] {
            let whole = format!("{around}{secret}{around}");
            check(secret, &format!("{{\"sent\": \"{}\"}}", BASE64.encode(whole.as_bytes())), true);
            check(secret, &BASE64URL.encode(whole.as_bytes()), true);
        }
    }

    #[test]
    fn the_password_of_a_basic_login_is_a_secret_too() {
        let basic = BASE64.encode(b"ada:correct horse");
        for answer in ["hello ada:correct horse", "wrong password: correct horse", &basic] {
            check(&basic, answer, true);
            check("ada:correct horse", answer, true);
        }
        check(&basic, "hello ada", false);
    }

    #[test]
    fn what_is_found_by_chance_is_no_secret() {
        check("abcde", "abcde", false);
        // It is valid base64, but decodes to nothing meaningful.
        check("deadbeefcafe", "u\u{e6}\u{9d}", false);
        check("s3cret-of-a-person", r"an answer \u00 with \ many \u003 escapes \", false);
    }

    proptest! {
        #[test]
        fn a_secret_is_found_wherever_it_stands(
            secret in "[ -~]{6,60}",
            before in proptest::collection::vec(any::<u8>(), 0..9),
            after in proptest::collection::vec(any::<u8>(), 0..9),
        ) {
            let whole = [&before, secret.as_bytes(), &after].concat();
            let secrets = BTreeSet::from([secret.clone()]);
            prop_assert!(repeats(&whole, &secrets));
            prop_assert!(repeats(BASE64.encode(&whole).as_bytes(), &secrets));
            prop_assert!(repeats(HEXLOWER.encode(&whole).as_bytes(), &secrets));
            prop_assert!(repeats(serde_json::json!(secret).to_string().as_bytes(), &secrets));
        }
    }
}
