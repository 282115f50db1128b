//! A design as large as they get, made up: the measurements of `singlet-bench review` use it too.

use std::fmt::Write as _;

/// A design with so many entities and patterns.
pub(crate) fn large_design(entities: usize, patterns: usize) -> String {
    let mut text = String::from(
        "design = \"large\"\n\n[table]\nkey = [\"PK\", \"SK\"]\n\n[index]\nGSI1 = [\"GSI1PK\", \"GSI1SK\"]\n\
         GSI2 = [\"GSI2PK\", \"GSI2SK\"]\n",
    );
    for number in 0..entities {
        // Every fifth has a constant key, every seventh a list without end: there must be something to find.
        let feed = if number % 5 == 0 { "FEED" } else { "KIND#{kind}" };
        let tags = if number % 7 == 0 { "" } else { ", max = 20" };
        let parent = number.saturating_sub(1);
        // Writing into a string can't fail.
        let _ = write!(
            text,
            r##"
[entity.E{number}]
key  = ["E{parent}#{{owner_id}}", "E{number}#{{created_at}}#{{id}}"]
GSI1 = ["E{number}#{feed}", "{{created_at}}#{{id}}"]
GSI2 = ["NAME#{number}#{{name:fold}}", "{{id}}"]

[entity.E{number}.fields]
id         = "id"
owner_id   = {{ type = "key", ref = "E{parent}" }}
kind       = {{ type = "string", enum = ["a", "b", "c"] }}
name       = {{ type = "string", max = 80 }}
created_at = "created"
total      = {{ type = "int", default = 0 }}
tags       = {{ type = "set", of = "string"{tags} }}
"##
        );
    }
    for number in 0..patterns {
        let entity = number % entities.max(1);
        let body = match number / entities.max(1) {
            0 => format!("create = \"E{entity}\""),
            1 => format!("query = \"E{entity}\"\non = \"GSI1\"\norder = \"newest\"\nlimit = 20"),
            2 if number % 2 == 0 => {
                format!("update = \"E{entity}\"\nset = [\"name\", \"kind\"]\nadd = {{ total = 1 }}")
            }
            _ => format!("query = \"E{entity}\"\nfilter = \"kind = 'a'\""),
        };
        let _ = write!(text, "\n[pattern.p{number}]\n{body}\nrate = \"{}/s\"\n", number % 300 + 1);
    }
    text
}
