//! Random writes to items with copies and conditions, in random pieces of work: afterwards an audit finds nothing.

use std::time::Duration;

use proptest::prelude::*;
use singlet_derive::{Audit, status};
use singlet_design::Json;
use singlet_engine::Database;
use singlet_run::Wait;
use singlet_values::Item;

use crate::copies::DESIGN;
use crate::fixture::{Blog, number};

/// The design with copies and conditions, with items that are made and deleted.
pub(crate) fn design() -> String {
    let more = r#"
[entity.Note]
key    = ["NOTES", "NOTE#{note}"]
allow  = { constant-partition = "a test" }
fields = { note = "id", post = "string", comment = "string" }

[derive.note]
each = "Comment"
make = "Note"

[derive.clean]
of     = "Post"
delete = ["Comment", "Like"]

[pattern.notes]
count = "Note"
"#;
    format!("{DESIGN}{more}")
}

#[derive(Debug, Clone)]
enum Act {
    User(u8, u8),
    Rename(u8, u8),
    DropUser(u8),
    Post(u8, u8),
    Unpost(u8),
    Comment(u8, u8),
    Like(u8, u8),
    /// A program moves a post to another user, or claims another author.
    Move(u8, u8),
    Forge(u8, u8),
    /// A program puts an earlier state of a post back.
    Overwrite(u8),
    Work(u8),
    Restart,
    Rebuild,
}

fn act() -> impl Strategy<Value = Act> {
    let (post, user) = (0u8..6, 0u8..3);
    let named = (user.clone(), 0u8..4);
    let owned = (post.clone(), user.clone());
    prop_oneof![
        2 => named.clone().prop_map(|(user, name)| Act::User(user, name)),
        4 => named.prop_map(|(user, name)| Act::Rename(user, name)),
        1 => user.prop_map(Act::DropUser),
        6 => owned.clone().prop_map(|(post, user)| Act::Post(post, user)),
        2 => post.clone().prop_map(Act::Unpost),
        3 => owned.clone().prop_map(|(post, comment)| Act::Comment(post, comment)),
        2 => owned.clone().prop_map(|(post, user)| Act::Like(post, user)),
        2 => owned.clone().prop_map(|(post, user)| Act::Move(post, user)),
        2 => owned.prop_map(|(post, name)| Act::Forge(post, name)),
        2 => post.prop_map(Act::Overwrite),
        8 => (1u8..4).prop_map(Act::Work),
        2 => Just(Act::Restart),
        1 => Just(Act::Rebuild),
    ]
}

/// Names of people; one can't stand in a key.
const NAMES: [&str; 4] = ["Ann", "Bea", "Cid", "A#B"];

struct Play {
    blog: Blog,
    /// The items of posts at some earlier moment.
    kept: [Option<Item>; 6],
    /// How many comments were written.
    comments: i64,
}

impl Play {
    fn write(&mut self, act: &Act) {
        let run = |pattern: &str, values: &[(&str, Json)]| _ = self.blog.try_run(pattern, values);
        match act {
            Act::User(user, at) => run("save_user", &[("user", id(*user)), ("name", name(*at))]),
            Act::Rename(user, at) => run("rename", &[("user", id(*user)), ("name", name(*at))]),
            Act::DropUser(user) => run("drop_user", &[("user", id(*user))]),
            Act::Post(post, user) => run("post", &[("post", id(*post)), ("user", id(*user))]),
            Act::Unpost(post) => {
                run("unpost", &[("post", id(*post))]);
                // A worker that sees none of the steps takes an old state of a post that was deleted and created again
                // for its own write.
                self.kept[usize::from(*post)] = None;
            }
            Act::Comment(post, comment) => {
                let values = [("post", id(*post)), ("comment", id(*comment))];
                self.comments += i64::from(self.blog.try_run("comment", &values).is_ok());
            }
            Act::Like(post, user) => run("like", &[("post", id(*post)), ("user", id(*user))]),
            Act::Move(post, user) => self.change(*post, |item| {
                item.insert("user", format!("n{user}"));
                item.insert("GSI1PK", format!("USER#n{user}"));
            }),
            Act::Forge(post, name) => self.change(*post, |item| {
                item.insert("author", NAMES[usize::from(*name)]);
            }),
            Act::Overwrite(post) => {
                let now = self.post(*post);
                let slot = &mut self.kept[usize::from(*post)];
                if let (Some(item), Some(_)) = (slot.clone(), &now) {
                    self.blog.put_raw(item);
                }
                *slot = now;
            }
            Act::Work(_) | Act::Restart | Act::Rebuild => {}
        }
    }

    fn post(&self, post: u8) -> Option<Item> {
        self.blog.item(&format!("POST#n{post}"), "POST")
    }

    fn change(&self, post: u8, change: impl FnOnce(&mut Item)) {
        if let Some(mut item) = self.post(post) {
            change(&mut item);
            self.blog.put_raw(item);
        }
    }
}

fn id(number: u8) -> Json {
    format!("n{number}").into()
}

fn name(at: u8) -> Json {
    NAMES[usize::from(at)].into()
}

fn play(acts: &[Act]) -> Result<(), TestCaseError> {
    let blog = Blog::of(&design(), Database::in_memory().unwrap());
    let mut worker = blog.worker();
    let mut play = Play { blog, kept: Default::default(), comments: 0 };
    for act in acts {
        match act {
            Act::Work(steps) => {
                for _ in 0..*steps {
                    worker.step(Duration::ZERO).wait().unwrap();
                }
            }
            Act::Restart => worker = play.blog.worker(),
            Act::Rebuild => worker.rebuild(&[]).wait().unwrap(),
            act => play.write(act),
        }
    }
    // Nobody has a name in the end that can't stand in a key.
    for user in 0..3 {
        play.write(&Act::Rename(user, user));
    }
    worker.catch_up().wait().unwrap();
    let audit = Audit::new(play.blog.store(), play.blog.design.clone(), "dev").unwrap();
    let report = audit.run(&mut |_| {}).wait().unwrap();
    prop_assert_eq!(report.differences, []);
    prop_assert_eq!(report.filling, Vec::<String>::new());
    let status = status(&play.blog.store(), &play.blog.design, "dev").wait().unwrap();
    prop_assert_eq!((status.tasks, status.stuck), (0, 0));
    let notes = play.blog.run("notes", &[]);
    prop_assert_eq!(number(notes.get("count").unwrap()), play.comments, "one for each new comment");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn an_audit_finds_nothing_after_any_writes(acts in prop::collection::vec(act(), 1..60)) {
        play(&acts)?;
    }
}
