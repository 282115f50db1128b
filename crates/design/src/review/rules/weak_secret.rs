//! `weak-secret`: a secret that can be guessed.

use super::{Check, Rule};
use crate::model::{Entity, Field, Made};
use crate::review::{Context, Findings, Fix, Severity, Subject};
use crate::template::Template;

pub(super) static RULE: Rule = Rule {
    id: "weak-secret",
    summary: "something that gives access and can be guessed",
    page: include_str!("weak_secret.md"),
    check: Check::Review(check),
};

/// Words that name something which gives access to whoever has it.
const SECRET_WORDS: &[&str] =
    &["secret", "token", "hash", "invitation_code", "invite_code", "magic_link", "reset_code"];

fn check(context: &Context<'_>, findings: &mut Findings) {
    for (entity, field) in context.fields() {
        if field.made == Some(Made::Secret) || !is_secret(field) || !opens(entity, field) {
            continue;
        }
        let message = format!(
            "whoever knows {} gets the {}, but it isn't made at random: something derived from ids and times, or by MD5 \
             or SHA-1, can be guessed",
            field.name, entity.name,
        );
        let fix = Fix::advice(format!("`{} = \"secret\"` makes 256 random bits", field.name));
        findings.report(Severity::Error, field.span, vec![Subject::entity(entity)], message, Some(fix));
    }
}

fn is_secret(field: &Field) -> bool {
    let name: String = field
        .name
        .chars()
        .flat_map(|letter| letter.is_uppercase().then_some('_').into_iter().chain(letter.to_lowercase()))
        .collect();
    let words: Vec<&str> = name.split('_').collect();
    SECRET_WORDS
        .iter()
        .any(|secret| name.contains(secret) && (secret.contains('_') || words.contains(secret)))
}

/// Whether items are found by the field: it is in a partition key.
fn opens(entity: &Entity, field: &Field) -> bool {
    let partitions = std::iter::once(&entity.key.partition);
    let partitions = partitions.chain(entity.indexes.iter().flat_map(|entry| &entry.partition));
    partitions.flat_map(Template::fields).any(|name| name == field.name)
}
