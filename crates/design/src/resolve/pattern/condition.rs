//! Resolves conditions and filters, and checks them against the fields of the entities.

use super::super::name;
use super::super::template::find;
use super::{PatternDraft, ResolvedEntity};
use crate::condition::Condition;
use crate::model::{FieldType, Index, ParameterType, Projection};
use crate::report::Span;
use crate::syntax::Node;

impl PatternDraft<'_> {
    /// Resolves a condition and adds its parameters to those of the pattern; `None` after a mistake.
    pub(super) fn condition(
        &mut self,
        node: &Node,
        known: &[&ResolvedEntity],
        on: Option<&Index>,
    ) -> Option<Condition> {
        let text = node.text()?;
        let condition = match Condition::parse(text) {
            Ok(condition) => condition,
            Err(error) => {
                self.context.mistakes.add_with(
                    self.context.inside(node, error.range),
                    error.message,
                    error.help,
                );
                return None;
            }
        };
        let before = self.context.mistakes.count();
        let mut vague = false;
        for path in condition.tree.paths() {
            let first = path.split('.').next().unwrap_or_default();
            if known.iter().any(|known| known.vague.contains(first)) {
                vague = true;
            } else if let Some(on) = self.path(known, on, path, node, text) {
                self.projected(known, on, first, self.place(node, text, path));
            }
        }
        if vague || self.context.mistakes.count() > before {
            return None;
        }
        let field = |path: &str| -> Option<FieldType> {
            known.iter().find_map(|known| Some(find(&known.entity.fields, path)?.kind.clone()))
        };
        match condition.check(&field) {
            Ok(parameters) => {
                for (name, kind) in parameters {
                    let required = !condition.optional.contains(&name);
                    if name.contains('.') && self.scope.is_none() {
                        let help = "write a parameter as `{name}`, and the current time as `{now}`";
                        let message = format!("{name:?} isn't a valid parameter name");
                        self.context.mistakes.add_with_help(node.span, message, help);
                        return None;
                    }
                    self.in_scope(&name, node.span)?;
                    self.parameters.add(self.context, &name, ParameterType::Field(kind), required, node.span);
                }
                Some(condition)
            }
            Err(error) => {
                self.context.mistakes.add_with(
                    self.context.inside(node, error.range),
                    error.message,
                    error.help,
                );
                None
            }
        }
    }

    /// Resolves a filter. It sees only what the store evaluates, so nothing can be computed from fields.
    pub(super) fn filter(
        &mut self,
        node: &Node,
        known: &[&ResolvedEntity],
        on: Option<&Index>,
    ) -> Option<Condition> {
        let condition = self.condition(node, known, on)?;
        let fields = condition.tree.computed_fields();
        if fields.is_empty() {
            return Some(condition);
        }
        self.context.mistakes.add_with_help(
            node.span,
            format!("a filter can't calculate with {}", crate::names::list(&fields)),
            "write it so that one field stands alone on a side, or keep the result in a field of its own",
        );
        None
    }

    /// Checks that one of the entities has the path. Returns the index if it must contain the path.
    fn path<'i>(
        &self,
        known: &[&ResolvedEntity],
        on: Option<&'i Index>,
        path: &str,
        node: &Node,
        text: &str,
    ) -> Option<&'i Index> {
        if !known.iter().any(|known| find(&known.entity.fields, path).is_some()) {
            if path.eq_ignore_ascii_case("null") {
                self.context.mistakes.add_with_help(
                    self.place(node, text, path),
                    "`null` can't be used in conditions",
                    "write `missing(field)` for a field without a value, or `exists(field)` for one with a value",
                );
                return None;
            }
            let owners: Vec<&str> = known.iter().map(|known| known.entity.name.as_str()).collect();
            let message = format!("{} has no field `{path}`", name::list_or(&owners));
            let fields = known.first().map(|known| known.entity.fields.as_slice()).unwrap_or_default();
            let help = super::super::template::help(fields, path);
            self.context.mistakes.add_with(self.place(node, text, path), message, help);
            return None;
        }
        on
    }

    /// Checks that the index contains the attribute that a filter uses.
    fn projected(&self, known: &[&ResolvedEntity], on: &Index, attribute: &str, span: Span) {
        if on.projection == Projection::All {
            return;
        }
        let included = matches!(&on.projection, Projection::Include(names) if names.iter().any(|name| name == attribute));
        let table = known.first().map(|known| &known.entity.table);
        let is_key =
            on.key().chain(table.iter().flat_map(|table| table.key())).any(|key| key.name == attribute);
        if !included && !is_key {
            self.context.mistakes.add_with_help(
                span,
                format!("the index `{}` doesn't contain `{attribute}`, so the filter can't use it", on.name),
                "add it to `project` of the index",
            );
        }
    }

    /// Checks that the filter of a query uses no attribute of the key that is queried, which DynamoDB refuses. Returns
    /// false after a mistake.
    pub(super) fn filter_without_key(
        &self,
        condition: &Condition,
        known: &[&ResolvedEntity],
        on: Option<&Index>,
        node: &Node,
    ) -> bool {
        let Some(table) = known.first().map(|known| &known.entity.table) else { return true };
        let key: Vec<&str> = match on {
            Some(index) => index.key().map(|key| key.name.as_str()).collect(),
            None => table.key().map(|key| key.name.as_str()).collect(),
        };
        let used = condition.tree.paths().into_iter().find(|path| key.contains(path));
        if let (Some(path), Some(text)) = (used, node.text()) {
            self.context.mistakes.add_with_help(
                self.place(node, text, path),
                format!(
                    "the filter of a query can't use `{path}`, because it is part of the key that is queried"
                ),
                "bound it with `match`, `range` or `prefix`",
            );
        }
        used.is_none()
    }

    /// Returns the position of a path in a condition.
    fn place(&self, node: &Node, text: &str, path: &str) -> Span {
        let is_word =
            |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.' | '{' | '\'');
        let whole = text.match_indices(path).find(|(at, _)| {
            let before = text.get(..*at).and_then(|before| before.chars().next_back());
            let after = text.get(at + path.len()..).and_then(|after| after.chars().next());
            !before.is_some_and(is_word) && !after.is_some_and(is_word)
        });
        match whole {
            Some((at, _)) => self.context.inside(node, at..at + path.len()),
            None => node.span,
        }
    }
}
