//! From the file's tree to the model: names are bound, templates and conditions read, parameters inferred.
//!
//! Every step notes its mistakes and goes on with what is left, so that all are found in one go. What a mistake makes
//! unusable is remembered as such, and nothing is said about what only follows from it.

mod context;
mod entity;
mod field;
mod key;
mod key_kind;
mod layout;
mod name;
mod parameters;
mod pattern;
mod reference;
mod table;
mod template;

use crate::model::Design;
use crate::report::Report;
use crate::syntax::{self, Mistakes, Node};
use context::Context;

/// Reads and resolves a design; every mistake is in the report. `file` is only used in messages.
pub fn load(file: &str, source: &str) -> Result<Design, Report> {
    let mistakes = Mistakes::default();
    let design = syntax::read(source, &mistakes).map(|root| resolve(&root, source, &mistakes));
    let mistakes = mistakes.sorted();
    match design {
        Some(design) if mistakes.is_empty() => Ok(design),
        _ => Err(Report { file: file.to_owned(), source: source.to_owned(), mistakes }),
    }
}

/// Makes the design that a tree describes. It is whole only if no mistake was noted.
fn resolve(root: &Node, source: &str, mistakes: &Mistakes) -> Design {
    let context = Context { source, mistakes };
    let name = name::design(&context, root);
    let environments = table::environments(&context, root);
    let mut tables = table::tables(&context, root, &name);
    let drafts = entity::drafts(&context, root, &tables);
    key_kind::infer(&context, &mut tables, &drafts);
    entity::carry_expiry(&mut tables, &drafts);
    let tables = table::finish(tables);
    let entities = entity::finish(&context, drafts, &tables);
    reference::check(&context, root, &entities);
    let patterns = pattern::patterns(&context, root, &entities);
    let layout = layout::layout(root, &name);
    Design {
        name,
        about: root.text_of("about").map(str::to_owned),
        source: source.to_owned(),
        environments,
        tables,
        entities: entities.list.into_iter().map(|known| known.entity).collect(),
        patterns,
        layout,
    }
}
