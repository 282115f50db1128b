//! Ranges and beginnings: what lies outside never comes back, whatever the key is made of.

use std::cmp::Ordering;

use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use singlet_design::{fold, load};

use crate::backend::cases;
use crate::fixture::Data;

/// The text of a placeholder for an event.
struct Placeholder {
    text: &'static str,
    field: &'static str,
    render: fn(&Event) -> String,
}

impl Placeholder {
    /// The order of the whole values of two events, which doesn't depend on the text in the key. Folded names are
    /// asked for folded.
    fn order(&self, one: &Event, other: &Event) -> Ordering {
        match self.text {
            "{name:fold}" => fold(one.name).cmp(&fold(other.name)),
            _ => match self.field {
                "count" => one.count.cmp(&other.count),
                field => value(one, field).cmp(&value(other, field)),
            },
        }
    }
}

#[derive(Debug, Clone)]
struct Event {
    tenant: &'static str,
    at: &'static str,
    name: &'static str,
    count: u32,
    id: usize,
}

const PLACEHOLDERS: [Placeholder; 11] = [
    Placeholder { text: "{tenant}", field: "tenant", render: |event| event.tenant.to_owned() },
    Placeholder { text: "{at}", field: "at", render: |event| event.at.to_owned() },
    Placeholder { text: "{at:day}", field: "at", render: |event| event.at[..10].to_owned() },
    Placeholder { text: "{at:month}", field: "at", render: |event| event.at[..7].to_owned() },
    Placeholder { text: "{at:week}", field: "at", render: |event| week(event.at).to_owned() },
    Placeholder { text: "{name}", field: "name", render: |event| event.name.to_owned() },
    Placeholder { text: "{name:fold}", field: "name", render: |event| fold(event.name) },
    Placeholder { text: "{count:03}", field: "count", render: |event| format!("{:03}", event.count) },
    Placeholder { text: "{count}", field: "count", render: |event| event.count.to_string() },
    Placeholder { text: "{at:desc}", field: "at", render: |event| event.at.to_owned() },
    Placeholder { text: "{count:03:desc}", field: "count", render: |event| format!("{:03}", event.count) },
];
const TIMES: [&str; 6] = [
    "2025-01-20T00:00:00.000Z",
    "2025-01-20T12:30:00.000Z",
    "2025-01-20T23:59:59.999Z",
    "2025-01-21T00:00:00.000Z",
    "2025-02-20T12:30:00.000Z",
    "2024-12-31T12:30:00.000Z",
];

/// The ISO week of one of the times.
fn week(at: &str) -> &'static str {
    match &at[..10] {
        "2025-01-20" | "2025-01-21" => "2025-W04",
        "2025-02-20" => "2025-W08",
        _ => "2025-W01",
    }
}

const NAMES: [&str; 5] = ["a", "a b", "A", "ab", "é"];
const TENANTS: [&str; 2] = ["t", "t2"];

/// A design with one entity and one query: some placeholders of the sort key matched, the next one bounded.
#[derive(Debug)]
struct Case {
    partition: Vec<usize>,
    sort: Vec<usize>,
    matched: usize,
    word: &'static str,
    through_index: bool,
    /// Whether the index contains only keys.
    narrow: bool,
    /// Whether the pattern shows only the id.
    show: bool,
}

impl Case {
    fn bounded(&self) -> &Placeholder {
        &PLACEHOLDERS[self.sort[self.matched]]
    }

    fn source(&self) -> String {
        let key =
            |places: &[usize]| places.iter().map(|at| PLACEHOLDERS[*at].text).collect::<Vec<_>>().join("#");
        let (partition, sort) = (key(&self.partition), key(&self.sort));
        let fields: Vec<String> =
            self.sort[..self.matched].iter().map(|at| format!("{:?}", PLACEHOLDERS[*at].field)).collect();
        let matched =
            if fields.is_empty() { String::new() } else { format!("match = [{}]", fields.join(", ")) };
        let (own, entry, on) = match self.through_index {
            true => (
                "[\"{id}\", \"X\"]".to_owned(),
                format!("GSI1 = [\"P#{partition}\", \"{sort}#{{id}}\"]"),
                "on = \"GSI1\"",
            ),
            false => (format!("[\"P#{partition}\", \"{sort}#{{id}}\"]"), String::new(), ""),
        };
        format!(
            r#"
design = "ranges"
[table]
key = ["PK", "SK"]
[index]
GSI1 = {{ key = ["GSI1PK", "GSI1SK"], project = "{project}" }}
[entity.Event]
key = {own}
{entry}
[entity.Event.fields]
tenant = "key"
at     = "time"
name   = "string"
count  = {{ type = "int", min = 0, max = 999 }}
id     = "key"
[pattern.events]
query = "Event"
{on}
{matched}
{word} = "{field}"
{show}
limit = 100
"#,
            word = self.word,
            field = self.bounded().field,
            project = if self.narrow { "keys" } else { "all" },
            show = if self.show { "show = [\"id\"]" } else { "" },
        )
    }

    /// A beginning of the text that the bounded placeholder makes of an event.
    fn beginning(&self, event: &Event) -> String {
        (self.bounded().render)(event).chars().take(5 + event.count as usize % 8).collect()
    }

    /// The ids that the query must give for the values of `asked` and these ends.
    fn expected(&self, events: &[Event], asked: &Event, ends: &(Event, Event)) -> Vec<String> {
        let same = |event: &Event, at: &usize| {
            (PLACEHOLDERS[*at].render)(event) == (PLACEHOLDERS[*at].render)(asked)
        };
        let inside = |event: &Event| {
            let bounded = self.bounded();
            match self.word {
                "range" => bounded.order(&ends.0, event).is_le() && bounded.order(event, &ends.1).is_le(),
                _ => (bounded.render)(event).starts_with(&self.beginning(&ends.0)),
            }
        };
        let known = || self.partition.iter().chain(&self.sort[..self.matched]);
        let found = events.iter().filter(|event| known().all(|at| same(event, at)) && inside(event));
        let mut ids: Vec<String> = found.map(|event| event.id.to_string()).collect();
        ids.sort();
        ids
    }
}

fn value(event: &Event, field: &str) -> String {
    match field {
        "tenant" => event.tenant.to_owned(),
        "at" => event.at.to_owned(),
        "name" => event.name.to_owned(),
        _ => event.count.to_string(),
    }
}

fn event() -> impl Strategy<Value = Event> {
    let counts = select(vec![1_u32, 2, 9, 10, 100]);
    (select(TENANTS.to_vec()), select(TIMES.to_vec()), select(NAMES.to_vec()), counts)
        .prop_map(|(tenant, at, name, count)| Event { tenant, at, name, count, id: 0 })
}

fn case() -> impl Strategy<Value = Case> {
    let places: Vec<usize> = (0..PLACEHOLDERS.len()).collect();
    let partition = subsequence(places.clone(), 1..=3).prop_shuffle();
    let sort = subsequence(places, 1..=4).prop_shuffle();
    (partition, sort, 0_usize..4, select(vec!["range", "prefix"]), any::<[bool; 3]>()).prop_map(
        |(partition, mut sort, matched, word, [through_index, narrow, show])| {
            // A field stands in the sort key once, so that its name says which part is meant.
            let mut seen = Vec::new();
            sort.retain(|at| {
                let field = PLACEHOLDERS[*at].field;
                let is_new = !seen.contains(&field);
                seen.push(field);
                is_new
            });
            let matched = matched % sort.len();
            Case { partition, sort, matched, word, through_index, narrow, show }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(96), ..ProptestConfig::default() })]

    #[test]
    fn a_bounded_query_gives_exactly_what_lies_inside_or_its_design_is_refused(
        case in case(),
        mut events in prop::collection::vec(event(), 1..25),
        one in event(),
        other in event(),
    ) {
        let source = case.source();
        // A range over a part that can't be bounded is refused when the design is read.
        prop_assume!(load("ranges.toml", &source).is_ok());
        let data = Data::new(&source);
        for (id, event) in events.iter_mut().enumerate() {
            event.id = id;
            let (count, id) = (event.count.to_string(), id.to_string());
            let fields = [("tenant", event.tenant), ("at", event.at), ("name", event.name), ("count", &count), ("id", &id)];
            data.put("Event", &fields);
        }
        let ends = match case.bounded().order(&one, &other).is_le() {
            true => (one, other),
            false => (other, one),
        };
        let asked = events[0].clone();
        let mut arguments: Vec<(String, String)> = Vec::new();
        for at in case.partition.iter().chain(&case.sort[..case.matched]) {
            let field = PLACEHOLDERS[*at].field;
            arguments.push((field.to_owned(), value(&asked, field)));
        }
        let field = case.bounded().field;
        match case.word {
            "range" => {
                arguments.push(("from".to_owned(), value(&ends.0, field)));
                arguments.push(("to".to_owned(), value(&ends.1, field)));
            }
            _ => arguments.push((field.to_owned(), case.beginning(&ends.0))),
        }
        let arguments: Vec<(&str, &str)> =
            arguments.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let mut found = data.pages("events", &arguments, 7, "id");
        found.sort();
        prop_assert_eq!(found, case.expected(&events, &asked, &ends), "{}", source);
    }
}

/// Entries by week, in an index that contains only what is given, and scores without a fixed width.
const WEEKS: &str = r#"
design = "weeks"
[table]
key = ["PK", "SK"]
[index]
GSI1 = { key = ["GSI1PK", "GSI1SK"], project = ["at"] }
[entity.Entry]
key  = ["ENTRY#{id}", "ENTRY"]
GSI1 = ["TENANT#{tenant}", "{at:week}#{id}"]
[entity.Entry.fields]
tenant = "key"
at     = "time"
id     = "key"
[entity.Score]
key = ["SCORES#{tenant}", "{points}#{id}"]
fields = { tenant = "key", points = "int", id = "key" }
[pattern.between]
query = "Entry"
on    = "GSI1"
range = "at"
show  = ["id"]
[pattern.scores]
query = "Score"
range = "points"
"#;

#[test]
fn a_range_inside_a_week_ends_at_its_times() {
    let data = Data::new(WEEKS);
    for (id, at) in [("a", TIMES[0]), ("b", TIMES[1]), ("c", TIMES[2]), ("d", TIMES[3]), ("e", TIMES[4])] {
        data.put("Entry", &[("tenant", "t"), ("at", at), ("id", id)]);
    }
    let ids = |ends: &[(&str, &str)]| {
        let arguments: Vec<(&str, &str)> = [("tenant", "t")].iter().chain(ends).copied().collect();
        data.pages("between", &arguments, 2, "id")
    };
    assert_eq!(ids(&[("from", TIMES[1])]), ["b", "c", "d", "e"]);
    assert_eq!(ids(&[("to", TIMES[1])]), ["a", "b"]);
    assert_eq!(ids(&[("from", TIMES[1]), ("to", TIMES[2])]), ["b", "c"]);
    let narrow = WEEKS.replace("project = [\"at\"]", "project = \"keys\"");
    let report = load("weeks.toml", &narrow).unwrap_err().to_string();
    assert!(report.contains("the index `GSI1` doesn't contain `at`"), "{report}");
}

#[test]
fn a_range_over_numbers_of_any_length_compares_the_numbers() {
    let data = Data::new(WEEKS);
    for points in ["-7", "0", "5", "10", "11", "99", "100"] {
        data.put("Score", &[("tenant", "t"), ("points", points), ("id", points)]);
    }
    let found = |ends: &[(&str, &str)]| {
        let arguments: Vec<(&str, &str)> = [("tenant", "t")].iter().chain(ends).copied().collect();
        let mut found = data.pages("scores", &arguments, 2, "id");
        found.sort_by_key(|points| points.parse::<i64>().unwrap());
        found
    };
    assert_eq!(found(&[("from", "5"), ("to", "99")]), ["5", "10", "11", "99"]);
    assert_eq!(found(&[("from", "10"), ("to", "11")]), ["10", "11"]);
    assert_eq!(found(&[("from", "99")]), ["99", "100"]);
    assert_eq!(found(&[("to", "0")]), ["-7", "0"]);
}

/// A day of a log: the partition holds the day, the sort key the time.
const LOG: &str = r#"
design = "log"
[table]
key = ["PK", "SK"]
[entity.Entry]
key = ["LOG#{tenant}#{at:day}", "{at}#{id}"]
[entity.Entry.fields]
tenant = "key"
at     = "time"
id     = "key"
[pattern.between]
query = "Entry"
range = "at"
[pattern.at_once]
query = "Entry"
match = ["at"]
[pattern.at_once_from]
query = "Entry"
match = ["at"]
range = "id"
"#;

#[test]
fn a_range_works_on_the_time_whose_day_chooses_the_partition() {
    let data = Data::new(LOG);
    for (id, at) in [("a", TIMES[0]), ("b", TIMES[1]), ("c", TIMES[1]), ("d", TIMES[2]), ("e", TIMES[3])] {
        data.put("Entry", &[("tenant", "t"), ("at", at), ("id", id)]);
    }
    let ids = |pattern: &str, more: &[(&str, &str)]| {
        let mut arguments = vec![("tenant", "t"), ("at", TIMES[1])];
        arguments.extend(more);
        data.pages(pattern, &arguments, 10, "id")
    };
    assert_eq!(ids("between", &[]), ["a", "b", "c", "d"]);
    assert_eq!(ids("between", &[("from", TIMES[1])]), ["b", "c", "d"]);
    assert_eq!(ids("between", &[("from", TIMES[0]), ("to", TIMES[1])]), ["a", "b", "c"]);
    assert_eq!(ids("at_once", &[]), ["b", "c"]);
    assert_eq!(ids("at_once_from", &[("from", "c")]), ["c"]);
    let wrong = LOG.replace("match = [\"at\"]\nrange = \"id\"", "range = \"id\"");
    let report = load("log.toml", &wrong).unwrap_err().to_string();
    assert!(report.contains("`range` must name the next part of the sort key, which is `at`"), "{report}");
}

#[test]
fn a_range_ends_where_it_says_whatever_the_separator_is() {
    for separator in ["#", "|", "/", "!"] {
        let source = r#"
design = "bids"
[table]
key = ["PK", "SK"]
separator = "S"
[entity.Bid]
key = ["LOTS{lot}", "{price:06}S{id}"]
fields = { lot = "key", id = "key", price = { type = "int", min = 0, max = 999999 } }
[pattern.bids]
query = "Bid"
range = "price"
"#;
        let source = source.replace("separator = \"S\"", &format!("separator = \"{separator}\""));
        let source =
            source.replace("LOTS{", &format!("LOT{separator}{{")).replace("}S{", &format!("}}{separator}{{"));
        let data = Data::new(&source);
        for price in ["5", "50", "500", "5000"] {
            data.put("Bid", &[("lot", "l"), ("id", &format!("b{price}")), ("price", price)]);
        }
        let found = data.pages("bids", &[("lot", "l"), ("from", "10"), ("to", "500")], 10, "id");
        assert_eq!(found, ["b50", "b500"], "{separator}");
    }
}
