//! Scenarios that cross modules.

mod concurrency;
mod crash;
mod damage;
mod faults;
mod fixture;
mod lifecycle;
mod measure;
mod model;
mod power_disk;
