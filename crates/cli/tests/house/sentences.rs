//! Sentences that readers stumble over, in comments and in Markdown.

use crate::code::File;

const OPENINGS: [&str; 4] = ["What ", "Who ", "Whoever ", "Whose "];

/// Finds the sentences of a file that open like a question without being one, or that say "is no" before a noun.
pub(crate) fn stumbling(file: &File) -> Vec<String> {
    let paragraphs = if file.path.ends_with(".rs") {
        let comments = file.text.lines().map(comment).collect::<Vec<_>>();
        paragraphs(comments.into_iter())
    } else {
        paragraphs(file.text.lines().map(Some))
    };
    let mut found = Vec::new();
    for (line, paragraph) in paragraphs {
        for sentence in sentences(&paragraph).filter(|sentence| is_stumbling(sentence)) {
            let shown: String = sentence.chars().take(90).collect();
            found.push(format!("{}:{line}: {shown}", file.path));
        }
    }
    found
}

/// The text of a comment that fills its line or stands behind code.
fn comment(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let text = match line.strip_prefix("//") {
        Some(text) => text,
        None => line.split_once(" // ")?.1,
    };
    Some(text.trim_start_matches(['/', '!']))
}

/// Joins lines to paragraphs, with the number of the first line. Items of lists and cells of tables are paragraphs of
/// their own, and fenced code is left out.
fn paragraphs<'t>(lines: impl Iterator<Item = Option<&'t str>>) -> Vec<(usize, String)> {
    let mut found: Vec<(usize, String)> = Vec::new();
    let (mut goes_on, mut is_fenced) = (false, false);
    for (number, line) in (1..).zip(lines) {
        let text = line.unwrap_or_default().trim();
        if text.starts_with("```") {
            is_fenced = !is_fenced;
        }
        if line.is_none() || text.is_empty() || is_fenced || text.starts_with("```") {
            is_fenced &= line.is_some();
            goes_on = false;
            continue;
        }
        let plain = text.trim_start_matches(['-', '*', '#', '>', '_', ' ']);
        if text.starts_with('|') {
            found.extend(text.split('|').map(|cell| (number, cell.trim().to_owned())));
            goes_on = false;
        } else if let (true, true, Some((_, last))) = (goes_on, plain == text, found.last_mut()) {
            last.push(' ');
            last.push_str(text);
        } else {
            found.push((number, plain.to_owned()));
            // A heading is one line.
            goes_on = !text.starts_with('#');
        }
    }
    found
}

/// Splits a paragraph behind full stops, question marks and exclamation marks.
fn sentences(paragraph: &str) -> impl Iterator<Item = &str> {
    let is_end = |(at, _): &(usize, &str)| paragraph.get(at + 1..).is_some_and(|rest| rest.starts_with(' '));
    let ends = paragraph.match_indices(['.', '?', '!']).filter(is_end).map(|(at, _)| at + 1);
    let mut from = 0;
    ends.chain([paragraph.len()]).collect::<Vec<_>>().into_iter().map(move |to| {
        let sentence = paragraph.get(from..to).unwrap_or_default().trim();
        from = to;
        sentence
    })
}

fn is_stumbling(sentence: &str) -> bool {
    let opens = OPENINGS.iter().filter_map(|word| sentence.strip_prefix(word));
    let is_opening = opens.into_iter().any(|rest| rest.starts_with(|c: char| c.is_ascii_lowercase()));
    let is_question = sentence.trim_end_matches(['*', '_', '"', ')']).ends_with('?');
    is_opening && !is_question || says_is_no(sentence)
}

/// Whether a sentence says that something "is no" something else. "There is no" and "is no longer" are plain.
fn says_is_no(sentence: &str) -> bool {
    sentence.match_indices(" is no ").any(|(at, words)| {
        let (before, after) = (sentence.split_at(at).0, sentence.split_at(at + words.len()).1);
        let is_plain = before.to_lowercase().ends_with("there") || after.starts_with("longer");
        !is_plain && after.starts_with(|c: char| c.is_ascii_lowercase())
    })
}

#[test]
fn sentences_are_found_in_comments_and_pages() {
    let found =
        |path: &str, text: &str| stumbling(&File { path: path.to_owned(), text: text.to_owned() }).len();
    assert_eq!(found("a.rs", "/// What a store can't do.\nlet text = \"What a text\";\n"), 1);
    assert_eq!(found("a.rs", "/// A queue. Whoever\n/// waits\n/// is served.\n"), 1);
    assert_eq!(found("a.rs", "let a = 1; /\u{2f} Who calls waits.\n"), 1);
    assert_eq!(found("a.rs", "// What is it? Who knows?\n// ```\n// What in code\n// ```\n"), 0);
    assert_eq!(found("a.rs", "// That is no\n// time.\n"), 1);
    assert_eq!(found("a.rs", "// There is no time. It is no longer there.\n"), 0);
    assert_eq!(found("a.md", "# What follows\n- Whose turn it is\n| a | What b |\n```\nWhat code\n```\n"), 3);
}
