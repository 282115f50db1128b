//! Sound designs after well-known examples. The review must report neither errors nor warnings.

use super::files::designs_in;

#[test]
fn good_designs_raise_no_alarm() {
    let designs = designs_in("crates/design/tests/good");
    assert!(designs.len() >= 6);
    let alarms: Vec<String> = designs.iter().flat_map(|design| design.alarms()).collect();
    assert!(alarms.is_empty(), "{}", alarms.join("\n"));
}

#[test]
fn good_designs_need_no_allowance() {
    for design in designs_in("crates/design/tests/good") {
        assert!(design.review.allowed.is_empty(), "{}", design.path);
    }
}
