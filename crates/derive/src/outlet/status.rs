//! How far the outlets of a design are.

use singlet_design::{DerivationKind, Design, Event};
use singlet_store::Store;

use super::archiver::{KIND, archives};
use super::intake::{OutletStatus, Saved};
use crate::error::DeriveError;
use crate::progress::owner;

/// Returns whether a design archives items.
pub fn has_archive(design: &Design) -> bool {
    archives(design).next().is_some()
}

/// A rule whose effects are outside the database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutletRule {
    /// Its name: `derive.archive_sessions`.
    pub name: String,
    /// The rule in words: `Session archived when it expires`.
    pub meaning: String,
}

/// Returns the rules of a design whose effects are outside the database.
pub fn outlet_rules(design: &Design) -> Vec<OutletRule> {
    let outlets = design.derivations.iter().filter_map(|derivation| {
        let triggers = derivation.triggers();
        let effect = match &derivation.kind {
            DerivationKind::Archive(_) => "archived",
            DerivationKind::Set(_)
            | DerivationKind::Make(_)
            | DerivationKind::Fan(_)
            | DerivationKind::Delete(_) => return None,
        };
        let each = triggers.iter().map(|trigger| {
            let events: Vec<&str> = trigger.events.iter().map(|event| passive(*event)).collect();
            format!("{} {effect} when it {}", trigger.entity.name, events.join(" or "))
        });
        let meaning = each.collect::<Vec<_>>().join(", ");
        Some(OutletRule { name: format!("derive.{}", derivation.name), meaning })
    });
    outlets.collect()
}

fn passive(event: Event) -> &'static str {
    match event {
        Event::Create => "is created",
        Event::Change => "is changed",
        Event::Delete => "is deleted",
        Event::Expire => "expires",
    }
}

/// Returns how far the archive of a design is.
pub async fn archive_status(
    store: &impl Store,
    design: &Design,
    environment: &str,
) -> Result<OutletStatus, DeriveError> {
    Ok(Saved::read(store, &owner(design, environment), KIND).await?.status)
}
