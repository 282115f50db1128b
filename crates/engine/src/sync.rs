//! Threads, locks, channels and monotonic time: the standard library's, except in the simulation (`sim/`), which compiles
//! the engine with `cfg(simulated)` and decides by a seed which thread goes on.
//!
//! Whatever a thread may wait for comes from here, so that a simulation knows of it. What the tree library calls must
//! not: it holds locks of its own meanwhile, which the simulation doesn't know. So the disk below (`store/disk`), the tree's
//! file (`store/tree/backend.rs`) and its pages (`store/tree/pages.rs`) keep to the standard library.

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
