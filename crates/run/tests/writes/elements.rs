//! One element of a list, without rewriting the others.

use std::thread;

use singlet_design::Json;
use singlet_run::RunError;

use crate::designs::KITCHEN;
use crate::fixture::Fixture;

fn with_container() -> Fixture {
    let fixture = Fixture::new(KITCHEN);
    fixture.run("create_container", r#"{"container_id": "c", "group_id": "g", "place": {"room": "cellar"}}"#);
    fixture
}

fn names(container: &Json) -> Vec<&str> {
    let foods = container.get("foods").and_then(Json::as_list).unwrap_or_default();
    foods.iter().filter_map(|food| food.get("name")?.as_text()).collect()
}

fn add(fixture: &Fixture, id: &str) -> Result<Json, RunError> {
    let arguments = format!(r#"{{"container_id": "c", "food_id": "{id}", "name": "food {id}"}}"#);
    fixture.try_run("add_food", &arguments).map(|outcome| outcome.to_json())
}

#[test]
fn elements_are_added_changed_and_dropped_one_by_one() {
    let fixture = with_container();
    add(&fixture, "1").unwrap();
    let two = add(&fixture, "2").unwrap();
    assert_eq!(names(&two), ["food 1", "food 2"]);
    let changed = fixture.run("change_food", r#"{"container_id": "c", "food_id": "2", "amount": 1.5}"#);
    let foods = changed.get("foods").and_then(Json::as_list).unwrap();
    assert_eq!(foods[1].get("amount"), Some(&"1.5".parse::<Json>().unwrap()));
    assert_eq!(foods[1].get("name"), Some(&Json::from("food 2")));
    let left = fixture.run("remove_food", r#"{"container_id": "c", "food_id": "1"}"#);
    assert_eq!(names(&left), ["food 2"]);
    let cleared = fixture.run("change_food", r#"{"container_id": "c", "food_id": "2", "amount": null}"#);
    assert!(cleared.get("foods").and_then(Json::as_list).unwrap()[0].get("amount").is_none());
}

#[test]
fn the_key_of_a_new_element_is_made() {
    let fixture = with_container();
    let container = fixture.run("add_food", r#"{"container_id": "c", "name": "rice"}"#);
    let foods = container.get("foods").and_then(Json::as_list).unwrap();
    assert_eq!(foods[0].get("food_id").and_then(Json::as_text).map(str::len), Some(36));
}

#[test]
fn ids_of_nested_objects_are_made_too() {
    let fixture = Fixture::new(KITCHEN);
    let container = fixture.run(
        "create_container",
        r#"{"group_id": "g", "place": {"room": "cellar"}, "foods": [{"name": "rice"}]}"#,
    );
    let foods = container.get("foods").and_then(Json::as_list).unwrap();
    assert!(foods[0].get("food_id").is_some());
}

#[test]
fn a_key_that_is_there_a_full_list_and_a_missing_element_are_refused() {
    let fixture = with_container();
    for id in ["1", "2", "3", "4"] {
        add(&fixture, id).unwrap();
    }
    assert!(matches!(add(&fixture, "4"), Err(RunError::Exists { .. })));
    assert!(matches!(add(&fixture, "5"), Err(RunError::Limit(_))));
    let nine = r#"{"container_id": "c", "food_id": "9", "amount": 1}"#;
    assert!(matches!(fixture.try_run("change_food", nine), Err(RunError::Missing { .. })));
    let nine = r#"{"container_id": "c", "food_id": "9"}"#;
    assert!(matches!(fixture.try_run("remove_food", nine), Err(RunError::Missing { .. })));
}

#[test]
fn of_elements_that_are_changed_at_once_none_is_lost() {
    let fixture = with_container();
    for id in ["1", "2", "3"] {
        add(&fixture, id).unwrap();
    }
    thread::scope(|scope| {
        for id in ["2", "3"] {
            let fixture = &fixture;
            scope.spawn(move || {
                for amount in 1..=20 {
                    let arguments =
                        format!(r#"{{"container_id": "c", "food_id": "{id}", "amount": {amount}}}"#);
                    fixture.run("change_food", &arguments);
                }
            });
        }
        scope.spawn(|| {
            for _ in 0..10 {
                fixture.run("remove_food", r#"{"container_id": "c", "food_id": "1"}"#);
                add(&fixture, "1").unwrap();
            }
        });
    });
    let container = fixture.stored("Container", "container_id", "c").unwrap();
    let foods = format!("{:?}", container.get("foods"));
    assert_eq!(foods.matches("food_id").count(), 3, "{foods}");
    assert_eq!(foods.matches("\"amount\"").count(), 2, "{foods}");
}

#[test]
fn a_long_list_takes_elements_too() {
    let fixture = Fixture::new(&KITCHEN.replace("max = 4", "max = 80"));
    let foods: Vec<String> = (0..70).map(|id| format!(r#"{{"food_id": "{id}", "name": "x"}}"#)).collect();
    let container = r#""container_id": "c", "group_id": "g", "place": {"room": "cellar"}"#;
    fixture.run("create_container", &format!(r#"{{{container}, "foods": [{}]}}"#, foods.join(",")));
    assert_eq!(names(&add(&fixture, "70").unwrap()).len(), 71);
    assert!(matches!(add(&fixture, "69"), Err(RunError::Exists { .. })));
}
