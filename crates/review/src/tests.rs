use singlet_design::load;
use singlet_values::limits;

use crate::text::{bytes, number, whole};
use crate::*;

#[path = "../tests/large/design.rs"]
mod large;

/// The designs of a rule's page under a word: `fires`, `fine`, or `refused` if the language itself refuses them.
fn examples(page: &str, word: &str) -> Vec<String> {
    let opening = format!("```toml {word}\n");
    page.split(&opening).skip(1).filter_map(|rest| rest.split("```").next()).map(str::to_owned).collect()
}

fn found(source: &str, rule: &str) -> Result<Vec<Finding>, String> {
    let design = load("example.toml", source).map_err(|report| format!("{rule}: {report}"))?;
    let review = review(&design, source).with_fixes(source);
    Ok(review.findings.into_iter().filter(|finding| finding.rule == rule).collect())
}

/// The faults of a rule's examples.
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

/// A rule that proposes a change must have an example in which the change holds.
#[test]
fn every_rule_that_proposes_changes_shows_one_on_an_example() {
    let mut wrong = Vec::new();
    for rule in RULES {
        let found: Vec<Finding> =
            examples(rule.page, "fires").iter().flat_map(|source| found(source, rule.id).unwrap()).collect();
        let proposes = |finding: &Finding| finding.proposals.iter().any(|fix| !fix.edits.is_empty());
        // `unique` takes no templates yet: the change is proposed for when it does.
        if rule.id == "unique-case" {
            continue;
        }
        let shows = |finding: &Finding| finding.fix.as_ref().is_some_and(|fix| !fix.edits.is_empty());
        if found.iter().any(proposes) && !found.iter().any(shows) {
            wrong.push(format!(
                "{}: {:#?}",
                rule.id,
                found.iter().map(|one| &one.proposals).collect::<Vec<_>>()
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn every_finding_has_a_fix_or_advice() {
    for rule in RULES {
        for finding in examples(rule.page, "fires").iter().flat_map(|source| found(source, rule.id).unwrap())
        {
            assert_eq!(finding.fix.is_some(), !finding.proposals.is_empty(), "{finding:#?}");
        }
    }
}

/// Once the bytes that may be loaded are used up, findings get advice, and the review counts the untried fixes.
#[test]
fn fixes_beyond_the_bound_are_told_in_words_and_counted() {
    let design = load("feed.toml", FEED).unwrap();
    let tried = review(&design, FEED).with_fixes(FEED);
    assert_eq!((tried.fix_count(), tried.untried_fixes), (1, 0));
    let untried = review(&design, FEED).with_fixes_within(FEED, FEED.len() - 1);
    assert_eq!((untried.fix_count(), untried.untried_fixes), (0, 1));
    assert!(untried.findings.iter().all(|finding| finding.fix.is_some()));
    let file = Reviewed { file: "feed.toml", source: FEED, review: &untried };
    let text = render(OutputFormat::Human, &[file]);
    assert!(text.contains("1 fixes were not tried because the design is too large; apply"), "{text}");
}

/// Orders by status, with the rates of the calls.
fn orders_by_status(write: &str, read: &str) -> String {
    let fires = examples(super::rule("low-cardinality").unwrap().page, "fires").remove(0);
    let create = format!("[pattern.order]\ncreate = \"Order\"\n{write}\n[pattern.orders_by_status]");
    fires.replace("[pattern.orders_by_status]", &create).replace("limit = 20", &format!("limit = 20\n{read}"))
}

#[test]
fn a_key_that_is_not_hot_by_its_rates_is_not_sharded() {
    let fix = |write: &str, read: &str| {
        let found = found(&orders_by_status(write, read), "low-cardinality").unwrap();
        found.first().unwrap().fix.clone().unwrap()
    };
    let cool = fix("rate = \"5/s\"", "rate = \"2/s\"");
    assert!(cool.edits.is_empty() && cool.about.contains("allow the finding"), "{cool:?}");
    let unknown = fix("rate = \"5/s\"", "");
    assert!(!unknown.edits.is_empty(), "{unknown:?}");
    assert!(unknown.about.contains("each query becomes 8 queries"), "{unknown:?}");
    let hot = fix("rate = \"900/s\"", "rate = \"2/s\"");
    assert!(!hot.edits.is_empty(), "{hot:?}");
}

#[test]
fn only_items_that_lose_their_use_get_a_time_to_live() {
    let fires = examples(super::rule("ttl-missing").unwrap().page, "fires").remove(0);
    let fields = |name: &str| fires.replace("entity.Reading", &format!("entity.{name}"));
    for (name, days) in [("Reading", "90 days"), ("LoginSession", "30 days"), ("Notification", "180 days")] {
        let found = found(&fields(name), "ttl-missing").unwrap();
        let edits = &found.first().unwrap().fix.as_ref().unwrap().edits;
        assert!(edits.first().unwrap().text.contains(days), "{name}: {edits:?}");
    }
    for name in ["Payment", "Comment", "Order", "AuditLog"] {
        let found = found(&fields(name), "ttl-missing").unwrap();
        let fix = found.first().unwrap().fix.as_ref().unwrap();
        assert!(fix.edits.is_empty() && fix.about.contains("decide how long"), "{name}: {fix:?}");
    }
}

#[test]
fn free_text_that_identifies_something_is_advised_to_be_a_key() {
    let fires = examples(super::rule("separator").unwrap().page, "fires").remove(0).replace("city", "phone");
    let reported = found(&fires, "separator").unwrap();
    let fix = reported.first().unwrap().fix.as_ref().unwrap();
    assert!(fix.about.contains("a phone number") && fix.about.contains("the type `key`"), "{fix:?}");
    assert!(!fix.about.contains("an id"), "an id is generated");
    let keyed = fires.replace("{ type = \"string\", max = 100 }", "\"key\"");
    assert_eq!(found(&keyed, "separator").unwrap().len(), 0);
}

#[test]
fn capacity_is_compared_with_the_rates_of_the_table_and_each_index() {
    let design = examples(super::rule("capacity-mismatch").unwrap().page, "fires").remove(0);
    let of = |capacity: &str| {
        let source = design.replace("\"100/50\"", capacity);
        found(&source, "capacity-mismatch").unwrap().into_iter().next()
    };
    let short = of("\"100/50\"").unwrap();
    assert_eq!(short.severity, Severity::Error);
    assert!(short.message.contains("200 write units a second of 50 in the table"), "{}", short.message);
    let edits = short.fix.unwrap().edits;
    assert_eq!(edits.first().map(|edit| edit.text.as_str()), Some("\"72/286\""));
    assert!(of("\"100/200\"").is_none() && of("\"10/50 to 100/300\"").is_none());
    assert!(of("\"on demand\"").is_none());
    let ample = of("\"2000/300\"").unwrap();
    assert_eq!(ample.severity, Severity::Info);
    assert!(ample.message.contains("50 of 2,000 read units in the table"), "{}", ample.message);

    let indexed = design
        .replace("capacity = \"100/50\"", "capacity = { table = \"100/300\", GSI1 = \"10/50\" }")
        .replace("\n[entity.Order]", "\n[index]\nGSI1 = [\"GSI1PK\", \"GSI1SK\"]\n\n[entity.Order]")
        .replace("\"ORDER\"]\n", "\"ORDER\"]\nGSI1 = [\"NOTE#{order_id}\", \"{order_id}\"]\n");
    let reported = found(&indexed, "capacity-mismatch").unwrap();
    let finding = reported.first().unwrap();
    assert!(finding.message.contains("200 write units a second of 50 in `GSI1`"), "{}", finding.message);

    // The rates are those of production, not of the environment for tests.
    let environments =
        "\n[environment.test]\ncapacity = \"5/5\"\n\n[environment.prod]\ncapacity = \"100/300\"\n";
    let table = "capacity = \"100/50\"\n";
    let staged = design.replace(table, "").replace("\n[table]", &format!("{environments}\n[table]"));
    assert_eq!(found(&staged, "capacity-mismatch").unwrap().len(), 0);
    let staged = staged.replace("100/300", "100/100");
    let reported = found(&staged, "capacity-mismatch").unwrap();
    assert!(reported.first().unwrap().message.contains("in the environment `prod`"), "{reported:?}");
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

/// A small social network, to which a test adds patterns.
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

/// The messages of a rule about a pattern that is added to the network.
fn asked(rule: &str, pattern: &str) -> Vec<String> {
    let source = format!("{NETWORK}\n[pattern.asked]\n{pattern}\n");
    found(&source, rule).unwrap().into_iter().map(|finding| finding.message).collect()
}

/// The limits that pages and summaries name are those that the product enforces.
#[test]
fn pages_name_the_limits_that_are_enforced() {
    let [reads, writes] = [limits::PARTITION_READ_UNITS_MAX, limits::PARTITION_WRITE_UNITS_MAX];
    let half = |units: u32| number(f64::from(units) / 2.0);
    let [reads_half, writes_half] = [half(reads), half(writes)];
    let [reads, writes] = [reads, writes].map(|units| number(f64::from(units)));
    let size = |count: usize| bytes(count as u64);
    let (partition, sort) =
        (whole(limits::PARTITION_KEY_BYTES_MAX as u64), whole(limits::SORT_KEY_BYTES_MAX as u64));
    let keys = number(f64::from(crate::ASSUMED_KEYS));
    let cases = [
        ("constant-partition", format!("{writes} write units and {reads} read units")),
        ("low-cardinality", format!("{writes} write units and {reads} read units")),
        ("hot-read", format!("more than {reads} read units a second on one partition key")),
        ("hot-read", format!("or more than {reads_half} (a warning)")),
        ("hot-read", format!("Zipf's law over {keys} keys")),
        ("hot-write", format!("more than {writes} write units a second on one partition key")),
        ("hot-write", format!("or more than {writes_half} (a warning)")),
        ("hot-counter", format!("more than {writes} times a second")),
        ("shards-idle", format!("A shard serves {writes} write units")),
        ("item-size", format!("exceeds {} (an error)", size(limits::ITEM_BYTES_MAX))),
        ("unbounded-list", size(limits::ITEM_BYTES_MAX)),
        ("missing-size", size(limits::ITEM_BYTES_MAX)),
        ("page-over-1mb", format!("exceeds {}", size(limits::PAGE_BYTES_MAX))),
        ("unbounded-query", format!("until {} is full", size(limits::PAGE_BYTES_MAX))),
        ("foreign-items", format!("the {} of a page", size(limits::PAGE_BYTES_MAX))),
        ("key-length", format!("{partition} bytes (partition key) or {sort} bytes (sort key)")),
        ("lsi-collection", bytes(limits::COLLECTION_BYTES_MAX)),
        ("transaction-size", format!("more than {} writes", limits::TRANSACTION_ACTIONS_MAX)),
        ("transaction-size", size(limits::TRANSACTION_BYTES_MAX)),
        ("wide-fan-out", format!("more than {} writes", limits::TRANSACTION_ACTIONS_MAX)),
        ("index-count", format!("{} global indexes", limits::GLOBAL_INDEXES_MAX)),
        ("index-count", format!("{} local indexes", limits::LOCAL_INDEXES_MAX)),
        ("index-count", format!("{} projected attributes", limits::PROJECTED_ATTRIBUTES_MAX)),
    ];
    for (id, expected) in cases {
        let page = rule(id).unwrap().page.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(page.contains(&expected), "{id}: {expected}");
    }
}

#[test]
fn rules_find_what_their_pages_say_besides_the_examples() {
    let cases = [
        (
            "hot-read",
            "get = \"User\"\nrate = \"20000/s\"\nbusiest = \"40%\"",
            "the busiest key `USER#{user_id}`",
        ),
        (
            "hot-counter",
            "update = \"User\"\nadd = { visits = 1 }\nrate = \"9000/s\"\nbusiest = \"50%\"",
            "4,500 times",
        ),
        (
            "hot-counter",
            "update = \"User\"\nadd = { visits = 1 }\nbusiest = \"50%\"\n[pattern.outer]\nrate = \"9000/s\"\n\
             transaction = { visit = \"asked\", post = \"create_post\" }",
            "4,500 times",
        ),
        ("hot-write", "update = \"Post\"\nset = [\"text\"]\nrate = \"20000/s\"", "Zipf's law"),
        ("hot-read", "get = \"User\"\nrate = \"100000/s\"", "Zipf's law"),
        ("prefix-overlap", "query = \"Post\"\nkey = [\"USER#{user_id}\", \"POST\"]", "`POSTPAGE`"),
        ("prefix-overlap", "query = \"Follow\"\nkey = [\"USER#{user_id}\", \"FOLLOW\"]", "without the `#`"),
        (
            "wide-fan-out",
            "merge = { each = \"follows\", run = \"posts\", with = { user_id = \"{other_id}\" }, by = \"created_at\", max = 500 }",
            "500 items of `follows`",
        ),
        (
            "wide-fan-out",
            "gather = { each = \"user_id in users\", run = \"posts\", group = \"user_name\", max = 500 }",
            "500 elements of `users`",
        ),
        (
            "hot-counter",
            "update = \"User\"\nadd = { visits = 1 }\nbusiest = \"50%\"\n[pattern.outer]\nrate = \"90/s\"\n\
             bulk = { each = \"id in ids\", run = \"asked\", with = { user_id = \"{id}\" } }",
            "4,500 times",
        ),
        (
            "owner-outside-key",
            "claim = { each = \"id in posts_of_all\", run = { delete = \"Post\" } }\nowner = \"user_id\"\n\
          [pattern.posts_of_all]\nquery = \"Post\"\non = \"GSI1\"",
            "through `posts_of_all`",
        ),
        ("wide-fan-out", "update = \"User\"\nset = [\"name\"]", "`Post` keeps a copy of it in `user_name`"),
        (
            "transaction-size",
            "transaction = { posts = { run = \"create_post\", each = { text = \"texts\" }, max = 20 } }",
            "more than 4 MB",
        ),
        ("owner-outside-key", "parts = { post = \"post\" }\nowner = \"user_id\"", "through `post`"),
        (
            "index-contention",
            "query = \"Post\"\non = \"GSI1\"\nkey = [\"NAME#{user_name}\"]",
            "which `post` needs",
        ),
        ("constant-partition", "query = \"Post\"\non = \"GSI1\"\nkey = [\"FEED\"]", "`FEED` in `GSI1`"),
        (
            "wrong-sort-key",
            "query = \"Post\"\norder = \"highest\"",
            "sorted by `created_at`, which isn't a number",
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
        ("hot-write", "update = \"Post\"\nset = [\"text\"]\nrate = \"20000/s\"\nbusiest = \"1%\""),
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
        ("unserved", "query = \"Post\"\nknows = [\"user_id\", \"text\"]"),
        ("scan", "query = \"Post\""),
        ("wide-fan-out", "claim = { each = \"post in posts\", run = { delete = \"Post\" }, max = 500 }"),
        (
            "unbounded-query",
            "query = \"Post\"\ninternal = true\n[pattern.clear]\nbulk = { each = \"post in asked\", run = { delete = \"Post\" } }",
        ),
        ("check-alone", "bulk = { each = \"post in posts\", run = { delete = \"Post\" } }"),
    ];
    for (rule, pattern) in cases {
        assert_eq!(asked(rule, pattern), Vec::<String>::new(), "{rule} {pattern}");
    }
}

/// A code forge with the given key of its repositories and the given patterns.
fn forge(repository: &str, patterns: &str) -> String {
    format!(
        r##"
design = "forge"

[table]
key = ["PK", "SK"]

[index]
GSI1 = ["GSI1PK", "GSI1SK"]

[entity.Repository]
{repository}

[entity.Repository.fields]
id         = "id"
owner      = "key"
name       = "key"
status     = {{ type = "string", enum = ["open", "closed"] }}
level      = {{ type = "int", min = 1, max = 4 }}
hour       = {{ type = "int", min = 0, max = 7 }}
priority   = {{ type = "int", min = 0, max = 500 }}
version    = {{ type = "int", default = 0 }}
created_at = "created"
updated_at = "updated"

{patterns}
"##
    )
}

const BY_NAME: &str = r##"key  = ["OWNER#{owner}", "REPO#{name}"]
GSI1 = ["LIST#{owner}", "REPO#{name}"]"##;

#[test]
fn sound_designs_raise_no_false_alarm() {
    let by_id = r##"key  = ["REPO#{id}", "REPO"]
"##;
    let cases = [
        // Every value has one digit.
        ("number-in-text", format!(r##"{by_id}GSI1 = ["O#{{owner}}", "{{level}}#{{id}}"]"##), ""),
        ("number-in-text", format!(r##"{by_id}GSI1 = ["O#{{owner}}", "{{hour}}#{{id}}"]"##), ""),
        // The sort part of `key` names one repository of the owner.
        (
            "unique-by-index",
            BY_NAME.to_owned(),
            "[pattern.asked]\nget = \"Repository\"\non = \"GSI1\"\nkey = [\"LIST#{owner}\", \"REPO#{name}\"]",
        ),
        // The version counts, the status doesn't; and fifty a second are spread over all repositories.
        (
            "mutable-key",
            format!(r##"{by_id}GSI1 = ["S#{{status}}#{{shard:id/8}}", "{{created_at}}#{{id}}"]"##),
            "[pattern.asked]\nupdate = \"Repository\"\nset = [\"status\"]\nadd = { version = 1 }\nrate = \"50/s\"",
        ),
        // One shard of the list, and one value of a field in its key.
        (
            "index-contention",
            format!(r##"{by_id}GSI1 = ["FEED#{{shard:id/8}}", "{{created_at}}#{{id}}"]"##),
            "[pattern.asked]\nquery = \"Repository\"\non = \"GSI1\"\nkey = [\"FEED#3\"]",
        ),
        (
            "constant-partition",
            format!(r##"{by_id}GSI1 = ["FEED#{{shard:id/8}}", "{{created_at}}#{{id}}"]"##),
            "[pattern.asked]\nquery = \"Repository\"\non = \"GSI1\"\nkey = [\"FEED#3\"]",
        ),
        (
            "index-contention",
            format!(r##"{by_id}GSI1 = ["S#{{status}}#{{owner}}", "{{created_at}}#{{id}}"]"##),
            "[pattern.asked]\nquery = \"Repository\"\non = \"GSI1\"\nkey = [\"S#open#{owner}\"]",
        ),
    ];
    for (rule, repository, patterns) in cases {
        let source = forge(&repository, patterns);
        assert_eq!(found(&source, rule).unwrap(), Vec::new(), "{source}");
    }
}

#[test]
fn a_shard_or_value_that_the_key_never_has_is_still_contention() {
    for asked in ["FEED#8", "FEED#x", "NEWS#3", "FEED"] {
        let repository = r##"key  = ["REPO#{id}", "REPO"]
GSI1 = ["FEED#{shard:id/8}", "{created_at}#{id}"]"##;
        let patterns = format!("[pattern.asked]\nquery = \"Repository\"\non = \"GSI1\"\nkey = [\"{asked}\"]");
        assert_eq!(found(&forge(repository, &patterns), "index-contention").unwrap().len(), 1, "{asked}");
    }
}

/// The lines that the fix of a rule's only finding adds.
fn added(source: &str, rule: &str) -> Vec<String> {
    let found = found(source, rule).unwrap();
    let [finding] = found.as_slice() else { panic!("{found:#?}") };
    let fix = finding.fix.as_ref().unwrap();
    fix.lines(source).into_iter().flat_map(|(_, new)| new).collect()
}

#[test]
fn a_number_gets_the_width_of_its_maximum() {
    let lines = added(&forge(r##"key  = ["O#{owner}", "{priority}#{id}"]"##, ""), "number-in-text");
    assert_eq!(lines, [r##"key  = ["O#{owner}", "{priority:03}#{id}"]"##]);
}

/// Attributes of their own end padding: where the index allows it, that is the first fix.
#[test]
fn fields_of_an_index_key_become_attributes_of_their_own() {
    let by_owner = "[pattern.asked]\nquery = \"Repository\"\non = \"GSI1\"\nlimit = 20\norder = \"highest\"";
    let repository = r##"key  = ["REPO#{id}", "REPO"]
GSI1 = ["O#{owner}", "{priority}#{id}"]"##;
    let source = forge(repository, by_owner);
    assert_eq!(added(&source, "number-in-text"), [r##"GSI1 = [["owner"], ["priority", "id"]]"##]);
    let fixed = review(&load("forge.toml", &source).unwrap(), &source).with_fixes(&source).fixed(&source);
    assert_eq!(found(&fixed, "number-in-text").unwrap(), Vec::new());
}

/// Tasks and notes of one owner in one index; what the notes have there follows.
fn shared_index(notes: &str) -> String {
    format!(
        r##"
design = "desk"

[table]
key = ["PK", "SK"]

[index]
GSI1 = ["GSI1PK", "GSI1SK"]

[entity.Task]
key  = ["TASK#{{id}}", "TASK"]
GSI1 = ["OWNER#{{owner}}", "{{priority}}#{{id}}"]
[entity.Task.fields]
id       = "id"
owner    = "key"
priority = {{ type = "int", min = -5, max = 500 }}

[entity.Note]
key  = ["NOTE#{{id}}", "NOTE"]
GSI1 = {notes}
[entity.Note.fields]
id       = "id"
owner    = "key"
priority = {{ type = "int", min = -5, max = 500 }}

[pattern.desk]
query = ["Task", "Note"]
on    = "GSI1"
order = "highest"
limit = 20
"##
    )
}

/// Entities that make an index key in the same way are changed by one fix, and a list of both still loads.
#[test]
fn entities_that_share_an_index_get_attributes_together() {
    let source = shared_index(r##"["OWNER#{owner}", "{priority}#{id}"]"##);
    let design = load("desk.toml", &source).unwrap();
    let fixed = review(&design, &source).with_fixes(&source).fixed(&source);
    assert!(fixed.contains(r##"GSI1 = [["owner"], ["priority", "id"]]"##), "{fixed}");
    assert_eq!(fixed.matches("GSI1 = ").count(), 1, "{fixed}");
    let after = load("desk.toml", &fixed).unwrap();
    assert!(after.entities.iter().all(|entity| entity.entry("GSI1").is_some()), "{fixed}");
    assert_eq!(found(&fixed, "number-in-text").unwrap(), Vec::new());
}

/// Without the constant, tasks and notes would lie in one partition.
#[test]
fn entities_that_a_constant_keeps_apart_keep_their_templates() {
    for notes in [r##"["NOTES#{owner}", "{priority}#{id}"]"##, r##"["OWNER#{owner}", "{id}#{priority}"]"##] {
        let source = shared_index(notes).replace("[\"Task\", \"Note\"]", "\"Task\"");
        let proposals = found(&source, "number-in-text").unwrap();
        let changes = |finding: &Finding| finding.fix.iter().any(|fix| !fix.edits.is_empty());
        assert!(!proposals.is_empty() && !proposals.iter().any(changes), "{proposals:#?}");
    }
}

/// A pattern that asks for the key in its own words needs the template.
#[test]
fn an_index_that_is_asked_for_a_key_keeps_its_templates() {
    let asked =
        "[pattern.asked]\nquery = \"Repository\"\non = \"GSI1\"\nkey = [\"S#open#{owner}\"]\nlimit = 20";
    let repository = r##"key  = ["REPO#{id}", "REPO"]
GSI1 = ["S#{status}#{owner}", "{priority}#{id}"]"##;
    let lines = added(&forge(repository, asked), "number-in-text");
    assert_eq!(lines, [r##"GSI1 = ["S#{status}#{owner}", "{priority:03}#{id}"]"##]);
}

/// A shard that is chosen by the key's own field moves nothing, so it is never proposed.
#[test]
fn a_key_is_never_sharded_by_its_own_field() {
    let patterns =
        "[pattern.asked]\nupdate = \"Repository\"\nset = [\"status\"]\nrate = \"9000/s\"\nbusiest = \"50%\"";
    let keys = [
        (r##"key  = ["OWNER#{owner}", "REPO"]"##, "shard:owner"),
        // All other fields with many values are in the key already.
        (r##"key  = ["REPO#{id}#{owner}#{name}", "REPO"]"##, "shard:"),
    ];
    for (key, own) in keys {
        let found = found(&forge(key, patterns), "hot-write").unwrap();
        let fixes: Vec<&Fix> = found.iter().filter_map(|finding| finding.fix.as_ref()).collect();
        let shards_own = |fix: &&&Fix| fix.edits.iter().any(|edit| edit.text.contains(own));
        assert!(!fixes.is_empty() && !fixes.iter().any(|fix| shards_own(&fix)), "{found:#?}");
    }
}

#[test]
fn a_key_with_too_few_shards_gets_more_of_them() {
    let repository = r##"key  = ["OWNER#{owner}#{shard:id/4}", "REPO#{id}"]"##;
    let patterns = "[pattern.asked]\ncreate = \"Repository\"\nrate = \"9000/s\"\nbusiest = \"50%\"";
    let lines = added(&forge(repository, patterns), "hot-write");
    assert_eq!(lines, [r##"key  = ["OWNER#{owner}#{shard:id/16}", "REPO#{id}"]"##]);
}

/// Three patterns that each need an index of their own get three.
#[test]
fn fixes_that_each_need_an_index_claim_different_ones() {
    let ask = |name: &str, field: &str| {
        format!(
            "[pattern.{name}]\nquery = \"Repository\"\non = \"GSI1\"\nkey = [\"{name}#{{{field}}}\"]\nlimit = 20\norder = \"newest\"\n"
        )
    };
    let patterns = format!(
        "[pattern.list]\nquery = \"Repository\"\non = \"GSI1\"\nlimit = 20\n{}{}",
        ask("NAME", "name"),
        ask("OWN", "owner"),
    );
    let source =
        forge("key  = [\"REPO#{id}\", \"REPO\"]\nGSI1 = [\"R#{owner}\", \"{created_at}#{id}\"]", &patterns);
    let found = found(&source, "index-contention").unwrap();
    let indexes: Vec<String> = found
        .iter()
        .map(|finding| finding.fix.as_ref().unwrap().edits.first().unwrap().text.clone())
        .collect();
    assert_eq!(indexes.len(), 2, "{found:#?}");
    assert!(
        indexes.first() != indexes.last() && indexes.iter().all(|line| line.contains("GSI")),
        "{indexes:?}"
    );
}

#[test]
fn the_time_of_the_last_write_in_an_index_key_is_told_where_something_updates_the_items() {
    let repository = r##"key  = ["REPO#{id}", "REPO"]
GSI1 = ["O#{owner}", "{updated_at}#{id}"]"##;
    let update = "[pattern.asked]\nupdate = \"Repository\"\nset = [\"status\"]";
    assert_eq!(found(&forge(repository, update), "mutable-key").unwrap().len(), 1);
    assert_eq!(found(&forge(repository, ""), "mutable-key").unwrap(), Vec::new());
}

/// A channel with messages, and more entities and patterns.
fn channel(message: &str, more: &str) -> String {
    format!(
        r##"
design = "channels"

[table]
key = ["PK", "SK"]

[index]
GSI1 = ["GSI1PK", "GSI1SK"]

[entity.Channel]
key = ["CHANNEL#{{channel_id}}", "META"]
[entity.Channel.fields]
channel_id = "id"

[entity.Message]
{message}
[entity.Message.fields]
channel_id = {{ type = "key", ref = "Channel" }}
message_id = "id"
sent_at    = "created"

{more}
"##
    )
}

const BY_TIME: &str = r##"key = ["CHANNEL#{channel_id}", "{sent_at}#{message_id}"]"##;

#[test]
fn foreign_items_weigh_by_where_they_lie_in_the_direction_of_reading() {
    let note = r##"[entity.Note]
key = ["CHANNEL#{channel_id}", "{noted_at}#{note_id}"]
[entity.Note.fields]
channel_id = { type = "key", ref = "Channel" }
note_id    = "id"
noted_at   = "created"
"##;
    let query =
        |order: &str| format!("[pattern.asked]\nquery = \"Message\"\norder = \"{order}\"\nlimit = 20\n");
    let cases = [
        (query("newest"), Severity::Warning, "backwards, and the items of `Channel` (`META`) come before"),
        (query("oldest"), Severity::Info, "forwards, and the items of `Channel` (`META`) come after"),
        (format!("{note}{}", query("oldest")), Severity::Warning, "the items of `Note`"),
        (format!("{note}{}", query("oldest")), Severity::Warning, "lie between"),
    ];
    for (patterns, severity, expected) in cases {
        let found = found(&channel(BY_TIME, &patterns), "foreign-items").unwrap();
        let [finding] = found.as_slice() else { panic!("{patterns}: {found:#?}") };
        assert_eq!(finding.severity, severity, "{finding:#?}");
        assert!(finding.message.contains(expected), "{finding:#?}");
    }
}

#[test]
fn foreign_items_between_several_entities_and_in_a_whole_shard_are_found() {
    let file = r##"[entity.File]
key  = ["CHANNEL#{channel_id}", "FILE#{file_id}"]
GSI1 = ["FEED#{shard:file_id/4}", "FILE#{file_id}"]
[entity.File.fields]
channel_id = { type = "key", ref = "Channel" }
file_id    = "id"
"##;
    let message = r##"key  = ["CHANNEL#{channel_id}", "AT#{sent_at}#{message_id}"]
GSI1 = ["FEED#{shard:message_id/4}", "AT#{sent_at}#{message_id}"]"##;
    let both = format!("{file}[pattern.asked]\nquery = [\"Channel\", \"Message\"]\nlimit = 20\n");
    let found_between = found(&channel(message, &both), "foreign-items").unwrap();
    assert!(
        matches!(found_between.as_slice(), [one] if one.message.contains("`File` (`FILE#{file_id}`) lie between"))
    );
    let shard =
        format!("{file}[pattern.asked]\nquery = \"File\"\non = \"GSI1\"\nkey = [\"FEED#3\"]\nlimit = 20\n");
    let lines = added(&channel(message, &shard), "foreign-items");
    assert_eq!(lines, [r##"key = ["FEED#3", "FILE#"]"##]);
}

#[test]
fn foreign_items_are_kept_apart_by_a_word_unless_a_list_needs_their_order() {
    let query = "[pattern.asked]\nquery = \"Message\"\norder = \"newest\"\nlimit = 20\n";
    let lines = added(&channel(BY_TIME, query), "foreign-items");
    assert_eq!(lines, [r##"key = ["CHANNEL#{channel_id}", "MESSAGE#{sent_at}#{message_id}"]"##]);
    let listed = format!("{query}[pattern.all]\nquery = [\"Message\", \"Channel\"]\nlimit = 20\n");
    let found = found(&channel(BY_TIME, &listed), "foreign-items").unwrap();
    let [finding] = found.as_slice() else { panic!("{found:#?}") };
    assert!(finding.fix.as_ref().unwrap().edits.is_empty(), "{finding:#?}");
}

#[test]
fn items_that_no_query_reads_are_not_foreign() {
    let asked = "[pattern.asked]\nquery = \"Message\"\norder = \"newest\"\nlimit = 20\n";
    let entity = |key: &str| {
        format!(
            "[entity.Other]\nkey = {key}\n[entity.Other.fields]\nother_id = \"key\"\nat = \"time\"\n{asked}"
        )
    };
    let word = r##"key = ["CHANNEL#{channel_id}", "AT#{sent_at}#{message_id}"]"##;
    let day = r##"key = ["{sent_at:day}", "{message_id}"]"##;
    let cases = [
        // Another word in the sort key, or another partition.
        (word, entity(r##"["CHANNEL#{other_id}", "OTHER#{at}"]"##)),
        (word, entity(r##"["OTHER#{other_id}", "AT#{at}"]"##)),
        // Days and months are never the same text, and ids of other things are never those of channels.
        (day, entity(r##"["{at:month}", "{other_id}"]"##)),
        (r##"key = ["{channel_id}", "{message_id}"]"##, entity(r##"["{other_id}", "{at}"]"##)),
    ];
    for (message, more) in cases {
        let source = channel(message, &more);
        assert_eq!(found(&source, "foreign-items").unwrap(), Vec::new(), "{source}");
    }
}

/// A time never equals a word.
#[test]
fn a_time_and_a_word_in_the_same_part_of_a_key_dont_collide() {
    let message = r##"key = ["CHANNEL#{channel_id}", "{sent_at}"]"##;
    let found = found(&channel(message, ""), "key-collision").unwrap();
    assert!(!found.iter().any(|one| one.message.contains("`Channel` and `Message`")), "{found:#?}");
}

/// Each element of the list has a check of its own, unless all of them refer to one item.
#[test]
fn checks_of_references_count_among_the_writes_of_a_transaction() {
    let source = |element: &str| {
        let message = r##"key = ["MESSAGE#{message_id}", "MESSAGE"]"##;
        let steps = format!(
            "[pattern.send]\ncreate = \"Message\"\n[pattern.asked]\n\
             transaction = {{ sent = {{ run = \"send\", each = {{ {element} = \"list\" }}, max = 60 }} }}\n"
        );
        channel(message, &steps).replace("ref = \"Channel\"", "ref = \"Channel\", must_exist = true")
    };
    let found = |element: &str| found(&source(element), "transaction-size").unwrap();
    let messages: Vec<String> = found("channel_id").into_iter().map(|finding| finding.message).collect();
    assert!(matches!(messages.as_slice(), [one] if one.contains("can have 120 writes")), "{messages:?}");
    assert_eq!(found("message_id"), Vec::new());
}

/// A design whose entities have keys of their own: each key is compared with itself, and not with all others.
#[test]
fn comparisons_of_keys_grow_with_the_design_and_not_with_its_square() {
    let compared = |entities: usize| {
        let source = large::large_design(entities, entities * 5 / 2);
        let design = load("large.toml", &source).unwrap();
        let context = Context::new(&design, &source);
        let mut findings = Findings::default();
        for rule in RULES {
            if let Check::Review(check) = rule.check {
                check(&context, &mut findings);
            }
        }
        context.keys.comparisons()
    };
    let (small, large) = (compared(50), compared(500));
    assert!(small > 0 && large <= small * 10 + 50, "{small} {large}");
}
