//! The seeds as they were written: what the review says about them is kept, word by word.

use super::files::{designs_in, keep};

#[test]
fn the_review_of_each_seed_is_as_it_is_kept() {
    let designs = designs_in("designs/as-written");
    assert_eq!(designs.len(), 5);
    for design in designs {
        keep(&format!("crates/review/tests/review/{}.txt", design.name), &design.text());
    }
}
