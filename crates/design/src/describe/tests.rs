use super::*;

const LIBRARY: &str = r##"
design = "library"
about  = "Readers and what they read"

[table]
name = "Library"
key  = ["PK", "SK"]

[index]
GSI1 = ["GSI1PK", "GSI1SK"]
GSI2 = { key = ["GSI2PK", "GSI2SK"], project = "keys" }

[entity.Reader]
key    = ["READER#{reader_id}", "PROFILE"]
GSI1   = ["EMAIL#{email}", "READER"]
unique = ["email"]
[entity.Reader.fields]
reader_id = "id"
email     = { type = "string", about = "Where \"overdue\" goes" }
friends   = { type = "set", of = "key", ref = "Reader", optional = true }
[entity.Reader.relations]
loans = { many = "Loan", via = "reader_id", max = 10 }

[entity.Loan]
key  = ["READER#{reader_id}", "LOAN#{status}#{due}#{loan_id}"]
GSI1 = ["BOOK#{book_id}", "{due}#{loan_id}"]
GSI2 = { key = ["LATE#{shard:loan_id/4}", "{due}#{title:fold}"], when = "late" }
[entity.Loan.fields]
loan_id   = "id"
reader_id = { type = "key", ref = "Reader" }
book_id   = { type = "key", ref = "Book" }
status    = { type = "string", enum = ["out", "back"] }
due       = "date"
late      = { type = "bool", optional = true }
title     = "string"

[entity.Book]
key = ["BOOK#{book_id}", "BOOK"]
[entity.Book.fields]
book_id = "id"

[pattern.join]
create = "Reader"
rate   = "5/day"

[pattern.reader]
get        = "Reader"
consistent = true
tags       = ["L-1", "L-2"]
within     = "20ms"
rate       = "50/s"

[pattern.reader_by_email]
rate = "1000/day"
get = "Reader"
on  = "GSI1"

[pattern.loans]
about  = "What a reader has | had"
query  = "Loan"
match  = ["status"]
range  = "due"
order  = "newest"
limit  = 20
filter = "late = true"

[pattern.late_loans]
query = "Loan"
on    = "GSI2"

[pattern.reader_with_loans]
query = ["Reader", "Loan"]

[pattern.end_loan]
delete = "Loan"
if     = "exists(due)"

[pattern.reader_page]
parts = { reader = "reader", late = "late_loans" }
"##;

fn library() -> Design {
    crate::load("library.toml", LIBRARY).unwrap_or_else(|report| panic!("{report}"))
}

#[test]
fn the_entity_chart_has_a_column_for_each_key_attribute() {
    let design = library();
    let chart = entity_chart(&design, design.tables.first().unwrap());
    let expected = "\
Entity  PK                  SK                             GSI1PK          GSI1SK           GSI2PK                            GSI2SK
──────  ──────────────────  ─────────────────────────────  ──────────────  ───────────────  ────────────────────────────────  ──────────────────
Reader  READER#{reader_id}  PROFILE                        EMAIL#{email}   READER
Loan    READER#{reader_id}  LOAN#{status}#{due}#{loan_id}  BOOK#{book_id}  {due}#{loan_id}  LATE#{shard:loan_id/4} when late  {due}#{title:fold}
Book    BOOK#{book_id}      BOOK
";
    assert_eq!(chart.text(), expected);
    assert_eq!(chart.title, "Entities of Library");
}

#[test]
fn a_page_of_markdown_keeps_templates_as_they_are() {
    let design = library();
    let markdown = entity_chart(&design, design.tables.first().unwrap()).markdown();
    let lines: Vec<&str> = markdown.lines().collect();
    assert_eq!(lines.get(1), Some(&"|---|---|---|---|---|---|---|"));
    assert!(lines.get(2).unwrap().starts_with("| Reader | READER\\#{reader\\_id} | PROFILE |"), "{markdown}");
    let page = describe_markdown(&design);
    assert!(page.starts_with("# library\n\nReaders and what they read\n"));
    assert!(page.contains("What a reader has \\| had"));
    assert!(page.contains("```mermaid\nerDiagram\n"));
}

#[test]
fn the_worksheet_says_what_will_be_sent() {
    let design = library();
    let table = pattern_table(&design);
    let column = |name: &str| table.columns.iter().position(|column| column == name).unwrap();
    let row = |pattern: &str| table.rows.iter().find(|row| row[0] == pattern).unwrap();
    let cell = |pattern: &str, name: &str| row(pattern)[column(name)].clone();
    for (pattern, request, keys, condition) in [
        (
            "join",
            "TransactWriteItems",
            "PK = READER#{reader_id} and SK = PROFILE",
            "attribute_not_exists(PK)",
        ),
        ("reader", "GetItem", "PK = READER#{reader_id} and SK = PROFILE", ""),
        ("reader_by_email", "Query GSI1", "GSI1PK = EMAIL#{email} and GSI1SK = READER", ""),
        (
            "loans",
            "Query",
            "PK = READER#{reader_id} and SK between LOAN#{status}#{from} and LOAN#{status}#{to}",
            "late = true",
        ),
        ("late_loans", "Query GSI2 × 4", "GSI2PK = LATE#(0…3)", ""),
        ("reader_with_loans", "Query", "PK = READER#{reader_id}", ""),
        (
            "end_loan",
            "DeleteItem",
            "PK = READER#{reader_id} and SK = LOAN#{status}#{due}#{loan_id}",
            "exists(due)",
        ),
        ("reader_page", "those of its parts", "", ""),
    ] {
        assert_eq!(cell(pattern, "Request"), request, "{pattern}");
        assert_eq!(cell(pattern, "Key condition"), keys, "{pattern}");
        assert_eq!(cell(pattern, "Condition"), condition, "{pattern}");
    }
    assert_eq!(cell("join", "Rate"), "5/day");
    assert_eq!(cell("reader_by_email", "Rate"), "1000/day");
    assert_eq!(cell("reader", "Rate"), "50/s");
    assert_eq!(cell("reader", "Within"), "20 ms");
    assert_eq!(cell("reader", "Tags"), "L-1, L-2");
    assert_eq!(cell("reader", "Does"), "get Reader, consistent");
    assert_eq!(cell("loans", "Does"), "query Loan, last first, 20 a page");
    assert_eq!(cell("reader_page", "Does"), "at once: reader, late_loans");
}

#[test]
fn the_diagram_shows_relations_references_and_keys() {
    let expected = r#"erDiagram
    Reader ||--o{ Loan : "loans (at most 10)"
    Reader }o--o{ Reader : "friends"
    Book ||--o{ Loan : "book_id"
    Reader {
        id reader_id PK
        string email UK "Where 'overdue' goes"
        set(id) friends FK
    }
    Loan {
        id loan_id PK
        id reader_id PK, FK
        id book_id FK
        string status PK
        date due PK
        bool late
        string title
    }
    Book {
        id book_id PK
    }
"#;
    assert_eq!(er_diagram(&library()), expected);
}

#[test]
fn data_leaves_empty_cells_out() {
    let design = library();
    let json = entity_chart(&design, design.tables.first().unwrap()).to_json();
    let book = json.as_list().and_then(|rows| rows.last()).unwrap().to_string();
    assert_eq!(book, r#"{"Entity":"Book","PK":"BOOK#{book_id}","SK":"BOOK"}"#);
}

#[test]
fn every_design_of_the_seeds_is_described() {
    for name in ["smart-cooking", "nishiki", "shop", "social", "sensors"] {
        let path = format!("{}/../../designs/{name}.toml", env!("CARGO_MANIFEST_DIR"));
        let source = std::fs::read_to_string(&path).unwrap();
        let design = crate::load(&path, &source).unwrap_or_else(|report| panic!("{report}"));
        let text = describe_text(&design);
        for entity in &design.entities {
            assert!(text.contains(&entity.key.partition.source), "{name}: {}", entity.name);
        }
        for pattern in &design.patterns {
            assert!(text.contains(&pattern.name), "{name}: {}", pattern.name);
        }
    }
}

#[test]
fn a_write_that_checks_its_references_is_described_as_a_transaction() {
    let source = LIBRARY.replace("ref = \"Book\" }", "ref = \"Book\", must_exist = true }");
    let source = format!("{source}\n[pattern.lend_now]\ncreate = \"Loan\"\n");
    let design = crate::load("library.toml", &source).unwrap();
    let access = access(design.pattern("lend_now").unwrap());
    assert_eq!(access.request, "TransactWriteItems");
    assert_eq!(access.condition, "attribute_not_exists(PK) and attribute_exists(PK) of Book by book_id");
}

#[test]
fn the_settings_of_each_environment_are_shown() {
    let environments = "\
[environment.dev]
[environment.prod]
recovery = \"35 days\"
backup   = \"weekly, keep 3 months\"
capacity = { table = \"100/50 to 1000/500\", GSI1 = \"100/50\" }
[environment.test]
recovery = \"off\"
capacity = \"on demand\"
[table]
recovery = \"1 day\"
";
    let design = crate::load("library.toml", &LIBRARY.replace("[table]\n", environments)).unwrap();
    let settings = settings_table(&design, design.tables.first().unwrap());
    let expected = "\
Environment  Removal  Recovery  Backup                 Capacity
───────────  ───────  ────────  ─────────────────────  ───────────────────────────────
dev          delete   1 day
prod         keep     35 days   weekly, keep 3 months  100/50 to 1000/500, GSI1 100/50
test         keep     off                              on demand
";
    assert_eq!(settings.text(), expected);
    let silent = library();
    assert!(settings_table(&silent, silent.tables.first().unwrap()).rows.is_empty());
}

#[test]
fn lists_over_buckets_counts_and_orders_are_in_the_table_of_patterns() {
    let source = r##"
design = "log"
[table]
key = ["PK", "SK"]
[entity.Line]
key = ["LOG#{tenant}#{at:day}#{shard:line_id/4}", "{at}#{line_id}"]
[entity.Line.fields]
tenant  = "key"
line_id = "id"
at      = "created"
[pattern.lines]
query  = "Line"
range  = "at"
order  = ["newest", "oldest"]
filter = "line_id > {after?}"
[pattern.number_of_lines]
count = "Line"
range = "at"
max   = 500
"##;
    let rows = pattern_table(&crate::load("log.toml", source).unwrap()).rows;
    let key = "PK = LOG#{tenant}#{at:day}#(0…3) and SK between {from} and {to}";
    assert_eq!(
        rows[0][1..5],
        ["query Line, newest or oldest first, day by day", "Query × 4", key, "line_id > {after?}"]
    );
    assert_eq!(rows[1][1..4], ["count Line, day by day, up to 500", "Query × 4", key]);
}

#[test]
fn steps_that_are_written_in_place_and_references_to_several_entities_are_described() {
    let path = format!("{}/tests/good/orders.toml", env!("CARGO_MANIFEST_DIR"));
    let design = crate::load(&path, &std::fs::read_to_string(&path).unwrap()).unwrap();
    let does = |name: &str| access(design.pattern(name).unwrap()).does;
    assert_eq!(
        does("place_order"),
        "all or none: place_order.order, place_order.product for each of {lines}, place_order.lines for each of {lines}, \
         place_order.stock for each of {lines}"
    );
    assert_eq!(does("place_order.product"), "get Product");
    let names: Vec<&str> = design.callable().map(|pattern| pattern.name.as_str()).collect();
    assert!(names.contains(&"place_order") && !names.contains(&"place_order.stock"), "{names:?}");
    let diagram = er_diagram(&design);
    for target in ["Product", "Order"] {
        assert!(diagram.contains(&format!("{target} ||--o{{ Complaint : \"subject_id\"")), "{diagram}");
    }
}
