//! `docs/rules.md` lists the rules of the review, each with its page. It is made from them:
//! `UPDATE_DOCS=1 cargo test -p singlet-review --test rule_pages`
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failing test panics")]

use std::path::Path;

use singlet_review::{Check, RULES};

const HEAD: &str = "\
# Rules of the review

`singlet review FILE…` holds a design against these rules. Each has a page: what it finds, why that matters, the number behind it, a design that it finds something in and one that is fine.
`singlet review --explain RULE` prints it. A fix that is shown with changed lines was tried: the finding is gone with it, and no other has come; `singlet review --fix FILE…` applies them.
Where a finding is fine, the design says so: `allow = { rule = \"reason\" }`.

Made from the rules: `UPDATE_DOCS=1 cargo test -p singlet-review --test rule_pages`.

| rule | finds |
|---|---|
";

fn page_of(id: &str) -> String {
    format!("crates/review/src/rules/{}.md", id.replace('-', "_"))
}

#[test]
fn the_index_of_the_rules_is_true_and_every_page_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut index = HEAD.to_owned();
    for rule in RULES {
        let page = page_of(rule.id);
        assert_eq!(std::fs::read_to_string(root.join(&page)).unwrap(), rule.page, "{page}");
        let refused = if matches!(rule.check, Check::Language) { " (refused by the language)" } else { "" };
        index.push_str(&format!("| [{}](../{page}) | {}{refused} |\n", rule.id, rule.summary));
    }
    let file = root.join("docs/rules.md");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&file, &index).unwrap();
    }
    assert_eq!(std::fs::read_to_string(file).unwrap_or_default(), index, "docs/rules.md is out of date");
}
