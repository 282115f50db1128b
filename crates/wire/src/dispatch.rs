//! Calls the code of an operation.

use singlet_engine::Database;

use crate::error::Failure;
use crate::operation::Operation;
use crate::operations::{
    Answer, backup_arn, batch_execute_statement, batch_get_item, batch_write_item, create_backup,
    create_table, delete_item, delete_table, describe, describe_continuous_backups, describe_stream,
    describe_table, describe_time_to_live, execute_statement, execute_transaction,
    export_table_to_point_in_time, exports, get_item, get_records, get_shard_iterator, import_table, imports,
    list_backups, list_streams, list_tables, put_item, query, restore_table_from_backup,
    restore_table_to_point_in_time, scan, tags, transact_get_items, transact_write_items,
    update_continuous_backups, update_item, update_table, update_time_to_live,
};
use crate::room::AnswerRoom;

/// Serves one request. `endpoint` is the server's address for clients, and `room` has the memory for large answers.
pub(crate) async fn dispatch(
    database: &Database,
    endpoint: &str,
    operation: Operation,
    body: &[u8],
    room: &dyn AnswerRoom,
) -> Result<Answer, Failure> {
    match operation {
        Operation::BatchExecuteStatement => batch_execute_statement::call(database, body, room).await,
        Operation::BatchGetItem => batch_get_item::call(database, body),
        Operation::BatchWriteItem => batch_write_item::call(database, body).await,
        Operation::CreateBackup => create_backup::call(database, body).await,
        Operation::CreateTable => create_table::call(database, body).await,
        Operation::DeleteBackup => backup_arn::delete(database, body).await,
        Operation::DeleteItem => delete_item::call(database, body, room).await,
        Operation::DeleteTable => delete_table::call(database, body).await,
        Operation::DescribeBackup => backup_arn::describe(database, body),
        Operation::DescribeContinuousBackups => describe_continuous_backups::call(database, body),
        Operation::DescribeEndpoints => describe::endpoints(endpoint, body),
        Operation::DescribeExport => exports::describe(database, body),
        Operation::DescribeImport => imports::describe(database, body),
        Operation::DescribeLimits => describe::limits(body),
        Operation::DescribeStream => describe_stream::call(database, body),
        Operation::DescribeTable => describe_table::call(database, body),
        Operation::DescribeTimeToLive => describe_time_to_live::call(database, body),
        Operation::ExecuteStatement => execute_statement::call(database, body, room).await,
        Operation::ExecuteTransaction => execute_transaction::call(database, body, room).await,
        Operation::ExportTableToPointInTime => export_table_to_point_in_time::call(database, body).await,
        Operation::GetItem => get_item::call(database, body),
        Operation::GetRecords => get_records::call(database, body),
        Operation::GetShardIterator => get_shard_iterator::call(database, body),
        Operation::ImportTable => import_table::call(database, body).await,
        Operation::ListBackups => list_backups::call(database, body),
        Operation::ListExports => exports::list(database, body),
        Operation::ListImports => imports::list(database, body),
        Operation::ListStreams => list_streams::call(database, body),
        Operation::ListTables => list_tables::call(database, body),
        Operation::ListTagsOfResource => tags::list(database, body),
        Operation::PutItem => put_item::call(database, body, room).await,
        Operation::Query => query::call(database, body, room).await,
        Operation::RestoreTableFromBackup => restore_table_from_backup::call(database, body).await,
        Operation::Scan => scan::call(database, body, room).await,
        Operation::TagResource => tags::tag(database, body).await,
        Operation::TransactGetItems => transact_get_items::call(database, body),
        Operation::TransactWriteItems => transact_write_items::call(database, body, room).await,
        Operation::UntagResource => tags::untag(database, body).await,
        Operation::RestoreTableToPointInTime => restore_table_to_point_in_time::call(database, body).await,
        Operation::UpdateContinuousBackups => update_continuous_backups::call(database, body).await,
        Operation::UpdateItem => update_item::call(database, body, room).await,
        Operation::UpdateTable => update_table::call(database, body).await,
        Operation::UpdateTimeToLive => update_time_to_live::call(database, body).await,
    }
}
