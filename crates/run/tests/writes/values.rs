//! Text with holes wherever a value can stand: arithmetic on numbers and times, and formats.

use singlet_run::RunError;

use crate::fixture::Fixture;

const TASKS: &str = r#"
design = "tasks"

[table]
key = ["PK", "SK"]

[entity.Task]
key = ["TASK#{task_id}", "TASK"]
[entity.Task.fields]
task_id  = "key"
label    = "string"
due      = "time"
day      = "date"
expires  = "epoch"
hours    = "int"
price    = "number"
cost     = "number"
[entity.Entry]
key = ["LOG#{task_id}", "ENTRY#{number}"]
[entity.Entry.fields]
task_id = "key"
number  = "int"
text    = "string"

[pattern.create_task]
create = "Task"
set    = { due = "{now + 30 minutes}", day = "{now - 1 day}", expires = "{now + lease * 1s}", cost = "{hours * price - 0.5}", label = "{name:fold}/{hours:03}/{now:day}/{price}/{{x}}" }
[pattern.get_task]
get = "Task"
[pattern.extend]
update = "Task"
set    = { due = "{start + 1 week}" }
add    = { hours = "{-less}", price = "{2 * (a - b)}" }
[pattern.take]
update = "Task"
set    = { hours = 0 }
if     = "due < {now - 30s} and hours >= {least + 1}"
[pattern.write_entry]
create = "Entry"
[pattern.log.transaction]
task  = "create_task"
entry = { run = "write_entry", with = { number = "{task.hours + 1}", text = "{task.label}: {task.cost}, {note:upper}" } }
"#;

fn arguments(more: &str) -> String {
    format!(r#"{{"task_id": "t", "lease": 90, "hours": 3, "price": 2.25, "name": "Thịt Gà"{more}}}"#)
}

#[test]
fn expressions_are_computed_exactly_and_in_the_form_of_their_field() {
    let tasks = Fixture::new(TASKS);
    let task = tasks.run("create_task", &arguments(""));
    let shown = |field: &str| task.get(field).unwrap().to_string();
    assert_eq!(shown("due"), "\"2025-01-20T16:00:00.000Z\"");
    assert_eq!(shown("day"), "\"2025-01-19\"");
    assert_eq!(shown("expires"), "1737387090");
    assert_eq!(shown("cost"), "6.25");
    assert_eq!(shown("label"), "\"thit ga/003/2025-01-20/2.25/{x}\"");
}

#[test]
fn an_update_adds_and_sets_what_its_expressions_give() {
    let tasks = Fixture::new(TASKS);
    tasks.run("create_task", &arguments(""));
    let call = r#"{"task_id": "t", "start": "2024-12-31T00:00:00Z", "less": 2, "a": 1.5, "b": 0.25}"#;
    let task = tasks.run("extend", call);
    let shown = |field: &str| task.get(field).unwrap().to_string();
    assert_eq!(shown("due"), "\"2025-01-07T00:00:00.000Z\"");
    assert_eq!((shown("hours"), shown("price")), ("1".to_owned(), "4.75".to_owned()));
}

#[test]
fn a_step_calculates_with_what_an_earlier_one_wrote() {
    let tasks = Fixture::new(TASKS);
    let answer = tasks.run("log", &arguments(r#", "note": "new""#));
    let entry = answer.get("entry").unwrap();
    assert_eq!(entry.get("number").unwrap().to_string(), "4");
    assert_eq!(entry.get("text").unwrap().as_text(), Some("thit ga/003/2025-01-20/2.25/{x}: 6.25, NEW"));
}

#[test]
fn a_condition_compares_with_a_time_and_a_number_that_are_computed() {
    let tasks = Fixture::new(TASKS);
    tasks.run("create_task", &arguments(""));
    let take = |least: u32| tasks.try_run("take", &format!(r#"{{"task_id": "t", "least": {least}}}"#));
    assert!(matches!(take(2), Err(RunError::Condition { .. })));
    tasks.clock.advance_ms(30 * 60_000 + 30_000);
    assert!(matches!(take(2), Err(RunError::Condition { .. })), "not yet: it is exactly 30 seconds");
    tasks.clock.advance_ms(1);
    assert!(matches!(take(3), Err(RunError::Condition { .. })));
    assert!(take(2).is_ok());
}

#[test]
fn a_value_that_cannot_be_computed_names_its_expression() {
    let tasks = Fixture::new(TASKS);
    let refused = |call: &str| tasks.try_run("create_task", call).unwrap_err().to_string();
    let call = |hours: &str, price: &str, lease: &str| {
        format!(r#"{{"task_id": "t", "lease": {lease}, "hours": {hours}, "price": {price}, "name": "x"}}"#)
    };
    assert_eq!(
        refused(&call("3", "9.8765432109876543210987654321098765432", "1")),
        "`cost` can't be computed: `{hours * price}` has more than 38 digits"
    );
    assert_eq!(
        refused(&call("3", "1", "1e20")),
        "`expires` can't be computed: `{now + lease * 1s}` has a duration that isn't a whole number of milliseconds"
    );
    assert_eq!(
        refused(&call("3", "1", "1e12")),
        "`expires` can't be computed: `{now + lease * 1s}` isn't in the years 1 to 9999"
    );
    assert_eq!(
        refused(&call("3000", "1", "1")),
        "`label` can't be made: `hours`: 3000 is too large; numbers from 0 to 999 fit"
    );
}
