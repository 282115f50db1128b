//! Texts of designs and items in pages. Items are written by strangers: a text must neither become markup nor change how
//! the text around it is shown.

use maud::{Markup, Render, html};

/// Characters of a text that a cell of a table shows.
pub(crate) const CELL_CHARACTERS_MAX: usize = 120;

/// A text with its invisible characters shown, apart from the direction of the text around it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Visible<'t>(pub(crate) &'t str);

impl Render for Visible<'_> {
    fn render(&self) -> Markup {
        html! { bdi { (Unhidden(self.0)) } }
    }
}

/// A text with its invisible characters shown, for elements that keep directions apart themselves.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Unhidden<'t>(pub(crate) &'t str);

impl Render for Unhidden<'_> {
    fn render_to(&self, buffer: &mut String) {
        let mut plain = self.0;
        while let Some((at, hidden)) = plain.char_indices().find(|(_, character)| is_hidden(*character)) {
            let (before, rest) = plain.split_at(at);
            before.render_to(buffer);
            let code = format!("U+{:04X}", u32::from(hidden));
            html! { span.hidden-character title=(code) { (code) } }.render_to(buffer);
            plain = rest.get(hidden.len_utf8()..).unwrap_or_default();
        }
        plain.render_to(buffer);
    }
}

/// Whether a character can't be seen, or changes the direction of the text after it.
fn is_hidden(character: char) -> bool {
    let is_plain_space = matches!(character, '\n' | '\t');
    (character.is_control() && !is_plain_space)
        || matches!(u32::from(character),
            0x00AD | 0x061C | 0x180E | 0x200B..=0x200F | 0x2028..=0x202E | 0x2060..=0x206F | 0xFEFF | 0xFFF9..=0xFFFB
                | 0xE0000..=0xE007F)
}

/// The beginning of a long text, and how many characters it has in all.
pub(crate) fn shortened(text: &str, characters_max: usize) -> (&str, Option<usize>) {
    match text.char_indices().nth(characters_max) {
        Some((end, _)) => (text.get(..end).unwrap_or(text), Some(text.chars().count())),
        None => (text, None),
    }
}

/// A text of at most this many characters, and a note if there are more.
pub(crate) fn brief(text: &str, characters_max: usize) -> Markup {
    let (shown, all) = shortened(text, characters_max);
    html! {
        (Visible(shown))
        @if let Some(all) = all { span.cut { "… " (crate::figures::grouped(all as u64)) " characters" } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_directions_and_controls_are_shown_and_not_obeyed() {
        let hostile = "<script>alert(1)</script>\u{202e}gnp\0&\"";
        let shown = html! { (Visible(hostile)) }.into_string();
        assert_eq!(
            shown,
            "<bdi>&lt;script&gt;alert(1)&lt;/script&gt;\
             <span class=\"hidden-character\" title=\"U+202E\">U+202E</span>gnp\
             <span class=\"hidden-character\" title=\"U+0000\">U+0000</span>&amp;&quot;</bdi>"
        );
    }

    #[test]
    fn a_long_text_is_cut_between_characters() {
        assert_eq!(shortened("Phở", 2), ("Ph", Some(3)));
        assert_eq!(shortened("Phở", 3), ("Phở", None));
        assert!(brief(&"x".repeat(400_000), 10).into_string().contains("400,000 characters"));
    }
}
