//! Values from `ExpressionAttributeValues`, ready to be compared with stored ones.

use std::fmt;

use singlet_values::{AttributeValue, EncodedValue, ValueRef};

/// A value from the request, in the form in which it is compared with stored values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Literal {
    value: AttributeValue,
    /// The stored form of a list, map or set. A scalar can be viewed without one.
    encoded: Option<EncodedValue>,
}

impl Literal {
    pub(crate) fn view(&self) -> ValueRef<'_> {
        match &self.encoded {
            Some(encoded) => encoded.view(),
            None => self.value.as_scalar().unwrap_or(ValueRef::Null),
        }
    }

    /// The value.
    pub fn value(&self) -> &AttributeValue {
        &self.value
    }

    pub(crate) fn into_value(self) -> AttributeValue {
        self.value
    }
}

impl From<AttributeValue> for Literal {
    fn from(value: AttributeValue) -> Self {
        let encoded = value.as_scalar().is_none().then(|| EncodedValue::encode(&value));
        Literal { value, encoded }
    }
}

impl fmt::Display for Literal {
    /// As DynamoDB prints a value in errors, which for binaries is what Java prints.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.value {
            AttributeValue::S(text) => write!(out, "{{S:{text}}}"),
            AttributeValue::N(number) => write!(out, "{{N:{number}}}"),
            AttributeValue::B(bytes) => {
                let len = bytes.len();
                write!(out, "{{B:java.nio.HeapByteBuffer[pos=0 lim={len} cap={len}]}}")
            }
            // DynamoDB prints only values that have an order.
            other => write!(out, "{{{}}}", other.kind().code()),
        }
    }
}
