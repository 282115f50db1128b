//! Stages of an item's life: a status agrees with the item's age, and times with the status.

use super::dice::Dice;
use super::names::words_of;

/// Days that an item stays in a stage.
const STAGE_DAYS: u64 = 2;

/// How far an item has come.
#[derive(Debug, Clone)]
pub(super) struct Stage {
    pub(super) field: String,
    choices: Vec<String>,
    reached: usize,
}

impl Stage {
    /// The stage of an item of this age. The choices are in the order in which an item passes them.
    pub(super) fn new(dice: &mut Dice, field: &str, choices: &[String], age_days: u64) -> Stage {
        let (bad, good): (Vec<usize>, Vec<usize>) =
            (0..choices.len()).partition(|at| choices.get(*at).is_some_and(|choice| is_bad(choice)));
        let by_age = usize::try_from(age_days / STAGE_DAYS).unwrap_or(usize::MAX);
        let furthest = by_age.min(good.len().saturating_sub(1));
        // Some things stay behind.
        let place = if dice.chance(75) { furthest } else { dice.place(furthest + 1) };
        let ends_badly = by_age > 0 && !bad.is_empty() && (dice.chance(8) || good.is_empty());
        let reached = match ends_badly {
            true => bad.get(dice.place(bad.len())),
            false => good.get(place),
        };
        Stage {
            field: field.to_owned(),
            choices: choices.to_vec(),
            reached: reached.copied().unwrap_or_default(),
        }
    }

    /// The value of the field.
    pub(super) fn value(&self) -> &str {
        self.choices.get(self.reached).map(String::as_str).unwrap_or_default()
    }

    /// Whether an item of this stage has the field; `None` if its name doesn't speak of stages.
    pub(super) fn has(&self, field: &str) -> Option<bool> {
        let words = words_of(field);
        if !words.iter().any(|word| matches!(word.as_str(), "at" | "on" | "date" | "time" | "by")) {
            return None;
        }
        let answered = ["responded", "answered", "reviewed", "resolved", "decided", "closed", "ended"];
        if words.iter().any(|word| answered.contains(&word.as_str())) {
            return Some(self.reached > 0);
        }
        let stage = self.choices.iter().position(|choice| words.contains(&choice.to_lowercase()))?;
        let is_passed =
            stage <= self.reached && !self.choices.get(stage).is_some_and(|choice| is_bad(choice));
        Some(stage == self.reached || (is_passed && !is_bad(self.value())))
    }
}

/// Whether the field tells a stage.
pub(super) fn is_stage(name: &str) -> bool {
    words_of(name).iter().any(|word| matches!(word.as_str(), "status" | "state" | "stage" | "phase"))
}

/// Whether something ended otherwise than it was meant to.
fn is_bad(choice: &str) -> bool {
    let bad = [
        "cancelled",
        "canceled",
        "rejected",
        "declined",
        "failed",
        "refunded",
        "expired",
        "removed",
        "deleted",
        "returned",
        "banned",
        "blocked",
        "abandoned",
        "lost",
    ];
    bad.contains(&choice.to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(age_days: u64, seed: u64) -> Stage {
        let choices = ["pending", "paid", "shipped", "delivered", "cancelled"].map(str::to_owned);
        Stage::new(&mut Dice::new(seed), "status", &choices, age_days)
    }

    #[test]
    fn a_young_item_has_not_come_far() {
        for seed in 0..50 {
            assert_eq!(order(0, seed).value(), "pending");
            assert!(["pending", "paid", "cancelled"].contains(&order(3, seed).value()));
        }
        let old: Vec<String> = (0..200).map(|seed| order(60, seed).value().to_owned()).collect();
        let count = |value: &str| old.iter().filter(|one| *one == value).count();
        assert!(count("delivered") > 120 && count("cancelled") > 5, "{old:?}");
    }

    #[test]
    fn times_agree_with_the_stage() {
        let stage = |reached| Stage { reached, ..order(0, 1) };
        assert_eq!(stage(2).has("paid_at"), Some(true));
        assert_eq!(stage(2).has("deliveredAt"), Some(false));
        assert_eq!(stage(4).has("delivered_at"), Some(false));
        assert_eq!(stage(4).has("cancelled_at"), Some(true));
        assert_eq!(stage(2).has("updated_at"), None);
        assert_eq!(stage(2).has("paid"), None);
    }
}
