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
    ] {
        let moment = Moment::parse(text).unwrap_or_else(|| panic!("{text} is a moment"));
        assert_eq!(moment.to_string(), written, "{text}");
        assert_eq!(Moment::parse(written), Some(moment), "{written}");
        assert_eq!(Moment::from_data(&moment.to_data()), Some(moment), "{text}");
    }
}

#[test]
fn other_texts_are_no_moments() {
    let deep = "(".repeat(10_000);
    for text in [
        "",
        "noon",
        "now -",
        "now - days",
        "now - 3",
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
        "today 15:60",
        "today 13pm",
        "now + 2 hours 15:00",
        "15:00",
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
        ("today 15:00", None),
    ] {
        let moment = Moment::parse(text).unwrap();
        assert_eq!(moment.period_end(), end.and_then(Moment::parse), "{text}");
    }
}

/// What follows a moment is left to the reader of the text that it stands in.
#[test]
fn a_moment_ends_where_its_grammar_ends() {
    for (text, taken) in [
        ("now - 3 days and flagged", "now - 3 days"),
        ("today) of inbox", "today"),
        ("now + x", "now"),
        ("today at work", "today"),
        ("friday 17:00 and flagged", "friday 17:00"),
    ] {
        let (_, end) = Moment::prefix(text).unwrap();
        assert_eq!(&text[..end], taken);
    }
}
