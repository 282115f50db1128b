//! Threads, locks, channels and monotonic time. They are the standard library's, except in the simulation (`sim/`).
//! It compiles the engine with `cfg(simulated)`, and its seed decides which thread runs.
//!
//! Everything that a thread can wait for comes from here, so that the simulation knows about it. Code below the tree
//! library must not use it, because the library holds locks that the simulation doesn't know. So the disk
//! (`store/disk`), the tree's file (`store/tree/backend.rs`) and its pages (`store/tree/pages.rs`) use the standard
//! library.

#[cfg(not(simulated))]
mod primitives {
    pub(crate) use std::sync::{Condvar, Mutex, MutexGuard, RwLock, RwLockWriteGuard, atomic, mpsc};
    pub(crate) use std::thread;
    pub(crate) use std::time::Instant;

    pub(crate) use arc_swap::ArcSwap;

    pub(crate) mod oneshot {
        pub(crate) use oneshot::{AsyncReceiver, Receiver, Sender, channel};
    }
}

#[cfg(simulated)]
mod primitives {
    pub(crate) use singlet_scheduler::sync::{Condvar, Mutex, MutexGuard, RwLock, RwLockWriteGuard};
    pub(crate) use singlet_scheduler::time::Instant;
    pub(crate) use singlet_scheduler::{ArcSwap, atomic, mpsc, oneshot, thread};
}

pub(crate) use primitives::*;
