//! Callers on several threads while a worker runs in the background.

use std::sync::atomic::{AtomicI64, Ordering};

use singlet_derive::{Audit, Background, status};
use singlet_engine::Database;
use singlet_run::Wait;

use crate::fixture::{Blog, number};
use crate::model_of_kinds::design;

const CALLERS: usize = 4;
const CALLS: usize = 120;

#[test]
fn callers_and_a_worker_leave_no_difference() {
    let blog = Blog::of(&design(), Database::in_memory().unwrap());
    let background = Background::start(blog.store(), blog.design.clone(), "dev").wait().unwrap();
    for user in 0..3 {
        blog.run("save_user", &[("user", format!("n{user}").into()), ("name", "Ann".into())]);
    }
    let comments = AtomicI64::new(0);
    std::thread::scope(|scope| {
        for caller in 0..CALLERS {
            let (blog, comments) = (&blog, &comments);
            scope.spawn(move || (0..CALLS).for_each(|at| call(blog, comments, caller, at)));
        }
    });
    background.expect("a design that derives").stop();
    blog.settle();
    let audit = Audit::new(blog.store(), blog.design.clone(), "dev").unwrap();
    assert_eq!(audit.run(&mut |_| {}).wait().unwrap().differences, []);
    let notes = number(blog.run("notes", &[]).get("count").unwrap());
    assert_eq!(notes, comments.load(Ordering::Relaxed), "one for each new comment");
    let status = status(&blog.store(), &blog.design, "dev").wait().unwrap();
    assert_eq!((status.tasks, status.stuck), (0, 0));
}

/// One of the calls of a caller. All callers work on the same few items.
fn call(blog: &Blog, comments: &AtomicI64, caller: usize, at: usize) {
    let (post, user) = (format!("p{}", at % 7), format!("n{}", (at + caller) % 3));
    let name = ["Ann", "Bea", "Cid"][(at / 3 + caller) % 3];
    let item = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let run = |pattern: &str, values: &[(String, String)]| {
        let values: Vec<_> =
            values.iter().map(|(name, value)| (name.as_str(), value.as_str().into())).collect();
        blog.try_run(pattern, &values).is_ok()
    };
    match at % 6 {
        0 => _ = run("post", &[item("post", &post), item("user", &user)]),
        1 => _ = run("rename", &[item("user", &user), item("name", name)]),
        2 if at.is_multiple_of(5) => _ = run("unpost", &[item("post", &post)]),
        3 => {
            let comment = format!("c{caller}-{}", at % 9);
            if run("comment", &[item("post", &post), item("comment", &comment)]) {
                comments.fetch_add(1, Ordering::Relaxed);
            }
        }
        _ => _ = run("like", &[item("post", &post), item("user", &format!("{caller}-{at}"))]),
    }
}
