//! The load generator: many connections on one thread, one system call to send and one to receive.
//!
//! Client and server share the machine, so whatever the client spends is taken from the server. Hence no runtime,
//! no tasks: one `epoll` per thread, edges only, and buffers that live as long as their connection.

use std::net::SocketAddr;
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, ensure};
use rustix::buffer::spare_capacity;
use rustix::event::{Timespec, epoll};

use crate::connection::{Connection, Progress};
use crate::outcome::Outcome;

/// How long answers may take after the last request before they count as lost.
const DRAIN_MAX: Duration = Duration::from_secs(if cfg!(test) { 1 } else { 30 });
/// A server that breaks more connections than this in one run isn't measured but reported.
const BROKEN_MAX: u64 = 1000;
const EVENTS_MAX: usize = 256;

/// Makes requests and judges answers.
pub(crate) trait Source: Send {
    /// Ties an answer to its request.
    type Ticket: Copy;
    /// Replaces `out` by the next request, or says that there is none.
    fn next(&mut self, out: &mut Vec<u8>) -> Option<Self::Ticket>;
    /// Judges an answer.
    fn check(&mut self, ticket: Self::Ticket, status: u16, body: &[u8]) -> Verdict;
}

/// The judgement of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It is what was asked for.
    Right,
    /// Refused, as DynamoDB refuses a request that meets a transaction on the same item; clients try again.
    Conflict,
    /// It is wrong, for this reason.
    Wrong(String),
}

/// When requests are sent.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Pace {
    /// Each connection sends as soon as it has its answer: measures throughput.
    Closed,
    /// Requests arrive at random at this mean rate, whether or not the server keeps up. Latency counts from the
    /// arrival, so that a stalled server can't hide the requests that it kept from being sent (coordinated omission).
    Open { per_second: f64 },
}

/// One load.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    pub(crate) address: SocketAddr,
    pub(crate) connections: usize,
    pub(crate) threads: usize,
    pub(crate) pace: Pace,
    pub(crate) warmup: Duration,
    /// How long to measure after the warm-up; a source that runs dry ends it earlier.
    pub(crate) measured: Duration,
}

/// Runs a load; `source` makes the requests of each thread.
pub(crate) fn drive<S: Source>(plan: &Plan, source: impl Fn(usize) -> S + Sync) -> Result<Outcome> {
    Ok(drive_keeping(plan, source)?.0)
}

/// The same; gives the sources, too, which know what they sent.
pub(crate) fn drive_keeping<S: Source>(
    plan: &Plan,
    source: impl Fn(usize) -> S + Sync,
) -> Result<(Outcome, Vec<S>)> {
    let threads = plan.threads.clamp(1, plan.connections.max(1));
    let source = &source;
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|thread| {
                let connections =
                    plan.connections / threads + usize::from(thread < plan.connections % threads);
                let share = match plan.pace {
                    Pace::Closed => Pace::Closed,
                    Pace::Open { per_second } => Pace::Open { per_second: per_second / threads as f64 },
                };
                let plan = Plan { connections, pace: share, ..*plan };
                scope.spawn(move || Worker::start(plan, thread as u64, source(thread))?.run())
            })
            .collect();
        let mut total = Outcome::new(Duration::ZERO);
        let mut sources = Vec::new();
        for worker in workers {
            let (outcome, source) = worker.join().map_err(|_| anyhow!("a client thread panicked"))??;
            total.merge(outcome);
            sources.push(source);
        }
        Ok((total, sources))
    })
}

struct Worker<S: Source> {
    plan: Plan,
    source: S,
    epoll: OwnedFd,
    connections: Vec<Connection<S::Ticket>>,
    free: Vec<usize>,
    arrivals: Arrivals,
    window: std::ops::Range<Instant>,
    outcome: Outcome,
    /// When the source had no more requests.
    dry: Option<Instant>,
    broken: u64,
}

impl<S: Source> Worker<S> {
    /// Connects; `seed` sets the arrivals of one thread apart from another's.
    fn start(plan: Plan, seed: u64, source: S) -> Result<Self> {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        let mut connections = Vec::with_capacity(plan.connections);
        for index in 0..plan.connections {
            let connection = Connection::open(plan.address).context("cannot connect")?;
            watch(&epoll, index, &connection)?;
            connections.push(connection);
        }
        let begin = Instant::now();
        let window = begin + plan.warmup..begin + plan.warmup + plan.measured;
        Ok(Self {
            arrivals: Arrivals::new(begin, plan.pace, seed),
            free: (0..plan.connections).collect(),
            outcome: Outcome::new(plan.measured),
            plan,
            source,
            epoll,
            connections,
            window,
            dry: None,
            broken: 0,
        })
    }

    fn run(mut self) -> Result<(Outcome, S)> {
        let mut events: Vec<epoll::Event> = Vec::with_capacity(EVENTS_MAX);
        loop {
            self.launch()?;
            let now = Instant::now();
            let idle = self.free.len() == self.connections.len();
            let done = self.dry.is_some() || (now >= self.window.end && !self.arrivals.owed(self.window.end));
            if (idle && done) || now > self.window.end + DRAIN_MAX {
                break;
            }
            let wait = self.wake_at(now).saturating_duration_since(now);
            let timeout =
                Timespec { tv_sec: wait.as_secs().cast_signed(), tv_nsec: i64::from(wait.subsec_nanos()) };
            match epoll::wait(&self.epoll, spare_capacity(&mut events), Some(&timeout)) {
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
            for event in events.drain(..) {
                self.attend(event.data.u64() as usize)?;
                self.launch()?;
            }
        }
        Ok(self.finish())
    }

    /// When to look again even if no socket is ready.
    fn wake_at(&self, now: Instant) -> Instant {
        if now >= self.window.end {
            return self.window.end + DRAIN_MAX;
        }
        match self.arrivals.next {
            Some(arrival) if !self.free.is_empty() => arrival.min(self.window.end),
            _ => self.window.end,
        }
    }

    /// Sends what is due on the connections that are free.
    fn launch(&mut self) -> Result<()> {
        while let Some(index) = self.free.last().copied() {
            let now = Instant::now();
            if self.dry.is_some() || !self.arrivals.due(now, self.window.end) {
                break;
            }
            let Some(connection) = self.connections.get_mut(index) else { break };
            let Some(ticket) = self.source.next(&mut connection.request) else {
                self.dry = Some(now);
                break;
            };
            self.free.pop();
            let since = self.arrivals.take().unwrap_or_else(Instant::now);
            if let Err(error) = connection.send(ticket, since) {
                self.replace(index, &error)?;
            }
        }
        Ok(())
    }

    fn attend(&mut self, index: usize) -> Result<()> {
        let Some(connection) = self.connections.get_mut(index) else { return Ok(()) };
        let head = match connection.proceed() {
            Ok(Progress::Waiting) => return Ok(()),
            Ok(Progress::Answered(head)) => head,
            Err(error) => return self.replace(index, &error),
        };
        let Some((ticket, since)) = connection.pending.take() else {
            return self.replace(index, &anyhow!("an answer that nobody asked for"));
        };
        let now = Instant::now();
        match self.source.check(ticket, head.status, connection.body(head)) {
            Verdict::Right => {
                self.outcome.answered += 1;
                if self.window.contains(&now) {
                    self.outcome.count(now - self.window.start);
                }
                // Of a closed loop what was answered within the window, of an open loop what arrived within it: an
                // answer that comes too late for the throughput still has its latency.
                let at = if self.arrivals.next.is_some() { since } else { now };
                if self.window.contains(&at) {
                    self.outcome.record(now - since);
                }
            }
            Verdict::Conflict => self.outcome.conflicts += 1,
            Verdict::Wrong(text) => self.outcome.fail(text),
        }
        self.free.push(index);
        if head.closes {
            // It said so, and the answer was whole: that isn't an error, but connecting again is part of its speed.
            self.outcome.closed += 1;
            self.reopen(index)?;
        }
        Ok(())
    }

    /// Takes a new connection for a broken one and counts the error.
    fn replace(&mut self, index: usize, error: &anyhow::Error) -> Result<()> {
        let idle = self.free.contains(&index);
        self.outcome.fail(format!("connection: {error:#}"));
        self.broken += 1;
        ensure!(self.broken <= BROKEN_MAX, "too many broken connections, the last one: {error:#}");
        self.reopen(index)?;
        if !idle {
            self.free.push(index);
        }
        Ok(())
    }

    fn reopen(&mut self, index: usize) -> Result<()> {
        let Some(connection) = self.connections.get_mut(index) else { return Ok(()) };
        connection.reopen(self.plan.address).context("cannot connect again")?;
        watch(&self.epoll, index, connection)
    }

    fn finish(mut self) -> (Outcome, S) {
        let now = Instant::now();
        for (_, since) in self.connections.iter().filter_map(|connection| connection.pending.as_ref()) {
            self.outcome.fail(format!("no answer {} s after the end", DRAIN_MAX.as_secs()));
            if self.window.contains(since) {
                self.outcome.record(now - *since);
            }
        }
        if self.dry.is_some() {
            self.outcome.measured = now.min(self.window.end).saturating_duration_since(self.window.start);
        }
        // After the source ran dry nothing arrives any more.
        let end = self.dry.unwrap_or(self.window.end).min(self.window.end);
        while let Some(arrival) = self.arrivals.next.filter(|arrival| *arrival < end) {
            self.arrivals.take();
            self.outcome.unsent += 1;
            if self.window.contains(&arrival) {
                self.outcome.record(now - arrival);
            }
        }
        (self.outcome, self.source)
    }
}

fn watch<Ticket>(epoll: &OwnedFd, index: usize, connection: &Connection<Ticket>) -> Result<()> {
    let flags = epoll::EventFlags::IN | epoll::EventFlags::OUT | epoll::EventFlags::ET;
    Ok(epoll::add(epoll, &connection.stream, epoll::EventData::new_u64(index as u64), flags)?)
}

/// The times at which an open loop's requests arrive; a closed loop has none.
struct Arrivals {
    next: Option<Instant>,
    per_second: f64,
    rng: fastrand::Rng,
}

impl Arrivals {
    fn new(begin: Instant, pace: Pace, seed: u64) -> Self {
        let (next, per_second) = match pace {
            Pace::Closed => (None, 0.0),
            Pace::Open { per_second } => (Some(begin), per_second.max(1e-3)),
        };
        Self { next, per_second, rng: fastrand::Rng::with_seed(seed) }
    }

    /// Whether a request may be sent now. Requests that arrived before the end are sent even after it.
    fn due(&self, now: Instant, end: Instant) -> bool {
        self.next.map_or(now < end, |arrival| arrival <= now && arrival < end)
    }

    /// Whether something arrived before the end and was not sent yet.
    fn owed(&self, end: Instant) -> bool {
        self.next.is_some_and(|arrival| arrival < end)
    }

    /// The arrival to be sent, after which the next one is drawn: gaps of a Poisson process.
    fn take(&mut self) -> Option<Instant> {
        let arrival = self.next?;
        let gap_seconds = -(1.0 - self.rng.f64()).ln() / self.per_second;
        self.next = Some(arrival + Duration::from_secs_f64(gap_seconds));
        Some(arrival)
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::{SocketAddr, TcpListener};
    use std::time::{Duration, Instant};

    use super::{Arrivals, Pace, Plan, Source, Verdict, drive};
    use crate::clock::pause;

    struct Counted(u64);

    impl Source for Counted {
        type Ticket = ();
        fn next(&mut self, out: &mut Vec<u8>) -> Option<()> {
            out.clear();
            out.extend_from_slice(b"x");
            self.0 = self.0.checked_sub(1)?;
            Some(())
        }
        fn check(&mut self, (): (), status: u16, body: &[u8]) -> Verdict {
            if status == 200 && body == b"ok" {
                Verdict::Right
            } else {
                Verdict::Wrong(format!("status {status}"))
            }
        }
    }

    /// A server that answers each byte; `stall` is called before each answer with its number.
    fn server(stall: impl Fn(u64) + Send + Sync + 'static, answer: &'static [u8]) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let mut byte = [0];
                for number in 0.. {
                    if stream.read_exact(&mut byte).is_err() {
                        break;
                    }
                    stall(number);
                    stream.write_all(answer).unwrap();
                }
            }
        });
        address
    }

    fn plan(address: SocketAddr, pace: Pace) -> Plan {
        let measured = Duration::from_millis(400);
        Plan { address, connections: 1, threads: 1, pace, warmup: Duration::ZERO, measured }
    }

    const OK: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

    #[test]
    fn a_dry_source_ends_the_load_with_every_answer_counted() {
        let address = server(|_| (), OK);
        let outcome = drive(&plan(address, Pace::Closed), |_| Counted(100)).unwrap();
        assert_eq!((outcome.latency.len(), outcome.error_count()), (100, 0));
        assert!(outcome.measured < Duration::from_millis(400));
    }

    #[test]
    fn wrong_answers_are_errors_and_not_throughput() {
        let address = server(|_| (), b"HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n");
        let outcome = drive(&plan(address, Pace::Closed), |_| Counted(7)).unwrap();
        assert_eq!((outcome.latency.len(), outcome.error_count()), (0, 7));
    }

    #[test]
    fn a_server_that_closes_after_each_answer_is_measured_without_errors() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let mut byte = [0];
                if stream.read_exact(&mut byte).is_ok() {
                    let _ = stream
                        .write_all(b"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok");
                }
            }
        });
        let outcome = drive(&plan(address, Pace::Closed), |_| Counted(50)).unwrap();
        assert_eq!((outcome.latency.len(), outcome.closed, outcome.error_count()), (50, 50, 0));
    }

    #[test]
    fn threads_of_an_open_loop_arrive_apart_from_each_other() {
        let begin = Instant::now();
        let times = |seed| {
            let mut arrivals = Arrivals::new(begin, Pace::Open { per_second: 100.0 }, seed);
            (0..10).filter_map(|_| arrivals.take()).collect::<Vec<_>>()
        };
        assert_eq!(times(1), times(1));
        assert_ne!(times(1).last(), times(2).last());
    }

    #[test]
    fn an_open_loop_charges_a_stall_to_every_request_that_arrived_in_it() {
        let stalled = Instant::now();
        let address = server(
            move |number| {
                while number == 10 && stalled.elapsed() < Duration::from_millis(200) {
                    std::thread::yield_now();
                }
            },
            OK,
        );
        let outcome = drive(&plan(address, Pace::Open { per_second: 500.0 }), |_| Counted(u64::MAX)).unwrap();
        // About 90 requests arrive during the stall of some 180 ms. A closed loop would show one slow answer.
        let slow = outcome.latency.count_between(50_000_000, u64::MAX / 2);
        assert!(slow > 30, "{slow} slow answers");
        assert_eq!(outcome.error_count(), 0);
        assert_eq!(outcome.unsent, 0);
    }

    #[test]
    fn an_overloaded_server_shows_what_it_answers_and_how_old_the_rest_became() {
        let address = server(|_| pause(Duration::from_millis(20)), OK);
        let offered = Pace::Open { per_second: 1000.0 };
        let outcome = drive(&plan(address, offered), |_| Counted(u64::MAX)).unwrap();
        // It does 50 a second on its one connection, of 400 that arrive in 0.4 s.
        assert!(outcome.rate() < 60.0, "{} a second", outcome.rate());
        assert!(outcome.in_time <= outcome.answered, "some were answered after the end");
        let arrived = outcome.latency.len();
        assert!((300..500).contains(&arrived), "{arrived} arrivals have a latency");
        assert!(outcome.unsent > 200, "{} unsent", outcome.unsent);
        assert!(outcome.latency_microseconds(0.5) > 900_000.0, "those that were given up are in the tail");
    }

    #[test]
    fn nothing_arrives_after_an_open_source_ran_dry() {
        let address = server(|_| (), OK);
        let outcome = drive(&plan(address, Pace::Open { per_second: 1000.0 }), |_| Counted(10)).unwrap();
        assert_eq!((outcome.in_time, outcome.error_count()), (10, 0));
        assert!(outcome.unsent <= 2, "{} unsent", outcome.unsent);
        assert!(outcome.measured < Duration::from_millis(200));
    }
}
