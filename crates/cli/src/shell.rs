//! Commands as a shell takes them.

/// Joins words to a command line.
pub(crate) fn command_line<'w>(words: impl IntoIterator<Item = &'w str>) -> String {
    words.into_iter().map(word).collect::<Vec<_>>().join(" ")
}

/// Quotes a word if a shell would change it.
pub(crate) fn word(text: &str) -> String {
    let plain = |character: char| character.is_alphanumeric() || "_-./:=,@%+".contains(character);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_reach_a_command_through_a_shell_unchanged() {
        for (text, shown) in [
            ("customer_id=123", "customer_id=123"),
            ("name=Phở bò", "'name=Phở bò'"),
            ("it's", r"'it'\''s'"),
            ("", "''"),
            ("$HOME", "'$HOME'"),
        ] {
            assert_eq!(word(text), shown);
        }
        assert_eq!(command_line(["singlet", "run", "my file"]), "singlet run 'my file'");
    }
}
