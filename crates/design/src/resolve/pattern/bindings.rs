//! Resolves the values that a composed pattern gives to the parameters of its steps and parts.

use super::super::name;
use super::super::parameters::stored_alike;
use super::super::template::find;
use super::PatternDraft;
use super::each::Element;
use super::source::WrittenValue;
use crate::expression::{Composed, Name, Origin};
use crate::model::{Argument, Binding, EachList, Entity, FieldType, Parameter, ParameterType, Pattern};
use crate::report::Span;
use crate::syntax::{Entry, Node};
use crate::value;

/// The names that placeholders of one step or part can begin with.
#[derive(Default)]
pub(super) struct StepScope<'r> {
    /// The steps whose fields can be used.
    pub(super) steps: Vec<StepResult<'r>>,
    /// The steps that can't be used, and why; without a reason if they have mistakes.
    pub(super) closed: Vec<(&'r str, &'static str)>,
    /// The element of the step's own list.
    pub(super) element: Option<Element>,
}

/// An earlier step whose fields can be used.
#[derive(Clone, Copy)]
pub(super) struct StepResult<'r> {
    /// Its name.
    pub(super) name: &'r str,
    /// The entity that it writes or reads.
    pub(super) entity: &'r Entity,
    /// The list that it runs for.
    pub(super) list: Option<&'r EachList>,
}

/// A placeholder of a step: its position, and the parameter that gets its value.
#[derive(Clone, Copy)]
struct Use<'p> {
    span: Span,
    path: &'p str,
    parameter: &'p Parameter,
}

impl StepScope<'_> {
    /// Returns the names before a point that placeholders can have.
    pub(super) fn names(&self) -> Vec<String> {
        let steps = self.steps.iter().map(|step| step.name);
        let closed = self.closed.iter().map(|(name, _)| *name);
        let element = self.element.as_ref().map(|element| element.each.element.as_str());
        steps.chain(closed).chain(element).map(str::to_owned).collect()
    }

    fn knows(&self, name: &str) -> bool {
        self.steps.iter().any(|step| step.name == name) || self.closed.iter().any(|(step, _)| *step == name)
    }
}

impl PatternDraft<'_> {
    /// Checks that the pattern has the parameter.
    pub(super) fn known_parameter<'p>(
        &self,
        pattern: &'p Pattern,
        name: &str,
        span: Span,
    ) -> Option<&'p Parameter> {
        let found = pattern.parameter(name);
        if found.is_none() {
            let names = pattern.parameters.iter().map(|parameter| parameter.name.as_str());
            let message = format!("`{}` has no parameter `{name}`", pattern.name);
            self.context.mistakes.add_with(span, message, name::help(name, "parameter", names));
        }
        found
    }

    /// Resolves `with`, the sources of parameters of a step or part. A parameter that isn't in `with` and has the name of
    /// the element takes the element; in a pattern that is written inside this one, `{step.field}` is such a parameter.
    pub(super) fn bindings(
        &mut self,
        node: &Node,
        pattern: &Pattern,
        scope: &mut StepScope<'_>,
    ) -> Vec<Binding> {
        let mut bindings = Vec::new();
        for Entry { name, span, node } in node.entries("with") {
            let Some(parameter) = self.known_parameter(pattern, name, *span) else { continue };
            if scope
                .element
                .as_ref()
                .is_some_and(|element| element.is_parameter && element.each.element == *name)
            {
                let message = format!("`{name}` can't be in both `each` and `with`");
                self.context.mistakes.add_with_help(*span, message, "remove one of them");
            }
            if let Some(argument) = self.argument(node, parameter, scope) {
                bindings.push(Binding { parameter: name.clone(), argument });
            }
        }
        for parameter in &pattern.parameters {
            let path = parameter.name.as_str();
            let first = path.split('.').next().unwrap_or_default();
            let of_element = scope.element.as_ref().is_some_and(|element| element.each.element == first);
            let is_scoped = match path.contains('.') {
                true => pattern.inline && (of_element || scope.knows(first)),
                false => of_element,
            };
            if !is_scoped || node.entries("with").iter().any(|entry| entry.name == path) {
                continue;
            }
            let span = if pattern.inline { pattern.span } else { node.span };
            if let Some(argument) = self.reference(Use { span, path, parameter }, scope) {
                bindings.push(Binding { parameter: path.to_owned(), argument });
            }
        }
        bindings
    }

    fn argument(
        &mut self,
        node: &Node,
        parameter: &Parameter,
        scope: &mut StepScope<'_>,
    ) -> Option<Argument> {
        let kind = &parameter.kind;
        let json = match self.written(node)? {
            Some(WrittenValue::Reference(path)) if path == "now" => {
                if !matches!(kind, ParameterType::Field(kind) if value::holds_instant(kind)) {
                    self.no_instant(node, "parameter");
                }
                return Some(Argument::Now);
            }
            Some(WrittenValue::Reference(path)) => {
                self.in_scope(&path, node.span)?;
                return self.reference(Use { span: node.span, path: &path, parameter }, scope);
            }
            Some(WrittenValue::Composed(composed)) => {
                return self.composed_argument(node, composed, parameter, scope).map(Argument::Composed);
            }
            Some(WrittenValue::Constant(text)) => text.into(),
            None => node.json(),
        };
        if let ParameterType::Field(kind) = kind
            && let Err(error) = value::to_attribute(kind, &json)
        {
            let message = format!("this value doesn't fit the parameter: {error}");
            self.context.mistakes.add(node.span, message);
            return None;
        }
        Some(Argument::Constant(json))
    }

    /// Resolves a value with holes, whose names can be parameters, fields of steps and members of the element.
    fn composed_argument(
        &mut self,
        node: &Node,
        composed: Composed,
        parameter: &Parameter,
        scope: &mut StepScope<'_>,
    ) -> Option<Composed> {
        let element = scope.element.as_ref().map(|element| element.each.element.clone());
        let result = |path: &str| {
            let (first, field) = path.split_once('.')?;
            if element.as_deref() == Some(first) {
                return None;
            }
            self.in_scope(path, node.span)?;
            self.step_name(scope, first, field, node.span)
        };
        let mut composed = self.typed(node, composed, &composed_kind(&parameter.kind), &result)?;
        let mut whole = Some(());
        composed.visit_names(&mut |name| {
            let (Origin::Parameter(path), Some(kind)) = (&name.origin, &name.kind) else { return };
            let (first, rest) = path.split_once('.').unwrap_or((path, ""));
            let Some(element) = scope.element.as_mut().filter(|element| element.each.element == first) else {
                return;
            };
            let used = Parameter { kind: ParameterType::Field(kind.clone()), ..parameter.clone() };
            whole = whole.and(element.take(self.context, node.span, rest, &used));
            name.origin = Origin::Result(first.to_owned(), rest.to_owned());
        });
        whole.map(|()| composed)
    }

    /// Returns `{step.field}` as a name in an expression. After a mistake, its type is open.
    fn step_name(&self, scope: &StepScope<'_>, step: &str, field: &str, span: Span) -> Option<Name> {
        let any = FieldType::Any { max_bytes: None };
        let list = scope.element.as_ref().map(|element| &element.each.list);
        let found = self.step_entity(scope, step, list, span).and_then(|entity| {
            self.result_field(span, entity, field, &ParameterType::Field(any.clone()))?;
            Some(find(&entity.fields, field)?.kind.clone())
        });
        let origin = Origin::Result(step.to_owned(), field.to_owned());
        Some(Name { origin, kind: Some(found.unwrap_or(any)) })
    }

    /// Resolves `{parameter}`, `{step.field}`, `{element}` or `{element.member}`.
    fn reference(&mut self, used: Use<'_>, scope: &mut StepScope<'_>) -> Option<Argument> {
        let Use { span, path, parameter } = used;
        let (first, rest) = path.split_once('.').unwrap_or((path, ""));
        if let Some(element) = scope.element.as_mut().filter(|element| element.each.element == first) {
            element.take(self.context, span, rest, parameter)?;
            return Some(Argument::Result(first.to_owned(), rest.to_owned()));
        }
        if rest.is_empty() {
            return Some(Argument::Parameter(path.to_owned()));
        }
        let list = scope.element.as_ref().map(|element| &element.each.list);
        let entity = self.step_entity(scope, first, list, span)?;
        self.result_field(span, entity, rest, &parameter.kind)?;
        Some(Argument::Result(first.to_owned(), rest.to_owned()))
    }

    /// Returns the entity of an earlier step that a step with this list can use; `None` after a mistake.
    pub(super) fn step_entity<'r>(
        &self,
        scope: &StepScope<'r>,
        name: &str,
        list: Option<&EachList>,
        span: Span,
    ) -> Option<&'r Entity> {
        let closed = |why: &str| {
            let message = format!("the result of `{name}` can't be used here");
            self.context.mistakes.add_with_help(span, message, why);
        };
        if let Some((_, why)) = scope.closed.iter().find(|(step, _)| *step == name) {
            if !why.is_empty() {
                closed(why);
            }
            return None;
        }
        let Some(step) = scope.steps.iter().find(|step| step.name == name) else {
            let message = format!("there is no earlier step `{name}`");
            let help = name::help(name, "earlier step", scope.steps.iter().map(|step| step.name));
            self.context.mistakes.add_with(span, message, help);
            return None;
        };
        if step.list.is_some() && step.list != list {
            closed(
                "the step runs several times, so its fields have several values; use them in a step with the same list",
            );
            return None;
        }
        Some(step.entity)
    }

    /// Checks that a field of a step's result, or of a list's item, exists and fits.
    pub(super) fn result_field(
        &self,
        span: Span,
        entity: &Entity,
        field: &str,
        kind: &ParameterType,
    ) -> Option<()> {
        if self.entities.find(&entity.name).is_some_and(|known| known.vague.contains(field)) {
            return None;
        }
        let Some(found) = find(&entity.fields, field) else {
            let message = format!("`{}` has no field `{field}`", entity.name);
            let help = super::super::template::help(&entity.fields, field);
            self.context.mistakes.add_with(span, message, help);
            return None;
        };
        let fits = match kind {
            ParameterType::Field(kind) => stored_alike(kind, found.kind),
            ParameterType::Prefix => {
                matches!(found.kind, FieldType::Text { .. } | FieldType::Choice(_) | FieldType::Id)
            }
            ParameterType::ListOf(_) | ParameterType::Keys(_) => {
                matches!(found.kind, FieldType::List { .. } | FieldType::Set { .. })
            }
        };
        if !fits {
            let message = format!("`{field}` of `{}` and the parameter have different types", entity.name);
            self.context.mistakes.add_with_help(span, message, "use a field of the parameter's type");
        }
        Some(())
    }

    /// Adds the parameters of a step or part that have no other source to those of the composed pattern.
    pub(super) fn open_parameters(&mut self, pattern: &Pattern, bindings: &[Binding], span: Span) {
        for parameter in &pattern.parameters {
            let binding = bindings.iter().find(|binding| binding.parameter == parameter.name);
            let kind = parameter.kind.clone();
            match binding.map(|binding| &binding.argument) {
                None => self.parameters.add(self.context, &parameter.name, kind, parameter.required, span),
                Some(Argument::Parameter(name)) => {
                    self.parameters.add(self.context, name, kind, parameter.required, span);
                }
                Some(Argument::Composed(composed)) => {
                    self.add_names(composed.names(), parameter.required, span);
                }
                Some(Argument::Constant(_) | Argument::Now | Argument::Result(..)) => {}
            }
        }
    }
}

/// Returns the type that a value with holes must have for a parameter.
pub(super) fn composed_kind(kind: &ParameterType) -> FieldType {
    let text = FieldType::Text { min: None, max: None };
    match kind {
        ParameterType::Field(kind) => kind.clone(),
        ParameterType::Prefix => text,
        ParameterType::ListOf(of) => match &**of {
            ParameterType::Field(FieldType::Text { .. } | FieldType::Id) => {
                FieldType::List { of: Box::new(text), max: None, key: None }
            }
            // Nothing with holes fits a list of other values.
            _ => FieldType::Bool,
        },
        ParameterType::Keys(_) => FieldType::Bool,
    }
}
