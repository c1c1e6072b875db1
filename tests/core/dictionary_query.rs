//! Lookups in a dictionary.

use iac_core::dictionary::lint::{Rule, Weight, lint};
use iac_core::dictionary::{Access, Dictionary, Includes, parse};

fn read(terms: &str) -> Dictionary {
    let application =
        "<class name='application' code='capp'><element type='thing'/><element type='box'/></class>";
    let text = format!("<dictionary><suite name='S' code='Suit'>{application}{terms}</suite></dictionary>");
    let (dictionary, problems) = parse(text.as_bytes(), &Includes::new());
    assert_eq!(problems, []);
    dictionary
}

fn things() -> Dictionary {
    read(
        "<class name='thing' code='Thin'>
            <property name='start date' code='Star' type='date'><synonym name='begin date'/></property>
            <property name='URL' code='pURL' type='text' access='r'/>
            <property name='size' code='Size' type='integer' access='w'/>
            <element type='part'/>
            <responds-to command='shake'/>
        </class>
        <class name='box' code='Boxx' plural='boxes' inherits='thing'>
            <synonym name='container'/>
            <property name='size' code='Size' type='real'/>
            <element type='container'/>
            <responds-to command='open up'/>
            <responds-to command='shake'/>
        </class>
        <class name='part' code='Part' hidden='yes'/>
        <command name='shake' code='ThinShak'><synonym name='rattle'/></command>
        <command name='open up' code='ThinOpen'/>
        <command name='open up' code='ThinOpe2' hidden='yes'/>",
    )
}

#[test]
fn a_class_is_found_however_it_is_spelled() {
    let dictionary = things();
    let cases = [
        ("box", Some("box")),
        ("Box", Some("box")),
        ("boxes", Some("box")),
        ("container", Some("box")),
        ("containers", Some("box")),
        ("things", Some("thing")),
        ("crate", None),
    ];
    for (term, expected) in cases {
        assert_eq!(dictionary.class(term).map(|class| class.name.as_str()), expected, "{term}");
    }
}

#[test]
fn a_code_finds_no_property_that_another_hides() {
    let dictionary = read(
        "<class name='thing' code='Thin'><property name='key' code='ID  ' type='text'/></class>
        <class name='box' code='Boxx' inherits='thing'><property name='key' code='BKey' type='text'/></class>",
    );
    let cases = [
        ("thing", "ID  ", Some("key")),
        ("thing", "BKey", None),
        ("box", "ID  ", None),
        ("box", "BKey", Some("key")),
    ];
    for (class, code, expected) in cases {
        let found = dictionary.property_of_code(class, code).map(|property| property.name.as_str());
        assert_eq!(found, expected, "{code:?} of {class}");
    }
}

#[test]
fn a_property_is_found_in_the_nearest_class_that_has_it() {
    let dictionary = things();
    let cases = [
        ("start date", Some("start date")),
        ("startDate", Some("start date")),
        ("beginDate", Some("start date")),
        ("url", Some("URL")),
        ("end date", None),
    ];
    for class in ["thing", "box", "boxes"] {
        for (term, expected) in cases {
            let found = dictionary.property(class, term).map(|property| property.name.as_str());
            assert_eq!(found, expected, "{term} of {class}");
        }
    }
    assert_eq!(dictionary.property("box", "size").unwrap().kind.to_string(), "real");
    assert_eq!(dictionary.property("nothing", "size"), None);
    let names: Vec<&str> =
        dictionary.properties("box").iter().map(|property| property.name.as_str()).collect();
    assert_eq!(names, ["size", "start date", "URL"]);
}

#[test]
fn an_own_name_comes_before_a_synonym_and_one_letter_for_letter_before_one_alike() {
    let dictionary = read(
        "<class name='thing' code='Thin'>
            <property name='number' code='Numb' type='text'><synonym name='count'/></property>
            <property name='Count' code='Cou1' type='text'/>
            <property name='count' code='Cou2' type='text'/>
        </class><class name='box' code='Boxx'/>",
    );
    let code = |term: &str| dictionary.property("thing", term).unwrap().code.as_str();
    assert_eq!(
        [code("count"), code("Count"), code("COUNT"), code("number")],
        ["Cou2", "Cou1", "Cou1", "Numb"]
    );
}

#[test]
fn elements_are_inherited_and_found_by_any_spelling_of_their_class() {
    let dictionary = things();
    let names: Vec<&str> = dictionary.elements("box").iter().map(|element| element.class.as_str()).collect();
    assert_eq!(names, ["container", "part"]);
    for term in ["box", "boxes", "Container", "containers"] {
        let (element, class) = dictionary.element("box", term).unwrap();
        assert_eq!((element.class.as_str(), class.name.as_str()), ("container", "box"), "{term}");
    }
    assert_eq!(dictionary.element("thing", "parts").unwrap().1.name, "part");
    assert_eq!(dictionary.element("thing", "box"), None);
    assert_eq!(dictionary.element("thing", "nothing"), None);
}

#[test]
fn kinship_and_commands() {
    let dictionary = things();
    assert!(
        dictionary.is_a("box", "thing") && dictionary.is_a("box", "box") && !dictionary.is_a("thing", "box")
    );
    assert_eq!(dictionary.responds_to("box"), ["open up", "shake"]);
    let codes = |term: &str| -> Vec<&str> {
        dictionary.commands_named(term).iter().map(|command| command.code.as_str()).collect()
    };
    assert_eq!(codes("openUp"), ["ThinOpen", "ThinOpe2"]);
    assert_eq!(codes("rattle"), ["ThinShak"]);
    assert_eq!(codes("close"), Vec::<&str>::new());
    let counts = dictionary.counts();
    assert_eq!((counts.commands, counts.classes), (2, 3), "what is hidden does not count");
}

#[test]
fn access_says_what_may_be_done() {
    let dictionary = things();
    let cases = [
        ("URL", Access::Read, "r", true, false),
        ("size", Access::Write, "w", false, true),
        ("start date", Access::ReadWrite, "rw", true, true),
    ];
    for (term, access, text, read, write) in cases {
        let found = dictionary.property("thing", term).unwrap().access;
        assert_eq!((found, found.as_str(), found.can_read(), found.can_write()), (access, text, read, write));
    }
}

#[test]
fn a_parameter_that_is_given_several_times_takes_all_its_types() {
    let dictionary = read(
        "<class name='thing' code='Thin'/><class name='box' code='Boxx'/>
        <command name='show' code='ThinShow'>
            <parameter name='icon' code='Icon' type='text' hidden='yes'/>
            <parameter name='at' code='Atat' type='point'/>
            <parameter name='icon' code='Icon' optional='yes'><type type='file'/><type type='text'/></parameter>
        </command>",
    );
    let parameters = dictionary.commands[0].named_parameters();
    let names: Vec<&&str> = parameters.keys().collect();
    assert_eq!(names, [&"icon", &"at"]);
    let icon = &parameters["icon"];
    assert_eq!((icon.kind.to_string().as_str(), icon.optional, icon.hidden), ("text or file", true, false));
}

#[test]
fn a_copy_answers_like_the_original() {
    let dictionary = things();
    assert!(dictionary.class("boxes").is_some());
    let copy = dictionary.clone();
    assert_eq!(copy, dictionary);
    assert!(copy.class("boxes").is_some());
    assert!(format!("{copy:?}").contains("index: Index"));
    let json = serde_json::to_string(&dictionary).unwrap();
    let again: Dictionary = serde_json::from_str(&json).unwrap();
    assert_eq!(again, dictionary);
    assert!(again.class("boxes").is_some());
}

#[test]
fn a_line_of_heirs_without_end_is_an_error() {
    let heir = |at: usize| format!("<class name='c{at}' code='Cccc' inherits='c{}'/>", at + 1);
    let classes: String = (0..70).map(heir).collect();
    let dictionary = read(&format!(
        "<class name='thing' code='Thin'/><class name='box' code='Boxx'/>{classes}<class name='c70' code='Cccc'/>"
    ));
    let found = lint(&dictionary, &[]);
    let cut: Vec<String> = found
        .iter()
        .filter(|lint| lint.rule == Rule::InheritanceCycle && lint.weight == Weight::Error)
        .map(ToString::to_string)
        .collect();
    assert_eq!(cut.len(), 7);
    assert_eq!(cut[0], "error, class \"c0\": it inherits through more than 64 classes, the rest is cut off");
}
