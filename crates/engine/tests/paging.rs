//! The pages of a query or scan together give each matching item exactly once, in order.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a failing test panics")]

mod support;

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use singlet_engine::values::{AttributeValue, Item, Number};
use singlet_engine::{
    CreateTable, Database, DeleteItem, IndexDefinition, PutItem, Query, ScalarType, Scan, UpdateItem,
};
use support::{
    Random, Stop, cases, filter, item, key_condition, key_of, query_all, query_pages, scan_all,
    small_database, update,
};

const TABLE: &str = "paged";

/// A table or index to read, with the attributes of its key.
#[derive(Debug)]
struct Source {
    index: Option<&'static str>,
    partition: &'static [&'static str],
    sort: &'static [&'static str],
}

const SOURCES: [Source; 5] = [
    Source { index: None, partition: &["pk"], sort: &["sk"] },
    Source { index: Some("local"), partition: &["pk"], sort: &["ls"] },
    Source { index: Some("unsorted"), partition: &["gp"], sort: &[] },
    Source { index: Some("single"), partition: &["gp"], sort: &["gs"] },
    Source { index: Some("multi"), partition: &["gp", "gq"], sort: &["gs", "ls"] },
];

/// A table with an index of each sort; all sort attributes are of one type.
fn create(database: &Database, sort: ScalarType) {
    let [_, local, global @ ..] = &SOURCES;
    let definition = |source: &Source| {
        IndexDefinition::new(source.index.expect("an index has a name"), source.partition, source.sort)
    };
    let mut table = CreateTable::new(TABLE, "pk", ScalarType::S)
        .sort_key("sk", sort)
        .attribute("ls", sort)
        .attribute("gp", ScalarType::S)
        .attribute("gq", ScalarType::N)
        .attribute("gs", sort)
        .local_index(definition(local));
    for source in global {
        table = table.global_index(definition(source));
    }
    database.create_table(table).expect("the definition is right");
}

const TEXTS: [&str; 12] =
    ["a", "\0", "a\0", "a\0\0", "a\u{1}", "aa", "a\u{ff}", "ab", "b", "Phở", "\u{10ffff}", "z"];
const NUMBERS: [&str; 12] =
    ["0", "-1e20", "-12.5", "-12", "-1e-130", "1e-130", "0.05", "1", "1.05", "9", "10", "9e125"];
const BINARIES: [&[u8]; 12] = [
    &[1],
    &[0],
    &[0, 0],
    &[0, 1],
    &[0, 255],
    &[1, 0],
    &[1, 255],
    &[2],
    &[254],
    &[255],
    &[255, 0],
    &[255, 255],
];
const SCALARS: usize = TEXTS.len();

/// One of the values whose order is easy to get wrong.
fn scalar(kind: ScalarType, choice: usize) -> AttributeValue {
    let number = |text: &str| text.parse::<Number>().expect("a number");
    match kind {
        ScalarType::S => TEXTS.iter().map(|text| (*text).into()).nth(choice),
        ScalarType::N => NUMBERS.iter().map(|text| number(text).into()).nth(choice),
        ScalarType::B => BINARIES.iter().map(|bytes| (*bytes).into()).nth(choice),
    }
    .expect("a choice")
}

fn compare(left: &AttributeValue, right: &AttributeValue) -> Ordering {
    match (left, right) {
        (AttributeValue::S(left), AttributeValue::S(right)) => left.as_bytes().cmp(right.as_bytes()),
        (AttributeValue::N(left), AttributeValue::N(right)) => left.cmp(right),
        (AttributeValue::B(left), AttributeValue::B(right)) => left.cmp(right),
        _ => unreachable!("the values of one key attribute have one type"),
    }
}

fn begins_with(value: &AttributeValue, beginning: &AttributeValue) -> bool {
    match (value, beginning) {
        (AttributeValue::S(value), AttributeValue::S(beginning)) => value.starts_with(beginning.as_str()),
        (AttributeValue::B(value), AttributeValue::B(beginning)) => value.starts_with(beginning),
        _ => false,
    }
}

/// The choices that make an item. Few values for index keys, so that many tie.
#[derive(Debug, Clone)]
struct Row {
    pk: usize,
    sk: usize,
    ls: Option<usize>,
    gp: Option<usize>,
    gq: Option<usize>,
    gs: Option<usize>,
    mark: i64,
}

fn row() -> impl Strategy<Value = Row> {
    (
        0..2usize,
        0..SCALARS,
        option::of(0..3usize),
        option::of(0..2usize),
        option::of(0..2usize),
        0..5usize,
        0..3i64,
    )
        .prop_map(|(pk, sk, ls, gp, gq, gs, mark)| Row {
            pk,
            sk,
            ls,
            gp,
            gq,
            gs: (gs < 4).then_some(gs),
            mark,
        })
}

impl Row {
    fn item(&self, sort: ScalarType) -> Item {
        let mut item = item! { "pk" => TEXTS[self.pk], "sk" => scalar(sort, self.sk), "mark" => self.mark };
        let mut put = |name: &str, value: Option<AttributeValue>| {
            if let Some(value) = value {
                item.insert(name, value);
            }
        };
        put("ls", self.ls.map(|choice| scalar(sort, choice)));
        put("gp", self.gp.map(|choice| scalar(ScalarType::S, choice)));
        put("gq", self.gq.map(|choice| scalar(ScalarType::N, choice)));
        put("gs", self.gs.map(|choice| scalar(sort, choice)));
        item
    }
}

/// A test of the sort attribute that a query's equalities lead to.
#[derive(Debug, Clone)]
enum Range {
    All,
    Compare(&'static str, usize),
    Between(usize, usize),
    BeginsWith(usize),
}

/// The choices that make a query.
#[derive(Debug, Clone)]
struct Asked {
    source: usize,
    partition: usize,
    second_partition: usize,
    /// How many sort attributes are given by equality.
    equal: usize,
    equal_to: usize,
    range: Range,
    mark: Option<i64>,
    forward: bool,
    limit: usize,
}

fn asked() -> impl Strategy<Value = Asked> {
    let operator = prop_oneof![Just("="), Just("<"), Just("<="), Just(">"), Just(">=")];
    let range = prop_oneof![
        3 => Just(Range::All),
        2 => (operator, 0..SCALARS).prop_map(|(operator, choice)| Range::Compare(operator, choice)),
        1 => (0..SCALARS, 0..SCALARS).prop_map(|(low, high)| Range::Between(low, high)),
        1 => (0..SCALARS).prop_map(Range::BeginsWith),
    ];
    let partitions = (0..SOURCES.len(), 0..2usize, 0..2usize);
    (partitions, 0..2usize, 0..4usize, range, option::of(0..3i64), any::<bool>(), 1..12usize).prop_map(
        |((source, partition, second_partition), equal, equal_to, range, mark, forward, limit)| Asked {
            source,
            partition,
            second_partition,
            equal,
            equal_to,
            range,
            mark,
            forward,
            limit,
        },
    )
}

/// A test of an item, and one of a value.
type ItemTest = Box<dyn Fn(&Item) -> bool>;
type ValueTest = Box<dyn Fn(&AttributeValue) -> bool>;

/// A query and, separately, what it must give: the reference shares no code with the engine.
struct Prepared {
    query: Query,
    matches: ItemTest,
    source: &'static Source,
    forward: bool,
}

impl Asked {
    fn prepare(&self, sort: ScalarType) -> Prepared {
        let source = &SOURCES[self.source];
        let mut text = Vec::new();
        let mut values = Item::new();
        let mut tests: Vec<ItemTest> = Vec::new();
        let partition = [scalar(ScalarType::S, self.partition), scalar(ScalarType::N, self.second_partition)];
        let equal = self.equal.min(source.sort.len().saturating_sub(1));
        let equals = source.partition.iter().zip(partition);
        let equals =
            equals.chain(source.sort[..equal].iter().map(|name| (name, scalar(sort, self.equal_to))));
        for (number, (name, value)) in equals.enumerate() {
            text.push(format!("{name} = :equal{number}"));
            values.insert(format!(":equal{number}"), value.clone());
            tests.push(Box::new(move |item| item.get(name) == Some(&value)));
        }
        if let Some(name) = source.sort.get(equal) {
            let (range, test) = self.range.prepare(name, sort, &mut values);
            text.extend(range);
            tests.push(Box::new(move |item| item.get(name).is_some_and(&test)));
        }
        tests.push(Box::new(|item| source.sort.iter().all(|name| item.contains(name))));
        let mut query = Query::new(TABLE, key_condition(&text.join(" AND "), values)).limit(self.limit);
        query.index = source.index.map(str::to_owned);
        query.consistent = false;
        query.forward = self.forward;
        if let Some(mark) = self.mark {
            query = query.filter(filter("mark = :mark", item! { ":mark" => mark }));
            tests.push(Box::new(move |item| item.get("mark") == Some(&AttributeValue::from(mark))));
        }
        let matches = Box::new(move |item: &Item| tests.iter().all(|test| test(item)));
        Prepared { query, matches, source, forward: self.forward }
    }
}

impl Range {
    fn prepare(&self, name: &str, sort: ScalarType, values: &mut Item) -> (Option<String>, ValueTest) {
        match *self {
            Range::Compare(operator, choice) => {
                let bound = scalar(sort, choice);
                values.insert(":bound", bound.clone());
                let passes: fn(Ordering) -> bool = match operator {
                    "=" => Ordering::is_eq,
                    "<" => Ordering::is_lt,
                    "<=" => Ordering::is_le,
                    ">" => Ordering::is_gt,
                    _ => Ordering::is_ge,
                };
                (
                    Some(format!("{name} {operator} :bound")),
                    Box::new(move |value| passes(compare(value, &bound))),
                )
            }
            Range::Between(low, high) => {
                let (low, high) = (scalar(sort, low), scalar(sort, high));
                let (low, high) = if compare(&low, &high).is_gt() { (high, low) } else { (low, high) };
                values.insert(":low", low.clone());
                values.insert(":high", high.clone());
                (
                    Some(format!("{name} BETWEEN :low AND :high")),
                    Box::new(move |value| compare(value, &low).is_ge() && compare(value, &high).is_le()),
                )
            }
            Range::BeginsWith(choice) if sort != ScalarType::N => {
                let beginning = scalar(sort, choice);
                values.insert(":beginning", beginning.clone());
                (
                    Some(format!("begins_with({name}, :beginning)")),
                    Box::new(move |value| begins_with(value, &beginning)),
                )
            }
            Range::All | Range::BeginsWith(_) => (None, Box::new(|_| true)),
        }
    }
}

impl Prepared {
    /// The items that the query must give, in order: ties go by table key.
    fn expected<'a>(&self, items: impl IntoIterator<Item = &'a Item>) -> Vec<&'a Item> {
        let mut matching: Vec<&Item> = items.into_iter().filter(|item| (self.matches)(item)).collect();
        matching.sort_by(|left, right| compare_by(self.order(), left, right));
        if !self.forward {
            matching.reverse();
        }
        matching
    }

    fn order(&self) -> impl Iterator<Item = &'static str> {
        self.source.sort.iter().copied().chain(["pk", "sk"])
    }
}

fn compare_by<'a>(mut names: impl Iterator<Item = &'a str>, left: &Item, right: &Item) -> Ordering {
    let order = names.find_map(|name| {
        let order = compare(left.get(name)?, right.get(name)?);
        order.is_ne().then_some(order)
    });
    order.unwrap_or(Ordering::Equal)
}

/// Puts the items of all rows; a later row replaces an earlier one with the same key.
fn load(database: &Database, rows: &[Row], sort: ScalarType) -> Vec<Item> {
    let mut items = BTreeMap::new();
    for row in rows {
        let item = row.item(sort);
        database.put_item(PutItem::new(TABLE, item.clone())).expect("the item is right");
        items.insert((row.pk, row.sk), item);
    }
    items.into_values().collect()
}

fn sort_type() -> impl Strategy<Value = ScalarType> {
    prop_oneof![Just(ScalarType::S), Just(ScalarType::N), Just(ScalarType::B)]
}

proptest! {
    #![proptest_config(cases(128))]

    #[test]
    fn pages_of_a_query_give_each_matching_item_once_and_in_order(
        sort in sort_type(),
        rows in vec(row(), 0..60),
        queries in vec(asked(), 30),
    ) {
        let database = small_database();
        create(&database, sort);
        let items = load(&database, &rows, sort);
        for asked in &queries {
            let prepared = asked.prepare(sort);
            let pages = query_pages(&database, &prepared.query);
            for page in &pages {
                prop_assert!(page.scanned_count <= asked.limit);
                prop_assert_eq!(page.count, page.items.as_ref().map_or(0, Vec::len));
            }
            let found = query_all(&database, &prepared.query);
            prop_assert_eq!(found.iter().collect::<Vec<_>>(), prepared.expected(&items), "{:?}", asked);
        }
    }

    #[test]
    fn segments_of_a_scan_give_each_item_once_between_them(
        sort in sort_type(),
        rows in vec(row(), 0..60),
        total in 1..9u32,
        limit in 1..12usize,
        mark in option::of(0..3i64),
    ) {
        let database = small_database();
        create(&database, sort);
        let items = load(&database, &rows, sort);
        for source in &SOURCES {
            let mut found = Vec::new();
            for segment in 0..total {
                let mut scan = Scan::new(TABLE).segment(segment, total).limit(limit);
                scan.index = source.index.map(str::to_owned);
                scan.filter = mark.map(|mark| filter("mark = :mark", item! { ":mark" => mark }));
                found.extend(scan_all(&database, &scan));
            }
            let is_in = |item: &&Item| {
                source.partition.iter().chain(source.sort).all(|name| item.contains(name))
                    && mark.is_none_or(|mark| item.get("mark") == Some(&mark.into()))
            };
            let mut expected: Vec<Item> = items.iter().filter(is_in).cloned().collect();
            let by_key = |left: &Item, right: &Item| compare_by(["pk", "sk"].into_iter(), left, right);
            expected.sort_by(by_key);
            found.sort_by(by_key);
            prop_assert_eq!(found, expected, "{:?} in {} segments", source, total);
        }
    }
}

/// The rows that stay where they are, and those that come and go among them.
fn stable_and_passing_rows() -> (Vec<Row>, Vec<Row>) {
    let rows = (0..SCALARS * 2).map(|n| Row {
        pk: n % 2,
        sk: n / 2,
        ls: Some(n % 3),
        gp: Some(n % 2),
        gq: Some(n / 3 % 2),
        gs: Some(n % 4),
        mark: (n % 3) as i64,
    });
    rows.partition(|row| row.sk % 3 != 0)
}

fn key_attributes(item: &Item) -> Item {
    key_of(item, &["pk", "sk"])
}

/// Updates stable items without moving them.
fn touch(database: &Database, items: &[Item], seed: u64, stop: &Stop) {
    let mut random = Random::new(seed);
    while !stop.is_set() {
        let item = &items[random.below(items.len() as u64) as usize];
        let touched = update(
            "ADD touched :one SET size_changes = :text",
            item! {
                ":one" => 1,
                ":text" => "x".repeat(random.below(300) as usize),
            },
        );
        database.update_item(UpdateItem::new(TABLE, key_attributes(item), touched)).expect("an update");
    }
}

/// Lets items of the same partitions, and of others, come and go.
fn pass_through(database: &Database, items: &[Item], seed: u64, stop: &Stop) {
    let mut random = Random::new(seed);
    while !stop.is_set() {
        let mut item = items[random.below(items.len() as u64) as usize].clone();
        if random.below(3) == 0 {
            item.insert("pk", "elsewhere");
            item.insert("gp", "elsewhere");
        }
        if random.below(2) == 0 {
            database.put_item(PutItem::new(TABLE, item)).expect("a put");
        } else {
            database.delete_item(DeleteItem::new(TABLE, key_attributes(&item))).expect("a delete");
        }
    }
}

#[test]
fn pages_lose_and_repeat_nothing_while_others_write() {
    const QUERIES: usize = 400;
    let (stable, passing) = stable_and_passing_rows();
    let seed = Random::seed();
    for sort in [ScalarType::S, ScalarType::N, ScalarType::B] {
        let database = small_database();
        create(&database, sort);
        let stable = load(&database, &stable, sort);
        let passing = load(&database, &passing, sort);
        let stop = Stop::default();
        std::thread::scope(|scope| {
            let _stop = stop.on_drop();
            scope.spawn(|| touch(&database, &stable, seed, &stop));
            scope.spawn(|| pass_through(&database, &passing, seed + 1, &stop));
            let mut random = Random::new(seed + 2);
            for _ in 0..QUERIES {
                let asked = random_query(&mut random);
                assert_pages_hold(&database, &asked, sort, &stable);
            }
        });
    }
}

fn random_query(random: &mut Random) -> Asked {
    let mut choice = |end: usize| random.below(end as u64) as usize;
    let range = match choice(4) {
        0 => Range::Compare([">", "<="][choice(2)], choice(SCALARS)),
        1 => Range::Between(choice(SCALARS), choice(SCALARS)),
        _ => Range::All,
    };
    Asked {
        source: choice(SOURCES.len()),
        partition: choice(2),
        second_partition: choice(2),
        equal: choice(2),
        equal_to: choice(4),
        range,
        mark: (choice(2) == 0).then(|| choice(3) as i64),
        forward: choice(2) == 0,
        limit: 1 + choice(7),
    }
}

/// Every stable item that matches is found once, items that come and go at most once, and all in order.
fn assert_pages_hold(database: &Database, asked: &Asked, sort: ScalarType, stable: &[Item]) {
    let prepared = asked.prepare(sort);
    let found = query_all(database, &prepared.query);
    let keys: Vec<Item> = found.iter().map(key_attributes).collect();
    let distinct: BTreeSet<String> = keys.iter().map(|key| format!("{key:?}")).collect();
    assert_eq!(distinct.len(), keys.len(), "an item came twice: {asked:?} gave {keys:?}");
    for pair in found.windows(2) {
        let order = compare_by(prepared.order(), &pair[0], &pair[1]);
        let wrong = if asked.forward { Ordering::Greater } else { Ordering::Less };
        assert_ne!(order, wrong, "out of order: {asked:?} gave {pair:?}");
    }
    let stable_keys: Vec<Item> = stable.iter().map(key_attributes).collect();
    let found_stable: Vec<Item> = keys.into_iter().filter(|key| stable_keys.contains(key)).collect();
    let expected: Vec<Item> = prepared.expected(stable).into_iter().map(key_attributes).collect();
    assert_eq!(found_stable, expected, "{asked:?}");
}

/// Twelve items of one partition, all with the same index key.
fn tied() -> (Database, Vec<Item>) {
    let database = small_database();
    create(&database, ScalarType::N);
    let rows: Vec<Row> = (0..SCALARS)
        .map(|sk| Row { pk: 0, sk, ls: Some(0), gp: Some(0), gq: Some(0), gs: Some(0), mark: 0 })
        .collect();
    let items = load(&database, &rows, ScalarType::N);
    (database, items)
}

fn by_single_index() -> Query {
    Query::new(TABLE, key_condition("gp = :gp", item! { ":gp" => TEXTS[0] })).index("single")
}

#[test]
fn a_cursor_carries_index_key_and_table_key() {
    let (database, _) = tied();
    let page = database.query(&by_single_index().limit(5)).unwrap();
    let last = support::decode(page.items.unwrap().last().unwrap());
    assert_eq!(page.last_key, Some(key_of(&last, &["pk", "sk", "gp", "gs"])));
}

#[test]
fn a_cursor_outlives_the_item_it_points_at() {
    let (database, items) = tied();
    let first = database.query(&by_single_index().limit(5)).unwrap();
    let cursor = first.last_key.unwrap();
    database.delete_item(DeleteItem::new(TABLE, key_attributes(&cursor))).unwrap();
    let rest = query_all(&database, &by_single_index().start_key(Some(cursor)));
    assert_eq!(first.count + rest.len(), items.len());
}

#[test]
fn an_item_that_moves_ahead_of_the_cursor_is_met_at_its_new_place() {
    let (database, items) = tied();
    let first = database.query(&by_single_index().limit(5)).unwrap();
    let moved = key_attributes(&support::decode(first.items.as_ref().unwrap().first().unwrap()));
    let forward = update("SET gs = :last", item! { ":last" => scalar(ScalarType::N, SCALARS - 1) });
    database.update_item(UpdateItem::new(TABLE, moved.clone(), forward)).unwrap();
    let rest = query_all(&database, &by_single_index().start_key(first.last_key));
    // It was on the first page at its old place; pages are no snapshot, so it is there again.
    assert_eq!(rest.len(), items.len() - 5 + 1);
    assert_eq!(rest.last().map(key_attributes), Some(moved));
}

#[test]
fn a_page_ends_after_a_megabyte_and_the_next_goes_on() {
    let database = Database::in_memory().unwrap();
    database
        .create_table(CreateTable::new(TABLE, "pk", ScalarType::S).sort_key("sk", ScalarType::N))
        .unwrap();
    for sk in 0..12 {
        let body = "x".repeat(300 * 1024);
        database.put_item(PutItem::new(TABLE, item! { "pk" => "a", "sk" => sk, "body" => body })).unwrap();
    }
    for forward in [true, false] {
        let mut query = Query::new(TABLE, key_condition("pk = :pk", item! { ":pk" => "a" }));
        query.forward = forward;
        let pages = query_pages(&database, &query);
        let counts: Vec<usize> = pages.iter().map(|page| page.count).collect();
        // Four items pass a megabyte; the last page finds that nothing is left.
        assert_eq!(counts, [4, 4, 4, 0]);
        let mut found: Vec<i64> = query_all(&database, &query)
            .iter()
            .filter_map(
                |item| if let Some(AttributeValue::N(sk)) = item.get("sk") { sk.to_i64() } else { None },
            )
            .collect();
        if !forward {
            found.reverse();
        }
        assert_eq!(found, (0..12).collect::<Vec<_>>());
    }
}

/// Drives a future that wakes itself to its end; returns how often it gave way, too.
fn drive<T>(future: impl Future<Output = T>) -> (T, usize) {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    for ways_given in 0.. {
        if let Poll::Ready(result) = future.as_mut().poll(&mut context) {
            return (result, ways_given);
        }
    }
    unreachable!("the numbers don't end")
}

#[test]
fn a_page_read_in_parts_is_the_same_page_and_gives_way() {
    let database = small_database();
    database
        .create_table(CreateTable::new(TABLE, "pk", ScalarType::S).sort_key("sk", ScalarType::N))
        .unwrap();
    const ITEMS: i64 = 1_500;
    for sk in 0..ITEMS {
        database.submit_put_item(PutItem::new(TABLE, item! { "pk" => "a", "sk" => sk, "n" => sk % 5 }));
    }
    database.put_item(PutItem::new(TABLE, item! { "pk" => "b", "sk" => 0 })).unwrap();
    for forward in [true, false] {
        for limit in [None, Some(255), Some(256), Some(257), Some(1_000)] {
            let mut query = Query::new(TABLE, key_condition("pk = :pk", item! { ":pk" => "a" }));
            query.forward = forward;
            query.limit = limit;
            query.filter = Some(filter("n < :n", item! { ":n" => 2 }));
            let (in_parts, ways_given) = drive(database.query_in_parts(&query));
            let whole = database.query(&query).unwrap();
            assert_eq!(format!("{:?}", in_parts.unwrap()), format!("{whole:?}"), "{forward} {limit:?}");
            assert_eq!(ways_given > 0, limit.is_none_or(|limit| limit > 256), "{limit:?}");
        }
    }
    let (in_parts, ways_given) = drive(database.scan_in_parts(&Scan::new(TABLE)));
    assert_eq!(
        format!("{:?}", in_parts.unwrap()),
        format!("{:?}", database.scan(&Scan::new(TABLE)).unwrap())
    );
    assert!(ways_given >= 5, "{ways_given}");
}
