//! Requests as text for people.

use std::fmt;

use super::capacity::Predicted;
use super::recording::{Outcome, Recorded};

/// The operation, its cost, and the body below.
impl fmt::Display for Recorded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.operation)?;
        match &self.outcome {
            Outcome::Done(consumed) => {
                let used = Predicted {
                    read: consumed.read,
                    write: consumed.write,
                    indexes: consumed.indexes.clone(),
                    at_least: false,
                };
                writeln!(f, ": predicted {}, used {used}", self.predicted)?;
            }
            Outcome::Foreseen => writeln!(f, ": predicted {}, not done", self.predicted)?,
            Outcome::Failed(reason) => writeln!(f, ": predicted {}, fails: {reason}", self.predicted)?,
        }
        write!(f, "{:#}", self.body)
    }
}

/// `2 write units (1 of GSI1)`, `at least 0.5 read units`.
impl fmt::Display for Predicted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.at_least {
            f.write_str("at least ")?;
        }
        match (self.read > 0.0, self.write > 0.0) {
            (true, true) => write!(f, "{} and {}", units(self.read, "read"), units(self.write, "write"))?,
            (_, true) => f.write_str(&units(self.write, "write"))?,
            _ => f.write_str(&units(self.read, "read"))?,
        }
        if !self.indexes.is_empty() {
            let parts: Vec<String> =
                self.indexes.iter().map(|(index, units)| format!("{units} of {index}")).collect();
            write!(f, " ({})", parts.join(", "))?;
        }
        Ok(())
    }
}

fn units(count: f64, kind: &str) -> String {
    format!("{count} {kind} unit{}", if count == 1.0 { "" } else { "s" })
}
