//! The names of columns, compared with the key of the table.

/// The delimiters that people use, and how a message shows them.
const DELIMITERS: [(char, &str); 6] =
    [(',', "`,`"), (';', "`;`"), ('\t', "a tab"), ('|', "`|`"), (':', "`:`"), (' ', "a space")];
/// The most names that a message shows, and the longest.
const SHOWN_MAX: usize = 8;
const LETTERS_MAX: usize = 100;

/// Returns why no row can be an item, if the columns lack an attribute of the key.
pub(crate) fn lacks_key(columns: &[&str], key: &[String]) -> Option<String> {
    let missing = key.iter().find(|name| !columns.contains(&name.as_str()))?;
    let shown = |name: &&str| format!("`{}`", name.chars().take(LETTERS_MAX).collect::<String>());
    let names: Vec<String> = columns.iter().take(SHOWN_MAX).map(shown).collect();
    let more = if columns.len() > SHOWN_MAX { ", …" } else { "" };
    let are = if columns.len() == 1 { "the only column is" } else { "the columns are" };
    let hint = other_delimiter(columns, missing).map_or_else(String::new, |delimiter| {
        format!("; if {delimiter} separates the values, give it as the delimiter (`--delimiter`)")
    });
    Some(format!("no column is the key `{missing}`; {are} {}{more}{hint}", names.join(", ")))
}

/// The delimiter that the file seems to have: it leads to the key in a name, or divides the only one.
fn other_delimiter(columns: &[&str], key: &str) -> Option<&'static str> {
    let has_key = |delimiter: char| {
        columns.iter().any(|name| name.split(delimiter).any(|part| part.trim_matches([' ', '"']) == key))
    };
    let found = DELIMITERS.iter().find(|(delimiter, _)| has_key(*delimiter)).or_else(|| match columns {
        [only] => DELIMITERS.iter().take(4).find(|(delimiter, _)| only.contains(*delimiter)),
        _ => None,
    });
    found.map(|(_, shown)| *shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_likely_delimiter_is_named() {
        let lacks = |columns: &[&str], key: &str| lacks_key(columns, &[key.to_owned()]);
        assert_eq!(lacks(&["id", "day"], "id"), None);
        assert_eq!(
            lacks(&["id;day"], "id").unwrap(),
            "no column is the key `id`; the only column is `id;day`; if `;` separates the values, give it as the \
             delimiter (`--delimiter`)"
        );
        assert!(lacks(&["a", "id\tday"], "id").unwrap().contains("if a tab separates"));
        assert!(lacks(&["ID|DAY"], "id").unwrap().contains("if `|` separates"));
        assert_eq!(
            lacks(&["first name", "day"], "id").unwrap(),
            "no column is the key `id`; the columns are `first name`, `day`"
        );
    }
}
