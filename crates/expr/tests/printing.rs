//! Printing a tree and parsing the text gives the same tree.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use singlet_expr::{
    Action, Change, Comparator, Condition, ExprError, ExpressionKind, KeyCondition, KeyTerm, KeyTest,
    Operand, Path, Placeholders, Printer, Projection, SetValue, Step, Test, Update,
};
use singlet_values::{AttributeValue, Item, Kind};

/// Names that text could not have without a placeholder are among them.
const NAMES: &[&str] = &["a", "b1", "status", "with.dot", "é", "0", "#n", "size", "two words"];

fn path() -> impl Strategy<Value = Path> {
    let step = prop_oneof![
        select(NAMES).prop_map(|name| Step::Field(name.to_owned())),
        (0_usize..20).prop_map(Step::Index)
    ];
    (select(NAMES), vec(step, 0..4)).prop_map(|(head, steps)| Path { head: head.to_owned(), steps })
}

fn scalar() -> impl Strategy<Value = AttributeValue> {
    prop_oneof![
        any::<i32>().prop_map(AttributeValue::from),
        "[a-c]{0,3}".prop_map(AttributeValue::from),
        vec(any::<u8>(), 0..3).prop_map(AttributeValue::from),
    ]
}

fn set() -> impl Strategy<Value = AttributeValue> {
    proptest::collection::btree_set("[a-c]{1,2}", 1..3).prop_map(AttributeValue::Ss)
}

fn list() -> impl Strategy<Value = AttributeValue> {
    vec(scalar(), 0..3).prop_map(AttributeValue::L)
}

fn value() -> impl Strategy<Value = AttributeValue> {
    let map = scalar().prop_map(|value| AttributeValue::M(Item::from([("m", value)])));
    prop_oneof![scalar(), set(), list(), map, Just(AttributeValue::Null), Just(true.into())]
}

fn operand() -> impl Strategy<Value = Operand> {
    prop_oneof![
        path().prop_map(Operand::from),
        value().prop_map(Operand::from),
        path().prop_map(Operand::size)
    ]
}

fn comparator() -> impl Strategy<Value = Comparator> {
    use Comparator::*;
    select(vec![Equal, NotEqual, Less, LessOrEqual, Greater, GreaterOrEqual])
}

fn test() -> impl Strategy<Value = Test> {
    let kind = select(vec![Kind::S, Kind::N, Kind::L, Kind::Bool]);
    let leaf = prop_oneof![
        (operand(), comparator(), operand()).prop_map(|(left, comparator, right)| Test::Compare {
            left,
            comparator,
            right
        }),
        (operand(), operand(), operand()).prop_map(|(operand, low, high)| Test::Between {
            operand,
            low,
            high
        }),
        (operand(), vec(operand(), 1..4)).prop_map(|(operand, candidates)| Test::In { operand, candidates }),
        path().prop_map(Test::Exists),
        path().prop_map(Test::NotExists),
        (operand(), kind).prop_map(|(operand, kind)| Test::HasKind { operand, kind }),
        (operand(), operand()).prop_map(|(operand, prefix)| Test::BeginsWith { operand, prefix }),
        (operand(), operand()).prop_map(|(operand, part)| Test::Contains { operand, part }),
    ];
    // A tree with one bad leaf is rejected as a whole, so bad leaves are left out here.
    let good = |test: &Test| Condition::from(test.clone()).check(ExpressionKind::Filter).is_ok();
    leaf.prop_filter("a rejected test", good).prop_recursive(4, 24, 3, |test| {
        prop_oneof![
            vec(test.clone(), 2..4).prop_map(Test::Or),
            vec(test.clone(), 2..4).prop_map(Test::And),
            test.prop_map(|test| Test::Not(Box::new(test))),
        ]
    })
}

fn set_value() -> impl Strategy<Value = SetValue> {
    let number = prop_oneof![
        path().prop_map(SetValue::Path),
        any::<i32>().prop_map(|number| SetValue::Literal(number.into())),
        (path(), any::<i32>())
            .prop_map(|(path, n)| SetValue::IfNotExists(path, Box::new(SetValue::Literal(n.into())))),
    ];
    let lists = prop_oneof![path().prop_map(SetValue::Path), list().prop_map(SetValue::Literal)];
    let pair = |(left, right)| (Box::new(left), Box::new(right));
    let numbers = (number.clone(), number).prop_map(pair);
    let lists = (lists.clone(), lists).prop_map(pair);
    prop_oneof![
        path().prop_map(SetValue::Path),
        value().prop_map(SetValue::Literal),
        (path(), value())
            .prop_map(|(path, value)| SetValue::IfNotExists(path, Box::new(SetValue::Literal(value)))),
        lists.prop_map(|(left, right)| SetValue::ListAppend(left, right)),
        numbers.clone().prop_map(|(left, right)| SetValue::Sum(left, right)),
        numbers.prop_map(|(left, right)| SetValue::Difference(left, right)),
    ]
}

fn update() -> impl Strategy<Value = Update> {
    let change = prop_oneof![
        set_value().prop_map(Change::Set),
        Just(Change::Remove),
        prop_oneof![any::<i32>().prop_map(AttributeValue::from), set()].prop_map(Change::Add),
        set().prop_map(Change::Delete),
    ];
    let action = (path(), change).prop_map(|(path, change)| Action { path, change });
    vec(action, 1..5).prop_map(Update::new)
}

fn key_condition() -> impl Strategy<Value = KeyCondition> {
    let test = prop_oneof![
        scalar().prop_map(KeyTest::Equal),
        scalar().prop_map(KeyTest::Less),
        scalar().prop_map(KeyTest::LessOrEqual),
        scalar().prop_map(KeyTest::Greater),
        scalar().prop_map(KeyTest::GreaterOrEqual),
        "[a-c]{0,3}".prop_map(|prefix| KeyTest::BeginsWith(prefix.into())),
        (0_i32..9, 9_i32..99).prop_map(|(low, high)| KeyTest::Between(low.into(), high.into())),
    ];
    let term = (select(NAMES), test).prop_map(|(name, test)| KeyTerm { attribute: name.to_owned(), test });
    vec(term, 1..4).prop_map(KeyCondition::from_terms)
}

/// Parses with exactly the placeholders that were printed.
fn parsed<T>(
    printer: &Printer,
    parse: impl FnOnce(&mut Placeholders) -> Result<T, ExprError>,
) -> Result<T, ExprError> {
    let names = Some(printer.names().clone()).filter(|names| !names.is_empty());
    let values = Some(printer.values().clone()).filter(|values| !values.is_empty());
    let mut placeholders = Placeholders::new(names, values)?;
    let tree = parse(&mut placeholders)?;
    placeholders.finish()?;
    Ok(tree)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn a_printed_condition_parses_to_the_same_tree(test in test()) {
        let condition = Condition::from(test);
        let mut printer = Printer::default();
        let text = printer.condition(&condition);
        prop_assume!(text.len() <= 4096);
        let parse = |placeholders: &mut _| Condition::parse(ExpressionKind::Condition, &text, placeholders);
        prop_assert_eq!(parsed(&printer, parse), Ok(condition), "{}", text);
    }

    #[test]
    fn an_update_is_rejected_as_a_tree_just_if_its_text_is_and_else_parses_to_the_same_tree(update in update()) {
        let mut printer = Printer::default();
        let text = printer.update(&update);
        let again = parsed(&printer, |placeholders| Update::parse(&text, placeholders));
        prop_assert_eq!(again, update.check().map(|()| update), "{}", text);
    }

    #[test]
    fn a_projection_is_rejected_as_a_tree_just_if_its_text_is_and_else_parses_to_the_same_tree(
        paths in vec(path(), 1..6)
    ) {
        let projection = Projection::of(paths);
        let mut printer = Printer::default();
        let text = printer.projection(&projection);
        let again = parsed(&printer, |placeholders| Projection::parse(&text, placeholders));
        prop_assert_eq!(again, projection.check().map(|()| projection), "{}", text);
    }

    #[test]
    fn a_printed_key_condition_parses_to_the_same_tree(condition in key_condition()) {
        let mut printer = Printer::default();
        if let Ok(text) = printer.key_condition(&condition) {
            let again = parsed(&printer, |placeholders| KeyCondition::parse(&text, placeholders));
            prop_assert_eq!(again, Ok(condition), "{}", text);
        }
    }

    #[test]
    fn expressions_of_one_request_share_no_placeholder(test in test(), filter in test(), paths in vec(path(), 1..4)) {
        let (filter, condition) = (Condition::from(filter), Condition::from(test));
        let projection = Projection::of(paths);
        let mut printer = Printer::default();
        let texts = (printer.filter(&filter), printer.projection(&projection), printer.condition(&condition));
        prop_assume!(projection.check().is_ok() && texts.0.len() <= 4096 && texts.2.len() <= 4096);
        let again = parsed(&printer, |placeholders| {
            Ok((
                Condition::parse(ExpressionKind::Filter, &texts.0, placeholders)?,
                Projection::parse(&texts.1, placeholders)?,
                Condition::parse(ExpressionKind::Condition, &texts.2, placeholders)?,
            ))
        });
        prop_assert_eq!(again, Ok((filter, projection, condition)));
    }
}

#[test]
fn a_tree_is_rejected_just_if_its_text_would_be() {
    let (a, one) = (Path::attribute("a"), AttributeValue::from(1));
    let wrong = [
        Condition::compare(a.clone(), Comparator::Less, AttributeValue::Null),
        Condition::equal(a.clone(), a.clone()),
        Condition::between(a.clone(), AttributeValue::from(2), one.clone()),
        Condition::one_of(a.clone(), (0..101).map(AttributeValue::from)),
        Condition::begins_with(a.clone(), one.clone()),
        Condition::all((0..400).map(|number| Condition::equal(a.clone(), AttributeValue::from(number))))
            .expect("there are parts"),
        Condition::exists(Path { steps: vec![Step::Index(0); 32], ..a.clone() }),
    ];
    for condition in wrong {
        let mut printer = Printer::default();
        let text = printer.condition(&condition);
        let refused = condition.check(ExpressionKind::Condition);
        let parse = |placeholders: &mut _| Condition::parse(ExpressionKind::Condition, &text, placeholders);
        assert!(refused.is_err(), "{text}");
        if text.len() <= 4096 {
            assert_eq!(parsed(&printer, parse), refused.map(|()| condition), "{text}");
        }
    }
}

#[test]
fn dotted_paths_have_names_and_indexes() {
    let field = |name: &str| Step::Field(name.to_owned());
    for (text, head, steps) in [
        ("city", "city", vec![]),
        ("address.city", "address", vec![field("city")]),
        ("foods[2].name", "foods", vec![Step::Index(2), field("name")]),
        ("a[0][11]", "a", vec![Step::Index(0), Step::Index(11)]),
        ("a[x]", "a[x]", vec![]),
    ] {
        assert_eq!(Path::dotted(text), Path { head: head.to_owned(), steps }, "{text}");
    }
}
