//! JSON objects, member by member.

use singlet_design::Json;

/// The members of an object under construction.
#[derive(Debug, Default)]
pub(super) struct Members(Vec<(String, Json)>);

impl Members {
    pub(super) fn new() -> Self {
        Self::default()
    }

    /// Adds a member.
    pub(super) fn with(mut self, name: &str, value: impl Into<Json>) -> Self {
        self.0.push((name.to_owned(), value.into()));
        self
    }

    /// Adds a string.
    pub(super) fn text(self, name: &str, text: &str) -> Self {
        self.with(name, text)
    }

    /// Adds a member if there is a value.
    pub(super) fn maybe(self, name: &str, value: Option<impl Into<Json>>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// The object.
    pub(super) fn json(self) -> Json {
        Json::Object(self.0)
    }
}

/// A reference to a named schema.
pub(super) fn reference(name: &str) -> Json {
    Members::new().with("$ref", format!("#/components/schemas/{name}")).json()
}
