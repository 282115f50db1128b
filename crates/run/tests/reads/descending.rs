//! Descending parts of keys: the highest first, within a key that is read forwards.

use std::cmp::Reverse;

use proptest::prelude::*;
use singlet_design::load;

use crate::backend::cases;
use crate::fixture::Data;

/// Scores by points, the highest first; among equal ones, the earliest is first. The index has only keys, so the answers
/// are read back from them.
const BOARD: &str = r#"
design = "board"
[table]
key = ["PK", "SK"]
[index]
GSI1 = { key = ["GSI1PK", "GSI1SK"], project = "keys" }
GSI2 = ["GSI2PK", "GSI2SK"]

[entity.Score]
key  = ["SCORE#{id}", "SCORE"]
GSI1 = ["BOARD#{game}#{shard:id/3}", "{points:+06.1:desc}#{at}#{id}"]
GSI2 = ["GAME#{game}", "{day:desc}#{at:desc}#{id}"]
[entity.Score.fields]
game   = "key"
points = { type = "number", min = -999, max = 999 }
day    = "date"
at     = "time"
id     = "key"

[pattern.board]
query = "Score"
on    = "GSI1"
[pattern.highest]
query = "Score"
on    = "GSI1"
order = "highest"
[pattern.either]
query = "Score"
on    = "GSI1"
order = ["lowest", "highest"]
[pattern.between]
query = "Score"
on    = "GSI1"
range = "points"
order = "highest"
[pattern.days]
query = "Score"
on    = "GSI2"
range = "day"
order = "newest"
[pattern.of_day]
query = "Score"
on    = "GSI2"
match = ["day"]
range = "at"
[pattern.of_games]
merge = { each = "game in games", run = "board", with = { game = "{game}" }, by = "points" }
"#;
const DAYS: [&str; 3] = ["2025-01-09", "2025-01-10", "2024-12-31"];

#[derive(Debug, Clone)]
struct Score {
    game: String,
    /// The points in tenths.
    tenths: i64,
    day: usize,
    second: u8,
    id: String,
}

impl Score {
    fn points(&self) -> String {
        let (sign, tenths) = (if self.tenths < 0 { "-" } else { "" }, self.tenths.abs());
        let text = format!("{sign}{}.{}", tenths / 10, tenths % 10);
        text.trim_end_matches(".0").to_owned()
    }

    fn at(&self) -> String {
        format!("{}T00:00:{:02}.000Z", DAYS[self.day], self.second)
    }
}

fn scores() -> impl Strategy<Value = Vec<Score>> {
    let tenths = prop_oneof![-9990_i64..=9990, -20_i64..=20];
    let one = (0..3_u8, tenths, 0..DAYS.len(), 0..60_u8);
    prop::collection::vec(one, 1..25).prop_map(|all| {
        let score = |(id, (game, tenths, day, second))| Score {
            game: format!("g{game}"),
            tenths,
            day,
            second,
            id: format!("{id:02}"),
        };
        all.into_iter().enumerate().map(score).collect()
    })
}

fn data(scores: &[Score]) -> Data {
    let data = Data::new(BOARD);
    for score in scores {
        let (points, at) = (score.points(), score.at());
        let fields = [
            ("game", score.game.as_str()),
            ("points", &points),
            ("day", DAYS[score.day]),
            ("at", &at),
            ("id", &score.id),
        ];
        data.put("Score", &fields);
    }
    data
}

/// A field of these scores, sorted.
fn sorted<'a, K: Ord>(
    scores: impl Iterator<Item = &'a Score>,
    key: impl Fn(&'a Score) -> K,
    field: impl Fn(&Score) -> String,
) -> Vec<String> {
    let mut scores: Vec<&Score> = scores.collect();
    scores.sort_by_key(|score| key(score));
    scores.into_iter().map(field).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(32), ..ProptestConfig::default() })]

    #[test]
    fn the_highest_come_first_and_equal_ones_in_ascending_order(
        scores in scores(),
        limit in 1_u32..6,
        ends in (-9990_i64..=9990, -9990_i64..=9990),
    ) {
        let data = data(&scores);
        let in_order = |score: &Score| (Reverse(score.tenths), score.at(), score.id.clone());
        let of_game = || scores.iter().filter(|score| score.game == "g0");
        let game = [("game", "g0")];
        for pattern in ["board", "highest"] {
            let ids = sorted(of_game(), in_order, |score| score.id.clone());
            prop_assert_eq!(data.pages(pattern, &game, limit, "id"), ids);
            let points = sorted(of_game(), in_order, Score::points);
            prop_assert_eq!(data.pages(pattern, &game, limit, "points"), points, "read back from the key");
        }
        let mut lowest = sorted(of_game(), in_order, |score| score.id.clone());
        let chosen = [("game", "g0"), ("order", "highest")];
        prop_assert_eq!(&data.pages("either", &chosen, limit, "id"), &lowest);
        lowest.reverse();
        prop_assert_eq!(data.pages("either", &game, limit, "id"), lowest);

        let (from, to) = (ends.0.min(ends.1), ends.0.max(ends.1));
        let text = |tenths| Score { tenths, ..scores[0].clone() }.points();
        let inside = of_game().filter(|score| (from..=to).contains(&score.tenths));
        let arguments = [("game", "g0"), ("from", &text(from)), ("to", &text(to))];
        let ids = sorted(inside, in_order, |score| score.id.clone());
        prop_assert_eq!(data.pages("between", &arguments, limit, "id"), ids);

        let points = sorted(scores.iter(), |score| Reverse(score.tenths), Score::points);
        let games = [("games", r#"["g0", "g1", "g2"]"#)];
        prop_assert_eq!(data.pages("of_games", &games, limit, "points"), points, "merged");
    }

    #[test]
    fn times_and_dates_come_newest_first_within_their_ends(
        scores in scores(),
        limit in 1_u32..6,
        ends in (0..60_u8, 0..60_u8),
    ) {
        let data = data(&scores);
        let of_game = || scores.iter().filter(|score| score.game == "g0");
        let in_order = |score: &Score| (Reverse((DAYS[score.day], score.second)), score.id.clone());
        let ids = sorted(of_game(), in_order, |score| score.id.clone());
        prop_assert_eq!(data.pages("days", &[("game", "g0")], limit, "id"), ids);
        let inside = of_game().filter(|score| score.day < 2);
        let january = [("game", "g0"), ("from", "2025-01-01"), ("to", "2025-01-10")];
        let ids = sorted(inside, in_order, |score| score.id.clone());
        prop_assert_eq!(data.pages("days", &january, limit, "id"), ids);

        let (from, to) = (ends.0.min(ends.1), ends.0.max(ends.1));
        let at = |second| Score { day: 1, second, ..scores[0].clone() }.at();
        let arguments = [("game", "g0"), ("day", DAYS[1]), ("from", &at(from)), ("to", &at(to))];
        let inside = of_game().filter(|score| score.day == 1 && (from..=to).contains(&score.second));
        let ids = sorted(inside, in_order, |score| score.id.clone());
        prop_assert_eq!(data.pages("of_day", &arguments, limit, "id"), ids);
    }
}

#[test]
fn buckets_are_not_walked_against_the_order_of_their_items() {
    let walk = r#"
design = "log"
[table]
key = ["PK", "SK"]
[entity.Entry]
key    = ["LOG#{at:day}", "{at:desc}#{id}"]
fields = { at = "time", id = "key" }
[pattern.entries]
query = "Entry"
range = "at"
"#;
    let report = load("log.toml", walk).unwrap_err().to_string();
    assert!(report.contains("buckets of `at` can't be walked in the order of a descending part"), "{report}");
}
