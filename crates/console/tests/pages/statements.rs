//! Statements: the plan beside the answer, and a warning before a scan.

use singlet_design::Json;

use crate::site::{Site, encoded, words};

fn with_posts() -> Site {
    let site = Site::forum();
    for number in 1..=3 {
        let values = [
            ("thread_id", "t1".into()),
            ("number", Json::Number(number.into())),
            ("author", if number == 2 { "ada".into() } else { "mai".into() }),
            ("text", format!("text {number}").into()),
        ];
        site.run("write", values);
    }
    site
}

fn ask(site: &Site, statement: &str, more: &str) -> String {
    words(&site.page(&format!("/console/forum/statement/?text={}{more}", encoded(statement))))
}

#[test]
fn a_statement_with_a_partition_key_is_a_query() {
    let site = with_posts();
    let statement = "SELECT * FROM forum WHERE PK = 'THREAD#t1' AND author = 'mai' ORDER BY SK DESC";
    let page = ask(&site, statement, "");
    assert!(page.contains("query") && page.contains("descending"), "{page}");
    assert!(page.contains("2 items, 3 read"), "{page}");
    let at = |part: &str| page.find(part).unwrap_or_else(|| panic!("{part} in {page}"));
    assert!(at("text 3") < at("text 1") && !page.contains("text 2"), "{page}");
    let page = ask(&site, "SELECT text FROM forum.GSI1 WHERE GSI1PK = 'AUTHOR#ada'", "");
    assert!(page.contains("the index GSI1") && page.contains("text 2") && !page.contains("text 1"), "{page}");
}

#[test]
fn a_scan_is_announced_and_done_after_a_second_click() {
    let site = with_posts();
    let statement = "SELECT author FROM forum WHERE author = 'mai'";
    let page = ask(&site, statement, "");
    assert!(page.contains("scan") && page.contains("about 3 items") && !page.contains("Answer"), "{page}");
    let page = ask(&site, statement, "&scan=1");
    assert!(page.contains("2 items, 3 read"), "{page}");
}

#[test]
fn what_does_not_run_is_refused_in_words() {
    let site = with_posts();
    let long = format!("SELECT * FROM forum WHERE PK = '{}'", "x".repeat(9_000));
    for (statement, part) in [
        ("DELETE FROM forum WHERE PK = 'a' AND SK = 'b'", "only SELECT runs here"),
        ("SELECT * FROM elsewhere WHERE PK = 'a'", "has no table elsewhere"),
        ("SELECT * FROM forum.GSI9 WHERE PK = 'a'", "has no index GSI9"),
        ("SELECT", "Statement"),
        (&long, "at most 8192 bytes"),
    ] {
        let page = ask(&site, statement, "");
        assert!(!page.contains("Plan"), "{page}");
        assert!(page.contains(part), "{statement}: {page}");
    }
}
