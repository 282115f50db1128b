//! `docs/rules.md` lists the rules with their pages. It is generated:
//! `UPDATE_DOCS=1 cargo test -p singlet-review --test rule_pages`
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failing test panics")]

use std::path::Path;

use singlet_review::{Check, RULES};

const HEAD: &str = "\
# Rules of the review

`singlet review FILE…` checks a design with these rules. Each rule has a page: what it finds, why that matters, an
example with the finding, one without it, and when to allow it. `singlet review --explain RULE` prints the page.

Where a finding shows changed lines, the fix was tried: it removes the finding and causes no other.
`singlet review --fix FILE…` applies these fixes. A design can allow a finding with a reason:
`allow = { rule = \"reason\" }`.

This page is generated: `UPDATE_DOCS=1 cargo test -p singlet-review --test rule_pages` writes it.

| rule | finds |
|---|---|
";

fn page_of(id: &str) -> String {
    format!("crates/review/src/rules/{}.md", id.replace('-', "_"))
}

#[test]
fn the_index_of_the_rules_is_up_to_date_and_every_page_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut index = HEAD.to_owned();
    for rule in RULES {
        let page = page_of(rule.id);
        assert_eq!(std::fs::read_to_string(root.join(&page)).unwrap(), rule.page, "{page}");
        let refused = if matches!(rule.check, Check::Language) { " (the design doesn't load)" } else { "" };
        index.push_str(&format!("| [{}](../{page}) | {}{refused} |\n", rule.id, rule.summary));
    }
    let file = root.join("docs/rules.md");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&file, &index).unwrap();
    }
    assert_eq!(std::fs::read_to_string(file).unwrap_or_default(), index, "docs/rules.md is out of date");
}
