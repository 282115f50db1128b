//! Scenarios that cross modules.

mod concurrency;
mod crash;
mod damage;
mod faults;
pub(super) mod fixture;
mod history;
mod lifecycle;
mod measure;
mod model;
pub(super) mod power_disk;
