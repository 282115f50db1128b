//! References whose items must exist when they are written: `must_exist = true`.

use std::sync::Arc;

use super::Context;
use super::entity::{Entities, ResolvedEntity};
use super::name;
use super::parameters::stored_alike;
use super::pattern::key_members;
use super::template::find;
use crate::model::{Entity, Field, Reference};
use crate::syntax::Node;

/// The message and the help of a mistake.
type Problem = (String, String);

/// Adds a mistake for each reference with `must_exist` that writes can't check.
pub(super) fn check(context: &Context<'_>, root: &Node, entities: &Entities) {
    for (entry, known) in root.entries("entity").iter().zip(&entities.list) {
        for field in known.entity.fields.iter().filter(|field| field.must_exist) {
            let written = entry.node.entries("fields").iter().find(|entry| entry.name == field.name);
            let Some(place) = written.and_then(|entry| entry.node.entry("must_exist")) else { continue };
            let Some(target) = target(entities, known, field) else { continue };
            if let Err((message, help)) = key(&known.entity, field, &target.entity) {
                context.mistakes.add_with_help(place.span, message, help);
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
    let reference = |field: &Field| {
        let target = target(entities, known, field)?;
        let key = key(&known.entity, field, &target.entity).ok()?;
        let touched = key.iter().any(|(_, own)| written(own));
        touched.then(|| Reference { field: field.name.clone(), entity: Arc::clone(&target.entity), key })
    };
    fields.filter_map(reference).collect()
}

/// Returns the entity that a field refers to, if both are known.
fn target<'e>(entities: &'e Entities, known: &ResolvedEntity, field: &Field) -> Option<&'e ResolvedEntity> {
    let target = entities.find(field.refers_to.as_deref()?)?;
    (target.sound && known.sound && !known.vague.contains(&field.name)).then_some(target)
}

/// Returns the source of each field of the other entity's key: (field of the key, field of this entity).
fn key(entity: &Entity, field: &Field, target: &Entity) -> Result<Vec<(String, String)>, Problem> {
    let members = key_members(target);
    let own = held_member(field, target, members.iter().map(|(path, _)| path.as_str()))?;
    let mut key = Vec::with_capacity(members.len());
    for (path, kind) in &members {
        let (source, found) = if path == own {
            (field.name.clone(), find(&entity.fields, &field.name))
        } else {
            (path.clone(), find(&entity.fields, path))
        };
        match found {
            Some(found) if !stored_alike(kind, found.kind) => {
                let message = format!("`{source}` and `{path}` of `{}` have different types", target.name);
                return Err((message, "give both the same type".to_owned()));
            }
            Some(found) if found.optional && source != field.name => {
                return Err((needs(field, target, path), format!("remove `optional` from `{path}`")));
            }
            Some(_) => key.push((path.clone(), source)),
            None => {
                let help = format!("add a field `{path}` to `{}`, or remove `must_exist`", entity.name);
                return Err((needs(field, target, path), help));
            }
        }
    }
    Ok(key)
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
    let is_own = |path: &&str| target.field(path).is_some_and(|member| member.refers_to.is_none());
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
