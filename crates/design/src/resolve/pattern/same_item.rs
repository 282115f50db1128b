//! Finds steps of a transaction that certainly write or check the same item, which DynamoDB refuses.

use super::PatternDraft;
use super::read::key_members;
use crate::model::{Argument, Entity, Operation, Step, ValueSource};
use crate::syntax::Entry;

/// The item that a step writes or checks: the sources of all fields of its key.
struct StepItem<'s> {
    step: &'s Step,
    entity: &'s Entity,
    key: Vec<(String, Argument)>,
}

impl PatternDraft<'_> {
    /// Checks that no two steps certainly have the same item: the same entity, and the same source for each field of
    /// its key. `entries` are the steps in the file.
    pub(super) fn one_step_for_each_item(&self, steps: &[Step], entries: &[Entry]) {
        let mut items: Vec<StepItem<'_>> = Vec::new();
        for step in steps.iter().filter(|step| step.each.is_none()) {
            let Some(entity) = entity_of(&step.pattern.operation) else { continue };
            let members = key_members(entity).into_iter();
            let key: Vec<_> =
                members.map(|(path, _)| (path.clone(), self.key_source(step, &path, &items))).collect();
            let twin = items.iter().find(|item| item.entity.name == entity.name && item.key == key);
            if let (Some(twin), Some(entry)) = (twin, entries.iter().find(|entry| entry.name == step.name)) {
                let message = format!(
                    "`{}` and `{}` use the same {}, but a transaction can use an item only once",
                    twin.step.name, step.name, entity.name
                );
                self.context.mistakes.add_with_help(entry.span, message, remedy(twin.step, step));
            }
            items.push(StepItem { step, entity, key });
        }
    }

    /// Returns the source of a field of a step's key. A value that only the step knows is its own result.
    fn key_source(&self, step: &Step, path: &str, earlier: &[StepItem<'_>]) -> Argument {
        let own = || Argument::Result(step.name.clone(), path.to_owned());
        let set = match &step.pattern.operation {
            Operation::Create(insert) | Operation::Put(insert) => {
                insert.set.iter().find(|(field, _)| field == path).map(|(_, source)| source)
            }
            _ => None,
        };
        let parameter = match set {
            Some(ValueSource::Constant(json)) => return Argument::Constant(json.clone()),
            Some(ValueSource::Now) => return Argument::Now,
            Some(ValueSource::Composed(_)) => return own(),
            Some(ValueSource::Parameter(name)) => name.as_str(),
            None => path,
        };
        let binding = step.bindings.iter().find(|binding| binding.parameter == parameter);
        match binding.map(|binding| &binding.argument) {
            // Without the parameter, a new item gets a generated value.
            None if self.parameters.requires(parameter) => Argument::Parameter(parameter.to_owned()),
            Some(Argument::Parameter(name)) if self.parameters.requires(name) => {
                Argument::Parameter(name.clone())
            }
            None | Some(Argument::Parameter(_)) => own(),
            Some(Argument::Result(name, field)) => {
                let writer = earlier.iter().find(|item| item.step.name == *name);
                let source = writer.and_then(|item| item.key.iter().find(|(path, _)| path == field));
                source.map_or_else(
                    || Argument::Result(name.clone(), field.clone()),
                    |(_, source)| source.clone(),
                )
            }
            Some(given @ (Argument::Constant(_) | Argument::Now | Argument::Composed(_))) => given.clone(),
        }
    }
}

/// Returns the entity of a write or check.
pub(super) fn entity_of(operation: &Operation) -> Option<&Entity> {
    match operation {
        Operation::Create(insert) | Operation::Put(insert) => Some(&insert.entity),
        Operation::Update(update) => Some(&update.entity),
        Operation::Delete(delete) => Some(&delete.entity),
        Operation::Check(check) => Some(&check.entity),
        _ => None,
    }
}

/// Returns how to make one step of two.
fn remedy(one: &Step, other: &Step) -> String {
    let is_check = |step: &Step| matches!(step.pattern.operation, Operation::Check(_));
    match (is_check(one), is_check(other)) {
        (true, _) => merged(one, other),
        (_, true) => merged(other, one),
        _ => "make one pattern of both".to_owned(),
    }
}

fn merged(check: &Step, write: &Step) -> String {
    format!(
        "move the condition of `{}` to `if` of `{}`, and remove the step `{}`",
        check.pattern.name, write.pattern.name, check.name
    )
}
