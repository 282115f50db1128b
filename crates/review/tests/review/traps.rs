//! The traps that are known to be in the seeds, and what shows each of them.

use super::files::{Held, designs_in};

/// A mistake in the seeds that a good review finds.
pub(crate) struct Trap {
    /// What is wrong, in a sentence.
    pub(crate) about: &'static str,
    pub(crate) shown_by: ShownBy,
}

/// How a trap comes to light.
pub(crate) enum ShownBy {
    /// By these findings.
    Findings(&'static [Shown]),
    /// By another part of the product, and why.
    Another(&'static str),
}

/// A finding of a rule about a subject of a design.
pub(crate) struct Shown {
    pub(crate) design: &'static str,
    pub(crate) rule: &'static str,
    pub(crate) subject: &'static str,
}

const fn shown(design: &'static str, rule: &'static str, subject: &'static str) -> Shown {
    Shown { design, rule, subject }
}

impl Shown {
    /// As the document has it.
    pub(crate) fn text(&self) -> String {
        format!("{}: `{}` on {}", self.design, self.rule, self.subject)
    }

    fn is_in(&self, designs: &[Held]) -> bool {
        designs.iter().filter(|design| design.name == self.design).any(|design| {
            design.review.findings.iter().any(|finding| {
                finding.rule == self.rule
                    && finding.subjects.iter().any(|subject| subject.to_string() == self.subject)
            })
        })
    }
}

/// Every trap, in the order in which the catalogue of the seeds lists them.
pub(crate) static TRAPS: &[Trap] = &[
    Trap {
        about: "One attribute `GSI2PK` can't hold `METHOD#…`, `CUISINE#…`, `MEALTYPE#…` and `APPROVED` of one recipe at a time.",
        shown_by: ShownBy::Findings(&[
            shown("smart-cooking", "index-contention", "pattern recipes_by_cuisine"),
            shown("smart-cooking", "index-contention", "pattern recipes_by_meal"),
            shown("smart-cooking", "index-contention", "pattern approved_recipes"),
            shown("smart-cooking", "index-contention", "pattern personal_feed"),
        ]),
    },
    Trap {
        about: "Numbers as plain text in sort keys, `RECIPE#4.5#…` and `TOTAL#5#…`, sort wrongly from 10 on.",
        shown_by: ShownBy::Findings(&[
            shown("smart-cooking", "number-in-text", "Recipe"),
            shown("smart-cooking", "number-in-text", "IngredientReport"),
        ]),
    },
    Trap {
        about: "`SUGGESTION#<timestamp>` without an id: two in one instant overwrite each other.",
        shown_by: ShownBy::Findings(&[shown("smart-cooking", "key-collision", "Suggestion")]),
    },
    Trap {
        about: "A counter in an index key, `average_rating` and `total_reports`: each vote rewrites the index entry.",
        shown_by: ShownBy::Findings(&[
            shown("smart-cooking", "mutable-key", "pattern count_rating"),
            shown("smart-cooking", "mutable-key", "pattern count_report"),
        ]),
    },
    Trap {
        about: "`FEED`, `FEED#PUBLIC`, `APPROVED`, `INGREDIENT#SEARCH`, `REPORTS#PENDING`, `RECENT#<month>`: constant or \
                time-only partition keys.",
        shown_by: ShownBy::Findings(&[
            shown("social", "constant-partition", "Post"),
            shown("smart-cooking", "constant-partition", "Post"),
            shown("smart-cooking", "constant-partition", "pattern approved_recipes"),
            shown("smart-cooking", "constant-partition", "MasterIngredient"),
            shown("smart-cooking", "constant-partition", "IngredientReport"),
            shown("smart-cooking", "time-partition", "CookingHistory"),
        ]),
    },
    Trap {
        about: "User names and e-mail addresses that are looked up by an index are not thereby unique.",
        shown_by: ShownBy::Findings(&[
            shown("social", "unique-by-index", "pattern user_by_username"),
            shown("social", "unique-by-index", "pattern user_by_email"),
            shown("nishiki", "unique-by-index", "pattern get_user_by_email"),
        ]),
    },
    Trap {
        about: "`Foods` is a list that grows without bound in one item.",
        shown_by: ShownBy::Findings(&[shown("nishiki", "unbounded-list", "Container")]),
    },
    Trap {
        about: "A prefix without its separator, `begins_with ORDER`, also matches `ORDERS…`.",
        shown_by: ShownBy::Findings(&[
            shown("shop", "prefix-overlap", "pattern customer_orders"),
            shown("shop", "prefix-overlap", "pattern order_items"),
            shown("shop", "prefix-overlap", "pattern customer_addresses"),
        ]),
    },
    Trap {
        about: "`INGREDIENT#` is a partition prefix (master), a sort prefix under USER and a sort prefix under RECIPE.",
        shown_by: ShownBy::Findings(&[
            shown("smart-cooking", "prefix-overlap", "MasterIngredient"),
            shown("smart-cooking", "prefix-overlap", "UserIngredient"),
            shown("smart-cooking", "prefix-overlap", "RecipeIngredient"),
        ]),
    },
    Trap {
        about: "Indexes that project everything for patterns that read keys only.",
        shown_by: ShownBy::Findings(&[shown("social", "projection-wide", "index GSI2")]),
    },
    Trap {
        about: "Filters after reading (`status = accepted`) where a sparse key would do.",
        shown_by: ShownBy::Findings(&[shown("smart-cooking", "filter", "pattern friends")]),
    },
    Trap {
        about: "The price estimate counts requests but neither item sizes nor the three index writes behind each write.",
        shown_by: ShownBy::Another(
            "No rule: it belongs to the capacity plan. Sizes, and the index writes behind each write, are in the arithmetic that \
             the review shares with it; `missing-rate` and `missing-size` say what the plan will lack.",
        ),
    },
    Trap {
        about: "An MD5 of group id and expiry as an invitation secret can be guessed.",
        shown_by: ShownBy::Findings(&[shown("nishiki", "weak-secret", "Invitation")]),
    },
    Trap {
        about: "Seed 2 names one index three ways and gives it another index's key in a note.",
        shown_by: ShownBy::Another(
            "The language: an index has one name and one key, and `on` is refused if it names another. The transcription \
             had to choose, and says so.",
        ),
    },
];

#[test]
fn every_trap_of_the_seeds_is_found_by_its_rule_on_its_subject() {
    let designs = designs_in("designs/as-written");
    let absent = findings().filter(|shown| !shown.is_in(&designs));
    assert_eq!(absent.map(Shown::text).collect::<Vec<_>>(), Vec::<String>::new());
}

fn findings() -> impl Iterator<Item = &'static Shown> {
    TRAPS.iter().flat_map(|trap| match &trap.shown_by {
        ShownBy::Findings(findings) => *findings,
        ShownBy::Another(_) => &[],
    })
}
