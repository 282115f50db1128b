//! `singlet describe`.

use std::io::{Write, stdout};

use singlet_design::{
    Design, Grid, describe_markdown, describe_text, entity_chart, er_diagram, index_table, pattern_table,
};

use crate::arguments::{DescribeArguments, DescribePart};
use crate::design_file;
use crate::failure::Failure;

/// Prints a design's chart, patterns and diagram.
pub(crate) fn describe(arguments: &DescribeArguments) -> Result<(), Failure> {
    let design = design_file::load(&arguments.file)?;
    let text = match (arguments.part, arguments.markdown) {
        (None, false) => describe_text(&design),
        (None, true) => describe_markdown(&design),
        (Some(DescribePart::Chart), markdown) => in_text(&charts(&design), markdown),
        (Some(DescribePart::Patterns), markdown) => in_text(&[pattern_table(&design)], markdown),
        (Some(DescribePart::Diagram), false) => er_diagram(&design),
        (Some(DescribePart::Diagram), true) => format!("```mermaid\n{}```\n", er_diagram(&design)),
    };
    stdout().lock().write_all(text.as_bytes())?;
    Ok(())
}

fn charts(design: &Design) -> Vec<Grid> {
    design.tables.iter().flat_map(|table| [entity_chart(design, table), index_table(table)]).collect()
}

fn in_text(grids: &[Grid], markdown: bool) -> String {
    let grids = grids.iter().filter(|grid| !grid.rows.is_empty());
    let texts: Vec<String> = grids.map(|grid| if markdown { grid.markdown() } else { grid.text() }).collect();
    texts.join("\n")
}
