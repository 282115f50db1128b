//! Keys of designs that load: different values make different keys, and a key gives its values back.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a failing test panics")]

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::sample::select;
use singlet_design::{Design, Json, Part, Template, load, to_attribute};
use singlet_values::{AttributeValue, Item, ValueRef};

const SEPARATOR: char = '#';

/// The fields, each with a pattern or list of JSON values that are valid.
const FIELDS: [(&str, &str, Kind); 12] = [
    ("id", r#""key""#, Kind::Free),
    ("other", r#""key""#, Kind::Free),
    ("text", r#"{ type = "string", max = 5 }"#, Kind::Free),
    (
        "code",
        r#"{ type = "string", min = 2, max = 2 }"#,
        Kind::Listed(&["\"a-\"", "\"-a\"", "\"éX\"", "\"00\""]),
    ),
    (
        "state",
        r#"{ type = "string", enum = ["a", "a-b", "X"] }"#,
        Kind::Listed(&["\"a\"", "\"a-b\"", "\"X\""]),
    ),
    ("flag", r#""bool""#, Kind::Listed(&["true", "false"])),
    ("whole", r#""int""#, Kind::Listed(&["0", "-1", "1", "10", "-10", "100"])),
    ("count", r#"{ type = "int", min = 0, max = 999 }"#, Kind::Listed(&["0", "1", "10", "100", "999"])),
    ("price", r#""number""#, Kind::Listed(&["0", "0.1", "-0.1", "10.1", "10", "1"])),
    (
        "at",
        r#""time""#,
        Kind::Listed(&["\"2025-01-20T15:30:00Z\"", "\"2025-01-20T15:30:01Z\"", "\"0001-01-01T00:00:00Z\""]),
    ),
    ("day", r#""date""#, Kind::Listed(&["\"2025-01-20\"", "\"2025-01-21\"", "\"0001-01-01\""])),
    ("since", r#""epoch""#, Kind::Listed(&["0", "-1", "1", "10", "1737387000"])),
];

/// The values of a field.
#[derive(Clone, Copy)]
enum Kind {
    /// Any short string of characters that are also in literals.
    Free,
    /// These JSON values.
    Listed(&'static [&'static str]),
}

/// Placeholders, literals, and the literals that separate.
const PIECES: [&str; 40] = [
    "{id}",
    "{other}",
    "{text}",
    "{text:fold}",
    "{text:lower}",
    "{text:upper}",
    "{code}",
    "{state}",
    "{state:upper}",
    "{flag}",
    "{whole}",
    "{whole:+05}",
    "{count}",
    "{count:03}",
    "{price}",
    "{price:+06.1}",
    "{at}",
    "{at:year}",
    "{at:week}",
    "{at:day}",
    "{at:minute}",
    "{day}",
    "{day:month}",
    "{day:day}",
    "{since}",
    "{since:hour}",
    "{since:+012}",
    "{shard:id/8}",
    "{shard:id/100}",
    "#",
    "#",
    "#",
    "#A#",
    "-",
    "-0-",
    "X",
    ".",
    ":",
    "--",
    "a#",
];

fn design(template: &str) -> Option<Design> {
    let fields: Vec<String> = FIELDS.iter().map(|(name, kind, _)| format!("{name} = {kind}")).collect();
    let source = format!(
        "design = \"keys\"\n[table]\nkey = [\"PK\", \"SK\"]\n[entity.Thing]\nkey = [\"K#{template}\", \"S\"]\n[entity.Thing.fields]\n{}\n",
        fields.join("\n")
    );
    load("keys.toml", &source).ok()
}

fn json(kind: Kind) -> BoxedStrategy<Json> {
    match kind {
        Kind::Free => "[-aX0.:é]{1,3}".prop_map(Json::from).boxed(),
        Kind::Listed(values) => select(values.to_vec()).prop_map(|value| value.parse().unwrap()).boxed(),
    }
}

fn values() -> impl Strategy<Value = Vec<Json>> {
    FIELDS.iter().map(|(_, _, kind)| json(*kind)).collect::<Vec<_>>()
}

/// Returns an item with these values.
fn item(design: &Design, values: &[Json]) -> Item {
    let fields = design.entities[0].fields.iter().zip(values);
    fields.map(|(field, json)| (field.name.as_str(), to_attribute(&field.kind, json).unwrap())).collect()
}

/// Returns the text of each placeholder.
fn texts(template: &Template, item: &Item) -> Vec<String> {
    let text = |at: usize| match &template.parts[at] {
        Part::Shard { path, count } => {
            Some(singlet_design::shard_of(item.get(path)?.as_scalar()?, *count)?.to_string())
        }
        _ => template.render_field(SEPARATOR, item, at).unwrap(),
    };
    (0..template.parts.len()).filter_map(text).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn different_values_make_different_keys_that_give_them_back(
        pieces in prop::collection::vec(select(PIECES.to_vec()), 1..6),
        rows in prop::collection::vec(values(), 60),
    ) {
        let Some(design) = design(&pieces.concat()) else { return Err(TestCaseError::reject("refused")) };
        let entity = &design.entities[0];
        let template = &entity.key.partition;
        let mut known: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for row in &rows {
            let item = item(&design, row);
            let Ok(Some(AttributeValue::S(key))) = template.render(SEPARATOR, &item) else { continue };
            let texts = texts(template, &item);
            if let Some(others) = known.insert(key.clone(), texts.clone()) {
                prop_assert_eq!(&others, &texts, "{} makes {} twice", template, key);
            }
            let read = template.read(SEPARATOR, |path| entity.field_at(path), ValueRef::S(&key));
            for (field, value) in &read {
                prop_assert_eq!(Some(value), item.get(field), "{} in {} of {}", field, key, template);
            }
            for part in &template.parts {
                let written = part.to_string();
                let whole = !written.contains(':') || written.contains(":0") || written.contains(":+") || written == "{day:day}";
                if let (true, Part::Field { path, .. }) = (whole, part) {
                    prop_assert!(read.iter().any(|(field, _)| field == path), "{} isn't in {} of {}", path, key, template);
                }
            }
        }
    }
}
