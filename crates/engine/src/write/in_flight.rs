//! The items of running transactions. A write to one of them gets a conflict error, as in DynamoDB, instead of
//! waiting.

use std::collections::HashSet;
use std::sync::{Arc, PoisonError};

use bytes::Bytes;

use crate::sync::atomic::{AtomicUsize, Ordering};
use crate::sync::{Mutex, MutexGuard};

/// Rows and tokens of running transactions.
#[derive(Debug, Default)]
pub(crate) struct InFlight {
    /// The number of running transactions. Single writes take the lock only if there are any.
    transactions: AtomicUsize,
    claimed: Mutex<Claimed>,
}

#[derive(Debug, Default)]
struct Claimed {
    rows: HashSet<Bytes>,
    tokens: HashSet<String>,
}

/// Why a transaction can't start.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Clash {
    /// The rows at these positions belong to another transaction.
    Rows(Vec<bool>),
    /// A transaction with the same token is running.
    Token,
}

/// The rows and the token of one transaction, released when it is dropped.
#[derive(Debug)]
pub(crate) struct Claim {
    in_flight: Arc<InFlight>,
    rows: Vec<Bytes>,
    token: Option<String>,
}

impl InFlight {
    /// Whether a running transaction has this row.
    pub(crate) fn has(&self, row: &[u8]) -> bool {
        self.transactions.load(Ordering::Acquire) > 0 && self.lock().rows.contains(row)
    }

    /// Claims all rows and the token of a transaction, or none.
    pub(crate) fn claim(self: &Arc<Self>, rows: Vec<Bytes>, token: Option<String>) -> Result<Claim, Clash> {
        let mut claimed = self.lock();
        if token.as_ref().is_some_and(|token| claimed.tokens.contains(token)) {
            return Err(Clash::Token);
        }
        let clashes: Vec<bool> = rows.iter().map(|row| claimed.rows.contains(row)).collect();
        if clashes.contains(&true) {
            return Err(Clash::Rows(clashes));
        }
        claimed.rows.extend(rows.iter().cloned());
        claimed.tokens.extend(token.iter().cloned());
        self.transactions.fetch_add(1, Ordering::Release);
        drop(claimed);
        Ok(Claim { in_flight: self.clone(), rows, token })
    }

    fn lock(&self) -> MutexGuard<'_, Claimed> {
        // The sets are consistent between any two calls, so a panic elsewhere can't have left them half changed.
        self.claimed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        let mut claimed = self.in_flight.lock();
        for row in &self.rows {
            claimed.rows.remove(row);
        }
        if let Some(token) = &self.token {
            claimed.tokens.remove(token);
        }
        self.in_flight.transactions.fetch_sub(1, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(text: &'static str) -> Bytes {
        Bytes::from_static(text.as_bytes())
    }

    #[test]
    fn a_claimed_row_is_refused_until_its_transaction_ends() {
        let in_flight = Arc::new(InFlight::default());
        let claim = in_flight.claim(vec![row("a"), row("b")], None).unwrap();
        assert!(in_flight.has(b"a"));
        let clash = in_flight.claim(vec![row("c"), row("b")], None).unwrap_err();
        assert_eq!(clash, Clash::Rows(vec![false, true]));
        assert!(!in_flight.has(b"c"), "a refused transaction claims nothing");
        drop(claim);
        assert!(in_flight.claim(vec![row("c"), row("b")], None).is_ok());
    }

    #[test]
    fn a_token_is_under_way_only_once() {
        let in_flight = Arc::new(InFlight::default());
        let claim = in_flight.claim(vec![row("a")], Some("t".to_owned())).unwrap();
        assert_eq!(in_flight.claim(vec![row("b")], Some("t".to_owned())).unwrap_err(), Clash::Token);
        drop(claim);
        assert!(in_flight.claim(vec![row("b")], Some("t".to_owned())).is_ok());
    }
}
