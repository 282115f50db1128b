//! The rules about parameters that follow from what a pattern does with them.

use singlet_design::{
    Argument, Binding, Change, EachList, Entity, Field, FieldType, Format, Operation, Part, Pattern, Step,
    Template, Update, ValueSource,
};

/// A use of a parameter in a key.
pub(super) struct KeyUse<'a> {
    /// The entity.
    pub(super) entity: &'a Entity,
    /// Whether the value stands beside other text, and so can't contain the separator.
    pub(super) is_part: bool,
    /// The decimals that a number may have.
    pub(super) decimals: Option<u8>,
}

/// The use of a parameter in a key, if it has one. With `of_element`, that of an element of the parameter.
pub(super) fn in_key<'a>(pattern: &'a Pattern, name: &str, of_element: bool) -> Option<KeyUse<'a>> {
    match &pattern.operation {
        Operation::Transaction(transaction) => {
            let uses = transaction.steps.iter().flat_map(|step| {
                let element = element_of(step, name).filter(|_| of_element);
                let inner = inner_names(&step.pattern, &step.bindings, name, element);
                inner.into_iter().filter_map(|inner| in_key(&step.pattern, inner, false))
            });
            uses.max_by_key(|used| used.is_part)
        }
        Operation::Parts(parts) => parts.parts.iter().find_map(|part| {
            let inner = inner_names(&part.pattern, &part.bindings, name, None);
            inner.into_iter().find_map(|inner| in_key(&part.pattern, inner, of_element))
        }),
        _ if of_element => None,
        _ => pattern.entities().into_iter().find_map(|entity| use_of(entity, name)),
    }
}

/// The parameters of a step or part that have the value of a parameter, or of an element of its list.
fn inner_names<'p>(
    inner: &'p Pattern,
    bindings: &[Binding],
    name: &str,
    element: Option<&str>,
) -> Vec<&'p str> {
    let is_bound = |inner: &str| match bindings.iter().find(|binding| binding.parameter == inner) {
        None => element.is_none() && inner == name,
        Some(binding) => match (&binding.argument, element) {
            (Argument::Parameter(outer), None) => outer == name,
            (Argument::Result(of, path), Some(element)) => of == element && path.is_empty(),
            _ => false,
        },
    };
    inner.parameters.iter().map(|parameter| parameter.name.as_str()).filter(|inner| is_bound(inner)).collect()
}

/// The name of an element, if a step runs for each element of this parameter.
fn element_of<'s>(step: &'s Step, name: &str) -> Option<&'s str> {
    let each = step.each.as_ref()?;
    matches!(&each.list, EachList::Parameter(list) if list == name).then_some(each.element.as_str())
}

/// The number of elements that a list parameter may have.
pub(super) fn elements_max(pattern: &Pattern, name: &str) -> Option<u32> {
    let is_list = |step: &&Step| match step.each.as_ref().map(|each| &each.list) {
        Some(EachList::Parameter(list)) => list == name,
        _ => false,
    };
    match &pattern.operation {
        Operation::Transaction(transaction) => {
            transaction.steps.iter().filter(is_list).filter_map(|step| step.each_max).min()
        }
        _ => {
            let walk = pattern.walk()?;
            let is_source = walk.query().is_none() && walk.source_name() == name;
            walk.max.filter(|_| is_source)
        }
    }
}

/// The use of a field in a key of its entity.
pub(super) fn use_of<'a>(entity: &'a Entity, name: &str) -> Option<KeyUse<'a>> {
    let indexes = entity.indexes.iter().flat_map(|entry| entry.partition.iter().chain(&entry.sort));
    let templates = || std::iter::once(&entity.key.partition).chain(&entity.key.sort).chain(indexes.clone());
    let uses = |template: &&Template| template.fields().any(|field| field == name);
    let is_part = templates().filter(uses).any(|template| template.plain_field().is_none());
    let decimals = templates().flat_map(|template| &template.parts).find_map(|part| match part {
        Part::Field { path, format: Format::Padded { decimals, .. } } if path == name => Some(*decimals),
        _ => None,
    });
    templates().any(|template| uses(&template)).then_some(KeyUse { entity, is_part, decimals })
}

/// Whether an optional parameter can be null: for most patterns that is the same as nothing. A change takes the field
/// away, which only an optional field allows.
pub(super) fn takes_null(pattern: &Pattern, name: &str) -> bool {
    match &pattern.operation {
        Operation::Update(update) => update.changes.iter().all(|change| match change {
            Change::Set { path, value: ValueSource::Parameter(source) } if source == name => {
                is_optional(&update.entity, path)
            }
            Change::ChangeElement(element) => {
                let member = element.members.iter().find(|(parameter, _)| parameter == name);
                member.is_none_or(|(_, member)| is_optional_member(&update.entity, &element.field, member))
            }
            _ => true,
        }),
        Operation::Transaction(transaction) => transaction.steps.iter().all(|step| {
            let inner = inner_names(&step.pattern, &step.bindings, name, None);
            inner.into_iter().all(|inner| takes_null(&step.pattern, inner))
        }),
        _ => true,
    }
}

fn is_optional(entity: &Entity, path: &str) -> bool {
    let mut names = path.split('.');
    let mut field = names.next().and_then(|name| entity.field(name));
    for name in names {
        field = match field.map(|field| &field.kind) {
            Some(FieldType::Object(fields)) => fields.iter().find(|field| field.name == name),
            _ => return true,
        };
    }
    field.is_none_or(|field: &Field| field.optional)
}

fn is_optional_member(entity: &Entity, list: &str, member: &str) -> bool {
    let Some(FieldType::List { of, .. }) = entity.field_at(list) else { return true };
    let FieldType::Object(fields) = &**of else { return true };
    fields.iter().find(|field| field.name == member).is_none_or(|field| field.optional)
}

/// The optional parameters of which a caller must give at least one, so that something changes. Empty if there is no such
/// rule.
pub(super) fn least(pattern: &Pattern) -> Vec<&str> {
    let Operation::Update(update) = &pattern.operation else { return Vec::new() };
    let is_required = |name: &str| pattern.parameter(name).is_some_and(|parameter| parameter.required);
    let names: Option<Vec<&str>> = changing(update).into_iter().collect();
    names.filter(|names| !names.iter().any(|name| is_required(name))).unwrap_or_default()
}

/// The parameters with new values; `None` for a change that happens in any case.
fn changing(update: &Update) -> Vec<Option<&str>> {
    update
        .changes
        .iter()
        .flat_map(|change| match change {
            Change::Set { value: ValueSource::Parameter(name), .. }
            | Change::Add { value: ValueSource::Parameter(name), .. }
            | Change::Subtract { value: ValueSource::Parameter(name), .. } => vec![Some(name.as_str())],
            Change::ChangeElement(element) => {
                let others = element.members.iter().filter(|(_, member)| *member != element.key);
                others.map(|(parameter, _)| Some(parameter.as_str())).collect()
            }
            _ => vec![None],
        })
        .collect()
}
