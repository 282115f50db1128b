//! What somebody who mistyped a name may have meant.

/// The known name that is nearest to what was written, if one is near enough to be meant.
pub fn nearest<'a>(written: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let written = written.to_lowercase();
    let distance = |name: &str| strsim::damerau_levenshtein(&written, &name.to_lowercase());
    known
        .into_iter()
        .map(|name| (distance(name), name))
        .filter(|(distance, name)| *distance <= name.chars().count() / 3 + 1)
        .filter(|(distance, name)| *distance < name.chars().count())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// The known names that are most like what was written, the nearest first: misspelt ones, and those that share a word
/// with it.
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
