//! Malicious dictionaries: parsing ends for each of them, with a problem that gives the reason.

use iac_core::dictionary::describe::describe;
use iac_core::dictionary::sdef::{DEEPEST, DEEPEST_INCLUDE, MOST_BYTES, MOST_ELEMENTS, MOST_INCLUDES};
use iac_core::dictionary::{Dictionary, Includes, Problem, ProblemKind, parse};

/// Parses and describes a dictionary, and returns the one limit that was reached.
fn limit(bytes: &[u8], includes: &Includes) -> (Dictionary, String) {
    let (dictionary, problems) = parse(bytes, includes);
    describe(&dictionary, &problems);
    let limits: Vec<&Problem> =
        problems.iter().filter(|problem| matches!(problem.kind, ProblemKind::Limit(_))).collect();
    let [only] = limits.as_slice() else { panic!("one limit was expected: {limits:?}") };
    (dictionary, only.kind.to_string())
}

fn file(terms: &str) -> Vec<u8> {
    let open = r#"<dictionary xmlns:xi="http://www.w3.org/2001/XInclude"><suite name="S" code="Suit">"#;
    format!("{open}<class name=\"application\" code=\"capp\"/>{terms}</suite></dictionary>").into_bytes()
}

#[test]
fn a_file_of_50_mb_is_not_read() {
    let (dictionary, limit) = limit(&vec![b'<'; 50_000_000], &Includes::new());
    assert_eq!(limit, "over the limit: larger than 10 MB");
    assert!(dictionary.classes["application"].built_in);
}

#[test]
fn a_file_at_the_limit_is_read() {
    let mut bytes = file("<class name=\"last\" code=\"Last\"/>");
    bytes.resize(MOST_BYTES, b' ');
    let (dictionary, problems) = parse(&bytes, &Includes::new());
    assert_eq!(problems, []);
    assert!(dictionary.classes.contains_key("last"));
}

#[test]
fn an_included_file_that_is_too_large_is_left_out() {
    let includes = Includes::from([("big.sdef".to_owned(), vec![b' '; MOST_BYTES + 1])]);
    let (dictionary, limit) =
        limit(&file("<xi:include href='big.sdef'/><class name='x' code='Xxxx'/>"), &includes);
    assert_eq!(limit, "over the limit: larger than 10 MB");
    assert!(dictionary.classes.contains_key("x"));
}

#[test]
fn elements_are_counted() {
    let (dictionary, limit) =
        limit(&file(&"<command name='x' code='XxxxXxxx'/>".repeat(MOST_ELEMENTS)), &Includes::new());
    assert_eq!(limit, format!("over the limit: more than {MOST_ELEMENTS} elements"));
    assert_eq!(dictionary.commands.len(), MOST_ELEMENTS - 3);
}

#[test]
fn deep_nesting_is_cut() {
    let deep = 100_000;
    let nested = "<type>".repeat(deep) + &"</type>".repeat(deep);
    let terms =
        format!("<class name='x' code='Xxxx'><property name='p' code='Pppp'>{nested}</property></class>");
    let (dictionary, limit) = limit(&file(&(terms + "<class name='y' code='Yyyy'/>")), &Includes::new());
    assert_eq!(limit, format!("over the limit: elements nested deeper than {DEEPEST}"));
    assert!(dictionary.classes.contains_key("y"), "what follows is read");
}

#[test]
fn includes_are_counted() {
    let includes = Includes::from([("part.sdef".to_owned(), b"<class name='x' code='Xxxx'/>".to_vec())]);
    let (_, limit) = limit(&file(&"<xi:include href='part.sdef'/>".repeat(MOST_INCLUDES + 1)), &includes);
    assert_eq!(limit, format!("over the limit: more than {MOST_INCLUDES} includes"));
}

#[test]
fn included_text_is_counted_each_time() {
    let mut part = b"<class name='x' code='Xxxx'/>".to_vec();
    part.resize(MOST_BYTES, b' ');
    let includes = Includes::from([("part.sdef".to_owned(), part)]);
    let (_, limit) = limit(&file(&"<xi:include href='part.sdef'/>".repeat(3)), &includes);
    assert_eq!(limit, "over the limit: more than 20 MB included in all");
}

#[test]
fn elements_that_are_only_called_include_are_not_looked_up_one_by_one() {
    let text = format!("<dictionary>{}</dictionary>", "<include/>".repeat(90_000));
    let (_, problems) = parse(text.as_bytes(), &Includes::new());
    assert!(problems[0].kind.to_string().contains("unknown element `include` here"));
}

#[test]
fn includes_do_not_nest_for_ever() {
    let part = |at: usize| file(&format!("<xi:include href='{}.sdef'/>", at + 1));
    let includes: Includes = (0..100).map(|at| (format!("{at}.sdef"), part(at))).collect();
    let (_, limit) = limit(&part(0), &includes);
    assert_eq!(limit, format!("over the limit: includes nested deeper than {DEEPEST_INCLUDE}"));
}

#[test]
fn every_include_may_branch_and_it_still_ends() {
    let part = |at: usize| file(&format!("<xi:include href='{}.sdef'/>", at + 1).repeat(8));
    let includes: Includes = (0..8).map(|at| (format!("{at}.sdef"), part(at))).collect();
    let (_, problems) = parse(&part(0), &includes);
    assert!(problems.iter().any(|problem| problem.kind.to_string().contains("more than 50 includes")));
}

#[test]
fn problems_are_counted() {
    let (_, problems) = parse(&file(&"<class/>".repeat(90_000)), &Includes::new());
    assert_eq!(problems.len(), 501);
    assert_eq!(problems[500].kind.to_string(), "over the limit: 89500 more problems are not listed");
}

#[test]
fn many_extensions_of_one_class_are_merged_without_a_search_for_each() {
    let extension = |at: usize| {
        format!(
            "<class-extension extends='application'><property name='p{at}' code='Pppp'/></class-extension>"
        )
    };
    let terms: String = (0..40_000).map(extension).collect();
    let (dictionary, problems) = parse(&file(&terms), &Includes::new());
    assert_eq!(problems, []);
    assert_eq!(dictionary.classes["application"].properties.len(), 40_000 + 4);
}

#[test]
fn a_long_line_of_heirs_is_cut_and_a_cycle_ends() {
    let heir = |at: usize| {
        format!(
            "<class name='c{at}' code='Cccc' inherits='c{}'><property name='p{at}' code='Pppp'/></class>",
            at + 1
        )
    };
    let terms: String = (0..5_000).map(heir).collect();
    let cycle = "<class name='c5000' code='Cccc' inherits='c4999'/>";
    let (dictionary, problems) = parse(&file(&(terms + cycle)), &Includes::new());
    assert_eq!(problems, []);
    assert_eq!(dictionary.lineage("c0").len(), 64);
    assert_eq!(dictionary.lineage("c5000").len(), 2);
    assert_eq!(dictionary.properties("c0").len(), 64);
    let described = describe(&dictionary, &problems);
    assert_eq!(described["classes"].as_array().unwrap().len(), 5_002);
}

#[test]
fn what_all_classes_inherit_is_not_written_without_end() {
    let properties: String = (0..10_000).map(|at| format!("<property name='p{at}' code='Pppp'/>")).collect();
    let heirs: String =
        (0..100).map(|at| format!("<class name='c{at}' code='Cccc' inherits='big'/>")).collect();
    let terms = format!("<class name='big' code='Bigg'>{properties}</class>{heirs}");
    let (dictionary, problems) = parse(&file(&terms), &Includes::new());
    let described = describe(&dictionary, &problems);
    let classes = described["classes"].as_array().unwrap();
    let cut = classes.iter().filter(|class| class["inherited"].is_null()).count();
    assert_eq!(cut, 90, "100,000 inherited members are written, no more");
    assert_eq!(
        described["problems"][0]["message"],
        "over the limit: the inherited members of 90 classes are left out"
    );
}
