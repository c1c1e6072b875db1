use proptest::prelude::*;

use super::*;

fn check(pattern: &str, path: &str, expected: bool) {
    let names: Vec<String> = path.split(" > ").map(str::to_owned).collect();
    let (name, containers) = names.split_last().expect("a split has a last part");
    let matched = Pattern::parse(pattern).expect(pattern).matches(containers, name, Case::Exact);
    assert_eq!(matched, expected, "`{pattern}` and `{path}`");
}

fn yes(pattern: &str, paths: &[&str]) {
    paths.iter().for_each(|path| check(pattern, path, true));
}

fn no(pattern: &str, paths: &[&str]) {
    paths.iter().for_each(|path| check(pattern, path, false));
}

#[test]
fn globs_match_whole_names_of_any_characters() {
    yes("*", &["", "a", "operator[]", "é", "👩‍🚀"]);
    yes("get*", &["get", "getName"]);
    no("get*", &["Get", "forget", "ge"]);
    yes("*Test", &["Test", "UserTest"]);
    no("*Test", &["Tests"]);
    yes("?", &["a", "é", "🚀"]);
    no("?", &["", "ab"]);
    yes("[A-Z]*Service", &["UserService", "XService"]);
    no("[A-Z]*Service", &["userService", "Service"]);
    yes("[!a-z]x", &["Ax", "0x", "éx"]);
    yes("[^a-z]x", &["Ax"]);
    no("[!a-z]x", &["ax"]);
    yes("[]x]", &["]", "x"]);
    yes("[a-]", &["a", "-"]);
    yes("[é-í]", &["ê"]);
    yes("a*b*c", &["abc", "aXbYc", "abbcc"]);
    no("a*b*c", &["acb"]);
    yes("a**b", &["ab", "aXb"]);
}

#[test]
fn a_full_name_finds_itself() {
    yes("[Symbol.iterator]", &["[Symbol.iterator]", "List > [Symbol.iterator]"]);
    yes("List.[Symbol.iterator]", &["List > [Symbol.iterator]", "a > List > [Symbol.iterator]"]);
    no("List.[Symbol.iterator]", &["XList > [Symbol.iterator]", "[Symbol.iterator]"]);
    yes("routes./users/{id}", &["routes > /users/{id}"]);
    yes("a.b.c", &["a.b > c", "a > b.c", "a.b.c"]);
    no("b.c", &["ab > c", "ab.c"]);
}

#[test]
fn what_is_not_closed_or_escaped_stands_for_itself() {
    yes("operator[]", &["operator[]"]);
    yes("operator[", &["operator["]);
    yes("[!]", &["[!]"]);
    yes("a{b", &["a{b"]);
    yes("{a}", &["{a}"]);
    yes("}a{", &["}a{"]);
    yes("a,b", &["a,b"]);
    yes("{a,{b,c}", &["{a,b", "{a,c"]);
    yes("$scope", &["$scope"]);
    yes("!x", &["!x"]);
    yes("<T>(x)|y+", &["<T>(x)|y+"]);
    yes(r"\*", &["*"]);
    no(r"\*", &["a"]);
    yes(r"a\{b,c\}", &["a{b,c}"]);
    yes(r"a\.b", &["a.b"]);
    no(r"a\.b", &["a > b"]);
    yes(r"x\", &[r"x\"]);
    yes(r"[\]]", &["]"]);
}

#[test]
fn braces_are_alternatives() {
    yes("{get,set}*", &["get", "setName"]);
    no("{get,set}*", &["reset", "let"]);
    yes("{a,{b,c}d}e", &["ae", "bde", "cde"]);
    yes("x{,s}", &["x", "xs"]);
    yes("{Animation,Stack}.{get,set}*", &["Animation > getFrame", "Stack > setTop"]);
    yes("{Animation.get,Stack.set}*", &["Animation > getFrame", "Stack > setTop"]);
    no("{Animation.get,Stack.set}*", &["Stack > getTop"]);
    yes("{a.b,c}", &["a > b", "c"]);
}

#[test]
fn segments_match_the_end_of_the_hierarchy() {
    yes("Animation.get*", &["Animation > getFrame", "Shapes > Animation > getFrame"]);
    no("Animation.get*", &["getFrame", "Animation", "Animation > Inner > getFrame"]);
    yes("Animation::getFrame", &["Animation > getFrame"]);
    yes("Animation#getFrame", &["Animation > getFrame"]);
    yes("Animation/getFrame", &["Animation > getFrame"]);
    yes("Animation.**", &["Animation > getFrame", "Animation > Inner > getFrame"]);
    no("Animation.**", &["Animation"]);
    yes("Shapes.**.area", &["Shapes > area", "Shapes > Circle > area", "a > Shapes > b > c > area"]);
    no("Shapes.**.area", &["Circle > area"]);
    yes("**", &["a", "a > b"]);
    yes(".main", &["main"]);
    no(".main", &["Tool > main"]);
    yes("::main", &["main"]);
    yes(".Tool.*", &["Tool > main"]);
    no(".Tool.*", &["Box > Tool > main"]);
    yes("Stack.#items", &["Stack > #items"]);
    yes("#items", &["#items"]);
}

#[test]
fn names_that_hold_separators_match_as_a_whole() {
    yes("a.b", &["a.b", "x > a.b"]);
    yes("operator/", &["operator/"]);
    yes("test.*", &["test.one"]);
    yes("*.md", &["README.md"]);
    yes("[.]", &["."]);
    yes("x[./]y", &["x.y", "x/y"]);
}

#[test]
fn letters_can_be_compared_without_case() {
    let matches =
        |pattern: &str, name: &str| Pattern::parse(pattern).expect(pattern).matches(&[], name, Case::Ignored);
    assert!(matches("GET*", "getName"));
    assert!(matches("[a-z]x", "AX"));
    assert!(matches("É", "é"));
    assert!(!matches("[!a-z]x", "Ax"));
}

#[test]
fn literals_are_what_every_match_holds() {
    let literals = |pattern: &str| Pattern::parse(pattern).expect(pattern).literals(3);
    assert_eq!(literals("handle*"), Some(vec!["handle".to_owned()]));
    assert_eq!(literals("{get,set}*"), Some(vec!["get".to_owned(), "set".to_owned()]));
    assert_eq!(literals("Animation.get*"), Some(vec!["get".to_owned()]));
    assert_eq!(literals("Animation.*"), None);
    assert_eq!(literals("*a*bcd*efgh"), Some(vec!["efgh".to_owned()]));
    assert_eq!(literals("ab*"), None);
    assert_eq!(literals("{get,x}*"), None);
    assert_eq!(literals("größe"), None);
}

#[test]
fn paths_match_from_the_root_or_by_any_name() {
    let matches = |pattern: &str, path: &str| PathPattern::parse(pattern).expect(pattern).matches(path);
    assert!(matches("generated", "src/generated/a.ts"));
    assert!(matches("*.test.ts", "src/a.test.ts"));
    assert!(!matches("*.test.ts", "src/a.ts"));
    assert!(matches("**/gen/**", "a/gen/b.ts"));
    assert!(matches("src/*.ts", "src/a.ts"));
    assert!(matches("./src/*.ts", "src/a.ts"));
    assert!(!matches("src/*.ts", "x/src/a.ts"));
    assert!(matches("{tests,examples}/**", "examples/x/y.py"));
    assert!(matches("src/", "src/a.ts"));
    assert!(!matches("src", "source/a.ts"));
    assert!(matches("/home/a/src/**", "/home/a/src/b.ts"));
    assert!(matches("**/site-packages/**", "/usr/lib/site-packages/b.py"));
    assert!(!matches("lib/**", "/usr/lib/b.py"));
}

#[test]
fn what_is_no_pattern_says_so() {
    let error = |pattern: &str| Pattern::parse(pattern).expect_err("no pattern").to_string();
    assert_eq!(error(""), "pattern must not be empty; use \"*\" for every symbol");
    assert_eq!(error(&"x".repeat(1_001)), "pattern is longer than 1000 characters");
    assert_eq!(error(&"{a,b}".repeat(9)), "pattern expands to more than 256 alternatives");
    assert_eq!(error(&format!("{{{}}}", ",".repeat(256))), "pattern expands to more than 256 alternatives");
    assert!(Pattern::parse(&"{a,b}".repeat(8)).is_ok());
    assert!(Pattern::parse(&"{".repeat(1_000)).is_ok());
    assert!(Pattern::parse(&format!("{}a,b{}", "{".repeat(300), "}".repeat(300))).is_ok());
}

/// A backtracking matcher would never finish these patterns; this one finishes at once.
#[test]
fn many_stars_are_linear() {
    let name = "a".repeat(20_000);
    assert!(
        !Pattern::parse(&"*a".repeat(400))
            .map(|one| one.matches(&[], &(name + "b"), Case::Exact))
            .expect("short")
    );
    let deep: Vec<String> = vec!["a".to_owned(); 500];
    assert!(!Pattern::parse(&"**.a.".repeat(100)).expect("short").matches(&deep, "b", Case::Exact));
}

/// A second matcher, as simple as possible: it may be slow, but it is easy to see that it is right.
fn simple(pattern: &[char], name: &[char]) -> bool {
    match (pattern.first(), name.first()) {
        (None, None) => true,
        (Some('*'), _) => simple(&pattern[1..], name) || (!name.is_empty() && simple(pattern, &name[1..])),
        (Some('?'), Some(_)) => simple(&pattern[1..], &name[1..]),
        (Some(one), Some(other)) if one == other => simple(&pattern[1..], &name[1..]),
        _ => false,
    }
}

proptest! {
    #[test]
    fn anything_is_read_and_matched_without_harm(pattern in ".{0,60}", names in prop::collection::vec(".{0,12}", 1..4)) {
        if let Ok(pattern) = Pattern::parse(&pattern) {
            let (name, containers) = names.split_last().expect("one at least");
            pattern.matches(containers, name, Case::Exact);
            pattern.matches(containers, name, Case::Ignored);
            pattern.literals(1);
        }
    }

    #[test]
    fn what_is_special_in_any_order_is_no_harm(pattern in r"[\[\]{},*?.:#/!^\\a-]{0,40}", name in "[ab.:#]{0,10}") {
        if let Ok(pattern) = Pattern::parse(&pattern) {
            pattern.matches(&[], &name, Case::Exact);
        }
    }

    #[test]
    fn globs_agree_with_the_plain_matcher(pattern in "[ab*?]{1,12}", name in "[ab]{0,12}") {
        let letters = |text: &str| text.chars().collect::<Vec<char>>();
        let expected = simple(&letters(&pattern), &letters(&name));
        prop_assert_eq!(Pattern::parse(&pattern).expect("not empty").matches(&[], &name, Case::Exact), expected);
    }

    #[test]
    fn a_choice_is_the_union(one in "[ab*?]{1,6}", other in "[ab*?]{1,6}", name in "[ab]{0,8}") {
        let matches = |text: &str| Pattern::parse(text).expect("not empty").matches(&[], &name, Case::Exact);
        let choice = format!("{{{one},{other}}}");
        prop_assert_eq!(matches(&choice), matches(&one) || matches(&other));
    }

    #[test]
    fn an_escaped_name_matches_itself_only(name in ".{1,12}", other in ".{0,12}") {
        let escaped: String = name.chars().flat_map(|letter| ['\\', letter]).collect();
        let pattern = Pattern::parse(&escaped).expect("not empty");
        prop_assert!(pattern.matches(&[], &name, Case::Exact));
        prop_assert_eq!(pattern.matches(&[], &other, Case::Exact), name == other);
    }

    #[test]
    fn members_are_among_all_and_exact_among_inexact(
        pattern in r"[abAB*?.\[\]{},!-]{1,12}", names in prop::collection::vec("[abAB]{0,4}", 1..4),
    ) {
        if let Ok(pattern) = Pattern::parse(&pattern) {
            let (name, containers) = names.split_last().expect("one at least");
            let all = Pattern::parse("**").expect("a pattern");
            if pattern.matches(containers, name, Case::Exact) {
                prop_assert!(all.matches(containers, name, Case::Exact));
            }
        }
    }

    #[test]
    fn a_match_holds_one_of_the_literals(pattern in "[abc*?{},]{1,12}", name in "[abc]{0,8}") {
        if let Ok(pattern) = Pattern::parse(&pattern)
            && pattern.matches(&[], &name, Case::Exact)
            && let Some(literals) = pattern.literals(1)
        {
            prop_assert!(literals.iter().any(|literal| name.contains(literal)), "{:?}", literals);
        }
    }
}

#[test]
fn the_path_of_a_module_may_stand_before_a_name() {
    let read = |text: &str| -> Vec<String> {
        let read = Pattern::parse(text).expect("a pattern").in_modules();
        read.iter().map(|(module, rest)| format!("{} {}", module.join("/"), rest.text())).collect()
    };
    assert_eq!(read("requests.get"), ["requests .get"]);
    assert_eq!(read("a::b.C.d"), ["a .b.C.d", "a/b .C.d", "a/b/C .d"]);
    assert_eq!(read("crate::a::B"), [" .a.B", "a .B"]);
    assert_eq!(read("crate.B"), ["crate .B"]);
    assert!(read("get").is_empty() && read("a.get*").is_empty());
}
