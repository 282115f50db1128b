//! The names of schemas.

/// A name in capitals, for programs in any language: `OrderItem` for `order_item`.
pub(super) fn pascal(name: &str) -> String {
    let mut text = String::new();
    let mut starts = true;
    for letter in name.chars() {
        if !letter.is_ascii_alphanumeric() {
            starts = true;
            continue;
        }
        text.push(if starts { letter.to_ascii_uppercase() } else { letter });
        starts = false;
    }
    text
}

#[test]
fn names_are_written_in_capitals() {
    assert_eq!(pascal("order_items"), "OrderItems");
    assert_eq!(pascal("createdAt"), "CreatedAt");
}
