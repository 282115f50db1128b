//! Steps of transactions that run for each element of a list.

use singlet_design::{
    Each, EachList, FieldType, Operation, Origin, ParameterType, Pattern, Reference, Step, ValueSource,
};

/// How often a step runs at most; `None` if nothing limits its list.
pub(crate) fn elements_max(pattern: &Pattern, step: &Step, all: &[Step]) -> Option<u64> {
    match (&step.each, step.each_max) {
        (None, _) => Some(1),
        (Some(_), Some(max)) => Some(u64::from(max)),
        (Some(each), None) => list_max(pattern, all, each),
    }
}

/// The number of checks of a step's references: those shared by all elements of its list, and those of each element.
/// Items that another step writes or checks need no check.
pub(crate) fn checks(step: &Step, all: &[Step]) -> (u64, u64) {
    let references = step.pattern.checked_references().iter().filter(|reference| {
        let target = &reference.entity.name;
        !all.iter().any(|step| step.pattern.entities().iter().any(|entity| entity.name == *target))
    });
    let own = references.clone().filter(|reference| is_own(step, all, reference)).count() as u64;
    (references.count() as u64 - own, own)
}

/// Whether each element of a step's list has another item that a reference names.
pub(crate) fn is_own(step: &Step, all: &[Step], reference: &Reference) -> bool {
    let sources = reference.key.iter().flat_map(|(_, own)| sources(&step.pattern, own));
    sources.into_iter().any(|parameter| varies_by_element(step, all, parameter))
}

/// Whether a parameter of a step has another value for each element of its list: a member of the element, or a field of
/// another step for the same element.
fn varies_by_element(step: &Step, all: &[Step], parameter: &str) -> bool {
    let Some(each) = &step.each else { return false };
    let varies = |name: &str| {
        name == each.element || all.iter().any(|other| other.name == name && other.each.is_some())
    };
    let binding = step.bindings.iter().find(|binding| binding.parameter == parameter);
    binding.is_some_and(|binding| binding.argument.results().iter().any(|(name, _)| varies(name)))
}

/// The parameters that give a field its value.
fn sources<'a>(pattern: &'a Pattern, field: &'a str) -> Vec<&'a str> {
    let set = match &pattern.operation {
        Operation::Create(insert) | Operation::Put(insert) => insert.set.as_slice(),
        _ => &[],
    };
    match set.iter().find(|(name, _)| name == field).map(|(_, source)| source) {
        Some(ValueSource::Parameter(name)) => vec![name],
        Some(ValueSource::Composed(composed)) => {
            let names = composed.names().into_iter();
            names
                .filter_map(|name| match &name.origin {
                    Origin::Parameter(name) => Some(name.as_str()),
                    Origin::Field(_) | Origin::Result(..) => None,
                })
                .collect()
        }
        Some(ValueSource::Constant(_) | ValueSource::Now) => Vec::new(),
        None => vec![field],
    }
}

/// The maximum length of a list, if something declares it.
pub(crate) fn list_max(pattern: &Pattern, steps: &[Step], each: &Each) -> Option<u64> {
    let kind = match &each.list {
        EachList::Parameter(name) => match &pattern.parameter(name)?.kind {
            ParameterType::Field(kind) => kind,
            _ => return None,
        },
        EachList::Result(name, field) => {
            let step = steps.iter().find(|step| step.name == *name)?;
            step.pattern.entities().first()?.field_at(field)?
        }
    };
    match kind {
        FieldType::List { max, .. } | FieldType::Set { max, .. } => max.map(u64::from),
        _ => None,
    }
}
