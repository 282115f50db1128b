//! One change, with the difference.

use maud::{Markup, html};
use singlet_design::{Design, Table, time_of_ms};
use singlet_store::RecordedChange;

use crate::difference::changes;
use crate::keys::{entity_of, split};
use crate::link::Link;
use crate::parts::entity_tag;

/// A line about a change, which unfolds to the difference.
pub(super) fn change(design: &Design, table: &Table, change: &RecordedChange) -> Markup {
    let any = change.after.as_ref().or(change.before.as_ref());
    let entity = any.and_then(|item| entity_of(design, table, item.view())).map(AsRef::as_ref);
    let [before, after] =
        [&change.before, &change.after].map(|item| item.as_ref().and_then(|item| item.decode().ok()));
    let (word, class) = match (&change.before, &change.after) {
        (None, _) => ("created", "mark made"),
        (_, None) => ("deleted", "mark gone"),
        _ => ("changed", "mark"),
    };
    let time = time_of_ms(change.time_ms);
    let key = after.as_ref().or(before.as_ref());
    let link = any.and_then(|item| Link::item(&design.name, table, item.view()));
    html! {
        li {
            details.compared {
                summary {
                    time datetime=(time) { (time) }
                    @match entity {
                        Some(entity) => (entity_tag(design, &entity.name)),
                        None => span.entity.none { "other" },
                    }
                    span.changed-key { @for attribute in table.key() {
                        @if let Some(value) = key.and_then(|item| item.get(&attribute.name)) {
                            (split(entity, &attribute.name, value)) " "
                        }
                    } }
                    span class=(class) { (word) }
                }
                (changes(design, entity, before.as_ref(), after.as_ref()))
                @if let Some(link) = link { p.actions { a href=(link) { "The item now" } } }
            }
        }
    }
}
