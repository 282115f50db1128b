use std::fs;
use std::path::Path;

use proptest::prelude::*;
use proptest::sample::select;

use super::*;
use crate::syntax::{Node, Value};

const UNTIDY: &str = r##"

# A shop.
design="shop"
about =  "What it sells"   # a comment



[environment.prod]
default = true
removal="keep"      # kept
recovery = "off" # not kept

[table]

  # The key comes first.
  key = [ "PK","SK" ]
name= "shop-{environment}"

[index]
GSI1 = { project = "keys", key = ["GSI1PK","GSI1SK"] }
[entity.Product]
fields = {name="string",product_id={about="Its number",type="id"}}
# Found by name.
GSI1 = ["NAME", "{name}"]
key = ["PRODUCT#{product_id}", "PRODUCT"]

# The last word.
allow = { separator = "no # in names" }
[pattern.products]
rate = "5/s"
limit = 20
filter = """
    name <> 'x' # no comment
"""
on = "GSI1"
about = "All"
query = [
    "Product",   # the only one
]
# The end."##;

const TIDY: &str = r##"# A shop.
design = "shop"
about  = "What it sells"   # a comment


[environment.prod]
removal  = "keep"   # kept
default  = true
recovery = "off" # not kept

[table]
name = "shop-{environment}"
# The key comes first.
key  = ["PK", "SK"]

[index]
GSI1 = { key = ["GSI1PK", "GSI1SK"], project = "keys" }
[entity.Product]
key    = ["PRODUCT#{product_id}", "PRODUCT"]
# Found by name.
GSI1   = ["NAME", "{name}"]
fields = { name = "string", product_id = { type = "id", about = "Its number" } }

# The last word.
allow = { separator = "no # in names" }
[pattern.products]
about  = "All"
query  = [
    "Product",   # the only one
]
on     = "GSI1"
filter = """
    name <> 'x' # no comment
"""
limit  = 20
rate   = "5/s"
# The end.
"##;

fn formatted(source: &str) -> String {
    format("a.toml", source).unwrap_or_else(|report| panic!("{report}\n{source}"))
}

/// The value of a file without positions, with sorted keys.
fn meaning(source: &str) -> String {
    fn sorted(node: &Node) -> String {
        match &node.value {
            Value::Table(entries) => {
                let mut all: Vec<String> =
                    entries.iter().map(|entry| format!("{}={}", entry.name, sorted(&entry.node))).collect();
                all.sort();
                format!("{{{}}}", all.join(","))
            }
            Value::List(elements) => format!("{:?}", elements.iter().map(sorted).collect::<Vec<_>>()),
            value => format!("{value:?}"),
        }
    }
    let mistakes = Mistakes::default();
    sorted(&syntax::read(source, &mistakes).unwrap_or_else(|| panic!("{:?}\n{source}", mistakes.sorted())))
}

/// The comments of a file, sorted. In these files, `#` elsewhere is never the last one of its line.
fn comments(source: &str) -> Vec<&str> {
    let comment = |line: &'_ str| line.rfind("# ").map(|at| at + 2);
    let mut all: Vec<&str> = source.lines().filter_map(|line| line.get(comment(line)?..)).collect();
    all.sort_unstable();
    all
}

/// Checks the laws of formatting.
fn check(source: &str) {
    let once = formatted(source);
    assert_eq!(formatted(&once), once, "not idempotent:\n{source}");
    assert_eq!(meaning(&once), meaning(source), "{source}\n{once}");
    assert_eq!(comments(&once), comments(source), "{source}\n{once}");
}

/// The designs of the repository and of the tests, right and wrong ones.
fn designs() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = ["../../designs", "tests/good", "tests/wrong"].map(|folder| root.join(folder));
    let files =
        folders.iter().flat_map(|folder| fs::read_dir(folder).unwrap()).map(|file| file.unwrap().path());
    let files = files.filter(|file| file.extension().is_some_and(|end| end == "toml"));
    files.map(|file| (file.display().to_string(), fs::read_to_string(file).unwrap())).collect()
}

#[test]
fn keys_are_ordered_and_aligned_and_comments_stay() {
    assert_eq!(formatted(UNTIDY), TIDY);
    check(UNTIDY);
}

#[test]
fn every_design_that_is_toml_keeps_its_meaning_and_comments() {
    let mut count = 0;
    for (_, source) in designs() {
        if format("a.toml", &source).is_ok() {
            check(&source);
            count += 1;
        }
    }
    assert!(count > 60, "{count}");
}

#[test]
fn a_formatted_design_loads_as_the_same_design() {
    for (name, source) in designs() {
        let Ok(design) = crate::load(&name, &source) else { continue };
        let again = crate::load(&name, &formatted(&source)).unwrap_or_else(|report| panic!("{report}"));
        assert_eq!(crate::describe_text(&design), crate::describe_text(&again), "{name}");
        assert_eq!(design.environments, again.environments, "{name}");
    }
}

#[test]
fn steps_and_patterns_in_them_are_ordered() {
    let source = "\
[pattern.a.transaction]
one = { with = { a = 1 }, max = 5, each = \"x in xs\", run = { set = { b = 2 }, update = \"B\" } }
two = { if = \"c = 1\", check = \"C\" }
";
    let expected = "\
[pattern.a.transaction]
one = { run = { update = \"B\", set = { b = 2 } }, each = \"x in xs\", max = 5, with = { a = 1 } }
two = { check = \"C\", if = \"c = 1\" }
";
    assert_eq!(formatted(source), expected);
}

#[test]
fn text_that_is_not_toml_is_reported() {
    let report = format("a.toml", "design = shop\n").unwrap_err();
    assert!(report.to_string().contains("strings need quotes"), "{report}");
    assert!(format("a.toml", "a = 1\na = 2\n").is_err());
}

#[test]
fn line_ends_of_windows_stay() {
    let source = "design=\"a\"\r\n# c\r\nabout = \"b\"\r\n";
    assert_eq!(formatted(source), "design = \"a\"\r\n# c\r\nabout  = \"b\"\r\n");
}

#[test]
fn references_lose_the_type_that_they_imply() {
    let source = "\
[entity.Order.fields]
user_id = { type = \"key\", ref = \"User\" }
other   = { type = \"key\", about = \"No reference\" }
friends = { type = \"set\", of = \"key\", ref = \"User\" }
lines   = { type = \"list\", of = { type = \"key\", ref = \"Line\" } }
[entity.Order.fields.buyer]
ref  = \"User\"
type = \"key\"
[entity.Order.fields.seller]
type = \"key\" # commented
ref  = \"User\"
";
    let expected = "\
[entity.Order.fields]
user_id = { ref = \"User\" }
other   = { type = \"key\", about = \"No reference\" }
friends = { type = \"set\", of = \"key\", ref = \"User\" }
lines   = { type = \"list\", of = { ref = \"Line\" } }
[entity.Order.fields.buyer]
ref = \"User\"
[entity.Order.fields.seller]
type = \"key\" # commented
ref  = \"User\"
";
    let upgraded = upgrade("a.toml", source).unwrap();
    assert_eq!(upgraded, Formatted { text: expected.to_owned(), upgraded: 3 });
    assert_eq!(upgrade("a.toml", expected).unwrap().upgraded, 0);
}

#[test]
fn an_upgraded_design_loads_as_the_same_design() {
    for (name, source) in designs() {
        let Ok(design) = crate::load(&name, &source) else { continue };
        let upgraded = upgrade(&name, &source).unwrap();
        let again = crate::load(&name, &upgraded.text).unwrap_or_else(|report| panic!("{report}"));
        assert_eq!(crate::describe_text(&design), crate::describe_text(&again), "{name}");
    }
}

/// A design with every word that has another name.
const OLD: &str = r##"
design = "old"
[table]
key = ["PK", "SK"]
[index]
GSI1 = ["GSI1PK", "GSI1SK"]
[entity.User]
key = ["USER#{user_id}", "USER"]
GSI1 = { key = ["{email}", "USER"], sparse = true }
[entity.User.fields]
user_id = "key"
email   = { type = "string", optional = true }
phones  = { type = "list", key = "by", of = { type = "object", fields = { by = "string", key = "string" } } }
[entity.User.relations]
few  = { many = "Order", by = "user_id" }
last = { few = "Order", by = "user_id", max = 3 }
[entity.Order]
key = ["USER#{user_id}", "ORDER#{order_id}"]
fields = { user_id = { type = "key", ref = "User" }, order_id = "key" }
[pattern.orders]
query = "Order"
by = ["user_id"]
[pattern.both.parts]
user   = { get = "User", by = ["user_id"] }
orders = "orders"
[pattern.often]
gather = { each = "user in users", run = "orders", with = { user_id = "{user}" }, by = "order_id" }
[pattern.call]
update = "User"
insert = "phones"
"##;

#[test]
fn old_words_are_read_said_and_replaced() {
    let old = crate::load("old.toml", OLD).unwrap_or_else(|report| panic!("{report}"));
    let said = [
        "`type = \"key\"` isn't needed beside `ref` (once)",
        "`by` of a relation is called `via` now (2 times)",
        "`few` of a relation is called `many` now (once)",
        "`by` of a pattern is called `knows` now (once)",
        "`by` of an inline pattern is called `knows` now (once)",
        "`by` of a gather is called `group` now (once)",
        "`key` of a list is called `unique` now (once)",
        "`sparse` of an entry in an index is called `optional` now (once)",
    ];
    assert_eq!(old_forms(OLD), said);
    let new = upgrade("old.toml", OLD).unwrap();
    assert_eq!((new.upgraded, old_forms(&new.text)), (9, Vec::new()), "{}", new.text);
    let again = crate::load("new.toml", &new.text).unwrap_or_else(|report| panic!("{report}"));
    assert_eq!(crate::describe_text(&old), crate::describe_text(&again));
}

#[test]
fn a_key_with_a_new_name_is_renamed_in_its_place() {
    let words = [NewWord::Key { construct: "entity", old: "expiry", new: "ttl" }];
    let source = "\
[entity.A]
key    = \"{a}\"
# When it goes.
expiry = \"1 day after b\" # soon
[pattern.a]
expiry = 1
";
    let expected = "\
[entity.A]
key = \"{a}\"
# When it goes.
ttl = \"1 day after b\" # soon
[pattern.a]
expiry = 1
";
    let upgraded = upgrade_with(&words, "a.toml", source).unwrap();
    assert_eq!(upgraded, Formatted { text: expected.to_owned(), upgraded: 1 });
}

/// Lines of sections, in any order and with any spaces.
const LINES: [&str; 16] = [
    "key = [\"PK\" ,\"SK\"]",
    "about=\"a # b\"   # one comment",
    "limit =  20",
    "query = [\n    \"A\",  # in a list\n  \"B\" ]",
    "  # indented",
    "# at the left",
    "",
    "\n\n\n",
    "rate = \"5/s\" # another comment",
    "filter = '''\n  a <> 'b' \n\n'''",
    "set = { b={type=\"x\",ref=\"y\"}, a = [ ] }",
    "with = {}",
    "\"quoted key\" = 1",
    "a.b = 2 # dotted",
    "removal = \"keep\"",
    "fields = { d = { optional = true, type = \"int\", min = 1 } }",
];
const HEADERS: [&str; 8] = [
    "[entity.A]",
    "[pattern.a]   # of a header",
    "[table]",
    "[pattern.a.transaction]",
    "  [environment.b]",
    "[entity.A.fields]",
    "[ index ]",
    "[unknown.\"x y\"]",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn formatting_twice_changes_nothing_more(
        sections in prop::collection::vec((select(HEADERS.to_vec()), prop::collection::vec(select(LINES.to_vec()), 0..8)), 0..5),
        top in prop::collection::vec(select(LINES.to_vec()), 0..4),
        end in select(vec!["", "\n", "\n\n# last"]),
    ) {
        let mut source = top.join("\n");
        for (header, lines) in sections {
            source.push_str(&format!("\n{header}\n{}", lines.join("\n")));
        }
        source.push_str(end);
        if format("a.toml", &source).is_err() {
            return Err(TestCaseError::reject("a key appears twice"));
        }
        check(&source);
    }
}
