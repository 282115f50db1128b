//! The items of a query as the elements of a walk: `{x.field}` in `with`, or a field alone in the older form of a merge.

use super::super::template::find;
use super::PatternDraft;
use super::bindings::{StepResult, StepScope, composed_kind};
use super::read::key_members;
use super::same_item::entity_of;
use super::source::{WrittenValue, written};
use crate::expression::{Name, Origin};
use crate::model::{Argument, Binding, Entity, Made, Operation, Pattern, Projection, Query, Update};
use crate::report::Span;
use crate::syntax::{Entry, Node, Value};
use crate::template::{Format, Part};

/// The name of an element in the older form of a merge, `each = "following"`: fields have no name in front of them.
pub(super) const UNNAMED: &str = "each";

impl PatternDraft<'_> {
    /// Returns the sources of the parameters of `run` if the element has a name: those in `with`, and the key of the
    /// listed item if `run` changes or deletes it.
    pub(super) fn item_bindings(
        &mut self,
        place: &Node,
        (element, list): (&str, &Query),
        run: &Pattern,
    ) -> Vec<Binding> {
        let Some((first, others)) = list.entities.split_first() else { return Vec::new() };
        let step = StepResult { name: element, entity: first, list: None };
        let mut scope = StepScope { steps: vec![step], ..StepScope::default() };
        let mut bindings = self.bindings(place, run, &mut scope);
        let with = place.entries("with");
        for binding in &bindings {
            let entry = with.iter().find(|entry| entry.name == binding.parameter);
            let span = entry.map_or(place.span, |entry| entry.node.span);
            if let (Argument::Result(_, path), Some(parameter)) =
                (&binding.argument, run.parameter(&binding.parameter))
            {
                for entity in others {
                    self.result_field(span, entity, path, &parameter.kind);
                }
            }
            for (_, path) in binding.argument.results() {
                self.is_contained(list, path, span);
            }
            if matches!(&binding.argument, Argument::Parameter(name) if name == element) {
                self.item_as_value(element, first, span);
            }
        }
        if let Some(parameter) = run.parameter(element).filter(|_| run.inline)
            && !bindings.iter().any(|binding| binding.parameter == parameter.name)
        {
            self.item_as_value(element, first, run.span);
        }
        for path in own_key(list, run) {
            let is_open = with.iter().all(|entry| entry.name != path) && run.parameter(&path).is_some();
            if is_open && self.is_contained(list, &path, place.span) {
                let argument = Argument::Result(element.to_owned(), path.clone());
                bindings.push(Binding { parameter: path, argument });
            }
        }
        bindings
    }

    /// Adds the mistake that an item is used as a value.
    fn item_as_value(&self, element: &str, entity: &Entity, span: Span) {
        let field = entity.fields.first().map_or("field", |field| &field.name);
        let message = format!("`{element}` is an item, which can't be the value of a parameter");
        let help = format!("use one of its fields: `{{{element}.{field}}}`");
        self.context.mistakes.add_with_help(span, message, help);
    }

    /// Returns the sources of the parameters of `run` in the older form: `with`, or else a field of the listed item with
    /// the same name.
    pub(super) fn field_bindings(&mut self, place: &Node, list: &Query, run: &Pattern) -> Vec<Binding> {
        let mut bindings = Vec::new();
        let with = place.entries("with");
        for entry in with {
            bindings.extend(self.field_binding(entry, list, run));
        }
        for parameter in run.parameters.iter().filter(|parameter| parameter.required) {
            let is_field = list.entities.iter().all(|entity| entity.field(&parameter.name).is_some());
            if is_field && !with.iter().any(|entry| entry.name == parameter.name) {
                let argument = Argument::Result(UNNAMED.to_owned(), parameter.name.clone());
                bindings.push(Binding { parameter: parameter.name.clone(), argument });
            }
        }
        bindings
    }

    /// Resolves one entry of `with`. `{field}` is a field of the listed item if it has one of that name.
    fn field_binding(&mut self, entry: &Entry, list: &Query, run: &Pattern) -> Option<Binding> {
        let Entry { name, node, .. } = entry;
        let (value, parameter) = (node.text().and_then(|text| written(text).ok()), run.parameter(name));
        if let (Some(WrittenValue::Composed(composed)), Some(parameter)) = (&value, parameter) {
            let item = |path: &str| item_name(list, path);
            let composed = self.typed(node, composed.clone(), &composed_kind(&parameter.kind), &item)?;
            return Some(Binding { parameter: name.clone(), argument: Argument::Composed(composed) });
        }
        if let (Some(WrittenValue::Reference(path)), Some(parameter)) = (value, parameter) {
            let first = path.split('.').next().unwrap_or_default();
            if let Some(entity) = list.entities.iter().find(|entity| entity.field(first).is_some()) {
                self.result_field(node.span, entity, &path, &parameter.kind)?;
                let argument = Argument::Result(UNNAMED.to_owned(), path);
                return Some(Binding { parameter: name.clone(), argument });
            }
        }
        let with = Node { span: entry.span, value: Value::Table(vec![entry.clone()]) };
        let with = Entry { name: "with".to_owned(), span: entry.span, node: with };
        let only = Node { span: node.span, value: Value::Table(vec![with]) };
        self.bindings(&only, run, &mut StepScope::default()).pop()
    }

    /// Checks that the index that a query reads contains a field. A key that has its whole value is enough.
    pub(super) fn is_contained(&self, list: &Query, path: &str, span: Span) -> bool {
        let Some(index) = &list.on else { return true };
        let field = path.split('.').next().unwrap_or(path);
        let carried = index.local
            || match &index.projection {
                Projection::All => true,
                Projection::Keys => false,
                Projection::Include(names) => names.iter().any(|name| name == field),
            };
        let is_key = list.table.key().chain(index.key()).any(|attribute| attribute.name == field);
        if carried || is_key || list.entities.iter().all(|entity| in_a_key(entity, &index.name, path)) {
            return true;
        }
        let message = format!("the index `{}` doesn't contain `{field}`", index.name);
        let help = format!("add `{field}` to `project` of the index");
        self.context.mistakes.add_with_help(span, message, help);
        false
    }
}

/// Returns a field of the listed item as a name in an expression.
fn item_name(list: &Query, path: &str) -> Option<Name> {
    let kind = list.entities.iter().find_map(|entity| Some(find(&entity.fields, path)?.kind.clone()))?;
    Some(Name { origin: Origin::Result(UNNAMED.to_owned(), path.to_owned()), kind: Some(kind) })
}

/// Returns the fields of the listed item's key, if a pattern changes or deletes that item.
fn own_key(list: &Query, run: &Pattern) -> Vec<String> {
    let changes_item = matches!(run.operation, Operation::Update(_) | Operation::Delete(_));
    match (list.entities.as_slice(), entity_of(&run.operation)) {
        ([listed], Some(written)) if listed.name == written.name && changes_item => {
            key_members(listed).into_iter().map(|(path, _)| path).collect()
        }
        _ => Vec::new(),
    }
}

fn in_a_key(entity: &Entity, index: &str, path: &str) -> bool {
    let entry = entity.entry(index).into_iter().flat_map(|entry| entry.templates());
    let own = std::iter::once(&entity.key.partition).chain(&entity.key.sort);
    let mut parts = entry.map(|(_, template)| template).chain(own).flat_map(|template| &template.parts);
    let whole = |format: Format| entity.field_at(path).is_some_and(|kind| format.is_whole(kind));
    !path.contains('.')
        && parts
            .any(|part| matches!(part, Part::Field { path: held, format } if held == path && whole(*format)))
}

/// Returns the field that orders the items of a query and that a write of them changes, if there is one. A write that
/// takes items out of the list moves none within it.
pub(super) fn moved_by(list: &Query, run: &Pattern) -> Option<String> {
    let [entity] = list.entities.as_slice() else { return None };
    let entry = entity.entry(&list.on.as_ref()?.name)?;
    updates(run).into_iter().filter(|update| update.entity.name == entity.name).find_map(|update| {
        let made = entity.fields.iter().filter(|field| field.made == Some(Made::Updated));
        let changed: Vec<&str> = update
            .changes
            .iter()
            .map(|change| change.field())
            .chain(made.map(|field| field.name.as_str()))
            .collect();
        let is_changed = |path: &str| changed.contains(&path.split('.').next().unwrap_or(path));
        let leaves = entry.partition.iter().flat_map(|template| template.fields()).any(is_changed)
            || list.matched.iter().any(|path| is_changed(path))
            || entry.when.iter().any(|when| is_changed(&when.field));
        let mut order = entry.sort.iter().flat_map(|template| template.fields());
        order.find(|path| !leaves && is_changed(path)).map(str::to_owned)
    })
}

/// Returns the updates that a pattern makes.
fn updates(run: &Pattern) -> Vec<&Update> {
    match &run.operation {
        Operation::Update(update) => vec![update],
        Operation::Transaction(transaction) => {
            transaction.steps.iter().flat_map(|step| updates(&step.pattern)).collect()
        }
        _ => Vec::new(),
    }
}
