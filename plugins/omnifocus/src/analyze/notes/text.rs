//! Reads the lines of notes: which of them are tasks, and which projects they belong to.

use super::phrase::{self, Words};
use super::{Item, Suggested};
use crate::Moment;

/// Headings that describe the lines below them and name no project.
const PLAIN: &[&str] = &[
    "action items", "actions", "action", "tasks", "todo", "todos", "to do", "next steps", "notes", "agenda",
    "attendees", "decisions", "follow ups", "follow-ups", "summary", "discussion",
];

/// Reads notes: the tasks in them, and the other lines.
pub(super) fn read(text: &str, moment: &Moment) -> (Vec<Item>, Vec<String>) {
    let (mut items, mut unparsed) = (Vec::new(), Vec::new());
    let mut project = None;
    let mut lines = text.lines().map(str::trim).peekable();
    while let Some(line) = lines.next() {
        if line.is_empty() {
            continue;
        }
        let is_titled = bullet(line).is_none() && lines.peek().is_some_and(|next| is_underline(next));
        if is_titled {
            lines.next();
            project = None;
            continue;
        }
        match kind(line) {
            Line::Task(rest) => items.push(item(rest, project.clone(), moment)),
            Line::Project(name) => project = Some(name),
            Line::Heading => project = None,
            Line::Other => unparsed.push(line.to_owned()),
        }
    }
    (items, unparsed)
}

enum Line<'a> {
    Task(&'a str),
    Project(String),
    /// A title, which ends the project of the lines above it.
    Heading,
    Other,
}

fn kind(line: &str) -> Line<'_> {
    if let Some(rest) = bullet(line) {
        // What is checked off is done.
        if rest.starts_with("[x]") || rest.starts_with("[X]") {
            return Line::Other;
        }
        let rest = rest.strip_prefix("[ ]").unwrap_or(rest).trim();
        return if rest.is_empty() { Line::Other } else { Line::Task(rest) };
    }
    if line.starts_with('#') {
        return Line::Heading;
    }
    let bare = line.trim_matches('*');
    if let Some(name) = after(bare, "project:") {
        return Line::Project(name.to_owned());
    }
    let Some(title) = bare.strip_suffix(':').map(|title| title.trim_matches(['*', ' '])) else {
        return Line::Other;
    };
    if PLAIN.contains(&title.to_lowercase().as_str()) {
        return Line::Heading;
    }
    let name = match title.len().checked_sub(" project".len()) {
        Some(end) if title.is_char_boundary(end) && title[end..].eq_ignore_ascii_case(" project") => {
            &title[..end]
        }
        _ => title,
    };
    let capital = name.chars().next().is_some_and(char::is_uppercase);
    if capital && name.chars().count() <= 60 { Line::Project(name.trim().to_owned()) } else { Line::Other }
}

/// Whether a line underlines the one above it as a title: `====` or `----`.
fn is_underline(line: &str) -> bool {
    line.len() >= 2 && (line.bytes().all(|byte| byte == b'=') || line.bytes().all(|byte| byte == b'-'))
}

/// Returns the text after a word, if there is any. The word may be in any case.
fn after<'a>(line: &'a str, word: &str) -> Option<&'a str> {
    let head = line.get(..word.len())?;
    let rest = line[word.len()..].trim_matches(['*', ' ']);
    (head.eq_ignore_ascii_case(word) && !rest.is_empty()).then_some(rest)
}

/// Returns the text after a list marker.
fn bullet(line: &str) -> Option<&str> {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = if (1..=3).contains(&digits) {
        line[digits..].strip_prefix(['.', ')'])?
    } else {
        line.strip_prefix(['-', '*', '•', '–'])?
    };
    Some(rest.strip_prefix(char::is_whitespace)?.trim())
}

fn item(text: &str, project: Option<String>, moment: &Moment) -> Item {
    let mut words = Words::of(text);
    let tags = words.take_tags();
    let due = words.take_due(moment);
    let defer = words.take_defer(moment);
    let minutes = words.take_minutes();
    let name = words.text();
    let sure = [name.chars().count() > 10, !tags.is_empty(), due.is_some() || defer.is_some()];
    let confidence = match sure.into_iter().filter(|sure| *sure).count() {
        0 => "low",
        1 => "medium",
        _ => "high",
    };
    let suggested = Suggested {
        minutes: if minutes.is_none() { phrase::usual_minutes(&name) } else { None },
        tags: phrase::contexts(&name),
        confidence: Some(confidence),
    };
    Item { name, project, tags, due, defer, minutes, suggested, ..Item::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wednesday 28 January 2026, 09:30 in Vienna.
    fn check(text: &str, expected: &[&str], unparsed: &[&str]) {
        let moment = Moment::new(1_769_589_000_000, "Europe/Vienna", 3_600);
        let (items, rest) = read(text, &moment);
        let shown: Vec<String> = items.iter().map(shown).collect();
        assert_eq!(shown, expected, "{text}");
        assert_eq!(rest, unparsed, "{text}");
    }

    fn shown(item: &Item) -> String {
        let mut shown = item.name.clone();
        let parts = [
            ("project", item.project.clone()),
            ("due", item.due.clone()),
            ("defer", item.defer.clone()),
            ("minutes", item.minutes.map(|minutes| minutes.to_string())),
            ("tags", (!item.tags.is_empty()).then(|| item.tags.join("+"))),
        ];
        for (name, value) in parts {
            if let Some(value) = value {
                shown.push_str(&format!(" | {name} {value}"));
            }
        }
        shown
    }

    #[test]
    fn list_items_are_tasks_and_the_rest_is_not() {
        check(
            "Action items:\n- Follow up with Sarah about Q1 goals\n- Review budget proposal by Friday\n- Schedule team sync for next week",
            &[
                "Follow up with Sarah about Q1 goals",
                "Review budget proposal | due 2026-01-30",
                "Schedule team sync | due 2026-02-06",
            ],
            &[],
        );
        check(
            "We talked.\n1. Call Bob\n2) Mail Eve\n• Pay",
            &["Call Bob", "Mail Eve", "Pay"],
            &["We talked."],
        );
        check("- [ ] Open\n- [x] Done", &["Open"], &["- [x] Done"]);
        check("-no space\n-", &[], &["-no space", "-"]);
    }

    #[test]
    fn headings_open_projects() {
        check(
            "Website project:\n- Draft home page\n# Break\n- Buy coffee\nProject: Garden\n- Plant trees\nLaunch:\n- Tell press\nlower case:\n- Same project",
            &[
                "Draft home page | project Website",
                "Buy coffee",
                "Plant trees | project Garden",
                "Tell press | project Launch",
                "Same project | project Launch",
            ],
            &["lower case:"],
        );
    }

    #[test]
    fn a_title_may_be_underlined() {
        check(
            "Launch:\n- Tell press\n\nNext steps\n==========\n- Call Bob\nOther things\n---\n1. Pay\n\n---",
            &["Tell press | project Launch", "Call Bob", "Pay"],
            &["---"],
        );
    }

    #[test]
    fn dates_times_and_tags_are_taken_out_of_the_name() {
        check("- Send report due tomorrow", &["Send report | due 2026-01-29"], &[]);
        for (text, due) in [
            ("due 2026-12-10 09:00", "2026-12-10 09:00"),
            ("by 2026-12-10T09:00", "2026-12-10 09:00"),
            ("by Friday 14:00", "2026-01-30 14:00"),
            ("by friday at 9am", "2026-01-30 09:00"),
            ("by friday at 9 pm.", "2026-01-30 21:00"),
            ("by tomorrow 8:30", "2026-01-29 08:30"),
            ("by 2/1 at noon", "2026-02-01 12:00"),
            ("by March 31 at 9", "2026-03-31 09:00"),
            ("by end of month, 17:00", "2026-01-31 17:00"),
        ] {
            check(&format!("- Send report {text}"), &[&format!("Send report | due {due}")[..]], &[]);
        }
        for (text, name, due) in [
            ("Prepare slides for Monday by Friday", "Prepare slides for Monday", "2026-01-30"),
            ("Prepare slides on Monday, due Friday 9am", "Prepare slides on Monday", "2026-01-30 09:00"),
            ("Prepare slides for Monday", "Prepare slides", "2026-02-02"),
            ("Send it by end of the week", "Send it", "2026-01-30"),
            ("Send it by the end of next week", "Send it", "2026-02-06"),
            ("Send it by EOW", "Send it", "2026-01-30"),
            ("Send it by the end of the month", "Send it", "2026-01-31"),
            ("Send it by end of next month", "Send it", "2026-02-28"),
            ("Send it by end of year", "Send it", "2026-12-31"),
            ("Send it by 5pm", "Send it", "2026-01-28 17:00"),
            ("Send it by 8:00", "Send it", "2026-01-29 08:00"),
            ("Send it tomorrow by 5pm", "Send it", "2026-01-29 17:00"),
            ("Send it on Friday by noon", "Send it", "2026-01-30 12:00"),
            ("Send it by 5pm on Friday", "Send it", "2026-01-30 17:00"),
            ("Send it by noon tomorrow", "Send it", "2026-01-29 12:00"),
            ("Send it by 5 pm next Friday", "Send it", "2026-01-30 17:00"),
            ("Send it by EOD", "Send it", "2026-01-28"),
            ("Send it by end of day Friday", "Send it", "2026-01-30"),
            ("Send it by COB tomorrow", "Send it", "2026-01-29"),
            ("Send it by Friday EOD", "Send it", "2026-01-30"),
            ("Send it due on Friday", "Send it", "2026-01-30"),
            ("Send it by 24 December", "Send it", "2026-12-24"),
            ("Send it by Dec 24th, 2027", "Send it", "2027-12-24"),
            ("Deadline: Friday for the report", "for the report", "2026-01-30"),
        ] {
            check(&format!("- {text}"), &[&format!("{name} | due {due}")[..]], &[]);
        }
        check("- Wait for it by Friday 9 times", &["Wait for it 9 times | due 2026-01-30"], &[]);
        check("- Pay rent by 2/1", &["Pay rent | due 2026-02-01"], &[]);
        check("- Pay rent by 1/5", &["Pay rent | due 2027-01-05"], &[]);
        check("- File taxes before March 31", &["File taxes | due 2026-03-31"], &[]);
        check("- Ship it by 2026-02-10.", &["Ship it | due 2026-02-10"], &[]);
        check("- Close books by end of month", &["Close books | due 2026-01-31"], &[]);
        check("- Start hiring not until next month", &["Start hiring | defer 2026-02-01"], &[]);
        check(
            "- Ask again after Monday, by this week",
            &["Ask again | due 2026-01-30 | defer 2026-02-02"],
            &[],
        );
        check("- Call the bank @phone 20 min", &["Call the bank | minutes 20 | tags phone"], &[]);
        check("- Workshop (2h)", &["Workshop | minutes 120"], &[]);
        check("- Stand by your word", &["Stand by your word"], &[]);
        check("- Look after the cat", &["Look after the cat"], &[]);
    }
}
