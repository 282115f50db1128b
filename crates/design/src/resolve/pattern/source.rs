//! Values in a pattern: a constant, `{parameter}`, `{now}`, or `{step.field}`.

use super::super::key_values::KeyUses;
use super::super::name;
use super::{PatternDraft, ResolvedEntity};
use crate::model::{FieldType, ParameterType, ValueSource};
use crate::report::Span;
use crate::syntax::Node;
use crate::value;

/// A string as a value.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum WrittenValue {
    /// A constant, with single braces instead of doubled ones.
    Constant(String),
    /// A name in braces.
    Reference(String),
    /// Text and braces mixed.
    Mixed,
}

/// Parses a string as a value.
pub(super) fn written(text: &str) -> WrittenValue {
    let inner = text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
    let is_name = |name: &str| {
        !name.is_empty()
            && name.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.'))
    };
    if let Some(name) = inner.filter(|name| is_name(name)) {
        return WrittenValue::Reference(name.to_owned());
    }
    let without = text.replace("{{", "").replace("}}", "");
    if without.contains(['{', '}']) {
        return WrittenValue::Mixed;
    }
    WrittenValue::Constant(text.replace("{{", "{").replace("}}", "}"))
}

impl PatternDraft<'_> {
    /// Resolves the value that a pattern sets a field to. A constant must fit the keys that contain the field.
    pub(super) fn set_value(
        &mut self,
        known: &ResolvedEntity,
        path: &str,
        (node, kind): (&Node, &FieldType),
        required: bool,
    ) -> Option<ValueSource> {
        let source = self.source(node, kind, required)?;
        if let (ValueSource::Constant(json), true) = (&source, known.sound) {
            KeyUses::of_entity(&known.entity).check(self.context, path, (kind, json), node.span);
        }
        Some(source)
    }

    /// Resolves a value of the field's type, and adds a parameter to those of the pattern.
    pub(super) fn source(&mut self, node: &Node, kind: &FieldType, required: bool) -> Option<ValueSource> {
        let json = match node.text().map(written) {
            Some(WrittenValue::Mixed) => {
                self.mixed_braces(node);
                return None;
            }
            Some(WrittenValue::Reference(name)) if name == "now" => {
                if !value::holds_instant(kind) {
                    self.no_instant(node, "field");
                }
                return Some(ValueSource::Now);
            }
            Some(WrittenValue::Reference(name)) => {
                self.in_scope(&name, node.span)?;
                let kind = ParameterType::Field(kind.clone());
                self.parameters.add(self.context, &name, kind, required, node.span);
                return Some(ValueSource::Parameter(name));
            }
            Some(WrittenValue::Constant(text)) => text.into(),
            None => node.json(),
        };
        if let Err(error) = value::to_attribute(kind, &json) {
            self.context.mistakes.add(node.span, format!("this value doesn't fit the field: {error}"));
            return None;
        }
        Some(ValueSource::Constant(json))
    }

    /// Checks that `{order.total}` begins with the name of a step or element, if the pattern is written inside another
    /// one.
    pub(super) fn in_scope(&self, path: &str, span: Span) -> Option<()> {
        let (Some(scope), Some((first, _))) = (&self.scope, path.split_once('.')) else { return Some(()) };
        if scope.iter().any(|name| name == first) {
            return Some(());
        }
        let message = format!("there is no earlier step `{first}`");
        let help = name::help(first, "name", scope.iter().map(String::as_str));
        self.context.mistakes.add_with(span, message, help);
        None
    }

    /// Adds the mistake that `{now}` doesn't fit a field or parameter.
    pub(super) fn no_instant(&self, node: &Node, what: &str) {
        self.context.mistakes.add_with_help(
            node.span,
            format!("`{{now}}` is a time, which doesn't fit this {what}"),
            "use it for the types `time`, `date` and `epoch`",
        );
    }

    /// Adds the mistake that text and braces are mixed.
    pub(super) fn mixed_braces(&self, node: &Node) {
        self.context.mistakes.add_with_help(
            node.span,
            "a value must be either a constant or a placeholder, not both",
            "write `{{` and `}}` for literal braces",
        );
    }
}
