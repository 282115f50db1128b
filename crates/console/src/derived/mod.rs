//! The page of derived data: how far each rule is, what can't take its values, and audits, repairs and rebuilds.

mod page;

use std::sync::Arc;

use axum::Form;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Redirect, Response};
use singlet_derive::{Audit, request_rebuild, status};
use singlet_store::History;

use crate::console::{Console, Served};
use crate::failure::Failure;
use crate::layout::Section;
use crate::link::{Link, Pairs};
pub(crate) use page::tabs;

use page::DerivedPage;

/// Shows the state of derived data.
pub(crate) async fn show<S: History>(
    State(console): State<Arc<Console<S>>>,
    Path(design): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let served = console.served(&design)?;
    let runner = served.runner();
    let state = status(runner.store(), served.design(), runner.environment()).await;
    let state = state.map_err(|error| error.to_string());
    let audit = console.audits.of(served.name());
    let session = console.guard.session(&headers);
    let frame = console.frame(Some(served), Section::Changes, "Derived data");
    let page =
        DerivedPage { console: &console, served, state: &state, audit: audit.as_deref(), session: &session };
    Ok(session.with_page(frame.page(page.content())))
}

/// Begins an audit, a repair or a rebuild.
pub(crate) async fn act<S: History + 'static>(
    State(console): State<Arc<Console<S>>>,
    Path(design): Path<String>,
    headers: HeaderMap,
    Form(form): Form<Pairs>,
) -> Result<Response, Failure> {
    console.check_writable()?;
    console.guard.check(&headers, &form)?;
    let served = console.served(&design)?;
    let value =
        |name: &str| form.iter().find(|(known, _)| known == name).map_or("", |(_, text)| text.as_str());
    match value("action") {
        "audit" => audit(Arc::clone(&console), served),
        "repair" => repair(&console, served).await?,
        "rebuild" => {
            let names: Vec<String> =
                form.iter().filter(|(name, _)| name == "rule").map(|(_, rule)| rule.clone()).collect();
            let runner = served.runner();
            let asked = request_rebuild(runner.store(), served.design(), runner.environment(), &names).await;
            asked.map_err(|error| Failure::wrong(error.to_string()))?;
        }
        _ => return Err(Failure::wrong("The form asks for nothing that the page can do.")),
    }
    Ok(Redirect::to(&Link::derived(served.name()).to_string()).into_response())
}

/// Audits in the background. A second audit of a design waits for nobody: it isn't begun.
fn audit<S: History + 'static>(console: Arc<Console<S>>, served: &Served<S>) {
    let name = served.name().to_owned();
    let Some(run) = console.audits.begin(&name) else { return };
    tokio::spawn(async move {
        let Ok(served) = console.served(&name) else { return };
        let runner = served.runner();
        let audit = Audit::new(runner.store(), Arc::clone(served.design()), runner.environment());
        let outcome = match audit {
            Some(audit) => {
                audit.confirmed(&mut |read| run.note(read)).await.map_err(|error| error.to_string())
            }
            None => Err("the design has no derived fields".to_owned()),
        };
        run.end(outcome);
    });
}

/// Gives the fields that the latest audit found their correct values.
async fn repair<S: History>(console: &Console<S>, served: &Served<S>) -> Result<(), Failure> {
    let first = || Failure::wrong("Audit the derived fields first.");
    let run = console.audits.of(served.name()).ok_or_else(first)?;
    let Some(Ok(report)) = run.outcome() else { return Err(first()) };
    let runner = served.runner();
    let audit = Audit::new(runner.store(), Arc::clone(served.design()), runner.environment());
    let audit = audit.ok_or_else(first)?;
    run.note_repair(audit.repair(report).await.map_err(|error| error.to_string()));
    Ok(())
}
