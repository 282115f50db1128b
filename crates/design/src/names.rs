//! Names in messages: suggestions for a misspelt name, and lists of the known ones.

/// Returns the known name nearest to `written`, if one is near enough to be a likely misspelling.
pub fn nearest<'a>(written: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let written = written.to_lowercase();
    let distance = |name: &str| strsim::damerau_levenshtein(&written, &name.to_lowercase());
    let letters = written.chars().count();
    known
        .into_iter()
        // The distance is at least the difference of the lengths, which is found much faster.
        .filter(|name| name.chars().count().abs_diff(letters) <= name.chars().count() / 3 + 1)
        .map(|name| (distance(name), name))
        .filter(|(distance, name)| *distance <= name.chars().count() / 3 + 1)
        .filter(|(distance, name)| *distance < name.chars().count())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// Returns up to `count` known names that resemble `written`, the nearest first: likely misspellings, and names that
/// share a word with it.
pub fn similar<'a>(written: &str, known: impl IntoIterator<Item = &'a str>, count: usize) -> Vec<&'a str> {
    let lower = written.to_lowercase();
    let words = |name: &str| -> Vec<String> {
        let words = name.split(|character: char| !character.is_alphanumeric());
        words.filter(|word| word.len() > 2).map(str::to_lowercase).collect()
    };
    let wanted = words(&lower);
    let shares = |name: &str| words(name).iter().any(|word| wanted.contains(word));
    let mut found: Vec<(usize, &str)> = known
        .into_iter()
        .map(|name| (strsim::damerau_levenshtein(&lower, &name.to_lowercase()), name))
        .filter(|(distance, name)| *distance <= name.chars().count() / 3 + 1 || shares(name))
        .filter(|(distance, name)| *distance < name.chars().count())
        .collect();
    found.sort_by_key(|(distance, _)| *distance);
    found.into_iter().take(count).map(|(_, name)| name).collect()
}

/// Returns whether a design can have this name: lower-case letters, digits and hyphens.
pub fn is_design_name(name: &str) -> bool {
    let allowed = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-';
    !name.is_empty() && name.chars().all(allowed)
}

/// Suggests the nearest known name for an unknown one, or lists the known names if none is near.
pub(crate) fn help<'a>(
    name: &str,
    what: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    /// Longer lists aren't shown.
    const LISTED_MAX: usize = 16;
    let candidates: Vec<&str> = candidates.into_iter().collect();
    if let Some(nearest) = nearest(name, candidates.iter().copied()) {
        return Some(format!("did you mean `{nearest}`?"));
    }
    match candidates.len() {
        0 => Some(format!("no {what} is defined")),
        1 => Some(format!("the only {what} is {}", list(&candidates))),
        2..=LISTED_MAX => Some(format!("choose one of {}", list(&candidates))),
        _ => None,
    }
}

/// Suggests the nearest word of the language for an unknown one, or lists all of them; `plural` is what they are.
pub(crate) fn help_of<'a>(name: &str, plural: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    let mut words: Vec<&str> = Vec::new();
    for candidate in candidates {
        if !words.contains(&candidate) {
            words.push(candidate);
        }
    }
    match nearest(name, words.iter().copied()) {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None => format!("valid {plural} are {}", list(&words)),
    }
}

/// Joins names in a sentence: `a`, `b` and `c`.
pub(crate) fn list<T: AsRef<str>>(names: &[T]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{}`", name.as_ref())).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    }
}

/// Joins names in a sentence: `a`, `b` or `c`.
pub(crate) fn list_or<T: AsRef<str>>(names: &[T]) -> String {
    list(names).replace(" and ", " or ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_one_that_could_be_meant() {
        let names = ["created_at", "customer_id", "status"];
        assert_eq!(nearest("creatd_at", names), Some("created_at"));
        assert_eq!(nearest("STATUS", names), Some("status"));
        assert_eq!(nearest("x", names), None);
        assert_eq!(nearest("id", ["a"]), None);
    }

    #[test]
    fn similar_names_are_misspelt_ones_and_those_that_share_a_word() {
        let names = ["customer_orders", "orders_by_status", "get_customer", "get_product"];
        assert_eq!(similar("get_custmer", names, 3), ["get_customer", "get_product"]);
        assert_eq!(similar("orders", names, 3), ["customer_orders", "orders_by_status"]);
        assert!(similar("nope", names, 3).is_empty());
    }
}
