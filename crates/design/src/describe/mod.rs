//! Descriptions of a design for people: the entity chart, the list of access patterns, and a diagram.
//!
//! They depend only on the design.

mod diagram;
mod entities;
mod grid;
mod key_condition;
mod patterns;
mod settings;

#[cfg(test)]
mod tests;

pub use diagram::er_diagram;
pub use entities::{entity_chart, index_table};
pub use grid::Grid;
pub use patterns::{Access, access, pattern_table};
pub use settings::settings_table;

use crate::model::Design;

/// Describes the whole design for a terminal: charts, patterns and diagram.
pub fn describe_text(design: &Design) -> String {
    let mut out = heading(design);
    for grid in grids(design) {
        out.push_str(&format!("\n{}\n\n{}", grid.title, grid.text()));
    }
    out.push_str(&format!("\nEntities and relations (Mermaid)\n\n{}", er_diagram(design)));
    out
}

/// Describes the whole design as a Markdown page.
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

/// Returns the charts and tables in reading order.
fn grids(design: &Design) -> Vec<Grid> {
    let mut grids = Vec::new();
    for table in &design.tables {
        grids.push(entity_chart(design, table));
        if !table.indexes.is_empty() {
            grids.push(index_table(table));
        }
        let settings = settings_table(design, table);
        if !settings.rows.is_empty() {
            grids.push(settings);
        }
    }
    // Tags mean something only to programs and to the author.
    grids.push(pattern_table(design).without_column("Tags"));
    grids
}
