//! Reading the items of one partition key in order.

use singlet_expr::{BoundKey, KeyNames, KeyTest};
use singlet_values::{AttributeValue, Item, key_successor, write_key_part, write_key_prefix};

use super::Snapshot;
use super::bounds::Bounds;
use super::page::Page;
use super::scan::{StartKeyOf, start_row};
use super::source::Source;
use crate::error::{Invalid, Result};
use crate::keyspace::HASH_BYTES;
use crate::request::{PageOutcome, Query};
use crate::store::Direction;
use crate::table::{KeyAttribute, KeyProblem, set_partition_hash};

/// Reads a page of a query.
pub(crate) fn query(view: &Snapshot, request: &Query) -> Result<PageOutcome> {
    page(view, request)?.read(view)
}

/// Reads a page of a query, and regularly lets other tasks of the thread run.
pub(crate) async fn query_in_parts(view: &Snapshot, request: &Query) -> Result<PageOutcome> {
    page(view, request)?.read_in_parts(view).await
}

fn page<'a>(view: &'a Snapshot, request: &'a Query) -> Result<Page<'a>> {
    let source = Source::find(view, &request.table, request.index.as_deref(), request.consistent)?;
    let key = bind(source, request)?;
    check_filter(source, request)?;
    let partition = partition_row(source, &key)?;
    let mut bounds = key_bounds(&partition, &key)?;
    // A partition of one item is a whole page, whatever the limit. There is nothing after it.
    let is_item = source.index.is_none() && source.key().sort.is_empty();
    let direction = if request.forward { Direction::Forward } else { Direction::Backward };
    if let Some(start) = &request.start_key {
        let row = start_row(source, start, StartKeyOf::Query)?;
        if is_item {
            return Err(Invalid::StartKeyOfItem(shown(start)).into());
        }
        if !bounds.contain(&row) {
            let outside = !row.starts_with(&partition);
            return Err(if outside { Invalid::StartKeyOutside } else { Invalid::StartKeyPredicate }.into());
        }
        bounds = bounds.after(row, direction);
    }
    Ok(Page {
        source,
        bounds,
        direction,
        filter: request.filter.as_ref(),
        projection: request.projection.as_ref(),
        select: request.select,
        limit: request.limit.filter(|_| !is_item),
        consistent: request.consistent,
    })
}

/// A start key as DynamoDB shows it in an error.
fn shown(start: &Item) -> String {
    let attributes = start.iter().map(|(name, value)| {
        let value = match value {
            AttributeValue::S(text) => format!("S:{text}"),
            AttributeValue::N(number) => format!("N:{number}"),
            AttributeValue::B(bytes) => {
                format!("B:java.nio.HeapByteBuffer[pos=0 lim={0} cap={0}]", bytes.len())
            }
            other => other.kind().code().to_owned(),
        };
        format!("{name}=AttributeValue: {{{value}}}")
    });
    format!("{{{}}}", attributes.collect::<Vec<_>>().join(", "))
}

fn bind(source: Source<'_>, request: &Query) -> Result<BoundKey> {
    fn names(attributes: &[KeyAttribute]) -> Vec<singlet_expr::KeyAttribute<'_>> {
        attributes
            .iter()
            .map(|attribute| singlet_expr::KeyAttribute {
                name: &attribute.name,
                kind: attribute.scalar.kind(),
            })
            .collect()
    }
    let shape = source.key();
    let names = (names(&shape.partition), names(&shape.sort));
    Ok(request.key_condition.bind(&KeyNames { partition: &names.0, sort: &names.1 })?)
}

/// Refuses a filter on the key of the query, unless the request allows it.
fn check_filter(source: Source<'_>, request: &Query) -> Result<()> {
    let Some(filter) = request.filter.as_ref().filter(|_| !request.filters_keys) else { return Ok(()) };
    let key = source.key();
    match filter.top_level_attributes().find(|name| key.contains(name)) {
        Some(name) => Err(Invalid::FilterOnKey(name.to_owned()).into()),
        None => Ok(()),
    }
}

/// The common prefix of all rows of the partition.
fn partition_row(source: Source<'_>, key: &BoundKey) -> Result<Vec<u8>> {
    let mut row = source.space().prefix().to_vec();
    row.extend_from_slice(&[0; HASH_BYTES]);
    for (attribute, value) in source.key().partition.iter().zip(&key.partition) {
        write_value(&mut row, attribute, value)?;
    }
    set_partition_hash(&mut row);
    Ok(row)
}

fn write_value(row: &mut Vec<u8>, attribute: &KeyAttribute, value: &AttributeValue) -> Result<(), Invalid> {
    let scalar = value.as_scalar().ok_or(Invalid::KeyMismatch)?;
    attribute.check(scalar).map_err(KeyProblem::in_key)?;
    write_key_part(row, scalar).map_err(|_| Invalid::KeyMismatch)
}

/// The rows whose sort key matches the condition.
fn key_bounds(partition: &[u8], key: &BoundKey) -> Result<Bounds> {
    let mut prefix = partition.to_vec();
    for value in &key.sort {
        write_part(&mut prefix, value)?;
    }
    let with = |value: &AttributeValue| {
        let mut row = prefix.clone();
        write_part(&mut row, value).map(|()| row)
    };
    let all = key_successor(&prefix);
    Ok(match &key.range {
        None => Bounds::new(prefix, all),
        Some(KeyTest::Equal(value)) => {
            let row = with(value)?;
            let end = key_successor(&row);
            Bounds::new(row, end)
        }
        Some(KeyTest::Less(value)) => Bounds::new(prefix.clone(), Some(with(value)?)),
        Some(KeyTest::LessOrEqual(value)) => Bounds::new(prefix.clone(), key_successor(&with(value)?)),
        Some(KeyTest::Greater(value)) => match key_successor(&with(value)?) {
            Some(above) => Bounds::new(above, all),
            None => Bounds::new(prefix.clone(), Some(prefix.clone())),
        },
        Some(KeyTest::GreaterOrEqual(value)) => Bounds::new(with(value)?, all),
        Some(KeyTest::Between(low, high)) => Bounds::new(with(low)?, key_successor(&with(high)?)),
        Some(KeyTest::BeginsWith(value)) => {
            let mut row = prefix.clone();
            let scalar = value.as_scalar().ok_or(Invalid::KeyMismatch)?;
            write_key_prefix(&mut row, scalar).map_err(|_| Invalid::KeyMismatch)?;
            let end = key_successor(&row);
            Bounds::new(row, end)
        }
    })
}

fn write_part(row: &mut Vec<u8>, value: &AttributeValue) -> Result<(), Invalid> {
    let scalar = value.as_scalar().ok_or(Invalid::KeyMismatch)?;
    write_key_part(row, scalar).map_err(|_| Invalid::KeyMismatch)
}
