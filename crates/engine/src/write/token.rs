//! Idempotency tokens: a transaction that is sent again within ten minutes is not done again.

use std::ops::Bound;

use bytes::Bytes;

use super::Batch;
use crate::error::{Error, Result};
use crate::keyspace::{PREFIX_BYTES, RowSpace};
use crate::store::Direction;

/// How long a token is remembered.
const LIFE_MS: u64 = 10 * 60 * 1000;
/// Ended tokens that each new one clears away: more than one, so that they never pile up.
const CLEARED_PER_TOKEN: usize = 4;

/// A token and what it was used for.
#[derive(Debug, Clone)]
pub(crate) struct Token {
    pub(crate) text: String,
    pub(crate) fingerprint: u128,
}

impl Token {
    /// Whether this very request has been done already; the token in another request is refused.
    pub(crate) fn is_repeat(&self, batch: &Batch<'_>) -> Result<bool> {
        let Some(stored) = batch.get(&self.row())? else { return Ok(false) };
        let Some((fingerprint, end_ms)) = decode(&stored) else { return Ok(false) };
        if end_ms <= batch.time_ms() {
            return Ok(false);
        }
        if fingerprint == self.fingerprint { Ok(true) } else { Err(Error::TokenMismatch) }
    }

    /// Remembers the token and clears some that have ended.
    pub(crate) fn store(&self, batch: &mut Batch<'_>) -> Result<()> {
        #[cfg(simulated)]
        if crate::planted::Bug::ForgetsToken.is_planted() {
            return Ok(());
        }
        let now_ms = batch.time_ms();
        for row in ended(batch, now_ms)? {
            batch.delete(row);
        }
        let end_ms = now_ms + LIFE_MS;
        let mut value = self.fingerprint.to_be_bytes().to_vec();
        value.extend_from_slice(&end_ms.to_be_bytes());
        batch.put(self.row(), value.into());
        let mut end_row = end_ms.to_be_bytes().to_vec();
        end_row.extend_from_slice(self.text.as_bytes());
        batch.put(RowSpace::token_ends().key(&end_row), Bytes::new());
        Ok(())
    }

    fn row(&self) -> Bytes {
        RowSpace::tokens().key(self.text.as_bytes())
    }
}

/// The rows of some tokens that have ended. A token that was used anew after its end keeps its row and loses only
/// the row of the earlier end.
fn ended(batch: &Batch<'_>, now_ms: u64) -> Result<Vec<Bytes>> {
    let space = RowSpace::token_ends();
    let until = space.key(&now_ms.to_be_bytes());
    let mut rows = Vec::new();
    for row in batch
        .range(Bound::Included(&space.prefix()), Bound::Excluded(&until), Direction::Forward)
        .take(CLEARED_PER_TOKEN)
    {
        let (end_row, _) = row?;
        let text = end_row.get(PREFIX_BYTES + size_of::<u64>()..).unwrap_or_default();
        let token_row = RowSpace::tokens().key(text);
        let stored = batch.get(&token_row)?;
        if stored.as_deref().and_then(decode).is_some_and(|(_, end_ms)| end_ms <= now_ms) {
            rows.push(token_row);
        }
        rows.push(end_row);
    }
    Ok(rows)
}

/// The fingerprint of the request that a token was used for, and the time at which the token ends.
pub(crate) fn decode(stored: &[u8]) -> Option<(u128, u64)> {
    let fingerprint = u128::from_be_bytes(stored.get(..16)?.try_into().ok()?);
    let end_ms = u64::from_be_bytes(stored.get(16..24)?.try_into().ok()?);
    Some((fingerprint, end_ms))
}
