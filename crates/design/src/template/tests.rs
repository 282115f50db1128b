use proptest::prelude::*;
use singlet_values::{AttributeValue, EncodedItem, Item, Number};
use unicode_normalization::UnicodeNormalization;

use super::*;

fn template(text: &str) -> Template {
    Template::parse(text).unwrap()
}

fn render(text: &str, item: &Item) -> Result<Option<AttributeValue>, RenderError> {
    let encoded = EncodedItem::encode(item);
    let from_stored = template(text).render('#', &encoded.view());
    let from_tree = template(text).render('#', item);
    assert_eq!(from_stored, from_tree);
    from_tree
}

fn key(text: &str, item: &Item) -> String {
    match render(text, item) {
        Ok(Some(AttributeValue::S(key))) => key,
        other => panic!("{text}: {other:?}"),
    }
}

fn one(value: impl Into<AttributeValue>) -> Item {
    Item::from([("v", value.into())])
}

fn number(text: &str) -> Number {
    text.parse().unwrap()
}

#[test]
fn values_stand_where_the_template_says() {
    let address = Item::from([("city", "Huế")]);
    let mut item = Item::from([("user_id", "u1"), ("created_at", "2025-01-20T15:30:45.678Z")]);
    item.insert("address", address);
    item.insert("rating", number("9.5"));
    item.insert("open", true);
    for (text, expected) in [
        ("USER#{user_id}", "USER#u1"),
        ("{address.city}#{user_id}", "Huế#u1"),
        ("{{{user_id}}}", "{u1}"),
        ("R#{rating:05.2}", "R#09.50"),
        ("R#{rating}", "R#9.5"),
        ("O#{open}", "O#true"),
        ("{created_at:year}", "2025"),
        ("{created_at:month}", "2025-01"),
        ("{created_at:week}", "2025-W04"),
        ("{created_at:day}", "2025-01-20"),
        ("{created_at:hour}", "2025-01-20T15"),
        ("{created_at:minute}", "2025-01-20T15:30"),
        ("{created_at:desc}", "7974-98-79T84:69:54.321Z"),
        ("R#{rating:05.2:desc}", "R#90.49"),
        ("{address.city:upper}", "HUẾ"),
        ("{address.city:lower}", "huế"),
        ("{address.city:fold}", "hue"),
        ("META", "META"),
    ] {
        assert_eq!(key(text, &item), expected, "{text}");
    }
}

#[test]
fn a_missing_value_makes_no_key() {
    let mut item = Item::from([("a", "x")]);
    item.insert("n", AttributeValue::Null);
    for text in ["A#{a}#{b}", "{b}", "{a.b}", "S#{shard:b/4}", "{b:05}", "{b:month}", "{n}", "X#{n}"] {
        assert_eq!(render(text, &item), Ok(None), "{text}");
    }
}

#[test]
fn one_plain_placeholder_keeps_the_type_and_may_hold_the_separator() {
    assert_eq!(render("{v}", &one(12)), Ok(Some(AttributeValue::from(12))));
    assert_eq!(render("{v}", &one(vec![0, 1])), Ok(Some(AttributeValue::B(vec![0, 1]))));
    assert_eq!(render("{v}", &one("a#b")), Ok(Some(AttributeValue::from("a#b"))));
}

#[test]
fn what_could_forge_a_key_is_refused() {
    for (text, value) in [("U#{v}", "a#b"), ("{v:fold}", "A#b"), ("{v}#{v}", "#"), ("U#{v:upper}", "x#")] {
        let error = render(text, &one(value)).unwrap_err();
        assert_eq!(error.field, "v");
        assert!(error.reason.contains("'#'"), "{error}");
    }
    for (text, value) in [("U#{v}", ""), ("{v}", ""), ("U#{v:fold}", " \u{301} ")] {
        assert!(render(text, &one(value)).unwrap_err().reason.contains("empty"), "{text}");
    }
    assert!(render("{v}", &one(true)).is_err());
    assert!(render("U#{v}", &one(vec![1])).is_err());
    assert!(render("U#{v:lower}", &one(1)).is_err());
}

#[test]
fn numbers_that_would_sort_wrongly_are_refused_with_what_fits() {
    for (text, value, reason) in [
        ("{v:05.2}", "-1", "-1 is negative; numbers from 0 to 99.99 fit"),
        ("{v:05.2}", "100", "100 is too large; numbers from 0 to 99.99 fit"),
        ("{v:+03}", "-100", "-100 is too small; numbers from -99 to 99 fit"),
        ("{v:+03}", "100", "100 is too large; numbers from -99 to 99 fit"),
        ("{v:+03:desc}", "-100", "-100 is too small; numbers from -99 to 99 fit"),
        ("{v:03:desc}", "-1", "-1 is negative; numbers from 0 to 999 fit"),
        ("{v:+06.2}", "-1.555", "-1.555 has 3 decimals; 2 fit"),
        ("{v:05.2}", "9.555", "9.555 has 3 decimals; 2 fit"),
        ("{v:03}", "1.5", "1.5 has 1 decimals; integers fit"),
        ("{v:03}", "1000", "1000 is too large; numbers from 0 to 999 fit"),
    ] {
        assert_eq!(render(text, &one(number(value))).unwrap_err().reason, reason);
    }
    for (text, value, expected) in [
        ("{v:05.2}", "0", "00.00"),
        ("{v:+05}", "5", "00005"),
        ("{v:+05}", "0", "00000"),
        ("{v:+05}", "-5", "-9994"),
        ("{v:+05}", "-9999", "-0000"),
        ("{v:+06.1}", "-12.5", "-987.4"),
        ("{v:03:desc}", "7", "992"),
        ("{v:+05:desc}", "5", "-9994"),
        ("{v:+05:desc}", "0", "-9999"),
        ("{v:+05:desc}", "-5", "00005"),
        ("{v:05.2}", "99.99", "99.99"),
        ("{v:05.2}", "0.07", "00.07"),
        ("{v:03}", "7", "007"),
        ("{v:01}", "7", "7"),
        ("{v:039}", "12345678901234567890123456789012345678", "012345678901234567890123456789012345678"),
    ] {
        assert_eq!(key(text, &one(number(value))), expected);
    }
}

#[test]
fn times_are_cut_in_every_stored_form() {
    for (text, value, expected) in [
        ("{v:day}", AttributeValue::from("2025-01-20"), "2025-01-20"),
        ("{v:month}", AttributeValue::from("2025-01-20"), "2025-01"),
        ("{v:week}", AttributeValue::from("2024-12-30"), "2025-W01"),
        ("{v:week}", AttributeValue::from("2021-01-03T12:00:00.000Z"), "2020-W53"),
        ("{v:hour}", AttributeValue::from(1_737_387_000), "2025-01-20T15"),
        ("{v:minute}", AttributeValue::from("2025-01-20T00:30:00+07:00"), "2025-01-19T17:30"),
        ("{v:year}", AttributeValue::from(0), "1970"),
        ("{v:minute}", AttributeValue::from(253_402_300_799_i64), "9999-12-31T23:59"),
        ("{v:week}", AttributeValue::from("9999-12-31T23:59:59.999Z"), "9999-W52"),
        ("{v:week}", AttributeValue::from("0001-01-01"), "0001-W01"),
    ] {
        assert_eq!(key(text, &one(value)), expected);
    }
    for (text, value) in [
        ("{v:hour}", AttributeValue::from("2025-01-20")),
        ("{v:day}", AttributeValue::from("2025-02-30")),
        ("{v:day}", AttributeValue::from("yesterday")),
        ("{v:day}", AttributeValue::from(number("1.5"))),
        ("{v:day}", AttributeValue::from(i64::MAX)),
        ("{v:day}", AttributeValue::from(253_402_300_800_i64)),
        ("{v:day}", AttributeValue::from(-62_135_596_801_i64)),
        ("{v:day}", AttributeValue::from("0000-12-31")),
        ("{v:day}", AttributeValue::from(true)),
    ] {
        assert!(render(text, &one(value)).is_err(), "{text}");
    }
}

#[test]
fn names_fold_as_people_search_for_them() {
    for (text, folded) in [
        ("Thịt gà", "thit ga"),
        ("  Thịt \t\u{a0} GÀ ", "thit ga"),
        ("Đậu phụ, ĐƯỜNG ơƠưƯ", "dau phu, duong oouu"),
        ("Nguyễn Văn Đức", "nguyen van duc"),
        ("Łódź Øresund Straße STRAẞE", "lodz oresund strasse strasse"),
        ("Ægir Œuvre Þór İstanbul ılık", "aegir oeuvre thor istanbul ilik"),
        ("Ελλάς ΕΛΛΆΣ", "ελλασ ελλασ"),
        ("Йога Ёж", "иога еж"),
        ("한국어 が कि", "한국어 が कि"),
        ("plain ASCII", "plain ascii"),
    ] {
        assert_eq!(fold(text), folded);
        assert_eq!(fold(&text.nfd().collect::<String>()), folded, "decomposed");
        assert_eq!(fold(&text.nfc().collect::<String>()), folded, "composed");
    }
}

#[test]
fn folding_any_character_twice_is_folding_it_once() {
    let all: Vec<char> = ('\0'..=char::MAX).collect();
    for some in all.chunks(256) {
        let text: String = some.iter().flat_map(|character| ['a', *character, 'b']).collect();
        let once = fold(&text);
        assert_eq!(fold(&once), once, "from U+{:04X}", u32::from(some[0]));
    }
}

#[test]
fn shards_never_move() {
    let shards = |count: u32| ["u1", "u2", "", "Huế"].map(|text| shard_of(ValueRef::S(text), count).unwrap());
    assert_eq!(shards(8), [4, 3, 1, 4]);
    let twelve = number("12.0");
    assert_eq!(shard_of(ValueRef::N(twelve.view()), 1000), shard_of(ValueRef::S("12"), 1000));
    assert_eq!(template("F#{shard:v/8}").shard_count(), Some(8));
    let item = one("Huế");
    assert_eq!(
        template("F#{shard:v/8}#{v}").render_shard('#', &item, 5),
        Ok(Some(AttributeValue::from("F#5#Huế")))
    );
    assert_eq!(
        template("F#{shard:v/8}").render_shard('#', &Item::new(), 5),
        Ok(Some(AttributeValue::from("F#5")))
    );
}

#[test]
fn shards_are_evenly_filled() {
    let mut filled = [0_u32; 8];
    for number in 0..8000 {
        let shard = shard_of(ValueRef::S(&format!("id-{number}")), 8).unwrap();
        filled[shard as usize] += 1;
    }
    assert!(filled.iter().all(|count| (850..1150).contains(count)), "{filled:?}");
}

#[test]
fn a_template_tells_its_fields_and_head() {
    let key = template("POST#{created_at:month}#{post_id}#{shard:post_id/4}");
    assert_eq!(key.fields().collect::<Vec<_>>(), ["created_at", "post_id"]);
    assert_eq!(key.constant_head(), "POST#");
    assert_eq!(key.plain_field(), None);
    assert_eq!(template("{post_id}").plain_field(), Some("post_id"));
    assert_eq!(template("{post_id}").constant_head(), "");
    assert_eq!(template("{n:fold}").plain_field(), None);
    assert_eq!(key.shard_count(), Some(4));
    assert_eq!(template("META").fields().count(), 0);
}

#[test]
fn the_beginning_of_a_key_is_its_first_parts() {
    let key = template("S#{status}#{name:fold}");
    let item = Item::from([("status", "open")]);
    assert_eq!(key.render_until('#', &item, 0), Ok(Some(String::new())));
    assert_eq!(key.render_until('#', &item, 2), Ok(Some("S#open".to_owned())));
    assert_eq!(key.render_until('#', &item, 4), Ok(None));
    assert_eq!(key.render_beginning('#', &item, 3, "Thịt "), Ok(Some("S#open#thit ".to_owned())));
    assert_eq!(key.render_beginning('#', &item, 3, ""), Ok(Some("S#open#".to_owned())));
    assert!(key.render_beginning('#', &item, 3, "a#").is_err());
}

#[test]
fn a_value_is_read_up_to_its_end() {
    let kind = |path: &str| -> Option<&FieldType> {
        match path {
            "at" => Some(&FieldType::Time),
            "count" => Some(&FieldType::Int { min: None, max: None }),
            _ => Some(&FieldType::Id),
        }
    };
    let at = AttributeValue::from("2025-01-20T15:30:00.000Z");
    for (text, key, values) in [
        ("{at}-{u}", "2025-01-20T15:30:00.000Z-a-b", vec![("at", at.clone()), ("u", "a-b".into())]),
        ("{at}{u}", "2025-01-20T15:30:00.000Za", vec![("at", at.clone()), ("u", "a".into())]),
        ("{u}-X#{v}", "a-X-X#b", vec![("u", "a-X".into()), ("v", "b".into())]),
        ("{u}-X", "a-X-X", vec![("u", "a-X".into())]),
        ("{count}x{u}", "-12xa", vec![("count", (-12).into()), ("u", "a".into())]),
        ("{count:03}{u}", "012a", vec![("count", 12.into()), ("u", "a".into())]),
        ("{count:03:desc}{u}", "987a", vec![("count", 12.into()), ("u", "a".into())]),
        ("{count:+04:desc}{u}", "0012a", vec![("count", (-12).into()), ("u", "a".into())]),
        ("{at:desc}{u}", "7974-98-79T84:69:99.999Za", vec![("at", at), ("u", "a".into())]),
        ("{u}-{v}", "a-b", Vec::new()),
        ("{u}#{v}", "a#b#c", Vec::new()),
        ("{at}#{u}", "2025#a", Vec::new()),
    ] {
        assert_eq!(template(text).read('#', kind, ValueRef::S(key)), values, "{text}");
    }
}

#[test]
fn what_is_no_template_is_refused_with_its_place() {
    for (text, range, message, help) in [
        ("", 0..0, "a template can't be empty", "USER#{user_id}"),
        ("A#{b", 2..3, "missing closing brace", "close it with `}`"),
        ("A}", 1..2, "unmatched closing brace", "}}"),
        ("A#{}", 2..4, "a placeholder can't be empty", "field name"),
        ("A#{b c}", 4..5, "' ' isn't allowed", "letters"),
        ("A#{b..c}", 3..7, "a path can't have an empty step", "{address.city}"),
        ("A#{b:foldd}", 5..10, "unknown format `foldd`", "did you mean `fold`?"),
        ("A#{b:mounth}", 5..11, "unknown format `mounth`", "did you mean `month`?"),
        ("A#{b:}", 5..5, "missing format", "formats are `fold`"),
        ("A#{b:xyzzyx}", 5..11, "unknown format", "formats are `fold`"),
        ("A#{b:5.2}", 5..8, "must begin with a zero: `05.2`", "{rating:05.2}"),
        ("A#{b:03.2}", 5..9, "4 characters, but the width is 3", "05.2"),
        ("A#{b:+04.2}", 5..10, "the sign and one digit need 5 characters, but the width is 4", "05.2"),
        ("A#{b:+01}", 5..8, "a width with a sign must be at least 2 characters", "05.2"),
        ("A#{b:0x}", 5..7, "isn't a width", "05.2"),
        ("A#{b:0}", 5..6, "isn't a width", "05.2"),
        ("A#{b:099}", 5..8, "from 1 to 40", "05.2"),
        ("A#{b:fold:desc}", 5..14, "`fold` can't be in descending order", "{rating:05.2:desc}"),
        ("A#{b:05:dsc}", 8..11, "only `desc` can follow a format", "{rating:05.2:desc}"),
        ("A#{b:05:desc:desc}", 8..17, "only `desc` can follow a format", "{rating:05.2:desc}"),
        ("A#{b:5x:desc}", 5..7, "must begin with a zero", "05.2"),
        ("A#{shard:b}", 9..10, "missing number of shards", "{shard:post_id/8}"),
        ("A#{shard:b/1}", 11..12, "from 2 to 1000", "{shard:post_id/8}"),
        ("A#{shard:b/x}", 11..12, "\"x\" isn't a number of shards", "{shard:post_id/8}"),
        ("A#{shard:/8}", 8..10, "a placeholder can't be empty", "name"),
    ] {
        let error = Template::parse(text).unwrap_err();
        assert_eq!(error.range, range, "{text}");
        assert!(error.message.contains(message), "{text}: {}", error.message);
        assert!(error.help.as_deref().unwrap_or_default().contains(help), "{text}: {:?}", error.help);
    }
}

proptest! {
    #[test]
    fn signed_numbers_sort_like_the_numbers_and_are_read_back(
        a in -9_999_999_i64..10_000_000,
        b in -9_999_999_i64..10_000_000,
    ) {
        for (template, decimals) in [("{v:+08}", 0), ("{v:+09.2}", 2), ("{v:+014.3}", 3)] {
            let number = |whole: i64| -> Number {
                let (sign, digits) = (if whole < 0 { "-" } else { "" }, whole.unsigned_abs());
                let scale = 10_u64.pow(decimals);
                format!("{sign}{}.{:0width$}", digits / scale, digits % scale, width = decimals as usize)
                    .trim_end_matches('.')
                    .parse()
                    .unwrap()
            };
            let text = |whole: i64| key(&format!("N#{template}"), &one(AttributeValue::N(number(whole))));
            prop_assert_eq!(text(a).cmp(&text(b)), a.cmp(&b), "{} {}", text(a), text(b));
            let digits = super::pad::read_signed(text(a).strip_prefix("N#").unwrap()).unwrap();
            prop_assert_eq!(digits.parse::<Number>().unwrap(), number(a));
        }
    }

    #[test]
    fn descending_parts_sort_the_other_way_round_and_are_read_back(
        a in -9_999_999_i64..10_000_000,
        b in -9_999_999_i64..10_000_000,
    ) {
        let kind = |_: &str| Some(&FieldType::Number { min: None, max: None });
        let tenths = |whole: i64| number(&format!("{}{}.{}", if whole < 0 { "-" } else { "" }, whole.abs() / 10, whole.abs() % 10));
        for (text, a, b) in [("N#{v:+010.1:desc}", a, b), ("N#{v:09.1:desc}", a.abs(), b.abs())] {
            let rendered = |whole: i64| key(text, &one(AttributeValue::N(tenths(whole))));
            prop_assert_eq!(rendered(a).cmp(&rendered(b)), b.cmp(&a), "{} {}", rendered(a), rendered(b));
            let whole = template(text);
            let read = whole.read('#', kind, ValueRef::S(&rendered(a)));
            prop_assert_eq!(read, [("v", AttributeValue::N(tenths(a)))]);
        }
    }

    #[test]
    fn descending_times_sort_the_other_way_round_and_are_read_back(
        a in -62_135_596_800_000_i64..253_402_300_800_000,
        b in -62_135_596_800_000_i64..253_402_300_800_000,
        near in any::<bool>(),
    ) {
        let b = if near { (a + b % 100_000).clamp(-62_135_596_800_000, 253_402_300_799_999) } else { b };
        let time = |ms: i64| crate::value::instant_at(&FieldType::Time, ms).unwrap();
        let rendered = |ms: i64| key("T#{v:desc}#x", &one(time(ms)));
        prop_assert_eq!(rendered(a).cmp(&rendered(b)), b.cmp(&a));
        let whole = template("T#{v:desc}#x");
        let read = whole.read('#', |_| Some(&FieldType::Time), ValueRef::S(&rendered(a)));
        prop_assert_eq!(read, [("v", time(a))]);
    }

    #[test]
    fn padded_numbers_sort_like_the_numbers(a in 0_u64..100_000_000, b in 0_u64..100_000_000) {
        let decimal = |hundredths: u64| number(&format!("{}.{:02}", hundredths / 100, hundredths % 100));
        let padded = |hundredths: u64| key("{v:012.2}", &one(decimal(hundredths)));
        prop_assert_eq!(padded(a).cmp(&padded(b)), a.cmp(&b));
    }

    #[test]
    fn folding_is_idempotent_and_blind_to_composition(text in ".*") {
        let folded = fold(&text);
        prop_assert_eq!(&fold(&folded), &folded);
        prop_assert_eq!(&fold(&text.nfd().collect::<String>()), &folded);
        prop_assert_eq!(&fold(&text.nfc().collect::<String>()), &folded);
    }

    #[test]
    fn any_text_is_a_template_or_refused_inside_its_bounds(text in "[a-z#{}:./0-9é]{0,24}") {
        match Template::parse(&text) {
            Ok(template) => {
                let written: String = template.parts.iter().map(ToString::to_string).collect();
                prop_assert_eq!(Template::parse(&written).unwrap().parts, template.parts);
            }
            Err(error) => prop_assert!(text.get(error.range.clone()).is_some(), "{:?}", error),
        }
    }

    #[test]
    fn a_rendered_value_never_adds_a_separator(value in ".*") {
        if let Ok(Some(AttributeValue::S(key))) = render("A#{v}#B", &one(value.as_str())) {
            prop_assert_eq!(key.matches('#').count(), 2);
        }
    }
}
