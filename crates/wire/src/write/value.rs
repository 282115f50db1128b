//! Attribute values as DynamoDB's typed JSON.

use singlet_values::{AttributeValue, Attributes, ItemRef, ListRef, MapRef, RawRef, SetRef, ValueRef};

use super::JsonWriter;

/// The maximum nesting of lists and maps that is written from stored bytes, which is above the limit for items. Deeper
/// levels are corruption and are left out, so that they can't exhaust the stack.
const DEPTH_MAX: usize = 40;

/// Writes an item from its stored bytes.
pub(crate) fn write_item(json: &mut JsonWriter, item: ItemRef<'_>) {
    write_map(json, item.as_map(), DEPTH_MAX);
}

/// Writes some attributes of an item.
pub(crate) fn write_some(json: &mut JsonWriter, item: ItemRef<'_>, names: &[&str]) {
    json.object(|json| {
        for (name, value) in item.iter() {
            if names.contains(&name) {
                write_value(json.name(name), value, DEPTH_MAX);
            }
        }
    });
}

/// Writes names and values that aren't in the stored form, such as a key.
pub(crate) fn write_attributes(json: &mut JsonWriter, attributes: &Attributes) {
    json.object(|json| {
        for (name, value) in attributes.iter() {
            write_attribute_value(json.name(name), value);
        }
    });
}

fn write_map(json: &mut JsonWriter, map: MapRef<'_>, depth: usize) {
    json.object(|json| {
        for (name, value) in map.iter_raw() {
            match value {
                RawRef::Text(text) => json.string_attribute(name, text),
                RawRef::Value(value) => write_value(json.name_bytes(name), value, depth),
            }
        }
    });
}

fn write_raw(json: &mut JsonWriter, value: RawRef<'_>, depth: usize) {
    match value {
        RawRef::Text(text) => tagged(json, b"{\"S\":", |json| json.text_bytes(text)),
        RawRef::Value(value) => write_value(json, value, depth),
    }
}

/// Writes a value with at most `depth` nested lists and maps.
fn write_value(json: &mut JsonWriter, value: ValueRef<'_>, depth: usize) {
    match value {
        ValueRef::S(text) => tagged(json, b"{\"S\":", |json| json.text(text)),
        ValueRef::N(number) => tagged(json, b"{\"N\":", |json| json.plain_text(|out| number.write_text(out))),
        ValueRef::B(bytes) => tagged(json, b"{\"B\":", |json| json.base64(bytes)),
        ValueRef::Bool(flag) => tagged(json, b"{\"BOOL\":", |json| json.boolean(flag)),
        ValueRef::Null => tagged(json, b"{\"NULL\":", |json| json.boolean(true)),
        ValueRef::M(_) | ValueRef::L(_) if depth == 0 => {
            tagged(json, b"{\"NULL\":", |json| json.boolean(true));
        }
        ValueRef::M(map) => tagged(json, b"{\"M\":", |json| write_map(json, map, depth - 1)),
        ValueRef::L(list) => tagged(json, b"{\"L\":", |json| write_list(json, list, depth - 1)),
        ValueRef::Ss(set) => tagged(json, b"{\"SS\":", |json| write_set(json, set)),
        ValueRef::Ns(set) => tagged(json, b"{\"NS\":", |json| write_set(json, set)),
        ValueRef::Bs(set) => tagged(json, b"{\"BS\":", |json| write_set(json, set)),
    }
}

fn write_list(json: &mut JsonWriter, list: ListRef<'_>, depth: usize) {
    json.array(|json| list.iter_raw().for_each(|value| write_raw(json, value, depth)));
}

fn write_set(json: &mut JsonWriter, set: SetRef<'_>) {
    json.array(|json| {
        for element in set.iter() {
            match element {
                ValueRef::S(text) => json.text(text),
                ValueRef::N(number) => json.plain_text(|out| number.write_text(out)),
                ValueRef::B(bytes) => json.base64(bytes),
                // Sets contain only these kinds.
                _ => {}
            }
        }
    });
}

fn write_attribute_value(json: &mut JsonWriter, value: &AttributeValue) {
    if let Some(scalar) = value.as_scalar() {
        return write_value(json, scalar, DEPTH_MAX);
    }
    match value {
        AttributeValue::M(map) => tagged(json, b"{\"M\":", |json| write_attributes(json, map)),
        AttributeValue::L(list) => tagged(json, b"{\"L\":", |json| {
            json.array(|json| list.iter().for_each(|value| write_attribute_value(json, value)));
        }),
        AttributeValue::Ss(set) => tagged(json, b"{\"SS\":", |json| {
            json.array(|json| set.iter().for_each(|text| json.text(text)));
        }),
        AttributeValue::Ns(set) => tagged(json, b"{\"NS\":", |json| {
            json.array(|json| {
                set.iter().for_each(|number| json.plain_text(|out| number.view().write_text(out)))
            });
        }),
        AttributeValue::Bs(set) => tagged(json, b"{\"BS\":", |json| {
            json.array(|json| set.iter().for_each(|bytes| json.base64(bytes)));
        }),
        // The scalars are written above.
        AttributeValue::S(_)
        | AttributeValue::N(_)
        | AttributeValue::B(_)
        | AttributeValue::Bool(_)
        | AttributeValue::Null => {}
    }
}

/// Writes `{"type":` and the value and `}`.
fn tagged(json: &mut JsonWriter, open: &'static [u8], value: impl FnOnce(&mut JsonWriter)) {
    json.raw_after(open);
    value(json);
    json.raw(b"}");
}
