//! The reviews of the transcribed documents are kept word for word.

use super::files::{designs_in, keep};

#[test]
fn the_review_of_each_document_is_as_kept() {
    let designs = designs_in("designs/as-written");
    assert_eq!(designs.len(), 5);
    for design in designs {
        keep(&format!("crates/review/tests/review/{}.txt", design.name), &design.text());
    }
}
