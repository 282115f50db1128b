//! Members that `CreateTable`, `UpdateTable` and `TagResource` share: keys, indexes, throughput and settings.

mod indexes;
mod keys;
mod overrides;
mod settings;
mod throughput;

pub(super) use indexes::{AskedIndex, IndexMember, read_index, read_indexes};
use keys::GLOBAL_KEY_ELEMENTS;
pub(super) use keys::{
    AttributeDefinitionMember, KEY_ELEMENTS, KeyElements, KeySchemaElement, read_definitions,
    read_key_elements,
};
pub(super) use overrides::{OverrideMembers, read_overrides};
pub(super) use settings::{
    AskedStream, SseSpecification, StreamSpecification, TagMember, check_tags, read_encryption, read_stream,
    read_tags,
};
pub(super) use throughput::{
    AskedUnits, OnDemandMember, ProvisionedMember, WarmMember, read_on_demand, read_provisioned, read_warm,
};

/// The values, if none is missing. All of them are read, so that all violations are found.
pub(super) fn all<T>(values: impl Iterator<Item = Option<T>>) -> Option<Vec<T>> {
    let values: Vec<Option<T>> = values.collect();
    values.into_iter().collect()
}
