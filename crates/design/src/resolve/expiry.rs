//! Indexes that hold items which expire carry the time of expiry.

use super::entity::EntityDraft;
use super::table::TableDraft;

/// Lets such indexes carry the ttl attribute, whatever they project: a read through one has to know what is over.
pub(super) fn carry(tables: &mut [TableDraft], entities: &[EntityDraft<'_>]) {
    for (position, draft) in tables.iter_mut().enumerate() {
        let Some(ttl) = draft.table.ttl.clone() else { continue };
        let expires = |entity: &&EntityDraft<'_>| {
            let has_it = entity.fields.list.iter().any(|field| field.name == ttl);
            entity.table == Some(position) && (has_it || entity.node.get("ttl").is_some())
        };
        let expiring: Vec<&EntityDraft<'_>> = entities.iter().filter(expires).collect();
        for index in &mut draft.indexes {
            let is_in =
                |entity: &EntityDraft<'_>| entity.entries.iter().any(|entry| entry.index == index.name);
            if expiring.iter().any(|entity| is_in(entity)) {
                index.projection.include(&ttl);
            }
        }
    }
}
