//! The diagram of entities and relations. It depends on the design only: the same file gives the same picture.

mod draw;
mod graph;
mod layers;
mod place;

use maud::{Markup, html};
use singlet_design::Design;

pub(super) use draw::Drawing;
use graph::Graph;

use crate::parts::{empty, entity_tag, head, scrolling};

/// Draws the diagram of a design.
pub(super) fn drawing(design: &Design) -> Drawing {
    let graph = Graph::of(design);
    let layered = layers::Layered::of(&graph);
    let plan = place::Plan::of(&graph, &layered);
    Drawing::of(design, &graph, &plan)
}

/// The relations as a table, for everybody who doesn't see the picture.
pub(super) fn relations(design: &Design) -> Markup {
    let graph = Graph::of(design);
    let name = |node: usize| graph.boxes.get(node).map(|known| known.entity.as_str()).unwrap_or_default();
    html! {
        section.block aria-labelledby="relations" {
            h2 #relations { "Relations" }
            @if graph.edges.is_empty() {
                (empty("No relations", &html! {
                    "Declare them with " code { "relations" } " or " code { "ref" } " in the design."
                }))
            } @else {
                (scrolling("Relations", &html! {
                    table {
                        (head(&["One", "Relation", "Many", "How many"]))
                        tbody {
                            @for link in &graph.edges {
                                tr {
                                    td { (entity_tag(design, name(link.one))) }
                                    td { code { (link.label) } }
                                    td { (entity_tag(design, name(link.many))) }
                                    td { (link.count) }
                                }
                            }
                        }
                    }
                }))
            }
        }
    }
}

#[cfg(test)]
mod tests;
