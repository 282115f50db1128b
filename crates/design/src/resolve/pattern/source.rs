//! Values in a pattern: a constant, `{parameter}`, `{now}`, or `{step.field}`.

use super::Draft;
use crate::model::{FieldType, ParameterType, ValueSource};
use crate::syntax::Node;
use crate::value;

/// What a text in the place of a value is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Written {
    /// Itself; doubled braces are single.
    Constant(String),
    /// The name between braces.
    Reference(String),
    /// Braces that make no sense.
    Mixed,
}

/// Reads a text in the place of a value.
pub(super) fn written(text: &str) -> Written {
    let inner = text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
    let is_name = |name: &str| {
        !name.is_empty()
            && name.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.'))
    };
    if let Some(name) = inner.filter(|name| is_name(name)) {
        return Written::Reference(name.to_owned());
    }
    let without = text.replace("{{", "").replace("}}", "");
    if without.contains(['{', '}']) {
        return Written::Mixed;
    }
    Written::Constant(text.replace("{{", "{").replace("}}", "}"))
}

impl Draft<'_> {
    /// The value that a node stands for, of the field's type; a parameter becomes one of the pattern.
    pub(super) fn source(&mut self, node: &Node, kind: &FieldType, required: bool) -> Option<ValueSource> {
        let json = match node.text().map(written) {
            Some(Written::Mixed) => {
                self.mixed_braces(node);
                return None;
            }
            Some(Written::Reference(name)) if name == "now" => {
                if !value::holds_instant(kind) {
                    self.no_instant(node, "field");
                }
                return Some(ValueSource::Now);
            }
            Some(Written::Reference(name)) => {
                let kind = ParameterType::Field(kind.clone());
                self.parameters.add(self.context, &name, kind, required, node.span);
                return Some(ValueSource::Parameter(name));
            }
            Some(Written::Constant(text)) => text.into(),
            None => node.json(),
        };
        if let Err(error) = value::to_attribute(kind, &json) {
            self.context.mistakes.add(node.span, format!("this value doesn't fit the field: {error}"));
            return None;
        }
        Some(ValueSource::Constant(json))
    }

    /// Notes that the time of the call doesn't fit a field or parameter.
    pub(super) fn no_instant(&self, node: &Node, what: &str) {
        self.context.mistakes.add_with_help(
            node.span,
            format!("`{{now}}` is a time, which doesn't fit this {what}"),
            "it fits `time`, `date` and `epoch`",
        );
    }

    /// Notes that braces make no sense.
    pub(super) fn mixed_braces(&self, node: &Node) {
        self.context.mistakes.add_with_help(
            node.span,
            "a value is a constant or one placeholder, not a mixture",
            "write {{ and }} for braces that stand for themselves",
        );
    }
}
