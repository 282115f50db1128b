//! References: the items that they lead to, and those that must exist when they are written.

use std::sync::Arc;

use super::Context;
use super::entity::{Entities, ResolvedEntity};
use super::name;
use super::parameters::stored_alike;
use super::pattern::key_members;
use super::template::find;
use crate::model::{Entity, Field, FieldType, Reference};
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
    let references = match chooser(&known.entity, field, &several) {
        Ok((by, words)) => {
            let pairs = several.into_iter().zip(words);
            pairs.map(|(target, word)| reference(target, Some((by.clone(), word)))).collect()
        }
        Err(problem) => Err(problem),
    };
    Some(references)
}

/// Returns the field that tells to which of several entities a field refers, and its value for each of them: the field
/// whose values are their names. Of several such fields, it is the one whose name has the most letters in common with the
/// beginning of the reference's name.
fn chooser(
    entity: &Entity,
    field: &Field,
    targets: &[&ResolvedEntity],
) -> Result<(String, Vec<String>), Problem> {
    let mut found: Vec<(usize, &str, Vec<String>)> = Vec::new();
    for other in &entity.fields {
        let FieldType::Choice(choices) = &other.kind else { continue };
        let word = |target: &&ResolvedEntity| {
            let names = |choice: &&String| is_name_of(choice, &target.entity);
            choices.iter().find(names).cloned()
        };
        let words: Option<Vec<String>> = targets.iter().map(word).collect();
        if let Some(words) = words.filter(|words| words.len() == choices.len()) {
            let letters = other.name.chars().zip(field.name.chars());
            found.push((letters.take_while(|(one, other)| one == other).count(), &other.name, words));
        }
    }
    found.sort_by_key(|(letters, ..)| std::cmp::Reverse(*letters));
    let names: Vec<&str> = targets.iter().map(|target| target.entity.name.as_str()).collect();
    let mut found = found.into_iter();
    match (found.next(), found.next()) {
        (Some((first, by, _)), Some((second, other, _))) if first == second => {
            let message = format!("both `{by}` and `{other}` could tell what `{}` refers to", field.name);
            Err((message, "give the field that tells it a name with the same beginning".to_owned()))
        }
        (Some((_, by, words)), _) => Ok((by.to_owned(), words)),
        (None, _) => {
            let message =
                format!("no field tells whether `{}` refers to {}", field.name, name::list_or(&names));
            let values: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
            let help = format!(
                "add a field with their names as values, such as `kind = {{ type = \"string\", enum = [{}] }}`",
                values.join(", ")
            );
            Err((message, help))
        }
    }
}

/// Returns whether a value names an entity: by its name or its type, with letters of any case and any separators.
fn is_name_of(value: &str, entity: &Entity) -> bool {
    let plain = |text: &str| -> String {
        text.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    };
    plain(value) == plain(&entity.name) || plain(value) == plain(&entity.type_name)
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
