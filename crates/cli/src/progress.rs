//! One line on the standard error that says how far a command is; nothing if nobody watches.

use std::io::{IsTerminal, Write, stderr};

/// Characters of the bar.
const WIDTH: usize = 30;

/// A line that is written over and over.
pub(crate) struct Progress {
    watched: bool,
    shown: bool,
    permille: Option<u64>,
}

impl Progress {
    pub(crate) fn new() -> Self {
        Progress { watched: stderr().is_terminal(), shown: false, permille: None }
    }

    /// Shows how much of a whole is done.
    pub(crate) fn show(&mut self, done: u64, total: u64, what: &str) {
        let permille = done.saturating_mul(1000).checked_div(total).unwrap_or(1000).min(1000);
        // Writing to a terminal takes longer than many a step.
        if self.permille.replace(permille) != Some(permille) {
            self.write(&format!("{} {done} of {total} {what}", bar(permille)));
        }
    }

    /// Shows that something goes on of which nobody knows how long it takes.
    pub(crate) fn wait(&mut self, what: &str, turns: u32) {
        let turn = ['|', '/', '-', '\\'].get(turns as usize % 4).copied().unwrap_or('|');
        self.write(&format!("{turn} {what}"));
    }

    fn write(&mut self, line: &str) {
        if self.watched {
            self.shown = true;
            let mut out = stderr().lock();
            // Nothing depends on the line: a terminal that went away is no reason to stop.
            let _ = write!(out, "\r\x1b[2K{line}");
            let _ = out.flush();
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

fn bar(permille: u64) -> String {
    let full = usize::try_from(permille).unwrap_or(1000) * WIDTH / 1000;
    format!("[{}{}] {:3} %", "#".repeat(full), " ".repeat(WIDTH - full.min(WIDTH)), permille / 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_fills_from_the_left() {
        assert_eq!(bar(0), format!("[{}]   0 %", " ".repeat(30)));
        assert_eq!(bar(500), format!("[{}{}]  50 %", "#".repeat(15), " ".repeat(15)));
        assert_eq!(bar(1000), format!("[{}] 100 %", "#".repeat(30)));
    }

    #[test]
    fn nothing_of_nothing_is_done() {
        Progress { watched: false, shown: false, permille: None }.show(0, 0, "items");
    }
}
