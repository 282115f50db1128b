//! A statement whose table was found.

use singlet_engine::{Database, KeyDescription};
use singlet_expr::{Condition, KeyAttribute, KeyNames, Path};
use singlet_partiql::{Keyed, Select, Statement, StatementError, split_key};
use singlet_values::{AttributeValue, Item, Kind};

use crate::constraint::is_name;
use crate::error::Failure;
use crate::table_name::{self, Home, TableName};
use crate::text::RequestError;

/// The lengths of a table's name in a statement.
const NAME_BYTES: std::ops::RangeInclusive<usize> = 3..=255;

/// A statement, its table, and the key of the table or index that it names.
pub(crate) struct Prepared {
    pub(crate) statement: Statement,
    pub(crate) table: TableName,
    key: KeyDescription,
}

impl Prepared {
    /// Parses a statement and finds its table.
    pub(crate) fn new(
        database: &Database,
        text: &str,
        parameters: Vec<AttributeValue>,
    ) -> Result<Prepared, Failure> {
        let statement = Statement::parse(text, parameters)?;
        let table = parse_table(statement.table(), Home::of(database))?;
        let index = match &statement {
            Statement::Select(select) | Statement::Exists(select) => select.source.index.as_deref(),
            Statement::Insert(_) | Statement::Update(_) | Statement::Delete(_) => None,
        };
        let key = database.key_of(&table.name, index)?;
        if key.partition.len() > 1 || key.sort.len() > 1 {
            return Err(RequestError::StatementKey.into());
        }
        Ok(Prepared { statement, table, key })
    }

    /// Calls a function with the names of the key's attributes.
    pub(crate) fn with_key<T>(&self, call: impl FnOnce(&KeyNames<'_>) -> T) -> T {
        let (partition, sort) = (names(&self.key.partition), names(&self.key.sort));
        call(&KeyNames { partition: &partition, sort: &sort })
    }

    /// The key attributes of an item.
    pub(crate) fn key_of(&self, item: &Item) -> Item {
        let attributes = self.key.partition.iter().chain(&self.key.sort);
        attributes.filter_map(|(name, _)| Some((name.clone(), item.get(name)?.clone()))).collect()
    }

    /// The condition that there is an item. Every item has the first attribute of the key.
    pub(crate) fn item_exists(&self) -> Condition {
        Condition::exists(self.first_attribute())
    }

    /// The condition that there is no item.
    pub(crate) fn item_is_missing(&self) -> Condition {
        Condition::missing(self.first_attribute())
    }

    fn first_attribute(&self) -> Path {
        Path::attribute(self.key.partition.first().map_or("", |(name, _)| name))
    }

    /// The key of the single item that a condition names.
    pub(crate) fn split(&self, condition: Option<&Condition>) -> Result<Keyed, StatementError> {
        self.with_key(|key| split_key(condition, key))
    }

    /// The key of the single item that a `SELECT` names without any other condition. `None` if it names no single item.
    pub(crate) fn single_key(&self, select: &Select) -> Option<Keyed> {
        let keyed = self.split(select.condition.as_ref()).ok()?;
        (select.source.index.is_none() && select.order.is_empty()).then_some(keyed)
    }
}

fn names(attributes: &[(String, Kind)]) -> Vec<KeyAttribute<'_>> {
    attributes.iter().map(|(name, kind)| KeyAttribute { name, kind: *kind }).collect()
}

fn parse_table(written: &str, home: Home<'_>) -> Result<TableName, Failure> {
    let is_table = NAME_BYTES.contains(&written.len()) && is_name(written);
    match is_table || written.starts_with("arn:") {
        true => table_name::parse(written, "tableName", home),
        false => Err(RequestError::StatementTable.into()),
    }
}
