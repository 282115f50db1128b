//! Formats that make a list of strings: the words of a text, and their trigrams.

use super::fold::fold;
use crate::names::nearest;

/// The formats, with their names.
const SPLITS: [(&str, Split); 2] = [("words", Split::Words), ("trigrams", Split::Trigrams)];
/// The character before and after a word in its trigrams. No word contains it.
const EDGE: char = '_';

/// A format that makes a list of strings of a text. Each string is in the list once, in the order of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Split {
    /// The folded words: `Thịt gà` makes `thit` and `ga`.
    Words,
    /// Three characters each of the folded words, with their beginnings and ends: `gà` makes `__g`, `_ga` and `ga_`. So
    /// two texts with a typo, or with their words in another order, still have most of them in common.
    Trigrams,
}

impl Split {
    /// Returns the format of this name.
    pub(crate) fn named(name: &str) -> Option<Split> {
        SPLITS.iter().find(|(known, _)| *known == name).map(|(_, split)| *split)
    }

    /// Returns the name that is most similar to this one.
    pub(crate) fn nearest(name: &str) -> Option<&'static str> {
        nearest(name, SPLITS.iter().map(|(known, _)| *known))
    }

    /// Returns its name.
    pub fn name(self) -> &'static str {
        SPLITS.iter().find(|(_, split)| *split == self).map_or("", |(name, _)| name)
    }

    /// Returns the strings of some texts.
    pub fn of<'t>(self, texts: impl IntoIterator<Item = &'t str>) -> Vec<String> {
        let mut parts: Vec<String> = Vec::new();
        for text in texts {
            let folded = fold(text);
            for word in folded.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty())
            {
                match self {
                    Split::Words => add(&mut parts, word.to_owned()),
                    Split::Trigrams => trigrams(word).for_each(|part| add(&mut parts, part)),
                }
            }
        }
        parts
    }
}

fn add(parts: &mut Vec<String>, part: String) {
    if !parts.contains(&part) {
        parts.push(part);
    }
}

fn trigrams(word: &str) -> impl Iterator<Item = String> {
    let letters: Vec<char> = [EDGE, EDGE].into_iter().chain(word.chars()).chain([EDGE]).collect();
    let count = letters.len().saturating_sub(2);
    (0..count).map(move |at| letters.iter().skip(at).take(3).collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn texts_are_split_into_folded_words_and_trigrams() {
        assert_eq!(Split::Words.of(["Thịt gà, thịt-bò  x1"]), ["thit", "ga", "bo", "x1"]);
        assert_eq!(Split::Trigrams.of(["Thịt gà"]), ["__t", "_th", "thi", "hit", "it_", "__g", "_ga", "ga_"]);
        assert_eq!(Split::Trigrams.of(["gà", "a"]), ["__g", "_ga", "ga_", "__a", "_a_"]);
        assert_eq!(Split::Trigrams.of(["", "–"]), [""; 0]);
    }

    proptest! {
        #[test]
        fn every_part_is_there_once_and_the_order_of_words_does_not_matter(
            words in prop::collection::vec("[a-zà-ỹ0-9]{1,6}", 1..5),
        ) {
            for split in [Split::Words, Split::Trigrams] {
                let of = |words: &[String]| {
                    let mut parts = split.of([words.join(" ").as_str()]);
                    let count = parts.len();
                    parts.sort();
                    parts.dedup();
                    prop_assert_eq!(parts.len(), count);
                    Ok(parts)
                };
                let turned: Vec<String> = words.iter().rev().cloned().collect();
                prop_assert_eq!(of(&words)?, of(&turned)?);
                prop_assert!(split.of([words.join(" ").as_str()]).iter().all(|part| !part.contains(['#', ' '])));
            }
        }

        #[test]
        fn two_letters_that_change_places_leave_most_trigrams(word in "[a-z]{6,12}", at in 0_usize..5) {
            let mut letters: Vec<char> = word.chars().collect();
            letters.swap(at, at + 1);
            let typo: String = letters.into_iter().collect();
            let (right, wrong) = (Split::Trigrams.of([word.as_str()]), Split::Trigrams.of([typo.as_str()]));
            let shared = right.iter().filter(|part| wrong.contains(part)).count();
            prop_assert!(shared + 4 >= right.len(), "{} {}", word, typo);
        }
    }
}
