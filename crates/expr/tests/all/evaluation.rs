//! Conditions evaluated on stored bytes agree with a naive evaluation of the same conditions on owned trees.

use std::collections::BTreeMap;

use proptest::prelude::*;
use singlet_expr::{Condition, ExprError, ExpressionKind, Placeholders};
use singlet_values::{AttributeValue, EncodedItem, Item, Kind};

/// A condition as the test writes it. Literals are numbered when it is printed.
#[derive(Clone, Debug)]
enum Wanted {
    And(Box<Wanted>, Box<Wanted>),
    Or(Box<Wanted>, Box<Wanted>),
    Not(Box<Wanted>),
    Compare(Term, &'static str, Term),
    Between(Term, Term, Term),
    In(Term, Vec<Term>),
    Exists(Vec<Step>),
    NotExists(Vec<Step>),
    HasKind(Term, Kind),
    BeginsWith(Term, Term),
    Contains(Term, Term),
}

#[derive(Clone, Debug)]
enum Term {
    Path(Vec<Step>),
    Literal(AttributeValue),
    Size(Vec<Step>),
}

#[derive(Clone, Debug)]
enum Step {
    Name(&'static str),
    Index(usize),
}

/// Prints a condition and collects its literals.
#[derive(Default)]
struct Printer {
    values: BTreeMap<String, AttributeValue>,
}

impl Printer {
    fn literal(&mut self, value: &AttributeValue) -> String {
        let placeholder = format!(":v{}", self.values.len());
        self.values.insert(placeholder.clone(), value.clone());
        placeholder
    }

    fn term(&mut self, term: &Term) -> String {
        match term {
            Term::Path(path) => path_text(path),
            Term::Literal(value) => self.literal(value),
            Term::Size(path) => format!("size({})", path_text(path)),
        }
    }

    fn condition(&mut self, wanted: &Wanted) -> String {
        match wanted {
            Wanted::And(a, b) => format!("({}) AND ({})", self.condition(a), self.condition(b)),
            Wanted::Or(a, b) => format!("({}) OR ({})", self.condition(a), self.condition(b)),
            Wanted::Not(a) => format!("NOT ({})", self.condition(a)),
            Wanted::Compare(a, comparator, b) => format!("{} {comparator} {}", self.term(a), self.term(b)),
            Wanted::Between(a, low, high) => {
                format!("{} BETWEEN {} AND {}", self.term(a), self.term(low), self.term(high))
            }
            Wanted::In(a, candidates) => {
                let a = self.term(a);
                let candidates: Vec<String> =
                    candidates.iter().map(|candidate| self.term(candidate)).collect();
                format!("{a} IN ({})", candidates.join(", "))
            }
            Wanted::Exists(path) => format!("attribute_exists({})", path_text(path)),
            Wanted::NotExists(path) => format!("attribute_not_exists({})", path_text(path)),
            Wanted::HasKind(a, kind) => {
                let a = self.term(a);
                format!("attribute_type({a}, {})", self.literal(&AttributeValue::from(kind.code())))
            }
            Wanted::BeginsWith(a, b) => format!("begins_with({}, {})", self.term(a), self.term(b)),
            Wanted::Contains(a, b) => format!("contains({}, {})", self.term(a), self.term(b)),
        }
    }
}

fn path_text(path: &[Step]) -> String {
    let mut text = String::new();
    for (at, step) in path.iter().enumerate() {
        match step {
            Step::Name(name) if at == 0 => text.push_str(name),
            Step::Name(name) => text.push_str(&format!(".{name}")),
            Step::Index(index) => text.push_str(&format!("[{index}]")),
        }
    }
    text
}

fn lookup(item: &Item, path: &[Step]) -> Option<AttributeValue> {
    let mut value = AttributeValue::M(item.clone());
    for step in path {
        value = match (value, step) {
            (AttributeValue::M(map), Step::Name(name)) => map.get(name)?.clone(),
            (AttributeValue::L(list), Step::Index(index)) => list.get(*index)?.clone(),
            _ => return None,
        };
    }
    Some(value)
}

fn value_of(item: &Item, term: &Term) -> Option<AttributeValue> {
    match term {
        Term::Path(path) => lookup(item, path),
        Term::Literal(value) => Some(value.clone()),
        Term::Size(path) => {
            let size = match lookup(item, path)? {
                AttributeValue::S(text) => text.encode_utf16().count(),
                AttributeValue::B(bytes) => bytes.len(),
                AttributeValue::M(map) => map.len(),
                AttributeValue::L(list) => list.len(),
                AttributeValue::Ss(set) => set.len(),
                AttributeValue::Ns(set) => set.len(),
                AttributeValue::Bs(set) => set.len(),
                _ => return None,
            };
            Some(AttributeValue::from(size as u64))
        }
    }
}

fn compare(a: Option<AttributeValue>, comparator: &str, b: Option<AttributeValue>) -> bool {
    let equal = a.is_some() && a == b;
    let order = match (&a, &b) {
        (Some(AttributeValue::S(a)), Some(AttributeValue::S(b))) => Some(a.cmp(b)),
        (Some(AttributeValue::N(a)), Some(AttributeValue::N(b))) => Some(a.cmp(b)),
        (Some(AttributeValue::B(a)), Some(AttributeValue::B(b))) => Some(a.cmp(b)),
        _ => None,
    };
    match comparator {
        "=" => equal,
        "<>" => !equal,
        "<" => order.is_some_and(|order| order.is_lt()),
        "<=" => order.is_some_and(|order| order.is_le()),
        ">" => order.is_some_and(|order| order.is_gt()),
        _ => order.is_some_and(|order| order.is_ge()),
    }
}

fn contains(a: &AttributeValue, b: &AttributeValue) -> bool {
    match (a, b) {
        (AttributeValue::S(a), AttributeValue::S(b)) => a.contains(b.as_str()),
        (AttributeValue::B(a), AttributeValue::B(b)) => {
            (0..=a.len()).any(|at| a.iter().skip(at).zip(b).filter(|(a, b)| a == b).count() == b.len())
        }
        (AttributeValue::Ss(a), AttributeValue::S(b)) => a.contains(b),
        (AttributeValue::Ns(a), AttributeValue::N(b)) => a.contains(b),
        (AttributeValue::Bs(a), AttributeValue::B(b)) => a.contains(b),
        (AttributeValue::L(a), b) => a.contains(b),
        _ => false,
    }
}

fn naive(item: &Item, wanted: &Wanted) -> bool {
    let both = |a: &Term, b: &Term, test: fn(&AttributeValue, &AttributeValue) -> bool| match (
        value_of(item, a),
        value_of(item, b),
    ) {
        (Some(a), Some(b)) => test(&a, &b),
        _ => false,
    };
    match wanted {
        Wanted::And(a, b) => naive(item, a) & naive(item, b),
        Wanted::Or(a, b) => naive(item, a) | naive(item, b),
        Wanted::Not(a) => !naive(item, a),
        Wanted::Compare(a, comparator, b) => compare(value_of(item, a), comparator, value_of(item, b)),
        Wanted::Between(a, low, high) => {
            compare(value_of(item, a), ">=", value_of(item, low))
                && compare(value_of(item, a), "<=", value_of(item, high))
        }
        Wanted::In(a, candidates) => {
            candidates.iter().any(|candidate| compare(value_of(item, a), "=", value_of(item, candidate)))
        }
        Wanted::Exists(path) => lookup(item, path).is_some(),
        Wanted::NotExists(path) => lookup(item, path).is_none(),
        Wanted::HasKind(a, kind) => value_of(item, a).is_some_and(|value| value.kind() == *kind),
        Wanted::BeginsWith(a, b) => both(a, b, |a, b| match (a, b) {
            (AttributeValue::S(a), AttributeValue::S(b)) => a.starts_with(b.as_str()),
            (AttributeValue::B(a), AttributeValue::B(b)) => a.starts_with(b),
            _ => false,
        }),
        Wanted::Contains(a, b) => both(a, b, contains),
    }
}

const NAMES: [&str; 3] = ["a", "b", "c"];

// Small alphabets, so that values are often equal, prefixes or elements of each other.

fn text() -> impl Strategy<Value = String> {
    proptest::collection::vec(proptest::sample::select(vec!["x", "y", "é", "😀"]), 0..3)
        .prop_map(|parts| parts.concat())
}

fn number() -> impl Strategy<Value = singlet_values::Number> {
    proptest::sample::select(vec!["-1.5", "0", "1", "2", "10", "1e30", "1e-30"])
        .prop_map(|text| text.parse().expect("a number"))
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    proptest::collection::vec(0_u8..2, 0..3)
}

fn value() -> impl Strategy<Value = AttributeValue> {
    let leaf = prop_oneof![
        text().prop_map(AttributeValue::S),
        number().prop_map(AttributeValue::N),
        bytes().prop_map(AttributeValue::B),
        any::<bool>().prop_map(AttributeValue::Bool),
        Just(AttributeValue::Null),
        proptest::collection::btree_set(text(), 1..3).prop_map(AttributeValue::Ss),
        proptest::collection::btree_set(number(), 1..3).prop_map(AttributeValue::Ns),
        proptest::collection::btree_set(bytes(), 1..3).prop_map(AttributeValue::Bs),
    ];
    leaf.prop_recursive(3, 12, 3, |value| {
        prop_oneof![
            proptest::collection::vec(value.clone(), 0..3).prop_map(AttributeValue::L),
            proptest::collection::vec((proptest::sample::select(&NAMES[..]), value), 0..3)
                .prop_map(|fields| AttributeValue::M(fields.into_iter().collect())),
        ]
    })
}

fn item() -> impl Strategy<Value = Item> {
    proptest::collection::vec((proptest::sample::select(&NAMES[..]), value()), 0..4)
        .prop_map(|attributes| attributes.into_iter().collect())
}

fn path() -> impl Strategy<Value = Vec<Step>> {
    let name = || proptest::sample::select(&NAMES[..]).prop_map(Step::Name);
    let step = prop_oneof![name(), (0_usize..3).prop_map(Step::Index)];
    (name(), proptest::collection::vec(step, 0..3)).prop_map(|(head, mut steps)| {
        steps.insert(0, head);
        steps
    })
}

fn term() -> impl Strategy<Value = Term> {
    prop_oneof![
        4 => path().prop_map(Term::Path),
        4 => value().prop_map(Term::Literal),
        1 => path().prop_map(Term::Size),
    ]
}

fn wanted() -> impl Strategy<Value = Wanted> {
    let comparator = proptest::sample::select(vec!["=", "<>", "<", "<=", ">", ">="]);
    let leaf = prop_oneof![
        4 => (term(), comparator, term()).prop_map(|(a, comparator, b)| Wanted::Compare(a, comparator, b)),
        1 => (term(), term(), term()).prop_map(|(a, low, high)| Wanted::Between(a, low, high)),
        1 => (term(), proptest::collection::vec(term(), 1..4)).prop_map(|(a, list)| Wanted::In(a, list)),
        1 => path().prop_map(Wanted::Exists),
        1 => path().prop_map(Wanted::NotExists),
        1 => (term(), proptest::sample::select(Kind::ALL.to_vec())).prop_map(|(a, kind)| Wanted::HasKind(a, kind)),
        2 => (term(), term()).prop_map(|(a, b)| Wanted::BeginsWith(a, b)),
        2 => (term(), term()).prop_map(|(a, b)| Wanted::Contains(a, b)),
    ];
    leaf.prop_recursive(3, 12, 2, |wanted| {
        prop_oneof![
            (wanted.clone(), wanted.clone()).prop_map(|(a, b)| Wanted::And(a.into(), b.into())),
            (wanted.clone(), wanted.clone()).prop_map(|(a, b)| Wanted::Or(a.into(), b.into())),
            wanted.prop_map(|a| Wanted::Not(a.into())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn evaluation_on_stored_bytes_agrees_with_evaluation_on_trees(wanted in wanted(), item in item()) {
        let mut printer = Printer::default();
        let text = printer.condition(&wanted);
        let values = (!printer.values.is_empty()).then_some(printer.values);
        let mut placeholders = Placeholders::new(None, values).unwrap();
        match Condition::parse(ExpressionKind::Condition, &text, &mut placeholders) {
            Ok(condition) => {
                prop_assert!(placeholders.finish().is_ok());
                let stored = EncodedItem::encode(&item);
                prop_assert_eq!(condition.matches(stored.view()), naive(&item, &wanted), "{}", text);
            }
            // Random literals are often of the wrong kind or in the wrong order; anything else is a mistake here.
            Err(ExprError::Invalid { problem, .. }) => {
                let problem = problem.to_string();
                let expected = ["Incorrect operand type", "must be distinct", "The BETWEEN operator requires"];
                prop_assert!(expected.iter().any(|expected| problem.contains(expected)), "{}: {}", text, problem);
            }
            Err(other) => prop_assert!(false, "{}: {}", text, other),
        }
    }
}
