//! Notifications, and reports of invalid ingredients.

use singlet_design::Json;

use crate::arguments::{Look, args, column};
use crate::stage::Stage;

pub(crate) fn sc_31_unread_notifications_are_those_not_read_yet(stage: &Stage) {
    let mut sent = Vec::new();
    for content in ["first", "second", "third"] {
        sent.push(stage.run("notify", args!(user_id = "anna", type = "comment", content = content)));
    }
    stage.run("notify", args!(user_id = "binh", type = "comment", content = "another's"));
    let list = |pattern: &str| column(&stage.list(pattern, args!(user_id = "anna")), "content");
    assert_eq!(list("notifications"), ["third", "second", "first"]);
    assert_eq!(list("unread_notifications"), ["third", "second", "first"]);

    let read = args!(
        user_id = "anna",
        created_at = sent[1].at("created_at"),
        notification_id = sent[1].at("notification_id")
    );
    stage.run("mark_read", read.clone());
    stage.run("mark_read", read);
    assert_eq!(list("unread_notifications"), ["third", "first"]);
    assert_eq!(list("notifications"), ["third", "second", "first"]);
    let all = stage.list("notifications", args!(user_id = "anna"));
    assert_eq!(*all[1].at("is_read"), Json::Bool(true));
    assert_eq!(all[1].text("type"), "comment");

    stage.days_pass(30);
    assert_eq!(list("notifications"), Vec::<String>::new());
    assert_eq!(list("unread_notifications"), Vec::<String>::new());
}

pub(crate) fn sc_31_comments_reactions_and_requests_notify_once(stage: &Stage) {
    for user in ["anna", "binh"] {
        stage.run(
            "create_user",
            args!(user_id = user, username = user, email = format!("{user}@example.com")),
        );
    }
    let post = stage.run("create_post", args!(user_id = "anna", content = "Rất ngon!")).text("post_id");
    for user in ["binh", "anna"] {
        stage.run("comment", args!(post_id = &post, user_id = user, content = "Ngon!"));
        stage.run("react", args!(target_id = &post, user_id = user));
    }
    stage.run("ask_friend", args!(user_id = "binh", friend_id = "anna"));
    if !stage.settles() {
        return;
    }
    let messages = |user: &str| {
        let mut messages = column(&stage.list("unread_notifications", args!(user_id = user)), "content");
        messages.sort();
        messages
    };
    let told = ["binh asked you to be friends", "binh commented on your post", "binh reacted to your post"];
    assert_eq!(messages("anna"), told, "nobody is told of one's own comments");
    assert_eq!(messages("binh"), Vec::<String>::new());
    // Changes make no messages, and neither does the answer.
    stage.run("change_reaction", args!(target_id = &post, user_id = "binh", reaction_type = "wow"));
    stage.run("accept_friend", args!(user_id = "binh", friend_id = "anna"));
    assert!(stage.settles());
    assert_eq!(messages("anna"), told);
}

/// Reports an ingredient by so many users.
#[track_caller]
fn report(stage: &Stage, name: &str, users: usize) {
    for user in 1..=users {
        stage.run("report_ingredient", args!(ingredient_name = name, user_id = format!("user {user}")));
    }
}

pub(crate) fn sc_32_pending_reports_come_most_reported_first_ten_before_nine(stage: &Stage) {
    report(stage, "abc", 9);
    report(stage, "Đá cuội", 10);
    report(stage, "xyz", 1);
    if !stage.settles() {
        return;
    }
    let pending = || {
        assert!(stage.settles());
        let reports = stage.list("pending_reports", args!());
        let total = |report: &Json| report.at("total_reports").to_string();
        reports.iter().map(|report| (report.text("ingredient_name"), total(report))).collect::<Vec<_>>()
    };
    let reports = |list: &[(&str, &str)]| -> Vec<(String, String)> {
        list.iter().map(|(name, total)| ((*name).to_owned(), (*total).to_owned())).collect()
    };
    assert_eq!(pending(), reports(&[("Đá cuội", "10"), ("abc", "9"), ("xyz", "1")]));
    for user in ["user 11", "user 12"] {
        stage.run("report_ingredient", args!(ingredient_name = "ABC", user_id = user));
    }
    assert_eq!(pending(), reports(&[("abc", "11"), ("Đá cuội", "10"), ("xyz", "1")]));

    stage.run(
        "decide_report",
        args!(ingredient_name = "da cuoi", status = "accepted", admin_notes = "stones"),
    );
    assert_eq!(pending(), reports(&[("abc", "11"), ("xyz", "1")]));
    stage.run("report_ingredient", args!(ingredient_name = "đá cuội", user_id = "late"));
    assert_eq!(pending(), reports(&[("abc", "11"), ("xyz", "1")]));
}

pub(crate) fn sc_32_each_report_counts_whether_it_is_the_first_or_not(stage: &Stage) {
    report(stage, "abc xyz", 2);
    let again = stage.run("report_ingredient", args!(ingredient_name = "ABC XYZ", user_id = "user 2"));
    assert_eq!(*again.at("report.user_report_count"), Json::from(2));
    for (name, user, reported) in
        [("Abc xyz", "user 2", true), ("abc", "user 2", false), ("abc xyz", "user 3", false)]
    {
        let answer = stage.run("has_reported", args!(ingredient_name = name, user_id = user));
        assert_eq!(answer, Json::Bool(reported), "{name} {user}");
    }
    if !stage.settles() {
        return;
    }
    let [total] = stage.list("pending_reports", args!()).try_into().unwrap();
    assert_eq!(*total.at("total_reports"), Json::from(3));
    assert_eq!(total.text("ingredient_name"), "abc xyz");
}
