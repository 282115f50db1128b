//! What a caller gives to a pattern, gathered from all that uses it.

use super::context::Context;
use super::field::kind_name;
use crate::model::{FieldType, Parameter, ParameterType};
use crate::report::Span;

/// The parameters of a pattern so far, in order of first use.
#[derive(Debug, Default)]
pub(super) struct Parameters(Vec<Parameter>);

impl Parameters {
    /// One more use: a name is one parameter, required if one use requires it.
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
                "no parameter can be called `now`",
                "`{now}` is the time of the call: give the parameter another name",
            );
            return;
        }
        match self.0.iter_mut().find(|known| known.name == name) {
            None => self.0.push(Parameter { name: name.to_owned(), kind, required, about: None }),
            Some(known) => {
                known.required |= required;
                if let (ParameterType::ListOf(of), ParameterType::Field(list)) = (&known.kind, &kind)
                    && holds_such(list, of)
                {
                    known.kind = kind;
                } else if !agree(&known.kind, &kind) {
                    let message = format!(
                        "the parameter `{name}` would be {} here, and {} elsewhere in the pattern",
                        in_words(&kind),
                        in_words(&known.kind)
                    );
                    context.mistakes.add_with_help(
                        span,
                        message,
                        "one name is one parameter: give one of them another name",
                    );
                }
            }
        }
    }

    /// The same for the value of a field.
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

    /// Whether there is one of this name.
    pub(super) fn contains(&self, name: &str) -> bool {
        self.0.iter().any(|known| known.name == name)
    }

    /// All of them.
    pub(super) fn into_list(self) -> Vec<Parameter> {
        self.0
    }
}

/// Whether one value can serve both.
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

/// Whether a list or set field holds such values: it can then be gone through as well as written.
fn holds_such(list: &FieldType, wanted: &ParameterType) -> bool {
    match (list, wanted) {
        (FieldType::List { of, .. } | FieldType::Set { of, .. }, ParameterType::Field(wanted)) => {
            stored_alike(of, wanted)
        }
        _ => false,
    }
}

/// Whether values of one type are written like values of the other: bounds may differ.
pub(super) fn stored_alike(one: &FieldType, other: &FieldType) -> bool {
    use FieldType::{Choice, Epoch, Id, Int, List, Map, Number, Set, Text};
    match (one, other) {
        (Text { .. } | Choice(_) | Id, Text { .. } | Choice(_) | Id) => true,
        (Int { .. } | Number { .. } | Epoch, Int { .. } | Number { .. } | Epoch) => true,
        (List { of: one, .. }, List { of: other, .. })
        | (Set { of: one, .. }, Set { of: other, .. })
        | (Map { of: one, .. }, Map { of: other, .. }) => stored_alike(one, other),
        // A field that could not be read is `any`: what follows from that is no mistake of its own.
        (FieldType::Any { .. }, _) | (_, FieldType::Any { .. }) => true,
        _ => std::mem::discriminant(one) == std::mem::discriminant(other),
    }
}

fn in_words(kind: &ParameterType) -> String {
    match kind {
        ParameterType::Field(kind) => format!("of type `{}`", kind_name(kind)),
        ParameterType::Prefix => "the beginning of a text".to_owned(),
        ParameterType::ListOf(_) | ParameterType::Keys(_) => "a list".to_owned(),
    }
}
