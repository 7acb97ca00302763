#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    walras_fuzz::sweep(bytes);
});
