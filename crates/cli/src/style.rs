//! Colours for terminals. Text is styled everywhere and stripped of its styles where nobody would see them.

use anstyle::{AnsiColor, Color, Style};
use clap::ValueEnum;
use clap::builder::Styles;

pub(crate) const ERROR: Style = color(AnsiColor::Red).bold();
pub(crate) const WARNING: Style = color(AnsiColor::Yellow).bold();
pub(crate) const NOTE: Style = color(AnsiColor::Cyan).bold();
pub(crate) const HEAD: Style = Style::new().bold();
pub(crate) const FAINT: Style = Style::new().dimmed();
const GOOD: Style = color(AnsiColor::Green);
const BAD: Style = color(AnsiColor::Red);
const PLACE: Style = color(AnsiColor::Blue);

/// When output is coloured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum ColorWhen {
    /// On a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    Always,
    Never,
}

impl ColorWhen {
    /// The choice in the arguments, found before they are parsed, because the help is coloured as well.
    pub(crate) fn of_arguments(arguments: impl IntoIterator<Item = String>) -> ColorWhen {
        let mut arguments = arguments.into_iter().take_while(|word| word != "--");
        while let Some(word) = arguments.next() {
            let value = match word.strip_prefix("--color") {
                Some("") => arguments.next().unwrap_or_default(),
                Some(value) => value.strip_prefix('=').unwrap_or_default().to_owned(),
                None => continue,
            };
            return ColorWhen::from_str(&value, false).unwrap_or_default();
        }
        ColorWhen::Auto
    }

    /// Makes this hold for all that is printed from now on.
    pub(crate) fn set(self) {
        let choice = match self {
            ColorWhen::Auto => anstream::ColorChoice::Auto,
            ColorWhen::Always => anstream::ColorChoice::Always,
            ColorWhen::Never => anstream::ColorChoice::Never,
        };
        choice.write_global();
    }

    /// The same for the help.
    pub(crate) fn for_help(self) -> clap::ColorChoice {
        match self {
            ColorWhen::Auto => clap::ColorChoice::Auto,
            ColorWhen::Always => clap::ColorChoice::Always,
            ColorWhen::Never => clap::ColorChoice::Never,
        }
    }
}

/// The styles of the help.
pub(crate) const HELP: Styles = Styles::styled()
    .header(HEAD)
    .usage(HEAD)
    .literal(color(AnsiColor::Cyan))
    .placeholder(Style::new())
    .error(ERROR)
    .valid(GOOD)
    .invalid(WARNING);

const fn color(color: AnsiColor) -> Style {
    Style::new().fg_color(Some(Color::Ansi(color)))
}

/// A text in a style.
pub(crate) fn styled(style: Style, text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("{style}{text}{style:#}") }
}

/// Colours the lines of errors, findings and differences, whose beginnings say what they are.
pub(crate) fn report(text: &str) -> String {
    text.split_inclusive('\n')
        .map(|line| {
            let (line, end) = line.strip_suffix('\n').map_or((line, ""), |line| (line, "\n"));
            format!("{}{end}", report_line(line))
        })
        .collect()
}

fn report_line(line: &str) -> String {
    let labels = [
        ("error", ERROR),
        ("warning", WARNING),
        ("info", NOTE),
        ("fixed", NOTE),
        ("would fix", NOTE),
        ("left out", WARNING),
    ];
    for (label, style) in labels {
        if let Some(rest) = line.strip_prefix(label)
            && let Some((tag, message)) = rest.split_once(": ")
            && (tag.is_empty() || (tag.starts_with('[') && tag.ends_with(']')))
        {
            return format!("{}: {}", styled(style, &format!("{label}{tag}")), styled(HEAD, message));
        }
    }
    let shown = line.trim_start();
    let indented = shown.len() < line.len();
    match shown.get(..2) {
        _ if shown.starts_with("--> ") || shown.starts_with("@@ ") => styled(PLACE, line),
        _ if shown.starts_with("--- ") || shown.starts_with("+++ ") => styled(HEAD, line),
        Some("- ") if indented => styled(BAD, line),
        Some("+ ") if indented => styled(GOOD, line),
        Some("= ") => styled(NOTE, line),
        Some("| ") if shown.trim_matches(['|', ' ', '^']).is_empty() => styled(ERROR, line),
        _ => line.to_owned(),
    }
}

/// Colours a difference in the form of `diff -u`.
pub(crate) fn difference(text: &str) -> String {
    let line = |line: &str| match line.chars().next() {
        Some('+') if !line.starts_with("+++ ") => styled(GOOD, line),
        Some('-') if !line.starts_with("--- ") => styled(BAD, line),
        _ => report_line(line),
    };
    text.lines().map(|text| format!("{}\n", line(text))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> String {
        anstream::adapter::strip_str(text).to_string()
    }

    #[test]
    fn the_choice_is_found_before_the_arguments_are_parsed() {
        let of = |words: &[&str]| ColorWhen::of_arguments(words.iter().map(|word| (*word).to_owned()));
        assert_eq!(of(&["singlet", "check", "--color", "never"]), ColorWhen::Never);
        assert_eq!(of(&["singlet", "--color=always", "--help"]), ColorWhen::Always);
        assert_eq!(of(&["singlet", "check"]), ColorWhen::Auto);
        assert_eq!(of(&["singlet", "run", "--", "--color=always"]), ColorWhen::Auto);
    }

    #[test]
    fn colours_change_no_letter() {
        let text = "error[hot-write]: too hot: very\n  --> a.toml:3:1\n   |\n3  | key\n   | ^^^\n  = fix: this\n    \
                    - a = 1\n    + a = 2\n\ninfo: done";
        assert_eq!(plain(&report(text)), text);
        assert!(report(text).starts_with(&format!("{ERROR}error[hot-write]{ERROR:#}: ")));
        let changed = "--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n";
        assert_eq!(plain(&difference(changed)), changed);
    }

    #[test]
    fn a_sentence_that_begins_like_a_label_is_left_alone() {
        assert_eq!(report("errors are listed here: none"), "errors are listed here: none");
    }
}
