//! DynamoDB's expression language: conditions, filters, key conditions, updates and projections.
//!
//! This crate knows the text of expressions, their placeholders, DynamoDB's errors for them, and their evaluation on
//! stored items. It must not know tables, indexes, storage or JSON. The caller passes in the key attributes for a key
//! condition. It also decides which attributes a filter may name and an update may change.
//!
//! A text becomes tokens (`lexer`) and then a tree of what was written (`syntax`). The tree is checked alone (`check`)
//! and then bound to the request's placeholders. A bound tree is evaluated on the bytes of an item, and attributes that
//! it doesn't read aren't decoded. The parameters that requests had before expressions ([`legacy`]) become the same
//! trees. A program can also build trees with constructors such as [`Condition::equal`], and [`Printer`] prints them as
//! text.
//!
//! ```
//! use std::collections::BTreeMap;
//!
//! use singlet_expr::{Condition, ExpressionKind, Placeholders, Update};
//! use singlet_values::{AttributeValue, EncodedItem, Item};
//!
//! let recipe = EncodedItem::encode(&Item::from([("PK", AttributeValue::from("RECIPE#17")), ("likes", 41.into())]));
//!
//! let values = BTreeMap::from([(":one".to_owned(), AttributeValue::from(1))]);
//! let mut placeholders = Placeholders::new(None, Some(values))?;
//! let condition = Condition::parse(ExpressionKind::Condition, "attribute_exists(PK)", &mut placeholders)?;
//! let update = Update::parse("SET likes = likes + :one", &mut placeholders)?;
//! placeholders.finish()?; // every placeholder was used
//!
//! assert!(condition.matches(recipe.view()));
//! assert_eq!(update.apply(recipe.view())?.item.get("likes"), Some(&AttributeValue::from(42)));
//! # Ok::<(), singlet_expr::ExprError>(())
//! ```

mod check;
mod condition;
mod error;
mod function;
mod key_condition;
pub mod legacy;
mod lexer;
mod literal;
mod path;
mod placeholders;
mod print;
mod projection;
mod reserved;
mod selection;
mod syntax;
#[cfg(test)]
mod testing;
mod update;

pub use condition::{Condition, Operand, Test};
pub use error::{
    ExprError, ExpressionKind, KeyConditionError, LegacyError, Parameter, PlaceholderError, Problem,
    UpdateError,
};
pub use key_condition::{BoundKey, KeyAttribute, KeyCondition, KeyNames, KeyTerm, KeyTest};
pub use literal::Literal;
pub use path::{Path, Step};
pub use placeholders::Placeholders;
pub use print::Printer;
pub use projection::Projection;
pub use syntax::Comparator;
pub use update::{Action, Change, SetValue, Update, Updated};
