//! Dates in the text of mail. Headers are text, so their dates must be shifted together with the date properties.

use super::model::Model;
use crate::value::Value;
use jiff::SignedDuration;
use jiff::fmt::rfc2822;

const DATE: &str = "Date: ";

impl Model {
    /// Shifts the dates in headers by as much as the dates in properties.
    pub(super) fn move_letters(&mut self) {
        let by = self.shift;
        if by == 0 {
            return;
        }
        for value in self.values_mut() {
            if let Value::Text(text) = value
                && let Some(moved) = moved(text, by)
            {
                *text = moved.into();
            }
        }
    }
}

/// Shifts the date in a message's headers, or a string that is only such a date; `None` for any other text.
fn moved(text: &str, by: i64) -> Option<String> {
    if is_date(text) {
        return date(text, by);
    }
    let head = &text[..text.find("\n\n").unwrap_or(text.len())];
    let line = if head.starts_with(DATE) { 0 } else { head.find("\nDate: ")? + 1 };
    let from = line + DATE.len();
    let to = head[from..].find('\n').map_or(head.len(), |length| from + length);
    Some(format!("{}{}{}", &text[..from], date(&head[from..to], by)?, &text[to..]))
}

/// Whether a text may be a header's date. `Thu, 22 Jan 2026 18:46:00 +0100` has 31 characters; with a one-digit day
/// it has 30.
fn is_date(text: &str) -> bool {
    matches!(text.len(), 30 | 31) && text.as_bytes().get(3) == Some(&b',')
}

fn date(text: &str, by: i64) -> Option<String> {
    let moved = rfc2822::parse(text).ok()?.checked_add(SignedDuration::from_secs(by)).ok()?;
    rfc2822::to_string(&moved).ok()
}

#[cfg(test)]
mod tests {
    use super::moved;

    #[test]
    fn only_the_date_of_a_head_moves() {
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(moved(text, 10 * 86_400).as_deref(), expected, "{text}");
        };
        check("Thu, 22 Jan 2026 18:46:00 +0100", Some("Sun, 1 Feb 2026 18:46:00 +0100"));
        check(
            "Date: Thu, 1 Jan 2026 18:46:00 +0100\nTo: x\n",
            Some("Date: Sun, 11 Jan 2026 18:46:00 +0100\nTo: x\n"),
        );
        let (before, after) = ("Thu, 22 Jan 2026 18:46:00 +0000", "Sun, 1 Feb 2026 18:46:00 +0000");
        let letter = |date: &str| format!("From: é\nDate: {date}\n\nDate: {before}\n");
        check(&letter(before), Some(&letter(after)));
        for other in [
            "From: x\n\nDate: Thu, 22 Jan 2026 18:46:00 +0100\n",
            "Date: today",
            "",
            "abc, no date of thirty letters",
        ] {
            check(other, None);
        }
    }
}
