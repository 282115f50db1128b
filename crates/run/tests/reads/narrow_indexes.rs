//! Indexes that carry only keys: what the keys tell is in the answer all the same.

use crate::fixture::Data;

const MEMBERS: &str = r##"
design = "members"

[table]
key = ["PK", "SK"]

[index]
ByGroup = { key = ["GSI1PK", "GSI1SK"], project = "keys" }

[entity.User]
key = ["USER#{user_id}", "PROFILE"]

[entity.User.fields]
user_id = "id"
name    = { type = "string", max = 50 }

[entity.Member]
key     = ["USER#{user_id}", "GROUP#{group_id}"]
ByGroup = ["GROUP#{group_id}", "SCORE#{score:06.1}#{nickname:fold}#{user_id}"]

[entity.Member.fields]
user_id  = { type = "key", ref = "User" }
group_id = "key"
nickname = { type = "string", max = 20 }
score    = { type = "number", min = 0, max = 999 }
about    = { type = "string", max = 100 }

[pattern.members]
query   = "Member"
on      = "ByGroup"
limit   = 10
resolve = { user = "user_id" }

[pattern.all_members]
scan  = "Member"
on    = "ByGroup"
admin = true
limit = 10
"##;

#[test]
fn fields_that_the_keys_tell_come_back_and_folded_ones_do_not() {
    let data = Data::new(MEMBERS);
    data.put("User", &[("user_id", "u1"), ("name", "Mai")]);
    let member =
        [("user_id", "u1"), ("group_id", "g1"), ("nickname", "Gà"), ("score", "12.5"), ("about", "x")];
    data.put("Member", &member);
    assert_eq!(
        data.json("members", &[("group_id", "g1")]),
        r#"{"items":[{"user_id":"u1","group_id":"g1","score":12.5,"user":{"user_id":"u1","name":"Mai"}}]}"#
    );
}

#[test]
fn a_scan_gives_the_fields_that_the_keys_tell() {
    let data = Data::new(MEMBERS);
    for user in ["u1", "u2"] {
        let member =
            [("user_id", user), ("group_id", "g1"), ("nickname", "Gà"), ("score", "12.5"), ("about", "x")];
        data.put("Member", &member);
    }
    assert_eq!(
        data.json("all_members", &[]),
        r#"{"items":[{"user_id":"u1","group_id":"g1","score":12.5},{"user_id":"u2","group_id":"g1","score":12.5}]}"#
    );
}
