//! Writes through patterns, on the embedded store: derived keys, sparse indexes and unique values are right after
//! anything that callers do, one by one or at once.

mod audit;
mod designs;
mod elements;
mod fixture;
mod keys;
mod laws;
mod transactions;
mod unique;
