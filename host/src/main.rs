//! Arguments in, exit status out; everything else is in the library.
#![forbid(unsafe_code)]

fn main() {}
