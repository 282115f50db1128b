//! Syntax trees as text. Parsing the text gives the same tree again.

use std::fmt::{self, Display, Formatter};

use super::{Call, Condition, Operand, Path, Section, SetValue, Step, Update};

impl Display for Condition<'_> {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Condition::Or(parts) => write_joined(out, parts, " OR ", |part| matches!(part, Condition::Or(_))),
            Condition::And(parts) => {
                write_joined(out, parts, " AND ", |part| matches!(part, Condition::Or(_) | Condition::And(_)))
            }
            Condition::Not(part) => match **part {
                Condition::Or(_) | Condition::And(_) => write!(out, "NOT ({part})"),
                _ => write!(out, "NOT {part}"),
            },
            Condition::Compare { left, comparator, right } => {
                write!(out, "{left} {} {right}", comparator.symbol())
            }
            Condition::Between { operand, low, high } => write!(out, "{operand} BETWEEN {low} AND {high}"),
            Condition::In { operand, candidates } => {
                write!(out, "{operand} IN (")?;
                write_list(out, candidates)?;
                out.write_str(")")
            }
            Condition::Call(call) => call.fmt(out),
        }
    }
}

fn write_joined(
    out: &mut Formatter<'_>,
    parts: &[Condition<'_>],
    separator: &str,
    needs_parentheses: impl Fn(&Condition<'_>) -> bool,
) -> fmt::Result {
    for (at, part) in parts.iter().enumerate() {
        out.write_str(if at == 0 { "" } else { separator })?;
        if needs_parentheses(part) {
            write!(out, "({part})")?;
        } else {
            part.fmt(out)?;
        }
    }
    Ok(())
}

fn write_list(out: &mut Formatter<'_>, parts: impl IntoIterator<Item = impl Display>) -> fmt::Result {
    for (at, part) in parts.into_iter().enumerate() {
        out.write_str(if at == 0 { "" } else { ", " })?;
        part.fmt(out)?;
    }
    Ok(())
}

impl Display for Operand<'_> {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Operand::Path(path) => path.fmt(out),
            Operand::Value(placeholder) => out.write_str(placeholder),
            Operand::Call(call) => call.fmt(out),
        }
    }
}

impl Display for Call<'_> {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        write!(out, "{}(", self.function)?;
        write_list(out, &self.operands)?;
        out.write_str(")")
    }
}

impl Display for Path<'_> {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        out.write_str(self.head)?;
        for step in &self.steps {
            match step {
                Step::Field(name) => write!(out, ".{name}")?,
                Step::Index(digits) => write!(out, "[{digits}]")?,
            }
        }
        Ok(())
    }
}

impl Display for Update<'_> {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        for (at, section) in self.sections.iter().enumerate() {
            write!(out, "{}{} ", if at == 0 { "" } else { " " }, section.keyword())?;
            match section {
                Section::Set(actions) => {
                    write_list(out, actions.iter().map(|(path, value)| format!("{path} = {value}")))?;
                }
                Section::Remove(paths) => write_list(out, paths)?,
                Section::Add(actions) | Section::Delete(actions) => {
                    write_list(out, actions.iter().map(|(path, value)| format!("{path} {value}")))?;
                }
            }
        }
        Ok(())
    }
}

impl Display for SetValue<'_> {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        match self {
            SetValue::Operand(operand) => operand.fmt(out),
            SetValue::Sum(left, right) => write!(out, "{left} + {right}"),
            SetValue::Difference(left, right) => write!(out, "{left} - {right}"),
        }
    }
}
