//! Look-ups by name in a design, computed once for all rules: with them, the time of a review grows with the length of
//! the design, not with its square.

use std::collections::BTreeMap;
use std::sync::Arc;

use singlet_design::{Design, Entity, Operation, Pattern, Relation};

/// The users of each entity and pattern of a design. Every list is in the order of the file.
#[derive(Debug, Default)]
pub(super) struct Directory<'a> {
    entities: BTreeMap<&'a str, &'a Arc<Entity>>,
    patterns: BTreeMap<&'a str, Vec<&'a Arc<Pattern>>>,
    referrers: BTreeMap<&'a str, Vec<&'a Arc<Entity>>>,
    relations: BTreeMap<&'a str, Vec<&'a Relation>>,
    users: BTreeMap<&'a str, Vec<&'a Arc<Pattern>>>,
}

impl<'a> Directory<'a> {
    pub(super) fn of(design: &'a Design) -> Self {
        let mut directory = Directory::default();
        for entity in &design.entities {
            directory.entities.insert(&entity.name, entity);
            for name in
                once(entity.fields.iter().flat_map(|field| {
                    field.refers_to.iter().chain(&field.refers_to_one_of).map(String::as_str)
                }))
            {
                directory.referrers.entry(name).or_default().push(entity);
            }
            for relation in &entity.relations {
                directory.relations.entry(&relation.entity).or_default().push(relation);
            }
        }
        for pattern in &design.patterns {
            for name in once(pattern.runs().into_iter().map(|run| run.name.as_str())) {
                directory.users.entry(name).or_default().push(pattern);
            }
            if !is_composed(&pattern.operation) {
                for name in once(pattern.entities().into_iter().map(|entity| entity.name.as_str())) {
                    directory.patterns.entry(name).or_default().push(pattern);
                }
            }
        }
        directory
    }

    /// The entity of this name.
    pub(super) fn entity(&self, name: &str) -> Option<&'a Arc<Entity>> {
        self.entities.get(name).copied()
    }

    /// The patterns that read or write an entity themselves. Composed patterns run others and aren't among them.
    pub(super) fn patterns_of(&self, entity: &Entity) -> impl Iterator<Item = &'a Arc<Pattern>> {
        listed(&self.patterns, &entity.name)
    }

    /// The entities with a field that refers to an entity.
    pub(super) fn referrers(&self, entity: &Entity) -> impl Iterator<Item = &'a Arc<Entity>> {
        listed(&self.referrers, &entity.name)
    }

    /// The relations of all entities to an entity.
    pub(super) fn relations_to(&self, entity: &Entity) -> impl Iterator<Item = &'a Relation> {
        listed(&self.relations, &entity.name)
    }

    /// The composed patterns that run a pattern.
    pub(super) fn users_of(&self, pattern: &Pattern) -> impl Iterator<Item = &'a Arc<Pattern>> {
        listed(&self.users, &pattern.name)
    }

    /// Whether a pattern deletes items of an entity.
    pub(super) fn is_deleted(&self, entity: &Entity) -> bool {
        self.patterns_of(entity).any(|pattern| matches!(pattern.operation, Operation::Delete(_)))
    }
}

fn listed<'a, T>(lists: &BTreeMap<&'a str, Vec<&'a T>>, name: &str) -> impl Iterator<Item = &'a T> {
    lists.get(name).into_iter().flatten().copied()
}

fn is_composed(operation: &Operation) -> bool {
    use Operation::{Bulk, Claim, Gather, Merge, Parts, Transaction};
    matches!(operation, Transaction(_) | Parts(_) | Merge(_) | Gather(_) | Claim(_) | Bulk(_))
}

fn once<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    names.dedup();
    names
}
