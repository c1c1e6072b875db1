//! Limits the code of a component before any of it is compiled, because the time and memory of the compiler grow with
//! it.

use wasmparser::{Parser, Payload};

/// The most functions of all modules, including those that pass values between components. A Python component has
/// 13,500.
const MOST_FUNCTIONS: usize = 40_000;
/// The most bytes of code of all modules. A Python component has 6.6 MB, which took 10 s of compute time and 366 MB.
const MOST_CODE: usize = 10 * 1024 * 1024;
/// The most bytes of one function. The largest in Python has 427 KB. One of 512 KiB with only branches took 7 s and
/// 400 MB.
const MOST_OF_ONE: usize = 512 * 1024;
/// The most bytes of all large functions. They are compiled in parallel, and each takes a thousand times its length
/// in memory. Python has three, 686 KB together.
const MOST_OF_LARGE: usize = 1024 * 1024;
/// A function above this many bytes counts as large.
const LARGE: usize = 64 * 1024;

/// The amount of work for the compiler.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    functions: usize,
    code: usize,
    largest: usize,
    large: usize,
}

/// Counts the code of a valid component.
///
/// # Errors
/// There is too much code, or it cannot be counted.
pub(super) fn check(wasm: &[u8]) -> Result<(), String> {
    let mut count = Count::default();
    for payload in Parser::new(0).parse_all(wasm) {
        match payload.map_err(|error| error.to_string())? {
            Payload::CodeSectionEntry(body) => count.add(body.range().len()),
            Payload::ComponentCanonicalSection(adapters) => count.functions += adapters.count() as usize,
            _ => {}
        }
    }
    count.check()
}

impl Count {
    fn add(&mut self, bytes: usize) {
        self.functions += 1;
        self.code += bytes;
        self.largest = self.largest.max(bytes);
        if bytes > LARGE {
            self.large += bytes;
        }
    }

    fn check(self) -> Result<(), String> {
        let Self { functions, code, largest, large } = self;
        bounded("functions in all modules", functions, MOST_FUNCTIONS)?;
        bounded("bytes of code in all modules", code, MOST_CODE)?;
        bounded("bytes of code in one function", largest, MOST_OF_ONE)?;
        bounded("bytes of code in functions of more than 64 KiB", large, MOST_OF_LARGE)
    }
}

fn bounded(what: &str, count: usize, most: usize) -> Result<(), String> {
    match count <= most {
        true => Ok(()),
        false => Err(format!(
            "the component has {count} {what}, expected at most {most}; build it without unused code"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_bound_is_named_with_its_figure() {
        let check = |bodies: &[(usize, usize)], expected: &str| {
            let mut count = Count::default();
            for (times, bytes) in bodies {
                (0..*times).for_each(|_| count.add(*bytes));
            }
            let refused = count.check().err().unwrap_or_default();
            assert!(refused.contains(expected) && refused.is_empty() == expected.is_empty(), "{refused}");
        };
        // The sizes of Python, as componentize-py builds it.
        check(&[(1, 426_843), (1, 183_485), (1, 75_972), (13_497, 435)], "");
        check(&[(40_000, 100)], "");
        check(&[(40_001, 100)], "40001 functions in all modules, expected at most 40000");
        check(&[(200, 60_000)], "12000000 bytes of code in all modules, expected at most 10485760");
        check(&[(1, 524_289)], "524289 bytes of code in one function, expected at most 524288");
        check(
            &[(3, 400_000)],
            "1200000 bytes of code in functions of more than 64 KiB, expected at most 1048576",
        );
    }
}
