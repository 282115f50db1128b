//! The pages of a design: its entities, its diagram, its file with the review, and its patterns.

mod diagram;
mod entities;
mod file;
mod highlight;
mod patterns;

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::header::CONTENT_TYPE;
use axum::response::{Html, IntoResponse, Response};
use maud::html;
use singlet_store::Store;

use crate::console::Console;
use crate::failure::Failure;
use crate::icon::Icon;
use crate::layout::Section;
use crate::link::Link;
use crate::parts::{heading, scrolling};

/// Shows the entities of a design: their keys in every table, and their fields.
pub(crate) async fn entities<S: Store>(
    State(console): State<Arc<Console<S>>>,
    Path(design): Path<String>,
) -> Result<Html<String>, Failure> {
    let served = console.served(&design)?;
    let frame = console.frame(Some(served), Section::Entities, served.name());
    Ok(frame.page(html! {
        (heading(&html! { (served.name()) }, served.design().about.as_deref()))
        (entities::content(served.design()))
    }))
}

/// Shows the diagram of entities and relations.
pub(crate) async fn diagram_page<S: Store>(
    State(console): State<Arc<Console<S>>>,
    Path(design): Path<String>,
) -> Result<Html<String>, Failure> {
    let served = console.served(&design)?;
    let frame = console.frame(Some(served), Section::Diagram, "Diagram");
    let drawing = diagram::drawing(served.design());
    Ok(frame.page(html! {
        header.heading {
            h1 { "Entities and relations" }
            p.actions { a.button href=(Link::diagram_file(served.name())) { (Icon::Download) "SVG file" } }
        }
        figure.diagram { (scrolling("Diagram of entities and relations", &drawing.inline())) }
        (diagram::relations(served.design()))
    }))
}

/// Answers with the diagram as a file.
pub(crate) async fn diagram_file<S: Store>(
    State(console): State<Arc<Console<S>>>,
    Path(design): Path<String>,
) -> Result<Response, Failure> {
    let served = console.served(&design)?;
    let text = diagram::drawing(served.design()).file();
    Ok(([(CONTENT_TYPE, "image/svg+xml; charset=utf-8")], text.into_string()).into_response())
}

/// Shows the file of a design with the findings of the review in their places.
pub(crate) async fn file<S: Store>(
    State(console): State<Arc<Console<S>>>,
    Path(design): Path<String>,
) -> Result<Html<String>, Failure> {
    let served = console.served(&design)?;
    let frame = console.frame(Some(served), Section::File, "Review");
    Ok(frame.page(html! {
        (heading(&html! { "Review" }, None))
        (file::content(served.design(), served.mended()))
    }))
}

/// Shows the table of a design's patterns.
pub(crate) async fn patterns<S: Store>(
    State(console): State<Arc<Console<S>>>,
    Path(design): Path<String>,
) -> Result<Html<String>, Failure> {
    let served = console.served(&design)?;
    let frame = console.frame(Some(served), Section::Patterns, "Patterns");
    Ok(frame.page(html! {
        (heading(&html! { "Patterns" }, Some(
            "Every way in which the design is read and written. The cost is an estimate from the bounds of the fields."
        )))
        (patterns::content(served.design(), served.costs()))
    }))
}
