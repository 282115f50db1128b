//! The true times of commits, in spite of a clock that jumps.
//!
//! Commits are ordered by their sequence numbers, and their times are only annotations. The times lie on one line as
//! long as the clock runs steadily. A *turn* is the first commit on another line: the clock has jumped, or it was
//! earlier than the last commit when the database was opened. The commits between two turns are a *stretch*.
//!
//! The latest stretch is trusted. An earlier stretch is trusted unless its times end after a later trusted stretch
//! began: a later commit with an earlier time proves that everything before it happened by then. If the clock jumped
//! away from a stretch that contradicts the ones before it, and the jump is large enough to explain the
//! contradiction, then that stretch was wrong. The times of untrusted commits are limited to the bounds that the
//! trusted ones leave. So effective times never go back.

use bytes::Bytes;

use crate::store::{ClockEvent, Opening, STEP_MS_MAX};

/// The most turns that are stored. When the oldest are forgotten, the commits around them keep their recorded times.
const TURNS_MAX: usize = 256;
const TURN_BYTES: usize = 32;
/// The first number of the stored form. Earlier versions stored the number of turns there, which was never this
/// large.
const LAYOUT: u32 = 0xffff_0002;
/// Represents a jump of unknown size.
const UNKNOWN_MS: i64 = i64::MIN;

/// The places where the clock jumped, and the effective times that follow from them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Turns {
    /// In order.
    turns: Vec<Turn>,
    /// The commits before, between and after the turns, in order.
    stretches: Vec<Stretch>,
}

/// The first commit on another line of the clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Turn {
    sequence: u64,
    time_ms: u64,
    /// The time of the commit before it.
    before_ms: u64,
    /// The size of the jump; `None` if it is unknown, because the database was opened in between.
    jump_ms: Option<i64>,
}

impl Turn {
    fn at_opening(Opening { sequence, time_ms, before_ms }: Opening) -> Self {
        Turn { sequence, time_ms, before_ms, jump_ms: None }
    }
}

/// A commit that may be a turn.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NewCommit {
    pub(crate) sequence: u64,
    pub(crate) time_ms: u64,
    /// The time of the commit before it.
    pub(crate) before_ms: u64,
    /// The events of the clock since that commit.
    pub(crate) clock: ClockEvent,
    /// The first commit since the database was opened, if this isn't it.
    pub(crate) opening: Option<Opening>,
}

/// Commits between two turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stretch {
    first: u64,
    first_ms: u64,
    last_ms: u64,
    /// The number of turns at openings before it. Only clocks of one opening can be compared.
    opening: usize,
    /// How far the clock is ahead of its line at that opening.
    ahead_ms: i64,
    /// The bounds of its effective times.
    earliest_ms: u64,
    latest_ms: u64,
}

impl Stretch {
    /// Whether the clock jumped between the two and hasn't come back.
    fn is_off_line(&self, other: &Stretch) -> bool {
        self.opening == other.opening && self.ahead_ms.abs_diff(other.ahead_ms) > STEP_MS_MAX
    }

    fn effective_ms(&self, time_ms: u64) -> u64 {
        time_ms.min(self.latest_ms).max(self.earliest_ms)
    }
}

impl Turns {
    fn new(turns: Vec<Turn>) -> Self {
        let stretches = if turns.is_empty() { Vec::new() } else { bound(stretches(&turns)) };
        Turns { turns, stretches }
    }

    /// Returns the best estimate of the true time of a commit.
    pub(crate) fn effective_ms(&self, sequence: u64, time_ms: u64) -> u64 {
        self.stretch_of(sequence).map_or(time_ms, |stretch| stretch.effective_ms(time_ms))
    }

    /// Returns the age of a commit. If the clock only jumped since then, without a new opening, this is the time that
    /// has really passed, whichever of the clock's times was right.
    pub(crate) fn age_ms(&self, sequence: u64, time_ms: u64, now_ms: u64) -> u64 {
        let then_ms = match (self.stretch_of(sequence), self.stretches.last()) {
            (Some(then), Some(now)) if then.opening == now.opening => {
                time_ms.saturating_add_signed(now.ahead_ms.saturating_sub(then.ahead_ms))
            }
            (Some(then), _) => then.effective_ms(time_ms),
            (None, _) => time_ms,
        };
        now_ms.saturating_sub(then_ms)
    }

    fn stretch_of(&self, sequence: u64) -> Option<&Stretch> {
        let behind = self.stretches.partition_point(|stretch| stretch.first <= sequence);
        self.stretches.get(behind.saturating_sub(1))
    }

    /// Returns the turns after one more commit, or `None` if it isn't a turn.
    ///
    /// Jumps in one opening say nothing about the clock in another. So the first commit of an opening is a turn too
    /// if the clock jumped in that opening or in the one before.
    pub(crate) fn after(&self, commit: NewCommit) -> Option<Turns> {
        let NewCommit { sequence, time_ms, before_ms, clock, opening } = commit;
        let last = self.turns.last();
        let jump_ms = match clock {
            ClockEvent::Jumped { by_ms } => Some(by_ms),
            ClockEvent::Opened if last.is_some_and(|last| last.jump_ms.is_some()) => None,
            // A clock that goes back without a jump gives no information.
            _ if time_ms < before_ms => None,
            _ => return None,
        };
        let mut turns = self.turns.clone();
        let is_known = |opening: &Opening| last.is_some_and(|last| last.sequence >= opening.sequence);
        if let Some(opening) = opening.filter(|opening| jump_ms.is_some() && !is_known(opening)) {
            turns.push(Turn::at_opening(opening));
        }
        turns.push(Turn { sequence, time_ms, before_ms, jump_ms });
        turns.drain(..turns.len().saturating_sub(TURNS_MAX));
        Some(Turns::new(turns))
    }

    /// Encodes the turns for storage.
    pub(crate) fn encode(&self) -> Bytes {
        let mut bytes = LAYOUT.to_be_bytes().to_vec();
        for turn in &self.turns {
            bytes
                .extend([turn.sequence, turn.time_ms, turn.before_ms].into_iter().flat_map(u64::to_be_bytes));
            bytes.extend(turn.jump_ms.unwrap_or(UNKNOWN_MS).to_be_bytes());
        }
        bytes.into()
    }

    /// Decodes stored turns; `None` if they are invalid.
    pub(crate) fn decode(stored: &[u8]) -> Option<Turns> {
        let (layout, rest) = stored.split_first_chunk()?;
        let layout = u32::from_be_bytes(*layout);
        if layout != LAYOUT {
            return decode_earlier(layout, rest);
        }
        let (turns, []) = rest.as_chunks::<TURN_BYTES>() else { return None };
        let turn = |bytes: &[u8; TURN_BYTES]| {
            let (numbers, _) = bytes.as_chunks();
            let [sequence, time_ms, before_ms, jump_ms] = numbers else { return None };
            let jump_ms = Some(i64::from_be_bytes(*jump_ms)).filter(|jump_ms| *jump_ms != UNKNOWN_MS);
            Some(Turn { jump_ms, ..turn_of(sequence, time_ms, before_ms) })
        };
        Some(Turns::new(turns.iter().map(turn).collect::<Option<_>>()?))
    }
}

/// Decodes turns and detours of an earlier version, three numbers each. A detour is a range of commits that all count
/// as of one time. Turns to that time at both ends say the same.
fn decode_earlier(count: u32, stored: &[u8]) -> Option<Turns> {
    let (triples, []) = stored.as_chunks::<24>() else { return None };
    let triple = |bytes: &[u8; 24]| {
        let (numbers, _) = bytes.as_chunks();
        let [first, second, third] = numbers else { return None };
        Some(turn_of(first, second, third))
    };
    let triples = triples.iter().map(triple).collect::<Option<Vec<Turn>>>()?;
    let (turns, detours) = triples.split_at_checked(usize::try_from(count).ok()?)?;
    let mut read: Vec<Turn> = turns.to_vec();
    for turn in read.iter_mut().filter(|turn| turn.before_ms == u64::MAX) {
        // It represented a time that was no longer needed.
        turn.before_ms = turn.time_ms;
    }
    for detour in detours {
        let (first, end, counts_ms) = (detour.sequence, detour.time_ms, detour.before_ms);
        let at = |sequence| Turn { sequence, time_ms: counts_ms, before_ms: counts_ms, jump_ms: None };
        read.extend([at(first), at(end)]);
    }
    read.sort_by_key(|turn| turn.sequence);
    Some(Turns::new(read))
}

fn turn_of(sequence: &[u8; 8], time_ms: &[u8; 8], before_ms: &[u8; 8]) -> Turn {
    Turn {
        sequence: u64::from_be_bytes(*sequence),
        time_ms: u64::from_be_bytes(*time_ms),
        before_ms: u64::from_be_bytes(*before_ms),
        jump_ms: None,
    }
}

/// The commits before, between and after these turns, without bounds.
fn stretches(turns: &[Turn]) -> Vec<Stretch> {
    let mut stretch =
        Stretch { first: 0, first_ms: 0, last_ms: 0, opening: 0, ahead_ms: 0, earliest_ms: 0, latest_ms: 0 };
    let mut stretches = Vec::with_capacity(turns.len() + 1);
    for turn in turns {
        stretches.push(Stretch { last_ms: turn.before_ms, ..stretch });
        let (opening, ahead_ms) = match turn.jump_ms {
            Some(jump_ms) => (stretch.opening, stretch.ahead_ms.saturating_add(jump_ms)),
            None => (stretch.opening + 1, 0),
        };
        stretch = Stretch { first: turn.sequence, first_ms: turn.time_ms, opening, ahead_ms, ..stretch };
    }
    stretches.push(Stretch { last_ms: u64::MAX, ..stretch });
    stretches
}

/// Computes the bounds of stretches from the trusted ones among them.
fn bound(mut stretches: Vec<Stretch>) -> Vec<Stretch> {
    let is_believed = believed(&stretches);
    let mut earliest_ms = 0;
    for (stretch, is_believed) in stretches.iter_mut().zip(&is_believed) {
        stretch.earliest_ms = earliest_ms;
        if *is_believed {
            earliest_ms = stretch.last_ms;
        }
    }
    let mut latest_ms = u64::MAX;
    for stretch in stretches.iter_mut().rev() {
        stretch.latest_ms = latest_ms;
        latest_ms = stretch.effective_ms(stretch.first_ms);
    }
    stretches
}

/// Returns which stretches are trusted.
fn believed(stretches: &[Stretch]) -> Vec<bool> {
    let mut is_believed = vec![true; stretches.len()];
    let Some((mut line, earlier)) = stretches.split_last() else { return is_believed };
    let mut until_ms = line.first_ms;
    for (place, stretch) in earlier.iter().enumerate().rev() {
        // Its beginning, on the trusted line.
        let began_ms = stretch.first_ms.saturating_add_signed(line.ahead_ms.saturating_sub(stretch.ahead_ms));
        let is_contradicted = |other: &Stretch| {
            let is_explained = other.last_ms <= began_ms.saturating_add(STEP_MS_MAX);
            let is_later = stretch.first_ms < other.last_ms && other.last_ms <= until_ms;
            is_later && is_explained && !other.is_off_line(line)
        };
        let is_wrong_turn = stretch.is_off_line(line) && earlier.iter().take(place).any(is_contradicted);
        let (begins_by_then, ends_by_then) = (stretch.first_ms <= until_ms, stretch.last_ms <= until_ms);
        if begins_by_then && !is_wrong_turn {
            until_ms = stretch.first_ms;
        }
        if ends_by_then && !is_wrong_turn {
            line = stretch;
        } else if let Some(is_believed) = is_believed.get_mut(place) {
            *is_believed = false;
        }
    }
    is_believed
}

/// The present time, with the turns that give the true times of commits.
#[derive(Debug, Clone)]
pub(crate) struct Now {
    pub(crate) ms: u64,
    turns: std::sync::Arc<Turns>,
}

impl Now {
    pub(crate) fn new(ms: u64, turns: &std::sync::Arc<Turns>) -> Self {
        Now { ms, turns: turns.clone() }
    }

    /// Returns the best estimate of the true time of a commit.
    pub(crate) fn effective_ms(&self, sequence: u64, time_ms: u64) -> u64 {
        self.turns.effective_ms(sequence, time_ms)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The event of the clock before a commit.
    #[derive(Debug, Clone, Copy, PartialEq)]
    enum Event {
        /// A second passed.
        Passes,
        /// A second passed, and the clock jumped.
        Jumps,
        /// The database was opened.
        Opens,
    }
    use Event::{Jumps, Opens, Passes};

    /// The turns that commits 1, 2, 3, … with these times make, in seconds.
    fn turns(commits: &[(u64, Event)]) -> Turns {
        let mut turns = Turns::default();
        let mut before_ms = 0_u64;
        let mut opening = None;
        for (sequence, &(second, event)) in (1..).zip(commits) {
            let time_ms = second * 1000;
            let by_ms = time_ms.cast_signed() - before_ms.cast_signed() - 1000;
            let clock = match event {
                Passes => ClockEvent::Kept,
                Jumps => ClockEvent::Jumped { by_ms },
                Opens => ClockEvent::Opened,
            };
            let commit = NewCommit { sequence, time_ms, before_ms, clock, opening };
            turns = turns.after(commit).unwrap_or(turns);
            if opening.is_none() || event == Opens {
                opening = Some(Opening { sequence, time_ms, before_ms });
            }
            before_ms = time_ms;
        }
        turns
    }

    fn effective(commits: &[(u64, Event)]) -> Vec<u64> {
        let turns = turns(commits);
        let effective_ms =
            |(sequence, commit): (u64, &(u64, Event))| turns.effective_ms(sequence, commit.0 * 1000);
        (1..).zip(commits).map(|commit| effective_ms(commit) / 1000).collect()
    }

    #[test]
    fn what_was_committed_in_the_future_happened_before_the_clock_came_back() {
        for back in [Jumps, Opens] {
            let commits = [(10, Passes), (900, Jumps), (910, Passes), (13, back), (20, Passes)];
            assert_eq!(effective(&commits), [10, 13, 13, 13, 20]);
        }
    }

    #[test]
    fn what_was_committed_before_a_wrong_turn_keeps_its_time() {
        for turn in [Jumps, Opens] {
            let commits =
                [(100, Passes), (200, Passes), (30, turn), (40, Passes), (212, Jumps), (260, Passes)];
            assert_eq!(effective(&commits), [100, 200, 200, 200, 212, 260]);
            // Until the turn is known to be wrong, it is trusted.
            assert_eq!(effective(&commits[..4]), [30, 30, 30, 40]);
        }
    }

    #[test]
    fn time_that_passes_does_not_undo_a_turn() {
        let commits = [(100, Passes), (200, Passes), (120, Jumps), (250, Passes)];
        assert_eq!(effective(&commits), [100, 120, 120, 250]);
    }

    #[test]
    fn a_later_jump_does_not_undo_a_turn_that_was_right() {
        let commits = [
            (100, Passes),
            (200, Passes),
            (120, Jumps),
            (250, Passes),
            (300, Passes),
            (900, Jumps),
            (350, Jumps),
        ];
        assert_eq!(effective(&commits), [100, 120, 120, 250, 300, 350, 350]);
    }

    #[test]
    fn a_second_error_does_not_bring_back_the_first_one() {
        let commits = [(86, Passes), (200, Jumps), (235, Passes), (107, Opens), (150, Passes), (263, Jumps)];
        // The second jump is too short to explain the first error.
        assert_eq!(effective(&commits), [86, 107, 107, 107, 150, 263]);
        let right = [&commits[..], &[(216, Opens), (230, Passes)]].concat();
        assert_eq!(effective(&right), [86, 107, 107, 107, 150, 216, 216, 230]);
    }

    #[test]
    fn a_short_jump_brings_no_refuted_clock_back() {
        let commits = [
            (100, Passes),
            (86_500, Opens),
            (120, Opens),
            (50_000, Passes),
            (90_000, Passes),
            (100_801, Jumps),
        ];
        assert_eq!(effective(&commits), [100, 120, 120, 50_000, 90_000, 100_801]);
    }

    #[test]
    fn a_jump_says_nothing_of_commits_before_the_opening() {
        // The clock is found forty days ahead, and comes back.
        let commits = [(1_000, Passes), (3_456_100, Opens), (1_102, Jumps)];
        let turns = turns(&commits);
        assert_eq!(turns.age_ms(1, 1_000_000, 1_102_000), 102_000);
        assert_eq!(turns.age_ms(2, 3_456_100_000, 1_102_000), 1_000);
    }

    #[test]
    fn turns_within_a_wrong_turn_go_with_it() {
        let commits = [(500, Passes), (200, Jumps), (300, Passes), (100, Jumps), (603, Jumps)];
        assert_eq!(effective(&commits), [500, 500, 500, 500, 603]);
    }

    #[test]
    fn jumps_make_nothing_older_or_younger_while_the_database_is_open() {
        let commits = [(1_000, Passes), (90_000, Jumps), (5, Jumps), (6, Passes), (40_000, Jumps)];
        let turns = turns(&commits);
        let ages: Vec<u64> = (1..)
            .zip(&commits)
            .map(|(sequence, commit)| turns.age_ms(sequence, commit.0 * 1000, 40_000_000))
            .collect();
        assert_eq!(ages, [4_000, 3_000, 2_000, 1_000, 0]);
    }

    #[test]
    fn turns_of_earlier_versions_are_read() {
        let numbers = [[7, 13, 910], [9, 20, u64::MAX], [2, 3, 4]];
        let mut stored = 2_u32.to_be_bytes().to_vec();
        stored.extend(numbers.iter().flatten().flat_map(|number| number.to_be_bytes()));
        let turns = Turns::decode(&stored).expect("two turns and a detour");
        assert_eq!([5, 7, 8].map(|sequence| turns.effective_ms(sequence, 15)), [13, 15, 15]);
        assert_eq!(turns.effective_ms(2, 1), 4, "within the detour");
        assert_eq!(Turns::decode(&stored[1..]), None);
    }

    fn an_event() -> impl Strategy<Value = Event> {
        prop_oneof![3 => Just(Passes), 1 => Just(Jumps), 1 => Just(Opens)]
    }

    /// Commits by a clock that is right at the beginning and at the end, and sometimes wrong in between. It gets
    /// ahead by a jump or at an opening, and comes back in either way. It gets behind in either way too, but comes
    /// back only by a jump, because otherwise nothing would show it. The second number is the true time.
    fn commits_by_a_clock_that_errs() -> impl Strategy<Value = Vec<(u64, u64, Event)>> {
        let a_stretch =
            (0..2u8, 100..100_000u64, any::<bool>(), any::<bool>(), 1..4u64, 1..4u64, 1..200_000u64);
        proptest::collection::vec(a_stretch, 0..12).prop_map(|stretches| {
            let mut commits = vec![(200_000, 200_000, Passes)];
            for (direction, error, begins_open, ends_open, wrong, right, pause) in stretches {
                let is_behind = direction == 0;
                let event = |is_first, opens| match (is_first, opens) {
                    (true, true) => Opens,
                    (true, false) => Jumps,
                    _ => Passes,
                };
                for place in 0..wrong + right {
                    let is_wrong = place < wrong;
                    let passes = if place > wrong { pause } else { 1 };
                    let now = commits.last().map_or(0, |commit: &(u64, u64, Event)| commit.1) + passes;
                    let opens = if is_wrong { begins_open } else { ends_open && !is_behind };
                    let shown = match (is_wrong, is_behind) {
                        (false, _) => now,
                        (true, false) => now + error,
                        (true, true) => now - error.min(150_000),
                    };
                    commits.push((shown, now, event(place == 0 || place == wrong, opens)));
                }
            }
            commits
        })
    }

    proptest! {
        #[test]
        fn commits_by_a_right_clock_keep_their_times(commits in commits_by_a_clock_that_errs()) {
            let shown: Vec<_> = commits.iter().map(|(shown, _, event)| (*shown, *event)).collect();
            for ((shown, now, _), effective) in commits.iter().zip(effective(&shown)) {
                prop_assert!(shown != now || *now == effective, "{effective} of {now}: {commits:?}");
            }
        }

        #[test]
        fn effective_times_never_go_back(
            commits in proptest::collection::vec((0u64..40_000, an_event()), 0..40),
        ) {
            // The clock stands still after a step back, and goes back only by a jump or at an opening.
            let mut shown = Vec::new();
            let mut last = 0;
            for (second, event) in commits {
                last = if event == Passes { last + second % 100 } else { second };
                shown.push((last, event));
            }
            let effective = effective(&shown);
            prop_assert!(effective.is_sorted(), "{shown:?} {effective:?}");
        }

        #[test]
        fn turns_are_read_back(
            commits in proptest::collection::vec((0u64..40_000, an_event()), 0..200),
        ) {
            let turns = turns(&commits);
            prop_assert!(turns.turns.len() <= TURNS_MAX);
            prop_assert_eq!(Turns::decode(&turns.encode()), Some(turns));
        }
    }
}
