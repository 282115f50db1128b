//! Fields with the highest, the lowest or the latest value among other items.

use singlet_derive::{Audit, status};
use singlet_design::Json;
use singlet_engine::Database;
use singlet_run::Wait;
use singlet_values::Item;

use crate::fixture::Blog;

pub(crate) const DESIGN: &str = r#"
design = "blog"

[table]
key = ["PK", "SK"]

[index]
GSI1 = ["GSI1PK", "GSI1SK"]
GSI2 = { key = ["GSI2PK", "GSI2SK"], project = "keys" }

[entity.Auction]
key = ["AUCTION#{auction}", "AUCTION"]
GSI1 = ["AUCTIONS", "{top:06}#{auction}"]
allow = { constant-partition = "a test" }
[entity.Auction.fields]
auction = "key"
bids    = { type = "int", count = "Bid" }
top     = { type = "int", highest = ["Bid.amount", "Proxy.most"], default = 0, max = 999999 }
bottom  = { type = "int", lowest = "Bid.amount", optional = true }
fair    = { type = "int", highest = "Bid.amount", filter = "is_fair = true", optional = true }
last    = { type = "string", latest = "Remark.text", optional = true }
is_hot  = { type = "bool", default = false, internal = true }

[entity.Bid]
key  = ["AUCTION#{auction}", "BID#{bid}"]
GSI2 = ["AUCTION#{auction}", "BID#{amount:06}"]
[entity.Bid.fields]
auction = { ref = "Auction" }
bid     = "key"
amount  = { type = "int", min = 0, max = 999999 }
is_fair = { type = "bool", default = false }

[entity.Proxy]
key  = ["AUCTION#{auction}", "PROXY#{most:06:desc}#{user}"]
[entity.Proxy.fields]
auction = { ref = "Auction" }
user    = "key"
most    = { type = "int", min = 0, max = 999999 }

[entity.Remark]
key  = ["AUCTION#{auction}", "REMARK#{at}#{remark}"]
[entity.Remark.fields]
auction = { ref = "Auction" }
at      = "time"
remark  = "key"
text    = "string"

[derive.heat]
of    = "Auction"
when  = "top >= 100"
set   = { is_hot = true }
unset = true

[pattern.open]
create = "Auction"
[pattern.close]
delete = "Auction"
[pattern.get]
get = "Auction"
[pattern.bid]
put = "Bid"
[pattern.unbid]
delete = "Bid"
[pattern.rate]
update = "Bid"
set    = ["is_fair"]
[pattern.proxy]
put = "Proxy"
[pattern.unproxy]
delete = "Proxy"
[pattern.remark]
put = "Remark"
[pattern.unremark]
delete = "Remark"
"#;

pub(crate) fn auction() -> Blog {
    Blog::of(DESIGN, Database::in_memory().unwrap())
}

pub(crate) fn number(number: i64) -> Json {
    Json::Number(number.into())
}

impl Blog {
    fn open(&self, auction: &str) {
        self.run("open", &[("auction", auction.into())]);
    }

    fn bid(&self, auction: &str, bid: &str, amount: i64, is_fair: bool) {
        let values = [("bid", bid.into()), ("amount", number(amount)), ("is_fair", Json::Bool(is_fair))];
        self.run("bid", &[[("auction", auction.into())].as_slice(), &values].concat());
    }

    fn unbid(&self, auction: &str, bid: &str) {
        self.run("unbid", &[("auction", auction.into()), ("bid", bid.into())]);
    }

    fn remark(&self, auction: &str, second: u8, text: &str) {
        let at = format!("2025-01-01T00:00:{second:02}Z");
        let values = [("at", at.into()), ("remark", text.into()), ("text", text.into())];
        self.run("remark", &[[("auction", auction.into())].as_slice(), &values].concat());
    }

    fn shows(&self, auction: &str, field: &str) -> String {
        let item = self.run("get", &[("auction", auction.into())]);
        item.get(field).map(ToString::to_string).unwrap_or_default()
    }

    fn audits(&self) {
        let audit = Audit::new(self.store(), self.design.clone(), "dev").unwrap();
        assert_eq!(audit.run(&mut |_| {}).wait().unwrap().differences, []);
    }
}

#[test]
fn the_highest_and_the_lowest_follow_each_change() {
    let blog = auction();
    blog.open("a");
    blog.settle();
    assert_eq!((blog.shows("a", "top"), blog.shows("a", "bottom")), ("0".to_owned(), String::new()));
    blog.bid("a", "1", 50, false);
    blog.bid("a", "2", 120, true);
    blog.bid("a", "3", 70, true);
    blog.settle();
    assert_eq!((blog.shows("a", "top"), blog.shows("a", "bottom")), ("120".to_owned(), "50".to_owned()));
    assert_eq!((blog.shows("a", "bids"), blog.shows("a", "is_hot")), ("3".to_owned(), "true".to_owned()));
    // A bid that is changed counts with its new amount.
    blog.bid("a", "2", 10, true);
    blog.settle();
    assert_eq!((blog.shows("a", "top"), blog.shows("a", "bottom")), ("70".to_owned(), "10".to_owned()));
    assert_eq!(blog.shows("a", "is_hot"), "false");
    blog.audits();
}

#[test]
fn the_next_one_is_found_when_the_highest_goes() {
    let blog = auction();
    blog.open("a");
    for (bid, amount) in [("1", 5), ("2", 9), ("3", 7), ("4", 9)] {
        blog.bid("a", bid, amount, false);
    }
    let mut worker = blog.worker();
    for (gone, top) in [("2", "9"), ("4", "7"), ("3", "5"), ("1", "0")] {
        blog.unbid("a", gone);
        worker.catch_up().wait().unwrap();
        assert_eq!(blog.shows("a", "top"), top, "after {gone} went");
    }
    assert_eq!(blog.shows("a", "bottom"), "");
    blog.audits();
}

#[test]
fn several_entities_compete() {
    let blog = auction();
    blog.open("a");
    blog.bid("a", "1", 50, false);
    let proxy = |most| [("auction", "a".into()), ("user", "u".into()), ("most", number(most))];
    blog.run("proxy", &proxy(80));
    blog.settle();
    assert_eq!((blog.shows("a", "top"), blog.shows("a", "bottom")), ("80".to_owned(), "50".to_owned()));
    blog.run("unproxy", &proxy(80));
    blog.run("proxy", &proxy(40));
    blog.settle();
    assert_eq!(blog.shows("a", "top"), "50");
}

#[test]
fn a_filter_chooses_the_candidates() {
    let blog = auction();
    blog.open("a");
    for (bid, amount) in (0..30).map(|n| (format!("b{n}"), 100 + n)) {
        blog.bid("a", &bid, amount, n_is_fair(amount));
    }
    blog.settle();
    assert_eq!((blog.shows("a", "top"), blog.shows("a", "fair")), ("129".to_owned(), "104".to_owned()));
    let rate = |is_fair| [("auction", "a".into()), ("bid", "b20".into()), ("is_fair", Json::Bool(is_fair))];
    blog.run("rate", &rate(true));
    blog.settle();
    assert_eq!(blog.shows("a", "fair"), "120");
    blog.run("rate", &rate(false));
    blog.settle();
    assert_eq!(blog.shows("a", "fair"), "104");
    blog.audits();
}

fn n_is_fair(amount: i64) -> bool {
    amount < 105
}

#[test]
fn the_latest_is_that_of_the_newest_item() {
    let blog = auction();
    blog.open("a");
    blog.remark("a", 5, "five");
    blog.remark("a", 9, "nine");
    blog.remark("a", 7, "seven");
    blog.settle();
    assert_eq!(blog.shows("a", "last"), r#""nine""#);
    let nine = [
        ("auction", "a".into()),
        ("at", Json::from("2025-01-01T00:00:09Z".to_owned())),
        ("remark", "nine".into()),
    ];
    blog.run("unremark", &nine);
    blog.settle();
    assert_eq!(blog.shows("a", "last"), r#""seven""#);
    blog.audits();
}

#[test]
fn items_that_are_there_before_the_rule_are_found() {
    let without: String =
        DESIGN.lines().filter(|line| !line.contains("highest =")).collect::<Vec<_>>().join("\n");
    let without = without.replace("{top:06}#", "").replace("top >= 100", "bids >= 1000");
    let database = Database::in_memory().unwrap();
    let blog = Blog::of(&without, database.clone());
    blog.open("a");
    blog.bid("a", "1", 130, true);
    blog.bid("a", "2", 120, true);
    blog.settle();
    let blog = Blog::of(DESIGN, database);
    blog.settle();
    assert_eq!((blog.shows("a", "top"), blog.shows("a", "fair")), ("130".to_owned(), "130".to_owned()));
    assert_eq!(blog.shows("a", "is_hot"), "true");
    blog.audits();
}

#[test]
fn a_value_that_a_program_writes_is_put_right() {
    let blog = auction();
    blog.bid("a", "1", 30, true);
    blog.settle();
    blog.open("a");
    blog.settle();
    assert_eq!(blog.shows("a", "top"), "30", "the bid was there before its auction");
    let mut item = blog.item("AUCTION#a", "AUCTION").unwrap();
    item.insert("top", 999u64);
    blog.put_raw(item);
    blog.settle();
    assert_eq!(blog.shows("a", "top"), "30");
    blog.audits();
}

#[test]
fn an_audit_finds_a_lost_effect_and_repairs_it() {
    let blog = auction();
    blog.open("a");
    blog.bid("a", "1", 30, true);
    blog.settle();
    blog.bid("a", "2", 40, true);
    blog.lose_changes();
    let audit = Audit::new(blog.store(), blog.design.clone(), "dev").unwrap();
    let report = audit.run(&mut |_| {}).wait().unwrap();
    let fields: Vec<&str> = report.differences.iter().map(|found| found.field.as_str()).collect();
    assert_eq!(fields, ["bids", "top", "fair"]);
    audit.repair(&report).wait().unwrap();
    assert_eq!((blog.shows("a", "top"), blog.shows("a", "fair")), ("40".to_owned(), "40".to_owned()));
    blog.settle();
    blog.audits();
}

#[test]
fn a_search_through_too_many_items_is_given_up_and_shown() {
    let blog = auction();
    blog.open("a");
    for n in 0..10_050u32 {
        let (sort, amount) = (format!("BID#{n:05}"), format!("BID#{:06}", 1000 + n));
        let pairs = [("PK", "AUCTION#a"), ("SK", sort.as_str()), ("type", "Bid"), ("auction", "a")];
        let mut item = Item::from(pairs);
        item.insert("bid", format!("{n:05}"));
        item.insert("amount", u64::from(1000 + n));
        item.insert("GSI2PK", "AUCTION#a");
        item.insert("GSI2SK", amount.as_str());
        blog.put_raw(item);
    }
    blog.bid("a", "fair", 5, true);
    blog.settle();
    assert_eq!((blog.shows("a", "top"), blog.shows("a", "bids")), ("11049".to_owned(), "10051".to_owned()));
    assert_eq!(blog.shows("a", "fair"), "", "it isn't known");
    let found = status(&blog.store(), &blog.design, "dev").wait().unwrap();
    assert_eq!(found.stuck, 1);
    assert!(found.stuck_items[0].reason.contains("`fair`"), "{}", found.stuck_items[0].reason);
    // A remark changes nothing about it, and a fair bid at the top settles it.
    blog.remark("a", 1, "hello");
    blog.settle();
    assert_eq!(status(&blog.store(), &blog.design, "dev").wait().unwrap().stuck, 1);
    blog.bid("a", "best", 200_000, true);
    blog.settle();
    assert_eq!(blog.shows("a", "fair"), "200000");
    assert_eq!(status(&blog.store(), &blog.design, "dev").wait().unwrap().stuck, 0);
}
