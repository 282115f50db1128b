//! The designs that the project ships have no errors and explain every warning.

use singlet_review::Severity;

use super::files::designs_in;

#[test]
fn our_designs_have_no_error_and_explain_every_warning() {
    let alarms: Vec<String> = designs_in("designs").iter().flat_map(|design| design.alarms()).collect();
    assert!(alarms.is_empty(), "{}", alarms.join("\n"));
}

#[test]
fn our_designs_allow_no_error_away() {
    for design in designs_in("designs") {
        let errors =
            design.review.allowed.iter().filter(|allowed| allowed.finding.severity == Severity::Error);
        let errors: Vec<&str> = errors.map(|allowed| allowed.finding.message.as_str()).collect();
        assert!(errors.is_empty(), "{}: {errors:#?}", design.path);
    }
}
