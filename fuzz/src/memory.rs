//! How much memory a run took, counted by the allocator.

use peak_alloc::PeakAlloc;

/// Counts what is allocated, in every program that links this crate.
#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// Runs `f` and gives the most bytes that were allocated at once meanwhile, beyond those that were before.
pub(crate) fn peak_bytes<T>(f: impl FnOnce() -> T) -> (T, usize) {
    let before = ALLOCATOR.current_usage();
    ALLOCATOR.reset_peak_usage();
    let result = f();
    (result, ALLOCATOR.peak_usage().saturating_sub(before))
}
