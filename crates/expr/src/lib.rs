//! DynamoDB's expression language: conditions, filters, key conditions, updates and projections.
//!
//! This crate knows the text of expressions, their placeholders, the errors that DynamoDB gives for them, and how
//! they are evaluated on stored items. It must not know tables, indexes, storage or JSON: the key attributes that
//! a key condition is held against are passed in, and what may not be named in a filter or changed by an update is
//! for the caller to say.
//!
//! A text becomes tokens (`lexer`), a tree of what was written (`syntax`), which is checked by itself (`check`) and
//! then bound to the request's placeholders. A bound tree is evaluated on the bytes of an item, without decoding
//! what it doesn't read. The parameters that requests had before expressions ([`legacy`]) become the same trees.
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
mod projection;
mod reserved;
mod selection;
mod syntax;
#[cfg(test)]
mod testing;
mod update;

pub use condition::Condition;
pub use error::{
    ExprError, ExpressionKind, KeyConditionError, LegacyError, Parameter, PlaceholderError, Problem,
    UpdateError,
};
pub use key_condition::{BoundKey, KeyAttribute, KeyCondition, KeyNames, KeyTerm, KeyTest};
pub use placeholders::Placeholders;
pub use projection::Projection;
pub use update::{Update, Updated};
