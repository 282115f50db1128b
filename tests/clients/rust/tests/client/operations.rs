//! Operations that an application uses.

use aws_sdk_dynamodb::error::ProvideErrorMetadata;
use aws_sdk_dynamodb::operation::get_item::GetItemError;
use aws_sdk_dynamodb::operation::put_item::PutItemError;
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::{
    AttributeValue, ConditionCheck, Get, IndexStatus, Put, ReturnValue, ReturnValuesOnConditionCheckFailure,
    TransactGetItem, TransactWriteItem, Update,
};

use crate::orders::{COUNT, Item, filled, key, n, order, s, table};

fn put(table: &str, item: Item) -> TransactWriteItem {
    let put = Put::builder().table_name(table).set_item(Some(item)).build().expect("the put is complete");
    TransactWriteItem::builder().put(put).build()
}

#[tokio::test]
async fn the_table_and_its_index_are_described() {
    let client = table("rust-described").await;
    let answer = client.describe_table().table_name("rust-described").send().await.unwrap();
    let table = answer.table().unwrap();
    assert_eq!(table.item_count(), Some(0));
    assert!(table.creation_date_time().is_some());
    let [index] = table.global_secondary_indexes() else { panic!("not one index: {table:?}") };
    assert_eq!(index.index_name(), Some("by_status"));
    assert_eq!(index.index_status(), Some(&IndexStatus::Active));
}

#[tokio::test]
async fn every_type_comes_back_as_it_was_written() {
    let client = table("rust-types").await;
    let mut item = key("Thịt gà 🍗", 1);
    for (name, value) in [
        ("text", s("\0 \"\\/")),
        ("empty", s("")),
        ("exact", n("-1.2345678901234567890123456789012345678")),
        ("bytes", AttributeValue::B(Blob::new([0, 127, 255]))),
        ("yes", AttributeValue::Bool(true)),
        ("none", AttributeValue::Null(true)),
        ("words", AttributeValue::Ss(vec!["a".to_owned(), "b".to_owned()])),
        ("numbers", AttributeValue::Ns(vec!["7".to_owned()])),
        ("blobs", AttributeValue::Bs(vec![Blob::new([0])])),
        ("list", AttributeValue::L(vec![n(1), AttributeValue::L(vec![])])),
        ("map", AttributeValue::M(key("deep", 2))),
    ] {
        item.insert(name.to_owned(), value);
    }
    client.put_item().table_name("rust-types").set_item(Some(item.clone())).send().await.unwrap();
    let answer = client
        .get_item()
        .table_name("rust-types")
        .set_key(Some(key("Thịt gà 🍗", 1)))
        .consistent_read(true)
        .send()
        .await
        .unwrap();
    assert_eq!(answer.item(), Some(&item));
}

#[tokio::test]
async fn an_update_returns_what_it_changed() {
    let client = filled("rust-update").await;
    let answer = client
        .update_item()
        .table_name("rust-update")
        .set_key(Some(key("C0", 0)))
        .update_expression("ADD #total :more REMOVE #day")
        .expression_attribute_names("#total", "total")
        .expression_attribute_names("#day", "day")
        .expression_attribute_values(":more", n("0.5"))
        .return_values(ReturnValue::UpdatedNew)
        .send()
        .await
        .unwrap();
    assert_eq!(answer.attributes(), Some(&Item::from([("total".to_owned(), n("0.5"))])));
}

#[tokio::test]
async fn an_index_with_equal_keys_pages_without_loss_or_repeat() {
    let client = filled("rust-index").await;
    let mut pages = client
        .query()
        .table_name("rust-index")
        .index_name("by_status")
        .key_condition_expression("#s = :open")
        .expression_attribute_names("#s", "status")
        .expression_attribute_values(":open", s("open"))
        .into_paginator()
        .page_size(7)
        .send();
    let mut page_count = 0;
    let mut items = Vec::new();
    while let Some(page) = pages.try_next().await.unwrap() {
        page_count += 1;
        items.extend(page.items.unwrap_or_default());
    }
    assert_eq!(page_count, 4);
    assert!(items.is_sorted_by_key(|item| item["day"].as_s().unwrap()));
    items.sort_by_key(|item| item["number"].as_n().unwrap().parse::<u32>().unwrap());
    assert_eq!(items, (0..COUNT).map(order).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_partition_is_read_backwards() {
    let client = filled("rust-backwards").await;
    let items: Vec<Item> = client
        .query()
        .table_name("rust-backwards")
        .key_condition_expression("customer = :c AND #n BETWEEN :low AND :high")
        .expression_attribute_names("#n", "number")
        .expression_attribute_values(":c", s("C1"))
        .expression_attribute_values(":low", n(4))
        .expression_attribute_values(":high", n(19))
        .scan_index_forward(false)
        .limit(2)
        .into_paginator()
        .items()
        .send()
        .try_collect()
        .await
        .unwrap();
    assert_eq!(items, [19, 16, 13, 10, 7, 4].map(order));
}

#[tokio::test]
async fn a_transaction_is_done_as_a_whole() {
    let client = table("rust-transaction").await;
    let update = Update::builder()
        .table_name("rust-transaction")
        .set_key(Some(key("C", 2)))
        .update_expression("ADD visits :one")
        .expression_attribute_values(":one", n(1))
        .build()
        .unwrap();
    let request = client
        .transact_write_items()
        .client_request_token("rust-transaction")
        .transact_items(put("rust-transaction", key("C", 1)))
        .transact_items(TransactWriteItem::builder().update(update).build());
    request.clone().send().await.unwrap();
    // The same token again: done once.
    request.send().await.unwrap();

    let get = |number| {
        let get =
            Get::builder().table_name("rust-transaction").set_key(Some(key("C", number))).build().unwrap();
        TransactGetItem::builder().get(get).build()
    };
    let answer =
        client.transact_get_items().transact_items(get(1)).transact_items(get(2)).send().await.unwrap();
    let items: Vec<_> = answer.responses().iter().map(|response| response.item().unwrap().clone()).collect();
    let mut visited = key("C", 2);
    visited.insert("visits".to_owned(), n(1));
    assert_eq!(items, [key("C", 1), visited]);
}

#[tokio::test]
async fn a_failed_condition_shows_the_item() {
    let client = filled("rust-condition").await;
    let error = client
        .put_item()
        .table_name("rust-condition")
        .set_item(Some(key("C0", 0)))
        .condition_expression("attribute_not_exists(customer)")
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .send()
        .await
        .unwrap_err()
        .into_service_error();
    let PutItemError::ConditionalCheckFailedException(failed) = error else { panic!("{error:?}") };
    assert_eq!(failed.message(), Some("The conditional request failed"));
    assert_eq!(failed.item(), Some(&order(0)));
}

#[tokio::test]
async fn a_cancelled_transaction_gives_its_reasons_in_order() {
    let client = filled("rust-cancelled").await;
    let check = ConditionCheck::builder()
        .table_name("rust-cancelled")
        .set_key(Some(key("C1", 1)))
        .condition_expression("attribute_not_exists(customer)")
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .build()
        .unwrap();
    let error = client
        .transact_write_items()
        .transact_items(put("rust-cancelled", key("cancelled", 1)))
        .transact_items(TransactWriteItem::builder().condition_check(check).build())
        .send()
        .await
        .unwrap_err()
        .into_service_error();
    let TransactWriteItemsError::TransactionCanceledException(cancelled) = error else { panic!("{error:?}") };
    let [fine, failed] = cancelled.cancellation_reasons() else { panic!("{cancelled:?}") };
    assert_eq!(fine.code(), Some("None"));
    assert_eq!(failed.code(), Some("ConditionalCheckFailed"));
    assert_eq!(failed.message(), Some("The conditional request failed"));
    assert_eq!(failed.item(), Some(&order(1)));
    let answer = client
        .get_item()
        .table_name("rust-cancelled")
        .set_key(Some(key("cancelled", 1)))
        .send()
        .await
        .unwrap();
    assert_eq!(answer.item(), None);
}

#[tokio::test]
async fn an_invalid_request_says_what_is_wrong() {
    let client = table("rust-invalid").await;
    let error = client
        .get_item()
        .table_name("rust-invalid")
        .key("customer", s("C0"))
        .send()
        .await
        .unwrap_err()
        .into_service_error();
    // The service's model has no type for this one.
    assert_eq!(error.code(), Some("ValidationException"));
    assert_eq!(error.message(), Some("The provided key element does not match the schema"));
}

#[tokio::test]
async fn a_missing_table_is_named_as_such() {
    let client = crate::connect::open().await;
    let error = client
        .get_item()
        .table_name("rust-nowhere")
        .set_key(Some(key("C0", 0)))
        .send()
        .await
        .unwrap_err()
        .into_service_error();
    let GetItemError::ResourceNotFoundException(missing) = error else { panic!("{error:?}") };
    assert_eq!(missing.message(), Some("Requested resource not found"));
}
