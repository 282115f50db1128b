//! Settings of tables, and the environments that override them.

use singlet_values::Schedule;

use super::Context;
use super::capacity::{capacity, check_indexes, refuse_indexes};
use super::name;
use super::table::TableDraft;
use crate::model::{Environment, Removal, Setting, TableSettings};
use crate::syntax::{Entry, Node};

/// The word that turns a setting off.
const OFF: &str = "off";

/// Resolves the settings that a section gives to its table or tables.
pub(super) fn settings(context: &Context<'_>, node: &Node) -> TableSettings {
    TableSettings {
        removal: match node.text_of("removal") {
            Some("delete") => Some(Removal::Delete),
            Some("keep") => Some(Removal::Keep),
            _ => None,
        },
        stream: node.get("stream").and_then(Node::truth),
        recovery_days: recovery_days(context, node),
        backup: schedule(context, node),
        capacity: capacity(context, node),
    }
}

/// Parses `recovery`.
fn recovery_days(context: &Context<'_>, node: &Node) -> Option<Setting<u32>> {
    let given = node.get("recovery")?;
    let text = given.text()?;
    if text == OFF {
        return Some(Setting::Off);
    }
    let days = text.strip_suffix(" days").or_else(|| text.strip_suffix(" day"));
    let days = days.and_then(|days| days.parse().ok()).filter(|days| (1..=35).contains(days));
    if days.is_none() {
        let message = format!(
            "`{text}` isn't a recovery period: write 1 to 35 days, such as `35 days`, or `{OFF}` to turn it off"
        );
        context.mistakes.add(given.span, message);
    }
    days.map(Setting::On)
}

/// Parses `backup`.
fn schedule(context: &Context<'_>, node: &Node) -> Option<Setting<Schedule>> {
    let given = node.get("backup")?;
    match given.text()? {
        OFF => Some(Setting::Off),
        text => match text.parse() {
            Ok(schedule) => Some(Setting::On(schedule)),
            Err(error) => {
                context.mistakes.add(given.span, error.to_string());
                None
            }
        },
    }
}

/// Resolves the environments of a design.
pub(super) fn environments(context: &Context<'_>, root: &Node, tables: &[TableDraft]) -> Vec<Environment> {
    let mut environments: Vec<Environment> = Vec::new();
    for entry in root.entries("environment") {
        name::check_part(context, "an environment", &entry.name, entry.span);
        let default = entry.node.get("default").and_then(Node::truth).unwrap_or(false);
        if let (true, Some(other)) = (default, environments.iter().find(|other| other.default)) {
            context.mistakes.add_with_help(
                entry.node.entry("default").map_or(entry.span, |key| key.span),
                format!("both `{}` and `{}` are the default environment", other.name, entry.name),
                "remove `default` from one of them",
            );
        }
        match tables {
            [only] => check_indexes(context, &entry.node, &only.indexes),
            _ => refuse_indexes(context, &entry.name, &entry.node),
        }
        environments.push(Environment {
            default,
            settings: settings(context, &entry.node),
            tables: own_settings(context, entry, tables),
            ..Environment::new(&entry.name)
        });
    }
    environments
}

/// Resolves the settings that an environment gives to single tables, by label.
fn own_settings(
    context: &Context<'_>,
    environment: &Entry,
    tables: &[TableDraft],
) -> Vec<(String, TableSettings)> {
    let mut list = Vec::new();
    for entry in environment.node.entries("table") {
        if let Some(draft) = tables.iter().find(|draft| draft.table.label == entry.name) {
            check_indexes(context, &entry.node, &draft.indexes);
            list.push((entry.name.clone(), settings(context, &entry.node)));
        } else {
            let labels = tables.iter().map(|draft| draft.table.label.as_str());
            let message = format!("there is no table `{}`", entry.name);
            context.mistakes.add_with(entry.span, message, name::help(&entry.name, "table", labels));
        }
    }
    list
}
