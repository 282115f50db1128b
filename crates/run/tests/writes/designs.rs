//! The designs of these tests.

/// Optional parts, `when`, shards, cut times, folded text, counters in keys, single and grouped unique fields, a time to
/// live that follows a field, and an index on fields themselves.
pub(crate) const TASKS: &str = r#"
design = "tasks"

[table]
key = ["PK", "SK"]
ttl = "expires_at"

[index]
GSI1     = ["GSI1PK", "GSI1SK"]
GSI2     = ["GSI2PK", "GSI2SK"]
GSI3     = ["GSI3PK", "GSI3SK"]
ByStatus = ["status", "rank"]

[entity.Task]
key    = ["TASK#{task_id}", "TASK"]
GSI1   = ["OWNER#{owner}", "{votes:06}#{task_id}"]
GSI2   = { key = ["FLAGGED#{shard:task_id/4}", "{due:month}#{title:fold}"], when = "flagged" }
GSI3   = { key = ["OPEN#{project}", "{status}#{updated_at}"], when = { status = ["new", "doing"] } }
unique = ["slug", ["project", "number"]]
ttl    = "10 days after due"

[entity.Task.fields]
task_id    = "key"
project    = "string"
title      = "string"
status     = { type = "string", enum = ["new", "doing", "done"], default = "new" }
flagged    = { type = "bool", default = false }
votes      = { type = "int", min = 0, max = 999999, default = 0 }
owner      = { type = "string", optional = true }
due        = { type = "time", optional = true }
rank       = { type = "int", optional = true }
slug       = { type = "string", optional = true }
number     = { type = "int", optional = true }
tags       = { type = "set", of = "string", max = 3, optional = true }
created_at = "created"
updated_at = "updated"

[pattern.create]
create = "Task"
[pattern.put]
put = "Task"
[pattern.edit]
update = "Task"
set = ["project", "title", "status", "flagged", "owner", "due", "rank", "slug", "number"]
[pattern.rename]
update = "Task"
set = ["slug"]
[pattern.vote]
update = "Task"
add = { votes = "{by}" }
[pattern.vote_and_flag]
update = "Task"
add = { votes = 1 }
set = { flagged = true }
[pattern.unassign]
update = "Task"
remove = ["owner"]
[pattern.finish]
update = "Task"
set = { status = "done" }
remove = ["due"]
if = "status <> 'done'"
[pattern.tag]
update = "Task"
add = { tags = "{tags}" }
[pattern.untag]
update = "Task"
subtract = { tags = "{tags}" }
[pattern.delete]
delete = "Task"
[pattern.delete_finished]
delete = "Task"
if = "status = 'done'"
[pattern.is_open]
check = "Task"
if = "status <> 'done'"

[pattern.vote_for_both]
transaction = { first = { run = "vote", with = { task_id = "{first_id}" } }, second = { run = "vote", with = { task_id = "{second_id}" } } }
[pattern.swap_slugs]
transaction = { one = { run = "edit", with = { task_id = "{one_id}", slug = "{one_slug}" } }, other = { run = "edit", with = { task_id = "{other_id}", slug = "{other_slug}" } } }
[pattern.replace]
transaction = { old = { run = "delete", with = { task_id = "{old_id}" } }, new = "create" }
[pattern.create_all]
transaction = { all = { run = "create", each = { task_id = "task_ids" } } }
[pattern.create_two]
transaction = { all = { run = "create", each = { task_id = "task_ids" }, max = 2 } }
[pattern.vote_if_open]
transaction = { open = { run = "is_open", with = { task_id = "{parent_id}" } }, vote = "vote" }
"#;

/// Made ids that later steps use, elements of a list, nested objects.
pub(crate) const KITCHEN: &str = r#"
design = "kitchen"

[table]
key = ["PK", "SK"]

[index]
GSI1 = ["GSI1PK", "GSI1SK"]

[entity.Group]
key    = ["GROUP#{group_id}", "GROUP"]
unique = ["name"]
[entity.Group.fields]
group_id   = "id"
name       = "string"
containers = { type = "int", default = 0 }

[entity.Container]
key  = ["CONTAINER#{container_id}", "CONTAINER"]
GSI1 = ["GROUP#{group_id}", "CONTAINER#{place.room}#{container_id}"]
[entity.Container.fields]
container_id = "id"
group_id     = { type = "key", ref = "Group" }
place        = { type = "object", fields = { room = "string", shelf = { type = "int", optional = true } } }
foods        = { type = "list", max = 4, key = "food_id", optional = true, of = { type = "object", fields = { food_id = "id", name = "string", amount = { type = "number", optional = true } } } }

[pattern.create_group]
create = "Group"
[pattern.rename_group]
update = "Group"
set = ["name"]
[pattern.count_container]
update = "Group"
add = { containers = 1 }
[pattern.create_container]
create = "Container"
[pattern.move_container]
update = "Container"
set = { "place.room" = "{room}" }
[pattern.add_food]
update = "Container"
insert = "foods"
[pattern.change_food]
update = "Container"
change = "foods"
[pattern.remove_food]
update = "Container"
drop = "foods"
[pattern.create_group_with_container]
transaction = { group = "create_group", container = { run = "create_container", with = { group_id = "{group.group_id}" } } }
[pattern.create_container_and_count]
transaction = { container = "create_container", group = "count_container" }
[pattern.rename_group_and_count]
transaction = { renamed = "rename_group", counted = { run = "count_container", with = { group_id = "{counted_id}" } } }
"#;
