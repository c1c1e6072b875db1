#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| iac_fuzz::reference(data));
