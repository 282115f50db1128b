//! Request ids: 52 digits and capital letters, like DynamoDB's.

use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

use hyper::header::HeaderValue;

const LENGTH: usize = 52;
const ALPHABET: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ012345";

/// Generates unique ids: a counter, mixed with random numbers that were drawn when the process started.
pub(crate) struct RequestIds {
    seeds: [u64; 5],
    count: AtomicU64,
}

impl RequestIds {
    /// Takes the seeds from the random keys of the standard library's hash maps.
    pub(crate) fn random() -> Self {
        Self::new([(); 5].map(|()| RandomState::new().hash_one(0)))
    }

    fn new(seeds: [u64; 5]) -> Self {
        Self { seeds, count: AtomicU64::new(0) }
    }

    pub(crate) fn next(&self) -> HeaderValue {
        let count = self.count.fetch_add(1, Ordering::Relaxed);
        let mut id = [0; LENGTH];
        // Each word gives twelve characters of five bits.
        for (characters, seed) in id.chunks_mut(12).zip(self.seeds) {
            let mut bits = mix(seed.wrapping_add(count));
            for character in characters {
                *character = ALPHABET.get((bits & 31) as usize).copied().unwrap_or(b'0');
                bits >>= 5;
            }
        }
        HeaderValue::from_bytes(&id).unwrap_or_else(|_| HeaderValue::from_static(""))
    }
}

/// Spreads a number over 64 bits. Each step is invertible, so different numbers give different results.
fn mix(number: u64) -> u64 {
    let mut mixed = number;
    for multiplier in [0xBF58_476D_1CE4_E5B9, 0x94D0_49BB_1331_11EB] {
        mixed = (mixed ^ (mixed >> 31)).wrapping_mul(multiplier);
    }
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn ids_have_dynamodbs_form_and_do_not_repeat() {
        let ids = RequestIds::random();
        let mut seen = HashSet::new();
        for _ in 0..10_000 {
            let id = ids.next().to_str().unwrap().to_owned();
            assert_eq!(id.len(), 52);
            assert!(id.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit()), "{id}");
            assert!(seen.insert(id));
        }
    }
}
