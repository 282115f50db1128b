//! Items to and from the SDK's form.

use std::collections::HashMap;

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue as SdkValue;
use singlet_store::StoreError;
use singlet_values::{AttributeValue, EncodedItem, Item, Number};

/// An item as the SDK has it.
pub(crate) type SdkItem = HashMap<String, SdkValue>;

pub(crate) fn sdk_item(item: &Item) -> SdkItem {
    item.iter().map(|(name, value)| (name.to_owned(), sdk_value(value))).collect()
}

pub(crate) fn sdk_value(value: &AttributeValue) -> SdkValue {
    match value {
        AttributeValue::S(text) => SdkValue::S(text.clone()),
        AttributeValue::N(number) => SdkValue::N(number.to_string()),
        AttributeValue::B(bytes) => SdkValue::B(Blob::new(bytes.clone())),
        AttributeValue::Bool(value) => SdkValue::Bool(*value),
        AttributeValue::Null => SdkValue::Null(true),
        AttributeValue::M(map) => SdkValue::M(sdk_item(map)),
        AttributeValue::L(list) => SdkValue::L(list.iter().map(sdk_value).collect()),
        AttributeValue::Ss(texts) => SdkValue::Ss(texts.iter().cloned().collect()),
        AttributeValue::Ns(numbers) => SdkValue::Ns(numbers.iter().map(Number::to_string).collect()),
        AttributeValue::Bs(binaries) => SdkValue::Bs(binaries.iter().cloned().map(Blob::new).collect()),
    }
}

/// An answer's item in its stored form.
pub(crate) fn encoded(item: SdkItem) -> Result<EncodedItem, StoreError> {
    Ok(EncodedItem::encode(&engine_item(item)?))
}

pub(crate) fn engine_item(item: SdkItem) -> Result<Item, StoreError> {
    let attribute = |(name, value)| Ok((name, engine_value(value)?));
    item.into_iter().map(attribute).collect::<Result<Item, StoreError>>()
}

fn engine_value(value: SdkValue) -> Result<AttributeValue, StoreError> {
    Ok(match value {
        SdkValue::S(text) => AttributeValue::S(text),
        SdkValue::N(digits) => AttributeValue::N(number(&digits)?),
        SdkValue::B(bytes) => AttributeValue::B(bytes.into_inner()),
        SdkValue::Bool(value) => AttributeValue::Bool(value),
        SdkValue::Null(_) => AttributeValue::Null,
        SdkValue::M(map) => AttributeValue::M(engine_item(map)?),
        SdkValue::L(list) => AttributeValue::L(list.into_iter().map(engine_value).collect::<Result<_, _>>()?),
        SdkValue::Ss(texts) => AttributeValue::Ss(texts.into_iter().collect()),
        SdkValue::Ns(digits) => {
            AttributeValue::Ns(digits.iter().map(|digits| number(digits)).collect::<Result<_, _>>()?)
        }
        SdkValue::Bs(binaries) => AttributeValue::Bs(binaries.into_iter().map(Blob::into_inner).collect()),
        other => return Err(unreadable(format!("a value of an unknown kind, {other:?}"))),
    })
}

fn number(digits: &str) -> Result<Number, StoreError> {
    digits.parse().map_err(|_| unreadable(format!("the number {digits}")))
}

fn unreadable(what: String) -> StoreError {
    StoreError::Refused(format!("the service answered with {what}, which no item can hold"))
}
