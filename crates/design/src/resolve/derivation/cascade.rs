//! Resolves items that are deleted with the item that they refer to.

use std::sync::Arc;

use super::entity;
use crate::model::{Cascade, Child};
use crate::resolve::Context;
use crate::resolve::entity::{Entities, ResolvedEntity};
use crate::resolve::referral::{Linker, Party};
use crate::syntax::{Entry, Node};

/// Resolves one derivation.
pub(super) struct CascadeDraft<'r> {
    pub(super) context: &'r Context<'r>,
    pub(super) entities: &'r Entities,
    pub(super) entry: &'r Entry,
}

impl CascadeDraft<'_> {
    pub(super) fn cascade(&self) -> Option<Cascade> {
        let node = &self.entry.node;
        let parent = entity(self.context, self.entities, node.get("of")?)?;
        let places = node.get("delete")?;
        let mut children: Vec<Child> = Vec::new();
        for place in places.list().unwrap_or(std::slice::from_ref(places)) {
            let Some(child) = self.child(parent, place) else { continue };
            if children.iter().any(|known| known.entity.name == child.entity.name) {
                let message = format!("`{}` appears twice", child.entity.name);
                self.context.mistakes.add(place.span, message);
                continue;
            }
            children.push(child);
        }
        (!children.is_empty()).then(|| Cascade { parent: Arc::clone(&parent.entity), children })
    }

    fn child(&self, parent: &ResolvedEntity, place: &Node) -> Option<Child> {
        let child = entity(self.context, self.entities, place)?;
        if !child.entity.unique.is_empty() {
            self.context.mistakes.add_with_help(
                place.span,
                format!(
                    "items of `{}` can't be deleted here, because they have unique values",
                    child.entity.name
                ),
                "unique values are released by patterns; delete these items with a pattern",
            );
            return None;
        }
        let (named, naming) = (Party::of_entity(&parent.entity), Party::of_entity(&child.entity));
        let via = self.entry.node.get("via");
        let linker = Linker { context: self.context, named: &named, naming: &naming, via, place };
        Some(Child { entity: Arc::clone(&child.entity), referral: linker.referral()? })
    }
}
