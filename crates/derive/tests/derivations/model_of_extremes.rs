//! Random writes to items whose highest, lowest and latest values are kept, in random pieces of work, by one worker or
//! two: afterwards the fields are those of the items that are there.

use std::time::Duration;

use proptest::prelude::*;
use singlet_derive::{Audit, Worker};
use singlet_design::Json;
use singlet_run::Wait;
use singlet_store::Embedded;
use singlet_values::{AttributeValue, Item};

use crate::extremes::{auction, number};
use crate::fixture::Blog;

#[derive(Debug, Clone)]
enum Act {
    Open(u8),
    Close(u8),
    Bid(u8, u8, u8, bool),
    Unbid(u8, u8),
    Rate(u8, u8, bool),
    Proxy(u8, u8),
    Unproxy(u8, u8),
    Remark(u8, u8),
    Unremark(u8, u8),
    /// A program writes another value.
    Forge(u8, u8),
    /// A program moves a bid to another auction.
    Move(u8, u8),
    /// One of two workers does so many steps.
    Work(bool, u8),
    Restart(bool),
    Rebuild,
}

fn act() -> impl Strategy<Value = Act> {
    let (auction, bid, amount) = (0u8..3, 0u8..5, 0u8..6);
    let placed = (auction.clone(), bid.clone());
    let valued = (auction.clone(), amount.clone());
    prop_oneof![
        2 => auction.clone().prop_map(Act::Open),
        1 => auction.prop_map(Act::Close),
        8 => (placed.clone(), amount, any::<bool>()).prop_map(|((at, bid), amount, fair)| Act::Bid(at, bid, amount, fair)),
        5 => placed.clone().prop_map(|(at, bid)| Act::Unbid(at, bid)),
        2 => (placed.clone(), any::<bool>()).prop_map(|((at, bid), fair)| Act::Rate(at, bid, fair)),
        2 => valued.clone().prop_map(|(at, most)| Act::Proxy(at, most)),
        2 => valued.clone().prop_map(|(at, most)| Act::Unproxy(at, most)),
        3 => valued.clone().prop_map(|(at, second)| Act::Remark(at, second)),
        2 => valued.clone().prop_map(|(at, second)| Act::Unremark(at, second)),
        1 => valued.prop_map(|(at, value)| Act::Forge(at, value)),
        1 => placed.prop_map(|(at, bid)| Act::Move(at, bid)),
        8 => (any::<bool>(), 1u8..4).prop_map(|(which, steps)| Act::Work(which, steps)),
        2 => any::<bool>().prop_map(Act::Restart),
        1 => Just(Act::Rebuild),
    ]
}

fn name(number: u8) -> Json {
    format!("n{number}").into()
}

fn write(blog: &Blog, act: &Act) {
    let run = |pattern: &str, values: &[(&str, Json)]| _ = blog.try_run(pattern, values);
    let auction = |at: &u8| ("auction", name(*at));
    let time = |second: &u8| ("at", Json::from(format!("2025-01-01T00:00:{second:02}Z")));
    match act {
        Act::Open(at) => run("open", &[auction(at)]),
        Act::Close(at) => run("close", &[auction(at)]),
        Act::Bid(at, bid, amount, is_fair) => {
            let amount = ("amount", number((*amount).into()));
            run("bid", &[auction(at), ("bid", name(*bid)), amount, ("is_fair", Json::Bool(*is_fair))]);
        }
        Act::Unbid(at, bid) => run("unbid", &[auction(at), ("bid", name(*bid))]),
        Act::Rate(at, bid, is_fair) => {
            run("rate", &[auction(at), ("bid", name(*bid)), ("is_fair", Json::Bool(*is_fair))]);
        }
        Act::Proxy(at, most) => {
            run("proxy", &[auction(at), ("user", "u".into()), ("most", number((*most).into()))]);
        }
        Act::Unproxy(at, most) => {
            run("unproxy", &[auction(at), ("user", "u".into()), ("most", number((*most).into()))]);
        }
        Act::Remark(at, second) => {
            run("remark", &[auction(at), time(second), ("remark", "r".into()), ("text", name(*second))]);
        }
        Act::Unremark(at, second) => run("unremark", &[auction(at), time(second), ("remark", "r".into())]),
        Act::Forge(at, value) => {
            if let Some(mut item) = blog.item(&format!("AUCTION#n{at}"), "AUCTION") {
                item.insert("top", u64::from(*value));
                item.remove("last");
                blog.put_raw(item);
            }
        }
        Act::Move(at, bid) => {
            let keys = (format!("AUCTION#n{at}"), format!("BID#n{bid}"));
            if let Some(mut item) = blog.item(&keys.0, &keys.1) {
                blog.delete_raw(&keys.0, &keys.1);
                for (attribute, value) in [("PK", "AUCTION#n0"), ("GSI2PK", "AUCTION#n0"), ("auction", "n0")]
                {
                    item.insert(attribute, value);
                }
                blog.put_raw(item);
            }
        }
        Act::Work(..) | Act::Restart(_) | Act::Rebuild => {}
    }
}

fn play(acts: &[Act]) -> Result<(), TestCaseError> {
    let blog = auction();
    let mut workers: [Worker<Embedded>; 2] = [blog.worker(), blog.worker()];
    for act in acts {
        match act {
            Act::Work(which, steps) => {
                for _ in 0..*steps {
                    workers[usize::from(*which)].step(Duration::ZERO).wait().unwrap();
                }
            }
            Act::Restart(which) => workers[usize::from(*which)] = blog.worker(),
            Act::Rebuild => workers[0].rebuild(&[]).wait().unwrap(),
            act => write(&blog, act),
        }
    }
    workers[0].catch_up().wait().unwrap();
    let audit = Audit::new(blog.store(), blog.design.clone(), "dev").unwrap();
    prop_assert_eq!(audit.run(&mut |_| {}).wait().unwrap().differences, []);
    let items = blog.all_of("blog");
    for auction in items.iter().filter(|item| is(item, "Auction")) {
        compare(&items, auction)?;
    }
    Ok(())
}

/// Compares an auction with the items that are there, without any query.
fn compare(items: &[Item], auction: &Item) -> Result<(), TestCaseError> {
    let theirs = |kind: &'static str| {
        items.iter().filter(move |item| is(item, kind) && item.get("auction") == auction.get("auction"))
    };
    let amounts = || theirs("Bid").filter_map(|bid| whole(bid, "amount"));
    let fair = theirs("Bid").filter(|bid| bid.get("is_fair") == Some(&AttributeValue::Bool(true)));
    let top = amounts().chain(theirs("Proxy").filter_map(|proxy| whole(proxy, "most"))).max();
    prop_assert_eq!(whole(auction, "top").unwrap_or(0), top.unwrap_or(0));
    prop_assert_eq!(whole(auction, "bottom"), amounts().min());
    prop_assert_eq!(whole(auction, "fair"), fair.filter_map(|bid| whole(bid, "amount")).max());
    let last = theirs("Remark").max_by_key(|remark| crate::fixture::text(remark, "SK"));
    prop_assert_eq!(auction.get("last"), last.and_then(|remark| remark.get("text")));
    Ok(())
}

fn is(item: &Item, kind: &str) -> bool {
    item.get("type") == Some(&AttributeValue::from(kind))
}

fn whole(item: &Item, name: &str) -> Option<i64> {
    match item.get(name)? {
        AttributeValue::N(number) => number.to_i64(),
        _ => None,
    }
}

#[test]
fn a_worker_goes_on_after_another_one_that_its_own_changes_hide() {
    // For the first worker, the last two changes cancel each other out. The second one has taken in the first of them.
    let acts = [
        Act::Bid(1, 0, 0, false),
        Act::Close(0),
        Act::Open(0),
        Act::Close(0),
        Act::Work(false, 2),
        Act::Bid(1, 1, 0, false),
        Act::Work(true, 1),
        Act::Unbid(1, 0),
    ];
    play(&acts).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_fields_are_those_of_the_items_after_any_writes(acts in prop::collection::vec(act(), 1..70)) {
        play(&acts)?;
    }
}
