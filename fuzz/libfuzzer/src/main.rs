//! Runs the target that `SINGLET_FUZZ_TARGET` names under libFuzzer.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use singlet_fuzz::Target;

static TARGET: LazyLock<Target> = LazyLock::new(|| {
    let name = std::env::var("SINGLET_FUZZ_TARGET").unwrap_or_default();
    Target::from_name(&name).expect("SINGLET_FUZZ_TARGET names a target")
});

fuzz_target!(|input: &[u8]| TARGET.run(input));
