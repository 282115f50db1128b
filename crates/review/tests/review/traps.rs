//! The known mistakes of the transcribed documents, and the findings that show them.

use super::files::{Held, designs_in};

/// A mistake in a document that a review should find.
pub(crate) struct Trap {
    /// The mistake in a sentence.
    pub(crate) about: &'static str,
    pub(crate) shown_by: ShownBy,
}

/// The part of the product that shows a mistake.
pub(crate) enum ShownBy {
    /// These findings.
    Findings(&'static [Shown]),
    /// Another part, with the reason.
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
    /// The text on the page.
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

/// All known mistakes.
pub(crate) static TRAPS: &[Trap] = &[
    Trap {
        about: "One attribute `GSI2PK` can't hold `METHOD#…`, `CUISINE#…`, `MEALTYPE#…` and `APPROVED` of a recipe at the same time.",
        shown_by: ShownBy::Findings(&[
            shown("smart-cooking", "index-contention", "pattern recipes_by_cuisine"),
            shown("smart-cooking", "index-contention", "pattern recipes_by_meal"),
            shown("smart-cooking", "index-contention", "pattern approved_recipes"),
            shown("smart-cooking", "index-contention", "pattern personal_feed"),
        ]),
    },
    Trap {
        about: "Numbers as plain text in sort keys, `RECIPE#4.5#…` and `TOTAL#5#…`, sort wrongly above 9.",
        shown_by: ShownBy::Findings(&[
            shown("smart-cooking", "number-in-text", "Recipe"),
            shown("smart-cooking", "number-in-text", "IngredientReport"),
        ]),
    },
    Trap {
        about: "`SUGGESTION#<timestamp>` has no id, so two suggestions at the same instant overwrite each other.",
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
        about: "An index on user names and e-mail addresses doesn't make them unique.",
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
        about: "`INGREDIENT#` begins the partition keys of master ingredients, and sort keys under both `USER` and `RECIPE`.",
        shown_by: ShownBy::Findings(&[
            shown("smart-cooking", "prefix-overlap", "MasterIngredient"),
            shown("smart-cooking", "prefix-overlap", "UserIngredient"),
            shown("smart-cooking", "prefix-overlap", "RecipeIngredient"),
        ]),
    },
    Trap {
        about: "Indexes project everything for patterns that read only keys.",
        shown_by: ShownBy::Findings(&[shown("social", "projection-wide", "index GSI2")]),
    },
    Trap {
        about: "A filter after reading (`status = accepted`) takes the place of a sparse index key.",
        shown_by: ShownBy::Findings(&[shown("smart-cooking", "filter", "pattern friends")]),
    },
    Trap {
        about: "The price estimate counts requests, but neither item sizes nor the three index writes of each write.",
        shown_by: ShownBy::Another(
            "No rule, because this belongs to the capacity plan. The review and the plan share the arithmetic for sizes and \
             index writes. `missing-rate` and `missing-size` report the numbers that a plan would lack.",
        ),
    },
    Trap {
        about: "The secret of an invitation is an MD5 of group id and expiry, which can be guessed.",
        shown_by: ShownBy::Findings(&[shown("nishiki", "weak-secret", "Invitation")]),
    },
    Trap {
        about: "The document of Nishiki has three names for one index, and a note gives it the key of another index.",
        shown_by: ShownBy::Another(
            "The language: an index has one name and one key, and `on` with another name is refused. The transcription \
             had to choose, and a comment says so.",
        ),
    },
];

#[test]
fn every_known_mistake_is_found_by_its_rule_on_its_subject() {
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
