//! The baton: who runs, who waits for what, and what time it is.

use std::any::Any;
use std::cell::RefCell;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, Once, PoisonError};

use crate::Random;

/// Nobody has the baton: the execution is over, and who still waits for it waits for ever.
const NOBODY: usize = usize::MAX;
/// A step takes up to so long.
const STEP_NS_MAX: u64 = 20_000;

/// How an execution goes.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Decides everything.
    pub seed: u64,
    /// The baton is passed on at one in so many of the points where it could stay.
    pub switch_one_in: u64,
    /// At one in so many changes of threads, time jumps to the end of somebody's wait although others could run.
    pub jump_one_in: u64,
    /// After so many steps the execution is taken to have no end.
    pub steps_max: u64,
    /// Whether what happens is kept as lines of text.
    pub keeps_lines: bool,
    /// A mark for the code under test, see [`planted`].
    pub planted: Option<u32>,
}

impl Settings {
    /// The strategy that usually finds most.
    pub fn new(seed: u64) -> Self {
        Settings {
            seed,
            switch_one_in: 4,
            jump_one_in: 200,
            steps_max: 5_000_000,
            keeps_lines: false,
            planted: None,
        }
    }
}

/// The outcome of an execution.
#[derive(Debug)]
pub struct Execution<T> {
    /// The result of the first thread, or the reason why the execution was stopped.
    pub result: Result<T, String>,
    /// Of all that happened: two executions with the same digest were the same.
    pub digest: u64,
    /// How often the baton could have been passed on.
    pub steps: u64,
    /// The recorded lines, if they were to be kept.
    pub lines: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Status {
    Ready,
    Blocked,
    Finished,
}

struct Runner {
    name: String,
    handle: Option<std::thread::Thread>,
    status: Status,
    waits_for: &'static str,
    deadline_ns: Option<u64>,
    timed_out: bool,
    joiners: Vec<usize>,
}

struct State {
    random: Random,
    runners: Vec<Runner>,
    /// Those that are not finished.
    live: Vec<usize>,
    now_ns: u64,
    steps: u64,
    digest: u64,
    lines: Vec<String>,
    finding: Option<String>,
    is_over: bool,
}

/// One execution.
pub(crate) struct Baton {
    settings: Settings,
    running: AtomicUsize,
    state: Mutex<State>,
    over: Condvar,
}

thread_local! {
    static HERE: RefCell<Option<(Arc<Baton>, usize)>> = const { RefCell::new(None) };
    static LAST_PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// The execution that this thread belongs to, and its number there.
pub(crate) fn here() -> Option<(Arc<Baton>, usize)> {
    HERE.with(|here| here.borrow().clone())
}

/// Runs `body` on a first thread, and all threads that it starts, to their ends.
///
/// If a thread panics, if nobody can run any more, or if there is no end, the execution is stopped where it is: its
/// threads stay, waiting for ever.
pub fn run<T: Send + 'static>(
    settings: Settings,
    body: impl FnOnce() -> Result<T, String> + Send + 'static,
) -> Execution<T> {
    silence_panics();
    let state = State {
        random: Random::new(settings.seed),
        runners: Vec::new(),
        live: Vec::new(),
        now_ns: 0,
        steps: 0,
        digest: 0xCBF2_9CE4_8422_2325,
        lines: Vec::new(),
        finding: None,
        is_over: false,
    };
    let baton = Arc::new(Baton {
        settings,
        running: AtomicUsize::new(0),
        state: Mutex::new(state),
        over: Condvar::new(),
    });
    let result = Arc::new(Mutex::new(None));
    let started = {
        let result = result.clone();
        baton.start("main".to_owned(), move || {
            let returned = body();
            if let (Err(finding), Some((baton, _))) = (&returned, here()) {
                baton.stop(&mut baton.state(), finding.clone());
            }
            *result.lock().unwrap_or_else(PoisonError::into_inner) = Some(returned);
        })
    };
    let mut state = baton.state();
    if let Err(error) = started {
        baton.stop(&mut state, format!("no thread could be started: {error}"));
    }
    while !state.is_over {
        state = baton.over.wait(state).unwrap_or_else(PoisonError::into_inner);
    }
    let returned = result.lock().unwrap_or_else(PoisonError::into_inner).take();
    let result = match (state.finding.take(), returned) {
        (Some(finding), _) => Err(finding),
        (None, Some(returned)) => returned,
        (None, None) => Err("the first thread returned nothing".to_owned()),
    };
    let lines = std::mem::take(&mut state.lines);
    Execution { result, digest: state.digest, steps: state.steps, lines }
}

/// A point at which another thread may go on.
pub fn point() {
    if let Some((baton, me)) = here() {
        baton.point(me);
    }
}

/// Writes down what happened. It counts for the digest, and is kept if lines are.
pub fn note(what: fmt::Arguments<'_>) {
    if let Some((baton, me)) = here() {
        let text = what.to_string();
        let mut state = baton.state();
        digest(&mut state.digest, text.as_bytes());
        if baton.settings.keeps_lines {
            let (step, time_us) = (state.steps, state.now_ns / 1000);
            let name = state.runners.get(me).map_or("", |runner| runner.name.as_str());
            let line = format!("{step:>8} {time_us:>12} µs  {name:<20} {text}");
            state.lines.push(line);
        }
    }
}

/// Virtual time since the beginning; 0 outside of an execution.
pub fn now_ns() -> u64 {
    here().map_or(0, |(baton, _)| baton.state().now_ns)
}

/// The mark that the execution was given.
pub fn planted() -> Option<u32> {
    here().and_then(|(baton, _)| baton.settings.planted)
}

/// A choice by the execution's own seed, in the order in which the threads ask; 0 outside of one.
pub fn random(end: u64) -> u64 {
    here().map_or(0, |(baton, _)| baton.state().random.below(end))
}

/// Fills a buffer with bytes of the execution's own seed; leaves it outside of one.
pub fn fill(bytes: &mut [u8]) {
    if let Some((baton, _)) = here() {
        let mut state = baton.state();
        for chunk in bytes.chunks_mut(8) {
            let drawn = state.random.next().to_le_bytes();
            chunk.iter_mut().zip(drawn).for_each(|(byte, drawn)| *byte = drawn);
        }
    }
}

fn digest(into: &mut u64, bytes: &[u8]) {
    for byte in bytes {
        *into = (*into ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01B3);
    }
}

impl Baton {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a thread, which runs when it gets the baton. Returns its number.
    pub(crate) fn start(
        self: &Arc<Self>,
        name: String,
        body: impl FnOnce() + Send + 'static,
    ) -> std::io::Result<usize> {
        let me = {
            let mut state = self.state();
            let me = state.runners.len();
            state.runners.push(Runner {
                name: name.clone(),
                handle: None,
                status: Status::Ready,
                waits_for: "",
                deadline_ns: None,
                timed_out: false,
                joiners: Vec::new(),
            });
            state.live.push(me);
            me
        };
        let baton = self.clone();
        let thread = std::thread::Builder::new().name(name).spawn(move || {
            HERE.with(|here| *here.borrow_mut() = Some((baton.clone(), me)));
            baton.wait_for_baton(me);
            let ended = catch_unwind(AssertUnwindSafe(body));
            baton.finish(me, ended.err());
        })?;
        if let Some(runner) = self.state().runners.get_mut(me) {
            runner.handle = Some(thread.thread().clone());
        }
        // The first thread has the baton from the start, but nobody could wake it before its handle was known.
        thread.thread().unpark();
        Ok(me)
    }

    fn wait_for_baton(&self, me: usize) {
        while self.running.load(Ordering::Acquire) != me {
            std::thread::park();
        }
    }

    fn point(&self, me: usize) {
        let mut state = self.state();
        self.step(&mut state);
        if state.is_over || !state.random.one_in(self.settings.switch_one_in) {
            drop(state);
            return self.wait_for_baton(me);
        }
        self.pass_on(state, me);
    }

    /// Waits until somebody wakes this thread or the time is over; says whether it is.
    pub(crate) fn block(&self, me: usize, waits_for: &'static str, deadline_ns: Option<u64>) -> bool {
        let mut state = self.state();
        self.step(&mut state);
        if let Some(runner) = state.runners.get_mut(me) {
            runner.status = Status::Blocked;
            runner.waits_for = waits_for;
            runner.deadline_ns = deadline_ns;
            runner.timed_out = false;
        }
        self.pass_on(state, me);
        self.state().runners.get(me).is_some_and(|runner| runner.timed_out)
    }

    /// Lets a thread that waits go on.
    pub(crate) fn wake(&self, runner: usize) {
        if let Some(runner) = self.state().runners.get_mut(runner)
            && runner.status == Status::Blocked
        {
            runner.status = Status::Ready;
            runner.deadline_ns = None;
        }
    }

    /// Waits until a thread is finished.
    pub(crate) fn join(&self, me: usize, runner: usize) {
        while !self.is_finished(runner) {
            if let Some(runner) = self.state().runners.get_mut(runner) {
                runner.joiners.push(me);
            }
            self.block(me, "the end of a thread", None);
        }
    }

    pub(crate) fn is_finished(&self, runner: usize) -> bool {
        self.state().runners.get(runner).is_none_or(|runner| runner.status == Status::Finished)
    }

    pub(crate) fn name(&self, runner: usize) -> String {
        self.state().runners.get(runner).map(|runner| runner.name.clone()).unwrap_or_default()
    }

    fn step(&self, state: &mut State) {
        state.steps += 1;
        state.now_ns += state.random.below(STEP_NS_MAX);
        if state.steps > self.settings.steps_max {
            self.stop(state, format!("there is no end after {} steps", self.settings.steps_max));
        }
    }

    /// Gives the baton to somebody who can run, and comes back when this thread has it again.
    fn pass_on(&self, mut state: MutexGuard<'_, State>, me: usize) {
        let next = self.choose(&mut state);
        if next != Some(me) {
            self.hand_over(&mut state, next);
        }
        drop(state);
        self.wait_for_baton(me);
    }

    fn hand_over(&self, state: &mut State, next: Option<usize>) {
        let Some(next) = next.filter(|_| !state.is_over) else { return };
        let State { digest: into, runners, .. } = state;
        digest(into, &next.to_le_bytes());
        self.running.store(next, Ordering::Release);
        if let Some(handle) = runners.get(next).and_then(|runner| runner.handle.as_ref()) {
            handle.unpark();
        }
    }

    fn choose(&self, state: &mut State) -> Option<usize> {
        state.wake_due();
        let mut ready = state.ready();
        let jumps = state.random.one_in(self.settings.jump_one_in);
        if ready.is_empty() || jumps {
            let deadlines: Vec<u64> = state.deadlines();
            let until_ns = if ready.is_empty() {
                deadlines.iter().min().copied()
            } else {
                state.random.pick(&deadlines)
            };
            if let Some(until_ns) = until_ns {
                state.now_ns = state.now_ns.max(until_ns);
                state.wake_due();
                ready = state.ready();
            }
        }
        if ready.is_empty() {
            if state.live.is_empty() {
                self.end(state);
            } else {
                let waiting = state.waiting();
                self.stop(state, format!("nobody can go on: {waiting}"));
            }
            return None;
        }
        state.random.pick(&ready)
    }

    fn finish(&self, me: usize, panic: Option<Box<dyn Any + Send>>) {
        let mut state = self.state();
        let name = state.runners.get(me).map(|runner| runner.name.clone()).unwrap_or_default();
        if panic.is_some() {
            let what = LAST_PANIC.with(|last| last.borrow_mut().take()).unwrap_or_default();
            self.stop(&mut state, format!("the thread {name} panicked: {what}"));
        }
        let joiners = match state.runners.get_mut(me) {
            Some(runner) => {
                runner.status = Status::Finished;
                std::mem::take(&mut runner.joiners)
            }
            None => Vec::new(),
        };
        state.live.retain(|runner| *runner != me);
        drop(state);
        joiners.into_iter().for_each(|joiner| self.wake(joiner));
        let mut state = self.state();
        let next = self.choose(&mut state);
        self.hand_over(&mut state, next);
    }

    /// Ends the execution with a finding; the first one counts.
    fn stop(&self, state: &mut State, finding: String) {
        if !state.is_over {
            state.finding = Some(finding);
            self.end(state);
        }
    }

    fn end(&self, state: &mut State) {
        state.is_over = true;
        self.running.store(NOBODY, Ordering::Release);
        self.over.notify_all();
    }
}

impl State {
    fn ready(&self) -> Vec<usize> {
        let is_ready =
            |runner: &&usize| self.runners.get(**runner).is_some_and(|runner| runner.status == Status::Ready);
        self.live.iter().filter(is_ready).copied().collect()
    }

    fn deadlines(&self) -> Vec<u64> {
        let live = self.live.iter().filter_map(|runner| self.runners.get(*runner));
        live.filter(|runner| runner.status == Status::Blocked)
            .filter_map(|runner| runner.deadline_ns)
            .collect()
    }

    /// Lets those go on whose time is over.
    fn wake_due(&mut self) {
        for runner in &self.live {
            if let Some(runner) = self.runners.get_mut(*runner)
                && runner.status == Status::Blocked
                && runner.deadline_ns.is_some_and(|deadline_ns| deadline_ns <= self.now_ns)
            {
                runner.status = Status::Ready;
                runner.deadline_ns = None;
                runner.timed_out = true;
            }
        }
    }

    /// Lists which thread waits for what.
    fn waiting(&self) -> String {
        let live = self.live.iter().filter_map(|runner| self.runners.get(*runner));
        let waiting: Vec<String> =
            live.map(|runner| format!("{} waits for {}", runner.name, runner.waits_for)).collect();
        waiting.join(", ")
    }
}

/// The message of a panicking thread is kept, not printed: the panic may be caught; otherwise it is a finding.
fn silence_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if HERE.with(|here| here.borrow().is_some()) {
                LAST_PANIC.with(|last| *last.borrow_mut() = Some(panic.to_string()));
            } else {
                usual(panic);
            }
        }));
    });
}
