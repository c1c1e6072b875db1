//! Components that are hostile as a whole. The guests of `tests/plugins/hostile` cannot be, because each of them
//! consists of one module.

use std::fmt::Write as _;

use iac_plugins::engine::Backend;
use iac_plugins::package;

use crate::guests::engine;

/// The error for a component in text form; it is never compiled or run.
fn check(what: &str, text: &str, expected: &str) {
    let bytes = wat::parse_str(text).unwrap_or_else(|error| panic!("{what}: {error}"));
    let refused = package::read(&bytes).err().map_or_else(|| "nothing".to_owned(), |error| error.to_string());
    assert!(refused.contains(expected), "{what}: {refused}");
}

/// Components that each instantiate the one before twice: two to the power of `depth` instances of one module.
fn doubling(depth: usize) -> String {
    let mut text = String::from("(component $c0 (core module $m) (core instance (instantiate $m)))");
    for level in 1..=depth {
        let below = level - 1;
        text = format!(
            "(component $c{level} {text} (instance (instantiate $c{below})) (instance (instantiate $c{below})))"
        );
    }
    format!("(component {text} (instance (instantiate $c{depth})))")
}

fn repeated(head: &str, part: &str, count: usize) -> String {
    let mut text = format!("(component {head} ");
    for _ in 0..count {
        write!(text, "{part} ").expect("a text can be written to");
    }
    text + ")"
}

#[test]
fn instances_are_counted_before_anything_is_compiled() {
    let module = "(core module $m)";
    let make = "(core instance (instantiate $m))";
    check("sixty-four", &repeated(module, make, 64), "does not export `iac:plugin/tools@0.1.0`");
    check("one more", &repeated(module, make, 65), "65 instances of modules, expected at most 64");
    check("hundreds", &repeated(module, make, 900), "900 instances");
    check("doubled six times", &doubling(6), "does not export");
    check("doubled seven times", &doubling(7), "128 instances");
    check("doubled thirty times", &doubling(30), "1073741824 instances");
    let borrowed = "(component (core module $m) (component $c (alias outer 1 $m (core module $n)) \
        (core instance (instantiate $n))) (component $d (alias outer 1 $c (component $e)) (instance (instantiate $e))))";
    check("by another name", borrowed, "does not export");
}

#[test]
fn what_an_instance_takes_of_the_host_is_counted() {
    let globals = |count: usize| format!("(core module $m {})", "(global i32 (i32.const 0))".repeat(count));
    let make = "(core instance (instantiate $m))";
    check("few", &repeated(&globals(1_000), make, 64), "does not export");
    check("many", &repeated(&globals(10_000), make, 64), "640000 functions, globals and the like");
    let functions = format!("(core module $m {})", "(func)".repeat(300_000));
    check("functions", &repeated(&functions, make, 2), "600000 functions");
}

#[test]
fn code_is_counted_before_it_is_compiled() {
    let with = |module: &str| format!("(component (core module {module}))");
    let functions = |count: usize| with(&"(func)".repeat(count));
    check("as many as may be", &functions(40_000), "does not export");
    check("one more", &functions(40_001), "40001 functions in all modules, expected at most 40000");
    let halves = format!("(core module {})", "(func)".repeat(20_001));
    check("in two modules", &format!("(component {halves} {halves})"), "40002 functions");
    let inner = format!("(component {halves} (component {halves}))");
    check("in a component inside", &inner, "40002 functions");
    let long = format!("(func {})", "i32.const 1 drop ".repeat(180_000));
    check("a long function", &with(&long), "bytes of code in one function, expected at most 524288");
    let adapters = "(component (import \"iac:plugin/log@0.1.0\" (instance $i (export \"f\" (func)))) \
        (alias export $i \"f\" (func $f)) ADAPTERS)";
    let adapters = adapters.replace("ADAPTERS", &"(core func (canon lower (func $f))) ".repeat(40_001));
    check("adapters", &adapters, "40001 functions");
}

#[test]
fn code_is_not_handed_around() {
    let around = "passes modules or components around";
    check("an imported module", "(component (import \"m\" (core module)))", around);
    check("an imported component", "(component (import \"c\" (component)))", around);
    check("an exported module", "(component (core module $m) (export \"m\" (core module $m)))", around);
    let given = "(component (component $c (import \"m\" (core module $m)) (core instance (instantiate $m))))";
    check("to an inner one", given, around);
}

#[test]
fn a_package_imports_nothing_but_ours() {
    let wasi = "(component (import \"wasi:cli/environment@0.2.0\" (instance)))";
    check("WASI", wasi, "imports `wasi:cli/environment@0.2.0`, expected only interfaces of iac:plugin@0.1");
    check("WASI", wasi, "build for wasm32-unknown-unknown, which has no WASI");
    check("a function", "(component (import \"run\" (func)))", "imports `run`");
    let later = "(component (import \"iac:plugin/log@0.9.0\" (instance)))";
    check("another version", later, "build with the SDK of this version of the host");
    let unknown = "(component (import \"iac:plugin/network@0.1.0\" (instance)))";
    check("no interface", unknown, "imports `iac:plugin/network@0.1.0`");
}

#[test]
fn modules_have_one_small_memory_that_nobody_shares() {
    let one = |inner: &str| format!("(component (core module {inner}))");
    check("two", &one("(memory 1) (memory 1)"), "multiple memories");
    check("of 64 bits", &one("(memory i64 1)"), "memory64");
    check("shared", &one("(memory 1 1 shared)"), "threads");
}

/// Two instances that call each other exchange texts through code that the engine generates; that code uses two
/// memories.
#[test]
fn a_component_of_two_parts_compiles() {
    for backend in [Backend::Native, Backend::Interpreter] {
        let bytes = wat::parse_str(TWO).expect("the component is text");
        let compiled = engine(backend).compile(&bytes, None);
        assert!(compiled.is_ok(), "{backend:?}: {:?}", compiled.err());
    }
}

const TWO: &str = r#"(component
  (component $a
    (core module $m
      (memory (export "memory") 1)
      (func (export "realloc") (param i32 i32 i32 i32) (result i32) (i32.const 0))
      (func (export "take") (param i32 i32)))
    (core instance $i (instantiate $m))
    (func (export "take") (param "text" string)
      (canon lift (core func $i "take") (memory $i "memory") (realloc (func $i "realloc")))))
  (component $b
    (import "take" (func $take (param "text" string)))
    (core module $memory (memory (export "memory") 1))
    (core instance $memory (instantiate $memory))
    (core func $lowered (canon lower (func $take) (memory $memory "memory")))
    (core module $m
      (import "" "take" (func $take (param i32 i32)))
      (func (export "run") (call $take (i32.const 0) (i32.const 8))))
    (core instance $i (instantiate $m (with "" (instance (export "take" (func $lowered))))))
    (func (export "run") (canon lift (core func $i "run"))))
  (instance $a (instantiate $a))
  (instance $b (instantiate $b (with "take" (func $a "take"))))
  (export "run" (func $b "run")))"#;
