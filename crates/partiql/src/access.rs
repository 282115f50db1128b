//! How the items of a `SELECT` are read.
//!
//! An equality or `IN` on the partition key makes a statement read only those partitions. It may stand in a part of an
//! `AND`, or in every part of an `OR`. Other statements scan. The whole condition stays the filter, so the choice never
//! changes which items are returned.

use std::cmp::Ordering;

use singlet_expr::{
    Comparator, Condition, KeyAttribute, KeyCondition, KeyNames, KeyTerm, KeyTest, Operand, Test,
};
use singlet_values::AttributeValue;

use crate::error::StatementError;
use crate::key::{check_kind, collect_parts, equality, refuse_nested_keys};
use crate::statement::Select;

/// The most partitions that one statement reads.
pub const PARTITIONS_MAX: usize = 100;

/// How the items of a statement are found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Access {
    /// All items are read.
    Scan,
    /// Ranges of partitions are read, one after the other. No item is in two of them.
    Ranges(Vec<KeyCondition>),
}

/// The values of all attributes of a partition key.
type Partition<'t> = Vec<&'t AttributeValue>;

impl Select {
    /// Chooses how to read the items, given the key of the table or index.
    pub fn access(&self, key: &KeyNames<'_>) -> Result<Access, StatementError> {
        self.check_order(key)?;
        let Some(condition) = &self.condition else { return Ok(Access::Scan) };
        refuse_nested_keys(condition, key)?;
        let Some(mut partitions) = partitions(condition.test(), key.partition)? else {
            return match self.order.is_empty() {
                true => Ok(Access::Scan),
                false => Err(StatementError::OrderWithoutKey),
            };
        };
        self.order_partitions(&mut partitions, key)?;
        let ranges = partitions.iter().map(|partition| range(condition, partition, key));
        Ok(Access::Ranges(ranges.collect::<Result<_, _>>()?))
    }

    /// Whether sort keys are read from the highest to the lowest.
    pub fn is_backward(&self, key: &KeyNames<'_>) -> bool {
        let sorts = |name: &str| key.sort.iter().any(|attribute| attribute.name == name);
        self.order.iter().any(|term| term.descending && sorts(&term.attribute))
    }

    fn check_order(&self, key: &KeyNames<'_>) -> Result<(), StatementError> {
        if !self.order.is_empty() && self.condition.is_none() {
            return Err(StatementError::OrderWithoutWhere);
        }
        let is_key =
            |name: &str| key.partition.iter().chain(key.sort).any(|attribute| attribute.name == name);
        match self.order.iter().find(|term| !is_key(&term.attribute)) {
            Some(term) => Err(StatementError::OrderAttribute { attribute: term.attribute.clone() }),
            None => Ok(()),
        }
    }

    /// Sorts partitions as the `ORDER BY` clause says. Without one they are read as they are written.
    fn order_partitions(
        &self,
        partitions: &mut [Partition<'_>],
        key: &KeyNames<'_>,
    ) -> Result<(), StatementError> {
        if self.order.is_empty() || partitions.len() < 2 {
            return Ok(());
        }
        let is_partition = |name: &str| key.partition.iter().any(|attribute| attribute.name == name);
        match self.order.first() {
            Some(term) if is_partition(&term.attribute) => {
                partitions.sort_by(|left, right| match term.descending {
                    true => compare(right, left),
                    false => compare(left, right),
                });
                Ok(())
            }
            _ => Err(StatementError::OrderAcrossPartitions),
        }
    }
}

fn compare(left: &Partition<'_>, right: &Partition<'_>) -> Ordering {
    let scalars = left.iter().zip(right).map(|(left, right)| left.as_scalar().zip(right.as_scalar()));
    let order = scalars.map(|both| both.and_then(|(left, right)| left.partial_cmp(&right)));
    order.fold(Ordering::Equal, |first, next| first.then(next.unwrap_or(Ordering::Equal)))
}

/// The partitions outside which a condition is false, each once. `None` if it can be true in any partition.
fn partitions<'t>(
    test: &'t Test,
    attributes: &[KeyAttribute<'_>],
) -> Result<Option<Vec<Partition<'t>>>, StatementError> {
    let mut parts = Vec::new();
    collect_parts(test, &mut parts);
    if let Some(product) = product(&parts, attributes)? {
        return Ok(Some(product));
    }
    for part in parts {
        let Test::Or(branches) = part else { continue };
        let mut found = Vec::new();
        for branch in branches {
            match partitions(branch, attributes)? {
                Some(inner) => add_new(&mut found, inner)?,
                None => {
                    found.clear();
                    break;
                }
            }
        }
        if !found.is_empty() {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

fn add_new<'t>(found: &mut Vec<Partition<'t>>, more: Vec<Partition<'t>>) -> Result<(), StatementError> {
    for partition in more {
        if !found.contains(&partition) {
            found.push(partition);
        }
    }
    match found.len() > PARTITIONS_MAX {
        true => Err(StatementError::TooManyPartitions),
        false => Ok(()),
    }
}

/// All combinations of the values that the parts allow for the key's attributes. `None` if one attribute is free.
fn product<'t>(
    parts: &[&'t Test],
    attributes: &[KeyAttribute<'_>],
) -> Result<Option<Vec<Partition<'t>>>, StatementError> {
    let mut partitions: Vec<Partition<'t>> = vec![Vec::new()];
    for attribute in attributes {
        let Some(values) = parts.iter().find_map(|part| values(part, attribute.name)) else {
            return Ok(None);
        };
        values.iter().try_for_each(|value| check_kind(attribute, value))?;
        let mut longer = Vec::new();
        for partition in &partitions {
            let with = |value| partition.iter().copied().chain([value]).collect();
            add_new(&mut longer, values.iter().copied().map(with).collect())?;
        }
        partitions = longer;
    }
    Ok(Some(partitions))
}

/// The values that a test allows for an attribute, if it allows only some.
fn values<'t>(test: &'t Test, attribute: &str) -> Option<Vec<&'t AttributeValue>> {
    match test {
        Test::In { operand, candidates } if is_attribute(operand, attribute) => {
            candidates.iter().map(literal).collect()
        }
        other => equality(other, attribute).map(|value| vec![value]),
    }
}

/// The range of one partition that a condition allows.
fn range(
    condition: &Condition,
    partition: &Partition<'_>,
    key: &KeyNames<'_>,
) -> Result<KeyCondition, StatementError> {
    let term = |attribute: &KeyAttribute<'_>, test| KeyTerm { attribute: attribute.name.to_owned(), test };
    let mut terms: Vec<KeyTerm> = key
        .partition
        .iter()
        .zip(partition)
        .map(|(attribute, value)| term(attribute, KeyTest::Equal((*value).clone())))
        .collect();
    for attribute in key.sort {
        let Some(test) = sort_test(condition.test(), partition, attribute, key.partition)? else { break };
        let is_range = !matches!(test, KeyTest::Equal(_));
        terms.push(term(attribute, test));
        if is_range {
            break;
        }
    }
    Ok(KeyCondition::from_terms(terms))
}

/// The test of a sort key attribute that holds for all items of a partition that meet the condition.
fn sort_test(
    test: &Test,
    partition: &Partition<'_>,
    attribute: &KeyAttribute<'_>,
    names: &[KeyAttribute<'_>],
) -> Result<Option<KeyTest>, StatementError> {
    let mut parts = Vec::new();
    collect_parts(test, &mut parts);
    let equal = parts.iter().find_map(|part| equality(part, attribute.name).cloned().map(KeyTest::Equal));
    let own = equal.or_else(|| parts.iter().find_map(|part| key_test(part, attribute.name)));
    if let Some(own) = own {
        own.values().try_for_each(|value| check_kind(attribute, value))?;
        return Ok(Some(own));
    }
    for part in parts {
        let Test::Or(branches) = part else { continue };
        let mut mine = Vec::new();
        for branch in branches {
            if partitions(branch, names)?.is_none_or(|found| found.contains(partition)) {
                mine.push(branch);
            }
        }
        if let [branch] = mine.as_slice() {
            return sort_test(branch, partition, attribute, names);
        }
    }
    Ok(None)
}

/// A test of an attribute as a range of keys, if it is one.
fn key_test(test: &Test, attribute: &str) -> Option<KeyTest> {
    match test {
        Test::Compare { left, comparator, right } => {
            let (comparator, value) = match (left, right) {
                (left, Operand::Literal(value)) if is_attribute(left, attribute) => (*comparator, value),
                (Operand::Literal(value), right) if is_attribute(right, attribute) => {
                    (comparator.mirrored(), value)
                }
                _ => return None,
            };
            let value = value.value().clone();
            match comparator {
                Comparator::Less => Some(KeyTest::Less(value)),
                Comparator::LessOrEqual => Some(KeyTest::LessOrEqual(value)),
                Comparator::Greater => Some(KeyTest::Greater(value)),
                Comparator::GreaterOrEqual => Some(KeyTest::GreaterOrEqual(value)),
                Comparator::Equal => Some(KeyTest::Equal(value)),
                Comparator::NotEqual => None,
            }
        }
        Test::Between { operand, low, high } if is_attribute(operand, attribute) => {
            Some(KeyTest::Between(literal(low)?.clone(), literal(high)?.clone()))
        }
        Test::BeginsWith { operand, prefix } if is_attribute(operand, attribute) => {
            Some(KeyTest::BeginsWith(literal(prefix)?.clone()))
        }
        _ => None,
    }
}

fn is_attribute(operand: &Operand, attribute: &str) -> bool {
    matches!(operand, Operand::Path(path) if path.head == attribute && path.steps.is_empty())
}

fn literal(operand: &Operand) -> Option<&AttributeValue> {
    match operand {
        Operand::Literal(literal) => Some(literal.value()),
        Operand::Path(_) | Operand::Size(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Statement;
    use singlet_expr::Printer;
    use singlet_values::Kind;

    /// The ranges that a condition is read by, with their values, or `scan`.
    fn access(condition: &str) -> Result<String, StatementError> {
        let key = KeyNames {
            partition: &[KeyAttribute { name: "p", kind: Kind::S }],
            sort: &[KeyAttribute { name: "s", kind: Kind::N }],
        };
        let text = format!("SELECT * FROM orders WHERE {condition}");
        let Ok(Statement::Select(select)) = Statement::parse(&text, Vec::new()) else {
            unreachable!("{text}")
        };
        let Access::Ranges(ranges) = select.access(&key)? else { return Ok("scan".to_owned()) };
        let printed = ranges.iter().map(|range| {
            let mut printer = Printer::default();
            let mut text = printer.key_condition(range).unwrap();
            for (placeholder, name) in printer.names() {
                text = text.replace(placeholder, name);
            }
            for (placeholder, value) in printer.values() {
                let value = match value {
                    AttributeValue::S(text) => text.clone(),
                    AttributeValue::N(number) => number.to_string(),
                    other => format!("{other:?}"),
                };
                text = text.replace(placeholder, &value);
            }
            text
        });
        Ok(printed.collect::<Vec<_>>().join("; "))
    }

    #[test]
    fn conditions_on_the_partition_key_become_ranges() {
        for (condition, expected) in [
            ("p = 'x'", "p = x"),
            ("'x' = p AND 3 > s", "p = x AND s < 3"),
            ("p = 'x' AND s > 1 AND s < 9", "p = x AND s > 1"),
            ("p = 'x' AND s > 1 AND s = 5", "p = x AND s = 5"),
            ("p = 'x' AND s BETWEEN 1 AND 2 AND v = 1", "p = x AND s BETWEEN 1 AND 2"),
            ("p = 'x' AND (v = 1 OR s = 1)", "p = x"),
            ("p = 'x' AND s IN [1, 2]", "p = x"),
            ("p = 'x' AND NOT s = 1", "p = x"),
            ("p = 'x' AND s <> 1", "p = x"),
            ("p IN ['y', 'x', 'y'] AND s = 1", "p = y AND s = 1; p = x AND s = 1"),
            ("p = 'x' OR p = 'y'", "p = x; p = y"),
            ("p = 'x' AND s = 1 OR p = 'y' AND s > 2", "p = x AND s = 1; p = y AND s > 2"),
            ("p = 'x' AND s = 1 OR p = 'x' AND s > 2", "p = x"),
            ("v = 1 AND (p = 'x' OR (p = 'y' AND s = 2))", "p = x; p = y AND s = 2"),
            ("p = 'x' AND p = 'y'", "p = x"),
            ("p IN ['x', 'y'] ORDER BY p DESC", "p = y; p = x"),
            ("v = 1", "scan"),
            ("p = 'x' OR v = 1", "scan"),
            ("NOT p = 'x'", "scan"),
            ("p > 'x' AND s = 1", "scan"),
            ("p = v", "scan"),
            ("p IN ['x', v]", "scan"),
        ] {
            assert_eq!(access(condition).as_deref(), Ok(expected), "{condition}");
        }
    }

    #[test]
    fn wrong_keys_and_orders_are_refused() {
        let kind = |attribute: &str| StatementError::KeyKind { attribute: attribute.to_owned() };
        for (condition, expected) in [
            ("p = 1", kind("p")),
            ("p = 'x' AND s > 'y'", kind("s")),
            ("p.x = 1", StatementError::NestedKey { attribute: "p".to_owned() }),
            ("v = 1 ORDER BY s", StatementError::OrderWithoutKey),
            ("p IN ['x', 'y'] ORDER BY s", StatementError::OrderAcrossPartitions),
            ("p = 'x' ORDER BY v", StatementError::OrderAttribute { attribute: "v".to_owned() }),
        ] {
            assert_eq!(access(condition), Err(expected), "{condition}");
        }
        let many: Vec<String> = (0..150).map(|at| format!("p = '{at}'")).collect();
        assert_eq!(access(&many.join(" OR ")), Err(StatementError::TooManyPartitions));
    }
}
