//! An expired item is never shown, whichever way it is read, and however long ago it expired.

use singlet_design::Projection;

use crate::fixture::{Data, NOW_MS};

const LINKS: &str = r#"
design = "links"
[table]
key = ["PK", "SK"]
ttl = "expires_at"
[index]
ByCode  = { key = "CodePK", project = "keys" }
ByOwner = { key = ["OwnerPK", "OwnerSK"], project = ["code"] }
ByAge   = { key = ["PK", "made_at"], local = true, project = "keys" }
ByName  = { key = "NamePK", project = "keys" }
All     = "AllPK"

[entity.Link]
key     = ["GROUP#{group}", "LINK#{code}"]
ByCode  = "CODE#{code}"
ByOwner = ["OWNER#{owner}", "{code}"]
All     = "ALL#{group}"
ttl     = "0 days after until"
[entity.Link.fields]
group   = "key"
code    = "key"
owner   = "key"
made_at = "time"
until   = "time"

[entity.Group]
key    = ["GROUP#{group}", "GROUP"]
ByName = "NAME#{name}"
[entity.Group.fields]
group = "key"
name  = "string"

[pattern.get_link]
get = "Link"
[pattern.has_link]
exists = "Link"
[pattern.get_links]
batch_get = "Link"
[pattern.links]
query = "Link"
[pattern.all_links]
scan = "Link"
[pattern.scan_codes]
scan = "Link"
on = "ByCode"
[pattern.by_code]
get = "Link"
on = "ByCode"
[pattern.code_is_there]
exists = "Link"
on = "ByCode"
[pattern.codes_shown]
query = "Link"
on = "ByCode"
show = ["group"]
[pattern.by_owner]
query = "Link"
on = "ByOwner"
[pattern.by_age]
query = "Link"
on = "ByAge"
[pattern.in_all]
query = "Link"
on = "All"
[pattern.dead_links]
query = "Link"
on = "ByOwner"
expired = "show"
"#;

/// A day before now, more than five years before now, and just after 1970 began.
const OVER: [&str; 3] = ["2025-06-14T15:06:39Z", "2014-01-01T00:00:00Z", "1970-01-01T00:01:00Z"];

fn links(until: &str) -> Data {
    assert_eq!(NOW_MS, 1_750_000_000_000, "2025-06-15T15:06:40Z");
    let data = Data::new(LINKS);
    data.put(
        "Link",
        &[
            ("group", "g"),
            ("code", "c"),
            ("owner", "o"),
            ("made_at", "2010-01-01T00:00:00Z"),
            ("until", until),
        ],
    );
    data
}

const WAYS: [(&str, &[(&str, &str)]); 12] = [
    ("get_link", &[("group", "g"), ("code", "c")]),
    ("has_link", &[("group", "g"), ("code", "c")]),
    ("get_links", &[("keys", r#"[{"group": "g", "code": "c"}]"#)]),
    ("links", &[("group", "g")]),
    ("all_links", &[]),
    ("scan_codes", &[]),
    ("by_code", &[("code", "c")]),
    ("code_is_there", &[("code", "c")]),
    ("codes_shown", &[("code", "c")]),
    ("by_owner", &[("owner", "o")]),
    ("by_age", &[("group", "g")]),
    ("in_all", &[("group", "g")]),
];
const NOTHING: [&str; 3] = ["null", "false", r#"{"items":[]}"#];

#[test]
fn an_expired_item_is_hidden_in_every_read() {
    for until in OVER {
        let data = links(until);
        for (pattern, arguments) in WAYS {
            let answer = data.json(pattern, arguments);
            assert!(NOTHING.contains(&answer.as_str()), "{pattern}, {until}: {answer}");
        }
        assert!(data.json("dead_links", &[("owner", "o")]).contains("\"code\":\"c\""), "{until}");
    }
}

#[test]
fn an_item_that_lives_is_shown_in_every_read() {
    let data = links("2025-06-15T15:06:41Z");
    for (pattern, arguments) in WAYS {
        let answer = data.json(pattern, arguments);
        assert!(!NOTHING.contains(&answer.as_str()), "{pattern}: {answer}");
    }
}

#[test]
fn only_indexes_that_items_expire_in_carry_the_time() {
    let data = Data::new(LINKS);
    let table = &data.runner.design().tables[0];
    let projection = |index: &str| table.index(index).unwrap().projection.clone();
    let carried = |names: &[&str]| Projection::Include(names.iter().map(|name| (*name).to_owned()).collect());
    assert_eq!(projection("ByCode"), carried(&["expires_at"]));
    assert_eq!(projection("ByOwner"), carried(&["code", "expires_at"]));
    assert_eq!(projection("ByAge"), carried(&["expires_at"]));
    assert_eq!(projection("ByName"), Projection::Keys);
    assert_eq!(projection("All"), Projection::All);
}
