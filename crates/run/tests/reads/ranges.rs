//! Ranges and beginnings: what lies outside never comes back, whatever the key is made of.

use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use singlet_design::{fold, load};

use crate::fixture::Data;

/// What a placeholder makes of an event.
struct Placeholder {
    text: &'static str,
    field: &'static str,
    render: fn(&Event) -> String,
}

#[derive(Debug, Clone)]
struct Event {
    tenant: &'static str,
    at: &'static str,
    name: &'static str,
    count: u32,
    id: usize,
}

const PLACEHOLDERS: [Placeholder; 8] = [
    Placeholder { text: "{tenant}", field: "tenant", render: |event| event.tenant.to_owned() },
    Placeholder { text: "{at}", field: "at", render: |event| event.at.to_owned() },
    Placeholder { text: "{at:day}", field: "at", render: |event| event.at[..10].to_owned() },
    Placeholder { text: "{at:month}", field: "at", render: |event| event.at[..7].to_owned() },
    Placeholder { text: "{name}", field: "name", render: |event| event.name.to_owned() },
    Placeholder { text: "{name:fold}", field: "name", render: |event| fold(event.name) },
    Placeholder { text: "{count:03}", field: "count", render: |event| format!("{:03}", event.count) },
    Placeholder { text: "{count}", field: "count", render: |event| event.count.to_string() },
];
const TIMES: [&str; 6] = [
    "2025-01-20T00:00:00.000Z",
    "2025-01-20T12:30:00.000Z",
    "2025-01-20T23:59:59.999Z",
    "2025-01-21T00:00:00.000Z",
    "2025-02-20T12:30:00.000Z",
    "2024-12-31T12:30:00.000Z",
];
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
GSI1 = ["GSI1PK", "GSI1SK"]
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
{} = "{}"
limit = 100
"#,
            self.word,
            self.bounded().field
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
            let (from, value, to) = (
                (self.bounded().render)(&ends.0),
                (self.bounded().render)(event),
                (self.bounded().render)(&ends.1),
            );
            match self.word {
                "range" => from <= value && value <= to,
                _ => value.starts_with(&self.beginning(&ends.0)),
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
    (partition, sort, 0_usize..4, select(vec!["range", "prefix"]), any::<bool>()).prop_map(
        |(partition, mut sort, matched, word, through_index)| {
            // A field stands in the sort key once, so that its name says which part is meant.
            let mut seen = Vec::new();
            sort.retain(|at| {
                let field = PLACEHOLDERS[*at].field;
                let is_new = !seen.contains(&field);
                seen.push(field);
                is_new
            });
            let matched = matched % sort.len();
            Case { partition, sort, matched, word, through_index }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn a_bounded_query_gives_exactly_what_lies_inside_or_its_design_is_refused(
        case in case(),
        mut events in prop::collection::vec(event(), 1..25),
        one in event(),
        other in event(),
    ) {
        let source = case.source();
        // What can't be bounded is refused when the design is read.
        prop_assume!(load("ranges.toml", &source).is_ok());
        let data = Data::new(&source);
        for (id, event) in events.iter_mut().enumerate() {
            event.id = id;
            let (count, id) = (event.count.to_string(), id.to_string());
            let fields = [("tenant", event.tenant), ("at", event.at), ("name", event.name), ("count", &count), ("id", &id)];
            data.put("Event", &fields);
        }
        let ends = match value(&one, case.bounded().field) <= value(&other, case.bounded().field) {
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
