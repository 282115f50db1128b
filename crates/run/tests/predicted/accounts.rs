//! Accounts with entries and follows, added to a generated design: every kind of pattern, with keys, sizes, indexes and
//! limits that a seed varies.

use std::fmt::Write as _;

/// One of the choices, by the seed. Different `turn`s of one seed are independent.
fn pick<'a>(seed: u64, turn: u64, choices: &[&'a str]) -> &'a str {
    let mixed =
        seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(turn.wrapping_mul(0xd1b5_4a32_d192_ed03));
    let mixed = (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    choices[usize::try_from((mixed >> 33) % choices.len() as u64).unwrap()]
}

/// A design with the accounts, and with further patterns on each entity that it has.
pub(crate) fn with_accounts(source: &str, seed: u64) -> String {
    let mut text = source.to_owned();
    let entities = source.matches(".fields]").count();
    for entity in 0..entities {
        further_patterns(&mut text, entity);
    }
    accounts(&mut text, seed);
    text
}

fn further_patterns(text: &mut String, entity: usize) {
    write!(
        text,
        r##"
[pattern.get{entity}]
get = "E{entity}"
consistent = true
[pattern.exists{entity}]
exists = "E{entity}"
[pattern.some{entity}]
batch_get = "E{entity}"
[pattern.all{entity}]
scan = "E{entity}"
admin = true
[pattern.put{entity}]
put = "E{entity}"
[pattern.finish{entity}]
update = "E{entity}"
set = {{ done = true }}
remove = ["note"]
[pattern.tag{entity}]
update = "E{entity}"
add = {{ tags = "{{tags}}" }}
[pattern.delete{entity}]
delete = "E{entity}"
"##
    )
    .unwrap();
}

fn accounts(text: &mut String, seed: u64) {
    let ttl = if text.contains("ttl = \"expires_at\"") { "ttl = \"30 days after created_at\"\n" } else { "" };
    let unique = pick(seed, 1, &["\"handle\"", "[\"handle\", \"region\"]"]);
    let region = pick(seed, 2, &["REGION#{region}", "REGION#{region}#{shard:account_id/4}", "ACCOUNTS"]);
    let length = pick(seed, 3, &["40", "900", "3000", "9000"]);
    let exists = pick(seed, 4, &["", ", must_exist = true"]);
    let limit = pick(seed, 5, &["", "limit = 1\n", "limit = 7\n", "limit = 50\n"]);
    let order = pick(seed, 6, &["oldest", "newest"]);
    let (period, bucket_shards) =
        (pick(seed, 8, &["day", "week", "month"]), pick(seed, 9, &["", "#{shard:visit_id/3}"]));
    let bound = pick(seed, 7, &["", ", max = 3"]);
    write!(
        text,
        r##"
[entity.Account]
key    = ["ACCOUNT#{{account_id}}", "ACCOUNT"]
GSI1   = ["{region}", "ACCOUNT#{{handle}}"]
unique = [{unique}]
[entity.Account.fields]
account_id = "id"
handle     = {{ type = "string", min = 3, max = 40 }}
region     = {{ type = "string", enum = ["north", "south"] }}
bio        = {{ type = "string", max = {length}, optional = true }}
visits     = {{ type = "int", default = 0 }}

[entity.Entry]
key  = ["ACCOUNT#{{account_id}}", "ENTRY#{{created_at}}#{{entry_id}}"]
{ttl}[entity.Entry.fields]
account_id = {{ type = "key", ref = "Account"{exists} }}
entry_id   = "id"
created_at = "created"
body       = {{ type = "string", min = 1, max = {length} }}

[entity.Follow]
key = ["ACCOUNT#{{account_id}}", "FOLLOW#{{other_id}}"]
[entity.Follow.fields]
account_id = {{ type = "key", ref = "Account" }}
other_id   = {{ type = "key", ref = "Account"{exists} }}

[entity.Visit]
key = ["VISITS#{{account_id}}#{{seen_at:{period}}}{bucket_shards}", "{{seen_at}}#{{visit_id}}"]
[entity.Visit.fields]
account_id = {{ type = "key", ref = "Account" }}
visit_id   = "id"
seen_at    = "created"
page       = {{ type = "string", max = {length} }}

[pattern.open_account]
create = "Account"
[pattern.account]
get = "Account"
[pattern.rename_account]
update = "Account"
set = ["handle", "bio"]
[pattern.visit_account]
update = "Account"
add = {{ visits = 1 }}
[pattern.is_account]
check = "Account"
internal = true
[pattern.accounts]
query = "Account"
on = "GSI1"
{limit}
[pattern.write_entry]
create = "Entry"
[pattern.entries]
query = "Entry"
order = "{order}"
{limit}
[pattern.follow]
put = "Follow"
[pattern.follows]
query = "Follow"
[pattern.page]
parts = {{ account = "account", entries = "entries", follows = "follows" }}
[pattern.feed]
merge = {{ each = "follows", run = "entries", with = {{ account_id = "{{other_id}}" }}, by = "created_at"{bound} }}
[pattern.entries_of]
merge = {{ each = "account_id in others", run = "entries", with = {{ account_id = "{{account_id}}" }}, by = "created_at" }}
[pattern.bodies]
gather = {{ each = "one in others", run = "entries", with = {{ account_id = "{{one}}" }}, group = "body"{bound} }}
[pattern.visit_first]
claim = {{ each = "account in accounts", run = "visit_account" }}
[pattern.delete_entry]
delete = "Entry"
[pattern.visit_all]
bulk = {{ each = "account in accounts", run = "visit_account" }}
[pattern.clear]
bulk = {{ each = "entry in entries", run = "delete_entry" }}
[pattern.write_and_visit]
transaction = {{ entry = "write_entry", visit = "visit_account" }}
[pattern.follow_checked]
transaction = {{ follow = "follow", account = "is_account" }}
[pattern.follow_all]
transaction = {{ follow = {{ run = "follow", each = {{ other_id = "others" }}, max = 5 }} }}
[pattern.visits]
query = "Visit"
range = "seen_at"
order = ["newest", "oldest"]
empty = 9
{limit}
[pattern.visits_of_a_page]
query = "Visit"
range = "seen_at"
order = "newest"
filter = "page = {{page?}}"
[pattern.number_of_visits]
count = "Visit"
range = "seen_at"
[pattern.number_of_entries]
count = "Entry"
max = 5
[pattern.numbers]
parts = {{ visits = "number_of_visits", entries = "number_of_entries" }}
[pattern.copy_bio]
transaction = {{ from = {{ run = {{ get = "Account" }}, with = {{ account_id = "{{other_id}}" }} }}, to = {{ update = "Account", set = {{ bio = "{{from.bio}}" }}, add = {{ visits = 1 }} }} }}
[pattern.write_all]
transaction = {{ account = {{ check = "Account" }}, entries = {{ run = {{ create = "Entry", set = {{ account_id = "{{account.account_id}}", body = "{{one.body}}" }} }}, each = "one in bodies", max = 3 }} }}
[pattern.close_account]
delete = "Account"
"##
    )
    .unwrap();
}
