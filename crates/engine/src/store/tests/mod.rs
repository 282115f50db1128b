//! Scenarios that cross modules.

mod clock;
mod compaction;
mod concurrency;
mod crash;
mod damage;
mod damaged_tree;
mod faults;
pub(crate) mod fixture;
#[cfg(unix)]
mod folder;
mod history;
mod lifecycle;
mod measure;
mod model;
mod old_tree;
pub(crate) mod power_disk;
pub(crate) mod quota_disk;
mod reach;
mod room;
