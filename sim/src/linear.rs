//! Whether there is an order of calls that explains all their answers: linearizability.
//!
//! It knows calls, the times at which they began and ended, and a sequential model. It must not know a database.
//!
//! A search in the manner of Wing and Gong: of the calls that could be next, because none ended before they began, one
//! is chosen, the model says what it would have answered, and if that is the answer the search goes on. Configurations
//! that were tried (which calls are done, and in which state) are remembered and not tried again, as Lowe proposed.

use std::collections::HashSet;
use std::fmt::Debug;
use std::hash::Hash;

/// The sequential model that the calls must agree with.
pub trait Model {
    /// The state that the calls work on.
    type State: Clone + Eq + Hash + Debug;
    /// A request.
    type Operation: Debug;
    /// An answer.
    type Answer: PartialEq + Debug;

    /// Applies an operation to a state, and returns the answer.
    fn apply(state: &Self::State, operation: &Self::Operation) -> (Self::State, Self::Answer);
}

/// One call. Times are places in the order in which beginnings and ends were seen.
#[derive(Debug, Clone)]
pub struct Call<O, A> {
    /// The caller, for messages.
    pub caller: u64,
    /// The request.
    pub operation: O,
    /// The answer; `None` if nobody knows the outcome of the call. Then it happened as a whole or not at all.
    pub answer: Option<A>,
    /// When it began.
    pub began: u64,
    /// When it ended. A call without an answer can't have happened later than that either: the database was stopped.
    pub ended: u64,
}

/// The result of a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// There is an order.
    Linearizable,
    /// There is none; the text says where the longest attempt ended.
    Violation(String),
    /// The search was given up.
    Undecided,
}

/// A search is given up after so many attempts.
const ATTEMPTS_MAX: usize = 2_000_000;

/// Looks for an order of the calls that explains all answers, beginning with a state.
pub fn check<M: Model>(initial: &M::State, calls: &[Call<M::Operation, M::Answer>]) -> Verdict {
    let mut calls: Vec<&Call<M::Operation, M::Answer>> = calls.iter().collect();
    calls.sort_by_key(|call| call.began);
    let answered = calls.iter().filter(|call| call.answer.is_some()).count();
    let mut search = Search::<M> { answered, tried: HashSet::new(), attempts: 0, farthest: None, calls };
    let mut path = vec![search.frame(initial.clone(), Done::default())];
    while let Some(frame) = path.last_mut() {
        if frame.done.answered == search.answered {
            return Verdict::Linearizable;
        }
        if search.attempts > ATTEMPTS_MAX {
            return Verdict::Undecided;
        }
        let Some(call) = frame.candidates.pop() else {
            path.pop();
            continue;
        };
        if let Some((state, done)) = search.attempt(frame, call) {
            let next = search.frame(state, done);
            path.push(next);
        }
    }
    Verdict::Violation(search.report())
}

/// Which calls are done.
#[derive(Clone, Default)]
struct Done {
    bits: Vec<u64>,
    answered: usize,
    /// All before this one are done, or have no answer.
    first: usize,
    /// When the latest of them began.
    latest_began: u64,
    order: Vec<usize>,
}

impl Done {
    fn has(&self, call: usize) -> bool {
        self.bits.get(call / 64).is_some_and(|word| word & (1 << (call % 64)) != 0)
    }

    fn add(&mut self, call: usize) {
        if self.bits.len() <= call / 64 {
            self.bits.resize(call / 64 + 1, 0);
        }
        if let Some(word) = self.bits.get_mut(call / 64) {
            *word |= 1 << (call % 64);
        }
        self.order.push(call);
    }
}

struct Frame<S> {
    state: S,
    done: Done,
    /// Calls that could be next, the most promising one last.
    candidates: Vec<usize>,
}

struct Search<'a, M: Model> {
    calls: Vec<&'a Call<M::Operation, M::Answer>>,
    answered: usize,
    tried: HashSet<(Vec<u64>, M::State)>,
    attempts: usize,
    farthest: Option<(Done, M::State)>,
}

impl<M: Model> Search<'_, M> {
    fn frame(&mut self, state: M::State, mut done: Done) -> Frame<M::State> {
        while self.calls.get(done.first).is_some_and(|call| done.has(done.first) || call.answer.is_none()) {
            done.first += 1;
        }
        let is_farther = self.farthest.as_ref().is_none_or(|(farthest, _)| done.answered > farthest.answered);
        if is_farther {
            self.farthest = Some((done.clone(), state.clone()));
        }
        let candidates = self.candidates(&done);
        Frame { state, done, candidates }
    }

    fn candidates(&self, done: &Done) -> Vec<usize> {
        let mut first_end = u64::MAX;
        let mut candidates = Vec::new();
        // Calls without an answer from before are among those to look at, as long as they can still have happened.
        for (number, call) in self.calls.iter().enumerate() {
            if number >= done.first && call.began > first_end {
                break;
            }
            if done.has(number) {
                continue;
            }
            match call.answer {
                Some(_) => first_end = first_end.min(call.ended),
                None if call.ended < done.latest_began => continue,
                None => {}
            }
            candidates.push(number);
        }
        candidates.retain(|number| self.calls.get(*number).is_some_and(|call| call.began < first_end));
        // Taken from the back: what ended first, and what has no answer only when nothing else helps.
        candidates.sort_by_key(|number| {
            self.calls.get(*number).map(|call| (call.answer.is_some(), u64::MAX - call.ended))
        });
        candidates
    }

    /// Does a call, if the model gives its answer and this has not been tried yet.
    fn attempt(&mut self, frame: &Frame<M::State>, number: usize) -> Option<(M::State, Done)> {
        self.attempts += 1;
        let call = self.calls.get(number)?;
        let (state, answer) = M::apply(&frame.state, &call.operation);
        if call.answer.as_ref().is_some_and(|given| *given != answer) {
            return None;
        }
        // A call that nobody has an answer of and that changes nothing need not have happened.
        if call.answer.is_none() && state == frame.state {
            return None;
        }
        let mut done = frame.done.clone();
        done.add(number);
        done.answered += usize::from(call.answer.is_some());
        done.latest_began = done.latest_began.max(call.began);
        self.tried.insert((done.bits.clone(), state.clone())).then_some((state, done))
    }

    fn report(&self) -> String {
        let Some((done, state)) = &self.farthest else { return "there are no calls".to_owned() };
        let mut lines = vec![format!(
            "no order of the calls explains their answers; the longest one ends with {state:?}"
        )];
        let from = done.order.len().saturating_sub(6);
        for number in done.order.iter().skip(from) {
            if let Some(call) = self.calls.get(*number) {
                lines.push(format!("  after {}", describe(call)));
            }
        }
        for number in self.candidates(done).into_iter().rev() {
            if let Some(call) = self.calls.get(number) {
                let (next, answer) = M::apply(state, &call.operation);
                if call.answer.is_none() && next == *state {
                    continue;
                }
                lines.push(format!("  {}, where {answer:?} is expected", describe(call)));
            }
        }
        lines.join("\n")
    }
}

fn describe<O: Debug, A: Debug>(call: &Call<O, A>) -> String {
    let Call { caller, operation, answer, began, ended } = call;
    match answer {
        Some(answer) => format!("client {caller} from {began} to {ended}: {operation:?} gave {answer:?}"),
        None => format!("client {caller} from {began}: {operation:?}, whose answer is not known"),
    }
}
