//! One seed gives one execution; what can't go on, or has no end, is found.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a failing test panics")]

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use singlet_scheduler::mpsc::{RecvTimeoutError, sync_channel};
use singlet_scheduler::sync::{Condvar, Mutex};
use singlet_scheduler::time::Instant;
use singlet_scheduler::{Settings, note, run, thread};

/// Three threads write their letters into one list.
fn letters(seed: u64) -> (String, u64) {
    let execution = run(Settings::new(seed), || {
        let list = Arc::new(Mutex::new(String::new()));
        let writers: Vec<_> = ["a", "b", "c"]
            .map(|letter| {
                let list = list.clone();
                thread::spawn(letter, move || {
                    for _ in 0..3 {
                        list.lock().unwrap().push_str(letter);
                        note(format_args!("wrote {letter}"));
                    }
                })
            })
            .into();
        for writer in writers {
            writer.join().unwrap();
        }
        let list = list.lock().unwrap().clone();
        Ok(list)
    });
    (execution.result.unwrap(), execution.digest)
}

#[test]
fn the_same_seed_gives_the_same_execution_and_others_give_others() {
    let mut seen = BTreeSet::new();
    for seed in 0..50 {
        let first = letters(seed);
        assert_eq!(first, letters(seed), "seed {seed}");
        seen.insert(first.0);
    }
    assert!(seen.len() > 20, "{seen:?}");
}

#[test]
fn two_threads_that_wait_for_each_other_are_found() {
    let is_found = |seed: &u64| {
        let execution = run(Settings::new(*seed), || {
            let locks = Arc::new((Mutex::new(()), Mutex::new(())));
            let other = locks.clone();
            let thread = thread::spawn("other", move || {
                let _second = other.1.lock().unwrap();
                let _first = other.0.lock().unwrap();
            });
            {
                let _first = locks.0.lock().unwrap();
                let _second = locks.1.lock().unwrap();
            }
            thread.join().unwrap();
            Ok(())
        });
        execution.result.is_err_and(|finding| finding.contains("other waits for a lock"))
    };
    assert!((0..100).any(|seed| is_found(&seed)));
}

#[test]
fn a_wakeup_that_comes_before_the_wait_is_found_lost() {
    let is_found = |seed: &u64| {
        let execution = run(Settings::new(*seed), || {
            let shared = Arc::new((Mutex::new(false), Condvar::new()));
            let other = shared.clone();
            let thread = thread::spawn("waker", move || {
                *other.0.lock().unwrap() = true;
                other.1.notify_one();
            });
            // Looking and waiting under two locks instead of one is the mistake.
            if !*shared.0.lock().unwrap() {
                drop(shared.1.wait(shared.0.lock().unwrap()).unwrap());
            }
            thread.join().unwrap();
            Ok(())
        });
        execution.result.is_err_and(|finding| finding.contains("main waits for a condition"))
    };
    assert!((0..200).any(|seed| is_found(&seed)));
}

#[test]
fn waits_end_when_virtual_time_is_over_and_never_before() {
    for seed in 0..50 {
        let execution = run(Settings::new(seed), || {
            let (sender, receiver) = sync_channel::<()>(1);
            let begun = Instant::now();
            let waited = receiver.recv_timeout(Duration::from_secs(3600));
            assert_eq!(waited, Err(RecvTimeoutError::Timeout));
            assert!(begun.elapsed() >= Duration::from_secs(3600));
            drop(sender);
            assert_eq!(receiver.recv_timeout(Duration::from_secs(3600)), Err(RecvTimeoutError::Disconnected));
            Ok(())
        });
        execution.result.unwrap();
    }
}

#[test]
fn a_panic_in_any_thread_and_a_run_without_end_are_findings() {
    let panicked = run(Settings::new(1), || {
        let thread = thread::spawn("unlucky", || panic!("seven years"));
        thread.join().map_err(|_| "not reached".to_owned())
    });
    let finding = panicked.result.unwrap_err();
    assert!(finding.contains("unlucky") && finding.contains("seven years"), "{finding}");
    let endless = Settings { steps_max: 1000, ..Settings::new(1) };
    let endless = run::<()>(endless, || {
        loop {
            thread::sleep(Duration::from_secs(1));
        }
    });
    assert!(endless.result.unwrap_err().contains("no end"));
}

#[test]
fn messages_come_in_order_and_a_full_channel_waits() {
    for seed in 0..50 {
        let execution = run(Settings::new(seed), || {
            let (sender, receiver) = sync_channel(2);
            let thread = thread::spawn("sender", move || {
                for number in 0..10 {
                    sender.send(number).unwrap();
                }
            });
            let received: Vec<i32> = std::iter::from_fn(|| receiver.recv().ok()).collect();
            thread.join().unwrap();
            Ok(received)
        });
        assert_eq!(execution.result.unwrap(), (0..10).collect::<Vec<_>>());
    }
}
