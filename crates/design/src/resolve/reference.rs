//! References: the items that they lead to, and those that must exist when they are written.

use std::sync::Arc;

use super::Context;
use super::entity::{Entities, ResolvedEntity};
use super::name;
use super::parameters::stored_alike;
use super::pattern::key_members;
use super::template::find;
use crate::model::{Chooser, Entity, Field, FieldType, NoChooser, Reference};
use crate::syntax::Node;

/// The message and the help of a mistake.
type Problem = (String, String);

/// Adds a mistake for each reference that can't be told apart, and for each with `must_exist` that writes can't check.
pub(super) fn check(context: &Context<'_>, root: &Node, entities: &Entities) {
    for (entry, known) in root.entries("entity").iter().zip(&entities.list) {
        for field in
            known.entity.fields.iter().filter(|field| field.must_exist || !field.refers_to_one_of.is_empty())
        {
            let written = entry.node.entries("fields").iter().find(|entry| entry.name == field.name);
            let Some(written) = written else { continue };
            let key = if field.must_exist { "must_exist" } else { "ref" };
            let span = written.node.entry(key).map_or(written.span, |place| place.span);
            if let Some(Err((message, help))) = targets(entities, known, field) {
                context.mistakes.add_with_help(span, message, help);
            }
        }
    }
}

/// Returns the references of an entity that a write of these fields checks.
pub(super) fn checked(
    entities: &Entities,
    known: &ResolvedEntity,
    written: impl Fn(&str) -> bool,
) -> Vec<Reference> {
    let fields = known.entity.fields.iter().filter(|field| field.must_exist);
    let references = fields.filter_map(|field| targets(entities, known, field)?.ok()).flatten();
    references.filter(|reference| reference.fields().any(&written)).collect()
}

/// Returns the entity that a field refers to, or each of those of which it refers to one; `None` if something about them
/// isn't known because of another mistake.
pub(super) fn targets(
    entities: &Entities,
    known: &ResolvedEntity,
    field: &Field,
) -> Option<Result<Vec<Reference>, Problem>> {
    if !known.sound || known.vague.contains(&field.name) {
        return None;
    }
    let sound = |name: &str| entities.find(name).filter(|target| target.sound);
    let reference = |target: &ResolvedEntity, when: Option<(String, String)>| {
        let key = key(&known.entity, field, &target.entity)?;
        Ok(Reference { field: field.name.clone(), entity: Arc::clone(&target.entity), key, when })
    };
    if let Some(name) = &field.refers_to {
        let target = sound(name)?;
        return Some(reference(target, None).map(|reference| vec![reference]));
    }
    let several: Option<Vec<&ResolvedEntity>> =
        field.refers_to_one_of.iter().map(|name| sound(name)).collect();
    let several = several.filter(|several| !several.is_empty())?;
    let entities: Vec<&Entity> = several.iter().map(|target| &*target.entity).collect();
    let chooser = match Chooser::find(&known.entity, field, &entities) {
        Ok(chooser) => chooser,
        Err(why) => return Some(Err(untold(field, &entities, why))),
    };
    let when = |word| Some((chooser.field.clone(), word));
    Some(several.into_iter().zip(chooser.words).map(|(target, word)| reference(target, when(word))).collect())
}

/// Returns the mistake that nothing tells to which of several entities a field refers.
fn untold(field: &Field, targets: &[&Entity], why: NoChooser) -> Problem {
    match why {
        NoChooser::Ambiguous(one, other) => {
            let message = format!("both `{one}` and `{other}` could tell what `{}` refers to", field.name);
            (message, "give the field that tells it a name with the same beginning".to_owned())
        }
        NoChooser::Missing => {
            let names: Vec<&str> = targets.iter().map(|target| target.name.as_str()).collect();
            let message =
                format!("no field tells whether `{}` refers to {}", field.name, name::list_or(&names));
            let values: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
            let help = format!(
                "add a field with their names as values, such as `kind = {{ type = \"string\", enum = [{}] }}`",
                values.join(", ")
            );
            (message, help)
        }
    }
}

/// Returns the source of each field of the other entity's key: (field of the key, field of this entity).
fn key(entity: &Entity, field: &Field, target: &Entity) -> Result<Vec<(String, String)>, Problem> {
    let members = key_members(target);
    let own = held_member(field, target, members.iter().map(|(path, _)| path.as_str()))?;
    let mut key = Vec::with_capacity(members.len());
    for (path, kind) in &members {
        if path == own {
            let held = match &field.kind {
                FieldType::List { of, .. } | FieldType::Set { of, .. } => of,
                kind => kind,
            };
            if !stored_alike(kind, held) {
                return Err(differ(&field.name, path, target));
            }
            key.push((path.clone(), field.name.clone()));
            continue;
        }
        match find(&entity.fields, path) {
            Some(found) if !stored_alike(kind, found.kind) => return Err(differ(path, path, target)),
            Some(found) if found.optional => {
                return Err((needs(field, target, path), format!("remove `optional` from `{path}`")));
            }
            Some(_) => key.push((path.clone(), path.clone())),
            None => {
                let remedy =
                    if field.must_exist { "remove `must_exist`" } else { "don't follow the reference" };
                let help = format!("add a field `{path}` to `{}`, or {remedy}", entity.name);
                return Err((needs(field, target, path), help));
            }
        }
    }
    Ok(key)
}

fn differ(own: &str, path: &str, target: &Entity) -> Problem {
    let message = format!("`{own}` and `{path}` of `{}` have different types", target.name);
    (message, "give both the same type".to_owned())
}

fn needs(field: &Field, target: &Entity, path: &str) -> String {
    let (name, target) = (&field.name, &target.name);
    format!("`{name}` doesn't identify a `{target}`, whose key also needs `{path}`")
}

/// Returns the field of the other entity's key whose value the reference holds: the one of the same name, the only one, or
/// the only one that isn't a reference itself.
fn held_member<'m>(
    field: &Field,
    target: &Entity,
    members: impl Iterator<Item = &'m str> + Clone,
) -> Result<&'m str, Problem> {
    let is_own = |path: &&str| {
        target
            .field(path)
            .is_some_and(|member| member.refers_to.is_none() && member.refers_to_one_of.is_empty())
    };
    let same = members.clone().find(|path| *path == field.name);
    let mut all = members.clone();
    let only = all.next().filter(|_| all.next().is_none());
    let mut of_its_own = members.clone().filter(is_own);
    let of_its_own = of_its_own.next().filter(|_| of_its_own.next().is_none());
    same.or(only).or(of_its_own).ok_or_else(|| {
        let paths: Vec<&str> = members.collect();
        let message = format!(
            "the key of `{}` has several fields, and `{}` could hold any of them: {}",
            target.name,
            field.name,
            name::list(&paths)
        );
        (message, "give the field the name of the one that it holds".to_owned())
    })
}
