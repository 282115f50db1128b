//! Panics on threads that nobody waits for, and panics that are somebody else's and caught.

use std::panic::PanicHookInfo;
use std::sync::{Mutex, Once, PoisonError};

static INSTALLED: Once = Once::new();
static SEEN: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Notes every panic from now on. The tree's library panics on some damaged pages; the engine catches that and
/// reports damage, so its panics count for nothing here, and the hook that was there before doesn't see them.
pub(crate) fn watch() {
    INSTALLED.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if is_of_the_tree(panic) {
                return;
            }
            // A test that failed before says so while the next one runs.
            if panic.location().is_some_and(|location| location.file().ends_with("tests/replay.rs")) {
                return before(panic);
            }
            SEEN.lock().unwrap_or_else(PoisonError::into_inner).push(panic.to_string());
            before(panic);
        }));
    });
}

fn is_of_the_tree(panic: &PanicHookInfo<'_>) -> bool {
    panic.location().is_some_and(|location| location.file().contains("/redb-"))
}

/// The panics since the last call, on any thread.
pub(crate) fn take() -> Vec<String> {
    std::mem::take(&mut *SEEN.lock().unwrap_or_else(PoisonError::into_inner))
}
