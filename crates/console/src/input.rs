//! Inputs of forms, by the types of values.

use maud::{Markup, html};
use singlet_design::FieldType;

/// Texts that may be longer than this get an area of several lines.
const LINE_CHARACTERS_MAX: u32 = 500;
/// A text that is longer than this gets one too.
const SHOWN_CHARACTERS_MAX: usize = 80;

/// An input of a form for a value of some type.
pub(crate) struct Input<'a> {
    pub(crate) id: &'a str,
    pub(crate) name: &'a str,
    /// The ids of the elements that describe it.
    pub(crate) described: &'a str,
    pub(crate) is_wrong: bool,
    pub(crate) is_required: bool,
    /// The values that it accepts, in words.
    pub(crate) accepts: &'a str,
    pub(crate) text: &'a str,
}

impl Input<'_> {
    /// The input for a value of this type.
    pub(crate) fn of(&self, kind: &FieldType) -> Markup {
        match kind {
            FieldType::Choice(choices) => self.select(choices.iter().map(String::as_str)),
            FieldType::Bool => self.select(["true", "false"].into_iter()),
            FieldType::Text { max: Some(max), .. } if *max > LINE_CHARACTERS_MAX => self.area(),
            FieldType::Text { .. } if self.is_long() => self.area(),
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

    fn is_long(&self) -> bool {
        self.text.contains('\n') || self.text.chars().nth(SHOWN_CHARACTERS_MAX).is_some()
    }

    /// An input of one line.
    pub(crate) fn line(&self, kind: &str, placeholder: &str) -> Markup {
        html! {
            input id=(self.id) name=(self.name) type=(kind) value=(self.text) placeholder=[some(placeholder)]
                required[self.is_required] aria-describedby=(self.described) aria-invalid=[self.invalid()]
                autocomplete="off" spellcheck="false";
        }
    }

    fn bounded(&self, kind: &str, min: Option<&u32>, max: Option<&u32>) -> Markup {
        html! {
            input id=(self.id) name=(self.name) type=(kind) value=(self.text)
                minlength=[min] maxlength=[max] required[self.is_required]
                aria-describedby=(self.described) aria-invalid=[self.invalid()] autocomplete="off" spellcheck="false";
        }
    }

    /// A number is a text with a pad of digits, because an input of numbers would round long ones.
    fn number(&self, mode: &str) -> Markup {
        html! {
            input.number id=(self.id) name=(self.name) type="text" inputmode=(mode) value=(self.text)
                pattern="-?[0-9]*(\\.[0-9]+)?([eE][-+]?[0-9]+)?" title=(self.accepts)
                required[self.is_required] aria-describedby=(self.described) aria-invalid=[self.invalid()]
                autocomplete="off";
        }
    }

    /// An input of several lines.
    pub(crate) fn area(&self) -> Markup {
        html! {
            textarea id=(self.id) name=(self.name) rows="2" required[self.is_required]
                aria-describedby=(self.described) aria-invalid=[self.invalid()] spellcheck="false" {
                // The parser drops the first line end of the element.
                "\n" (self.text)
            }
        }
    }

    fn select<'c>(&self, choices: impl Iterator<Item = &'c str> + Clone) -> Markup {
        // An older design may have had this choice.
        let is_strange = !self.text.is_empty() && choices.clone().all(|choice| choice != self.text);
        html! {
            select id=(self.id) name=(self.name) required[self.is_required]
                aria-describedby=(self.described) aria-invalid=[self.invalid()] {
                option value="" { "" }
                @if is_strange { option value=(self.text) selected { (self.text) } }
                @for choice in choices { option value=(choice) selected[choice == self.text] { (choice) } }
            }
        }
    }

    fn invalid(&self) -> Option<&'static str> {
        self.is_wrong.then_some("true")
    }
}

fn some(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}
