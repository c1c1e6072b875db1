//! Where a guest was when it stopped.

use rustc_demangle::demangle;
use wasmtime::{Error, WasmBacktrace};

use crate::failure::line;

/// So many functions are named: enough to find the place, and few enough for one line.
const MOST: usize = 4;
const NAME: usize = 120;

/// Returns the functions of the guest that ran, the innermost first. Those that only report the error are left out.
pub(super) fn of(error: &Error) -> Vec<String> {
    let Some(trace) = error.downcast_ref::<WasmBacktrace>() else { return Vec::new() };
    let named = |(name, index): (Option<&str>, u32)| match name {
        // The alternate form leaves out the hash at the end.
        Some(name) => line(&format!("{:#}", demangle(name)), NAME),
        None => format!("function {index}"),
    };
    let names = trace.frames().iter().map(|frame| named((frame.func_name(), frame.func_index())));
    shown(names.collect())
}

/// The outermost frame is the export that the host has called, so it stays where nothing else does.
fn shown(names: Vec<String>) -> Vec<String> {
    let own: Vec<String> = names.iter().filter(|name| !reports(name)).take(MOST).cloned().collect();
    if own.is_empty() { names.into_iter().take(MOST).collect() } else { own }
}

/// Tells whether a function belongs to Rust's way of giving up, to its library, or to the glue around an export.
fn reports(name: &str) -> bool {
    const PARTS: [&str; 9] =
        ["std::", "core::", "alloc::", "__rust", "rust_", "_rust", "__rdl", "dlmalloc::", "cabi_"];
    let bare = name.trim_start_matches(['<', '&']);
    PARTS.iter().any(|part| bare.starts_with(part)) || matches!(bare, "abort" | "unreachable" | "__main_void")
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
}
