//! An item before and after a write.

use maud::{Markup, html};
use singlet_design::{Design, Entity};
use singlet_values::{AttributeValue, Item};

use crate::keys::{split, template_of};
use crate::parts::scrolling;
use crate::text::Visible;
use crate::value::{Owner, Room, attribute};

/// Characters of unchanged text that are shown on both sides of a change.
const CONTEXT_CHARACTERS: usize = 40;

/// The attributes that differ between two states of an item: first the fields, then what follows from them.
pub(crate) fn changes(
    design: &Design,
    entity: Option<&Entity>,
    before: Option<&Item>,
    after: Option<&Item>,
) -> Markup {
    let differ = |name: &str| before.and_then(|item| item.get(name)) != after.and_then(|item| item.get(name));
    let fields: Vec<&str> =
        entity.into_iter().flat_map(|entity| &entity.fields).map(|field| field.name.as_str()).collect();
    let changed: Vec<&str> = fields.iter().copied().filter(|name| differ(name)).collect();
    let all = before.into_iter().chain(after).flat_map(|item| item.iter().map(|(name, _)| name));
    let mut rest: Vec<&str> = all.filter(|name| !fields.contains(name) && differ(name)).collect();
    rest.sort_unstable();
    rest.dedup();
    let table = Difference { design, entity, before, after };
    html! {
        @if changed.is_empty() && rest.is_empty() {
            p.about { "Nothing differs." }
        }
        @if !changed.is_empty() { (table.rows("Fields", &changed)) }
        @if !rest.is_empty() {
            @if !changed.is_empty() { h3.follows { "Keys and other attributes that follow" } }
            (table.rows("Attributes that follow", &rest))
        }
    }
}

struct Difference<'a> {
    design: &'a Design,
    entity: Option<&'a Entity>,
    before: Option<&'a Item>,
    after: Option<&'a Item>,
}

impl Difference<'_> {
    fn rows(&self, label: &str, names: &[&str]) -> Markup {
        scrolling(
            label,
            &html! {
                table.difference {
                    thead { tr {
                        th scope="col" { "Name" }
                        @if self.before.is_some() { th scope="col" { "Before" } }
                        @if self.after.is_some() { th scope="col" { "After" } }
                    } }
                    tbody { @for name in names { (self.row(name)) } }
                }
            },
        )
    }

    fn row(&self, name: &str) -> Markup {
        let old = self.before.and_then(|item| item.get(name));
        let new = self.after.and_then(|item| item.get(name));
        html! {
            tr {
                th scope="row" { (Visible(name)) }
                @if let Some(before) = self.before {
                    td.value { @match (old, new) {
                        (Some(AttributeValue::S(old)), Some(AttributeValue::S(new))) if !self.is_key(name) => del { (part(old, new)) },
                        (Some(old), _) => del { (self.value(before, name, old)) },
                        (None, _) => span.none { "missing" },
                    } }
                }
                @if let Some(after) = self.after {
                    td.value { @match (new, old) {
                        (Some(AttributeValue::S(new)), Some(AttributeValue::S(old))) if !self.is_key(name) => ins { (part(new, old)) },
                        (Some(new), _) => ins { (self.value(after, name, new)) },
                        (None, _) => span.none { "removed" },
                    } }
                }
            }
        }
    }

    fn is_key(&self, name: &str) -> bool {
        self.entity.is_some_and(|entity| template_of(entity, name).is_some())
    }

    fn value(&self, item: &Item, name: &str, value: &AttributeValue) -> Markup {
        match self.entity {
            Some(_) if self.is_key(name) => split(self.entity, name, value),
            Some(entity) => Owner { design: self.design, entity, item }.attribute(name, value, Room::Page),
            None => attribute(None, value, Room::Page),
        }
    }
}

/// A text with the part marked in which it differs from another one. Long parts that are equal are cut.
fn part(text: &str, other: &str) -> Markup {
    if text.is_empty() {
        return html! { span.none { "empty string" } };
    }
    let (text, other): (Vec<char>, Vec<char>) = (text.chars().collect(), other.chars().collect());
    let head = text.iter().zip(&other).take_while(|(one, two)| one == two).count();
    let rest = text.len().min(other.len()) - head;
    let tail =
        text.iter().rev().zip(other.iter().rev()).take(rest).take_while(|(one, two)| one == two).count();
    let own = |from: usize, to: usize| -> String { text.get(from..to).unwrap_or_default().iter().collect() };
    let (start, end) = (head.saturating_sub(CONTEXT_CHARACTERS), text.len() - tail);
    let stop = (end + CONTEXT_CHARACTERS).min(text.len());
    html! {
        @if start > 0 { span.cut { "… " } }
        (Visible(&own(start, head)))
        @if end > head { mark { (crate::text::brief(&own(head, end), 2_000)) } }
        (Visible(&own(end, stop)))
        @if stop < text.len() { span.cut { " …" } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_part_that_differs_is_marked() {
        let marked = |text: &str, other: &str| part(text, other).into_string();
        assert_eq!(
            marked("a red car", "a blue car"),
            "<bdi>a </bdi><mark><bdi>red</bdi></mark><bdi> car</bdi>"
        );
        assert_eq!(marked("aa", "aaa"), "<bdi>aa</bdi><bdi></bdi>");
        assert_eq!(marked("aaa", "aa"), "<bdi>aa</bdi><mark><bdi>a</bdi></mark><bdi></bdi>");
        let long = marked(&format!("{}x{}", "a".repeat(400), "b".repeat(400)), &"a".repeat(400));
        assert!(long.len() < 700 && long.contains("…"), "{long}");
    }
}
