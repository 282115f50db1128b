//! Walks over buckets: one list over the days, weeks or months of a partition key.

use proptest::prelude::*;
use singlet_run::{Paging, RunError, Wait};

use crate::backend::cases;
use crate::fixture::{Data, beside, delete, given, items, member};

/// `NOW_MS` of the fixture is 2025-06-15T15:06:40Z, a Sunday.
const NOW_DAY: &str = "2025-06-15";

const SOURCE: &str = r#"
design = "log"
[table]
key = ["PK", "SK"]
[index]
Week  = ["WeekPK", "WeekSK"]
Month = { key = ["MonthPK", "MonthSK"], project = ["line_id", "level", "at"] }
[entity.Line]
key   = ["LOG#{tenant}#{at:day}", "{at}#{line_id}"]
Week  = ["LOG#{tenant}#{at:week}#{shard:line_id/3}", "{at}"]
Month = ["{level}#{at:month}", "{tenant}#{at:hour}"]
[entity.Line.fields]
tenant  = "key"
at      = "time"
line_id = "key"
level   = "string"
[entity.Tenant]
key    = ["LOG#{tenant}#2025-06-01", "0"]
fields = { tenant = "key" }
[pattern.newest]
query = "Line"
range = "at"
order = "newest"
[pattern.oldest]
query = "Line"
range = "at"
order = "oldest"
[pattern.newest_by_week]
query = "Line"
on    = "Week"
range = "at"
order = "newest"
empty = 60
[pattern.oldest_by_week]
query = "Line"
on    = "Week"
range = "at"
order = "oldest"
empty = 1
[pattern.newest_by_month]
query = "Line"
on    = "Month"
match = ["tenant"]
range = "at"
order = "newest"
empty = 2
[pattern.warnings]
query  = "Line"
range  = "at"
order  = "newest"
filter = "level = 'warning'"
"#;

/// A line of the log: the day since 2025-01-01, the minute, and whether it is a warning.
type Line = (u8, u16, bool);

fn at(line: &Line) -> String {
    let (day, minute) = (u32::from(line.0), line.1 % 1440);
    let lengths = [31, 28, 31, 30, 31, 30, 31, 31];
    let mut rest = day;
    let mut month = 0;
    while rest >= lengths[month] {
        rest -= lengths[month];
        month += 1;
    }
    format!("2025-{:02}-{:02}T{:02}:{:02}:00.000Z", month + 1, rest + 1, minute / 60, minute % 60)
}

fn put(data: &Data, number: usize, line: &Line) {
    write(data, &format!("l{number:03}"), line);
}

fn write(data: &Data, id: &str, line: &Line) {
    let level = if line.2 { "warning" } else { "note" };
    data.put("Line", &[("tenant", "t"), ("at", &at(line)), ("line_id", id), ("level", level)]);
}

fn fill(lines: &[Line]) -> Data {
    let data = Data::new(SOURCE);
    data.put("Tenant", &[("tenant", "t")]);
    lines.iter().enumerate().for_each(|(number, line)| put(&data, number, line));
    data
}

/// The times and ids that a list should have, in ascending order.
fn expected(lines: &[Line], from: &str, to: &str) -> Vec<(String, String)> {
    let named = lines.iter().enumerate().map(|(number, line)| (at(line), format!("l{number:03}")));
    let mut named: Vec<_> = named.filter(|(at, _)| from <= at.as_str() && at.as_str() <= to).collect();
    named.sort();
    named
}

/// All pages of a list, whose sizes vary. `between` runs after each page.
fn walk(
    data: &Data,
    pattern: &str,
    arguments: &[(&str, &str)],
    sizes: &[u32],
    mut between: impl FnMut(usize),
) -> Vec<(String, String)> {
    let (mut cursor, mut found) = (None, Vec::new());
    for call in 0..10_000 {
        let paging = Paging { limit: Some(sizes[call % sizes.len()]), cursor };
        let (records, next) = items(data.runner.run(pattern, &given(arguments), &paging).wait().unwrap());
        assert!(records.len() <= sizes[call % sizes.len()] as usize);
        found.extend(records.iter().map(|record| (member(record, "at"), member(record, "line_id"))));
        between(call);
        match next {
            Some(next) => cursor = Some(next),
            None => return found,
        }
    }
    panic!("the list doesn't end");
}

fn sorted(mut lines: Vec<(String, String)>) -> Vec<(String, String)> {
    lines.sort();
    lines
}

fn times(lines: &[(String, String)]) -> Vec<&str> {
    lines.iter().map(|(at, _)| at.as_str()).collect()
}

/// The day of a time, so that a bound lies on one.
fn bound(day: u8, minute: u16) -> String {
    at(&(day, minute, false))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(32), ..ProptestConfig::default() })]

    #[test]
    fn a_walk_gives_each_item_between_its_bounds_once_and_in_order(
        lines in prop::collection::vec((0_u8..160, 0_u16..1440, any::<bool>()), 0..50),
        sizes in prop::collection::vec(1_u32..9, 1..4),
        ends in (0_u8..165, 0_u16..1440, 0_u8..165, 0_u16..1440),
    ) {
        let data = fill(&lines);
        let (from, to) = (bound(ends.0, ends.1), bound(ends.2, ends.3));
        let arguments = [("tenant", "t"), ("from", from.as_str()), ("to", to.as_str())];
        let whole = expected(&lines, &from, &to);
        let mut back = whole.clone();
        back.reverse();
        prop_assert_eq!(&walk(&data, "oldest", &arguments, &sizes, |_| {}), &whole);
        prop_assert_eq!(&walk(&data, "newest", &arguments, &sizes, |_| {}), &back);
        for (pattern, order) in [("oldest_by_week", &whole), ("newest_by_week", &back)] {
            // Lines of one minute come in the order of their shards.
            let found = walk(&data, pattern, &arguments, &sizes, |_| {});
            prop_assert_eq!(times(&found), times(order));
            prop_assert_eq!(sorted(found), whole.clone());
        }
        for level in ["note", "warning"] {
            let arguments = [arguments.as_slice(), &[("level", level)]].concat();
            let of_level: Vec<_> = lines.iter().map(|line| line.2 == (level == "warning")).collect();
            let wanted = whole.iter().filter(|(_, id)| of_level[id[1..].parse::<usize>().unwrap()]);
            let wanted: Vec<_> = wanted.cloned().collect();
            prop_assert_eq!(sorted(walk(&data, "newest_by_month", &arguments, &sizes, |_| {})), wanted);
        }
        let warnings: Vec<_> = back.iter().filter(|(_, id)| lines[id[1..].parse::<usize>().unwrap()].2).cloned().collect();
        prop_assert_eq!(walk(&data, "warnings", &arguments, &sizes, |_| {}), warnings);
    }

    #[test]
    fn writes_between_the_pages_of_a_walk_neither_repeat_nor_lose_an_item(
        lines in prop::collection::vec((0_u8..160, 0_u16..1440, any::<bool>()), 1..40),
        later in prop::collection::vec((0_u8..160, 0_u16..1440, any::<bool>()), 0..40),
        size in 1_u32..6,
        ascending in any::<bool>(),
        by_week in any::<bool>(),
    ) {
        let data = fill(&lines);
        let (from, to) = (bound(0, 0), bound(164, 0));
        let arguments = [("tenant", "t"), ("from", from.as_str()), ("to", to.as_str())];
        let pattern = match (ascending, by_week) {
            (true, false) => "oldest",
            (false, false) => "newest",
            (true, true) => "oldest_by_week",
            (false, true) => "newest_by_week",
        };
        let found = walk(&data, pattern, &arguments, &[size], |call| {
            if let Some(line) = later.get(call) {
                put(&data, lines.len() + call, line);
            }
        });
        let mut once = sorted(found.clone());
        once.dedup();
        prop_assert_eq!(once.len(), found.len());
        let first: Vec<_> = once.into_iter().filter(|(_, id)| id[1..].parse::<usize>().unwrap() < lines.len()).collect();
        prop_assert_eq!(first, expected(&lines, &from, &to));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(24), ..ProptestConfig::default() })]

    /// Lines that nobody else touches come once and in order, whatever comes and goes around them.
    #[test]
    fn a_walk_beside_other_writers_gives_each_item_once(
        lines in prop::collection::vec((0_u8..160, 0_u16..1440, any::<bool>()), 0..40),
        others in prop::collection::vec((0_u8..160, 0_u16..1440, any::<bool>()), 1..20),
        sizes in prop::collection::vec(1_u32..9, 1..4),
        pattern in prop::sample::select(vec!["oldest", "newest", "oldest_by_week", "newest_by_week"]),
    ) {
        let data = fill(&lines);
        let (from, to) = (bound(0, 0), bound(164, 0));
        let arguments = [("tenant", "t"), ("from", from.as_str()), ("to", to.as_str())];
        let found = beside(
            &others,
            |turn, line| match turn % 2 {
                0 => write(&data, &format!("x{turn:03}"), line),
                _ => {
                    let at = at(&others[turn - 1]);
                    delete(&data, "log", (&format!("LOG#t#{}", &at[..10]), &format!("{at}#x{:03}", turn - 1)));
                }
            },
            || walk(&data, pattern, &arguments, &sizes, |_| {}),
        );
        let found: Vec<_> = found.into_iter().filter(|(_, id)| id.starts_with('l')).collect();
        let mut expected = expected(&lines, &from, &to);
        prop_assert_eq!(sorted(found.clone()), expected.clone());
        if pattern.starts_with("newest") {
            expected.reverse();
        }
        prop_assert_eq!(times(&found), times(&expected));
    }
}

#[test]
fn without_bounds_the_newest_come_from_now_until_as_many_buckets_are_empty_as_the_pattern_allows() {
    let data = fill(&[]);
    let line = |id: &str, at: &str| {
        data.put("Line", &[("tenant", "t"), ("at", at), ("line_id", id), ("level", "note")]);
    };
    line("today", &format!("{NOW_DAY}T23:00:00.000Z"));
    line("tomorrow", "2025-06-16T00:00:00.000Z");
    line("31 days ago", "2025-05-15T00:00:00.000Z");
    line("63 days ago", "2025-04-13T00:00:00.000Z");
    let ids = |pattern: &str, arguments: &[(&str, &str)]| {
        let found = walk(&data, pattern, arguments, &[100], |_| {});
        found.into_iter().map(|(_, id)| id).collect::<Vec<_>>().join(", ")
    };
    // 30 empty days are passed, 31 aren't.
    assert_eq!(ids("newest", &[("tenant", "t")]), "today, 31 days ago");
    // A bound is reached, whatever is empty before it.
    let from = [("tenant", "t"), ("from", "2025-04-01T00:00:00Z")];
    assert_eq!(ids("newest", &from), "today, 31 days ago, 63 days ago");
    assert_eq!(ids("oldest", &from), "63 days ago, 31 days ago, today");
}

#[test]
fn the_parameter_of_a_time_selects_one_bucket() {
    let data = fill(&[(10, 5, false), (10, 50, true), (11, 5, false)]);
    let of_day = [("tenant", "t"), ("at", "2025-01-11T12:00:00Z")];
    for (pattern, ids) in [("newest", ["l001", "l000"]), ("oldest", ["l000", "l001"])] {
        let found = walk(&data, pattern, &of_day, &[1], |_| {});
        assert_eq!(found.iter().map(|(_, id)| id.as_str()).collect::<Vec<_>>(), ids);
    }
}

#[test]
fn an_ascending_walk_says_that_it_needs_its_first_bucket() {
    let refused = fill(&[]).run("oldest", &[("tenant", "t")]).unwrap_err();
    assert!(matches!(&refused, RunError::Parameter { parameter, .. } if parameter == "from"), "{refused}");
}

/// A range that holds nothing, and ranges at the ends of the calendar.
#[test]
fn walks_end_with_the_calendar() {
    let data = fill(&[(0, 0, false)]);
    let count = |pattern: &str, from: &str, to: &str| {
        walk(&data, pattern, &[("tenant", "t"), ("from", from), ("to", to)], &[100], |_| {}).len()
    };
    assert_eq!(count("newest", "2025-01-02T00:00:00Z", "2025-01-01T00:00:00Z"), 0);
    assert_eq!(count("oldest_by_week", "9999-12-20T00:00:00Z", "9999-12-31T23:59:59.999Z"), 0);
    assert_eq!(count("newest_by_week", "0001-01-01T00:00:00Z", "0001-02-01T00:00:00Z"), 0);
}
