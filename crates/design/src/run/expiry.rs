//! Which times to live are over, for reads and writes alike: the same that the engine deletes by.

pub(super) use singlet_engine::expired_seconds;
