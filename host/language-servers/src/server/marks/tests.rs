use super::*;

/// Makes a symbol. Its range is the first occurrence of `whole`, and its name the first occurrence of `name` in it.
fn outlined(text: &Text, (kind, name, whole): (u8, &str, &str)) -> Symbol {
    let at = text.as_str().find(whole).expect("a part of the text");
    let begin = at + whole.find(name).expect("a name in it");
    let page = Page { path: "a", text, hidden: &[] };
    symbol(&page, name, kind, range(text, begin..begin + name.len()), at..at + whole.len())
}

/// Makes a mark for the first word equal to `name`. A `!` at the end of `word` means defined, a `~` a constructor.
fn mark(text: &Text, code: &Code<'_>, (name, word): (&str, &str)) -> Mark {
    let at = (0..code.len()).find(|&at| code.word(at) == name).expect("a word of the text");
    Mark {
        name: range(text, code.place(at)),
        word: word.trim_end_matches(['!', '~']).to_owned(),
        defined: word.ends_with('!'),
        special: word.ends_with('~'),
    }
}

/// Checks the resulting outline as `kind full name`. Names that are still unknown follow after a `?`.
fn check(
    dialect: Dialect,
    text: &str,
    outline: &[(u8, &str, &str)],
    marks: &[(&str, &str)],
    expected: &[&str],
) {
    let text = Text::new(text.to_owned());
    let code = Code::read(text.as_str(), dialect, &[]);
    let page = Page { path: "a", text: &text, hidden: &[] };
    let mut symbols: Vec<Symbol> = outline.iter().map(|one| outlined(&text, *one)).collect();
    let count = symbols.len();
    let open = if dialect == Dialect::C {
        let open = c::open(&code, &text, &symbols);
        assert_eq!(c::seems_open(&code), !open.parts.is_empty(), "{}", text.as_str());
        open
    } else {
        rust::open(&code, &page, &symbols)
    };
    let mut marks: Vec<Mark> = marks.iter().map(|one| mark(&text, &code, *one)).collect();
    marks.retain(|mark| open.parts.iter().any(|part| part.contains(&text.offset(mark.name.start))));
    add(&mut symbols, &page, &code, dialect, marks, &open);
    let full = |one: &Symbol| {
        let mut names = vec![one.name.as_str()];
        let mut parent = one.parent;
        while let Some(above) = parent.map(|at| &symbols[at as usize]) {
            names.insert(0, &above.name);
            parent = above.parent;
        }
        format!("{} {}", one.kind, names.join("."))
    };
    let mut shown: Vec<String> = symbols[count..].iter().map(full).collect();
    let unknown = unmarked(&code, &text, &symbols, &open.names);
    shown.extend(unknown.into_iter().map(|name| format!("?{}", &text.as_str()[span(&text, name)])));
    assert_eq!(shown, expected, "{}", text.as_str());
}

#[test]
fn types_in_bodies_of_c() {
    check(
        Dialect::C,
        "int f(struct out *o) { struct in { int m; } x; enum { A, B = 1 }; typedef int t[2]; struct fwd; }",
        &[(
            12,
            "f",
            "int f(struct out *o) { struct in { int m; } x; enum { A, B = 1 }; typedef int t[2]; struct fwd; }",
        )],
        &[
            ("o", "parameter"),
            ("in", "class!"),
            ("m", "property"),
            ("x", "variable!"),
            ("A", "enumMember"),
            ("B", "enumMember"),
            ("t", "type"),
            ("fwd", "class"),
        ],
        &["23 f.in", "8 f.in.m", "22 f.A", "22 f.B", "5 f.t"],
    );
    let uses = "void g(void) { struct s *a; struct s b; int c; }";
    check(Dialect::C, uses, &[(12, "g", uses)], &[("a", "class!")], &[]);
    let class = "int h() { class L final { L(); ~L() {} int operator+(int) { return 1; } void m(); using U = int; }; auto l = [] { enum class E : char { F }; }; int p(); }";
    check(
        Dialect::C,
        class,
        &[(12, "h", class)],
        &[
            ("L", "class!"),
            ("+", "operator!"),
            ("m", "method"),
            ("U", "type"),
            ("E", "enum"),
            ("p", "function"),
        ],
        &["5 h.L", "6 h.L.operator+", "6 h.L.m", "5 h.L.U", "10 h.E"],
    );
}

#[test]
fn constructors_of_c_are_called_so() {
    let text = Text::new("int f() { struct L { ~L() {} }; }".to_owned());
    let code = Code::read(text.as_str(), Dialect::C, &[]);
    let page = Page { path: "a", text: &text, hidden: &[] };
    let at = (0..code.len()).rfind(|&at| code.word(at) == "L").unwrap();
    let mark =
        Mark { name: range(&text, code.place(at)), word: "class".to_owned(), defined: true, special: true };
    let made = c::symbol(&code, &page, &mark).unwrap();
    assert_eq!((made.name.as_str(), made.kind, made.name_range.start.column), ("~L", CONSTRUCTOR, 21));
}

#[test]
fn calls_of_rust_declare() {
    check(
        Dialect::Rust,
        "cfg_if! { mod x; impl<T> d::Debug for Held<T> { fn fmt(&self) {} } impl Unused {} }\nlazy! { static ref LAZY: u8 = 1; }\nnamed!(made);",
        &[],
        &[("x", "namespace"), ("fmt", "method"), ("LAZY", "struct"), ("made", "function")],
        &[
            "2 x",
            "19 impl<T> d::Debug for Held<T>",
            "6 impl<T> d::Debug for Held<T>.fmt",
            "14 LAZY",
            "12 made",
        ],
    );
    check(
        Dialect::Rust,
        "m! { impl<T> D for Held<T> where T: A { fn go(&self) {} } }",
        &[],
        &[("go", "method")],
        &["19 impl<T> D for Held<T> where T: A", "6 impl<T> D for Held<T> where T: A.go"],
    );
    check(
        Dialect::Rust,
        "mod t { q! { fn prop(a: u8) -> bool { a == 1 } } }",
        &[(2, "t", "mod t { q! { fn prop(a: u8) -> bool { a == 1 } } }")],
        &[("prop", "function"), ("a", "parameter")],
        &["12 t.prop"],
    );
}

#[test]
fn bodies_of_rust_macros_and_dead_calls_are_told() {
    check(
        Dialect::Rust,
        "macro_rules! m { ($n:ident) => { fn $n() { const C: u8 = 1; } struct r#type; union {} type = 1 } }\noff! { fn gone() {} const FLAG = 1; *const u8 }",
        &[],
        &[],
        &["?C", "?type", "?gone", "?FLAG"],
    );
    let body = "fn f() { m!(fn inner() {}); vec![a, b]; x != (y); if !(z) {} }";
    check(
        Dialect::Rust,
        body,
        &[(12, "f", body)],
        &[("a", "function"), ("inner", "function")],
        &["12 f.inner"],
    );
}

#[test]
fn many_parts_are_many() {
    let text: String = (0..PARTS + 1).map(|at| format!("m!(a{at});\n")).collect();
    let text = Text::new(text);
    let code = Code::read(text.as_str(), Dialect::Rust, &[]);
    let open = rust::open(&code, &Page { path: "a", text: &text, hidden: &[] }, &[]);
    assert_eq!((open.parts.len(), open.parts[1].clone()), (PARTS + 1, 11..13));
}

#[test]
fn a_legend_tells_what_numbers_mean() {
    let provider =
        json!({"legend": {"tokenTypes": ["a", "b"], "tokenModifiers": ["x", "declaration", "definition"]}});
    let legend = Legend::read(&provider);
    assert_eq!((legend.words.len(), legend.declared, legend.defined, legend.special), (2, 6, 4, 0));
    assert_eq!(Legend::read(&json!({})).declared, 0);
}

#[test]
fn namespaces_again_and_prototypes() {
    let text = Text::new(
        "namespace N { class A {} }\nexport namespace N { class B {} }\nnamespace New {}\n".to_owned(),
    );
    let code = Code::read(text.as_str(), Dialect::Script, &[]);
    let page = Page { path: "a", text: &text, hidden: &[] };
    let first = outlined(&text, (NAMESPACE, "N", "namespace N { class A {} }"));
    let found = script::again(&code, &page, &[first]);
    let shown: Vec<(&str, u32, u32)> = found
        .iter()
        .map(|one| (one.name.as_str(), one.name_range.start.column, one.location.range.end.column))
        .collect();
    assert_eq!(shown, [("N", 17, 33)]);

    let text = Text::new(
        "function F() {}\nF.prototype.b = function b() { x }\nF.prototype.c = function d() {}\n".to_owned(),
    );
    let mut symbols = vec![
        outlined(&text, (FUNCTION, "F", "function F() {}")),
        outlined(&text, (VARIABLE, "b", "F.prototype.b")),
        outlined(&text, (FUNCTION, "b", "function b() { x }")),
        outlined(&text, (VARIABLE, "c", "F.prototype.c")),
        outlined(&text, (FUNCTION, "d", "function d() {}")),
    ];
    for (at, parent) in [(1, 0), (2, 1), (3, 0), (4, 3)] {
        symbols[at].parent = Some(parent);
    }
    script::settle(&mut symbols);
    let shown: Vec<(&str, u8, u32)> =
        symbols.iter().map(|one| (one.name.as_str(), one.kind, one.location.range.end.column)).collect();
    let expected = [("F", 12, 15), ("b", 6, 34), ("<function>", 12, 34), ("c", 6, 31), ("d", 12, 31)];
    assert_eq!(shown, expected);
}
