//! Environments.

use super::context::Context;
use super::name;
use crate::model::{Environment, Removal};
use crate::syntax::Node;

/// The environments that a design names.
pub(super) fn environments(context: &Context<'_>, root: &Node) -> Vec<Environment> {
    let mut environments: Vec<Environment> = Vec::new();
    for entry in root.entries("environment") {
        name::check_part(context, "an environment", &entry.name, entry.span);
        let default = entry.node.get("default").and_then(Node::truth).unwrap_or(false);
        if let (true, Some(other)) = (default, environments.iter().find(|other| other.default)) {
            context.mistakes.add_with_help(
                entry.node.entry("default").map_or(entry.span, |key| key.span),
                format!("two environments are the default: `{}` and `{}`", other.name, entry.name),
                "only one can be used when the caller names none",
            );
        }
        let removal = match entry.node.text_of("removal") {
            Some("delete") => Removal::Delete,
            Some("keep") => Removal::Keep,
            _ => Removal::default_of(&entry.name),
        };
        environments.push(Environment { name: entry.name.clone(), removal, default });
    }
    environments
}
