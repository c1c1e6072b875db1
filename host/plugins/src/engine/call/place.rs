//! The place where a guest stopped.

use rustc_demangle::demangle;
use wasmtime::{Error, WasmBacktrace};

use crate::failure::line;

/// The number of functions to name: enough to find the place, few enough for one line.
const MOST: usize = 4;
const NAME: usize = 120;

/// Stands for Python code, which has no function names in a trace.
pub const INTERPRETED: &str = "code of Python";

/// Returns the guest functions on the stack, the innermost first, so that authors find their own code first. It omits
/// the functions that only report the error, the libraries that the author's code calls, and the glue code to the
/// host.
pub(super) fn of(error: &Error) -> Vec<String> {
    let Some(trace) = error.downcast_ref::<WasmBacktrace>() else { return Vec::new() };
    let named = |(name, index): (Option<&str>, u32)| match name {
        // The alternate form leaves out the hash at the end.
        Some(name) => line(&format!("{:#}", demangle(name)), NAME),
        None => format!("{UNNAMED}{index}"),
    };
    let names = trace.frames().iter().map(|frame| named((frame.func_name(), frame.func_index())));
    shown(names.collect())
}

/// The function that runs Python code. The interpreter's functions above it in a trace do not help an author, and no
/// entry in a trace gives the line of Python.
const PYTHON: &str = "_PyEval_EvalFrameDefault";

/// The name of a function that has none. Its number is shown only if no function has a name.
const UNNAMED: &str = "function ";

/// Selects the names to show. If no function is the author's own, it shows all of them rather than none.
fn shown(mut names: Vec<String>) -> Vec<String> {
    let all = names.len();
    names.retain(|name| !is_glue(name));
    if let Some(at) = names.iter().position(|name| name == PYTHON) {
        names.truncate(at.min(MOST - 1));
        names.push(INTERPRETED.to_owned());
        return names;
    }
    let is_own = |name: &&String| !is_foreign(name) && !name.starts_with(UNNAMED);
    let own: Vec<String> = names.iter().filter(is_own).take(MOST).cloned().collect();
    // If glue of another language was removed, the rest is its interpreter, which reports the reason itself.
    let says_nothing = own.is_empty() && all == names.len();
    if says_nothing { names.into_iter().take(MOST).collect() } else { own }
}

/// Tells whether a function is glue between the host and the author's code, in any language. The export itself is
/// glue too.
fn is_glue(name: &str) -> bool {
    ["__wasm_export_", "__wasm_import_", "wit_dylib_", "iac:plugin/"]
        .iter()
        .any(|prefix| name.starts_with(prefix))
}

/// Tells whether a function belongs to Rust's panic machinery, to a library, or to the SDK.
fn is_foreign(name: &str) -> bool {
    const CRATES: [&str; 10] = [
        "std", "core", "alloc", "hashbrown", "dlmalloc", "serde", "serde_core", "serde_json", "iac_plugin",
        "wit_bindgen",
    ];
    const PREFIXES: [&str; 5] = ["__rust", "rust_", "_rust", "__rdl", "cabi_"];
    let bare = name.trim_start_matches(['<', '&']);
    let of_crate = bare.split_once("::").is_some_and(|(first, _)| CRATES.contains(&first));
    let is_internal = PREFIXES.iter().any(|prefix| bare.starts_with(prefix));
    of_crate || is_internal || matches!(bare, "abort" | "unreachable" | "__main_void")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(names: &[&str], expected: &[&str]) {
        assert_eq!(shown(names.iter().map(|name| (*name).to_owned()).collect()), expected, "{names:?}");
    }

    #[test]
    fn the_first_function_is_the_guests_own() {
        let trace =
            ["__rustc::rust_panic", "core::panicking::panic_bounds_check", "demo::count", "demo::call"];
        check(&trace[1..], &["demo::count", "demo::call"]);
        check(
            &["std::process::abort", "core::panicking::panic"],
            &["std::process::abort", "core::panicking::panic"],
        );
        check(&["a", "b", "c", "d", "e"], &["a", "b", "c", "d"]);
        check(&["<alloc::vec::Vec<T> as core::ops::Index>::index", "demo::f"], &["demo::f"]);
        check(&[], &[]);
    }

    #[test]
    fn libraries_and_glue_are_left_out() {
        let of_trait = "<demo::Demo as iac_plugin::Plugin>::call";
        let glue = "<iac_plugin::Component<P> as iac_plugin::bindings::exports::iac::plugin::tools::Guest>::call_tool";
        let export = "iac_plugin::bindings::exports::iac::plugin::tools::_export_call_tool_cabi";
        check(&["demo::weigh", of_trait, glue, export], &["demo::weigh", of_trait]);
        check(
            &["hashbrown::map::HashMap<K,V,S,A>::insert", "demo::hashes", of_trait],
            &["demo::hashes", of_trait],
        );
        check(&["function 2", "iac_plugin::log::info", "demo::weigh"], &["demo::weigh"]);
        check(&["function 2", "function 1"], &["function 2", "function 1"]);
        check(&["loop", "call_tool", "__wasm_export_tools_call_tool"], &["loop", "call_tool"]);
        check(
            &["abort", "std::process::abort", "wit_dylib_export_call", "iac:plugin/tools@0.1.0#call-tool"],
            &[],
        );
        check(&["sbrk", "malloc", PYTHON, "_PyEval_Vector"], &["sbrk", "malloc", INTERPRETED]);
        check(&["a", "b", "c", "d", PYTHON], &["a", "b", "c", INTERPRETED]);
        check(&["corexyz::f", "stdlib", "core"], &["corexyz::f", "stdlib", "core"]);
    }
}
