//! References to items whose keys have several fields, and to items of one of several entities.

use singlet_design::Json;
use singlet_run::RunError;

use crate::fixture::Fixture;

const BLOG: &str = r##"
design = "blog"

[table]
key = ["PK", "SK"]
ttl = "gone_at"

[index]
GSI1 = ["GSI1PK", "GSI1SK"]

[entity.Post]
key = ["POST#{post_id}", "POST"]
[entity.Post.fields]
post_id = "id"
text    = "string"

[entity.BlogComment]
key = ["POST#{post_id}", "COMMENT#{comment_id}"]
[entity.BlogComment.fields]
post_id    = { type = "key", ref = "Post" }
comment_id = "id"
answers    = { type = "key", ref = "BlogComment", optional = true }
quotes     = { type = "list", of = { type = "key", ref = "BlogComment" }, max = 9, optional = true }
text       = "string"

[entity.Report]
key  = ["REPORT#{report_id}", "REPORT"]
GSI1 = ["REPORTS", "{report_id}"]
[entity.Report.fields]
report_id   = "key"
post_id     = { type = "key", ref = "Post" }
target_id   = { type = "key", ref = ["Post", "BlogComment"], must_exist = true }
target_type = { type = "string", enum = ["post", "blog_comment"] }
kind        = { type = "string", enum = ["blog-comment", "post"], default = "post" }
reason      = { type = "string", optional = true }

[pattern.write_post]
create = "Post"
[pattern.comment]
create = "BlogComment"
[pattern.delete_comment]
delete = "BlogComment"
[pattern.get_comment]
get     = "BlogComment"
resolve = { post = "post_id", answered = "answers", quoted = "quotes" }
[pattern.comments]
query   = "BlogComment"
show    = ["text"]
resolve = { answered = "answers" }
[pattern.report]
create = "Report"
[pattern.redirect]
update = "Report"
set    = ["target_id", "target_type", "reason"]
[pattern.get_report]
get     = "Report"
show    = ["reason"]
resolve = { target = "target_id" }
[pattern.reports]
query   = "Report"
on      = "GSI1"
resolve = { target = "target_id" }
"##;

fn blog() -> Fixture {
    let fixture = Fixture::new(BLOG);
    fixture.run("write_post", r#"{"post_id": "p", "text": "the post"}"#);
    fixture.run("comment", r#"{"post_id": "p", "comment_id": "a", "text": "first"}"#);
    fixture
}

fn text<'a>(item: &'a Json, name: &str) -> Option<&'a str> {
    item.get(name)?.get("text")?.as_text()
}

#[test]
fn a_reference_is_followed_to_a_key_of_two_fields() {
    let blog = blog();
    let answer =
        r#"{"post_id": "p", "comment_id": "b", "text": "second", "answers": "a", "quotes": ["a", "x"]}"#;
    blog.run("comment", answer);
    let second = blog.run("get_comment", r#"{"post_id": "p", "comment_id": "b"}"#);
    assert_eq!((text(&second, "answered"), text(&second, "post")), (Some("first"), Some("the post")));
    let quoted = second.get("quoted").and_then(Json::as_list).unwrap();
    assert_eq!(quoted.len(), 1, "the one that isn't there is left out");
    let first = blog.run("get_comment", r#"{"post_id": "p", "comment_id": "a"}"#);
    assert_eq!(first.get("answered"), Some(&Json::Null));
    let list = blog.run("comments", r#"{"post_id": "p"}"#);
    let items = list.get("items").and_then(Json::as_list).unwrap();
    assert_eq!(items.iter().filter_map(|item| text(item, "answered")).collect::<Vec<_>>(), ["first"]);
    assert!(items.iter().all(|item| item.get("post_id").is_none()), "only `show` is answered");
}

#[test]
fn a_reference_leads_to_the_entity_that_its_item_names() {
    let blog = blog();
    blog.run("report", r#"{"report_id": "1", "post_id": "p", "target_id": "p", "target_type": "post"}"#);
    blog.run(
        "report",
        r#"{"report_id": "2", "post_id": "p", "target_id": "a", "target_type": "blog_comment"}"#,
    );
    let reports = blog.run("reports", "{}");
    let items = reports.get("items").and_then(Json::as_list).unwrap();
    let targets: Vec<_> = items.iter().map(|item| text(item, "target").unwrap()).collect();
    assert_eq!(targets, ["the post", "first"]);
    let report = blog.run("get_report", r#"{"report_id": "2"}"#);
    assert_eq!(text(&report, "target"), Some("first"));
    blog.run("delete_comment", r#"{"post_id": "p", "comment_id": "a"}"#);
    let report = blog.run("get_report", r#"{"report_id": "2"}"#);
    assert_eq!(report.get("target"), Some(&Json::Null));
}

#[test]
fn the_item_that_a_reference_names_must_exist() {
    let blog = blog();
    let there_is_no = |error: RunError, wanted: &str| {
        assert!(matches!(&error, RunError::NoReference { entity, .. } if entity == wanted), "{error}");
    };
    let report = |id: &str, kind: &str| {
        let arguments =
            format!(r#"{{"report_id": "1", "post_id": "p", "target_id": "{id}", "target_type": "{kind}"}}"#);
        blog.try_run("report", &arguments)
    };
    there_is_no(report("a", "post").unwrap_err(), "Post");
    there_is_no(report("p", "blog_comment").unwrap_err(), "BlogComment");
    report("a", "blog_comment").unwrap();
    // Each of the two fields alone makes another reference of both.
    let redirect = |change: &str| blog.try_run("redirect", &format!(r#"{{"report_id": "1", {change}}}"#));
    there_is_no(redirect(r#""target_type": "post""#).unwrap_err(), "Post");
    there_is_no(redirect(r#""target_id": "p""#).unwrap_err(), "BlogComment");
    redirect(r#""target_id": "p", "target_type": "post""#).unwrap();
    redirect(r#""reason": "spam""#).unwrap();
}
