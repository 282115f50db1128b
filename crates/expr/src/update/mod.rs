//! Updates: what an UpdateItem does to an item.

mod apply;
mod bind;
mod place;
mod rules;
mod value;

use singlet_values::{AttributeValue, EncodedItem, Item, ItemRef};

use crate::check::check_update;
use crate::error::{ExprError, ExpressionKind, Problem, UpdateError, Within};
use crate::path::Path;
use crate::placeholders::Placeholders;
use crate::selection::Selection;
use crate::syntax;
pub use value::SetValue;

/// An `UpdateExpression`, or `AttributeUpdates`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Update {
    actions: Vec<Action>,
    dialect: Dialect,
}

/// The two ways to write an update differ in a few rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    Expression,
    Legacy,
}

impl Dialect {
    /// The error for ADD or DELETE on a value of another kind.
    fn kind_mismatch(self) -> UpdateError {
        match self {
            Dialect::Expression => UpdateError::OperandKind,
            Dialect::Legacy => UpdateError::LegacyKindMismatch,
        }
    }
}

/// A change of the value at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Action {
    /// The path.
    pub path: Path,
    /// The change.
    pub change: Change,
}

/// A change of the value at a path. A variant is a section of the expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// `SET`: the path gets a value.
    Set(SetValue),
    /// `REMOVE`: the path loses its value.
    Remove,
    /// `ADD`: a number to add, or a set whose elements to add. In legacy updates it can be a list.
    Add(AttributeValue),
    /// `DELETE`: a set whose elements to remove.
    Delete(AttributeValue),
}

impl Change {
    /// Sets the path to a value.
    pub fn set(value: AttributeValue) -> Change {
        Change::Set(SetValue::Literal(value))
    }

    /// The place of its section in an expression.
    fn section(&self) -> u8 {
        match self {
            Change::Set(_) => 0,
            Change::Remove => 1,
            Change::Add(_) => 2,
            Change::Delete(_) => 3,
        }
    }
}

impl Update {
    /// Parses an expression.
    pub fn parse(text: &str, placeholders: &mut Placeholders) -> Result<Update, ExprError> {
        let actions = parse_actions(text, placeholders).within(ExpressionKind::Update)?;
        Ok(Update { actions, dialect: Dialect::Expression })
    }

    /// An update that is built without text. Its actions are put in the order of the sections SET, REMOVE, ADD and
    /// DELETE; actions of one section keep their order.
    pub fn new(mut actions: Vec<Action>) -> Update {
        actions.sort_by_key(|action| action.change.section());
        Update { actions, dialect: Dialect::Expression }
    }

    /// Rejects an update that DynamoDB would reject for every item. A parsed update has been checked already.
    pub fn check(&self) -> Result<(), ExprError> {
        rules::check(&self.actions).within(ExpressionKind::Update)
    }

    /// The changes, in the order they are written.
    pub fn actions(&self) -> &[Action] {
        &self.actions
    }

    /// An update from `AttributeUpdates`, whose paths don't clash.
    pub(crate) fn legacy(actions: Vec<Action>) -> Update {
        Update { actions, dialect: Dialect::Legacy }
    }

    /// Applies the update to an item that exists. All values are read from `old`.
    pub fn apply<'a>(&'a self, old: ItemRef<'a>) -> Result<Updated<'a>, ExprError> {
        let item = self.applied(old, Existence::Existing)?;
        Ok(Updated { item, update: self, old })
    }

    /// Applies the update to an item that doesn't exist yet. It has only its key, which the update may read.
    ///
    /// Removing a part of a missing attribute is an error in an item that exists. Here it has no effect.
    pub fn apply_to_new<'a>(&'a self, key: ItemRef<'a>) -> Result<Updated<'a>, ExprError> {
        let item = self.applied(key, Existence::New)?;
        Ok(Updated { item, update: self, old: ItemRef::EMPTY })
    }

    /// Whether the update creates an item that doesn't exist. An update that only removes doesn't.
    pub fn creates_item(&self) -> bool {
        let takes_away = |action: &Action| matches!(action.change, Change::Remove | Change::Delete(_));
        self.actions.is_empty() || !self.actions.iter().all(takes_away)
    }

    /// The top-level attributes that the update changes, in the order they are written, with repeats.
    pub fn top_level_attributes(&self) -> impl Iterator<Item = &str> {
        self.actions.iter().map(|action| action.path.head.as_str())
    }

    /// The top-level attributes that the update enters with `.` or `[]`, to change or to read them. A key attribute
    /// doesn't allow that.
    pub fn nested_attributes(&self) -> impl Iterator<Item = &str> {
        let mut paths = Vec::new();
        for action in &self.actions {
            paths.push(&action.path);
            if let Change::Set(value) = &action.change {
                value.collect_paths(&mut paths);
            }
        }
        paths.into_iter().filter(|path| !path.steps.is_empty()).map(|path| path.head.as_str())
    }
}

fn parse_actions(text: &str, placeholders: &mut Placeholders) -> Result<Vec<Action>, Problem> {
    let update = syntax::parse_update(text)?;
    check_update(&update)?;
    bind::bind_update(&update, placeholders)
}

/// Whether the item existed before the update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Existence {
    Existing,
    New,
}

/// An item after an update.
#[derive(Clone, Debug)]
pub struct Updated<'a> {
    /// The whole item.
    pub item: Item,
    update: &'a Update,
    old: ItemRef<'a>,
}

impl Updated<'_> {
    /// The old values at the changed paths: `UPDATED_OLD`.
    pub fn updated_old(&self) -> Item {
        self.changed_of(self.old)
    }

    /// The new values at the changed paths: `UPDATED_NEW`.
    ///
    /// Like DynamoDB, this uses the paths as written. An element that was appended with a high index isn't found at
    /// that index. Where an element was removed, the next one is found.
    pub fn updated_new(&self) -> Item {
        self.changed_of(EncodedItem::encode(&self.item).view())
    }

    fn changed_of(&self, item: ItemRef<'_>) -> Item {
        Selection::of(self.update.actions.iter().map(|action| &action.path)).select(item)
    }
}

#[cfg(test)]
mod tests;
