//! The chat: designs/chat.toml.

use singlet_design::Json;
use singlet_run::{Arguments, Paging, RunError};

use crate::arguments::{Look, args, column};
use crate::stage::Stage;

/// A channel with two members.
#[track_caller]
fn channel(stage: &Stage) -> String {
    let channel = stage.run("create_channel", args!(name = "General", owner_id = "mai"));
    let channel = channel.text("channel.channel_id");
    stage.run("join_channel", args!(channel_id = &channel, user_id = "an"));
    channel
}

#[track_caller]
fn send(stage: &Stage, channel: &str, author: &str, text: &str) -> Json {
    let message = stage.run("send_message", args!(channel_id = channel, author_id = author, text = text));
    message.at("message").clone()
}

/// The arguments that name a message.
fn message(sent: &Json) -> Arguments {
    args!(
        channel_id = sent.at("channel_id"),
        sent_at = sent.at("sent_at"),
        message_id = sent.at("message_id")
    )
}

fn by(mut arguments: Arguments, author: &str) -> Arguments {
    arguments.insert("author_id".to_owned(), author.into());
    arguments
}

/// The texts of a list, read in pages of this size. A page may end with a day, so it need not be full.
#[track_caller]
fn texts(stage: &Stage, pattern: &str, arguments: &Arguments, size: u32) -> Vec<String> {
    let (mut all, mut paging) = (Vec::new(), Paging { limit: Some(size), cursor: None });
    loop {
        let (items, cursor) = stage.page(pattern, arguments, &paging);
        assert!(items.len() <= size as usize && all.len() < 100, "{pattern} doesn't end");
        all.extend(column(&items, "text"));
        match cursor {
            Some(cursor) => paging.cursor = Some(cursor),
            None => return all,
        }
    }
}

/// How many messages a user hasn't read.
#[track_caller]
fn unread(stage: &Stage, user: &str, channel: &str) -> i64 {
    let channels = stage.list("user_channels", args!(user_id = user));
    let member = channels.iter().find(|member| member.text("channel_id") == channel).unwrap();
    let since = args!(channel_id = channel, user_id = user, from = member.at("unread_from"));
    stage.run("unread", since).at("count").to_string().parse().unwrap()
}

pub(crate) fn messages_come_newest_first_over_the_days(stage: &Stage) {
    let channel = channel(stage);
    let mut sent = Vec::new();
    for day in 0..4 {
        for number in 0..3 {
            let text = format!("{day}-{number}");
            send(stage, &channel, "mai", &text);
            sent.push(text);
        }
        stage.days_pass(if day == 1 { 20 } else { 1 });
    }
    let of_channel = args!(channel_id = &channel);
    let newest: Vec<String> = sent.iter().rev().cloned().collect();
    for size in [1, 2, 3, 4, 7, 50] {
        assert_eq!(texts(stage, "channel_messages", &of_channel, size), newest, "pages of {size}");
    }
    let oldest = args!(channel_id = &channel, order = "oldest", from = "2035-01-22T00:00:00Z");
    assert_eq!(texts(stage, "channel_messages", &oldest, 5), sent);
}

pub(crate) fn only_members_send_and_only_authors_change(stage: &Stage) {
    let channel = channel(stage);
    let outside = args!(channel_id = &channel, author_id = "bo", text = "hi");
    let refused = stage.refused("send_message", outside.clone());
    assert!(matches!(refused, RunError::Missing { .. }), "{refused:?}");
    let nowhere = stage.refused("join_channel", args!(channel_id = "none", user_id = "bo"));
    assert!(matches!(nowhere, RunError::Missing { .. }), "{nowhere:?}");
    stage.run("join_channel", args!(channel_id = &channel, user_id = "bo"));
    assert_eq!(stage.run("is_member", args!(channel_id = &channel, user_id = "bo")), Json::from(true));

    let sent = stage.run("send_message", outside.clone()).at("message").clone();
    let mut other = by(message(&sent), "mai");
    let refused = stage.refused("delete_message", other.clone());
    assert!(matches!(refused, RunError::Condition { .. }), "{refused:?}");
    other.insert("text".to_owned(), "hello".into());
    let refused = stage.refused("edit_message", other.clone());
    assert!(matches!(refused, RunError::Condition { .. }), "{refused:?}");
    stage.run("edit_message", by(other, "bo"));
    let edited = stage.run("get_message", message(&sent));
    assert!(edited.text("text") == "hello" && edited.has("edited_at"), "{edited}");
    stage.run("delete_message", by(message(&sent), "bo"));

    stage.run("leave_channel", args!(channel_id = &channel, user_id = "bo"));
    stage.refused("send_message", outside);
}

pub(crate) fn replies_are_under_their_message_and_counted(stage: &Stage) {
    let channel = channel(stage);
    let first = send(stage, &channel, "mai", "question");
    send(stage, &channel, "mai", "other");
    stage.days_pass(2);
    for text in ["one", "two", "three"] {
        let reply = args!(
            channel_id = &channel,
            message_id = first.at("message_id"),
            message_sent_at = first.at("sent_at"),
            author_id = "an",
            text = text
        );
        stage.run("reply", reply);
    }
    let of_message = args!(message_id = first.at("message_id"));
    assert_eq!(column(&stage.list("thread", of_message.clone()), "text"), ["one", "two", "three"]);
    assert_eq!(stage.run("get_message", message(&first)).at("replies"), &Json::from(3));
    let of_channel = args!(channel_id = &channel);
    assert_eq!(texts(stage, "channel_messages", &of_channel, 50), ["other", "question"]);

    let gone = stage.run("delete_thread", of_message.clone());
    assert_eq!(gone.at("done"), &Json::from(3));
    assert_eq!(stage.list("thread", of_message), []);
}

pub(crate) fn unread_messages_are_those_of_others_since_the_last_that_was_read(stage: &Stage) {
    let channel = channel(stage);
    assert_eq!(unread(stage, "an", &channel), 0);
    let first = send(stage, &channel, "mai", "one");
    stage.days_pass(1);
    let second = send(stage, &channel, "mai", "two");
    send(stage, &channel, "an", "mine");
    assert_eq!((unread(stage, "an", &channel), unread(stage, "mai", &channel)), (2, 1));

    let read = |sent: &Json| args!(user_id = "an", channel_id = &channel, read_until = sent.at("sent_at"));
    stage.run("mark_read", read(&first));
    assert_eq!(unread(stage, "an", &channel), 1);
    stage.run("mark_read", read(&second));
    assert_eq!(unread(stage, "an", &channel), 0);
    let back = stage.refused("mark_read", read(&first));
    assert!(matches!(back, RunError::Condition { .. }), "{back:?}");

    let receipts = stage.list("read_receipts", args!(channel_id = &channel));
    assert_eq!(column(&receipts, "user_id"), ["an", "mai"]);
    assert!(receipts[0].text("unread_from") > receipts[1].text("unread_from"), "{receipts:?}");
}

pub(crate) fn a_long_list_of_unread_messages_is_counted_to_99(stage: &Stage) {
    let channel = channel(stage);
    let joined = stage.list("user_channels", args!(user_id = "an"))[0].at("unread_from").clone();
    for number in 0..101 {
        send(stage, &channel, "mai", &number.to_string());
    }
    let since = args!(channel_id = &channel, user_id = "an", from = &joined);
    let count = stage.run("unread", since);
    assert_eq!((count.at("count"), count.at("more")), (&Json::from(99), &Json::from(true)));
}

pub(crate) fn a_user_has_channels_and_changes_what_is_the_users(stage: &Stage) {
    let channel = channel(stage);
    stage.run("mute_channel", args!(user_id = "an", channel_id = &channel, muted = true));
    let mine = stage.list("user_channels", args!(user_id = "an"));
    assert_eq!(mine[0].at("muted"), &Json::from(true));
    assert_eq!(mine[0].text("channel.name"), "General");
    let topic = |owner: &str| args!(channel_id = &channel, owner_id = owner, topic = "Everything");
    let refused = stage.refused("change_channel", topic("an"));
    assert!(matches!(refused, RunError::Condition { .. }), "{refused:?}");
    stage.run("change_channel", topic("mai"));
    assert_eq!(stage.run("get_channel", args!(channel_id = &channel)).text("topic"), "Everything");
}
