//! Answers of patterns: as tables, as cards and as JSON.

use maud::{Markup, html};
use singlet_design::{Design, Json};
use singlet_run::{BulkReport, Outcome, Record};
use singlet_values::Item;

use super::call::{CURSOR, View, in_view};
use crate::figures::{counted, grouped};
use crate::icon::Icon;
use crate::link::Link;
use crate::parts::{empty, entity_tag, scrolling};
use crate::text::Unhidden;
use crate::value::{self, Owner, Room};

/// Links to the views of an answer.
pub(super) fn views(base: &Link, current: View) -> Markup {
    html! {
        nav.views aria-label="Views of the answer" {
            @for view in View::ALL {
                a href=(in_view(base, view)) aria-current=[(view == current).then_some("true")] { (view.word()) }
            }
        }
    }
}

/// An answer in a view. `base` is the address of its first page.
pub(super) fn outcome(design: &Design, outcome: &Outcome, view: View, base: &Link) -> Markup {
    let base = in_view(base, view);
    if view == View::Json {
        let json = outcome.to_json();
        return html! {
            (scrolling("Answer as JSON", &html! { pre.json { code { (Unhidden(&format!("{json:#}"))) } } }))
            (pages(outcome, &base))
        };
    }
    Answer { design, view }.show(outcome, &base)
}

/// An answer for people.
struct Answer<'a> {
    design: &'a Design,
    view: View,
}

impl Answer<'_> {
    fn show(&self, outcome: &Outcome, base: &Link) -> Markup {
        match outcome {
            Outcome::Item(Some(record)) | Outcome::Written(record) | Outcome::Deleted(Some(record)) => {
                self.card(record)
            }
            Outcome::Item(None) => empty("No such item", &html! { "Nothing is stored under this key." }),
            Outcome::Deleted(None) => {
                empty("There was no such item", &html! { "Nothing had to be deleted." })
            }
            Outcome::Exists(there) => figure(if *there { "It exists" } else { "It doesn’t exist" }),
            Outcome::Checked => figure("The condition holds"),
            Outcome::Count { count, more } => {
                figure(&format!("{}{}", grouped(*count), if *more { " or more" } else { "" }))
            }
            Outcome::Items { records, .. } => html! { (self.records(records)) (pages(outcome, base)) },
            Outcome::Gathered { records, is_cut, .. } => html! {
                (self.records(records))
                @if *is_cut { p.about { "Some elements had more hits than were read." } }
                (pages(outcome, base))
            },
            Outcome::Bulk(report) => html! { (bulk(report)) (pages(outcome, base)) },
            Outcome::Parts(parts) => html! {
                @for (name, part) in parts { section.part { h3 { (name) } (self.show(part, base)) } }
            },
            Outcome::Each(outcomes) => html! { @for one in outcomes { (self.show(one, base)) } },
        }
    }

    fn records(&self, records: &[Record]) -> Markup {
        html! {
            @if records.is_empty() {
                (empty("No items", &html! { "Nothing that the pattern may return is stored under this key." }))
            } @else if self.view == View::Cards {
                ul.records { @for record in records { li { (self.card(record)) } } }
            } @else {
                (self.table(records))
            }
        }
    }

    fn table(&self, records: &[Record]) -> Markup {
        let answers: Vec<Json> = records.iter().map(Record::to_json).collect();
        let mut columns: Vec<&str> = Vec::new();
        for (name, _) in answers.iter().filter_map(Json::as_object).flatten() {
            if !columns.contains(&name.as_str()) {
                columns.push(name);
            }
        }
        scrolling(
            "Answer",
            &html! {
                table.items {
                    thead { tr {
                        th scope="col" { "Item" }
                        @for column in &columns { th scope="col" { (column) } }
                    } }
                    tbody {
                        @for (record, answer) in records.iter().zip(&answers) {
                            @let item = record.item.decode().unwrap_or_default();
                            tr {
                                th scope="row" { (self.tag(record)) }
                                @for column in &columns {
                                    td { @if let Some(value) = answer.get(column) {
                                        (self.value(record, &item, column, value, Room::Cell))
                                    } }
                                }
                            }
                        }
                    }
                }
            },
        )
    }

    fn card(&self, record: &Record) -> Markup {
        let answer = record.to_json();
        let item = record.item.decode().unwrap_or_default();
        html! {
            article.record {
                header { (self.tag(record)) }
                dl.attributes {
                    @for (name, value) in answer.as_object().unwrap_or_default() {
                        div { dt { (name) } dd { (self.value(record, &item, name, value, Room::Page)) } }
                    }
                }
            }
        }
    }

    /// The entity of an item, which leads to its page if the answer has its key.
    fn tag(&self, record: &Record) -> Markup {
        let entity = &record.shown.entity;
        let tag = entity_tag(self.design, &entity.name);
        match Link::item(&self.design.name, &entity.table, record.item.view()) {
            Some(link) => html! { a href=(link) { (tag) } },
            None => tag,
        }
    }

    fn value(&self, record: &Record, item: &Item, name: &str, json: &Json, room: Room) -> Markup {
        let is_resolved = record.resolved.iter().flatten().any(|(resolved, _)| resolved == name);
        match item.get(name).filter(|_| !is_resolved) {
            Some(value) => {
                Owner { design: self.design, entity: &record.shown.entity, item }.attribute(name, value, room)
            }
            None => value::json(None, json, room),
        }
    }
}

fn figure(text: &str) -> Markup {
    html! { p.figure { (text) } }
}

/// The result of one batch of a bulk write.
fn bulk(report: &BulkReport) -> Markup {
    html! {
        p.figure { (counted(usize::try_from(report.done).unwrap_or(usize::MAX), "element")) " written" }
        @if let Some(reason) = &report.stopped { p.problem role="alert" { (Icon::Error) span { (reason) } } }
        @if !report.failed.is_empty() {
            ul { @for failure in &report.failed { li { code { (failure.element.to_string()) } " " (failure.reason) } } }
        }
    }
}

/// Links to the pages before and after.
fn pages(outcome: &Outcome, base: &Link) -> Markup {
    let (cursor, previous) = match outcome {
        Outcome::Items { cursor, previous, .. } => (cursor.as_ref(), previous.as_ref()),
        Outcome::Gathered { cursor, .. } => (cursor.as_ref(), None),
        // The next batch of a bulk write is another write.
        _ => (None, None),
    };
    html! {
        @if cursor.is_some() || previous.is_some() {
            nav.pages aria-label="Pages" {
                @if let Some(previous) = previous {
                    @let link = base.clone().with(CURSOR, previous.to_string());
                    a.button rel="prev" href=(link) { (Icon::Back) "Previous page" }
                }
                @if let Some(cursor) = cursor {
                    @let link = base.clone().with(CURSOR, cursor.to_string());
                    a.button rel="next" href=(link) { "Next page" (Icon::Forward) }
                }
            }
        }
    }
}
