//! The text of `each`: `line in lines`, a name for one element and the list that has it.

use std::ops::Range;

/// `each = "line in order.lines"`: a name for the element, and the place of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct EachText {
    /// The name that stands for one element.
    pub(super) element: String,
    /// The list: a name, or a path such as `order.lines`.
    pub(super) source: String,
    /// The bytes of the source in the text.
    pub(super) source_range: Range<usize>,
}

/// A mistake in the text of `each`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct EachError {
    /// What is wrong.
    pub(super) message: String,
    /// What to write.
    pub(super) help: String,
    /// Where in the text.
    pub(super) range: Range<usize>,
}

impl EachText {
    /// Parses the text.
    pub(super) fn parse(text: &str) -> Result<EachText, EachError> {
        let words: Vec<Range<usize>> = words(text);
        let [element, word, source] = words.as_slice() else {
            return Err(malformed(text, 0..text.len()));
        };
        if text.get(word.clone()) != Some("in") {
            return Err(malformed(text, word.clone()));
        }
        let part = |range: &Range<usize>| text.get(range.clone()).unwrap_or_default().to_owned();
        let found = EachText { element: part(element), source: part(source), source_range: source.clone() };
        if !is_name(&found.element) {
            return Err(odd(&found.element, "the name of an element", element));
        }
        if !found.source.split('.').all(is_name) {
            return Err(odd(&found.source, "a list", source));
        }
        if found.element == "now" {
            return Err(EachError {
                message: "`now` can't be the name of an element".to_owned(),
                help: "`{now}` is the time of the call; use another name".to_owned(),
                range: element.clone(),
            });
        }
        Ok(found)
    }
}

/// Returns the positions of the words between spaces.
fn words(text: &str) -> Vec<Range<usize>> {
    let start = text.as_ptr() as usize;
    let range = |word: &str| {
        let from = word.as_ptr() as usize - start;
        from..from + word.len()
    };
    text.split_whitespace().map(range).collect()
}

fn is_name(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '-'))
}

fn malformed(text: &str, range: Range<usize>) -> EachError {
    EachError {
        message: format!("`{text}` doesn't name an element and its list"),
        help: "write `each = \"line in lines\"`, and use `{line}` or `{line.sku}` for the element".to_owned(),
        range,
    }
}

fn odd(word: &str, what: &str, range: &Range<usize>) -> EachError {
    EachError {
        message: format!("`{word}` can't name {what}"),
        help: "use letters, digits, `_` and `-`, and no braces".to_owned(),
        range: range.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_element_and_its_list_are_told_apart() {
        let parsed = |text: &str| EachText::parse(text).map(|each| (each.element, each.source));
        let named = |element: &str, source: &str| Ok((element.to_owned(), source.to_owned()));
        assert_eq!(parsed("line in lines"), named("line", "lines"));
        assert_eq!(parsed("  food  in\torder.foods "), named("food", "order.foods"));
        let each = EachText::parse("x in order.lines").unwrap();
        assert_eq!(each.source_range, 5..16);
    }

    #[test]
    fn other_texts_are_refused_with_the_form_to_write() {
        for text in ["", "lines", "line of lines", "line in", "line in a b", "in lines"] {
            let error = EachText::parse(text).unwrap_err();
            assert!(error.help.contains("line in lines"), "{text}: {error:?}");
        }
        assert_eq!(EachText::parse("{line} in lines").unwrap_err().range, 0..6);
        assert_eq!(EachText::parse("line in {lines}").unwrap_err().range, 8..15);
        assert!(EachText::parse("line in order..lines").is_err());
        assert!(EachText::parse("now in lines").unwrap_err().message.contains("`now`"));
    }
}
