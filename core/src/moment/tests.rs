use super::*;

#[test]
fn moments_are_read_in_many_spellings_and_written_in_one() {
    for (text, written) in [
        ("now", "now"),
        ("Today", "today"),
        ("tomorrow", "today + 1 day"),
        ("yesterday", "today - 1 day"),
        ("now-14days", "now - 2 weeks"),
        ("today + 2 weeks", "today + 2 weeks"),
        ("today+36hours", "today + 36 hours"),
        ("now + 90 minutes", "now + 90 minutes"),
        ("(current date) - (7 * days)", "now - 1 week"),
        ("current date + 3 * hours", "now + 3 hours"),
        ("now - 1 month - 2 days", "now - 1 month - 2 days"),
        ("today + 18 months", "today + 18 months"),
        ("today + 2 years", "today + 2 years"),
        ("now-90m", "now - 90 minutes"),
        ("today+1mo", "today + 1 month"),
        ("today - 1w", "today - 1 week"),
        ("3 days ago", "now - 3 days"),
        ("in 2 hours", "now + 2 hours"),
        ("friday", "friday"),
        ("next monday + 9 hours", "next monday + 9 hours"),
        ("last sunday", "last sunday"),
        ("this week", "this week"),
        ("last week", "this week - 1 week"),
        ("next month", "this month + 1 month"),
        ("last year", "this year - 1 year"),
        ("tomorrow 15:00", "today at 15:00 + 1 day"),
        ("tomorrow at 5 pm", "today at 17:00 + 1 day"),
        ("today + 1 day 9:30", "today at 9:30 + 1 day"),
        ("next friday at 9", "next friday at 9:00"),
        ("friday 12am", "friday at 0:00"),
        ("monday noon", "monday at 12:00"),
        ("today 10:15:30 + 2 hours", "today at 10:15:30 + 2 hours"),
        ("in 3 days at 8:00", "now at 8:00 + 3 days"),
        ("in a week", "now + 1 week"),
        ("3 days from now", "now + 3 days"),
        ("right now", "now"),
        ("the day after tomorrow", "today + 2 days"),
        ("day before yesterday", "today - 2 days"),
        ("8pm", "today at 20:00"),
        ("8:30 PM", "today at 20:30"),
        ("at 20:00", "today at 20:00"),
        ("noon", "today at 12:00"),
        ("3pm friday", "friday at 15:00"),
        ("9:15 on Friday", "friday at 9:15"),
        ("10:00 tomorrow", "today at 10:00 + 1 day"),
        ("9am next monday", "next monday at 9:00"),
        ("8pm in 3 days", "now at 20:00 + 3 days"),
        ("tonight at 8", "today at 20:00"),
        ("tonight 22:30", "today at 22:30"),
        ("this morning at 9", "today at 9:00"),
        ("tomorrow evening at 7", "today at 19:00 + 1 day"),
        ("friday afternoon 2:30", "friday at 14:30"),
        ("friday afternoon at 2 pm", "friday at 14:00"),
        ("yesterday evening at 21:00", "today at 21:00 - 1 day"),
        ("end of day", "today + 1 day - 1 second"),
        ("end of tomorrow", "today + 2 days - 1 second"),
        ("end of the week", "this week + 1 week - 1 second"),
        ("end of next week", "this week + 2 weeks - 1 second"),
        ("end of month", "this month + 1 month - 1 second"),
        ("end of month 17:00", "this month at 17:00 + 1 month - 1 day"),
        ("17:00 end of month", "this month at 17:00 + 1 month - 1 day"),
        ("end of today at 9", "today at 9:00"),
        ("end of this month", "this month + 1 month - 1 second"),
        ("end of last year", "this year - 1 second"),
        ("end of friday", "friday + 1 day - 1 second"),
        ("start of the week", "this week"),
        ("beginning of next month", "this month + 1 month"),
        ("this weekend", "this week + 5 days"),
        ("the weekend", "this week + 5 days"),
        ("last weekend", "this week - 2 days"),
        ("end of the weekend", "this week + 1 week - 1 second"),
        ("this weekend + 1 week", "this week + 12 days"),
        ("on Friday", "friday"),
        ("Fri 3pm", "friday at 15:00"),
        ("tues", "tuesday"),
        ("Tuesday next week", "this week + 8 days"),
        ("friday of this week 9:00", "this week at 9:00 + 4 days"),
        ("next week on wednesday", "this week + 9 days"),
        ("in two hours", "now + 2 hours"),
        ("in half an hour", "now + 30 minutes"),
        ("two weeks ago", "now - 2 weeks"),
        ("a week from today", "today + 1 week"),
        ("a week from Friday", "friday + 1 week"),
        ("two days before next monday", "next monday - 2 days"),
        ("last 7 days", "now - 1 week"),
        ("past 3 months", "now - 3 months"),
        ("next 30 days", "now + 30 days"),
        ("now + 86400", "now + 24 hours"),
        ("now - 3", "now - 3 seconds"),
        ("(current date) - (7 * 24 * 60 * 60)", "now - 168 hours"),
        ("((current date) - 7 * days)", "now - 1 week"),
        ("(now - (1 * days + 3 * hours))", "now - 1 day - 3 hours"),
        ("today + 0.5 * days", "today + 12 hours"),
        ("now - 1.5 hours", "now - 90 minutes"),
        ("today + 1 * days", "today at 0:00 + 1 day"),
        ("(next monday) - (2 * weeks)", "next monday at 0:00 - 2 weeks"),
        ("(current date) - (time of (current date))", "today at 0:00"),
        ("((current date) - (time of (current date))) + 1 * days", "today at 0:00 + 1 day"),
        ("current date - time of current date - 7 days", "today at 0:00 - 1 week"),
        ("date \"tomorrow\" + 1 day", "today + 2 days"),
    ] {
        let moment = Moment::parse(text).unwrap_or_else(|| panic!("{text} is a moment"));
        assert_eq!(moment.to_string(), written, "{text}");
        assert_eq!(Moment::parse(written), Some(moment), "{written}");
    }
}

#[test]
fn other_texts_are_no_moments() {
    let deep = "(".repeat(10_000);
    for text in [
        "",
        "midnight",
        "at midnight",
        "tonight",
        "last night",
        "this evening",
        "tomorrow morning",
        "tomorrow night at 12",
        "next weekend",
        "end of now",
        "end of 3 days ago",
        "start of today 15:00 - 1 hour and",
        "a few days ago",
        "in a couple of days",
        "25 November",
        "november",
        "11/25/2026",
        "now -",
        "now - days",
        "now - 3 and",
        "now + 0.5 months",
        "now - 3 - (time of now)",
        "today - (time of now)",
        "date \"2026-02-30\"",
        "date \"2026-01-27T10:00:00Z\"",
        "date \"9999-12-31\" + 1 day",
        "today + 3 fortnights",
        "next day",
        "last days",
        "nowadays",
        "now2",
        "today + 99999999999 days",
        "now + 10001 years",
        "now + 9999 years + 9999 years",
        "2026-01-27",
        "((now",
        "days ago",
        "today 15",
        "today 25:00",
        "friday 9:5",
        "today 9:005",
        "today 4444444444444444444:00",
        "4444444444444444444",
        "today 15:60",
        "today 9:5",
        "9:5 tomorrow",
        "today 13pm",
        "now + 2 hours 15:00",
        "8",
        "at 25",
        "fr",
        "3 days from",
        &"1 day from ".repeat(1_000),
        &"end of ".repeat(1_000),
        &deep,
    ] {
        assert_eq!(Moment::parse(text), None, "{text}");
    }
}

#[test]
fn a_moment_that_names_a_day_or_a_month_means_all_of_it() {
    for (text, end) in [
        ("today", Some("tomorrow")),
        ("tomorrow", Some("today + 2 days")),
        ("monday", Some("monday + 1 day")),
        ("today + 2 weeks", Some("today + 15 days")),
        ("last week", Some("this week")),
        ("this month", Some("next month")),
        ("last year", Some("this year")),
        ("now", None),
        ("today + 3 hours", None),
        ("today + 1 month", None),
        ("this week + 1 day", None),
        ("this month + 1 week", None),
        ("this year + 1 month", None),
        ("this weekend", Some("next week")),
        ("last weekend", Some("this week")),
        ("end of month", None),
        ("8pm", None),
        ("today 15:00", None),
        ("today + 1 * days", None),
        ("this month + 1 * weeks", None),
        ("date \"2026-01-27\"", Some("date \"2026-01-27\" + 1 day")),
        ("date \"2026-01-27\" + 1 * days", None),
    ] {
        let moment = Moment::parse(text).unwrap();
        assert_eq!(moment.period_end(), end.and_then(Moment::parse), "{text}");
    }
}

/// A date that does not depend on the present is written as programs write it.
#[test]
fn a_date_can_be_counted_from() {
    for (text, written) in [
        ("date \"2026-01-27\"", "2026-01-27"),
        ("date \"2026-01-27 15:00\"", "2026-01-27T15:00:00"),
        ("date \"2026-01-27\" + 1 day", "2026-01-28"),
        ("date \"2026-01-27\" + 1 * days", "2026-01-28T00:00:00"),
        ("date \"2026-01-27\" - 90 * minutes", "2026-01-26T22:30:00"),
        ("(date \"2026-01-31\") + 1 month", "2026-02-28"),
        ("date \"2026-01-27\" 9:30", "2026-01-27T09:30:00"),
        ("2 days before date \"2026-01-01\"", "2025-12-30"),
    ] {
        let moment = Moment::parse(text).unwrap_or_else(|| panic!("{text} is a moment"));
        assert_eq!(moment.to_string(), written, "{text}");
    }
}

/// The caller reads the text after a moment.
#[test]
fn a_moment_ends_where_its_grammar_ends() {
    for (text, taken) in [
        ("now - 3 days and flagged", "now - 3 days"),
        ("today) of inbox", "today"),
        ("now + x", "now"),
        ("now - 7 * dayz", "now"),
        ("today at work", "today"),
        ("friday 17:00 and flagged", "friday 17:00"),
        ("8 pm and flagged", "8 pm"),
        ("20:00 or name is \"x\"", "20:00"),
        ("friday of inbox", "friday"),
    ] {
        let (_, end) = Moment::prefix(text).unwrap();
        assert_eq!(&text[..end], taken);
    }
}

/// Every phrase of a day together with every phrase of a time, in both orders, is one moment. Its own text form is read
/// as the same moment.
#[test]
fn days_and_times_stand_in_any_order() {
    let days = [
        "today",
        "tomorrow",
        "yesterday",
        "the day after tomorrow",
        "monday",
        "on Fri",
        "next tuesday",
        "last sun",
        "this weekend",
        "last weekend",
        "tuesday next week",
        "next week on friday",
        "in two weeks",
        "3 days ago",
        "a week from friday",
        "last 7 days",
        "next month",
        "this year",
    ];
    let times = ["8pm", "at 20:00", "noon", "at 9", "7:05 am", "23:59:59"];
    for day in days {
        for time in times {
            let first = Moment::parse(&format!("{day} {time}")).unwrap_or_else(|| panic!("{day} {time}"));
            assert_eq!(Moment::parse(&format!("{time} {day}")), Some(first), "{time} {day}");
            assert_eq!(Moment::parse(&first.to_string()), Some(first), "{first}");
        }
    }
}

proptest::proptest! {
    /// Any sequence of the grammar's words is read to its end or refused, and a moment that was read can be written and
    /// read again.
    #[test]
    fn what_is_read_can_be_written(words in proptest::collection::vec(proptest::sample::select(WORDS.to_vec()), 1..8)) {
        let text = words.join(" ");
        if let Some(moment) = Moment::parse(&text) {
            proptest::prop_assert_eq!(Moment::parse(&moment.to_string()), Some(moment), "{} as {}", text, moment);
        }
    }
}

const WORDS: [&str; 47] = [
    "now", "today", "tomorrow", "tonight", "yesterday", "day", "after", "before", "end", "start", "of",
    "the", "on", "at", "this", "next", "last", "week", "month", "weekend", "monday", "fri", "8", "8pm",
    "20:00", "noon", "midnight", "in", "3", "two", "a", "half", "an", "hour", "days", "weeks", "ago", "from",
    "+", "-", "(", ")", "evening", "morning", "*", "1.5", "time of",
];

#[test]
fn words_without_a_time_say_what_to_write() {
    for (text, expected) in [
        ("tonight", "say the hour"),
        ("yesterday evening", "say the hour"),
        ("midnight", "tomorrow 0:00"),
        ("next weekend", "this weekend"),
        ("in a few days", "in 2 days"),
        ("Nov 25", "the year"),
        ("25/11/2026", "the year"),
    ] {
        assert_eq!(Moment::parse(text), None, "{text}");
        let instead = Moment::instead(text).unwrap_or_default();
        assert!(instead.contains(expected), "{text}: {instead}");
    }
    assert_eq!(Moment::instead("christmas"), None);
    for written in
        ["today 20:00", "tomorrow evening at 7", "tomorrow 0:00", "this weekend + 1 week", "3 hours ago"]
    {
        assert!(Moment::parse(written).is_some(), "{written}");
    }
}

#[test]
fn a_date_is_shifted_from_its_own_value() {
    for (text, shifted) in [
        ("due date + 1 day", Some("2026-12-05T17:30:00")),
        ("dueDate - 2 hours", Some("2026-12-04T15:30:00+01:00")),
        ("Due Date + 1 month - 1 week", Some("2026-12-28T17:30:00")),
        ("due date+90m", Some("2026-12-04T19:00:00+01:00")),
        ("defer date + 1 day", None),
        ("due date", None),
        ("due date + friday", None),
        ("+ 1 day", None),
    ] {
        let shift =
            Shift::parse(text, "due date").and_then(|shift| shift.of("2026-12-04T17:30:00.000+01:00"));
        assert_eq!(shift.as_deref(), shifted, "{text}");
    }
}

#[test]
fn a_date_with_a_zone_of_its_own_is_none_of_the_macs() {
    let check = |text: &str, is_local| assert_eq!(Moment::of_date(text).is_some(), is_local, "{text}");
    for local in ["2026-01-27", "2026-01-27T15:00:00", "2026-01-27 15:00"] {
        check(local, true);
    }
    for other in [
        "2026-01-27T15:00:00Z",
        "2026-01-27T15:00:00-08:00",
        "2026-01-27T15:00:00+01:00",
        "2026-01-27T15:00:00[Europe/Paris]",
        "2026-01-27T15:00:00.5",
    ] {
        check(other, false);
    }
}
