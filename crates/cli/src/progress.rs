//! How far a command is: one line on a terminal that is rewritten, or a line every ten seconds elsewhere.

use std::io::{IsTerminal, Write, stderr};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use crate::size::readable;

/// Characters of the bar.
const BAR_CHARACTERS: usize = 24;
/// Writing to a terminal takes longer than many a step, and nobody reads faster.
const TERMINAL_INTERVAL: Duration = Duration::from_millis(100);
/// Between lines of a log.
const LOG_INTERVAL: Duration = Duration::from_secs(10);
/// A rate that was measured for less time says little.
const RATE_AFTER: Duration = Duration::from_secs(1);

/// The progress of a command. Dropping it clears the line.
pub(crate) struct Progress {
    is_terminal: bool,
    /// Whether a line stands on the terminal.
    shown: bool,
    /// The work at the moment; rates are counted from its start.
    phase: String,
    started: Instant,
    /// When the last line was written, or when the command began.
    written: Instant,
    turns: usize,
}

impl Progress {
    pub(crate) fn new() -> Self {
        let now = Instant::now();
        Progress {
            is_terminal: stderr().is_terminal(),
            shown: false,
            phase: String::new(),
            started: now,
            written: now,
            turns: 0,
        }
    }

    /// Shows how much of a whole is done. `what` names the unit, such as `items` or `bytes of the log`.
    pub(crate) fn show(&mut self, done: u64, total: u64, what: &str) {
        if let Some(now) = self.turn(what) {
            let elapsed = now.duration_since(self.started);
            self.write(now, &line(done, total, what, elapsed, self.is_terminal));
        }
    }

    /// Shows how much is done of something whose end isn't known.
    pub(crate) fn count(&mut self, done: u64, what: &str) {
        if let Some(now) = self.turn(what) {
            let rate = rate(done, what, now.duration_since(self.started));
            let line = format!("{}{}{rate}", self.spinner(), amount(done, what));
            self.write(now, &line);
        }
    }

    /// Shows that something is going on, and for how long.
    pub(crate) fn wait(&mut self, what: &str) {
        if let Some(now) = self.turn(what) {
            let elapsed = duration(now.duration_since(self.started));
            let line = format!("{}{what}, {elapsed}", self.spinner());
            self.write(now, &line);
        }
    }

    /// Shows that work is going on which doesn't say how far it is.
    pub(crate) fn during<T>(what: &str, work: impl FnOnce() -> T) -> T {
        let (finished, waiting) = channel::<()>();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                let mut line = Progress::new();
                // The other end is dropped when the work is done, even by a panic.
                while waiting.recv_timeout(TERMINAL_INTERVAL) == Err(RecvTimeoutError::Timeout) {
                    line.wait(what);
                }
            });
            let result = work();
            drop(finished);
            result
        })
    }

    /// The time, if a line is due.
    fn turn(&mut self, phase: &str) -> Option<Instant> {
        let now = Instant::now();
        if self.phase != phase {
            phase.clone_into(&mut self.phase);
            self.started = now;
            // Nobody knows when the next call comes.
            if self.is_terminal {
                return Some(now);
            }
        }
        let interval = if self.is_terminal { TERMINAL_INTERVAL } else { LOG_INTERVAL };
        (now.duration_since(self.written) >= interval).then_some(now)
    }

    fn spinner(&mut self) -> String {
        self.turns += 1;
        let turn = ['|', '/', '-', '\\'].get(self.turns % 4).copied().unwrap_or('|');
        if self.is_terminal { format!("{turn} ") } else { String::new() }
    }

    fn write(&mut self, now: Instant, line: &str) {
        self.written = now;
        let mut out = stderr().lock();
        // Nothing depends on the line: a terminal that went away doesn't stop the work.
        if self.is_terminal {
            self.shown = true;
            let _ = write!(out, "\r\x1b[2K{}", fitted(line));
            let _ = out.flush();
        } else {
            let _ = writeln!(out, "{line}");
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.shown {
            let _ = write!(stderr().lock(), "\r\x1b[2K");
        }
    }
}

/// The line within the terminal's width: a wrapped line couldn't be rewritten.
fn fitted(line: &str) -> String {
    let width = terminal_size::terminal_size_of(stderr()).map_or(80, |(width, _)| usize::from(width.0));
    line.chars().take(width.saturating_sub(1)).collect()
}

fn line(done: u64, total: u64, what: &str, elapsed: Duration, with_bar: bool) -> String {
    let permille = done.saturating_mul(1000).checked_div(total).unwrap_or(1000).min(1000);
    let bar = if with_bar { format!("[{}] ", bar(permille)) } else { String::new() };
    let total_text = if is_bytes(what) { readable(total) } else { total.to_string() };
    let done_text = if is_bytes(what) { readable(done) } else { done.to_string() };
    let unit = if is_bytes(what) { what.trim_start_matches("bytes").trim_start() } else { what };
    let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
    let left = match elapsed >= RATE_AFTER && done > 0 && done < total {
        true => {
            let seconds = elapsed.as_secs_f64() * (total - done) as f64 / done as f64;
            format!(", {} left", duration(Duration::from_secs_f64(seconds.min(1e9))))
        }
        false => String::new(),
    };
    let rate = rate(done, what, elapsed);
    format!("{bar}{:3} %  {done_text} of {total_text}{unit}{rate}{left}", permille / 10)
}

fn is_bytes(what: &str) -> bool {
    what == "bytes" || what.starts_with("bytes ")
}

/// `1.5 MB of the log` or `17 items`.
fn amount(done: u64, what: &str) -> String {
    match is_bytes(what) {
        true => format!("{}{}", readable(done), what.trim_start_matches("bytes")),
        false => format!("{done} {what}"),
    }
}

fn rate(done: u64, what: &str, elapsed: Duration) -> String {
    if elapsed < RATE_AFTER || done == 0 {
        return String::new();
    }
    let each_second = done as f64 / elapsed.as_secs_f64();
    match is_bytes(what) {
        // The fraction of a byte doesn't matter.
        true => format!(", {}/s", readable(each_second as u64)),
        false if each_second < 10.0 => format!(", {each_second:.1}/s"),
        false => format!(", {each_second:.0}/s"),
    }
}

fn duration(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..60 => format!("{seconds} s"),
        seconds @ 60..3600 => format!("{} min {:02} s", seconds / 60, seconds % 60),
        seconds => format!("{} h {:02} min", seconds / 3600, seconds / 60 % 60),
    }
}

fn bar(permille: u64) -> String {
    let full = usize::try_from(permille).unwrap_or(1000).min(1000) * BAR_CHARACTERS / 1000;
    format!("{}{}", "#".repeat(full), " ".repeat(BAR_CHARACTERS - full))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_rate_and_remaining_time() {
        let text = |done, total, what, seconds| line(done, total, what, Duration::from_secs(seconds), false);
        assert_eq!(text(250, 1000, "items", 5), " 25 %  250 of 1000 items, 50/s, 15 s left");
        assert_eq!(text(1, 1000, "items", 5), "  0 %  1 of 1000 items, 0.2/s, 1 h 23 min left");
        assert_eq!(
            text(3 << 20, 6 << 20, "bytes of the log", 2),
            " 50 %  3.0 MB of 6.0 MB of the log, 1.5 MB/s, 2 s left"
        );
        assert_eq!(text(1000, 1000, "items", 5), "100 %  1000 of 1000 items, 200/s");
        assert_eq!(text(0, 0, "items", 0), "100 %  0 of 0 items");
    }

    #[test]
    fn a_rate_waits_until_it_says_something() {
        assert_eq!(line(250, 1000, "items", Duration::from_millis(20), false), " 25 %  250 of 1000 items");
    }

    #[test]
    fn a_bar_fills_from_the_left() {
        assert_eq!(bar(0), " ".repeat(24));
        assert_eq!(bar(500), format!("{}{}", "#".repeat(12), " ".repeat(12)));
        assert_eq!(bar(1000), "#".repeat(24));
    }
}
