//! Checks of an expression before its placeholders are looked up: reserved words, misplaced functions, the range of
//! list indexes and the number of operators.

use crate::error::Problem;
use crate::function::{Function, Role};
use crate::reserved::is_reserved;
use crate::syntax::{Call, Condition, Operand, Path, Section, SetValue, Step, Update};

/// Operators and functions that an expression may have.
const OPERATORS_MAX: usize = singlet_values::limits::EXPRESSION_OPERATORS_MAX;

/// Checks a condition, in the order it is written.
pub(crate) fn check_condition(condition: &Condition<'_>) -> Result<(), Problem> {
    let mut check = Check { language: Language::Condition, operators: 0 };
    check.condition(condition)?;
    check.finish()
}

/// Checks a projection.
pub(crate) fn check_projection(paths: &[Path<'_>]) -> Result<(), Problem> {
    paths.iter().try_for_each(check_path)
}

/// Checks an update, all sections of one kind before the next kind.
pub(crate) fn check_update(update: &Update<'_>) -> Result<(), Problem> {
    let mut check = Check { language: Language::Update, operators: 0 };
    for (at, section) in update.sections.iter().enumerate() {
        let same = |other: &&Section<'_>| other.keyword() == section.keyword();
        if update.sections.iter().take(at).any(|earlier| same(&earlier)) {
            continue;
        }
        for section in update.sections.iter().filter(same) {
            check.section(section)?;
        }
        if update.sections.iter().filter(same).count() > 1 {
            return Err(Problem::RepeatedSection { section: section.keyword() });
        }
    }
    check.finish()
}

/// Rejects an expression with too many operators and functions.
pub(crate) fn check_operators(operators: usize) -> Result<(), Problem> {
    if operators > OPERATORS_MAX {
        // DynamoDB stops counting at the first that is too many.
        return Err(Problem::TooManyOperators { count: OPERATORS_MAX + 1 });
    }
    Ok(())
}

fn check_path(path: &Path<'_>) -> Result<(), Problem> {
    check_name(path.head)?;
    path.steps.iter().try_for_each(|step| match step {
        Step::Field(name) => check_name(name),
        Step::Index(digits) => match digits.parse::<i32>() {
            Ok(_) => Ok(()),
            Err(_) => Err(Problem::IndexOutOfRange { index: (*digits).to_owned() }),
        },
    })
}

fn check_name(name: &str) -> Result<(), Problem> {
    // A placeholder begins with `#`, which no reserved word does.
    if is_reserved(name) { Err(Problem::ReservedWord { word: name.to_owned() }) } else { Ok(()) }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Language {
    Condition,
    Update,
}

struct Check {
    language: Language,
    operators: usize,
}

impl Check {
    fn finish(self) -> Result<(), Problem> {
        check_operators(self.operators)
    }

    fn condition(&mut self, condition: &Condition<'_>) -> Result<(), Problem> {
        match condition {
            Condition::Or(parts) | Condition::And(parts) => {
                self.operators += parts.len().saturating_sub(1);
                parts.iter().try_for_each(|part| self.condition(part))
            }
            Condition::Not(part) => {
                self.operators += 1;
                self.condition(part)
            }
            Condition::Compare { left, right, .. } => self.operator([left, right]),
            Condition::Between { operand, low, high } => self.operator([operand, low, high]),
            Condition::In { operand, candidates } => {
                self.operator(std::iter::once(operand).chain(candidates))
            }
            Condition::Call(call) => self.call(call, Role::Condition),
        }
    }

    fn section(&mut self, section: &Section<'_>) -> Result<(), Problem> {
        match section {
            Section::Set(actions) => actions.iter().try_for_each(|(path, value)| {
                check_path(path)?;
                match value {
                    SetValue::Operand(operand) => self.operand(operand),
                    SetValue::Sum(left, right) | SetValue::Difference(left, right) => {
                        self.operator([left, right])
                    }
                }
            }),
            Section::Remove(paths) => check_projection(paths),
            Section::Add(actions) | Section::Delete(actions) => {
                actions.iter().try_for_each(|(path, _)| check_path(path))
            }
        }
    }

    fn operator<'e, 'a: 'e>(
        &mut self,
        operands: impl IntoIterator<Item = &'e Operand<'a>>,
    ) -> Result<(), Problem> {
        self.operators += 1;
        operands.into_iter().try_for_each(|operand| self.operand(operand))
    }

    fn operand(&mut self, operand: &Operand<'_>) -> Result<(), Problem> {
        match operand {
            Operand::Path(path) => check_path(path),
            Operand::Value(_) => Ok(()),
            Operand::Call(call) => self.call(call, Role::ConditionValue),
        }
    }

    /// `place` is where a condition has the call; an update has calls only as values.
    fn call(&mut self, call: &Call<'_>, place: Role) -> Result<(), Problem> {
        let Some(function) = Function::named(call.function) else {
            return Err(Problem::UnknownFunction { function: call.function.to_owned() });
        };
        let name = function.name();
        match (self.language, function.role()) {
            (Language::Update, Role::UpdateValue) => {}
            (Language::Update, _) => return Err(Problem::FunctionNotInUpdate { function: name }),
            (Language::Condition, Role::UpdateValue) => {
                return Err(Problem::FunctionNotInCondition { function: name });
            }
            (Language::Condition, role) if role != place => {
                return Err(Problem::MisusedFunction { function: name });
            }
            (Language::Condition, _) => {}
        }
        self.operator(&call.operands)?;
        if self.language == Language::Update && call.operands.iter().any(is_list_append) {
            return Err(Problem::MisusedFunction { function: Function::ListAppend.name() });
        }
        Ok(())
    }
}

/// DynamoDB takes `list_append` only at the top of an assignment.
fn is_list_append(operand: &Operand<'_>) -> bool {
    match operand {
        Operand::Call(call) => Function::named(call.function) == Some(Function::ListAppend),
        _ => false,
    }
}
