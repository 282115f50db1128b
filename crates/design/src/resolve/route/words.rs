//! Words of names, and the names that paths are made of.

/// Words that don't change in the plural.
const UNCOUNTED: [&str; 5] = ["data", "history", "information", "media", "series"];
/// Words after which a name says more about the thing before them: `post_by_user`.
const LINKS: [&str; 6] = ["by", "for", "in", "of", "per", "with"];

/// Returns the words of a name in lower case: `createdAt` and `created_at` are `created` and `at`. Only letters and
/// digits of ASCII count, so that a path needs no escapes.
pub(super) fn words(name: &str) -> Vec<String> {
    let letters: Vec<char> = name.chars().collect();
    let mut words: Vec<String> = Vec::new();
    let mut is_new = true;
    for (at, letter) in letters.iter().enumerate() {
        if !letter.is_ascii_alphanumeric() {
            is_new = true;
            continue;
        }
        let before = at.checked_sub(1).and_then(|before| letters.get(before));
        let after_small = before.is_some_and(|before| before.is_ascii_lowercase() || before.is_ascii_digit());
        let before_small = letters.get(at + 1).is_some_and(char::is_ascii_lowercase);
        let after_large = before.is_some_and(char::is_ascii_uppercase);
        is_new |= letter.is_ascii_uppercase() && (after_small || (after_large && before_small));
        match words.last_mut() {
            Some(word) if !is_new => word.push(letter.to_ascii_lowercase()),
            _ => words.push(letter.to_ascii_lowercase().to_string()),
        }
        is_new = false;
    }
    words
}

/// Returns words as a part of a path: `order-items`.
pub(super) fn joined(words: &[String]) -> String {
    if words.is_empty() { "item".to_owned() } else { words.join("-") }
}

/// Returns the plural of a noun of several words: `order-items`, `posts-by-user`.
pub(super) fn plural(words: &[String]) -> String {
    let link = words.iter().skip(1).position(|word| LINKS.contains(&word.as_str()));
    let noun = link.or(words.len().checked_sub(1));
    let inflected = words.iter().enumerate().map(|(at, word)| match noun {
        Some(noun) if noun == at => plural_of(word),
        _ => word.clone(),
    });
    joined(&inflected.collect::<Vec<_>>())
}

fn plural_of(word: &str) -> String {
    let ends = |endings: &[&str]| endings.iter().any(|ending| word.ends_with(ending));
    if UNCOUNTED.contains(&word) {
        return word.to_owned();
    }
    match word.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'i', 'o', 'u']) => format!("{stem}ies"),
        _ if ends(&["s", "x", "z", "ch", "sh"]) => format!("{word}es"),
        _ => format!("{word}s"),
    }
}

/// Returns the words of a name without those of another one, in the singular or plural: `cancel` for `cancel_order` and
/// `Order`. All of them if nothing would be left.
pub(super) fn without(name: &str, other: &str) -> Vec<String> {
    let all = words(name);
    let known = words(other);
    let is_known = |word: &String| known.iter().any(|known| known == word || plural_of(known) == *word);
    let rest: Vec<String> = all.iter().filter(|word| !is_known(word)).cloned().collect();
    if rest.is_empty() { all } else { rest }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_all_styles_have_the_same_words() {
        for name in ["createdAt", "created_at", "CreatedAt", "created-at"] {
            assert_eq!(words(name), ["created", "at"], "{name}");
        }
        assert_eq!(words("EMailAddress"), ["e", "mail", "address"]);
        assert_eq!(words("userID"), ["user", "id"]);
        assert!(words("名前").is_empty());
    }

    #[test]
    fn nouns_have_their_plural() {
        for (name, expected) in [
            ("OrderItem", "order-items"),
            ("Category", "categories"),
            ("Day", "days"),
            ("Status", "statuses"),
            ("PostByUser", "posts-by-user"),
            ("CookingHistory", "cooking-history"),
            ("", "item"),
        ] {
            assert_eq!(plural(&words(name)), expected);
        }
    }

    #[test]
    fn the_words_of_an_entity_are_left_out_unless_nothing_would_be_left() {
        assert_eq!(without("cancel_order", "Order"), ["cancel"]);
        assert_eq!(without("customer_orders", "Order"), ["customer"]);
        assert_eq!(without("orders", "Order"), ["orders"]);
    }
}
