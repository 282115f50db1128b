//! Whether a request with statements changes data, which decides who may send it.

use serde::Deserialize;
use singlet_partiql::Statement;

use crate::operation::{Access, Operation};
use crate::read::{self, Element, List, Structure, Text};

/// The texts of the statements of all three operations.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Texts<'a> {
    #[serde(borrow)]
    statement: Option<Text<'a>>,
    #[serde(borrow)]
    statements: Option<List<Element<TextMember<'a>>>>,
    #[serde(borrow)]
    transact_statements: Option<List<Element<TextMember<'a>>>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct TextMember<'a> {
    #[serde(borrow)]
    statement: Option<Text<'a>>,
}

impl Structure for TextMember<'_> {
    const NAME: &'static str = "Statement";
}

impl Operation {
    /// Whether a request of this operation may change data or tables. A read-only caller may not send it then.
    pub fn changes(self, body: &[u8]) -> bool {
        match self.access() {
            Access::Read => false,
            Access::Write => true,
            Access::Statements => changes_data(body),
        }
    }
}

/// Whether a request has a statement other than `SELECT`, or can't be read.
fn changes_data(body: &[u8]) -> bool {
    let Ok(texts) = read::body::<Texts<'_>>(body) else { return true };
    let members = [texts.statements, texts.transact_statements].into_iter().flatten();
    let members = members.flat_map(|List(members)| members).filter_map(|Element(member)| member.statement);
    texts.statement.into_iter().chain(members).any(|text| !Statement::reads(text.as_str()))
}
