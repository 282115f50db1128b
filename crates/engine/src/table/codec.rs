//! The stored descriptor of a table: an encoded item, so that attributes can be added.

use std::collections::BTreeMap;
use std::str::FromStr;

use singlet_values::{AttributeValue, Attributes, EncodedItem, Item, Number};

use super::validate::shape;
use super::{
    Index, IndexState, LoadSource, RecoverySetting, Restored, ScheduleSetting, Settings, StreamSetting,
    Table, TtlSetting, TtlState,
};
use crate::request::{
    AttributeDefinition, BillingMode, KeySchema, OnDemandThroughput, ProjectedAttributes,
    ProvisionedThroughput, ScalarType, StreamView, TableClass, WarmThroughput,
};

impl Table {
    /// Encodes the descriptor.
    pub(crate) fn encode(&self) -> EncodedItem {
        let attributes = self.attributes.iter().map(encode_attribute).collect();
        let tags = self.tags.iter().map(|(key, value)| (key.clone(), text(value))).collect();
        let mut item = Item::new();
        put(&mut item, "number", number(u64::from(self.number)));
        put(&mut item, "name", text(&self.name));
        put(&mut item, "arn", text(&self.arn));
        put(&mut item, "id", text(&self.id));
        put(&mut item, "created_ms", number(self.created_ms));
        put(&mut item, "attributes", AttributeValue::L(attributes));
        put(&mut item, "key", encode_key(&self.key.schema()));
        put(&mut item, "indexes", AttributeValue::L(self.indexes.iter().map(encode_index).collect()));
        put(&mut item, "next_index", number(u64::from(self.next_index)));
        put(&mut item, "tags", AttributeValue::M(tags));
        put(&mut item, "settings", AttributeValue::M(encode_settings(&self.settings)));
        if let Some(restored) = &self.restored {
            put(&mut item, "restored", AttributeValue::M(encode_restored(restored)));
        }
        EncodedItem::encode(&item)
    }

    /// Decodes a descriptor; `None` if it is invalid.
    pub(crate) fn decode(item: &EncodedItem) -> Option<Table> {
        let item = item.decode().ok()?;
        let attributes =
            get_list(&item, "attributes")?.iter().map(decode_attribute).collect::<Option<Vec<_>>>()?;
        Some(Table {
            number: get_number(&item, "number")?,
            name: get_text(&item, "name")?,
            arn: get_text(&item, "arn")?,
            id: get_text(&item, "id")?,
            created_ms: get_number(&item, "created_ms")?,
            key: shape(&decode_key(item.get("key")?)?, &attributes)?,
            indexes: get_list(&item, "indexes")?
                .iter()
                .map(|index| decode_index(map(index)?, &attributes))
                .collect::<Option<_>>()?,
            next_index: get_number(&item, "next_index")?,
            settings: decode_settings(map(item.get("settings")?)?)?,
            tags: decode_tags(map(item.get("tags")?)?)?,
            restored: match item.get("restored") {
                Some(restored) => Some(decode_restored(map(restored)?)?),
                None => None,
            },
            attributes,
        })
    }
}

fn encode_restored(restored: &Restored) -> Attributes {
    let mut item = Item::new();
    put(&mut item, "loading", AttributeValue::Bool(restored.loading));
    match &restored.source {
        LoadSource::Backup { table_arn, backup_arn, time_ms } => {
            put(&mut item, "table_arn", text(table_arn));
            put(&mut item, "backup_arn", text(backup_arn));
            put(&mut item, "time_ms", number(*time_ms));
        }
        LoadSource::PointInTime { table_arn, time_ms } => {
            put(&mut item, "table_arn", text(table_arn));
            put(&mut item, "time_ms", number(*time_ms));
        }
        LoadSource::Import => {}
    }
    item
}

fn decode_restored(item: &Attributes) -> Option<Restored> {
    let source = match (get_text(item, "table_arn"), get_text(item, "backup_arn")) {
        (Some(table_arn), Some(backup_arn)) => {
            LoadSource::Backup { table_arn, backup_arn, time_ms: get_number(item, "time_ms")? }
        }
        (Some(table_arn), None) => {
            LoadSource::PointInTime { table_arn, time_ms: get_number(item, "time_ms")? }
        }
        (None, _) => LoadSource::Import,
    };
    Some(Restored { source, loading: matches!(item.get("loading")?, AttributeValue::Bool(true)) })
}

fn encode_index(index: &Index) -> AttributeValue {
    let mut item = Item::new();
    put(&mut item, "number", number(u64::from(index.number)));
    put(&mut item, "name", text(&index.name));
    put(&mut item, "local", AttributeValue::Bool(index.local));
    put(&mut item, "key", encode_key(&index.key.schema()));
    match &index.projection {
        ProjectedAttributes::All => put(&mut item, "projection", text("all")),
        ProjectedAttributes::KeysOnly => put(&mut item, "projection", text("keys")),
        ProjectedAttributes::Include(names) => put(&mut item, "projection", texts(names)),
    }
    match &index.state {
        IndexState::Active => put(&mut item, "state", text("active")),
        IndexState::Deleting => put(&mut item, "state", text("deleting")),
        IndexState::Creating { filled_to } => put(&mut item, "state", AttributeValue::B(filled_to.clone())),
    }
    encode_throughput(&mut item, index.provisioned, index.on_demand, index.warm);
    AttributeValue::M(item)
}

fn decode_index(item: &Attributes, attributes: &[AttributeDefinition]) -> Option<Index> {
    Some(Index {
        number: get_number(item, "number")?,
        name: get_text(item, "name")?,
        local: matches!(item.get("local")?, AttributeValue::Bool(true)),
        key: shape(&decode_key(item.get("key")?)?, attributes)?,
        projection: match item.get("projection")? {
            AttributeValue::S(kind) if kind == "all" => ProjectedAttributes::All,
            AttributeValue::S(kind) if kind == "keys" => ProjectedAttributes::KeysOnly,
            names => ProjectedAttributes::Include(decode_texts(names)?),
        },
        state: match item.get("state")? {
            AttributeValue::S(state) if state == "active" => IndexState::Active,
            AttributeValue::S(state) if state == "deleting" => IndexState::Deleting,
            AttributeValue::B(filled_to) => IndexState::Creating { filled_to: filled_to.clone() },
            _ => return None,
        },
        provisioned: decode_provisioned(item),
        on_demand: decode_on_demand(item),
        warm: decode_warm(item),
    })
}

fn encode_settings(settings: &Settings) -> Attributes {
    let mut item = Item::new();
    put(&mut item, "pay_per_request", AttributeValue::Bool(settings.billing == BillingMode::PayPerRequest));
    put_some(&mut item, "on_demand_since_ms", settings.on_demand_since_ms);
    put_some(&mut item, "last_increase_ms", settings.last_increase_ms);
    put_some(&mut item, "last_decrease_ms", settings.last_decrease_ms);
    put(&mut item, "decreases_today", number(settings.decreases_today));
    if let Some(class) = settings.class {
        put(&mut item, "infrequent_access", AttributeValue::Bool(class == TableClass::InfrequentAccess));
    }
    put(&mut item, "deletion_protection", AttributeValue::Bool(settings.deletion_protection));
    if settings.encrypted {
        put(&mut item, "encrypted", AttributeValue::Bool(true));
    }
    if let Some(stream) = &settings.stream {
        put(&mut item, "stream_view", text(stream.view.code()));
        put(&mut item, "stream_label", text(&stream.label));
    }
    if let Some(label) = &settings.latest_stream_label {
        put(&mut item, "latest_stream_label", text(label));
    }
    if let Some(ttl) = &settings.ttl {
        put(&mut item, "ttl_attribute", text(&ttl.attribute));
        let state = match &ttl.state {
            TtlState::Enabled => text("enabled"),
            TtlState::Disabling => text("disabling"),
            TtlState::Enabling { filled_to } => AttributeValue::B(filled_to.clone()),
        };
        put(&mut item, "ttl_state", state);
    }
    put_some(&mut item, "ttl_changed_ms", settings.ttl_changed_ms);
    put_some(&mut item, "recovery_since_ms", settings.recovery.map(|recovery| recovery.since_ms));
    let since_sequence = settings.recovery.and_then(|recovery| recovery.since_sequence);
    put_some(&mut item, "recovery_since_sequence", since_sequence);
    put_some(&mut item, "recovery_period_days", settings.recovery.map(|recovery| recovery.period_days));
    put_some(&mut item, "backup_every_ms", settings.schedule.map(|schedule| schedule.every_ms));
    put_some(&mut item, "backup_keep_ms", settings.schedule.map(|schedule| schedule.keep_ms));
    encode_throughput(&mut item, Some(settings.provisioned), settings.on_demand, settings.warm);
    item
}

fn decode_settings(item: &Attributes) -> Option<Settings> {
    let flag = |name| matches!(item.get(name), Some(AttributeValue::Bool(true)));
    Some(Settings {
        billing: if flag("pay_per_request") { BillingMode::PayPerRequest } else { BillingMode::Provisioned },
        on_demand_since_ms: get_number(item, "on_demand_since_ms"),
        provisioned: decode_provisioned(item)?,
        last_increase_ms: get_number(item, "last_increase_ms"),
        last_decrease_ms: get_number(item, "last_decrease_ms"),
        decreases_today: get_number(item, "decreases_today")?,
        on_demand: decode_on_demand(item),
        warm: decode_warm(item),
        class: item.get("infrequent_access").map(|_| {
            if flag("infrequent_access") { TableClass::InfrequentAccess } else { TableClass::Standard }
        }),
        deletion_protection: flag("deletion_protection"),
        encrypted: flag("encrypted"),
        stream: decode_stream(item),
        latest_stream_label: get_text(item, "latest_stream_label"),
        ttl: decode_ttl(item),
        ttl_changed_ms: get_number(item, "ttl_changed_ms"),
        recovery: decode_recovery(item),
        schedule: decode_schedule(item),
    })
}

fn decode_stream(item: &Attributes) -> Option<StreamSetting> {
    let view = StreamView::from_code(&get_text(item, "stream_view")?)?;
    Some(StreamSetting { view, label: get_text(item, "stream_label")? })
}

fn decode_ttl(item: &Attributes) -> Option<TtlSetting> {
    let state = match item.get("ttl_state")? {
        AttributeValue::S(state) if state == "enabled" => TtlState::Enabled,
        AttributeValue::S(state) if state == "disabling" => TtlState::Disabling,
        AttributeValue::B(filled_to) => TtlState::Enabling { filled_to: filled_to.clone() },
        _ => return None,
    };
    Some(TtlSetting { attribute: get_text(item, "ttl_attribute")?, state })
}

fn decode_recovery(item: &Attributes) -> Option<RecoverySetting> {
    let since_ms = get_number(item, "recovery_since_ms")?;
    let since_sequence = get_number(item, "recovery_since_sequence");
    let period_days = get_number(item, "recovery_period_days")?;
    Some(RecoverySetting { since_ms, since_sequence, period_days })
}

fn decode_schedule(item: &Attributes) -> Option<ScheduleSetting> {
    let every_ms = get_number(item, "backup_every_ms")?;
    Some(ScheduleSetting { every_ms, keep_ms: get_number(item, "backup_keep_ms")? })
}

fn encode_throughput(
    item: &mut Item,
    provisioned: Option<ProvisionedThroughput>,
    on_demand: Option<OnDemandThroughput>,
    warm: Option<WarmThroughput>,
) {
    put_some(item, "provisioned_read", provisioned.map(|units| units.read_units));
    put_some(item, "provisioned_write", provisioned.map(|units| units.write_units));
    // A limit of -1 removes an earlier limit.
    put_some(item, "ceiling_read", on_demand.and_then(|units| units.read_units_max));
    put_some(item, "ceiling_write", on_demand.and_then(|units| units.write_units_max));
    put_some(item, "warm_read", warm.and_then(|units| units.read_units));
    put_some(item, "warm_write", warm.and_then(|units| units.write_units));
}

fn decode_provisioned(item: &Attributes) -> Option<ProvisionedThroughput> {
    let read_units = get_number(item, "provisioned_read")?;
    Some(ProvisionedThroughput { read_units, write_units: get_number(item, "provisioned_write")? })
}

fn decode_on_demand(item: &Attributes) -> Option<OnDemandThroughput> {
    let found = OnDemandThroughput {
        read_units_max: get_number(item, "ceiling_read"),
        write_units_max: get_number(item, "ceiling_write"),
    };
    (found != OnDemandThroughput::default()).then_some(found)
}

fn decode_warm(item: &Attributes) -> Option<WarmThroughput> {
    let found = WarmThroughput {
        read_units: get_number(item, "warm_read"),
        write_units: get_number(item, "warm_write"),
    };
    (found != WarmThroughput::default()).then_some(found)
}

fn encode_key(key: &KeySchema) -> AttributeValue {
    AttributeValue::L(vec![texts(&key.partition), texts(&key.sort)])
}

fn decode_key(value: &AttributeValue) -> Option<KeySchema> {
    let AttributeValue::L(parts) = value else { return None };
    let [partition, sort] = parts.as_slice() else { return None };
    Some(KeySchema { partition: decode_texts(partition)?, sort: decode_texts(sort)? })
}

/// A pair of name and type. A list of pairs preserves the order of the definitions.
fn encode_attribute(attribute: &AttributeDefinition) -> AttributeValue {
    AttributeValue::L(vec![text(&attribute.name), text(attribute.scalar.code())])
}

fn decode_attribute(value: &AttributeValue) -> Option<AttributeDefinition> {
    let [name, code] = <[String; 2]>::try_from(decode_texts(value)?).ok()?;
    let scalar = match code.as_str() {
        "S" => ScalarType::S,
        "N" => ScalarType::N,
        "B" => ScalarType::B,
        _ => return None,
    };
    Some(AttributeDefinition { name, scalar })
}

fn decode_tags(item: &Attributes) -> Option<BTreeMap<String, String>> {
    item.iter()
        .map(|(key, value)| match value {
            AttributeValue::S(value) => Some((key.to_owned(), value.clone())),
            _ => None,
        })
        .collect()
}

pub(crate) fn put(item: &mut Item, name: &str, value: AttributeValue) {
    item.insert(name.to_owned(), value);
}

pub(crate) fn put_some(item: &mut Item, name: &str, value: Option<impl Into<Number>>) {
    if let Some(value) = value {
        put(item, name, AttributeValue::N(value.into()));
    }
}

pub(crate) fn text(value: &str) -> AttributeValue {
    AttributeValue::S(value.to_owned())
}

fn texts(values: &[String]) -> AttributeValue {
    AttributeValue::L(values.iter().map(|value| text(value)).collect())
}

fn number(value: u64) -> AttributeValue {
    AttributeValue::N(Number::from(value))
}

fn map(value: &AttributeValue) -> Option<&Attributes> {
    if let AttributeValue::M(map) = value { Some(map) } else { None }
}

pub(crate) fn get_text(item: &Attributes, name: &str) -> Option<String> {
    if let AttributeValue::S(text) = item.get(name)? { Some(text.clone()) } else { None }
}

pub(crate) fn get_number<T: FromStr>(item: &Attributes, name: &str) -> Option<T> {
    let AttributeValue::N(number) = item.get(name)? else { return None };
    number.to_string().parse().ok()
}

fn get_list<'a>(item: &'a Attributes, name: &str) -> Option<&'a [AttributeValue]> {
    if let AttributeValue::L(list) = item.get(name)? { Some(list) } else { None }
}

fn decode_texts(value: &AttributeValue) -> Option<Vec<String>> {
    let AttributeValue::L(list) = value else { return None };
    list.iter()
        .map(|value| if let AttributeValue::S(text) = value { Some(text.clone()) } else { None })
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::collection::{btree_map, vec};
    use proptest::option;
    use proptest::prelude::*;

    use super::*;

    fn provisioned() -> impl Strategy<Value = ProvisionedThroughput> {
        any::<(u64, u64)>()
            .prop_map(|(read_units, write_units)| ProvisionedThroughput { read_units, write_units })
    }

    fn on_demand() -> impl Strategy<Value = Option<OnDemandThroughput>> {
        // Limits without a value are none.
        any::<(Option<i64>, Option<i64>)>().prop_map(|(read_units_max, write_units_max)| {
            let ceilings = OnDemandThroughput { read_units_max, write_units_max };
            (ceilings != OnDemandThroughput::default()).then_some(ceilings)
        })
    }

    fn warm() -> impl Strategy<Value = Option<WarmThroughput>> {
        any::<(Option<u64>, Option<u64>)>().prop_map(|(read_units, write_units)| {
            let warm = WarmThroughput { read_units, write_units };
            (warm != WarmThroughput::default()).then_some(warm)
        })
    }

    type Readers = (
        Option<StreamSetting>,
        (Option<TtlSetting>, Option<u64>),
        Option<RecoverySetting>,
        Option<ScheduleSetting>,
    );

    /// Settings that depend on the log and the clock.
    fn readers() -> impl Strategy<Value = Readers> {
        let view = proptest::sample::select(StreamView::ALL);
        let stream = (view, "\\PC{1,6}").prop_map(|(view, label)| StreamSetting { view, label });
        let state = prop_oneof![
            Just(TtlState::Enabled),
            Just(TtlState::Disabling),
            vec(any::<u8>(), 0..8).prop_map(|filled_to| TtlState::Enabling { filled_to }),
        ];
        let ttl = ("\\PC{1,6}", state).prop_map(|(attribute, state)| TtlSetting { attribute, state });
        let recovery =
            any::<(u64, Option<u64>, u32)>().prop_map(|(since_ms, since_sequence, period_days)| {
                RecoverySetting { since_ms, since_sequence, period_days }
            });
        let schedule =
            any::<(u64, u64)>().prop_map(|(every_ms, keep_ms)| ScheduleSetting { every_ms, keep_ms });
        let ttl = (option::of(ttl), any::<Option<u64>>());
        (option::of(stream), ttl, option::of(recovery), option::of(schedule))
    }

    fn settings() -> impl Strategy<Value = Settings> {
        let times = any::<(Option<u64>, Option<u64>, Option<u64>, u64)>();
        let class = option::of(prop_oneof![Just(TableClass::Standard), Just(TableClass::InfrequentAccess)]);
        let flags = any::<(bool, bool, bool)>();
        let label = option::of("\\PC{1,6}");
        (times, provisioned(), on_demand(), warm(), class, flags, readers(), label).prop_map(
            |(times, provisioned, on_demand, warm, class, flags, readers, latest_stream_label)| {
                let (stream, (ttl, ttl_changed_ms), recovery, schedule) = readers;
                Settings {
                    billing: if flags.0 { BillingMode::PayPerRequest } else { BillingMode::Provisioned },
                    on_demand_since_ms: times.0,
                    provisioned,
                    last_increase_ms: times.1,
                    last_decrease_ms: times.2,
                    decreases_today: times.3,
                    on_demand,
                    warm,
                    class,
                    deletion_protection: flags.1,
                    encrypted: flags.2,
                    stream,
                    latest_stream_label,
                    ttl,
                    ttl_changed_ms,
                    recovery,
                    schedule,
                }
            },
        )
    }

    /// The attributes of a definition in any order, shared by all keys.
    fn definitions() -> Vec<AttributeDefinition> {
        [("pk", ScalarType::S), ("at", ScalarType::N), ("β", ScalarType::B)]
            .map(|(name, scalar)| AttributeDefinition { name: name.to_owned(), scalar })
            .to_vec()
    }

    fn index() -> impl Strategy<Value = Index> {
        let projection = prop_oneof![
            Just(ProjectedAttributes::All),
            Just(ProjectedAttributes::KeysOnly),
            vec("[a-z]{1,5}", 1..4).prop_map(ProjectedAttributes::Include),
        ];
        let state = prop_oneof![
            Just(IndexState::Active),
            Just(IndexState::Deleting),
            vec(any::<u8>(), 0..8).prop_map(|filled_to| IndexState::Creating { filled_to }),
        ];
        let key = prop_oneof![
            Just(KeySchema { partition: vec!["β".to_owned()], sort: Vec::new() }),
            Just(KeySchema {
                partition: vec!["pk".to_owned(), "β".to_owned()], sort: vec!["at".to_owned()]
            }),
        ];
        let identity = (any::<u16>(), "[a-zA-Z0-9_.-]{3,9}", any::<bool>(), key);
        (identity, projection, state, option::of(provisioned()), on_demand(), warm()).prop_map(
            |((number, name, local, key), projection, state, provisioned, on_demand, warm)| Index {
                number,
                name,
                local,
                key: shape(&key, &definitions()).unwrap(),
                projection,
                state,
                provisioned,
                on_demand,
                warm,
            },
        )
    }

    fn restored() -> impl Strategy<Value = Restored> {
        let source = prop_oneof![
            ("\\PC{1,6}", "\\PC{1,6}", any::<u64>()).prop_map(|(table_arn, backup_arn, time_ms)| {
                LoadSource::Backup { table_arn, backup_arn, time_ms }
            }),
            ("\\PC{1,6}", any::<u64>())
                .prop_map(|(table_arn, time_ms)| LoadSource::PointInTime { table_arn, time_ms }),
            Just(LoadSource::Import),
        ];
        (source, any::<bool>()).prop_map(|(source, loading)| Restored { source, loading })
    }

    fn table() -> impl Strategy<Value = Table> {
        let identity = (any::<u32>(), "[a-zA-Z0-9_.-]{3,9}", any::<u64>(), any::<u16>());
        let tags = btree_map("\\PC{1,6}", "\\PC{0,6}", 0..4);
        (identity, vec(index(), 0..4), settings(), tags, option::of(restored())).prop_map(
            |((number, name, created_ms, next_index), indexes, settings, tags, restored)| Table {
                number,
                arn: format!("arn:aws:dynamodb:us-east-1:000000000000:table/{name}"),
                id: format!("id of {name}"),
                name,
                created_ms,
                attributes: definitions(),
                key: shape(
                    &KeySchema { partition: vec!["pk".to_owned()], sort: vec!["at".to_owned()] },
                    &definitions(),
                )
                .unwrap(),
                indexes,
                next_index,
                settings,
                tags,
                restored,
            },
        )
    }

    proptest! {
        #[test]
        fn a_descriptor_reads_back_as_the_same_table(table in table()) {
            prop_assert_eq!(Table::decode(&table.encode()), Some(table));
        }
    }

    #[test]
    fn an_item_that_is_no_descriptor_is_refused() {
        assert_eq!(Table::decode(&EncodedItem::encode(&Item::from([("name", "t")]))), None);
    }
}
