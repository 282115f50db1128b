//! Compares the output on a page with the output of the command.

/// Whether the output is what the page shows. `…` stands for anything; times and ids differ from call to call; how
/// lines are broken doesn't count, because pages are narrower than terminals.
pub(crate) fn agrees(shown: &str, printed: &str) -> bool {
    let (shown, printed) = (words(shown), words(printed));
    let mut pieces = shown.split('…').map(str::trim);
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = printed.strip_prefix(first) else { return false };
    let mut last = None;
    for piece in pieces {
        let Some(at) = rest.find(piece) else { return false };
        rest = rest.get(at + piece.len()..).unwrap_or_default();
        last = Some(piece);
    }
    rest.trim().is_empty() || last == Some("")
}

/// The words with one space between them, times and ids replaced.
fn words(text: &str) -> String {
    text.split_whitespace().map(|word| without_ids(&without_times(word))).collect::<Vec<_>>().join(" ")
}

/// `2026-11-16T05:53:53.843Z` is a time, whatever it is.
fn without_times(word: &str) -> String {
    const SHAPE: &str = "0000-00-00T00:00:00";
    let is_time = |text: &str| {
        text.len() == SHAPE.len()
            && text.bytes().zip(SHAPE.bytes()).all(|(byte, shape)| match shape {
                b'0' => byte.is_ascii_digit(),
                other => byte == other,
            })
    };
    let mut out = String::new();
    let mut rest = word;
    while let Some(first) = rest.chars().next() {
        match rest.get(..SHAPE.len()).filter(|text| is_time(text)) {
            Some(_) => {
                out.push_str("TIME");
                rest = rest.get(SHAPE.len()..).unwrap_or_default();
                rest = rest.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
            }
            None => {
                out.push(first);
                rest = rest.get(first.len_utf8()..).unwrap_or_default();
            }
        }
    }
    out
}

/// ULIDs and UUIDs are ids, whatever they are.
fn without_ids(word: &str) -> String {
    let is_ulid = |text: &str| {
        text.len() == 26 && text.bytes().all(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase())
    };
    let is_uuid =
        |text: &str| text.len() == 36 && text.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
    let mut out = String::new();
    let mut rest = word;
    while !rest.is_empty() {
        let end = rest.find(|letter| !is_part(letter)).unwrap_or(rest.len());
        let (part, after) = rest.split_at(end);
        out.push_str(if is_ulid(part) || is_uuid(part) { "ID" } else { part });
        let separator = after.chars().next().map_or(0, char::len_utf8);
        out.push_str(after.get(..separator).unwrap_or_default());
        rest = after.get(separator..).unwrap_or_default();
    }
    out
}

#[test]
fn ids_times_and_what_is_left_out_may_differ_and_nothing_else() {
    let printed = r#"{"order_id":"01M7HEPK5K007N1YFF4MG115J0","at":"2026-11-16T05:53:53.843Z","total":12.5}"#;
    let other = r#"{"order_id":"01AAAAAAAAAAAAAAAAAAAAAAAA","at":"2027-01-01T00:00:00Z","total":12.5}"#;
    assert!(agrees(printed, other));
    assert!(!agrees(printed, &other.replace("12.5", "12")));
    assert!(agrees("a\n…\nc d", "a\nb\nb\nc\nd\n") && agrees("… d", "a b d") && agrees("a …", "a b d"));
    assert!(!agrees("a … x", "a b d") && !agrees("a b", "a b c") && !agrees("b …", "a b"));
}
