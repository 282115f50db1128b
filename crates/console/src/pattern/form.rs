//! The form of a pattern's parameters.

use maud::{Markup, html};
use singlet_design::{FieldType, PAGE_ITEMS_MAX, Parameter, ParameterType, Pattern};
use singlet_run::{ParameterUsage, Usage};

use super::call::{Call, LIMIT, RUN};
use super::run::Run;
use crate::icon::Icon;
use crate::link::Link;
use crate::parts::prose;

/// Texts that may be longer than this get an area of several lines.
const LINE_CHARACTERS_MAX: u32 = 500;

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
    let attributes = Attributes { id: &id, described: &described, is_wrong: wrong.is_some(), usage, text };
    html! {
        div.field {
            label for=(id) {
                (usage.name)
                @if usage.required { span.required { "required" } }
            }
            @match &parameter.kind {
                ParameterType::Field(kind) => (attributes.input(kind)),
                ParameterType::Prefix => (attributes.line("text", "")),
                ParameterType::ListOf(_) => (attributes.line("text", "a,b,c")),
                ParameterType::Keys(_) => (attributes.area()),
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

/// The attributes that every kind of input has.
struct Attributes<'a> {
    id: &'a str,
    described: &'a str,
    is_wrong: bool,
    usage: &'a ParameterUsage,
    text: &'a str,
}

impl Attributes<'_> {
    fn input(&self, kind: &FieldType) -> Markup {
        match kind {
            FieldType::Choice(choices) => self.select(choices.iter().map(String::as_str)),
            FieldType::Bool => self.select(["true", "false"].into_iter()),
            FieldType::Text { max: Some(max), .. } if *max > LINE_CHARACTERS_MAX => self.area(),
            FieldType::Text { min, max } => self.bounded("text", min.as_ref(), max.as_ref()),
            FieldType::Int { .. } | FieldType::Epoch => self.number("numeric"),
            FieldType::Number { .. } => self.number("decimal"),
            FieldType::Date => self.line("date", ""),
            FieldType::Time => self.line("text", "2026-11-17T10:00:00Z"),
            FieldType::Id | FieldType::Binary { .. } => self.line("text", ""),
            FieldType::List { .. } | FieldType::Set { .. } => self.line("text", "a,b,c"),
            FieldType::Map { .. } | FieldType::Object(_) | FieldType::Any { .. } => self.area(),
        }
    }

    fn line(&self, kind: &str, placeholder: &str) -> Markup {
        html! {
            input id=(self.id) name=(self.usage.name) type=(kind) value=(self.text) placeholder=[some(placeholder)]
                required[self.usage.required] aria-describedby=(self.described) aria-invalid=[self.invalid()]
                autocomplete="off" spellcheck="false";
        }
    }

    fn bounded(&self, kind: &str, min: Option<&u32>, max: Option<&u32>) -> Markup {
        html! {
            input id=(self.id) name=(self.usage.name) type=(kind) value=(self.text)
                minlength=[min] maxlength=[max] required[self.usage.required]
                aria-describedby=(self.described) aria-invalid=[self.invalid()] autocomplete="off" spellcheck="false";
        }
    }

    /// A number is a text with a pad of digits, because an input of numbers would round long ones.
    fn number(&self, mode: &str) -> Markup {
        html! {
            input.number id=(self.id) name=(self.usage.name) type="text" inputmode=(mode) value=(self.text)
                pattern="-?[0-9]*(\\.[0-9]+)?([eE][-+]?[0-9]+)?" title=(self.usage.accepts)
                required[self.usage.required] aria-describedby=(self.described) aria-invalid=[self.invalid()]
                autocomplete="off";
        }
    }

    fn area(&self) -> Markup {
        html! {
            textarea id=(self.id) name=(self.usage.name) rows="2" required[self.usage.required]
                aria-describedby=(self.described) aria-invalid=[self.invalid()] spellcheck="false" {
                // The parser drops the first line end of the element.
                "\n" (self.text)
            }
        }
    }

    fn select<'c>(&self, choices: impl Iterator<Item = &'c str>) -> Markup {
        html! {
            select id=(self.id) name=(self.usage.name) required[self.usage.required]
                aria-describedby=(self.described) aria-invalid=[self.invalid()] {
                option value="" { "" }
                @for choice in choices { option value=(choice) selected[choice == self.text] { (choice) } }
            }
        }
    }

    fn invalid(&self) -> Option<&'static str> {
        self.is_wrong.then_some("true")
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

fn some(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}
