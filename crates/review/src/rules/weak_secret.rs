//! `weak-secret`: a secret that can be guessed.

use singlet_design::{Entity, Field, Made, Subject, Template};

use super::{Check, Rule};
use crate::context::{Context, Findings};
use crate::finding::Severity;
use crate::fix::{Edit, Fix};

pub(super) static RULE: Rule = Rule {
    id: "weak-secret",
    summary: "a secret that can be guessed",
    page: include_str!("weak_secret.md"),
    check: Check::Review(check),
};

/// Words for values that give access to anyone who has them.
const SECRET_WORDS: &[&str] =
    &["secret", "token", "invitation_code", "invite_code", "magic_link", "reset_code"];

/// Words next to which a hash is a secret. Hashes of files and contents aren't.
const HASHED_WORDS: &[&str] =
    &["invitation", "invite", "link", "reset", "session", "login", "password", "access"];

/// Names of hash functions whose results can be guessed.
const WEAK_WAYS: &[&str] = &["md5", "sha1", "sha-1"];

fn check(context: &Context<'_>, findings: &mut Findings) {
    for (entity, field) in context.fields() {
        if field.made == Some(Made::Secret)
            || !(is_secret(entity, field) || is_weakly_made(field))
            || !opens(entity, field)
        {
            continue;
        }
        let message = format!(
            "anyone who knows `{}` gets the `{}`, but it isn't random: a value that is derived from ids and times, or \
             made with MD5 or SHA-1, can be guessed",
            field.name, entity.name,
        );
        let value = context.value_span(&Subject::field(entity, field));
        let plain =
            context.text(value).starts_with('"').then(|| Edit { span: value, text: "\"secret\"".to_owned() });
        let about = format!("`{} = \"secret\"` makes 256 random bits", field.name);
        let fix = Fix::edits_or(about.as_str(), plain.map(|edit| vec![edit]), about.as_str());
        findings.report(Severity::Error, field.span, vec![Subject::entity(entity)], message, Some(fix));
    }
}

fn is_secret(entity: &Entity, field: &Field) -> bool {
    let name = snake(&field.name);
    let words: Vec<&str> = name.split('_').collect();
    let named = SECRET_WORDS
        .iter()
        .any(|secret| name.contains(secret) && (secret.contains('_') || words.contains(secret)));
    let context = format!("{name}_{}", snake(&entity.name));
    let hashed = words.contains(&"hash") && context.split('_').any(|word| HASHED_WORDS.contains(&word));
    named || hashed
}

fn is_weakly_made(field: &Field) -> bool {
    let about = field.about.as_deref().unwrap_or_default().to_lowercase();
    WEAK_WAYS.iter().any(|way| about.contains(way))
}

/// A name in snake case, so that `LinkHash` and `link_hash` are the same.
fn snake(name: &str) -> String {
    name.chars()
        .flat_map(|letter| letter.is_uppercase().then_some('_').into_iter().chain(letter.to_lowercase()))
        .collect()
}

/// Whether items are found by the field, because it is in a partition key.
fn opens(entity: &Entity, field: &Field) -> bool {
    let partitions = std::iter::once(&entity.key.partition);
    let partitions = partitions.chain(entity.indexes.iter().flat_map(|entry| &entry.partition));
    partitions.flat_map(Template::fields).any(|name| name == field.name)
}
