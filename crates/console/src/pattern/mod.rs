//! The page of a pattern: a form of its parameters, its answer, and the requests that it became.
//!
//! Reads run by their address, so each answer can be linked. A write is worked out by its address and shown without
//! being done. A second form, with a token, does it.

mod answer;
mod call;
mod example;
mod export;
mod form;
mod requests;
mod run;
mod snippets;

use std::sync::Arc;

use axum::Form;
use axum::extract::{Path, Query, State};
use axum::http::HeaderMap;
use axum::http::header::HOST;
use axum::response::Response;
use maud::{Markup, html};
use singlet_design::Pattern;
use singlet_run::{Outcome, Usage};
use singlet_store::Store;

use crate::console::{Console, Permission, Served};
use crate::failure::Failure;
use crate::guard::{Session, TOKEN};
use crate::icon::Icon;
use crate::layout::Section;
use crate::link::{Link, Pairs};
use crate::parts::{empty, prose, scrolling, template};
use crate::text::{Unhidden, Visible};
use call::Call;
use export::FileKind;
pub(crate) use requests::list as request_list;
use run::{Effect, Run};

/// Shows the form of a pattern; with values, also the answer, or what a write would do.
pub(crate) async fn show<S: Store>(
    State(console): State<Arc<Console<S>>>,
    Path((design, pattern)): Path<(String, String)>,
    headers: HeaderMap,
    Query(pairs): Query<Pairs>,
) -> Result<Response, Failure> {
    let served = console.served(&design)?;
    let pattern = served.pattern(&pattern)?;
    let call = Call::of(pattern, &pairs);
    let effect = if pattern.reads() { Effect::Read } else { Effect::Preview };
    let mut run = None;
    let mut example = None;
    if pattern.internal {
        // It runs as a part of others only.
    } else if call.is_runnable() {
        let done = Run::of(served, pattern, &call, effect).await;
        if let (Some(kind), Effect::Read, Ok(outcome)) = (FileKind::of(&pairs), effect, &done.outcome) {
            let none = || Failure::wrong("Only lists and single items have such a file.");
            return export::file(outcome, kind, &pattern.name).ok_or_else(none);
        }
        run = Some(done);
    } else if !call.is_asked {
        example = example::arguments(served, pattern).await;
    }
    let page = Page { console: &console, served, pattern, call: &call, run: run.as_ref(), example };
    Ok(page.response(&headers))
}

/// Does a write, and shows its answer. Its values are in the address, exactly as in that of the preview.
pub(crate) async fn write<S: Store>(
    State(console): State<Arc<Console<S>>>,
    Path((design, pattern)): Path<(String, String)>,
    headers: HeaderMap,
    Query(pairs): Query<Pairs>,
    Form(form): Form<Pairs>,
) -> Result<Response, Failure> {
    console.check_writable()?;
    console.guard.check(&headers, &form)?;
    let served = console.served(&design)?;
    let pattern = served.pattern(&pattern)?;
    let call = Call::of(pattern, &pairs);
    let mut run = None;
    if call.is_runnable() && !pattern.internal {
        run = Some(Run::of(served, pattern, &call, Effect::Write).await);
    }
    let page = Page { console: &console, served, pattern, call: &call, run: run.as_ref(), example: None };
    Ok(page.response(&headers))
}

/// Everything that is on the page of a pattern.
struct Page<'a, S> {
    console: &'a Console<S>,
    served: &'a Served<S>,
    pattern: &'a Pattern,
    call: &'a Call,
    run: Option<&'a Run>,
    /// Arguments that have an answer, if the page has no values yet.
    example: Option<Pairs>,
}

impl<S: Store> Page<'_, S> {
    fn response(&self, headers: &HeaderMap) -> Response {
        let session = self.console.guard.session(headers);
        let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or("127.0.0.1:8000");
        let frame = self.console.frame(Some(self.served), Section::Patterns, &self.pattern.name);
        session.with_page(frame.page(self.content(&session, host)))
    }

    fn content(&self, session: &Session, host: &str) -> Markup {
        let usage = Usage::of(self.pattern);
        html! {
            (self.heading(&usage))
            @if self.pattern.internal {
                (self.users())
            } @else {
                div.workbench {
                    div.ask {
                        (form::form(self.served.name(), self.pattern, &usage, self.call, self.run))
                    }
                    div.answer {
                        @match self.run {
                            Some(run) => (self.answer(run, session, host)),
                            None => (self.invitation()),
                        }
                    }
                }
            }
        }
    }

    fn heading(&self, usage: &Usage) -> Markup {
        html! {
            nav.trail aria-label="Path" {
                a href=(Link::patterns(self.served.name())) { "Patterns" }
            }
            header.heading {
                h1 { code { (self.pattern.name) } }
                @if let Some(about) = &self.pattern.about { p.about { (about) } }
            }
            dl.facts.wide {
                div { dt { "Does" } dd { (usage.does) } }
                div { dt { "Request" } dd { (usage.request) } }
                @if !usage.key.is_empty() { div { dt { "Key" } dd { (template(&usage.key)) } } }
                @if !usage.condition.is_empty() { div { dt { "Condition" } dd { code { (usage.condition) } } } }
            }
        }
    }

    fn users(&self) -> Markup {
        let design = self.served.design();
        empty(
            "This pattern is a part of others",
            &html! {
                "It runs as a step of "
                @for (position, user) in design.users_of(self.pattern).enumerate() {
                    @if position > 0 { ", " }
                    a href=(Link::pattern(&design.name, &user.name)) { (user.name) }
                }
                "."
            },
        )
    }

    /// The link to arguments that have an answer.
    fn example(&self) -> Markup {
        let Some(example) = &self.example else { return html! {} };
        let name = self.served.name();
        let link = |link: Link, (name, value): &(String, String)| link.with(name, value.as_str());
        let link = example.iter().fold(Link::pattern(name, &self.pattern.name), link);
        html! {
            div.example {
                a.button href=(link) { "Fill in an example" }
                p.about { @for (name, value) in example { code { (name) "=" (Visible(value)) } " " } }
            }
        }
    }

    fn invitation(&self) -> Markup {
        let (title, advice) = match (self.call.wrong.is_empty(), self.pattern.reads()) {
            (false, _) => ("Not run", "The values that are marked don’t fit."),
            (true, true) => ("No answer yet", "Fill in the form and run the pattern."),
            (true, false) => ("Nothing written yet", "The form shows first what the pattern would write."),
        };
        html! { div.empty { p.title { (title) } p { (advice) } (self.example()) } }
    }

    fn answer(&self, run: &Run, session: &Session, host: &str) -> Markup {
        let base = self.call.link(self.served.name(), &self.pattern.name);
        html! {
            section.block aria-labelledby="answer" {
                header.result {
                    h2 #answer { (run.effect.title()) }
                    @if run.outcome.is_ok() { (answer::views(&base, self.call.view)) }
                    @if let (Ok(outcome), Effect::Read) = (&run.outcome, run.effect) { (self.files(outcome, &base)) }
                }
                @match &run.outcome {
                    Ok(outcome) => (answer::outcome(self.served.design(), outcome, self.call.view, &base)),
                    Err(error) => div.problem role="alert" { (Icon::Error) p { (prose(&error.to_string())) } },
                }
                @if run.effect == Effect::Preview && run.outcome.is_ok() { (self.confirmation(session)) }
            }
            section.block aria-labelledby="requests" {
                h2 #requests { "Requests" }
                (requests::summary(run))
                (requests::list(&run.recorded))
            }
            section.block aria-labelledby="elsewhere" {
                h2 #elsewhere { "The same elsewhere" }
                @for (title, text) in snippets::all(self.served.file(), self.pattern, self.call, run, host) {
                    (snippet(title, &text))
                }
            }
        }
    }

    /// Links to the page of the answer as files.
    fn files(&self, outcome: &Outcome, base: &Link) -> Markup {
        let cursor = self.call.paging.cursor.as_deref();
        let base = cursor.map_or_else(|| base.clone(), |cursor| base.clone().with(call::CURSOR, cursor));
        html! {
            @if matches!(outcome, Outcome::Items { .. } | Outcome::Gathered { .. } | Outcome::Item(Some(_))) {
                p.actions {
                    @for kind in FileKind::ALL {
                        a href=(base.clone().with(export::EXPORT, kind.word())) { (Icon::Download) (kind.word().to_uppercase()) }
                    }
                }
            }
        }
    }

    /// The form that does what the page shows.
    fn confirmation(&self, session: &Session) -> Markup {
        html! {
            @if self.console.permission == Permission::ReadOnly {
                p.about { "This console only reads, so the pattern can’t be run here." }
            } @else {
                form.confirm method="post" action=(self.call.link(self.served.name(), &self.pattern.name)) {
                    input type="hidden" name=(TOKEN) value=(self.console.guard.token(session));
                    button.primary type="submit" { (Icon::Write) "Write it" }
                    span.about { "Nothing is written until then." }
                }
            }
        }
    }
}

/// Text to copy.
fn snippet(title: &str, text: &str) -> Markup {
    html! {
        details.snippet {
            summary { (title) }
            div.copyable {
                button.quiet.scripted type="button" data-copy { (Icon::Copy) "Copy" }
                (scrolling(title, &html! { pre { code { (Unhidden(text)) } } }))
            }
        }
    }
}
