//! The form of a pattern's parameters.

use maud::{Markup, html};
use singlet_design::{PAGE_ITEMS_MAX, Parameter, ParameterType, Pattern};
use singlet_run::{ParameterUsage, Usage};

use super::call::{Call, LIMIT, RUN};
use super::run::Run;
use crate::icon::Icon;
use crate::input::Input;
use crate::link::Link;
use crate::parts::prose;

/// The form. Every view of an answer is an address, so it is sent by GET.
pub(super) fn form(design: &str, pattern: &Pattern, usage: &Usage, call: &Call, run: Option<&Run>) -> Markup {
    let wrong = |name: &str| {
        let known =
            call.wrong.iter().find(|wrong| wrong.parameter == name).map(|wrong| wrong.reason.as_str());
        known.or_else(|| run.and_then(|run| run.wrong(name)))
    };
    let is_stranger = |name: &str| pattern.parameter(name).is_none() && name != LIMIT;
    let strangers = call.wrong.iter().filter(|wrong| is_stranger(&wrong.parameter));
    html! {
        form.parameters method="get" action=(Link::pattern(design, &pattern.name)) {
            h2 { "Parameters" }
            @for wrong in strangers { p.problem role="alert" { (Icon::Error) span { (prose(&wrong.to_string())) } } }
            @if pattern.parameters.is_empty() { p.about { "This pattern has none." } }
            @for (parameter, usage) in pattern.parameters.iter().zip(&usage.parameters) {
                (field(parameter, usage, call.text(&parameter.name), wrong(&parameter.name)))
            }
            @if let Some(page) = usage.page { (limit(page, call.text(LIMIT), wrong(LIMIT))) }
            p.submit {
                @if pattern.reads() {
                    button.primary type="submit" name=(RUN) value="1" { "Run" }
                } @else {
                    button.primary type="submit" name=(RUN) value="1" { "Preview" }
                }
            }
        }
    }
}

/// A parameter: label, input, the values that it accepts, and what is wrong.
fn field(parameter: &Parameter, usage: &ParameterUsage, text: &str, wrong: Option<&str>) -> Markup {
    let id = format!("parameter-{}", usage.name);
    let (hint, problem) = (format!("{id}-hint"), format!("{id}-problem"));
    let described = if wrong.is_some() { format!("{problem} {hint}") } else { hint.clone() };
    let input = Input {
        id: &id,
        name: &usage.name,
        described: &described,
        is_wrong: wrong.is_some(),
        is_required: usage.required,
        accepts: &usage.accepts,
        text,
    };
    html! {
        div.field {
            label for=(id) {
                (usage.name)
                @if usage.required { span.required { "required" } }
            }
            @match &parameter.kind {
                ParameterType::Field(kind) => (input.of(kind)),
                ParameterType::Prefix => (input.line("text", "")),
                ParameterType::ListOf(_) => (input.line("text", "a,b,c")),
                ParameterType::Keys(_) => (input.area()),
            }
            @if let Some(wrong) = wrong { p.wrong id=(problem) { (Icon::Error) span { (usage.name) " " (prose(wrong)) } } }
            p.hint id=(hint) { (hint_text(usage)) }
        }
    }
}

/// The accepted values in words, as the command line has them.
fn hint_text(usage: &ParameterUsage) -> Markup {
    html! {
        @match usage.choices.is_empty() {
            true => (usage.accepts.replace('`', "")),
            false => "a choice",
        }
        @if usage.made { "; generated if it is empty" }
        @else if let Some(default) = &usage.default {
            "; default " (default.as_text().map_or_else(|| default.to_string(), str::to_owned))
        }
        @if let Some(about) = &usage.about { ". " (about) }
    }
}

fn limit(page: u32, text: &str, wrong: Option<&str>) -> Markup {
    let invalid = wrong.map(|_| "true");
    html! {
        div.field {
            label for="limit" { "Items on a page" }
            input #limit.number type="text" inputmode="numeric" pattern="[0-9]*" name=(LIMIT) value=(text)
                placeholder=(page) aria-describedby="limit-hint" aria-invalid=[invalid] autocomplete="off";
            @if let Some(wrong) = wrong { p.wrong { (Icon::Error) span { (wrong) } } }
            p.hint #limit-hint { "1 to " (PAGE_ITEMS_MAX) }
        }
    }
}
