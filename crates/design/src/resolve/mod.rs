//! Resolves the tree of a file into the model: binds names, parses templates and conditions, infers parameters.
//!
//! Every step adds its mistakes and continues, so that one run finds all of them. A step skips what an earlier mistake
//! has made unusable, so that no message is a mere consequence of another.

mod caller;
mod capacity;
mod circle;
mod computed;
mod derivation;
mod entity;
mod field;
mod key;
mod key_kind;
mod key_values;
mod layout;
mod name;
mod ordered;
mod own_condition;
mod parameters;
mod pattern;
mod reference;
mod referral;
mod route;
mod settings;
mod table;
mod template;

use std::ops::Range;
use std::sync::Arc;

use crate::model::{Design, Table};
use crate::report::{Report, Span};
use crate::syntax::{self, Mistakes, Node};

/// Loads a design, or returns a report of every mistake. `file` is only used in messages.
pub fn load(file: &str, source: &str) -> Result<Design, Report> {
    let mistakes = Mistakes::default();
    let design = syntax::read(source, &mistakes).map(|root| resolve(&root, source, &mistakes));
    let mistakes = mistakes.sorted();
    match design {
        Some(design) if mistakes.is_empty() => Ok(design),
        _ => Err(Report { file: file.to_owned(), source: source.to_owned(), mistakes }),
    }
}

/// Builds the design that a tree describes. It is complete only if there are no mistakes.
fn resolve(root: &Node, source: &str, mistakes: &Mistakes) -> Design {
    let context = Context { source, mistakes };
    let name = name::design(&context, root);
    let drafts = table::tables(&context, root, &name);
    let environments = settings::environments(&context, root, &drafts);
    let (tables, entities) = tables_and_entities(&context, root, drafts);
    reference::check(&context, root, &entities);
    let patterns = pattern::patterns(&context, root, &entities);
    let derivations = derivation::derivations(&context, root, &entities, &patterns);
    circle::none(&context, &entities, &derivations);
    let references =
        entities.list.iter().map(|known| reference::checked(&entities, known, |_| true)).collect();
    entity::unwritten(&context, &patterns, &derivations);
    let entities: Vec<_> = entities.list.into_iter().map(|known| known.entity).collect();
    let callers = caller::callers(&context, root, &entities, &patterns);
    let routes = route::routes(&context, root, (&entities, &patterns), callers.as_ref());
    let layout = layout::layout(root, &name);
    Design {
        name,
        about: root.text_of("about").map(str::to_owned),
        source: source.to_owned(),
        environments,
        tables,
        entities,
        derivations: derivations.into_iter().map(Arc::new).collect(),
        patterns,
        callers,
        routes,
        references,
        layout,
    }
}

/// Resolves the tables and the entities. The types of the tables' keys depend on the entities in them.
fn tables_and_entities(
    context: &Context<'_>,
    root: &Node,
    mut tables: Vec<table::TableDraft>,
) -> (Vec<Arc<Table>>, entity::Entities) {
    let drafts = entity::drafts(context, root, &tables);
    key_kind::infer(context, &mut tables, &drafts);
    entity::carry_expiry(&mut tables, &drafts);
    let tables = table::finish(tables);
    let entities = entity::finish(context, drafts, &tables);
    (tables, entities)
}

/// The text of the file and the list of mistakes, which every step needs.
#[derive(Debug, Clone, Copy)]
struct Context<'a> {
    /// The file's text.
    source: &'a str,
    /// The mistakes found so far.
    mistakes: &'a Mistakes,
}

impl Context<'_> {
    /// Returns the position of some bytes of a string. If the string has escapes, this is the position of the whole
    /// value, because its bytes differ from those in the file.
    fn inside(&self, node: &Node, range: Range<usize>) -> Span {
        let whole = self.source.get(node.span.start..node.span.end).unwrap_or_default();
        let text = node.text().unwrap_or_default();
        match whole.find(text) {
            Some(quote) if !text.is_empty() && range.end <= text.len() => {
                let start = node.span.start + quote;
                Span { start: start + range.start, end: start + range.end }
            }
            _ => node.span,
        }
    }
}
