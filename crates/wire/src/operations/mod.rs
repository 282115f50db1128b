//! One file for each operation: its members, how they become a request of the engine, and how the outcome becomes JSON.

pub(crate) mod backup_arn;
pub(crate) mod batch_get_item;
pub(crate) mod batch_write_item;
pub(crate) mod create_backup;
pub(crate) mod create_table;
pub(crate) mod delete_item;
pub(crate) mod delete_table;
pub(crate) mod describe;
pub(crate) mod describe_continuous_backups;
pub(crate) mod describe_stream;
pub(crate) mod describe_table;
pub(crate) mod describe_time_to_live;
pub(crate) mod export_table_to_point_in_time;
pub(crate) mod exports;
pub(crate) mod get_item;
pub(crate) mod get_records;
pub(crate) mod get_shard_iterator;
pub(crate) mod import_table;
pub(crate) mod imports;
pub(crate) mod list_backups;
pub(crate) mod list_streams;
pub(crate) mod list_tables;
pub(crate) mod put_item;
pub(crate) mod query;
pub(crate) mod restore_table_from_backup;
pub(crate) mod restore_table_to_point_in_time;
pub(crate) mod scan;
pub(crate) mod tags;
pub(crate) mod transact_get_items;
pub(crate) mod transact_write_items;
pub(crate) mod update_continuous_backups;
pub(crate) mod update_item;
pub(crate) mod update_table;
pub(crate) mod update_time_to_live;

mod answer;
mod legacy;
mod page;
mod report;
mod single_write;
mod table_members;
mod transfer_members;

pub(crate) use answer::Answer;
use report::{TableReport, TablesReport};
