//! Requests as text for people.

use std::fmt;

use singlet_design::Json;
use singlet_store::Consumed;

use super::capacity::Predicted;
use super::recording::{Recorded, RecordedOutcome};

/// A value up to this length stays on one line.
const LINE_CHARACTERS_MAX: usize = 88;

/// The operation, its cost, and the body below.
impl fmt::Display for Recorded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.operation)?;
        match &self.outcome {
            RecordedOutcome::Done(consumed) => {
                writeln!(f, ": predicted {}, used {}", self.predicted, used(consumed))?;
            }
            RecordedOutcome::Foreseen => writeln!(f, ": predicted {}, not done", self.predicted)?,
            RecordedOutcome::Failed(reason) => {
                writeln!(f, ": predicted {}, fails: {reason}", self.predicted)?
            }
        }
        f.write_str(&laid_out(&self.body, 0))
    }
}

fn used(consumed: &Consumed) -> Predicted {
    let (read, write, indexes) = (consumed.read, consumed.write, consumed.indexes.clone());
    Predicted { read, write, indexes, at_least: false }
}

/// Returns the sum of the units of several requests in one line; `None` if there are fewer than two.
pub fn total(recorded: &[Recorded]) -> Option<String> {
    let mut predicted = Predicted::default();
    let (mut sum, mut done) = (Predicted::default(), 0);
    for request in recorded {
        predicted.add(request.predicted.clone());
        if let RecordedOutcome::Done(consumed) = &request.outcome {
            sum.add(used(consumed));
            done += 1;
        }
    }
    let count = recorded.len();
    let used = match done {
        _ if count < 2 => return None,
        0 => "none done".to_owned(),
        done if done == count => format!("used {sum}"),
        done => format!("used {sum} by the {done} that {} done", if done == 1 { "was" } else { "were" }),
    };
    Some(format!("{count} requests: predicted {predicted}, {used}"))
}

/// JSON over lines, but what is short on one: `":k0": {"S": "USER#7"}`.
fn laid_out(json: &Json, depth: usize) -> String {
    let on_one_line = one_line(json);
    let parts: Vec<String> = match json {
        _ if depth > 0 && on_one_line.chars().count() <= LINE_CHARACTERS_MAX => return on_one_line,
        Json::Object(members) => {
            let member = |(name, value): &(String, Json)| {
                format!("{}: {}", Json::from(name.as_str()), laid_out(value, depth + 1))
            };
            members.iter().map(member).collect()
        }
        Json::List(elements) => elements.iter().map(|element| laid_out(element, depth + 1)).collect(),
        _ => return on_one_line,
    };
    let (open, close) = if matches!(json, Json::List(_)) { ('[', ']') } else { ('{', '}') };
    let indent = "  ".repeat(depth + 1);
    format!("{open}\n{indent}{}\n{}{close}", parts.join(&format!(",\n{indent}")), "  ".repeat(depth))
}

fn one_line(json: &Json) -> String {
    match json {
        Json::Object(members) => {
            let member = |(name, value): &(String, Json)| {
                format!("{}: {}", Json::from(name.as_str()), one_line(value))
            };
            format!("{{{}}}", members.iter().map(member).collect::<Vec<_>>().join(", "))
        }
        Json::List(elements) => {
            format!("[{}]", elements.iter().map(one_line).collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
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
