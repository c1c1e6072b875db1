#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| iac_fuzz::worker_line(data));
