//! Resolves `order`: one order, or two between which callers choose.

use super::PatternDraft;
use crate::model::{FieldType, OrderWord, ParameterType, Query};
use crate::syntax::Node;

impl PatternDraft<'_> {
    /// Returns the orders of a list of two, and adds the parameter that chooses one; `None` after a mistake.
    pub(super) fn orders(&mut self) -> Option<Vec<OrderWord>> {
        let Some(place) = self.node.get("order") else { return Some(Vec::new()) };
        let Some(places) = place.list() else { return Some(Vec::new()) };
        let words: Option<Vec<OrderWord>> = places.iter().map(word).collect();
        let words = words?;
        let mistake = |message: String, help: &str| {
            self.context.mistakes.add_with_help(place.span, message, help);
        };
        match words.as_slice() {
            [one, other] if one.order() == other.order() => {
                mistake(
                    format!("`{}` and `{}` are the same direction", one.word(), other.word()),
                    "name both directions, such as `order = [\"newest\", \"oldest\"]`",
                );
                return None;
            }
            [one, other] if one.is_of_time() != other.is_of_time() => {
                mistake(
                    format!("`{}` and `{}` don't order by the same thing", one.word(), other.word()),
                    "use `newest` with `oldest`, and `highest` with `lowest`",
                );
                return None;
            }
            [_, _] => {}
            _ => {
                mistake("there are only two directions".to_owned(), "name each direction once");
                return None;
            }
        }
        if self.parameters.contains(OrderWord::PARAMETER) {
            mistake(
                "callers choose the order by the parameter `order`, but there is already one of this name"
                    .to_owned(),
                "rename the other one",
            );
            return None;
        }
        let choice = FieldType::Choice(words.iter().map(|word| word.word().to_owned()).collect());
        let kind = ParameterType::Field(choice);
        self.parameters.add(self.context, OrderWord::PARAMETER, kind, false, place.span);
        Some(words)
    }

    /// Checks that callers don't choose the order of a query that is merged; `None` after a mistake.
    pub(super) fn one_order(&self, place: &Node, query: &Query, name: &str) -> Option<()> {
        if query.orders.is_empty() {
            return Some(());
        }
        let message = format!("callers choose the order of `{name}`, but it has one order here");
        self.context.mistakes.add_with_help(place.span, message, "use a query with one order");
        None
    }
}

/// Returns the word for the order; of two orders, for the default.
pub(super) fn order_word(node: &Node) -> Option<OrderWord> {
    let place = node.get("order")?;
    word(place.list().and_then(|places| places.first()).unwrap_or(place))
}

fn word(place: &Node) -> Option<OrderWord> {
    use OrderWord::{Highest, Lowest, Newest, Oldest};
    let text = place.text()?;
    [Oldest, Newest, Lowest, Highest].into_iter().find(|word| word.word() == text)
}
