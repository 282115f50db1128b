//! A call of a pattern as an address or a form has it: texts, which become values.

use singlet_design::{Json, Pattern, from_text};
use singlet_run::{Arguments, Paging, WrongParameter, check_arguments};

use crate::link::{Link, Pairs};

/// Controls of the page. Parameters of patterns have no dot in their names.
pub(super) const RUN: &str = ".run";
const VIEW: &str = ".view";
pub(super) const LIMIT: &str = ".limit";
pub(super) const CURSOR: &str = ".cursor";

/// How an answer is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum View {
    #[default]
    Table,
    Cards,
    Json,
}

impl View {
    pub(super) const ALL: [View; 3] = [View::Table, View::Cards, View::Json];

    pub(super) fn word(self) -> &'static str {
        match self {
            View::Table => "table",
            View::Cards => "cards",
            View::Json => "json",
        }
    }
}

/// A call of a pattern.
#[derive(Debug, Clone, Default)]
pub(super) struct Call {
    /// The texts that were given, by parameter. An empty text counts as missing.
    pub(super) texts: Pairs,
    pub(super) arguments: Arguments,
    /// The parameters that are missing or don't fit.
    pub(super) wrong: Vec<WrongParameter>,
    pub(super) view: View,
    pub(super) paging: Paging,
    /// Whether the address asks for an answer, and not only for the form.
    pub(super) is_asked: bool,
}

impl Call {
    /// The call of these pairs, checked as far as possible without running it.
    pub(super) fn of(pattern: &Pattern, pairs: &[(String, String)]) -> Call {
        let control =
            |name: &str| pairs.iter().find(|(known, _)| known == name).map(|(_, text)| text.as_str());
        let mut call = Call {
            view: View::ALL.into_iter().find(|view| control(VIEW) == Some(view.word())).unwrap_or_default(),
            is_asked: control(RUN).is_some(),
            ..Call::default()
        };
        for (name, text) in pairs.iter().filter(|(name, text)| !name.starts_with('.') && !text.is_empty()) {
            call.is_asked = true;
            // Forms end lines as networks do.
            let text = text.replace("\r\n", "\n");
            call.take(pattern, name, &text);
            call.texts.push((name.clone(), text));
        }
        call.paging.cursor = control(CURSOR).filter(|cursor| !cursor.is_empty()).map(str::to_owned);
        if let Some(limit) = control(LIMIT).filter(|limit| !limit.is_empty()) {
            call.is_asked = true;
            call.texts.push((LIMIT.to_owned(), limit.to_owned()));
            match limit.parse() {
                Ok(limit) => call.paging.limit = Some(limit),
                Err(_) => call.wrong.push(WrongParameter {
                    parameter: LIMIT.to_owned(),
                    reason: "must be a number of items".to_owned(),
                }),
            }
        }
        if call.is_asked {
            let known: Vec<String> = call.wrong.iter().map(|wrong| wrong.parameter.clone()).collect();
            let more = check_arguments(pattern, &call.arguments).into_iter();
            call.wrong.extend(more.filter(|wrong| !known.contains(&wrong.parameter)));
        }
        call
    }

    fn take(&mut self, pattern: &Pattern, name: &str, text: &str) {
        let value = match pattern.parameter(name) {
            Some(parameter) => from_text(&parameter.kind, text),
            None => Ok(Json::from(text)),
        };
        match value {
            Ok(value) => drop(self.arguments.insert(name.to_owned(), value)),
            Err(error) => {
                let reason = if error.path.is_empty() { error.reason } else { error.to_string() };
                self.wrong.push(WrongParameter { parameter: name.to_owned(), reason });
            }
        }
    }

    /// Whether it was asked for and nothing is known to be wrong.
    pub(super) fn is_runnable(&self) -> bool {
        self.is_asked && self.wrong.is_empty()
    }

    /// The text of a parameter, for its input.
    pub(super) fn text(&self, name: &str) -> &str {
        self.texts.iter().find(|(known, _)| known == name).map_or("", |(_, text)| text)
    }

    /// The address of the call without its page and view.
    pub(super) fn link(&self, design: &str, pattern: &str) -> Link {
        let link = Link::pattern(design, pattern);
        let link = if self.texts.is_empty() { link.with(RUN, "1") } else { link };
        self.texts.iter().fold(link, |link, (name, text)| link.with(name, text.as_str()))
    }
}

/// The same call in another view.
pub(super) fn in_view(link: &Link, view: View) -> Link {
    match view {
        View::Table => link.clone(),
        view => link.clone().with(VIEW, view.word()),
    }
}
