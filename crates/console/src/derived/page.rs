//! The contents of the page of derived data.

use maud::{Markup, html};
use singlet_derive::{AuditReport, Counters, DerivedStatus, Difference, Phase, Stuck};
use singlet_store::{Clock, History, SystemClock};
use singlet_values::AttributeValue;

use crate::audits::AuditRun;
use crate::console::{Console, Permission, Served};
use crate::figures::{elapsed, grouped};
use crate::guard::{Session, TOKEN};
use crate::icon::Icon;
use crate::keys::split;
use crate::link::Link;
use crate::parts::{empty, entity_tag, head, heading, prose, scrolling};
use crate::value::{Room, attribute};

/// The differences that the page lists.
const DIFFERENCES_MAX: usize = 100;

/// Everything that is on the page.
pub(super) struct DerivedPage<'a, S> {
    pub(super) console: &'a Console<S>,
    pub(super) served: &'a Served<S>,
    pub(super) state: &'a Result<DerivedStatus, String>,
    pub(super) audit: Option<&'a AuditRun>,
    pub(super) session: &'a Session,
}

impl<S: History> DerivedPage<'_, S> {
    pub(super) fn content(&self) -> Markup {
        html! {
            (tabs(self.served.name(), true))
            (heading(&html! { "Derived data" }, Some("Fields that follow from other items, and how far each rule is.")))
            @match self.state {
                Err(reason) => p.problem role="alert" { (Icon::Error) span { (prose(reason)) } },
                Ok(state) if state.rules.is_empty() => (empty("No derived fields", &html! {
                    "Nothing in the design follows from other items: " code { "likes = { type = \"int\", count = \"Like\" }" } " would."
                })),
                Ok(state) => {
                    (self.figures(state))
                    (self.rules(state))
                    (self.stuck(&state.stuck_items))
                    (self.audited())
                }
            }
        }
    }

    fn figures(&self, state: &DerivedStatus) -> Markup {
        let counters = self.served.counters();
        html! {
            dl.tiles {
                @if let Some(counters) = counters { (worker(counters)) }
                div { dt { "batches written" } dd { (grouped(state.batches)) } }
                div { dt { "tasks under way" } dd { (grouped(state.tasks)) } }
                div { dt { "waiting for an item" } dd { (grouped(state.waiting)) } }
                div { dt { "stuck" } dd { (grouped(state.stuck)) } }
            }
        }
    }

    fn can_write(&self) -> bool {
        self.console.permission == Permission::Write
    }

    fn hidden(&self) -> Markup {
        html! { input type="hidden" name=(TOKEN) value=(self.console.guard.token(self.session)); }
    }

    fn rules(&self, state: &DerivedStatus) -> Markup {
        let address = Link::derived(self.served.name());
        html! {
            section.block aria-labelledby="rules" {
                h2 #rules { "Rules" }
                (scrolling("Rules", &html! {
                    table {
                        (head(&["Name", "Meaning", "State", "Rebuild"]))
                        tbody {
                            @for rule in &state.rules {
                                tr {
                                    th scope="row" { code { (rule.name) } }
                                    td { (rule.meaning) }
                                    td { span class={ "mark" @if rule.phase == Phase::Ready { " made" } } { (rule.phase.word()) } }
                                    td {
                                        @if self.can_write() {
                                            form.row-actions method="post" action=(address) {
                                                (self.hidden())
                                                input type="hidden" name="rule" value=(rule.name);
                                                button type="submit" name="action" value="rebuild" aria-label=(format!("Rebuild {}", rule.name)) { "Rebuild" }
                                            }
                                        }
                                    }
                                }
                            }
                        }
                    }
                }))
            }
        }
    }

    fn stuck(&self, items: &[Stuck]) -> Markup {
        let design = self.served.design();
        html! {
            @if !items.is_empty() {
                section.block aria-labelledby="stuck" {
                    h2 #stuck { "Items that can’t take their values" }
                    ul.rows {
                        @for item in items {
                            @let entity = design.entity(&item.entity);
                            li {
                                (entity_tag(design, &item.entity))
                                span { @for (name, value) in item.key.iter() { (split(entity.map(AsRef::as_ref), name, value)) " " } }
                                @if let Some(link) = entity.and_then(|entity| Link::item_with_key(&design.name, &entity.table, &item.key)) {
                                    a href=(link) { "open" }
                                }
                                span.about { (prose(&item.reason)) }
                            }
                        }
                    }
                }
            }
        }
    }

    fn audited(&self) -> Markup {
        let address = Link::derived(self.served.name());
        let is_running = self.audit.is_some_and(|run| run.outcome().is_none());
        html! {
            section.block aria-labelledby="audit" {
                h2 #audit { "Audit" }
                p.about { "An audit counts every derived field again from the items, twice, and lists what differs both times." }
                @if self.can_write() && !is_running {
                    form.confirm method="post" action=(address) {
                        (self.hidden())
                        button type="submit" name="action" value="audit" { (Icon::Fine) "Audit now" }
                    }
                }
                @match self.audit.map(|run| (run, run.outcome())) {
                    None => {},
                    Some((run, None)) => p.effort role="status" {
                        "The audit is under way: " (grouped(run.read())) " items read. "
                        a href=(address) { "Look again" }
                    },
                    Some((_, Some(Err(reason)))) => p.problem role="alert" { (Icon::Error) span { (prose(reason)) } },
                    Some((run, Some(Ok(report)))) => (self.report(run, report)),
                }
            }
        }
    }

    fn report(&self, run: &AuditRun, report: &AuditReport) -> Markup {
        html! {
            p.effort {
                (grouped(report.items)) " items read, " (grouped(report.fields)) " fields compared, "
                (grouped(report.differing)) " differ"
                @if !report.filling.is_empty() { "; not yet filled: " (report.filling.join(", ")) }
            }
            @if report.differing == 0 { p.notice { (Icon::Fine) "Every derived field is correct." } }
            @else {
                (scrolling("Differences", &html! {
                    table {
                        (head(&["Item", "Field", "Stored", "Correct"]))
                        tbody { @for difference in report.differences.iter().take(DIFFERENCES_MAX) { (self.difference(difference)) } }
                    }
                }))
                @match run.repaired() {
                    Some(Ok(count)) => p.notice { (Icon::Fine) (grouped(*count)) " differences were repaired." },
                    Some(Err(reason)) => p.problem role="alert" { (Icon::Error) span { (prose(reason)) } },
                    None if self.can_write() => {
                        form.confirm method="post" action=(Link::derived(self.served.name())) {
                            (self.hidden())
                            button.primary type="submit" name="action" value="repair" { (Icon::Write) "Repair" }
                            span.about { "Refused if a worker has written since the audit. Rebuild the rule then." }
                        }
                    }
                    None => {},
                }
            }
        }
    }

    fn difference(&self, difference: &Difference) -> Markup {
        let design = self.served.design();
        let entity = design.entity(&difference.entity);
        let link =
            entity.and_then(|entity| Link::item_with_key(&design.name, &entity.table, &difference.key));
        let value = |value: &Option<AttributeValue>| match value {
            Some(value) => attribute(None, value, Room::Cell),
            None => html! { span.none { "missing" } },
        };
        html! {
            tr {
                th scope="row" {
                    @match link {
                        Some(link) => a href=(link) { (entity_tag(design, &difference.entity)) },
                        None => (entity_tag(design, &difference.entity)),
                    }
                }
                td { code { (difference.field) } }
                td { (value(&difference.stored)) }
                td { (value(&difference.correct)) }
            }
        }
    }
}

/// The figures of the worker.
fn worker(counters: &Counters) -> Markup {
    let lag = std::time::Duration::from_millis(counters.lag_ms(SystemClock.now_ms()));
    html! {
        div { dt { "lag" } dd { (elapsed(lag)) } }
        div { dt { "changes taken in" } dd { (grouped(counters.changes_total())) } }
        div { dt { "failures" } dd { (grouped(counters.failures_total())) } }
    }
}

/// The pages about changes. Webhooks and their dead letters belong here.
pub(crate) fn tabs(design: &str, is_derived: bool) -> Markup {
    html! {
        nav.views aria-label="Changes" {
            a href=(Link::changes(design)) aria-current=[(!is_derived).then_some("page")] { "Changes" }
            a href=(Link::derived(design)) aria-current=[is_derived.then_some("page")] { "Derived data" }
        }
    }
}
