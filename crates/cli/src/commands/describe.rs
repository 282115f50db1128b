//! `singlet describe`.

use std::io::{Write, stdout};

use singlet_design::{
    Design, Grid, Json, describe_markdown, entity_chart, er_diagram, index_table, pattern_table,
    settings_table,
};

use crate::arguments::{DescribeArguments, DescribePart, OutputFormat};
use crate::design_file;
use crate::failure::Failure;
use crate::style::{HEAD, styled};
use crate::table::{Fit, Table, terminal_width};

/// Prints a design's chart, patterns and diagram.
pub(crate) fn describe(arguments: &DescribeArguments) -> Result<(), Failure> {
    let design = design_file::load(&arguments.file)?;
    if arguments.format == OutputFormat::Json {
        writeln!(stdout().lock(), "{}", json(&design, arguments.part))?;
        return Ok(());
    }
    let text = match (arguments.part, arguments.markdown) {
        (None, false) => whole(&design),
        (None, true) => describe_markdown(&design),
        (Some(DescribePart::Chart), markdown) => in_text(&charts(&design), markdown),
        (Some(DescribePart::Patterns), markdown) => in_text(&[patterns(&design)], markdown),
        (Some(DescribePart::Diagram), false) => er_diagram(&design),
        (Some(DescribePart::Diagram), true) => format!("```mermaid\n{}```\n", er_diagram(&design)),
    };
    anstream::stdout().lock().write_all(text.as_bytes())?;
    Ok(())
}

/// The parts as objects; the diagram is text.
fn json(design: &Design, part: Option<DescribePart>) -> Json {
    let grids = |grids: Vec<Grid>| {
        Json::List(
            grids
                .iter()
                .map(|grid| {
                    Json::from([("title", Json::from(grid.title.as_str())), ("rows", grid.to_json())])
                })
                .collect(),
        )
    };
    let wanted = |one: DescribePart| part.is_none_or(|part| part == one);
    let mut members = vec![("design".to_owned(), Json::from(design.name.as_str()))];
    if wanted(DescribePart::Chart) {
        members.push(("charts".to_owned(), grids(charts(design))));
    }
    if wanted(DescribePart::Patterns) {
        members.push(("patterns".to_owned(), pattern_table(design).to_json()));
    }
    if wanted(DescribePart::Diagram) {
        members.push(("diagram".to_owned(), Json::from(er_diagram(design))));
    }
    Json::Object(members)
}

/// All parts for a terminal, which the tables fit; elsewhere they are as wide as they need.
fn whole(design: &Design) -> String {
    let mut text = format!("{}\n", styled(HEAD, &design.name));
    text += &design.about.as_ref().map(|about| format!("\n{about}\n")).unwrap_or_default();
    let grids = charts(design).into_iter().chain([patterns(design)]);
    for grid in grids.filter(|grid| !grid.rows.is_empty()) {
        text += &format!("\n{}\n\n{}", styled(HEAD, &grid.title), fitted(&grid));
    }
    text + &format!("\n{}\n\n{}", styled(HEAD, "Entities and relations (Mermaid)"), er_diagram(design))
}

fn fitted(grid: &Grid) -> String {
    let (head, rows) = (grid.columns.clone(), grid.rows.clone());
    Table { head, rows, fit: Fit::Wrap, is_ruled: true }.text(terminal_width())
}

fn charts(design: &Design) -> Vec<Grid> {
    let of = |table| [entity_chart(design, table), index_table(table), settings_table(design, table)];
    design.tables.iter().flat_map(|table| of(table)).collect()
}

/// The table of patterns without their tags, which mean something only to programs and to the author.
fn patterns(design: &Design) -> Grid {
    pattern_table(design).without_column("Tags")
}

fn in_text(grids: &[Grid], markdown: bool) -> String {
    let grids = grids.iter().filter(|grid| !grid.rows.is_empty());
    let texts: Vec<String> =
        grids.map(|grid| if markdown { grid.markdown() } else { fitted(grid) }).collect();
    texts.join("\n")
}
