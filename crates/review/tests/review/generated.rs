//! Generated designs: sound enough to load, and careless enough to have findings.

use std::fmt::Write as _;

/// A small random number generator. The same seed makes the same design.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        // Splitmix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut value = self.0;
        value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (value ^ (value >> 31)) % sides
    }

    fn one_of<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[usize::try_from(self.roll(choices.len() as u64)).unwrap()]
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.roll(100) < percent
    }
}

/// A design with one to four entities in one table with up to three indexes.
pub(crate) fn generated_design(seed: u64) -> String {
    let mut dice = Dice(seed.wrapping_mul(7919) + 1);
    let indexes = dice.roll(3) + 1;
    let mut text = String::from("design = \"made-up\"\n\n[table]\nkey = [\"PK\", \"SK\"]\n");
    if dice.chance(50) {
        text.push_str("ttl = \"expires_at\"\n");
    }
    text.push_str("\n[index]\n");
    for index in 1..=indexes {
        let projected = dice.chance(25);
        let key = format!("[\"GSI{index}PK\", \"GSI{index}SK\"]");
        if projected {
            writeln!(text, "GSI{index} = {{ key = {key}, project = [\"name\"] }}").unwrap();
        } else {
            writeln!(text, "GSI{index} = {key}").unwrap();
        }
    }
    let entities = dice.roll(4) + 1;
    for entity in 0..entities {
        let read = entity_text(&mut dice, &mut text, entity, indexes);
        patterns_text(&mut dice, &mut text, entity, &read);
    }
    text
}

/// Writes an entity and returns the indexes that it is in.
fn entity_text(dice: &mut Dice, text: &mut String, entity: u64, indexes: u64) -> Vec<u64> {
    let parent = entity.saturating_sub(1);
    let partition = match dice.roll(5) {
        0 => format!("E{entity}"),
        1 => format!("E{entity}#{{created_at:day}}"),
        2 => format!("E{entity}#{{number}}"),
        _ => format!("E{parent}#{{owner_id}}"),
    };
    let sort = dice.one_of(&["{id}", "{created_at}#{id}", "{created_at}", "{rank}#{id}", "{number}#{id}"]);
    writeln!(text, "\n[entity.E{entity}]\nkey = [\"{partition}\", \"E{entity}#{sort}\"]").unwrap();
    let mut read = Vec::new();
    for index in 1..=indexes {
        if dice.chance(70) {
            let partition =
                dice.one_of(&["FEED", "K#{kind}", "N#{name:fold}", "O#{owner_id}", "D#{created_at:day}"]);
            let sort = dice.one_of(&[
                "{created_at}#{id}",
                "{score}#{id}",
                "{likes:010}#{id}",
                "{id}",
                "{note}#{id}",
            ]);
            writeln!(text, "GSI{index} = [\"E{entity}#{partition}\", \"{sort}\"]").unwrap();
            read.push(index);
        }
    }
    let list_max = if dice.chance(50) { ", max = 20" } else { "" };
    let least = dice.one_of(&["", ", min = 0", ", min = 1, max = 4", ", min = 0, max = 500"]);
    writeln!(
        text,
        r##"
[entity.E{entity}.fields]
id         = "id"
owner_id   = {{ type = "key", ref = "E{parent}" }}
kind       = {{ type = "string", enum = ["a", "b", "c"] }}
name       = {{ type = "string", max = 80 }}
note       = {{ type = "string", optional = true }}
created_at = "created"
number     = "int"
rank       = {{ type = "int"{least} }}
score      = {{ type = "number", min = 0, max = 5 }}
likes      = {{ type = "int", default = 0, min = 0 }}
done       = {{ type = "bool", default = false }}
tags       = {{ type = "set", of = "string"{list_max} }}"##
    )
    .unwrap();
    read
}

fn patterns_text(dice: &mut Dice, text: &mut String, entity: u64, read: &[u64]) {
    let rate = |dice: &mut Dice| {
        let rate = dice.one_of(&["", "rate = \"5/s\"\n", "rate = \"900/s\"\n", "rate = \"5000/s\"\n"]);
        let busiest = if !rate.is_empty() && dice.chance(40) { "busiest = \"30%\"\n" } else { "" };
        format!("{rate}{busiest}")
    };
    write!(text, "\n[pattern.create{entity}]\ncreate = \"E{entity}\"\n{}", rate(dice)).unwrap();
    if dice.chance(60) {
        let change = dice.one_of(&[
            "add = { likes = 1 }",
            "set = [\"name\"]",
            "set = [\"score\"]\nadd = { likes = 1 }",
        ]);
        write!(text, "\n[pattern.change{entity}]\nupdate = \"E{entity}\"\n{change}\n{}", rate(dice)).unwrap();
    }
    let limit = if dice.chance(50) { "limit = 20\n" } else { "" };
    let filter = if dice.chance(30) { "filter = \"done = true\"\n" } else { "" };
    write!(text, "\n[pattern.list{entity}]\nquery = \"E{entity}\"\n{limit}{filter}{}", rate(dice)).unwrap();
    for index in read {
        let body = match dice.roll(5) {
            0 => continue,
            1 => format!("get = \"E{entity}\"\non = \"GSI{index}\"\n"),
            2 => format!(
                "query = \"E{entity}\"\non = \"GSI{index}\"\nkey = [\"OTHER#{{owner_id}}\"]\norder = \"newest\"\n"
            ),
            3 => format!("query = \"E{entity}\"\non = \"GSI{index}\"\norder = \"highest\"\nlimit = 20\n"),
            _ => format!("query = \"E{entity}\"\non = \"GSI{index}\"\n"),
        };
        write!(text, "\n[pattern.by{entity}_{index}]\n{body}{}", rate(dice)).unwrap();
    }
}
