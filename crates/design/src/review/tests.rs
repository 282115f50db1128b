use super::*;
use crate::load;

/// The designs of a rule's page under a word: `fires`, `fine`, or `refused` if the language itself refuses them.
fn examples(page: &str, word: &str) -> Vec<String> {
    let opening = format!("```toml {word}\n");
    page.split(&opening).skip(1).filter_map(|rest| rest.split("```").next()).map(str::to_owned).collect()
}

fn found(source: &str, rule: &str) -> Result<Vec<Finding>, String> {
    let design = load("example.toml", source).map_err(|report| format!("{rule}: {report}"))?;
    Ok(review(&design, source).findings.into_iter().filter(|finding| finding.rule == rule).collect())
}

/// What is wrong with a rule's examples.
fn wrong_examples(rule: &Rule) -> Vec<String> {
    let (fires, fine, refused) =
        (examples(rule.page, "fires"), examples(rule.page, "fine"), examples(rule.page, "refused"));
    let mut wrong = Vec::new();
    if (fires.is_empty() && refused.is_empty()) || fine.is_empty() {
        wrong.push(format!("{} lacks an example", rule.id));
    }
    for source in fires {
        match found(&source, rule.id) {
            Ok(found) if found.is_empty() => wrong.push(format!("{} finds nothing in\n{source}", rule.id)),
            Ok(_) => {}
            Err(report) => wrong.push(report),
        }
    }
    for source in fine {
        match found(&source, rule.id) {
            Ok(found) if found.is_empty() => {}
            Ok(found) => wrong.push(format!("{} finds {found:#?} in\n{source}", rule.id)),
            Err(report) => wrong.push(report),
        }
    }
    let taken = refused.iter().filter(|source| load("example.toml", source).is_ok());
    wrong.extend(taken.map(|source| format!("{} is not refused in\n{source}", rule.id)));
    wrong
}

#[test]
fn every_rule_fires_on_its_failing_example_and_not_on_its_passing_one() {
    let wrong: Vec<String> = RULES.iter().flat_map(|rule| wrong_examples(rule)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn every_fix_with_changed_lines_loads_and_settles_its_finding() {
    let mut wrong = Vec::new();
    for rule in RULES {
        for source in examples(rule.page, "fires") {
            for finding in found(&source, rule.id).unwrap_or_default() {
                let Some(fix) = finding.fix.filter(|fix| !fix.edits.is_empty()) else { continue };
                let mended = fix.apply(&source);
                match found(&mended, rule.id) {
                    Ok(left) if left.iter().all(|other| other.message != finding.message) => {}
                    left => wrong.push(format!("{} still has {left:?} after\n{mended}", rule.id)),
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn every_page_is_titled_by_its_rule() {
    for rule in RULES {
        assert!(rule.page.starts_with(&format!("# {}\n", rule.id)), "{}", rule.id);
    }
}

const FEED: &str = r##"
design = "feed"

[table]
key = ["PK", "SK"]

[index]
GSI1 = ["GSI1PK", "GSI1SK"]

[entity.Post]
key  = ["POST#{post_id}", "POST"]
GSI1 = ["FEED", "{created_at}#{post_id}"]
allow = { constant-partition = "a newsletter with ten posts a week", item-size = "no longer true" }

[entity.Post.fields]
post_id    = "id"
created_at = "created"

[pattern.feed]
query = "Post"
on    = "GSI1"
limit = 20
"##;

#[test]
fn what_a_design_allows_is_told_apart_and_an_allowance_without_a_finding_is_one() {
    let review = review(&load("feed.toml", FEED).unwrap(), FEED);
    let allowed: Vec<&str> = review.allowed.iter().map(|allowed| allowed.finding.rule).collect();
    assert_eq!(allowed, ["constant-partition"]);
    assert_eq!(review.allowed.first().unwrap().reason, "a newsletter with ten posts a week");
    let found: Vec<&str> = review.findings.iter().map(|finding| finding.rule).collect();
    assert_eq!(found, ["unused-allowance"]);
}

/// A small network; what is asked of it follows.
const NETWORK: &str = r##"
design = "network"

[table]
key = ["PK", "SK"]

[index]
GSI1 = ["GSI1PK", "GSI1SK"]

[entity.User]
key    = ["USER#{user_id}", "USER"]
unique = ["name"]
[entity.User.fields]
user_id = "id"
name    = { type = "string", max = 40 }
visits  = { type = "int", default = 0 }

[entity.Post]
key  = ["USER#{user_id}", "POST#{created_at}#{post_id}"]
GSI1 = ["POST#{post_id}", "POST"]
[entity.Post.fields]
user_id    = { type = "key", ref = "User" }
post_id    = "id"
created_at = "created"
user_name  = { type = "string", max = 40 }
text       = { type = "string", max = 1000 }
big        = { type = "binary", max = 300000, optional = true }

[entity.PostPage]
key = ["USER#{user_id}", "POSTPAGE"]
[entity.PostPage.fields]
user_id = { type = "key", ref = "User" }

[entity.Follow]
key = ["USER#{user_id}", "FOLLOW#{other_id}"]
[entity.Follow.fields]
user_id  = { type = "key", ref = "User" }
other_id = { type = "key", ref = "User" }

[pattern.create_post]
create = "Post"
[pattern.posts]
query = "Post"
order = "newest"
limit = 20
[pattern.follows]
query = "Follow"
limit = 100
[pattern.post]
get = "Post"
on  = "GSI1"
"##;

/// What a rule says about a pattern that is added to the network.
fn asked(rule: &str, pattern: &str) -> Vec<String> {
    let source = format!("{NETWORK}\n[pattern.asked]\n{pattern}\n");
    found(&source, rule).unwrap().into_iter().map(|finding| finding.message).collect()
}

#[test]
fn rules_find_what_their_pages_say_besides_the_examples() {
    let cases = [
        ("hot-read", "get = \"User\"\nrate = \"20000/s\"\nbusiest = \"40%\"", "the busiest `USER#{user_id}`"),
        (
            "hot-counter",
            "update = \"User\"\nadd = { visits = 1 }\nrate = \"9000/s\"\nbusiest = \"50%\"",
            "4,500 times",
        ),
        ("prefix-overlap", "query = \"Post\"\nkey = [\"USER#{user_id}\", \"POST\"]", "`POSTPAGE`"),
        ("prefix-overlap", "query = \"Follow\"\nkey = [\"USER#{user_id}\", \"FOLLOW\"]", "without the `#`"),
        (
            "wide-fan-out",
            "merge = { each = \"follows\", run = \"posts\", with = { user_id = \"{other_id}\" }, by = \"created_at\", max = 500 }",
            "500 items of follows",
        ),
        ("wide-fan-out", "update = \"User\"\nset = [\"name\"]", "Post keeps a copy of it in user_name"),
        (
            "transaction-size",
            "transaction = { posts = { run = \"create_post\", each = { text = \"texts\" }, max = 20 } }",
            "more than 4 MB",
        ),
        ("owner-outside-key", "parts = { post = \"post\" }\nowner = \"user_id\"", "through post"),
        (
            "index-contention",
            "query = \"Post\"\non = \"GSI1\"\nkey = [\"NAME#{user_name}\"]",
            "which post needs",
        ),
        ("constant-partition", "query = \"Post\"\non = \"GSI1\"\nkey = [\"FEED\"]", "`FEED` in GSI1"),
        (
            "wrong-sort-key",
            "query = \"Post\"\norder = \"highest\"",
            "sorted by created_at, which is no number",
        ),
        ("filter", "query = \"Post\"\nfilter = \"user_name = {user_name}\"", "about 20 %"),
    ];
    for (rule, pattern, expected) in cases {
        let messages = asked(rule, pattern);
        assert!(messages.iter().any(|message| message.contains(expected)), "{rule} {pattern}: {messages:#?}");
    }
}

#[test]
fn rules_are_silent_where_nothing_is_wrong() {
    let cases = [
        ("hot-read", "get = \"User\"\nrate = \"20000/s\""),
        ("prefix-overlap", "query = \"Post\"\nkey = [\"USER#{user_id}\", \"POST#\"]"),
        ("index-contention", "query = \"Post\"\nkey = [\"USER#{user_id}\", \"POST\"]"),
        ("wide-fan-out", "update = \"Post\"\nset = [\"text\"]"),
        ("owner-outside-key", "query = \"Post\"\nowner = \"user_id\""),
        (
            "owner-outside-key",
            "parts = { posts = { run = \"posts\", with = { user_id = \"{reader}\" } } }\nowner = \"reader\"",
        ),
        (
            "owner-outside-key",
            "query = \"Post\"\nowner = \"user_name\"\nfilter = \"user_name = {user_name}\"",
        ),
        ("wrong-sort-key", "query = \"Follow\"\norder = \"newest\""),
        ("unserved", "query = \"Post\"\nby = [\"user_id\", \"text\"]"),
        ("scan", "query = \"Post\""),
    ];
    for (rule, pattern) in cases {
        assert_eq!(asked(rule, pattern), Vec::<String>::new(), "{rule} {pattern}");
    }
}
