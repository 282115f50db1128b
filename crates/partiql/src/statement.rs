//! Statements.

use singlet_expr::{Condition, Path, Projection};
use singlet_values::Item;

/// A statement of PartiQL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Statement {
    /// Reads items.
    Select(Select),
    /// Puts an item that doesn't exist yet.
    Insert(Insert),
    /// Updates an item that exists.
    Update(Update),
    /// Deletes an item.
    Delete(Delete),
    /// `EXISTS(SELECT …)`: only checks that an item meets a condition. For transactions.
    Exists(Select),
}

impl Statement {
    /// Whether the statement only reads. `EXISTS` belongs to transactions that write.
    pub fn is_read(&self) -> bool {
        matches!(self, Statement::Select(_))
    }

    /// The name of the statement's table, as it was written.
    pub fn table(&self) -> &str {
        match self {
            Statement::Select(select) | Statement::Exists(select) => &select.source.table,
            Statement::Insert(insert) => &insert.table,
            Statement::Update(update) => &update.table,
            Statement::Delete(delete) => &delete.table,
        }
    }
}

/// The table, and the index if the statement names one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The table.
    pub table: String,
    /// The index.
    pub index: Option<String>,
}

/// `SELECT columns FROM source WHERE condition ORDER BY terms`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Select {
    /// The table or index.
    pub source: Source,
    /// The columns. `None` is `*`.
    pub columns: Option<Vec<Path>>,
    /// The `WHERE` clause.
    pub condition: Option<Condition>,
    /// The `ORDER BY` clause.
    pub order: Vec<OrderTerm>,
}

impl Select {
    /// The columns as a projection. Each one becomes a top-level attribute.
    pub fn projection(&self) -> Option<Projection> {
        self.columns.clone().map(Projection::columns)
    }
}

/// One attribute of an `ORDER BY` clause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderTerm {
    /// The attribute.
    pub attribute: String,
    /// From the highest value to the lowest.
    pub descending: bool,
}

/// `INSERT INTO table VALUE item`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Insert {
    /// The table.
    pub table: String,
    /// The item.
    pub item: Item,
}

/// `UPDATE table SET … REMOVE … WHERE condition RETURNING …`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Update {
    /// The table.
    pub table: String,
    /// The changes.
    pub update: singlet_expr::Update,
    /// The `WHERE` clause.
    pub condition: Option<Condition>,
    /// The `RETURNING` clause.
    pub returning: Option<Returning>,
}

/// `DELETE FROM table WHERE condition RETURNING ALL OLD *`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delete {
    /// The table.
    pub table: String,
    /// The `WHERE` clause.
    pub condition: Option<Condition>,
    /// Whether the deleted item is returned.
    pub returns_old: bool,
}

/// The attributes that an `UPDATE` returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Returning {
    /// The item before the update.
    AllOld,
    /// The item after the update.
    AllNew,
    /// The changed attributes before the update.
    ModifiedOld,
    /// The changed attributes after the update.
    ModifiedNew,
}

impl Returning {
    /// The words of the clause.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Returning::AllOld => "ALL OLD",
            Returning::AllNew => "ALL NEW",
            Returning::ModifiedOld => "MODIFIED OLD",
            Returning::ModifiedNew => "MODIFIED NEW",
        }
    }
}
