//! Writes of single items without a pattern obey the design, and overwrite nothing that their writer hasn't seen.

use std::sync::Arc;

use singlet_design::Json;
use singlet_engine::values::{AttributeValue, Item};
use singlet_run::{Arguments, ItemAction, ItemDifference, ItemError, ItemVersion, ItemWrite, RunError, Wait};

use crate::audit::assert_true_to_fields;
use crate::designs::TASKS;
use crate::fixture::Fixture;

fn fields(json: &str) -> Arguments {
    let Json::Object(members) = json.parse().unwrap() else { panic!("an object") };
    members.into_iter().collect()
}

fn write(fixture: &Fixture, entity: &str, action: ItemAction) -> Result<ItemDifference, ItemError> {
    let entity = Arc::clone(fixture.runner.design().entity(entity).unwrap());
    fixture.runner.write_item(&ItemWrite { entity, action }).wait()
}

fn task(fixture: &Fixture, id: &str) -> Option<Item> {
    fixture.stored("Task", "task_id", id)
}

fn key(item: &Item) -> Item {
    ["PK", "SK"].map(|name| (name, item.get(name).unwrap().clone())).into()
}

fn version(fixture: &Fixture, entity: &str, item: Option<&Item>) -> ItemVersion {
    let design = fixture.runner.design();
    ItemVersion::of(design, design.entity(entity).unwrap(), item)
}

fn change(fixture: &Fixture, seen: &Item, json: &str) -> Result<ItemDifference, ItemError> {
    let (key, fields) = (key(seen), fields(json));
    write(fixture, "Task", ItemAction::Change { key, seen: version(fixture, "Task", Some(seen)), fields })
}

fn created(fixture: &Fixture, json: &str) -> Item {
    let made = write(fixture, "Task", ItemAction::Create { fields: fields(json) }).unwrap();
    made.after.unwrap()
}

const FIRST: &str =
    r#"{"task_id": "a", "project": "p", "title": "Tidy", "owner": "mai", "slug": "s", "flagged": true}"#;

#[test]
fn keys_and_unique_values_follow_the_fields_of_an_item_that_is_changed() {
    let fixture = Fixture::new(TASKS);
    let first = created(&fixture, FIRST);
    assert_eq!(task(&fixture, "a"), Some(first.clone()));
    assert_true_to_fields(&fixture);

    let json =
        r#"{"owner": "ada", "status": "doing", "due": "2025-02-01T00:00:00Z", "slug": "t", "rank": 3}"#;
    let difference = change(&fixture, &first, json).unwrap();
    let stored = task(&fixture, "a").unwrap();
    assert_eq!((difference.before, difference.after), (Some(first), Some(stored.clone())));
    assert_eq!(stored.get("GSI1PK"), Some(&"OWNER#ada".into()));
    assert!(stored.contains("GSI2PK") && stored.contains("expires_at"), "{stored:?}");
    assert_true_to_fields(&fixture);

    change(&fixture, &stored, r#"{"owner": null, "slug": null, "due": null, "status": "done"}"#).unwrap();
    assert!(!task(&fixture, "a").unwrap().contains("GSI1PK"));
    assert_true_to_fields(&fixture);
    created(&fixture, r#"{"task_id": "b", "project": "p", "title": "x", "slug": "t"}"#);
}

#[test]
fn what_a_value_may_be_is_told_for_every_field_at_once() {
    let fixture = Fixture::new(TASKS);
    let first = created(&fixture, FIRST);
    let json = r#"{"status": "lost", "title": null, "votes": -1, "colour": "red"}"#;
    let Err(ItemError::Wrong(wrong)) = change(&fixture, &first, json) else { panic!("it was accepted") };
    let names: Vec<&str> = wrong.iter().map(|wrong| wrong.parameter.as_str()).collect();
    assert_eq!(names, ["colour", "status", "title", "votes"]);
    let Err(ItemError::Wrong(wrong)) = change(&fixture, &first, r#"{"task_id": "b"}"#) else { panic!() };
    assert!(wrong[0].reason.contains("in the item's key"), "{wrong:?}");
    assert_eq!(task(&fixture, "a"), Some(first));
}

#[test]
fn fields_that_follow_and_internal_fields_cannot_be_set() {
    let source = r#"
design = "forum"
[table]
key = ["PK", "SK"]
[entity.Post]
key = ["POST#{post_id}", "POST"]
[entity.Post.fields]
post_id = "key"
text = "string"
shout = { type = "string", value = "{text:lower}" }
secret = { type = "string", internal = true, default = "x" }
likes = { type = "int", count = "Like" }
[entity.Like]
key = ["POST#{post_id}", "LIKE#{user_id}"]
fields = { post_id = { ref = "Post", type = "key" }, user_id = "key" }
[pattern.create]
create = "Post"
set = { secret = "x" }
[pattern.like]
put = "Like"
"#;
    let fixture = Fixture::new(source);
    for name in ["shout", "secret", "likes"] {
        let value = if name == "likes" { Json::Number(1.into()) } else { Json::from("y") };
        let mut fields = fields(r#"{"post_id": "p", "text": "a"}"#);
        fields.insert(name.to_owned(), value);
        let Err(ItemError::Wrong(wrong)) = write(&fixture, "Post", ItemAction::Create { fields }) else {
            panic!("{name} was accepted")
        };
        assert_eq!(wrong[0].parameter, name);
    }
    assert!(fixture.scan(None).is_empty());
}

#[test]
fn an_item_that_has_changed_since_it_was_seen_is_not_overwritten() {
    let fixture = Fixture::new(TASKS);
    let seen = created(&fixture, FIRST);
    fixture.run("edit", r#"{"task_id": "a", "title": "Theirs"}"#);
    let present = task(&fixture, "a").unwrap();
    let refused = change(&fixture, &seen, r#"{"title": "Mine"}"#);
    assert!(matches!(refused, Err(ItemError::Conflict { present: Some(item) }) if *item == present));
    let (key, version) = (key(&seen), version(&fixture, "Task", Some(&seen)));
    let refused = write(&fixture, "Task", ItemAction::Delete { key: key.clone(), seen: version });
    assert!(matches!(refused, Err(ItemError::Conflict { .. })));
    assert_eq!(task(&fixture, "a"), Some(present));

    fixture.run("delete", r#"{"task_id": "a"}"#);
    let refused = change(&fixture, &seen, r#"{"title": "Mine"}"#);
    assert!(matches!(refused, Err(ItemError::Conflict { present: None })));
}

#[test]
fn a_value_that_another_item_holds_is_refused() {
    let fixture = Fixture::new(TASKS);
    created(&fixture, FIRST);
    let other = created(&fixture, r#"{"task_id": "b", "project": "p", "title": "x"}"#);
    let refused = change(&fixture, &other, r#"{"slug": "s"}"#);
    assert!(matches!(refused, Err(ItemError::Run(RunError::NotUnique { .. }))), "{refused:?}");
    let again = write(&fixture, "Task", ItemAction::Create { fields: fields(FIRST) });
    assert!(matches!(again, Err(ItemError::Run(RunError::Exists { .. }))), "{again:?}");
    assert_true_to_fields(&fixture);
}

#[test]
fn a_deleted_item_gives_its_values_back_and_can_be_restored() {
    let fixture = Fixture::new(TASKS);
    let item = created(&fixture, FIRST);
    let seen = version(&fixture, "Task", Some(&item));
    write(&fixture, "Task", ItemAction::Delete { key: key(&item), seen }).unwrap();
    assert!(fixture.scan(None).is_empty(), "the item and its reservation");

    let mut stale = item.clone();
    stale.insert("GSI1PK", "OWNER#nobody");
    let restore = |seen| ItemAction::Restore { item: stale.clone(), seen };
    write(&fixture, "Task", restore(version(&fixture, "Task", None))).unwrap();
    assert_eq!(task(&fixture, "a"), Some(item.clone()), "keys are made anew");
    assert_true_to_fields(&fixture);

    change(&fixture, &item, r#"{"title": "Later", "slug": "t"}"#).unwrap();
    let refused = write(&fixture, "Task", restore(version(&fixture, "Task", Some(&item))));
    assert!(matches!(refused, Err(ItemError::Conflict { .. })));
    let present = task(&fixture, "a");
    write(&fixture, "Task", restore(version(&fixture, "Task", present.as_ref()))).unwrap();
    assert_eq!(task(&fixture, "a"), Some(item));
    assert_true_to_fields(&fixture);
}

#[test]
fn a_reference_that_must_exist_is_checked() {
    let source = r#"
design = "forum"
[table]
key = ["PK", "SK"]
[entity.User]
key = ["USER#{user_id}", "USER"]
fields = { user_id = "key" }
[entity.Note]
key = ["NOTE#{note_id}", "NOTE"]
fields = { note_id = "key", by = { ref = "User", type = "key", must_exist = true } }
[pattern.user]
put = "User"
"#;
    let fixture = Fixture::new(source);
    let create = || ItemAction::Create { fields: fields(r#"{"note_id": "n", "by": "u"}"#) };
    let refused = write(&fixture, "Note", create());
    assert!(matches!(refused, Err(ItemError::Run(RunError::NoReference { .. }))), "{refused:?}");
    fixture.run("user", r#"{"user_id": "u"}"#);
    let note = write(&fixture, "Note", create()).unwrap().after.unwrap();
    let fields = fields(r#"{"by": "v"}"#);
    let seen = version(&fixture, "Note", Some(&note));
    let refused = write(&fixture, "Note", ItemAction::Change { key: key(&note), seen, fields });
    assert!(matches!(refused, Err(ItemError::Run(RunError::NoReference { .. }))), "{refused:?}");
}

#[test]
fn attributes_that_the_design_does_not_name_survive_a_change() {
    let fixture = Fixture::new(TASKS);
    let mut item = created(&fixture, FIRST);
    item.insert("odd.name[1]", AttributeValue::from("kept"));
    let restore = ItemAction::Restore {
        item: item.clone(),
        seen: version(&fixture, "Task", task(&fixture, "a").as_ref()),
    };
    write(&fixture, "Task", restore).unwrap();
    let seen = task(&fixture, "a").unwrap();
    change(&fixture, &seen, r#"{"title": "New"}"#).unwrap();
    assert_eq!(task(&fixture, "a").unwrap().get("odd.name[1]"), Some(&"kept".into()));
}
