//! One dictionary in every encoding that occurs in dictionary files.

use iac_core::dictionary::{Includes, Problem, parse};

const WORDS: &str = "Größe «naïve» ∆ 日本 🎉 Ω";

/// Encodes a dictionary whose only class has some words as its description, and expects to read these words.
fn check(declaration: &str, words: &str, encode: impl Fn(&str) -> Vec<u8>, expected: &str) -> Vec<Problem> {
    let text = format!(
        "{declaration}<dictionary>\n<suite name=\"S\" code=\"Suit\"><class name=\"application\" code=\"capp\" description=\"{words}\"/></suite></dictionary>"
    );
    let (dictionary, problems) = parse(&encode(&text), &Includes::new());
    let description = dictionary.classes["application"].description.as_deref();
    assert_eq!(description, Some(expected), "{declaration}: {problems:?}");
    problems
}

fn utf8(text: &str) -> Vec<u8> {
    text.as_bytes().to_vec()
}

fn marked(mark: &[u8], encode: fn(&str) -> Vec<u8>) -> impl Fn(&str) -> Vec<u8> {
    move |text| [mark, &encode(text)].concat()
}

fn utf16le(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

fn utf16be(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_be_bytes).collect()
}

/// Characters that are unchanged in ISO 8859-1.
fn latin1(text: &str) -> Vec<u8> {
    text.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect()
}

#[test]
fn unicode_is_told_by_its_mark_its_first_bytes_or_its_name() {
    let utf16 = r#"<?xml version="1.0" encoding="UTF-16"?>"#;
    for declaration in ["", "<?xml version='1.0'?>", r#"<?xml version="1.0" encoding="utf-8"?>"#, utf16] {
        assert_eq!(check(declaration, WORDS, utf8, WORDS), []);
        assert_eq!(check(declaration, WORDS, marked(b"\xef\xbb\xbf", utf8), WORDS), []);
        assert_eq!(check(declaration, WORDS, utf16le, WORDS), []);
        assert_eq!(check(declaration, WORDS, utf16be, WORDS), []);
        assert_eq!(check(declaration, WORDS, marked(b"\xff\xfe", utf16le), WORDS), []);
        assert_eq!(check(declaration, WORDS, marked(b"\xfe\xff", utf16be), WORDS), []);
    }
}

#[test]
fn old_encodings_are_told_by_their_name() {
    let words = "Größe naïve";
    for name in ["iso-8859-1", "ISO_8859-1", "latin1", "windows-1252"] {
        assert_eq!(check(&format!("<?xml version='1.0' encoding='{name}'?>"), words, latin1, words), []);
    }
    let mac = |text: &str| {
        let special = |c: char| match c {
            'ö' => 0x9a,
            'ß' => 0xa7,
            '«' => 0xc7,
            '»' => 0xc8,
            c => u8::try_from(u32::from(c)).unwrap(),
        };
        text.chars().map(special).collect()
    };
    for name in ["macintosh", "x-mac-roman", "MacRoman"] {
        let declaration = format!("<?xml version = \"1.0\" encoding = \"{name}\" standalone=\"no\"?>");
        assert_eq!(check(&declaration, "«Größe»", mac, "«Größe»"), []);
    }
}

#[test]
fn bytes_that_cannot_be_read_are_replaced_and_told() {
    let problems = check("", "Größe", latin1, "Gr\u{fffd}\u{fffd}e");
    assert_eq!(problems[0].kind.to_string(), "invalid UTF-8 bytes, replaced by U+FFFD");
}

#[test]
fn an_unknown_name_is_told_and_read_as_utf8() {
    for declaration in ["<?xml version='1.0' encoding='klingon'?>", "<?xml version='1.0' encoding=''?>"] {
        let problems = check(declaration, WORDS, utf8, WORDS);
        assert!(problems[0].kind.to_string().starts_with("unknown encoding"), "{problems:?}");
    }
    for declaration in
        ["<?xml version='1.0' encoding='utf-8?>", "<?xml version='1.0' encoding?>", "<?xml encoding=x?>"]
    {
        assert_eq!(check(declaration, WORDS, utf8, WORDS), [], "what is no name at all is passed over");
    }
}

#[test]
fn an_included_file_has_its_own_encoding() {
    let part = "<?xml version='1.0' encoding='latin1'?><class name='Größe' code='Gros'/>";
    let main = "<dictionary xmlns:xi='http://www.w3.org/2001/XInclude'><suite name='S' code='Suit'><class name='application' code='capp'/><xi:include href='file:///Gr%C3%B6%C3%9Fe.sdef'/></suite></dictionary>";
    for href in
        ["file:///Größe.sdef", "file://localhost/Gr%C3%B6%c3%9fe.sdef", "/Größe.sdef", "file:/Größe.sdef"]
    {
        let (dictionary, problems) =
            parse(main.as_bytes(), &Includes::from([(href.to_owned(), latin1(part))]));
        assert_eq!(problems, [], "{href}");
        assert!(dictionary.classes.contains_key("Größe"));
    }
    let broken = Includes::from([("/Größe.sdef".to_owned(), latin1(&part.replace("latin1", "utf-8")))]);
    let (_, problems) = parse(main.as_bytes(), &broken);
    assert_eq!(problems[0].kind.to_string(), "invalid UTF-8 bytes, replaced by U+FFFD");
    assert_eq!(problems[0].place, "include \"file:///Gr%C3%B6%C3%9Fe.sdef\"");
}
