//! Numbers that look like what their field holds.

use super::names::words_of;

/// The usual range of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Figure {
    /// An amount of money.
    Price,
    /// Counted within the parent or the list: 1, 2, 3.
    Position,
    /// A grade: more good ones than bad ones.
    Grade,
    /// From the lowest to the highest, both usual, in steps.
    Range(i64, i64, i64),
}

/// Returns the usual range of a number with this name.
pub(super) fn figure(name: &str) -> Option<Figure> {
    let words = words_of(name);
    let has = |wanted: &[&str]| words.iter().any(|word| wanted.contains(&word.as_str()));
    Some(match () {
        () if has(&["price", "cost", "fee", "amount", "total", "subtotal", "salary", "balance", "tip"]) => {
            Figure::Price
        }
        () if has(&["line", "position", "step", "sequence", "rank"]) => Figure::Position,
        () if has(&["rating", "stars", "grade"]) => Figure::Grade,
        () if has(&["quantity", "qty"]) => Figure::Range(1, 4, 1),
        () if has(&["servings", "portions", "guests", "seats"]) => Figure::Range(2, 6, 1),
        () if has(&["calories", "kcal"]) => Figure::Range(220, 780, 10),
        () if has(&["minutes", "mins"]) => Figure::Range(5, 60, 5),
        () if has(&["hours"]) => Figure::Range(1, 12, 1),
        () if has(&["temperature", "celsius"]) => Figure::Range(16, 26, 1),
        () if has(&["humidity"]) => Figure::Range(35, 65, 1),
        () if has(&["age"]) => Figure::Range(18, 75, 1),
        () if has(&["stock", "inventory", "available"]) => Figure::Range(0, 120, 1),
        () if has(&["percent", "percentage", "progress"]) => Figure::Range(0, 100, 5),
        () if has(&["priority", "level"]) => Figure::Range(1, 3, 1),
        () if has(&["version"]) => Figure::Range(1, 2, 1),
        () => return None,
    })
}

#[test]
fn names_tell_the_range() {
    assert_eq!(figure("prep_time_minutes"), Some(Figure::Range(5, 60, 5)));
    assert_eq!(figure("unitPrice"), Some(Figure::Price));
    assert_eq!(figure("step_number"), Some(Figure::Position));
    assert_eq!(figure("flux"), None);
}
