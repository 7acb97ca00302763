#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    walras_fuzz::site_table(bytes);
});
