//! The report's text and positions.

use proptest::prelude::*;

use super::*;

fn report(source: &str, mistakes: &[(Range<usize>, &str)]) -> Report {
    let mistakes = mistakes
        .iter()
        .map(|(span, message)| Mistake {
            span: span.clone().into(),
            message: (*message).to_owned(),
            help: None,
        })
        .collect();
    Report { file: "a.toml".to_owned(), source: source.to_owned(), mistakes }
}

#[test]
fn a_caret_stands_under_each_character_of_the_place() {
    let text = report("one = 1\ntwo = 22\n", &[(14..16, "too much")]).to_string();
    assert_eq!(
        text,
        "error: too much\n --> a.toml:2:7\n  |\n2 | two = 22\n  |       ^^\n\n1 error in a.toml"
    );
}

#[test]
fn tabs_marks_and_wide_letters_keep_the_carets_in_place() {
    let tab = report("\tkey = x", &[(7..8, "no")]).to_string();
    assert!(tab.contains("\n  | \t      ^\n"), "{tab}");
    let wide = report("名 = x", &[(6..7, "no")]).to_string();
    assert!(wide.contains("a.toml:1:5") && wide.contains("\n  |      ^\n"), "{wide}");
    let decomposed = report("a\u{302}\u{301} = x", &[(8..9, "no")]).to_string();
    assert!(decomposed.contains("\n  |     ^\n"), "{decomposed}");
}

#[test]
fn an_empty_file_and_the_end_of_a_file_have_a_place() {
    let empty = report("", &[(0..0, "nothing here")]).to_string();
    assert!(empty.contains(" --> a.toml:1:1\n  |\n1 | \n  | ^\n"), "{empty}");
    let end = report("a = 1\n", &[(6..6, "more wanted")]);
    assert_eq!(end.position(&end.mistakes[0]), Position { line: 2, column: 1 });
}

#[test]
fn a_long_line_is_cut_around_the_place() {
    let source = format!("{}x{}", "a".repeat(100_000), "b".repeat(100_000));
    let text = report(&source, &[(100_000..100_001, "here")]).to_string();
    assert!(text.len() < 1_000, "{}", text.len());
    assert!(text.contains("axb"), "{text}");
    assert!(text.contains("a.toml:1:100001"), "{text}");
}

#[test]
fn a_windows_line_break_and_control_characters_are_not_printed() {
    let text = report("a = \u{1b}[2J\r\nb = 1\r\n", &[(0..1, "no")]).to_string();
    assert!(!text.contains('\r') && !text.contains('\u{1b}'), "{text:?}");
}

proptest! {
    #[test]
    fn any_place_in_any_text_can_be_shown(source in ".{0,40}(\n.{0,40}){0,4}", start in 0_usize..300, length in 0_usize..300) {
        let report = report(&source, &[(start..start + length, "m")]);
        let position = report.position(&report.mistakes[0]);
        prop_assert!(position.line >= 1 && position.column >= 1);
        let place = format!("a.toml:{}:{}", position.line, position.column);
        prop_assert!(report.to_string().contains(&place));
    }
}
