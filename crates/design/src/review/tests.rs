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
