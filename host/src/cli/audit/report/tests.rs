use super::*;

const HOSTILE: &str = "</script><script>alert(1)</script><img src=x onerror='alert(2)'>\" & \u{202e}gnp";

fn record(at: &str, kind: &str, more: Json) -> Record {
    let mut fields = serde_json::Map::from_iter([
        ("time".to_owned(), json!(at)),
        ("kind".to_owned(), json!(kind)),
        ("call".to_owned(), json!({ "client": HOSTILE, "tool": HOSTILE })),
    ]);
    fields.extend(more.as_object().cloned().unwrap_or_default());
    Record { file: "a.jsonl".to_owned(), line: 1, fields }
}

fn decision(at: &str, allowed: bool) -> Record {
    let scopes = json!([{ "app": HOSTILE, "command": { "name": HOSTILE } }]);
    record(at, "decision", json!({ "allowed": allowed, "by": HOSTILE, "level": "MODIFY", "scopes": scopes }))
}

fn made(records: &[Record]) -> String {
    page(records, true, true, Timestamp::UNIX_EPOCH)
}

#[test]
fn nothing_of_others_is_markup() {
    let records = [
        decision("2026-01-27T10:00:00.000Z", true),
        record(
            "2026-01-27T10:00:01.000Z",
            "execution",
            json!({ "app": HOSTILE, "result": HOSTILE, "events": 3, "elapsedMs": 7 }),
        ),
        record("2026-01-27T10:00:02.000Z", "question", json!({ "level": HOSTILE, "reason": HOSTILE })),
        record("2026-01-27T10:00:03.000Z", "operator", json!({ "order": HOSTILE })),
        record("2026-01-27T10:00:04.000Z", HOSTILE, json!({})),
    ];
    let page = made(&records);
    assert_eq!(page.matches("<script").count(), 1);
    assert_eq!(page.matches("</script").count(), 1);
    assert!(!page.contains("<img") && !page.contains('\u{202e}'));
    assert!(page.contains("&lt;/script&gt;&lt;script&gt;alert(1)"));
}

#[test]
fn a_time_line_has_few_bars_however_long_it_is() {
    for (last, bars) in [
        ("2026-01-27T12:30:00.000Z", 3),
        ("2026-02-27T10:00:00.000Z", 32),
        ("2030-01-27T10:00:00.000Z", 50),
        ("9999-01-27T10:00:00.000Z", 0),
    ] {
        let page = made(&[decision("2026-01-27T10:00:00.000Z", true), decision(last, false)]);
        assert_eq!(page.matches("<g>").count(), bars, "{last}");
    }
}

#[test]
fn it_adds_up() {
    let page = made(&[
        decision("2026-01-27T10:00:00.000Z", true),
        decision("2026-01-27T10:10:00.000Z", false),
        decision("2026-01-27T11:00:00.000Z", false),
    ]);
    for expected in [
        "<dt>decisions</dt><dd class=\"\">3</dd>",
        "<dt>refused</dt><dd class=\"refused\">2</dd>",
        "<title>27 Jan 10:00: 1 allowed, 1 refused</title>",
        "<title>27 Jan 11:00: 0 allowed, 1 refused</title>",
        "2026-01-27 10:00 to 2026-01-27 11:00",
    ] {
        assert!(page.contains(expected), "{expected}\n{page}");
    }
    assert!(
        page.find("11:00:00").is_some_and(|newest| newest < page.rfind("10:10:00").unwrap_or(0)),
        "newest first"
    );
}

#[test]
fn a_long_log_is_listed_in_part() {
    let records: Vec<Record> = (0..LISTED + 5).map(|_| decision("2026-01-27T10:00:00.000Z", true)).collect();
    let page = made(&records);
    assert!(page.contains("the newest 2000 of 2005"));
    assert_eq!(page.matches("<tr data-kind").count(), LISTED);
    assert!(page.contains(": 2005 allowed"));
}

#[test]
fn an_empty_log_is_a_page_too() {
    assert!(made(&[]).contains("There are no entries."));
    assert!(page(&[], false, true, Timestamp::UNIX_EPOCH).contains("Only the entries that were asked for."));
}
