//! Pairs of times that begin and end something: `check_in` and `check_out`, `valid_from` and `valid_until`.

use singlet_design::{Field, FieldType};

use super::names::words_of;

/// Words that say that something begins, each with the words that say that it ends.
const SIDES: [(&[&str], &[&str]); 5] = [
    (&["from", "since"], &["to", "until", "till", "through"]),
    (&["start", "starts", "started"], &["end", "ends", "ended", "stop", "stops", "stopped"]),
    (
        &["begin", "begins", "began", "beginning"],
        &["end", "ends", "ended", "finish", "finishes", "finished", "until"],
    ),
    (&["open", "opens", "opened"], &["close", "closes", "closed"]),
    (&["in"], &["out"]),
];
/// Words of travel: a guest arrives before the departure, a train after it. The order of the fields tells which.
const TRAVEL: [&[&str]; 2] = [&["arrival", "arrives", "arrived"], &["departure", "departs", "departed"]];
/// Words that say only that it is a time.
const FILLERS: [&str; 6] = ["at", "on", "date", "time", "day", "datetime"];

/// Finds the field that begins what a field ends, among the fields beside it.
pub(super) fn beginning<'f>(fields: &'f [Field], end: &str) -> Option<&'f Field> {
    let is_time = |field: &&Field| matches!(field.kind, FieldType::Date | FieldType::Time | FieldType::Epoch);
    let mut times = fields.iter().filter(is_time);
    times.clone().find(|field| field.name == end)?;
    let is_before = |field: &Field| {
        let place = |name: &str| fields.iter().position(|known| known.name == name);
        place(&field.name) < place(end)
    };
    times.find(|field| are_sides(&field.name, end) || (is_before(field) && are_travel(&field.name, end)))
}

fn are_sides(begin: &str, end: &str) -> bool {
    SIDES.iter().any(|(begins, ends)| are_alike(begin, begins, end, ends))
}

fn are_travel(one: &str, other: &str) -> bool {
    let [arrives, departs] = TRAVEL;
    are_alike(one, arrives, other, departs) || are_alike(one, departs, other, arrives)
}

/// Whether two names differ in nothing but a word of each list.
fn are_alike(one: &str, of_one: &[&str], other: &str, of_other: &[&str]) -> bool {
    let rest = |name: &str, list: &[&str]| {
        let (found, mut rest): (Vec<String>, Vec<String>) =
            words_of(name).into_iter().partition(|word| list.contains(&word.as_str()));
        rest.retain(|word| !FILLERS.contains(&word.as_str()));
        (!found.is_empty()).then_some(rest)
    };
    matches!((rest(one, of_one), rest(other, of_other)), (Some(one), Some(other)) if one == other)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The name of the field that begins what a field ends, in an entity with these times.
    fn beginning_of(names: &[&str], end: &str) -> Option<String> {
        let lines: String = names.iter().map(|name| format!("{name} = \"time\"\n")).collect();
        let source = format!(
            "design = \"times\"\n[table]\nkey = \"PK\"\n[entity.E]\nkey = \"{{id}}\"\n[entity.E.fields]\nid = \"key\"\n{lines}"
        );
        let design = singlet_design::load("d.toml", &source).unwrap_or_else(|report| panic!("{report}"));
        beginning(&design.entities[0].fields, end).map(|field| field.name.clone())
    }

    #[test]
    fn names_tell_which_times_begin_and_end_one_thing() {
        for (begin, end) in [
            ("from", "to"),
            ("start", "end"),
            ("starts_at", "ends_at"),
            ("start_date", "endDate"),
            ("begins", "ends"),
            ("check_in", "check_out"),
            ("checkIn", "checkOut"),
            ("opened_at", "closed_at"),
            ("valid_from", "valid_until"),
            ("arrival", "departure"),
            ("departure", "arrival"),
        ] {
            assert_eq!(beginning_of(&[begin, end], end).as_deref(), Some(begin), "{begin} {end}");
            assert_eq!(beginning_of(&[begin, end], begin), None, "{begin} {end}");
        }
        assert_eq!(beginning_of(&["ends_at", "starts_at"], "ends_at").as_deref(), Some("starts_at"));
        assert_eq!(beginning_of(&["sale_start", "trial_end"], "trial_end"), None);
        assert_eq!(beginning_of(&["created_at", "paid_at"], "paid_at"), None);
    }
}
