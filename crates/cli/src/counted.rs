//! Numbers of things, as people write them.

/// A number with its noun: `1 item`, `2 items`, `3 entities`.
pub(crate) fn counted(count: u64, one: &str) -> String {
    match (count, one.strip_suffix('y')) {
        (1, _) => format!("1 {one}"),
        (_, Some(stem)) => format!("{count} {stem}ies"),
        (_, None) => format!("{count} {one}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thing_is_named_in_the_singular() {
        assert_eq!(counted(1, "item"), "1 item");
        assert_eq!(counted(0, "item"), "0 items");
        assert_eq!(counted(2, "entity"), "2 entities");
    }
}
