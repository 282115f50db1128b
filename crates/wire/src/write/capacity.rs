//! Consumed capacity and item collection sizes.

use singlet_engine::{Consumed, ItemCollection, Units};
use singlet_values::Attributes;

use super::{JsonWriter, write_attributes};
use crate::choice::ReturnConsumedCapacity;

/// How capacity is reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CapacityReport {
    /// The detail that the caller asked for.
    pub(crate) detail: ReturnConsumedCapacity,
    /// Whether reads and writes are reported separately besides the sum, as for transactions.
    pub(crate) transaction: bool,
}

/// Writes the member `ConsumedCapacity` of one table, if the caller asked for it. `label` is the table as the caller
/// wrote it, if that wasn't its name.
pub(crate) fn write_capacity(
    json: &mut JsonWriter,
    report: CapacityReport,
    consumed: &Consumed,
    label: Option<&str>,
) {
    if report.detail != ReturnConsumedCapacity::None {
        write_account(json.key("ConsumedCapacity"), report, consumed, label);
    }
}

/// Writes the member `ConsumedCapacity` of several tables, if the caller asked for it.
pub(crate) fn write_capacities<'a>(
    json: &mut JsonWriter,
    report: CapacityReport,
    accounts: impl Iterator<Item = (&'a Consumed, Option<&'a str>)>,
) {
    if report.detail != ReturnConsumedCapacity::None {
        json.key("ConsumedCapacity").array(|json| {
            for (consumed, label) in accounts {
                write_account(json, report, consumed, label);
            }
        });
    }
}

fn write_account(json: &mut JsonWriter, report: CapacityReport, consumed: &Consumed, label: Option<&str>) {
    json.object(|json| {
        json.key("TableName").text(label.unwrap_or(&consumed.table));
        write_units(json, report, consumed.total());
        if report.detail == ReturnConsumedCapacity::Indexes {
            json.key("Table").object(|json| write_units(json, report, consumed.table_units));
            write_indexes(json, report, "LocalSecondaryIndexes", &consumed.local_indexes);
            write_indexes(json, report, "GlobalSecondaryIndexes", &consumed.global_indexes);
        }
    });
}

fn write_indexes(
    json: &mut JsonWriter,
    report: CapacityReport,
    key: &'static str,
    indexes: &[(String, Units)],
) {
    if indexes.is_empty() {
        return;
    }
    json.key(key).object(|json| {
        for (name, units) in indexes {
            json.name(name).object(|json| write_units(json, report, *units));
        }
    });
}

fn write_units(json: &mut JsonWriter, report: CapacityReport, units: Units) {
    json.key("CapacityUnits").decimal(units.total());
    if report.transaction && units.read > 0.0 {
        json.key("ReadCapacityUnits").decimal(units.read);
    }
    if report.transaction && units.write > 0.0 {
        json.key("WriteCapacityUnits").decimal(units.write);
    }
}

/// Writes the size of an item collection.
pub(crate) fn write_collection(json: &mut JsonWriter, collection: &ItemCollection) {
    json.object(|json| {
        let key = Attributes::from([(collection.key_name.as_str(), collection.key.clone())]);
        write_attributes(json.key("ItemCollectionKey"), &key);
        json.key("SizeEstimateRangeGB").array(|json| {
            json.decimal(collection.size_estimate_gb.0);
            json.decimal(collection.size_estimate_gb.1);
        });
    });
}
