//! The diagram as SVG. Colours stand in attributes, for the file; in a page, the style sheet replaces them.

use std::fmt::Write;

use maud::{Markup, html};
use singlet_design::Design;

use super::graph::{EntityBox, Graph};
use super::place::{Area, Course, HEAD, LINE, Plan, text_width};
use crate::link::Link;
use crate::parts::hue;

const INK: &str = "#1c2430";
const FAINT: &str = "#5b6675";
const RULE: &str = "#c9d1da";
const PAPER: &str = "#ffffff";
const FONT: &str = "system-ui, sans-serif";

/// A drawn diagram.
#[derive(Debug, Clone)]
pub(in crate::design) struct Drawing {
    width: f64,
    height: f64,
    links: Markup,
    boxes: Vec<(Link, Markup)>,
}

impl Drawing {
    pub(super) fn of(design: &Design, graph: &Graph, plan: &Plan) -> Drawing {
        let loops = graph.edges.iter().enumerate().filter(|(_, link)| link.one == link.many);
        let links = html! {
            @for course in &plan.courses { (link_line(graph, course)) }
            @for (_, link) in loops {
                @if let Some(area) = plan.boxes.get(link.one) { (own_line(&link.label, *area)) }
            }
        };
        let boxes = graph.boxes.iter().zip(&plan.boxes).map(|(entity, area)| {
            (Link::entity(&design.name, &entity.entity), entity_box(design, entity, *area))
        });
        Drawing { width: plan.width.ceil(), height: plan.height.ceil(), links, boxes: boxes.collect() }
    }

    /// The drawing as part of a page: entities lead to their items.
    pub(in crate::design) fn inline(&self) -> Markup {
        html! {
            svg.er width=(self.width) height=(self.height) viewBox={ "0 0 " (self.width) " " (self.height) }
                role="group" aria-label="Entities and relations; the table below says the same in words" {
                (self.links)
                @for (link, content) in &self.boxes { a href=(link) { (content) } }
            }
        }
    }

    /// The drawing as a file of its own.
    pub(in crate::design) fn file(&self) -> Markup {
        html! {
            svg xmlns="http://www.w3.org/2000/svg" width=(self.width) height=(self.height)
                viewBox={ "0 0 " (self.width) " " (self.height) } font-family=(FONT) {
                rect width="100%" height="100%" fill=(PAPER) {}
                (self.links)
                @for (_, content) in &self.boxes { (content) }
            }
        }
    }
}

fn entity_box(design: &Design, entity: &EntityBox, area: Area) -> Markup {
    let Area { x, y, width, height } = area;
    html! {
        g class={ "er-box " (hue(design, &entity.entity)) } {
            rect.er-body x=(x) y=(y) width=(width) height=(height) rx="6" fill=(PAPER) stroke=(RULE) {}
            rect.er-mark x=(x) y=(y) width="4" height=(height) rx="2" fill=(FAINT) {}
            text.er-name x=(x + 14.0) y=(y + 20.0) font-size="13" font-weight="600" fill=(INK) { (entity.entity) }
            @for (position, line) in entity.lines.iter().enumerate() {
                @let base = y + HEAD + position as f64 * LINE + 13.0;
                text.er-field x=(x + 14.0) y=(base) font-size="12" fill=(INK) { (line.field) }
                text.er-role x=(x + width - 10.0) y=(base) font-size="11" text-anchor="end" fill=(FAINT) { (line.role) }
            }
            @if entity.left_out > 0 {
                @let base = y + HEAD + entity.lines.len() as f64 * LINE + 13.0;
                text.er-role x=(x + 14.0) y=(base) font-size="11" fill=(FAINT) { "+ " (entity.left_out) " more" }
            }
        }
    }
}

fn link_line(graph: &Graph, course: &Course) -> Markup {
    let (Some(link), Some(start), Some(end)) =
        (graph.edges.get(course.link), course.points.first(), course.points.last())
    else {
        return html! {};
    };
    let (one, many) = if course.is_reversed { (end, start) } else { (start, end) };
    // The many end has a foot that points away from its box.
    let outward = if course.is_reversed { 1.0 } else { -1.0 };
    html! {
        path.er-line d=(curve(&course.points)) fill="none" stroke=(FAINT) {}
        @if link.is_single { path.er-line d=(bar(*many, outward)) fill="none" stroke=(FAINT) {} }
        @else { path.er-line d=(foot(*many, outward)) fill="none" stroke=(FAINT) {} }
        path.er-line d=(bar(*one, -outward)) fill="none" stroke=(FAINT) {}
        text.er-label x=(start.0 + 12.0) y=(start.1 - 4.0) font-size="11" fill=(FAINT)
            paint-order="stroke" stroke=(PAPER) stroke-width="3" {
            (link.label)
            @if !link.count.is_empty() { " " tspan.er-count { (link.count) } }
        }
    }
}

/// A link of an entity to itself: a loop on its right side.
fn own_line(label: &str, area: Area) -> Markup {
    let (x, y) = (area.x + area.width, area.y + 12.0);
    let text = x + 28.0 - text_width(label) / 2.0;
    html! {
        path.er-line d=(format!("M{x} {y}c34 0 34 22 0 22")) fill="none" stroke=(FAINT) {}
        path.er-line d=(foot((x, y + 22.0), 1.0)) fill="none" stroke=(FAINT) {}
        text.er-label x=(text.max(x + 4.0)) y=(y - 4.0) font-size="11" fill=(FAINT) { (label) }
    }
}

/// A smooth line through the points, level at each of them.
fn curve(points: &[(f64, f64)]) -> String {
    let mut path = String::new();
    for (position, (x, y)) in points.iter().enumerate() {
        // Writing to a string can't fail.
        let _ = match position.checked_sub(1).and_then(|before| points.get(before)) {
            None => write!(path, "M{x:.1} {y:.1}"),
            Some((from_x, from_y)) => {
                let middle = (from_x + x) / 2.0;
                write!(path, "C{middle:.1} {from_y:.1} {middle:.1} {y:.1} {x:.1} {y:.1}")
            }
        };
    }
    path
}

/// A crow's foot: many.
fn foot((x, y): (f64, f64), outward: f64) -> String {
    let tip = x + outward * 10.0;
    format!("M{x:.1} {:.1}L{tip:.1} {y:.1}L{x:.1} {:.1}", y - 5.0, y + 5.0)
}

/// A bar across the line: one.
fn bar((x, y): (f64, f64), outward: f64) -> String {
    let at = x + outward * 6.0;
    format!("M{at:.1} {:.1}V{:.1}", y - 4.0, y + 4.0)
}
