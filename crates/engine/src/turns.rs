//! When commits happened, where the clock was set back.
//!
//! The order of commits is that of their sequence numbers; times are notes beside it. Where the clock is set back, or comes back
//! from a wrong time, the times of commits go back: a *turn*. A later commit with an earlier time shows that everything before it
//! happened by then, so a commit's effective time is the least of its own and those of all later turns. If the clock jumps
//! forward again, to where it was before the turn or further, it was the turn that was wrong: what was committed in
//! between is then taken to have happened right before it. So effective times never go back.

use bytes::Bytes;

/// Most turns and detours that are remembered; the oldest are forgotten.
const TURNS_MAX: usize = 64;
const TURN_BYTES: usize = 24;

/// The places where the times of commits go back.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Turns {
    /// In order.
    turns: Vec<Turn>,
    /// In order, and apart from each other.
    detours: Vec<Detour>,
}

/// A commit whose time is earlier than that of the commit before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Turn {
    sequence: u64,
    time_ms: u64,
    /// The time of the commit before it; [`NEVER_MS`] once that time has come without a jump, so that the turn was right.
    before_ms: u64,
}

/// No commit has this time.
const NEVER_MS: u64 = u64::MAX;

/// Commits that were given times that are too early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Detour {
    first: u64,
    /// The first commit behind it.
    end: u64,
    /// The time right before it.
    time_ms: u64,
}

/// A commit that may be a turn, or the end of one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NewCommit {
    pub(crate) sequence: u64,
    pub(crate) time_ms: u64,
    /// The time of the commit before it.
    pub(crate) before_ms: u64,
    /// Whether the clock has jumped since.
    pub(crate) follows_jump: bool,
}

impl Turns {
    /// When a commit with this number and time happened, as far as that can be told.
    pub(crate) fn effective_ms(&self, sequence: u64, time_ms: u64) -> u64 {
        let is_in = |detour: &&Detour| (detour.first..detour.end).contains(&sequence);
        let own_ms = self.detours.iter().find(is_in).map_or(time_ms, |detour| detour.time_ms);
        let later = self.turns.iter().rev().take_while(|turn| turn.sequence > sequence);
        later.map(|turn| turn.time_ms).fold(own_ms, u64::min)
    }

    /// Whether a commit of this time may be the end of a turn.
    pub(crate) fn may_end_by(&self, time_ms: u64) -> bool {
        self.turns.iter().any(|turn| turn.before_ms <= time_ms)
    }

    /// The turns after one more commit; `None` if it changes nothing.
    pub(crate) fn after(&self, commit: NewCommit) -> Option<Turns> {
        let NewCommit { sequence, time_ms, before_ms, follows_jump } = commit;
        let mut next = self.clone();
        if time_ms < before_ms {
            next.turns.push(Turn { sequence, time_ms, before_ms });
        } else if follows_jump {
            while let Some(turn) = next.turns.pop_if(|turn| turn.before_ms <= time_ms) {
                next.detours.retain(|detour| detour.first < turn.sequence);
                next.detours.push(Detour { first: turn.sequence, end: sequence, time_ms: turn.before_ms });
            }
        } else {
            for turn in next.turns.iter_mut().filter(|turn| turn.before_ms <= time_ms) {
                turn.before_ms = NEVER_MS;
            }
        }
        let surplus = |len: usize| len.saturating_sub(TURNS_MAX);
        next.turns.drain(..surplus(next.turns.len()));
        next.detours.drain(..surplus(next.detours.len()));
        (next != *self).then_some(next)
    }

    /// As stored.
    pub(crate) fn encode(&self) -> Bytes {
        let turns = self.turns.iter().map(|turn| [turn.sequence, turn.time_ms, turn.before_ms]);
        let detours = self.detours.iter().map(|detour| [detour.first, detour.end, detour.time_ms]);
        let count = u32::try_from(self.turns.len()).unwrap_or(u32::MAX);
        let mut bytes = count.to_be_bytes().to_vec();
        bytes.extend(turns.chain(detours).flatten().flat_map(u64::to_be_bytes));
        bytes.into()
    }

    /// Reads what was stored; `None` if it makes no sense.
    pub(crate) fn decode(stored: &[u8]) -> Option<Turns> {
        let (count, rest) = stored.split_first_chunk()?;
        let count = usize::try_from(u32::from_be_bytes(*count)).ok()?;
        let (triples, []) = rest.as_chunks::<TURN_BYTES>() else { return None };
        let (turns, detours) = triples.split_at_checked(count)?;
        let triple = |bytes: &[u8; TURN_BYTES]| {
            let (numbers, _) = bytes.as_chunks();
            let [first, second, third] = numbers else { return None };
            Some((u64::from_be_bytes(*first), u64::from_be_bytes(*second), u64::from_be_bytes(*third)))
        };
        let turn =
            |bytes| triple(bytes).map(|(sequence, time_ms, before_ms)| Turn { sequence, time_ms, before_ms });
        let detour = |bytes| triple(bytes).map(|(first, end, time_ms)| Detour { first, end, time_ms });
        Some(Turns {
            turns: turns.iter().map(turn).collect::<Option<_>>()?,
            detours: detours.iter().map(detour).collect::<Option<_>>()?,
        })
    }
}

/// The present: the time, and how the times of commits are to be read.
#[derive(Debug, Clone)]
pub(crate) struct Now {
    pub(crate) ms: u64,
    turns: std::sync::Arc<Turns>,
}

impl Now {
    pub(crate) fn new(ms: u64, turns: &std::sync::Arc<Turns>) -> Self {
        Now { ms, turns: turns.clone() }
    }

    /// When a commit with this number and time happened.
    pub(crate) fn effective_ms(&self, sequence: u64, time_ms: u64) -> u64 {
        self.turns.effective_ms(sequence, time_ms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The turns that commits 1, 2, 3, … with these times make; `true` stands for a jump before a commit.
    fn turns(times: &[(u64, bool)]) -> Turns {
        let mut turns = Turns::default();
        let mut before_ms = 0;
        for (sequence, &(time_ms, follows_jump)) in (1..).zip(times) {
            let commit = NewCommit { sequence, time_ms, before_ms, follows_jump };
            turns = turns.after(commit).unwrap_or(turns);
            before_ms = time_ms;
        }
        turns
    }

    fn effective(times: &[(u64, bool)]) -> Vec<u64> {
        let turns = turns(times);
        (1..).zip(times).map(|(sequence, (time_ms, _))| turns.effective_ms(sequence, *time_ms)).collect()
    }

    #[test]
    fn what_was_committed_in_the_future_happened_before_the_clock_came_back() {
        let times = [(10, false), (900, true), (910, false), (13, true), (20, false)];
        assert_eq!(effective(&times), [10, 13, 13, 13, 20]);
    }

    #[test]
    fn what_was_committed_before_a_wrong_turn_keeps_its_time() {
        let times = [(10, false), (20, false), (3, true), (4, false), (25, true), (26, false)];
        assert_eq!(effective(&times), [10, 20, 20, 20, 25, 26]);
        // Before it is known that the turn was wrong, it is believed.
        assert_eq!(effective(&times[..4]), [3, 3, 3, 4]);
    }

    #[test]
    fn time_that_passes_does_not_undo_a_turn() {
        assert_eq!(effective(&[(10, false), (20, false), (12, true), (25, false)]), [10, 12, 12, 25]);
    }

    #[test]
    fn a_later_jump_does_not_undo_a_turn_that_was_right() {
        let times = [(10, false), (20, false), (12, true), (25, false), (30, false), (90, true), (35, true)];
        assert_eq!(effective(&times), [10, 12, 12, 25, 30, 35, 35]);
    }

    #[test]
    fn turns_within_a_wrong_turn_go_with_it() {
        let times = [(50, false), (20, true), (30, false), (10, true), (60, true)];
        assert_eq!(effective(&times), [50, 50, 50, 50, 60]);
    }

    proptest::proptest! {
        #[test]
        fn effective_times_never_go_back(
            times in proptest::collection::vec((0u64..40, proptest::bool::ANY), 0..40),
        ) {
            let effective = effective(&times);
            proptest::prop_assert!(effective.is_sorted(), "{times:?} {effective:?}");
        }

        #[test]
        fn turns_are_read_back(
            times in proptest::collection::vec((0u64..40, proptest::bool::ANY), 0..200),
        ) {
            let turns = turns(&times);
            proptest::prop_assert!(turns.turns.len() <= TURNS_MAX && turns.detours.len() <= TURNS_MAX);
            proptest::prop_assert_eq!(Turns::decode(&turns.encode()), Some(turns));
        }
    }
}
