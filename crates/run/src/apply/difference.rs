//! Differences between the design that was applied last and a new one that require existing items to be written again.
//! New patterns, new fields and comments are no such changes.

use super::blueprint::{Blueprint, EntityBlueprint, EntryBlueprint, Pairs, outermost};

/// An entity whose items must be written again, if it has any.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Difference {
    /// The entity, as the new design calls it; as the old one did if the new one doesn't have it.
    pub(super) entity: String,
    /// The value of the type attribute of its items so far.
    pub(super) old_type: String,
    /// The change in words.
    pub(super) reasons: Vec<String>,
    /// The unique constraints whose reservations its items may lack.
    pub(super) unique: Vec<String>,
}

/// The entities that two designs store differently in one table.
pub(super) fn differences(old: &Blueprint, new: &Blueprint) -> Vec<Difference> {
    old.entities.iter().filter_map(|before| difference(old, new, before)).collect()
}

fn difference(old: &Blueprint, new: &Blueprint, before: &EntityBlueprint) -> Option<Difference> {
    // An entity that only got another name still tells its items by their type.
    let renamed = || new.entities.iter().find(|entity| entity.type_name == before.type_name);
    let Some(after) = new.entity(&before.name).or_else(renamed) else {
        return Some(Difference {
            entity: before.name.clone(),
            old_type: before.type_name.clone(),
            reasons: vec!["the design no longer has this entity, so no pattern reads its items".to_owned()],
            unique: Vec::new(),
        });
    };
    let mut reasons = Vec::new();
    if old.type_attribute != new.type_attribute {
        reasons.push(changed("the type attribute", &old.type_attribute, &new.type_attribute));
    }
    if before.type_name != after.type_name {
        reasons.push(changed("the type", &before.type_name, &after.type_name));
    }
    templates(&before.key, &after.key, "", &mut reasons);
    entries(before, after, new, &mut reasons);
    types(before, after, &mut reasons);
    let mut defaulted = defaults(before, after, &mut reasons);
    defaulted.extend(computed(before, after, &mut reasons));
    if before.ttl != after.ttl {
        let words = |ttl: &Option<String>| ttl.clone().unwrap_or_else(|| "none".to_owned());
        reasons.push(changed("the time to live", &words(&before.ttl), &words(&after.ttl)));
    }
    // The key of a reservation has the entity's name and the separator in it.
    let is_moved = before.name != after.name || old.separator != new.separator;
    let is_new = |fields: &String| is_moved || !before.unique.contains(fields);
    for fields in after.unique.iter().filter(|fields| is_new(fields)) {
        reasons
            .push(format!("`{fields}` must be unique now, and items that are there have reserved no value"));
    }
    // A value may be a text with fields in braces.
    let is_defaulted = |unique: &String| defaulted.iter().any(|field| unique.contains(field));
    let unique = after.unique.iter().filter(|fields| is_new(fields) || is_defaulted(fields));
    let unique: Vec<String> = unique.cloned().collect();
    let (entity, old_type) = (after.name.clone(), before.type_name.clone());
    (!reasons.is_empty()).then_some(Difference { entity, old_type, reasons, unique })
}

/// Notes the fields whose types changed.
fn types(before: &EntityBlueprint, after: &EntityBlueprint, reasons: &mut Vec<String>) {
    for (field, kind) in &after.fields {
        match before.fields.iter().find(|(known, _)| known == field) {
            Some((_, old_kind)) if old_kind != kind => {
                reasons.push(changed(&format!("the type of `{field}`"), old_kind, kind));
            }
            _ => {}
        }
    }
}

/// Notes the fields whose defaults changed, or may have changed, and returns them. A field that decided nothing before
/// has another reason.
fn defaults<'a>(
    before: &EntityBlueprint,
    after: &'a EntityBlueprint,
    reasons: &mut Vec<String>,
) -> Vec<&'a str> {
    let default = |of: &EntityBlueprint, field: &str| match &of.defaults {
        None => "unknown".to_owned(),
        Some(defaults) => {
            let known = defaults.iter().find(|(known, _)| known == field);
            known.map_or_else(|| "none".to_owned(), |(_, default)| default.clone())
        }
    };
    let decided = |field: &str| before.fields.iter().any(|(path, _)| outermost(path) == field);
    let mut differing: Vec<&str> = Vec::new();
    for field in after.fields.iter().map(|(path, _)| outermost(path)) {
        let (old, new) = (default(before, field), default(after, field));
        let is_same = old == new || (before.defaults.is_none() && new == "none");
        if !is_same && !differing.contains(&field) && (before.defaults.is_none() || decided(field)) {
            reasons.push(changed(&format!("the default of `{field}`"), &old, &new));
            differing.push(field);
        }
    }
    differing
}

/// Notes the computed fields whose value changed, or may have changed, and returns them. A new one has no items that
/// hold another value.
fn computed<'a>(
    before: &EntityBlueprint,
    after: &'a EntityBlueprint,
    reasons: &mut Vec<String>,
) -> Vec<&'a str> {
    let mut differing = Vec::new();
    for (field, value) in after.computed.iter().flatten() {
        let old = match &before.computed {
            None => Some("unknown"),
            Some(known) => known.iter().find(|(name, _)| name == field).map(|(_, value)| value.as_str()),
        };
        if let Some(old) = old.filter(|old| old != value) {
            reasons.push(changed(&format!("the value of `{field}`"), old, value));
            differing.push(field.as_str());
        }
    }
    differing
}

fn entries(before: &EntityBlueprint, after: &EntityBlueprint, new: &Blueprint, reasons: &mut Vec<String>) {
    for entry in &after.entries {
        match before.entries.iter().find(|known| known.index == entry.index) {
            None => reasons.push(format!("it is new in the index {}: {}", entry.index, in_words(entry))),
            Some(known) => {
                // A local index shares the table's partition key, which is compared by itself.
                let is_own = |(attribute, _): &&(String, String)| {
                    !after.key.iter().any(|(known, _)| known == attribute)
                };
                let key: Pairs = entry.key.iter().filter(is_own).cloned().collect();
                templates(&known.key, &key, &format!(" in the index {}", entry.index), reasons);
                if known.when != entry.when {
                    let words = |when: &[String]| {
                        if when.is_empty() { "always".to_owned() } else { when.join(" and ") }
                    };
                    let what = format!("the condition to be in the index {}", entry.index);
                    reasons.push(changed(&what, &words(&known.when), &words(&entry.when)));
                }
            }
        }
    }
    for known in &before.entries {
        let is_gone = !after.entries.iter().any(|entry| entry.index == known.index);
        if is_gone && new.indexes.contains(&known.index) {
            reasons.push(format!("it is no longer in the index {}, where its items still are", known.index));
        }
    }
}

/// Notes the templates that changed.
fn templates(before: &Pairs, after: &Pairs, place: &str, reasons: &mut Vec<String>) {
    for (attribute, template) in after {
        match before.iter().find(|(known, _)| known == attribute) {
            Some((_, old)) if old == template => {}
            Some((_, old)) => reasons.push(changed(&format!("`{attribute}`{place}"), old, template)),
            None => reasons.push(format!("`{attribute}`{place} is new: `{template}`")),
        }
    }
}

fn changed(what: &str, old: &str, new: &str) -> String {
    format!("{what}: `{old}` -> `{new}`")
}

fn in_words(entry: &EntryBlueprint) -> String {
    let key = entry.key.iter().map(|(attribute, template)| format!("`{attribute}` = `{template}`"));
    key.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticket(defaults: Option<&[(&str, &str)]>) -> Blueprint {
        let owned = |(name, text): &(&str, &str)| ((*name).to_owned(), (*text).to_owned());
        let entity = EntityBlueprint {
            name: "Ticket".to_owned(),
            unique: vec!["state".to_owned()],
            fields: [("state", "string"), ("place.room", "string")].iter().map(owned).collect(),
            defaults: defaults.map(|defaults| defaults.iter().map(owned).collect()),
            ..EntityBlueprint::default()
        };
        Blueprint { entities: vec![entity], ..Blueprint::default() }
    }

    fn reasons(old: &Blueprint, new: &Blueprint) -> Vec<String> {
        differences(old, new).into_iter().flat_map(|difference| difference.reasons).collect()
    }

    #[test]
    fn a_default_that_comes_goes_or_changes_is_a_difference() {
        let (none, open) = (ticket(Some(&[])), ticket(Some(&[("state", "\"open\"")])));
        assert_eq!(reasons(&none, &open), ["the default of `state`: `none` -> `\"open\"`"]);
        assert_eq!(reasons(&open, &none), ["the default of `state`: `\"open\"` -> `none`"]);
        let placed = ticket(Some(&[("place", "{}")]));
        assert_eq!(reasons(&none, &placed), ["the default of `place`: `none` -> `{}`"]);
        assert_eq!(differences(&none, &placed).first().map(|one| one.unique.len()), Some(0));
        assert_eq!(differences(&none, &open).first().map(|one| one.unique.len()), Some(1));
        assert_eq!(differences(&open, &open), []);
    }

    #[test]
    fn a_record_without_defaults_differs_only_where_a_default_is_now() {
        let (unknown, open) = (ticket(None), ticket(Some(&[("state", "\"open\"")])));
        assert_eq!(reasons(&unknown, &open), ["the default of `state`: `unknown` -> `\"open\"`"]);
        assert_eq!(reasons(&unknown, &ticket(Some(&[]))), [""; 0]);
    }
}
