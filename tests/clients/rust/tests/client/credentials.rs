//! The server that asks for keys.

use aws_sdk_dynamodb::error::ProvideErrorMetadata;
use aws_sdk_dynamodb::types::{
    AttributeDefinition, BillingMode, KeySchemaElement, KeyType, ScalarAttributeType,
};

use crate::connect::guarded;
use crate::orders::s;

#[tokio::test]
async fn keys_decide_who_may_do_what() {
    let table = "rust-guarded";
    let writer = guarded("AKIDWRITER", "writer/secret+").await;
    let id = AttributeDefinition::builder().attribute_name("id").attribute_type(ScalarAttributeType::S);
    let key = KeySchemaElement::builder().attribute_name("id").key_type(KeyType::Hash);
    writer
        .create_table()
        .table_name(table)
        .billing_mode(BillingMode::PayPerRequest)
        .attribute_definitions(id.build().unwrap())
        .key_schema(key.build().unwrap())
        .send()
        .await
        .unwrap();

    let reader = guarded("AKIDREADER", "reader/secret+").await;
    reader.describe_table().table_name(table).send().await.unwrap();
    let error = reader.put_item().table_name(table).item("id", s("no")).send().await.unwrap_err();
    assert_eq!(error.code(), Some("AccessDeniedException"));

    let wrong = guarded("AKIDWRITER", "reader/secret+").await;
    let error = wrong.list_tables().send().await.unwrap_err();
    assert_eq!(error.code(), Some("InvalidSignatureException"));
}
