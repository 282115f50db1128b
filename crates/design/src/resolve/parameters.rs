//! Collects the parameters of a pattern.

use super::Context;
use super::field::kind_name;
use crate::model::{Field, FieldType, Parameter, ParameterType};
use crate::report::Span;

/// The parameters of a pattern so far, in order of first use.
#[derive(Debug, Default)]
pub(super) struct Parameters(Vec<Parameter>);

impl Parameters {
    /// Adds a use of a parameter. All uses of a name are one parameter, which is required if any use requires it.
    pub(super) fn add(
        &mut self,
        context: &Context<'_>,
        name: &str,
        kind: ParameterType,
        required: bool,
        span: Span,
    ) {
        if name == "now" {
            context.mistakes.add_with_help(
                span,
                "`now` can't be the name of a parameter",
                "`{now}` is the time of the call; use another name",
            );
            return;
        }
        match self.0.iter_mut().find(|known| known.name == name) {
            None => self.0.push(Parameter { name: name.to_owned(), kind, required, about: None }),
            Some(known) => {
                known.required |= required;
                if let (Some(own), Some(more)) = (members_mut(&mut known.kind), members(&kind)) {
                    return join_members(context, own, more, name, span);
                }
                if let (ParameterType::ListOf(of), ParameterType::Field(list)) = (&known.kind, &kind)
                    && holds_such(list, of)
                {
                    known.kind = kind;
                } else if agree(&known.kind, &kind) {
                    if is_narrower(&kind, &known.kind) {
                        known.kind = kind;
                    }
                } else {
                    let message = format!(
                        "the parameter `{name}` is {} here, but {} elsewhere in the pattern",
                        in_words(&kind),
                        in_words(&known.kind)
                    );
                    context.mistakes.add_with_help(
                        span,
                        message,
                        "use different names for the two parameters",
                    );
                }
            }
        }
    }

    /// Adds a use of a parameter with the type of a field.
    pub(super) fn add_field(
        &mut self,
        context: &Context<'_>,
        name: &str,
        kind: &FieldType,
        required: bool,
        span: Span,
    ) {
        self.add(context, name, ParameterType::Field(kind.clone()), required, span);
    }

    /// Returns the type of a parameter with the type of a field.
    pub(super) fn field_kind(&self, name: &str) -> Option<&FieldType> {
        self.0.iter().find(|known| known.name == name).and_then(|known| match &known.kind {
            ParameterType::Field(kind) => Some(kind),
            ParameterType::Prefix | ParameterType::ListOf(_) | ParameterType::Keys(_) => None,
        })
    }

    /// Returns whether there is a parameter of this name.
    pub(super) fn contains(&self, name: &str) -> bool {
        self.0.iter().any(|known| known.name == name)
    }

    /// Returns whether callers must give this parameter.
    pub(super) fn requires(&self, name: &str) -> bool {
        self.0.iter().any(|known| known.name == name && known.required)
    }

    /// Returns all of them.
    pub(super) fn into_list(self) -> Vec<Parameter> {
        self.0
    }
}

/// Returns the members of the objects in a list.
fn members(kind: &ParameterType) -> Option<&[Field]> {
    match kind {
        ParameterType::ListOf(of) => match &**of {
            ParameterType::Field(FieldType::Object(fields)) => Some(fields),
            _ => None,
        },
        _ => None,
    }
}

fn members_mut(kind: &mut ParameterType) -> Option<&mut Vec<Field>> {
    match kind {
        ParameterType::ListOf(of) => match &mut **of {
            ParameterType::Field(FieldType::Object(fields)) => Some(fields),
            _ => None,
        },
        _ => None,
    }
}

/// Adds the members of another use of the same list. A member is required if any use requires it.
fn join_members(context: &Context<'_>, own: &mut Vec<Field>, more: &[Field], list: &str, span: Span) {
    for field in more {
        match own.iter_mut().find(|known| known.name == field.name) {
            None => own.push(field.clone()),
            Some(known) if stored_alike(&known.kind, &field.kind) => known.optional &= field.optional,
            Some(known) => {
                let message = format!(
                    "`{}` in the elements of `{list}` is of type `{}` here, but of type `{}` elsewhere in the pattern",
                    field.name,
                    kind_name(&field.kind),
                    kind_name(&known.kind)
                );
                context.mistakes.add_with_help(span, message, "use different members for them");
            }
        }
    }
}

/// Returns whether a value can be used for both.
fn agree(one: &ParameterType, other: &ParameterType) -> bool {
    match (one, other) {
        (ParameterType::Field(one), ParameterType::Field(other)) => stored_alike(one, other),
        (ParameterType::Prefix, ParameterType::Prefix) => true,
        (ParameterType::ListOf(one), ParameterType::ListOf(other)) => agree(one, other),
        (ParameterType::Keys(one), ParameterType::Keys(other)) => one == other,
        (ParameterType::Field(list), ParameterType::ListOf(of)) => holds_such(list, of),
        _ => false,
    }
}

/// Returns whether a use of a parameter knows more about its values than an earlier one did, which only calculated with
/// them.
fn is_narrower(kind: &ParameterType, known: &ParameterType) -> bool {
    use FieldType::{Choice, Epoch, Id, Int, Number, Text};
    let (ParameterType::Field(kind), ParameterType::Field(known)) = (kind, known) else { return false };
    match known {
        Number { min: None, max: None } => matches!(kind, Int { .. } | Number { .. } | Epoch),
        Int { min: None, max: None } => matches!(kind, Int { .. }),
        Text { min: None, max: None } => matches!(kind, Text { .. } | Choice(_) | Id),
        _ => false,
    }
}

/// Returns whether a list or set holds such values, so that a step can use its elements.
fn holds_such(list: &FieldType, wanted: &ParameterType) -> bool {
    match (list, wanted) {
        (FieldType::List { of, .. } | FieldType::Set { of, .. }, ParameterType::Field(wanted)) => {
            match (&**of, wanted) {
                (FieldType::Object(own), FieldType::Object(wanted)) => wanted.iter().all(|wanted| {
                    own.iter().any(|own| own.name == wanted.name && stored_alike(&own.kind, &wanted.kind))
                }),
                (of, wanted) => stored_alike(of, wanted),
            }
        }
        _ => false,
    }
}

/// Returns whether both types store their values in the same way; bounds may differ.
pub(super) fn stored_alike(one: &FieldType, other: &FieldType) -> bool {
    use FieldType::{Choice, Epoch, Id, Int, List, Map, Number, Set, Text};
    match (one, other) {
        (Text { .. } | Choice(_) | Id, Text { .. } | Choice(_) | Id) => true,
        (Int { .. } | Number { .. } | Epoch, Int { .. } | Number { .. } | Epoch) => true,
        (List { of: one, .. }, List { of: other, .. })
        | (Set { of: one, .. }, Set { of: other, .. })
        | (Map { of: one, .. }, Map { of: other, .. }) => stored_alike(one, other),
        // A field with a mistake has the type `any`, which must not cause further mistakes.
        (FieldType::Any { .. }, _) | (_, FieldType::Any { .. }) => true,
        _ => std::mem::discriminant(one) == std::mem::discriminant(other),
    }
}

fn in_words(kind: &ParameterType) -> String {
    match kind {
        ParameterType::Field(kind) => format!("of type `{}`", kind_name(kind)),
        ParameterType::Prefix => "the beginning of a string".to_owned(),
        ParameterType::ListOf(_) | ParameterType::Keys(_) => "a list".to_owned(),
    }
}
