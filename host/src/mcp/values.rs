//! Limits the number of JSON values in a line, before anything is allocated for them.
//!
//! A value takes a hundred bytes of memory or more once it is parsed. 14 MiB of `{"a":1},` took 1.8 GB, and blocked
//! the only thread for two seconds.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

/// The most values in a line: as many as in ten of the largest batches. A 16 MiB line that is mostly one string has only
/// seven.
pub(super) const MOST: usize = 100_000;

/// Whether a line has too many values. Invalid JSON is detected later.
pub(super) fn are_too_many(line: &[u8]) -> bool {
    // Each value takes at least two bytes with its separator.
    if line.len() / 2 < MOST {
        return false;
    }
    let mut left = MOST;
    let read = Counted(&mut left).deserialize(&mut serde_json::Deserializer::from_slice(line));
    read.is_err() && left == 0
}

/// Counts down with each value, and fails when the limit is reached.
struct Counted<'a>(&'a mut usize);

impl<'de> DeserializeSeed<'de> for Counted<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        *self.0 = self.0.checked_sub(1).ok_or_else(|| serde::de::Error::custom("too many values"))?;
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Counted<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while items.next_element_seed(Counted(self.0))?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<(), A::Error> {
        while fields.next_key::<serde::de::IgnoredAny>()?.is_some() {
            fields.next_value_seed(Counted(self.0))?;
        }
        Ok(())
    }
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
        check("[".repeat(300_000), false);
        check(format!("{{\"a\":{}", list("true", MOST)), true);
        check(String::new(), false);
    }
}
