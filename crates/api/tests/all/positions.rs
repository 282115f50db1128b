//! Reading one's own effects: positions of writes, and calls that wait for them.

use crate::client::Client;

/// Likes are counted in posts, and those of all posts of a user in the user.
const BLOG: &str = r#"
design = "blog"

[table]
key = ["PK", "SK"]

[entity.User]
key = ["USER#{user}", "PROFILE"]
[entity.User.fields]
user  = "key"
likes = { type = "int", sum = "Post.likes" }

[entity.Post]
key = ["POST#{post}", "POST"]
[entity.Post.fields]
post  = "key"
user  = { ref = "User" }
likes = { type = "int", count = "Like" }

[entity.Like]
key = ["POST#{post}", "LIKE#{user}"]
[entity.Like.fields]
post = "key"
user = "key"

[pattern.save_user]
create = "User"
[pattern.get_user]
get = "User"
[pattern.save_post]
create = "Post"
[pattern.get_post]
get = "Post"
[pattern.like]
create = "Like"
"#;

async fn blog() -> Client {
    let client = Client::of(BLOG).await;
    client.send("POST", "/blog/users", r#"{"user": "mai"}"#).await;
    client.send("POST", "/blog/posts", r#"{"post": "p1", "user": "mai"}"#).await;
    client
}

#[tokio::test]
async fn a_read_with_the_position_of_a_write_sees_its_effects_and_theirs() {
    let client = blog().await;
    for number in 1..=30 {
        let like = client.send("POST", "/blog/posts/p1/likes", &format!(r#"{{"user": "u{number}"}}"#)).await;
        assert_eq!(like.status, 201, "{}", like.text());
        let position = [("singlet-position", like.header("singlet-position"))];
        assert_ne!(position[0].1, "");
        let post = client.send_with("GET", "/blog/posts/p1", "", &position).await;
        assert_eq!(post.member("likes"), number.to_string());
        let user = client.send_with("GET", "/blog/users/mai", "", &position).await;
        assert_eq!(user.member("likes"), number.to_string());
    }
}

#[tokio::test]
async fn a_write_that_prefers_to_wait_is_answered_after_its_effects() {
    let client = blog().await;
    for number in 1..=10 {
        let body = format!(r#"{{"user": "u{number}"}}"#);
        let like = client.send_with("POST", "/blog/posts/p1/likes", &body, &[("prefer", "wait=20")]).await;
        assert_eq!(like.header("preference-applied"), "wait=20");
        assert_eq!(client.get("/blog/users/mai").await.member("likes"), number.to_string());
    }
    client.send("POST", "/blog/posts/p1/likes", r#"{"user": "last"}"#).await;
    let user = client.send_with("GET", "/blog/users/mai", "", &[("prefer", "wait")]).await;
    assert_eq!((user.member("likes").as_str(), user.header("preference-applied")), ("11", "wait=5"));
}

#[tokio::test]
async fn the_wait_is_bounded_and_a_write_is_done_all_the_same() {
    let mut client = blog().await;
    client.stop_worker();
    let wait = ("prefer", "wait=0");
    let like = client.send_with("POST", "/blog/posts/p1/likes", r#"{"user": "u1"}"#, &[wait]).await;
    assert_eq!((like.status.as_u16(), like.header("preference-applied")), (201, ""));
    let position = ("singlet-position", like.header("singlet-position"));
    let late = client.send_with("GET", "/blog/posts/p1", "", &[position, wait]).await;
    late.assert_problem(504, "behind");
    assert_eq!(late.header("retry-after"), "1");
    let write =
        client.send_with("POST", "/blog/posts/p1/likes", r#"{"user": "u2"}"#, &[position, wait]).await;
    write.assert_problem(504, "behind");
    assert_eq!(client.get("/blog/posts/p1").await.status, 200);
}

#[tokio::test]
async fn positions_of_other_databases_are_refused() {
    let (client, other) = (blog().await, blog().await);
    let like = other.send("POST", "/blog/posts/p1/likes", r#"{"user": "u1"}"#).await;
    let foreign = like.header("singlet-position").to_owned();
    let later = foreign.replace("/1", "/9");
    for made_up in ["", "-,-", "x", later.as_str(), "9,9"] {
        let answer = client.send_with("GET", "/blog/posts/p1", "", &[("singlet-position", made_up)]).await;
        answer.assert_problem(400, "invalid-position");
    }
    let twice = [("singlet-position", foreign.as_str()), ("singlet-position", foreign.as_str())];
    client.send_with("GET", "/blog/posts/p1", "", &twice).await.assert_problem(400, "invalid-position");
}
