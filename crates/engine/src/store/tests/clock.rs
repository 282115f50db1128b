//! The time that the store goes by, whatever the wall clock does.

use std::sync::Arc;

use super::fixture::logged;
use crate::store::{ManualClock, Timekeeper};

const START_MS: u64 = 1_700_000_000_000;
const DAY_MS: u64 = 86_400_000;
const SETTLE_MS: u64 = 600_000;

fn keeper(last_ms: Option<u64>) -> (Timekeeper, Arc<ManualClock>) {
    let clock = Arc::new(ManualClock::new(START_MS));
    (Timekeeper::new(clock.clone(), last_ms, SETTLE_MS), clock)
}

#[test]
fn small_steps_are_followed_and_jumps_are_not() {
    let (time, clock) = keeper(None);
    clock.jump_ms(5_000);
    assert_eq!(time.now_ms(), START_MS + 5_000);
    clock.jump_ms(-5_000);
    assert_eq!(time.now_ms(), START_MS);
    for by_ms in [DAY_MS.cast_signed(), -(DAY_MS.cast_signed()), i64::MAX, i64::MIN] {
        let (time, clock) = keeper(None);
        clock.jump_ms(by_ms);
        assert_eq!(time.now_ms(), START_MS);
        clock.advance_ms(3_000);
        assert_eq!(time.now_ms(), START_MS + 3_000);
    }
}

#[test]
fn a_jump_is_believed_after_the_settle_period() {
    for by_ms in [DAY_MS.cast_signed(), -(DAY_MS.cast_signed())] {
        let (time, clock) = keeper(None);
        clock.jump_ms(by_ms);
        time.now_ms();
        clock.advance_ms(SETTLE_MS - 1);
        assert_eq!(time.now_ms(), START_MS + SETTLE_MS - 1);
        clock.advance_ms(1);
        assert_eq!(time.now_ms(), (START_MS + SETTLE_MS).saturating_add_signed(by_ms));
        assert!(!time.is_noted(), "the order of commits is to know");
        assert!(!time.may_delete());
        time.note(&time.read());
        assert!(time.may_delete());
    }
}

#[test]
fn a_jump_is_logged_when_it_is_seen_and_when_it_is_believed() {
    let (time, clock) = keeper(None);
    let log = || logged(|| _ = time.now_ms());
    assert_eq!(log(), "");
    clock.jump_ms(DAY_MS.cast_signed());
    let jumped = log();
    assert!(jumped.contains("the wall clock jumped") && jumped.contains("by_ms=86400000"), "{jumped}");
    assert_eq!(log(), "", "once");
    clock.advance_ms(SETTLE_MS);
    let believed = log();
    assert!(believed.contains("is trusted now"), "{believed}");
}

#[test]
fn each_jump_is_counted_once_and_begins_the_period_anew() {
    let (time, clock) = keeper(None);
    for by_ms in [DAY_MS.cast_signed(), 2 * DAY_MS.cast_signed(), -(DAY_MS.cast_signed())] {
        clock.jump_ms(by_ms);
        for _ in 0..3 {
            time.now_ms();
            clock.advance_ms(SETTLE_MS / 4);
        }
    }
    assert_eq!(time.now_ms(), START_MS + 9 * (SETTLE_MS / 4), "none is believed yet");
    assert_eq!(time.jumps(), (3, 0, true), "all of them lie ahead of the time");
    clock.jump_ms(-2 * DAY_MS.cast_signed());
    assert_eq!(time.now_ms(), START_MS + 9 * (SETTLE_MS / 4));
    assert_eq!(time.jumps(), (3, 0, false), "coming back is no jump");
}

#[test]
fn a_clock_is_proven_before_anything_is_deleted_after_a_long_break() {
    for (last_ms, may_delete) in [
        (None, true),
        (Some(START_MS - DAY_MS), true),
        (Some(START_MS - DAY_MS - 1), false),
        (Some(START_MS + 5_000), true),
        (Some(START_MS + 5_001), false),
    ] {
        let (time, clock) = keeper(last_ms);
        assert_eq!(time.may_delete(), may_delete, "{last_ms:?}");
        assert_eq!(time.now_ms(), START_MS, "{last_ms:?}");
        clock.advance_ms(SETTLE_MS);
        assert!(time.may_delete(), "{last_ms:?}");
    }
}

#[test]
fn a_clock_that_was_wrong_at_opening_is_followed_when_it_is_set_right() {
    let (time, clock) = keeper(Some(START_MS - 2 * DAY_MS));
    clock.jump_ms(-(DAY_MS.cast_signed()));
    assert_eq!(time.now_ms(), START_MS - DAY_MS);
    time.note(&time.read());
    clock.advance_ms(SETTLE_MS - 1);
    assert!(!time.may_delete(), "the new line is to be proven, too");
    clock.advance_ms(1);
    assert!(time.may_delete());
}

#[test]
fn a_clock_that_loses_its_time_is_doubted_for_as_long_as_that_lasts() {
    let (time, clock) = keeper(None);
    clock.jump_ms(-(START_MS.cast_signed()));
    time.now_ms();
    clock.advance_ms(5 * SETTLE_MS);
    assert_eq!(time.now_ms(), START_MS + 5 * SETTLE_MS);
    clock.jump_ms(START_MS.cast_signed());
    assert_eq!(time.now_ms(), START_MS + 5 * SETTLE_MS);
    // Another jump is one like any other.
    clock.jump_ms(DAY_MS.cast_signed());
    assert_eq!(time.now_ms(), START_MS + 5 * SETTLE_MS);
    assert_eq!(time.jumps(), (1, 1, true));
}

#[test]
fn a_clock_without_a_battery_is_not_followed_before_it_is_set() {
    let clock = Arc::new(ManualClock::new(0));
    let time = Timekeeper::new(clock.clone(), Some(START_MS), SETTLE_MS);
    assert_eq!(time.now_ms(), START_MS);
    clock.advance_ms(5 * SETTLE_MS);
    assert_eq!(time.now_ms(), START_MS + 5 * SETTLE_MS);
    assert!(!time.may_delete());
    clock.set_ms(5 * SETTLE_MS);
    clock.jump_ms((START_MS + 7 * DAY_MS).cast_signed());
    assert_eq!(time.now_ms(), START_MS + 7 * DAY_MS + 5 * SETTLE_MS);
}
