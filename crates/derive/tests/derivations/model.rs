//! Random writes by several kinds of writers, in random pieces of work: afterwards a recount finds nothing.

use std::time::Duration;

use proptest::prelude::*;
use singlet_derive::Audit;
use singlet_design::Json;
use singlet_run::Wait;
use singlet_values::Item;

use crate::fixture::Blog;

#[derive(Debug, Clone)]
enum Act {
    Post(u8),
    Unpost(u8),
    Like(u8, u8),
    Unlike(u8, u8),
    Review(u8, u8, u8),
    Unreview(u8, u8),
    /// A program puts a post anew, with or without what it had.
    Overwrite(u8, bool),
    /// A program moves a post to another user.
    Move(u8, u8),
    User(u8),
    /// A worker does so many steps.
    Work(u8),
    /// Another worker takes over.
    Restart,
    Rebuild,
}

fn act() -> impl Strategy<Value = Act> {
    let (post, user) = (0u8..4, 0u8..4);
    prop_oneof![
        3 => post.clone().prop_map(Act::Post),
        2 => post.clone().prop_map(Act::Unpost),
        6 => (post.clone(), user.clone()).prop_map(|(post, user)| Act::Like(post, user)),
        3 => (post.clone(), user.clone()).prop_map(|(post, user)| Act::Unlike(post, user)),
        5 => (post.clone(), user.clone(), 1u8..6).prop_map(|(post, user, stars)| Act::Review(post, user, stars)),
        2 => (post.clone(), user.clone()).prop_map(|(post, user)| Act::Unreview(post, user)),
        2 => (post.clone(), any::<bool>()).prop_map(|(post, whole)| Act::Overwrite(post, whole)),
        2 => (post, user.clone()).prop_map(|(post, user)| Act::Move(post, user)),
        1 => user.prop_map(Act::User),
        6 => (1u8..4).prop_map(Act::Work),
        1 => Just(Act::Restart),
        1 => Just(Act::Rebuild),
    ]
}

fn play(acts: &[Act]) -> Result<(), TestCaseError> {
    let blog = Blog::new();
    let mut worker = blog.worker();
    // The items of posts at some earlier moment, as a slow program has them.
    let mut kept: [Option<Item>; 4] = Default::default();
    for act in acts {
        match act {
            Act::Post(post) => _ = blog.try_run("post", &[("post", name(*post)), ("user", name(post % 2))]),
            Act::Unpost(post) => _ = blog.try_run("unpost", &[("post", name(*post))]),
            Act::Like(post, user) => {
                _ = blog.try_run("like", &[("post", name(*post)), ("user", name(*user))])
            }
            Act::Unlike(post, user) => {
                _ = blog.try_run("unlike", &[("post", name(*post)), ("user", name(*user))]);
            }
            Act::Review(post, user, stars) => {
                let stars = Json::Number(i64::from(*stars).into());
                _ = blog.try_run("review", &[("post", name(*post)), ("user", name(*user)), ("stars", stars)]);
            }
            Act::Unreview(post, user) => {
                _ = blog.try_run("unreview", &[("post", name(*post)), ("user", name(*user))]);
            }
            Act::Overwrite(post, whole) => {
                let slot = &mut kept[usize::from(*post)];
                let now = blog.item(&format!("POST#n{post}"), "POST");
                if let (Some(mut item), Some(_)) = (slot.clone(), &now) {
                    if !whole {
                        item.remove("_derived");
                        item.remove("likes");
                    }
                    blog.put_raw(item);
                }
                *slot = now;
            }
            Act::Move(post, user) => {
                if let Some(mut item) = blog.item(&format!("POST#n{post}"), "POST") {
                    item.insert("user", format!("n{user}"));
                    blog.put_raw(item);
                }
            }
            Act::User(user) => _ = blog.try_run("save_user", &[("user", name(*user))]),
            Act::Work(steps) => {
                for _ in 0..*steps {
                    worker.step(Duration::ZERO).wait().unwrap();
                }
            }
            Act::Restart => worker = blog.worker(),
            Act::Rebuild => worker.rebuild(&[]).wait().unwrap(),
        }
    }
    worker.catch_up().wait().unwrap();
    let audit = Audit::new(blog.store(), blog.design.clone(), "dev").unwrap();
    let report = audit.run(&mut |_| {}).wait().unwrap();
    prop_assert_eq!(report.differences, []);
    prop_assert_eq!(report.filling, Vec::<String>::new());
    Ok(())
}

fn name(number: u8) -> Json {
    format!("n{number}").into()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_recount_finds_nothing_after_any_writes(acts in prop::collection::vec(act(), 1..60)) {
        play(&acts)?;
    }
}
