//! Atomic values as in `std::sync::atomic`: each access is a point at which another thread may go on. Only one thread
//! runs at a time, so every order is the strongest one: what a weaker one allows is not simulated.

pub use std::sync::atomic::Ordering;

use crate::baton::point;

/// Orders nothing that is not in order already.
pub fn fence(_: Ordering) {
    point();
}

/// An atomic boolean.
#[derive(Debug, Default)]
pub struct AtomicBool(std::sync::atomic::AtomicBool);

impl AtomicBool {
    /// An atomic value.
    pub fn new(value: bool) -> Self {
        AtomicBool(std::sync::atomic::AtomicBool::new(value))
    }

    /// Reads it.
    pub fn load(&self, order: Ordering) -> bool {
        point();
        self.0.load(order)
    }

    /// Writes it.
    pub fn store(&self, value: bool, order: Ordering) {
        point();
        self.0.store(value, order);
    }
}

/// An atomic number.
#[derive(Debug, Default)]
pub struct AtomicUsize(std::sync::atomic::AtomicUsize);

impl AtomicUsize {
    /// An atomic value.
    pub fn new(value: usize) -> Self {
        AtomicUsize(std::sync::atomic::AtomicUsize::new(value))
    }

    /// Reads it.
    pub fn load(&self, order: Ordering) -> usize {
        point();
        self.0.load(order)
    }

    /// Adds to it.
    pub fn fetch_add(&self, by: usize, order: Ordering) -> usize {
        point();
        self.0.fetch_add(by, order)
    }

    /// Subtracts from it.
    pub fn fetch_sub(&self, by: usize, order: Ordering) -> usize {
        point();
        self.0.fetch_sub(by, order)
    }
}
