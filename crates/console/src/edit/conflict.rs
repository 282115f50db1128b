//! The page of a form whose item has changed since it was opened: what is stored now beside what was entered.

use axum::http::HeaderMap;
use axum::response::Response;
use maud::{Markup, html};
use singlet_run::ItemVersion;
use singlet_store::Store;
use singlet_values::Item;

use super::draft::{Draft, DraftInput};
use super::form::{EditPage, carried, problem, shown};
use super::save::{STEP, Step, VERSION};
use crate::parts::scrolling;
use crate::text::Visible;

impl<S: Store> EditPage<'_, S> {
    /// Shows the item as it is now, the changes that were entered, and a button that makes them on the present item.
    pub(super) fn conflict(&self, headers: &HeaderMap, draft: &Draft, present: &Item) -> Response {
        let moved = draft.on(self.entity, present);
        let version = ItemVersion::of(self.served.design(), self.entity, Some(present));
        let rows: Vec<(&DraftInput, &DraftInput)> = moved
            .inputs
            .iter()
            .filter_map(|now| Some((now, draft.inputs.iter().find(|input| input.field == now.field)?)))
            .filter(|(now, mine)| mine.is_changed() || now.was != mine.was)
            .collect();
        self.response(headers, |_| {
            html! {
                (problem(&html! {
                    "Somebody else has changed the item since you opened it. Nothing was written."
                }))
                section.block aria-labelledby="both" {
                    h2 #both { "Both versions" }
                    (scrolling("Both versions", &html! {
                        table.difference {
                            thead { tr {
                                th scope="col" { "Field" } th scope="col" { "Stored now" } th scope="col" { "Yours" }
                            } }
                            tbody { @for (now, mine) in &rows { (self.both(now, mine, present)) } }
                        }
                    }))
                }
                form.confirm method="post" action=(self.address()) {
                    input type="hidden" name=(VERSION) value=(version);
                    (carried(&moved))
                    button.primary type="submit" name=(STEP) value=(Step::Preview.word()) {
                        "Make my changes to the stored item"
                    }
                    button type="submit" name=(STEP) value=(Step::Edit.word()) { "Change further" }
                    a.button href=(self.back()) { "Drop my changes" }
                }
            }
        })
    }

    fn both(&self, now: &DraftInput, mine: &DraftInput, present: &Item) -> Markup {
        let is_theirs = now.was != mine.was;
        let field = self.entity.field(&now.field);
        html! {
            tr {
                th scope="row" { (now.field) }
                td.value {
                    @if let Some(field) = field { (shown(field, present)) }
                    " " @if is_theirs { span.mark { "changed by somebody else" } }
                }
                td.value {
                    @match (mine.is_changed(), mine.text.is_empty()) {
                        (false, _) => span.none { "not changed by you" },
                        (true, true) => span.none { "removed" },
                        (true, false) => ins { (Visible(&mine.text)) },
                    }
                    " " @if is_theirs && mine.is_changed() { span.mark.writes { "replaces theirs" } }
                }
            }
        }
    }
}
