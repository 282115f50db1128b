//! Values in a pattern: a constant, `{parameter}`, `{now}`, `{step.field}`, or text with holes.

use super::super::key_values::KeyUses;
use super::super::name;
use super::{PatternDraft, ResolvedEntity};
use crate::expression::{Composed, Expression, ExpressionError, Name, Origin};
use crate::model::{FieldType, ParameterType, ValueSource};
use crate::report::Span;
use crate::syntax::Node;
use crate::value;

/// A string as a value.
#[derive(Debug, PartialEq)]
pub(super) enum WrittenValue {
    /// A constant, with single braces instead of doubled ones.
    Constant(String),
    /// A name in braces, and nothing else.
    Reference(String),
    /// Text with other holes.
    Composed(Composed),
}

/// Parses a string as a value.
pub(super) fn written(text: &str) -> Result<WrittenValue, ExpressionError> {
    let composed = Composed::parse(text)?;
    if let Some(text) = composed.literal() {
        return Ok(WrittenValue::Constant(text.to_owned()));
    }
    Ok(match composed.whole() {
        Some(Expression::Now) => WrittenValue::Reference("now".to_owned()),
        Some(Expression::Name(name)) => WrittenValue::Reference(name.to_string()),
        _ => WrittenValue::Composed(composed),
    })
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
        let json = match self.written(node)? {
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
            Some(WrittenValue::Composed(composed)) => {
                let composed = self.typed(node, composed, kind, &|_| None)?;
                self.add_names(composed.names(), required, node.span);
                return Some(ValueSource::Composed(composed));
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

    /// Parses a string as a value: `None` after a mistake, `Some(None)` if it isn't a string.
    pub(super) fn written(&self, node: &Node) -> Option<Option<WrittenValue>> {
        match node.text().map(written).transpose() {
            Ok(value) => Some(value),
            Err(error) => {
                self.wrong_expression(node, error);
                None
            }
        }
    }

    /// Adds a mistake in an expression.
    pub(super) fn wrong_expression(&self, node: &Node, error: ExpressionError) {
        let span = self.context.inside(node, error.range);
        self.context.mistakes.add_with(span, error.message, error.help);
    }

    /// Gives the names of a value their types, and checks that it fits. `result` is the meaning of a name that isn't a
    /// parameter.
    pub(super) fn typed(
        &self,
        node: &Node,
        mut composed: Composed,
        kind: &FieldType,
        result: &dyn Fn(&str) -> Option<Name>,
    ) -> Option<Composed> {
        let before = self.context.mistakes.count();
        let meaning = |origin: &Origin| {
            let Origin::Parameter(name) = origin else { return None };
            result(name).or_else(|| self.known_parameter_name(name))
        };
        if let Err(error) = composed.check(kind, &meaning)
            && self.context.mistakes.count() == before
        {
            self.wrong_expression(node, error);
        }
        (self.context.mistakes.count() == before).then_some(composed)
    }

    /// Returns a parameter of the pattern that is known already as a name in an expression.
    pub(super) fn known_parameter_name(&self, name: &str) -> Option<Name> {
        let kind = self.parameters.field_kind(name)?.clone();
        Some(Name { origin: Origin::Parameter(name.to_owned()), kind: Some(kind) })
    }

    /// Adds the parameters that a value uses to those of the pattern.
    pub(super) fn add_names<'n>(
        &mut self,
        names: impl IntoIterator<Item = &'n Name>,
        required: bool,
        span: Span,
    ) {
        for name in names {
            if let (Origin::Parameter(parameter), Some(kind)) = (&name.origin, &name.kind)
                && self.in_scope(parameter, span).is_some()
            {
                self.parameters.add_field(self.context, parameter, kind, required, span);
            }
        }
    }
}
