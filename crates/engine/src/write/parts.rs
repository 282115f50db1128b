//! Dividing batches that would be too large for one commit. The items of a batch aren't atomic together, so each part
//! can be a commit.

use std::sync::{Arc, PoisonError};

use super::Action;
use crate::error::Result;
use crate::pending::{Answer, answer};
use crate::request::BatchWriteOutcome;
use crate::sync::Mutex;

/// The approximate most bytes of one part in the log.
const PART_BYTES_MAX: usize = 32 << 20;

/// Divides the actions of a batch into parts, nearly always a single one.
pub(crate) fn parts(actions: Vec<Action>) -> Vec<Vec<Action>> {
    let mut parts = vec![Vec::with_capacity(actions.len())];
    let mut bytes = 0;
    for action in actions {
        let action_bytes = action.logged_bytes_max();
        bytes += action_bytes;
        if bytes > PART_BYTES_MAX {
            parts.push(Vec::new());
            bytes = action_bytes;
        }
        if let Some(part) = parts.last_mut() {
            part.push(action);
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// The answer to a batch, which is sent when all of its parts are done.
#[derive(Clone)]
pub(crate) struct BatchAnswer(Arc<Mutex<Gathered>>);

struct Gathered {
    parts_left: usize,
    outcome: Result<BatchWriteOutcome>,
    answer: Option<Answer<BatchWriteOutcome>>,
}

impl BatchAnswer {
    pub(crate) fn new(parts: usize, answer: Answer<BatchWriteOutcome>) -> Self {
        let outcome = Ok(BatchWriteOutcome::default());
        BatchAnswer(Arc::new(Mutex::new(Gathered { parts_left: parts, outcome, answer: Some(answer) })))
    }

    /// Ends some parts, whether they are done or were never submitted.
    pub(crate) fn end(&self, parts: usize, result: Result<BatchWriteOutcome>) {
        let mut gathered = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match (&mut gathered.outcome, result) {
            (Ok(outcome), Ok(part)) => {
                part.consumed.into_iter().for_each(|consumed| consumed.merge_into(&mut outcome.consumed));
                outcome.collections.extend(part.collections);
            }
            (outcome @ Ok(_), Err(error)) => *outcome = Err(error),
            // The first error is reported.
            (Err(_), _) => {}
        }
        gathered.parts_left = gathered.parts_left.saturating_sub(parts);
        if gathered.parts_left == 0
            && let Some(sender) = gathered.answer.take()
        {
            let outcome = std::mem::replace(&mut gathered.outcome, Ok(BatchWriteOutcome::default()));
            drop(gathered);
            answer(sender, outcome);
        }
    }
}
