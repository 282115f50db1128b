//! Operations on the simulated engine.

use singlet_engine_simulated as engine;

use crate::model;

#[path = "perform.rs"]
pub(crate) mod perform;
