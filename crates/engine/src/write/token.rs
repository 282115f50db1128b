//! Idempotency tokens: a transaction that is sent again within ten minutes isn't executed again.

use std::ops::Bound;

use bytes::Bytes;

use super::JobBatch;
use crate::error::{Error, Result};
use crate::keyspace::{PREFIX_BYTES, RowSpace};
use crate::store::{Direction, time_after};

/// How long a token is valid.
const LIFE_MS: u64 = 10 * 60 * 1000;
/// The number of expired tokens that each new one removes. It is more than one, so that they never accumulate.
const CLEARED_PER_TOKEN: usize = 4;

/// A token and the fingerprint of its request.
#[derive(Debug, Clone)]
pub(crate) struct Token {
    pub(crate) text: String,
    pub(crate) fingerprint: u128,
}

impl Token {
    /// Whether the same request was executed already. The token with another request is an error.
    pub(crate) fn is_repeat(&self, batch: &JobBatch<'_>) -> Result<bool> {
        let Some(stored) = batch.get(&self.row())? else { return Ok(false) };
        let Some((fingerprint, _)) = decode(&stored) else { return Ok(false) };
        if has_ended(batch, &stored) {
            return Ok(false);
        }
        if fingerprint == self.fingerprint { Ok(true) } else { Err(Error::TokenMismatch) }
    }

    /// Stores the token and removes some expired ones.
    pub(crate) fn store(&self, batch: &mut JobBatch<'_>) -> Result<()> {
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
        value.extend_from_slice(&batch.sequence().to_be_bytes());
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

/// Whether a stored token has expired. Jumps of the clock don't change its life; only an opening between them can.
fn has_ended(batch: &JobBatch<'_>, stored: &[u8]) -> bool {
    let Some((_, end_ms)) = decode(stored) else { return true };
    let now_ms = batch.time_ms();
    let used_ms = end_ms.saturating_sub(LIFE_MS);
    match stored.get(24..32).and_then(|bytes| bytes.first_chunk()) {
        Some(bytes) => {
            let sequence = u64::from_be_bytes(*bytes);
            batch.catalogue().turns().age_ms(sequence, used_ms, now_ms) >= LIFE_MS
        }
        // Earlier versions didn't store the commit. A token can't have been used in the future.
        None => end_ms <= now_ms || time_after(used_ms, now_ms) < used_ms,
    }
}

/// Returns the rows of some expired tokens: those with the earliest ends, and those with ends that are too far in the
/// future because the clock was ahead.
fn ended(batch: &JobBatch<'_>, now_ms: u64) -> Result<Vec<Bytes>> {
    let space = RowSpace::token_ends();
    let (start, until) = (space.prefix(), space.key(&now_ms.to_be_bytes()));
    let mut rows = Vec::new();
    let over = batch.range(Bound::Included(&start), Bound::Excluded(&until), Direction::Forward);
    for row in over.take(CLEARED_PER_TOKEN) {
        clear(batch, row?.0, &mut rows)?;
    }
    let ahead_ms = now_ms.saturating_add(2 * LIFE_MS);
    let (ahead, end) = (space.key(&ahead_ms.to_be_bytes()), space.end());
    let ahead = batch.range(Bound::Included(&ahead), Bound::Excluded(&end), Direction::Forward);
    for row in ahead.take(CLEARED_PER_TOKEN) {
        clear(batch, row?.0, &mut rows)?;
    }
    Ok(rows)
}

/// Adds the rows of a token if it has expired. A token that was used again after its end keeps its row and loses only
/// the row of the earlier end.
fn clear(batch: &JobBatch<'_>, end_row: Bytes, rows: &mut Vec<Bytes>) -> Result<()> {
    let token_row = token_row_of(&end_row);
    let end_bytes = end_row.get(PREFIX_BYTES..PREFIX_BYTES + size_of::<u64>());
    let stored = batch.get(&token_row)?.filter(|stored| stored.get(16..24) == end_bytes);
    match stored {
        // By the commits' effective times it is still valid, although its recorded end says otherwise.
        Some(stored) if !has_ended(batch, &stored) => {}
        Some(_) => rows.extend([token_row, end_row]),
        None => rows.push(end_row),
    }
    Ok(())
}

fn token_row_of(end_row: &[u8]) -> Bytes {
    let text = end_row.get(PREFIX_BYTES + size_of::<u64>()..).unwrap_or_default();
    RowSpace::tokens().key(text)
}

/// Decodes the fingerprint of the token's request and the time at which the token ends.
pub(crate) fn decode(stored: &[u8]) -> Option<(u128, u64)> {
    let fingerprint = u128::from_be_bytes(stored.get(..16)?.try_into().ok()?);
    let end_ms = u64::from_be_bytes(stored.get(16..24)?.try_into().ok()?);
    Some((fingerprint, end_ms))
}
