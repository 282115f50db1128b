//! Resolves `each = "line in lines"`: a name for one element, and the list that has it.

use std::ops::Range;

use super::super::Context;
use super::super::parameters::{Parameters, stored_alike};
use super::super::template::{self, find};
use crate::model::{Each, EachList, Field, FieldType, Parameter, ParameterType};
use crate::report::Span;

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
    /// The mistake.
    pub(super) message: String,
    /// The text to write instead.
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

/// The element of a step's list, with the uses that tell its type.
pub(super) struct Element {
    /// Its name and its list.
    pub(super) each: Each,
    /// Whether it is a parameter of the step: `each = { sku = "skus" }`.
    pub(super) is_parameter: bool,
    /// Its type, if the list is a field of an earlier step.
    known: Option<FieldType>,
    /// Whether a placeholder names it.
    is_used: bool,
    uses: Uses,
}

/// How the placeholders of a step use the element of a list that is a parameter.
enum Uses {
    /// Not at all so far.
    None,
    /// As a value of this type.
    Whole(ParameterType),
    /// As an object with these members.
    Members(Vec<Field>),
}

impl Element {
    /// Makes the element of a list that isn't used yet.
    pub(super) fn new(each: Each, known: Option<FieldType>, is_parameter: bool) -> Self {
        Element { each, is_parameter, known, is_used: false, uses: Uses::None }
    }

    /// Returns whether a placeholder names it.
    pub(super) fn is_used(&self) -> bool {
        self.is_used
    }

    /// Notes that a parameter takes the element, or the member at a path; `None` after a mistake.
    pub(super) fn take(
        &mut self,
        context: &Context<'_>,
        span: Span,
        path: &str,
        parameter: &Parameter,
    ) -> Option<()> {
        self.is_used = true;
        if self.known.is_some() {
            return self.take_known(context, span, path, &parameter.kind);
        }
        let name = &self.each.element;
        let clashes = match &self.uses {
            Uses::None => false,
            Uses::Whole(_) => !path.is_empty(),
            Uses::Members(_) => path.is_empty(),
        };
        if clashes {
            let message = format!("`{name}` is used both as a value and as an object");
            let help = format!("use either `{{{name}}}` or members such as `{{{name}.id}}`");
            context.mistakes.add_with_help(span, message, help);
            return None;
        }
        match (&mut self.uses, &parameter.kind) {
            (uses, kind) if path.is_empty() => *uses = Uses::Whole(kind.clone()),
            (Uses::Members(members), ParameterType::Field(kind)) if !path.contains('.') => {
                add_member(context, members, member(path, kind, !parameter.required, span), name)?;
            }
            (uses, ParameterType::Field(kind)) if !path.contains('.') => {
                *uses = Uses::Members(vec![member(path, kind, !parameter.required, span)]);
            }
            _ => {
                let message = format!("`{{{name}.{path}}}` can't be used for this parameter");
                let help =
                    "use a member of the element itself, such as `{line.sku}`, for the value of a field";
                context.mistakes.add_with_help(span, message, help);
                return None;
            }
        }
        Some(())
    }

    fn take_known(
        &mut self,
        context: &Context<'_>,
        span: Span,
        path: &str,
        kind: &ParameterType,
    ) -> Option<()> {
        let element = self.known.as_ref()?;
        let name = &self.each.element;
        let found = match (path, element) {
            ("", element) => Some(element),
            (path, FieldType::Object(fields)) => match find(fields, path) {
                Some(found) => Some(found.kind),
                None => {
                    let message = format!("an element of the list has no field `{path}`");
                    context.mistakes.add_with(span, message, template::help(fields, path));
                    return None;
                }
            },
            _ => None,
        };
        let fits =
            matches!((kind, found), (ParameterType::Field(kind), Some(found)) if stored_alike(kind, found));
        if !fits {
            let path = if path.is_empty() { name.clone() } else { format!("{name}.{path}") };
            let message = format!("`{path}` and the parameter have different types");
            context.mistakes.add_with_help(span, message, "use a field of the parameter's type");
            return None;
        }
        Some(())
    }

    /// Adds the list to the parameters, if it is one, with the type that the uses of its elements give it.
    pub(super) fn open(&self, context: &Context<'_>, parameters: &mut Parameters, span: Span) {
        if !self.is_used {
            let name = &self.each.element;
            let message = format!("the step doesn't use `{name}`, so it would do the same for each element");
            let help = format!("give one of its parameters `{{{name}}}` or a member of it");
            context.mistakes.add_with_help(span, message, help);
        }
        let kind = match &self.uses {
            Uses::None => return,
            Uses::Whole(kind) => kind.clone(),
            Uses::Members(members) => ParameterType::Field(FieldType::Object(members.clone())),
        };
        if let EachList::Parameter(list) = &self.each.list {
            // A list that is also an optional field of another step may be missing; the step then doesn't run.
            let required = !parameters.contains(list);
            parameters.add(context, list, ParameterType::ListOf(Box::new(kind)), required, span);
        }
    }
}

fn member(name: &str, kind: &FieldType, optional: bool, span: Span) -> Field {
    Field {
        name: name.to_owned(),
        about: None,
        kind: kind.clone(),
        optional,
        default: None,
        internal: false,
        made: None,
        computed: false,
        derived: false,
        refers_to: None,
        refers_to_one_of: Vec::new(),
        must_exist: false,
        span,
    }
}

fn add_member(context: &Context<'_>, members: &mut Vec<Field>, field: Field, element: &str) -> Option<()> {
    let Some(known) = members.iter_mut().find(|known| known.name == field.name) else {
        members.push(field);
        return Some(());
    };
    known.optional &= field.optional;
    if stored_alike(&known.kind, &field.kind) {
        return Some(());
    }
    let message = format!("`{element}.{}` is used for parameters of different types", field.name);
    context.mistakes.add_with_help(field.span, message, "use different members for them");
    None
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
