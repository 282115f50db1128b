//! The requests that a pattern became, with what they cost.

use maud::{Markup, html};
use singlet_run::explain::{Predicted, Recorded, RecordedOutcome};
use singlet_store::Consumed;

use super::run::{Effect, Run};
use crate::figures::{counted, elapsed, units};
use crate::parts::{capacity, empty, prose, scrolling};
use crate::text::Unhidden;

/// The figures of a run: requests, units and time.
pub(super) fn summary(run: &Run) -> Markup {
    let mut predicted = (0.0, 0.0);
    let mut used = (0.0, 0.0);
    let mut at_least = false;
    for request in &run.recorded {
        predicted = (predicted.0 + request.predicted.read, predicted.1 + request.predicted.write);
        at_least |= request.predicted.at_least;
        if let RecordedOutcome::Done(Consumed { read, write, .. }) = &request.outcome {
            used = (used.0 + read, used.1 + write);
        }
    }
    html! {
        dl.tiles.small {
            div { dt { "requests" } dd { (run.recorded.len()) } }
            div { dt { "predicted" } dd { @if at_least { span.sign { "≥ " } } (capacity(predicted.0, predicted.1)) } }
            @if run.effect != Effect::Preview { div { dt { "used" } dd { (capacity(used.0, used.1)) } } }
            div { dt { "time" } dd { (elapsed(run.elapsed)) } }
        }
    }
}

/// Each request with its body.
pub(crate) fn list(recorded: &[Recorded]) -> Markup {
    html! {
        @if recorded.is_empty() { (empty("No requests", &html! { "The values decide the answer alone." })) }
        ol.requests {
            @for request in recorded {
                li {
                    details {
                        summary {
                            code { (request.operation) }
                            (cost(request))
                            @let together = recorded.iter().filter(|other| other.round == request.round).count();
                            @if together > 1 { span.about { (counted(together, "request")) " at once" } }
                        }
                        (scrolling(request.operation, &html! { pre.json { code { (Unhidden(&body(request))) } } }))
                    }
                }
            }
        }
    }
}

fn cost(request: &Recorded) -> Markup {
    let Predicted { read, write, indexes, at_least } = &request.predicted;
    let all = read.max(*write);
    html! {
        span.cost {
            @match &request.outcome {
                RecordedOutcome::Done(used) => (capacity(used.read, used.write)),
                RecordedOutcome::Foreseen => (capacity(*read, *write)),
                RecordedOutcome::Failed(reason) => span.wrong { (prose(reason)) },
            }
            @for (index, share) in indexes {
                span.part-of { @if *share < all { (units(*share)) " of them " } "on " (index) }
            }
            @match &request.outcome {
                RecordedOutcome::Done(used) if used.read == *read && used.write == *write => {
                    span.part-of { "as predicted" }
                }
                RecordedOutcome::Done(_) if *at_least => {},
                RecordedOutcome::Done(_) => span.part-of { (capacity(*read, *write)) " predicted" },
                RecordedOutcome::Foreseen => span.part-of { "not done" },
                RecordedOutcome::Failed(_) => {},
            }
        }
    }
}

/// The body as people read it: its display without the first line.
fn body(request: &Recorded) -> String {
    let text = request.to_string();
    text.split_once('\n').map(|(_, body)| body.to_owned()).unwrap_or(text)
}
