//! A design as people read it: the entity chart of the books, the access-pattern worksheet, and a diagram.
//!
//! Everything here is a function of the design alone.

mod diagram;
mod entities;
mod grid;
mod key_condition;
mod patterns;

#[cfg(test)]
mod tests;

pub use diagram::er_diagram;
pub use entities::{entity_chart, index_table};
pub use grid::Grid;
pub use patterns::{Access, access, pattern_table};

use crate::model::Design;

/// The whole description for a terminal: charts, worksheet and diagram.
pub fn describe_text(design: &Design) -> String {
    let mut out = heading(design);
    for grid in grids(design) {
        out.push_str(&format!("\n{}\n\n{}", grid.title, grid.text()));
    }
    out.push_str(&format!("\nEntities and relations (Mermaid)\n\n{}", er_diagram(design)));
    out
}

/// The whole description as a Markdown page.
pub fn describe_markdown(design: &Design) -> String {
    let mut out = format!("# {}", heading(design));
    for grid in grids(design) {
        out.push_str(&format!("\n## {}\n\n{}", grid.title, grid.markdown()));
    }
    out.push_str(&format!("\n## Entities and relations\n\n```mermaid\n{}```\n", er_diagram(design)));
    out
}

fn heading(design: &Design) -> String {
    match &design.about {
        Some(about) => format!("{}\n\n{about}\n", design.name),
        None => format!("{}\n", design.name),
    }
}

/// The charts and tables, in the order in which they are read.
fn grids(design: &Design) -> Vec<Grid> {
    let mut grids = Vec::new();
    for table in &design.tables {
        grids.push(entity_chart(design, table));
        if !table.indexes.is_empty() {
            grids.push(index_table(table));
        }
    }
    grids.push(pattern_table(design));
    grids
}
