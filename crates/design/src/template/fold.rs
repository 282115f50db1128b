//! Folds text for search: lower case without diacritics.
//!
//! Stored keys contain folded text, so the result for a letter must never change. Only letters that aren't folded yet
//! can be added.

use unicode_normalization::UnicodeNormalization;

/// Returns the text in lower case without diacritics. White space is trimmed, and each run of it becomes one space.
/// Composed and decomposed spellings of a text give the same result. Scripts whose marks are letters (kana, Hangul,
/// Indic) keep them.
pub fn fold(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    write_folded(&mut out, text, End::Whole);
    out
}

/// Whether a text is complete, or a prefix whose final space may be followed by a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Whole,
    Open,
}

/// Appends the folded text.
pub(super) fn write_folded(out: &mut String, text: &str, end: End) {
    let start = out.len();
    if text.is_ascii() {
        collapse(out, text.chars().map(|character| character.to_ascii_lowercase()));
    } else {
        let bare = text.nfd().filter(|character| !is_dropped(*character)).flat_map(char::to_lowercase);
        let spelled = bare.flat_map(|character| {
            let (spelling, other) = match spelling(character) {
                Some(spelling) => (spelling, None),
                None => ("", Some(character)),
            };
            spelling.chars().chain(other)
        });
        collapse(out, spelled.nfc());
    }
    let ends_in_space = text.ends_with(char::is_whitespace);
    if end == End::Open && ends_in_space && out.len() > start {
        out.push(' ');
    }
}

fn collapse(out: &mut String, characters: impl Iterator<Item = char>) {
    let start = out.len();
    let mut space = false;
    for character in characters {
        if character.is_whitespace() {
            space = true;
            continue;
        }
        if space && out.len() > start {
            out.push(' ');
        }
        space = false;
        out.push(character);
    }
}

/// Returns whether a character is a mark of Latin, Greek or Cyrillic, a vowel point of Hebrew or Arabic, or invisible.
fn is_dropped(character: char) -> bool {
    matches!(
        u32::from(character),
        0x0300..=0x036F | 0x0483..=0x0489 | 0x1AB0..=0x1AFF | 0x1DC0..=0x1DFF | 0x20D0..=0x20FF | 0xFE20..=0xFE2F
            | 0x0591..=0x05BD | 0x05BF | 0x05C1..=0x05C2 | 0x05C4..=0x05C5 | 0x05C7
            | 0x0610..=0x061A | 0x064B..=0x065F | 0x0670
            | 0x00AD | 0x200B | 0x2060 | 0xFEFF
    )
}

/// Spells out letters that Unicode normalization doesn't decompose.
fn spelling(letter: char) -> Option<&'static str> {
    Some(match letter {
        'đ' | 'ð' | 'ɖ' => "d",
        'ł' => "l",
        'ø' => "o",
        'ß' => "ss",
        'æ' => "ae",
        'œ' => "oe",
        'þ' => "th",
        'ħ' => "h",
        'ı' => "i",
        'ŧ' => "t",
        'ŋ' => "n",
        'ƀ' => "b",
        'ɨ' => "i",
        'ʉ' => "u",
        'ς' => "σ",
        _ => return None,
    })
}
