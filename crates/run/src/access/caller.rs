//! The one who calls.

use singlet_design::{Callers, Json, ParameterType, from_text};

/// A caller of the API, whose identity was proven before.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Caller {
    id: Option<String>,
    roles: Vec<String>,
}

impl Caller {
    /// Somebody who says nothing about who they are.
    pub fn nobody() -> Self {
        Caller::default()
    }

    /// The caller with this id.
    pub fn new(id: impl Into<String>) -> Self {
        Caller { id: Some(id.into()), roles: Vec::new() }
    }

    /// The same caller with these roles.
    #[must_use]
    pub fn with_roles(mut self, roles: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.roles = roles.into_iter().map(Into::into).collect();
        self
    }

    /// The id; `None` for somebody who says nothing.
    pub fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// The roles.
    pub fn roles(&self) -> &[String] {
        &self.roles
    }

    /// The id as a value of the field that identifies callers; `None` if it can't be one.
    pub(crate) fn value(&self, callers: &Callers) -> Option<Json> {
        let kind = ParameterType::Field(callers.kind.clone());
        let separator = callers.entity.table.separator;
        let text = self.id.as_deref().filter(|id| !id.is_empty() && !id.contains(separator))?;
        from_text(&kind, text).ok().filter(|json| singlet_design::to_attribute(&callers.kind, json).is_ok())
    }

    /// Bytes that no other caller has, to which cursors are bound. The operator has none.
    pub(crate) fn bond(&self) -> Vec<u8> {
        match &self.id {
            None => vec![0],
            Some(id) => [&[1], id.as_bytes()].concat(),
        }
    }
}
