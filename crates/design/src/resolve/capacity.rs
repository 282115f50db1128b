//! Provisioned capacity of tables and indexes.

use super::Context;
use crate::model::{Capacity, CapacityRange, CapacityUnits, Index, Setting};
use crate::syntax::{Entry, Node};

/// The word for capacity that isn't provisioned.
const ON_DEMAND: &str = "on demand";
/// The key for the table among the names of indexes.
const TABLE: &str = "table";

/// Parses `capacity`.
pub(super) fn capacity(context: &Context<'_>, node: &Node) -> Option<Setting<Capacity>> {
    let given = node.get("capacity")?;
    if let Some(text) = given.text() {
        if text == ON_DEMAND {
            return Some(Setting::Off);
        }
        let table = range(context, given)?;
        return Some(Setting::On(Capacity { table, indexes: Vec::new() }));
    }
    let (mut table, mut indexes) = (None, Vec::new());
    for Entry { name, node, .. } in given.table()? {
        let Some(range) = range(context, node) else { continue };
        if name == TABLE {
            table = Some(range);
        } else {
            indexes.push((name.clone(), range));
        }
    }
    if given.get(TABLE).is_none() {
        context.mistakes.add_with_help(
            given.span,
            "`capacity` needs the capacity of the table",
            format!("add `{TABLE} = \"100/50\"`; indexes that aren't named have the same"),
        );
    }
    Some(Setting::On(Capacity { table: table?, indexes }))
}

/// Checks that the capacity of a section names global indexes of its table.
pub(super) fn check_indexes(context: &Context<'_>, node: &Node, indexes: &[Index]) {
    for Entry { name, span, .. } in named_indexes(node) {
        match indexes.iter().find(|index| index.name == *name) {
            Some(index) if index.local => context.mistakes.add_with_help(
                *span,
                format!("`{name}` is a local index and has no capacity of its own"),
                format!("remove it: local indexes use the capacity of the table, `{TABLE}`"),
            ),
            Some(_) => {}
            None => {
                let global = indexes.iter().filter(|index| !index.local).map(|index| index.name.as_str());
                let known = std::iter::once(TABLE).chain(global);
                let message = format!("there is no index `{name}` whose capacity could be set");
                context.mistakes.add_with_help(*span, message, crate::names::help_of(name, "names", known));
            }
        }
    }
}

/// Refuses the names of indexes where the capacity is that of several tables.
pub(super) fn refuse_indexes(context: &Context<'_>, environment: &str, node: &Node) {
    for Entry { name, span, .. } in named_indexes(node) {
        context.mistakes.add_with_help(
            *span,
            format!("`{name}` is an index of one table, but this capacity is that of all tables"),
            format!("move it to a section `[environment.{environment}.table.NAME]`"),
        );
    }
}

/// Returns the entries of `capacity` that are indexes.
fn named_indexes(node: &Node) -> impl Iterator<Item = &Entry> {
    node.entries("capacity").iter().filter(|entry| entry.name != TABLE)
}

/// Parses `100/50` or `100/50 to 1000/500`.
fn range(context: &Context<'_>, given: &Node) -> Option<CapacityRange> {
    let text = given.text()?;
    let parsed = match text.split_once(" to ") {
        None => units(text).map(|least| CapacityRange { least, most: None }),
        Some((least, most)) => {
            units(least).zip(units(most)).map(|(least, most)| CapacityRange { least, most: Some(most) })
        }
    };
    let Some(range) = parsed else {
        context.mistakes.add_with_help(
            given.span,
            format!("`{text}` isn't a capacity"),
            format!(
                "write read and write units a second, such as `100/50`, or bounds for auto scaling, such as \
                 `100/50 to 1000/500`; each number is from 1 to {}; `{ON_DEMAND}` stands for the whole",
                crate::limits::number(usize::try_from(CapacityUnits::MAX).unwrap_or(usize::MAX))
            ),
        );
        return None;
    };
    let (least, most) = (range.least, range.most);
    if most.is_some_and(|most| most.read < least.read || most.write < least.write || most == least) {
        context.mistakes.add_with_help(
            given.span,
            format!("the upper bounds of `{text}` aren't above the lower bounds"),
            "write the lower bounds first; one of the two kinds of units can have equal bounds",
        );
        return None;
    }
    Some(range)
}

fn units(text: &str) -> Option<CapacityUnits> {
    let number = |text: &str| {
        let digits = text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse().ok().filter(|number| digits && (1..=CapacityUnits::MAX).contains(number))
    };
    let (read, write) = text.split_once('/')?;
    Some(CapacityUnits { read: number(read)?, write: number(write)? })
}
