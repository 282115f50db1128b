//! The caller's values that can't be part of a key, found before anything is read or written.

use singlet_design::{
    Argument, Binding, Entity, Operation, Pattern, RenderError, Template, ValueSource, Values,
};
use singlet_values::ValueRef;

use crate::arguments::Bound;
use crate::error::WrongParameter;
use crate::keys::unfit;

/// Returns the parameters whose values can't be part of the keys of the items that the pattern reads or writes by
/// their keys. Keys in indexes aren't looked at, because an item need not be in them.
pub(crate) fn check_keys(pattern: &Pattern, bound: &Bound<'_>) -> Vec<WrongParameter> {
    match &pattern.operation {
        Operation::Transaction(transaction) => {
            let steps = transaction.steps.iter().filter(|step| step.each.is_none());
            let mut wrong: Vec<WrongParameter> = steps
                .flat_map(|step| {
                    let values = Bindings { outer: bound, bindings: &step.bindings };
                    let errors = errors(&step.pattern, &values);
                    errors.into_iter().filter_map(move |error| {
                        let parameter = values.outer_path(&error.field)?;
                        Some(unfit(RenderError { field: parameter, ..error }))
                    })
                })
                .collect();
            let mut known: Vec<String> = Vec::new();
            wrong.retain(|wrong| {
                let is_new = !known.contains(&wrong.parameter);
                known.push(wrong.parameter.clone());
                is_new
            });
            wrong
        }
        _ => errors(pattern, bound).into_iter().map(unfit).collect(),
    }
}

/// The values of a step, which come from the parameters of the transaction.
struct Bindings<'a, 'b> {
    outer: &'a Bound<'b>,
    bindings: &'a [Binding],
}

impl Bindings<'_, '_> {
    /// The path of a value among the parameters of the transaction.
    fn outer_path(&self, path: &str) -> Option<String> {
        let (first, rest) = path.split_at(path.find('.').unwrap_or(path.len()));
        let binding = self.bindings.iter().find(|binding| binding.parameter == first);
        match binding.map(|binding| &binding.argument) {
            None => Some(path.to_owned()),
            Some(Argument::Parameter(name)) => Some(format!("{name}{rest}")),
            Some(_) => None,
        }
    }
}

impl Values for Bindings<'_, '_> {
    fn value(&self, path: &str) -> Option<ValueRef<'_>> {
        self.outer.value(&self.outer_path(path)?)
    }
}

/// The errors of the values in the key that one write or read by a key has.
fn errors(pattern: &Pattern, values: &impl Values) -> Vec<RenderError> {
    let (entity, set): (&Entity, &[(String, ValueSource)]) = match &pattern.operation {
        // A key that the pattern gives, or one of an index, isn't made by the entity's templates.
        Operation::Get(get) | Operation::Exists(get) if get.key.is_none() && get.on.is_none() => {
            (&get.entity, &[])
        }
        Operation::Create(insert) | Operation::Put(insert) => (&insert.entity, &insert.set),
        Operation::Update(update) => (&update.entity, &[]),
        Operation::Delete(delete) => (&delete.entity, &[]),
        Operation::Check(check) => (&check.entity, &[]),
        _ => return Vec::new(),
    };
    let mut errors: Vec<RenderError> = Vec::new();
    for template in std::iter::once(&entity.key.partition).chain(&entity.key.sort) {
        let of_parameters = fields(template, entity.table.separator, values)
            .filter(|error| !set.iter().any(|(field, _)| *field == error.field));
        for error in of_parameters {
            if !errors.iter().any(|known| known.field == error.field) {
                errors.push(error);
            }
        }
    }
    errors
}

/// The errors of a template's fields.
fn fields(template: &Template, separator: char, values: &impl Values) -> impl Iterator<Item = RenderError> {
    (0..template.parts.len()).filter_map(move |part| template.render_field(separator, values, part).err())
}
