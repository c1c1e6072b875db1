//! Groups messages by sender; needs no host.

use std::collections::BTreeMap;

use iac_plugin::{Json, json};

/// The properties of one message.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Message {
    sender: String,
    subject: Json,
    /// RFC 3339 with the local offset.
    date: Option<String>,
    reference: Json,
}

/// Messages by sender.
#[derive(Debug, Default)]
pub(crate) struct Digest {
    senders: BTreeMap<String, Sender>,
    unread: usize,
    pub(crate) complete: bool,
}

#[derive(Debug)]
struct Sender {
    count: usize,
    newest: Message,
}

impl Message {
    /// Reads a row of `get-elements`; a property that an app could not give is left out.
    pub(crate) fn read(row: &Json) -> Self {
        let properties = &row["properties"];
        Self {
            sender: properties["sender"].as_str().unwrap_or_default().to_owned(),
            subject: properties["subject"].clone(),
            date: properties["date received"].as_str().map(str::to_owned),
            reference: row["id"].clone(),
        }
    }

    fn show(&self) -> Json {
        json!({"subject": self.subject, "date": self.date, "reference": self.reference})
    }
}

impl Digest {
    pub(crate) fn add(&mut self, message: Message) {
        self.unread += 1;
        let key = address(&message.sender);
        match self.senders.get_mut(&key) {
            None => drop(self.senders.insert(key, Sender { count: 1, newest: message })),
            Some(sender) => sender.add(message),
        }
    }

    /// Shows the first `most` senders: most messages first, then by address.
    pub(crate) fn show(&self, most: usize) -> Json {
        let mut senders: Vec<&Sender> = self.senders.values().collect();
        senders.sort_by_key(|sender| std::cmp::Reverse(sender.count));
        let shown: Vec<Json> = senders.iter().take(most).map(|sender| sender.show()).collect();
        json!({
            "senders": shown,
            "otherSenders": senders.len() - shown.len(),
            "unread": self.unread,
            "complete": self.complete,
        })
    }
}

impl Sender {
    fn add(&mut self, message: Message) {
        self.count += 1;
        if moment(&message.date) > moment(&self.newest.date) {
            self.newest = message;
        }
    }

    fn show(&self) -> Json {
        json!({"sender": self.newest.sender, "count": self.count, "newest": self.newest.show()})
    }
}

/// The address in `Name <address>`, in lower case, so that two spellings of one address are one sender.
fn address(sender: &str) -> String {
    let inner = sender.rsplit_once('<').and_then(|(_, rest)| rest.split_once('>'));
    inner.map_or(sender, |(address, _)| address).trim().to_lowercase()
}

/// A date as minutes in UTC and the rest of its text, to compare dates with different offsets.
fn moment(date: &Option<String>) -> Option<(i64, String)> {
    let date = date.as_deref()?;
    let (local, offset) = date.split_at_checked(19)?;
    let field = |range: std::ops::Range<usize>| local.get(range)?.parse::<i64>().ok();
    let (year, month, day) = (field(0..4)?, field(5..7)?, field(8..10)?);
    let minutes = (days(year, month, day) * 24 + field(11..13)?) * 60 + field(14..16)?;
    Some((minutes - minutes_ahead(offset), local.get(17..)?.to_owned()))
}

/// Days since a fixed day of the proleptic Gregorian calendar. The year begins in March here, so that the leap day is
/// its last day.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    year * 365 + year.div_euclid(4) - year.div_euclid(100)
        + year.div_euclid(400)
        + (month * 153 + 2) / 5
        + day
}

fn minutes_ahead(offset: &str) -> i64 {
    let Some(at) = offset.find(['+', '-']) else { return 0 };
    let (hours, minutes) = offset[at + 1..].split_once(':').unwrap_or((&offset[at + 1..], "0"));
    let ahead = hours.parse::<i64>().unwrap_or(0) * 60 + minutes.parse::<i64>().unwrap_or(0);
    if offset[at..].starts_with('-') { -ahead } else { ahead }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(rows: &[(&str, &str, &str)], expected: &[(&str, u64, &str)]) {
        let mut digest = Digest::default();
        for (sender, subject, date) in rows {
            let properties = json!({"sender": sender, "subject": subject, "date received": date});
            digest.add(Message::read(&json!({"id": "ref_1", "properties": properties})));
        }
        let shown = digest.show(10);
        let senders: Vec<(&str, u64, &str)> =
            shown["senders"].as_array().into_iter().flatten().map(line).collect();
        assert_eq!(senders, expected);
        assert_eq!(shown["unread"], rows.len());
    }

    fn line(sender: &Json) -> (&str, u64, &str) {
        let name = sender["sender"].as_str().unwrap_or("");
        (name, sender["count"].as_u64().unwrap_or(0), sender["newest"]["subject"].as_str().unwrap_or(""))
    }

    const NOON: &str = "2026-03-01T12:00:00+01:00";
    const LATER: &str = "2026-03-01T11:30:00+00:00";

    #[test]
    fn messages_are_grouped_by_address() {
        check(&[], &[]);
        check(&[("Ada <ada@example.org>", "one", NOON)], &[("Ada <ada@example.org>", 1, "one")]);
        check(
            &[("Ada <ada@example.org>", "one", NOON), ("ADA@example.org", "two", LATER)],
            &[("ADA@example.org", 2, "two")],
        );
        check(
            &[("b@x", "late", LATER), ("b@x", "noon", NOON), ("a@x", "other", NOON)],
            &[("b@x", 2, "late"), ("a@x", 1, "other")],
        );
        check(&[("", "nobody", "no date"), ("", "still nobody", NOON)], &[("", 2, "still nobody")]);
    }

    #[test]
    fn senders_beyond_the_limit_are_counted() {
        let mut digest = Digest::default();
        for sender in ["a", "b", "c"] {
            digest.add(Message { sender: sender.to_owned(), ..Message::default() });
        }
        let shown = digest.show(2);
        assert_eq!((&shown["otherSenders"], shown["senders"].as_array().map(Vec::len)), (&json!(1), Some(2)));
    }
}
