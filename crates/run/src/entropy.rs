//! Injected randomness, and the ids that are made from it.

use std::sync::atomic::{AtomicU64, Ordering};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use singlet_design::{Made, time_of_ms};

/// A tick is a millisecond and a count of 12 bits within it.
const COUNT_BITS: u32 = 12;
/// A clock that went back further than this was set; ids follow it then instead of waiting for it.
const SET_BACK_MS: u64 = 10_000;

/// Gives random bytes; injected so that tests and samples can be repeated.
pub trait Entropy: Send + Sync {
    /// Fills the buffer.
    fn fill(&self, buffer: &mut [u8]);

    /// A place in the order of making, for ids that sort by time: milliseconds, and a count within the millisecond in
    /// the lowest 12 bits. Sources that remember the last one never give the same or an earlier one twice.
    fn tick(&self, now_ms: u64) -> u64 {
        let mut count = [0; 2];
        self.fill(&mut count);
        (now_ms << COUNT_BITS) | (u64::from(u16::from_be_bytes(count)) >> 4)
    }
}

/// The operating system's randomness.
#[derive(Debug, Default)]
pub struct SystemEntropy {
    /// Of its own, and not the process's: another clock must not set it back.
    last_tick: AtomicU64,
}

impl Entropy for SystemEntropy {
    fn fill(&self, buffer: &mut [u8]) {
        getrandom::fill(buffer).expect("an operating system that can run this has random bytes");
    }

    fn tick(&self, now_ms: u64) -> u64 {
        next_tick(&self.last_tick, now_ms)
    }
}

/// The same bytes in the same order for one seed: for tests and samples, never for secrets.
#[derive(Debug)]
pub struct SeededEntropy {
    state: AtomicU64,
    last_tick: AtomicU64,
}

impl SeededEntropy {
    /// Begins at this seed.
    pub fn new(seed: u64) -> Self {
        SeededEntropy { state: AtomicU64::new(seed), last_tick: AtomicU64::new(0) }
    }

    /// The next 64 bits: SplitMix64, whose state only ever counts up, so that an atomic addition is all it needs.
    pub fn next_u64(&self) -> u64 {
        const STEP: u64 = 0x9E37_79B9_7F4A_7C15;
        let mut bits = self.state.fetch_add(STEP, Ordering::Relaxed).wrapping_add(STEP);
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ (bits >> 31)
    }
}

impl Entropy for SeededEntropy {
    fn fill(&self, buffer: &mut [u8]) {
        for chunk in buffer.chunks_mut(8) {
            chunk.iter_mut().zip(self.next_u64().to_le_bytes()).for_each(|(slot, byte)| *slot = byte);
        }
    }

    fn tick(&self, now_ms: u64) -> u64 {
        next_tick(&self.last_tick, now_ms)
    }
}

/// The tick after the last, or the first of this millisecond if time has gone on. When a millisecond is used up, the
/// next one is begun early.
fn next_tick(last: &AtomicU64, now_ms: u64) -> u64 {
    let first = now_ms << COUNT_BITS;
    let after = |last: u64| {
        let set_back = (last >> COUNT_BITS) > now_ms.saturating_add(SET_BACK_MS);
        if set_back { first } else { first.max(last.saturating_add(1)) }
    };
    match last.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |last| Some(after(last))) {
        Ok(last) | Err(last) => after(last),
    }
}

/// What Singlet makes by itself: an id, a secret or the time.
pub(crate) fn make(made: Made, now_ms: u64, entropy: &dyn Entropy) -> String {
    match made {
        Made::Uuid7 => uuid7(entropy.tick(now_ms), entropy),
        Made::Uuid4 => uuid::Builder::from_random_bytes(random(entropy)).into_uuid().to_string(),
        Made::Ulid => ulid(entropy.tick(now_ms), entropy),
        Made::Secret => URL_SAFE_NO_PAD.encode(random::<32>(entropy)),
        Made::Created | Made::Updated => time_of_ms(now_ms),
    }
}

/// The count stands where RFC 9562 wants it (method 1): in the twelve bits after the version.
fn uuid7(tick: u64, entropy: &dyn Entropy) -> String {
    let [count_high, count_low] = tick_count(tick).to_be_bytes();
    let [a, b, c, d, e, f, g, h] = random(entropy);
    let rest = [count_high, count_low, a, b, c, d, e, f, g, h];
    uuid::Builder::from_unix_timestamp_millis(tick >> COUNT_BITS, &rest).into_uuid().to_string()
}

/// The count takes the highest twelve of the eighty random bits.
fn ulid(tick: u64, entropy: &dyn Entropy) -> String {
    const RANDOM_BITS: u32 = 80 - COUNT_BITS;
    let bits = u128::from_be_bytes(random(entropy)) >> (128 - RANDOM_BITS);
    let counted = (u128::from(tick_count(tick)) << RANDOM_BITS) | bits;
    ulid::Ulid::from_parts(tick >> COUNT_BITS, counted).to_string()
}

fn tick_count(tick: u64) -> u16 {
    // The mask leaves twelve bits, which always fit.
    u16::try_from(tick & ((1 << COUNT_BITS) - 1)).unwrap_or_default()
}

fn random<const LENGTH: usize>(entropy: &dyn Entropy) -> [u8; LENGTH] {
    let mut bytes = [0; LENGTH];
    entropy.fill(&mut bytes);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW_MS: u64 = 1_737_387_000_123;

    #[test]
    fn ids_sort_in_the_order_of_making_even_within_a_millisecond() {
        for made in [Made::Uuid7, Made::Ulid] {
            for entropy in [&SeededEntropy::new(1) as &dyn Entropy, &SystemEntropy::default()] {
                // More than a millisecond holds, and a clock that steps back a little.
                let ids: Vec<String> =
                    (0..6000).map(|at| make(made, NOW_MS + at / 1000 - at % 2, entropy)).collect();
                assert!(ids.windows(2).all(|pair| pair[0] < pair[1]), "{made:?}");
            }
        }
    }

    #[test]
    fn another_clock_in_the_process_disturbs_no_order() {
        let (entropy, other) = (SystemEntropy::default(), SystemEntropy::default());
        let ids: Vec<String> = (0..64)
            .map(|_| {
                make(Made::Ulid, NOW_MS - 2 * SET_BACK_MS, &other);
                make(Made::Ulid, NOW_MS, &entropy)
            })
            .collect();
        assert!(ids.is_sorted(), "{ids:?}");
    }

    #[test]
    fn ids_follow_a_clock_that_was_set_back() {
        let entropy = SeededEntropy::new(1);
        let late = make(Made::Uuid7, NOW_MS, &entropy);
        let early = make(Made::Uuid7, NOW_MS - 3_600_000, &entropy);
        assert!(early < late);
    }

    #[test]
    fn ids_have_the_forms_that_others_know() {
        let entropy = SeededEntropy::new(7);
        let uuid7 = make(Made::Uuid7, NOW_MS, &entropy);
        assert_eq!((uuid7.len(), &uuid7[..8], &uuid7[14..15]), (36, "01948455", "7"));
        let uuid4 = make(Made::Uuid4, NOW_MS, &entropy);
        assert_eq!((uuid4.len(), &uuid4[14..15]), (36, "4"));
        let ulid = make(Made::Ulid, NOW_MS, &entropy);
        assert_eq!((ulid.len(), &ulid[..10]), (26, "01JJ25BG9V"));
        let secret = make(Made::Secret, NOW_MS, &entropy);
        assert_eq!(secret.len(), 43);
        assert!(secret.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)));
        assert_eq!(make(Made::Created, NOW_MS, &entropy), "2025-01-20T15:30:00.123Z");
    }

    #[test]
    fn one_seed_makes_the_same_ids_again() {
        let ids = |seed| {
            let entropy = SeededEntropy::new(seed);
            [Made::Uuid7, Made::Ulid, Made::Uuid4, Made::Secret].map(|made| make(made, NOW_MS, &entropy))
        };
        assert_eq!(ids(3), ids(3));
        assert_ne!(ids(3), ids(4));
    }
}
