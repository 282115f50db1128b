//! The paths of archive files. They are made of items, which anybody may have written.

use singlet_design::{Part, Template, Values, formatted, shard_of};
use singlet_values::{Item, ValueRef};
use xxhash_rust::xxh3::xxh3_64;

/// The longest name of a folder or file, without an ending.
const NAME_BYTES_MAX: usize = 120;
/// Of a longer name, so much is kept. A checksum of the whole name follows.
const KEPT_BYTES: usize = 96;
/// Stands for a value that is missing, or that has no text.
const NOTHING: &str = "_";

/// Returns the path of the file that an item belongs to. Every item has one, and it never leads out of the folder:
/// values consist of letters, digits and a few signs, and everything else is written as `%XX`.
pub(super) fn path_of(file: &Template, item: &Item) -> String {
    let mut path = String::new();
    for part in &file.parts {
        match part {
            Part::Literal(text) => path.push_str(text),
            Part::Field { path: field, format } => {
                let text = present(item, field).and_then(|value| formatted(field, value, *format).ok());
                path.push_str(&harmless(text.as_deref().unwrap_or_default()));
            }
            Part::Shard { path: field, count } => {
                let shard = present(item, field).and_then(|value| shard_of(value, *count));
                path.push_str(&shard.map_or_else(|| NOTHING.to_owned(), |shard| shard.to_string()));
            }
        }
    }
    path.split('/').map(name).collect::<Vec<_>>().join("/")
}

fn present<'i>(item: &'i Item, field: &str) -> Option<ValueRef<'i>> {
    item.value(field).filter(|value| !matches!(value, ValueRef::Null))
}

/// Writes a value so that it can stand in a name.
fn harmless(value: &str) -> String {
    if value.is_empty() {
        return NOTHING.to_owned();
    }
    let mut text = String::with_capacity(value.len());
    for byte in value.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'=' => {
                text.push(char::from(byte))
            }
            _ => text.push_str(&format!("%{byte:02X}")),
        }
    }
    text
}

/// Returns a name that isn't hidden, special or too long.
fn name(part: &str) -> String {
    let visible = match part.strip_prefix('.') {
        Some(rest) => format!("%2E{rest}"),
        None => part.to_owned(),
    };
    match visible.get(..KEPT_BYTES) {
        Some(start) if visible.len() > NAME_BYTES_MAX => {
            format!("{start}~{:016x}", xxh3_64(visible.as_bytes()))
        }
        _ => visible,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use singlet_values::AttributeValue;

    use super::*;

    fn path(template: &str, value: AttributeValue) -> String {
        let item: Item = [("v", value)].into_iter().collect();
        path_of(&Template::parse(template).unwrap(), &item)
    }

    #[test]
    fn times_and_words_are_written_as_they_are() {
        let time = || AttributeValue::from("2026-11-19T21:40:00.000Z");
        assert_eq!(path("cooking/{v:month}", time()), "cooking/2026-11");
        assert_eq!(path("by-{v}/all", AttributeValue::from("mai_1.x")), "by-mai_1.x/all");
        assert_eq!(path("a/{w:day}", time()), "a/_", "missing");
    }

    #[test]
    fn values_cannot_leave_the_folder() {
        for (value, expected) in [
            ("..", "a/%2E."),
            (".", "a/%2E"),
            ("../../etc/passwd", "a/%2E.%2F..%2Fetc%2Fpasswd"),
            ("/x", "a/%2Fx"),
            ("x\0y\\z", "a/x%00y%5Cz"),
            ("é", "a/%C3%A9"),
            ("", "a/_"),
        ] {
            assert_eq!(path("a/{v}", AttributeValue::from(value)), expected, "{value:?}");
        }
        assert_eq!(path("a/{v:month}", AttributeValue::from("no time")), "a/_");
    }

    proptest! {
        #[test]
        fn every_value_makes_a_path_inside_the_folder(value in "\\PC{0,400}", other in any::<Vec<u8>>()) {
            for value in [AttributeValue::from(value.as_str()), AttributeValue::B(other)] {
                let path = path("x/{v}/y{v}", value);
                let parts: Vec<&str> = path.split('/').collect();
                prop_assert_eq!(parts.len(), 3);
                for part in parts {
                    prop_assert!(!part.is_empty() && !part.starts_with('.') && part.len() <= NAME_BYTES_MAX);
                    prop_assert!(part.bytes().all(|byte| byte.is_ascii_graphic() && !b"/\\:".contains(&byte)));
                }
            }
        }
    }
}
