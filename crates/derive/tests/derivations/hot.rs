//! One item that everybody writes for at the same time.

use std::sync::atomic::{AtomicUsize, Ordering};

use singlet_derive::{Audit, Background};
use singlet_run::Wait;

use crate::fixture::Blog;

const CALLERS: usize = 64;
const LIKES: usize = 10_000;

#[test]
fn ten_thousand_likes_by_many_callers_are_ten_thousand_with_two_workers() {
    let blog = Blog::new();
    blog.post("p1");
    let start = || Background::start(blog.store(), blog.design.clone(), "dev").wait().unwrap();
    let workers = [start(), start()];
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..CALLERS {
            scope.spawn(|| {
                loop {
                    let like = next.fetch_add(1, Ordering::Relaxed);
                    if like >= LIKES {
                        break;
                    }
                    blog.like("p1", &format!("u{like}"));
                }
            });
        }
    });
    workers.into_iter().flatten().for_each(Background::stop);
    blog.settle();
    assert_eq!(blog.likes("p1"), 10_000);
    let audit = Audit::new(blog.store(), blog.design.clone(), "dev").unwrap();
    assert_eq!(audit.run(&mut |_| {}).wait().unwrap().differences, []);
}
