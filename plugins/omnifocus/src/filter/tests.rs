use iac_plugin::json;

use super::*;

/// Wednesday 28 January 2026, 09:30 in Vienna.
fn moment() -> Moment {
    Moment::new(1_769_589_000_000, "Europe/Vienna", 3_600)
}

fn shown(kind: Kind, filters: &Json) -> String {
    let moment = moment();
    let found =
        Object::of("filters", filters).and_then(|object| read(Some(&object), kind, false, &[], &moment));
    match found {
        Ok(filter) => {
            let mut shown = filter.predicate.words(&moment);
            filter.warnings.iter().for_each(|warning| shown.push_str(&format!("; {warning}")));
            shown
        }
        Err(fault) => format!("error: {}", fault.message),
    }
}

fn check(filters: Json, expected: &str) {
    assert_eq!(shown(Kind::Tasks, &filters), expected, "{filters}");
}

fn refuse(filters: Json, expected: &str) {
    let shown = shown(Kind::Tasks, &filters);
    assert!(shown.starts_with("error: ") && shown.contains(expected), "{filters}\n{shown}");
}

#[test]
fn conditions_hold_together_and_what_is_done_is_left_out() {
    check(json!({}), "status is \"active\"");
    check(json!({"flagged": true}), "(flagged is true and status is \"active\")");
    check(json!({"status": "active"}), "status is \"active\"");
    check(json!({"status": "completed"}), "status is \"completed\"");
    check(json!({"completed": false}), "status is \"active\"");
    check(json!({"project": null, "status": "active"}), "(inInbox is true and status is \"active\")");
    check(json!({"project": "null"}), "(inInbox is true and status is \"active\")");
    check(json!({"project": ""}), "(inInbox is true and status is \"active\")");
    check(json!({"folder": "Work/Clients"}), "(below the folder \"Work/Clients\" and status is \"active\")");
    check(json!({"folder": null}), "(in no folder and status is \"active\")");
    check(
        json!({"dueDate": {"before": "2026-02-01"}}),
        "(dueDate < 2026-02-01T00:00:00+01:00 and status is \"active\")",
    );
    check(
        json!({"dueDate": {"onOrBefore": "2026-02-01"}}),
        "(dueDate < 2026-02-02T00:00:00+01:00 and status is \"active\")",
    );
    check(
        json!({"deferDate": {"after": "now"}}),
        "(deferDate > 2026-01-28T09:30:00+01:00 and status is \"active\")",
    );
    check(json!({"estimatedMinutes": {"lessThan": 15}}), "(estimatedMinutes <= 14 and status is \"active\")");
    check(json!({"estimatedMinutes": {"equals": 0}}), "(estimatedMinutes = 0 and status is \"active\")");
    check(json!({"completionDate": {"onOrAfter": "today"}}), "completionDate >= 2026-01-28T00:00:00+01:00");
    check(
        json!({"completionDate": {"after": "today"}}),
        "completionDate >= 2026-01-29T00:00:00+01:00; `filters.completionDate` begins in the future; `onOrAfter` includes the day itself",
    );
    check(json!({"id": "abc"}), "id is \"abc\"");
    check(json!({"id": ["abc"]}), "id is \"abc\"");
    check(json!({"id": ["abc", "def", "abc"]}), "id is one of [\"abc\", \"def\"]");
}

#[test]
fn choices_and_negations_nest() {
    check(
        json!({"OR": [{"flagged": true}, {"AND": [{"name": {"contains": "a"}}, {"NOT": {"blocked": true}}]}]}),
        "(status is \"active\" and (flagged is true or (name contains \"a\" and not blocked is true)))",
    );
    check(
        json!({"OR": [{"status": "completed", "completionDate": {"onOrAfter": "today"}}, {"flagged": true}]}),
        "((status is \"completed\" and completionDate >= 2026-01-28T00:00:00+01:00) or (flagged is true and status is \"active\"))",
    );
    check(json!({"NOT": {"status": "active"}}), "not status is \"active\"");
    let both = "(id is one of [\"a\", \"b\"] and flagged is true and status is \"active\")";
    check(json!({"id": ["a", "b"], "flagged": true}), both);
    check(json!({"AND": [{"id": ["a", "b"]}, {"flagged": true}]}), both);
    check(json!({"NOT": {"OR": [{"status": "dropped"}]}}), "not status is \"dropped\"");
    check(json!({"NOT": {"status": "completed"}}), "not status is \"completed\"");
    check(
        json!({"OR": [{"flagged": true}, {"flagged": false}]}),
        "(status is \"active\" and (flagged is true or flagged is false)); `filters.OR` always holds",
    );
    check(
        json!({"AND": [{"tags": {"any": ["a"]}}, {"tags": {"any": ["b"]}}]}),
        "(has any of the tags [\"a\"] and has any of the tags [\"b\"] and status is \"active\")",
    );
}

#[test]
fn one_key_wins_over_another_and_says_so() {
    check(
        json!({"status": "active", "completed": true}),
        "status is \"completed\"; `filters.status` was not used, since `completed` is given and wins",
    );
    check(
        json!({"project": "A", "projectId": "x"}),
        "(project has the id \"x\" and status is \"active\"); `filters.project` was not used, since `projectId` is given and wins",
    );
}

#[test]
fn a_filter_that_cannot_match_is_refused() {
    refuse(
        json!({"AND": [{"flagged": true}, {"flagged": false}]}),
        "`filters.AND[0].flagged` and `filters.AND[1].flagged`",
    );
    refuse(
        json!({"flagged": true, "OR": [{"flagged": false}, {"flagged": false, "blocked": true}]}),
        "`filters.flagged` and `filters.OR[0].flagged`",
    );
    refuse(json!({"inInbox": true, "project": "A"}), "contradict");
    refuse(json!({"project": null, "AND": [{"project": "A"}]}), "contradict");
    refuse(json!({"available": true, "blocked": true}), "contradict");
    refuse(json!({"status": "dropped", "available": true}), "contradict");
    refuse(json!({"folder": null, "AND": [{"folder": "A"}]}), "contradict");
    refuse(json!({"tags": {"all": ["a", "b"], "none": ["b"]}}), "`filters.tags.all` and `filters.tags.none`");
    refuse(
        json!({"dueDate": {"before": "2026-01-01"}, "AND": [{"dueDate": {"after": "2026-02-01"}}]}),
        "contradict",
    );
    refuse(json!({"dueDate": {"between": ["2026-02-01", "2026-01-01"]}}), "ends before it begins");
    let none = json!({"dueDate": {"exists": false}});
    refuse(json!({"dueDate": {"before": "2026-01-01"}, "AND": [none]}), "contradict");
    refuse(json!({"AND": [none, {"dueDate": {"before": "2026-01-01"}}]}), "contradict");
    let both = "(dueDate is not set and dueDate is not set and status is \"active\")";
    check(json!({"AND": [none, none]}), both);
    for ids in [json!([]), json!(["a", 1]), json!(""), json!(7), json!([""])] {
        refuse(json!({"id": ids}), "expected an id, or a list of 1 to 100 ids");
    }
    let many: Vec<String> = (0..101).map(|at| at.to_string()).collect();
    refuse(json!({"id": many}), "expected an id, or a list of 1 to 100 ids");
}

#[test]
fn what_cannot_match_in_one_part_is_told() {
    check(
        json!({"flagged": true, "OR": [{"flagged": false}, {"blocked": true}]}),
        "(flagged is true and status is \"active\" and (flagged is false or blocked is true)); `filters.OR[0]` matches nothing: \
         `filters.flagged` and `filters.OR[0].flagged` contradict each other, so nothing can match",
    );
    check(
        json!({"NOT": {"flagged": true, "AND": [{"flagged": false}]}}),
        "(not (flagged is true and flagged is false) and status is \"active\"); `filters.NOT` leaves nothing out: \
         `filters.NOT.flagged` and `filters.NOT.AND[0].flagged` contradict each other",
    );
}

#[test]
fn a_filter_that_says_nothing_is_refused() {
    refuse(json!({"OR": []}), "`filters.OR` is `[]`, expected a list of filters that is not empty");
    refuse(json!({"AND": [{}]}), "`filters.AND[0]` is `{}`, expected an object with at least one condition");
    refuse(json!({"NOT": {}}), "expected an object with at least one condition");
    refuse(json!({"OR": {"flagged": true}}), "expected a list");
    refuse(json!({"tags": {}}), "expected an object with any, all or none");
    refuse(json!({"tags": ["work"]}), "expected an object with any, all or none");
    refuse(json!({"tags": {"any": []}}), "expected a list of texts that is not empty");
    refuse(json!({"text": {"contains": ""}}), "expected a text that is not empty");
    refuse(json!({"name": "report"}), "expected an object with one of contains and matches");
    refuse(json!({"dueDate": {}}), "expected an object with before, after, onOrBefore");
    refuse(json!({"dueDate": {"until": "today"}}), "`filters.dueDate.until` is not known");
    refuse(json!({"dueDate": "today"}), "expected an object with before, after, onOrBefore");
    refuse(
        json!({"dueDate": {"before": "soon"}}),
        "`filters.dueDate.before` is `\"soon\"`, expected now, today",
    );
    refuse(
        json!({"estimatedMinutes": {"equals": 5, "lessThan": 9}}),
        "expected an object with one of equals",
    );
    refuse(json!({"flagged": null}), "null has a meaning only for `project` and `folder`");
    refuse(json!({"parentTaskId": null}), "the id of a task");
    for (filter, instead) in [
        (json!({"dueDate": null}), "{\"dueDate\":{\"exists\":false}}"),
        (json!({"estimatedMinutes": null}), "{\"estimatedMinutes\":{\"exists\":false}}"),
        (json!({"status": ["completed", "dropped"]}), "{\"OR\":[{\"status\":\"completed\"}"),
    ] {
        let object = Object::of("filters", &filter).expect("an object");
        let fault = read(Some(&object), Kind::Tasks, false, &[], &moment()).expect_err("refused");
        assert!(fault.suggestion.as_deref().is_some_and(|told| told.contains(instead)), "{fault:?}");
    }
    refuse(json!({"status": "on_hold"}), "expected one of active, completed, dropped");
    refuse(json!({"priority": 1}), "`filters.priority` is not known");
}

#[test]
fn each_kind_has_its_own_keys() {
    let held = Predicate::Is("status", json!("on_hold"));
    assert_eq!(shown(Kind::Projects, &json!({"status": "on_hold"})), held.words(&moment()));
    assert_eq!(shown(Kind::Projects, &json!({"completed": false})), "status is active or on_hold");
    assert_eq!(shown(Kind::Projects, &json!({"blocked": true})), "error: `filters.blocked` is not known");
    assert_eq!(
        shown(Kind::Projects, &json!({"reviewDue": true})),
        "(nextReviewDate < 2026-01-29T00:00:00+01:00 and status is active or on_hold)"
    );
    assert_eq!(
        shown(Kind::Projects, &json!({"reviewDue": true, "completed": true})),
        "(nextReviewDate < 2026-01-29T00:00:00+01:00 and status is \"completed\")"
    );
    // Projects on hold are remaining ones, and whoever names a state decides.
    assert_eq!(
        shown(Kind::Projects, &json!({"flagged": true})),
        "(flagged is true and status is active or on_hold)"
    );
    assert_eq!(
        shown(Kind::Projects, &json!({"effectiveFlagged": true, "status": "dropped"})),
        "(effectiveFlagged is true and status is \"dropped\")"
    );
    assert_eq!(shown(Kind::Projects, &json!({"NOT": {"status": "active"}})), "not status is \"active\"");
    assert_eq!(shown(Kind::Tags, &json!({"flagged": true})), "error: `filters.flagged` is not known");
}
