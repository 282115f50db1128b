//! Filling templates with values.

use singlet_engine::values::AttributeValue;

use super::{Template, Values};

/// Why a value can't stand in a key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {reason}")]
pub struct RenderError {
    /// The field.
    pub field: String,
    /// Why, and what would do.
    pub reason: String,
}

impl Template {
    /// The key that the values make; `None` if one of them is missing: the item is then not in the index.
    pub fn render(
        &self,
        separator: char,
        values: &impl Values,
    ) -> Result<Option<AttributeValue>, RenderError> {
        let _ = (separator, values);
        todo!()
    }

    /// The same, with this shard instead of the one that the values give.
    pub fn render_shard(
        &self,
        separator: char,
        values: &impl Values,
        shard: u32,
    ) -> Result<Option<AttributeValue>, RenderError> {
        let _ = (separator, values, shard);
        todo!()
    }

    /// The text of the parts before `part`; `None` if a value is missing.
    pub fn render_until(
        &self,
        separator: char,
        values: &impl Values,
        part: usize,
    ) -> Result<Option<String>, RenderError> {
        let _ = (separator, values, part);
        todo!()
    }

    /// Every field that the template reads, in order, each once; shards included.
    pub fn fields(&self) -> impl Iterator<Item = &str> {
        std::iter::empty()
    }

    /// The text before the first placeholder.
    pub fn constant_head(&self) -> &str {
        todo!()
    }

    /// The field, if the template is nothing but that field as it is: the key attribute keeps the field's type.
    pub fn plain_field(&self) -> Option<&str> {
        todo!()
    }

    /// How many shards it spreads over.
    pub fn shard_count(&self) -> Option<u32> {
        todo!()
    }
}
