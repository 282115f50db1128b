//! Sensors and posts, as Cassandra would keep them: designs/sensors.toml.

use singlet_design::Json;
use singlet_run::RunError;

use crate::arguments::{Look, args, column};
use crate::stage::Stage;

#[track_caller]
fn measure(stage: &Stage, sensor: &str, day: &str, time: &str, temperature: f64) {
    let reading = args!(
        sensor_id = sensor,
        reading_date = day,
        reading_time = format!("{day}T{time}Z"),
        temperature = temperature
    );
    stage.run("record_reading", reading);
}

pub(crate) fn nm_06_readings_of_a_sensor_and_day_come_in_order(stage: &Stage) {
    for (time, temperature) in
        [("12:00:00", 21.5), ("00:00:00", -3.25), ("23:59:59.999", 18.0), ("06:30:00", 4.0)]
    {
        measure(stage, "s1", "2035-01-20", time, temperature);
    }
    measure(stage, "s1", "2035-01-21", "00:00:00", 9.0);
    measure(stage, "s2", "2035-01-20", "12:00:00", 30.0);
    let temperatures = |items: Vec<Json>| -> Vec<String> {
        items.iter().map(|item| item.at("temperature").to_string()).collect()
    };
    let day = stage.list("readings_of_day", args!(sensor_id = "s1", reading_date = "2035-01-20"));
    assert_eq!(temperatures(day), ["-3.25", "4", "21.5", "18"]);
    let morning = args!(
        sensor_id = "s1",
        reading_date = "2035-01-20",
        from = "2035-01-20T06:30:00Z",
        to = "2035-01-20T12:00:00Z"
    );
    assert_eq!(temperatures(stage.list("readings_of_day", morning)), ["4", "21.5"]);

    measure(stage, "s1", "2035-01-20", "12:00:00", 22.0);
    let latest = stage.list("latest_readings", args!(sensor_id = "s1", reading_date = "2035-01-20"));
    assert_eq!(temperatures(latest), ["18", "22", "4", "-3.25"]);
}

pub(crate) fn nm_06_all_readings_of_a_sensor_are_merged_over_its_days(stage: &Stage) {
    for day in ["2035-01-20", "2035-01-21", "2035-01-22"] {
        for sensor in ["s1", "s2"] {
            stage.run("open_day", args!(sensor_id = sensor, reading_date = day));
            measure(stage, sensor, day, "06:00:00", 1.0);
            measure(stage, sensor, day, "18:00:00", 2.0);
        }
    }
    let days = stage.list("sensor_days", args!(sensor_id = "s1"));
    assert_eq!(column(&days, "reading_date"), ["2035-01-22", "2035-01-21", "2035-01-20"]);
    let all = stage.list("all_readings", args!(sensor_id = "s1"));
    let times = ["22T18", "22T06", "21T18", "21T06", "20T18", "20T06"];
    assert_eq!(column(&all, "reading_time"), times.map(|time| format!("2035-01-{time}:00:00.000Z")));

    stage.days_pass(399);
    assert_eq!(column(&stage.list("sensor_days", args!(sensor_id = "s1")), "reading_date"), ["2035-01-22"]);
    assert_eq!(stage.list("readings_of_day", args!(sensor_id = "s1", reading_date = "2035-01-20")).len(), 0);
}

/// A post with hashtags: its id.
#[track_caller]
fn publish(stage: &Stage, user: &str, content: &str, hashtags: &[&str]) -> String {
    let post = args!(user_id = user, content = content, hashtags = hashtags.to_vec());
    stage.run("publish_post", post).text("post.post_id")
}

pub(crate) fn nm_07_a_post_is_in_all_tables_at_once(stage: &Stage) {
    let first = publish(stage, "anna", "first", &["food", "vietnam"]);
    publish(stage, "binh", "second", &["food"]);
    publish(stage, "anna", "third", &[]);
    let contents = |items: Vec<Json>| column(&items, "content");
    assert_eq!(contents(stage.list("user_posts", args!(user_id = "anna"))), ["third", "first"]);
    assert_eq!(contents(stage.list("hashtag_posts", args!(hashtag = "food"))), ["second", "first"]);
    assert_eq!(contents(stage.list("hashtag_posts", args!(hashtag = "vietnam"))), ["first"]);
    let post = stage.run("get_post", args!(post_id = &first));
    assert_eq!(post.text("user_id"), "anna");
    assert_eq!(*post.at("hashtags"), Json::from(vec!["food", "vietnam"]));
    assert_eq!(stage.list("hashtag_posts", args!(hashtag = "food"))[1].text("post_id"), first);
}

pub(crate) fn nm_07_a_post_that_is_refused_is_in_no_table(stage: &Stage) {
    let id = publish(stage, "anna", "first", &["food"]);
    let again = args!(post_id = &id, user_id = "binh", content = "same id", hashtags = vec!["other"]);
    let refused = stage.refused("publish_post", again);
    assert!(matches!(refused, RunError::Exists { .. }), "{refused:?}");
    assert_eq!(stage.list("user_posts", args!(user_id = "binh")).len(), 0);
    assert_eq!(stage.list("hashtag_posts", args!(hashtag = "other")).len(), 0);
}
