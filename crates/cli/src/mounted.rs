//! The API and the console of designs beside the database that they run on.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::http::header::{HOST, HeaderMap, ORIGIN};
use axum::response::IntoResponse;
use axum::routing::any;
use singlet_api::{Authority, Metered, Served as ServedApi};
use singlet_console::{BASE, Permission, Served};
use singlet_design::Design;
use singlet_engine::Database;
use singlet_run::Runner;
use singlet_run::apply::choose_environment;
use singlet_server::Server;
use singlet_store::Embedded;
use tower_service::Service;

use crate::derivations::Workers;
use crate::examples;
use crate::failure::Failure;

/// The designs that a server serves, with the names of their files.
pub(crate) struct Mounted<'a> {
    pub(crate) designs: Vec<(Arc<Design>, &'a Path)>,
    pub(crate) environment: Option<&'a str>,
    pub(crate) database: &'a Database,
    /// The workers that keep derived data up to date.
    pub(crate) workers: &'a Workers,
    /// The key that encrypts cursors.
    pub(crate) cursor_key: [u8; 32],
    /// How callers of the API are known.
    pub(crate) authority: Authority,
    /// Whether there is a console, and what it may do.
    pub(crate) console: Option<Permission>,
    /// Whether the example applications are served.
    pub(crate) with_examples: bool,
}

impl Mounted<'_> {
    /// Mounts the API of the designs, and their console, if there are designs.
    pub(crate) fn on(&self, server: Server) -> Result<Server, Failure> {
        if self.designs.is_empty() {
            return Ok(server);
        }
        let apis = self.designs.iter().map(|(design, _)| {
            let store = Metered::new(Embedded::new(self.database.clone(), design.name.clone()));
            let feeds = Embedded::new(self.database.clone(), design.name.clone());
            let derived = self.workers.settled(&design.name);
            let api = ServedApi::new(self.runner(design, store)?).with_feeds(feeds, derived);
            self.workers.show(&design.name, api.figures());
            Ok(api)
        });
        let apis = apis.collect::<Result<Vec<_>, Failure>>()?;
        let api = singlet_api::router_for(apis, &self.authority);
        let Some(permission) = self.console else { return Ok(server.mount(api)) };
        let served = self.designs.iter().map(|(design, file)| {
            let store = Embedded::new(self.database.clone(), design.name.clone());
            let served = Served::new(self.runner(design, store)?, file.display().to_string());
            Ok(served.with_counters(self.workers.counters(&design.name)))
        });
        let console = singlet_console::router(served.collect::<Result<Vec<_>, Failure>>()?, permission);
        let api = if self.with_examples { beside(api, examples::BASE, examples::router()) } else { api };
        Ok(server.mount(beside(api, BASE, console)).with_home(BASE))
    }

    fn runner<S: singlet_store::Store>(&self, design: &Arc<Design>, store: S) -> Result<Runner<S>, Failure> {
        let environment = choose_environment(design, self.environment)?;
        Ok(Runner::new(Arc::clone(design), store, environment.name).with_cursor_key(self.cursor_key))
    }
}

/// Returns a router that sends the paths below `base` to one router, and all others to the API. They aren't routes,
/// because a route would add its own parameters to those of the page.
fn beside(api: Router, base: &'static str, pages: Router) -> Router {
    Router::new().fallback(any(move |request: Request| {
        let path = request.uri().path();
        let is_page = path.starts_with(base) || path == base.trim_end_matches('/');
        // `--cors` lets pages of another origin use the API. The console shows everything, so it is for its own pages.
        let is_refused = is_page && base == BASE && is_foreign(request.headers());
        let mut router = if is_page { pages.clone() } else { api.clone() };
        async move {
            match is_refused {
                true => Ok((StatusCode::FORBIDDEN, "pages of other origins may not use the console\n")
                    .into_response()),
                false => router.call(request).await,
            }
        }
    }))
}

/// Whether a page of another origin sent a request.
fn is_foreign(headers: &HeaderMap) -> bool {
    let text = |name| headers.get(name).map(|value| value.as_bytes());
    let Some(origin) = text(ORIGIN) else { return false };
    let authority = std::str::from_utf8(origin).ok().and_then(|origin| origin.split_once("://"));
    authority.map(|(_, authority)| authority.as_bytes()) != text(HOST)
}

/// Refuses designs of the same name, which would have the same paths.
pub(crate) fn check_names(designs: &[Arc<Design>]) -> Result<(), Failure> {
    let mut names = BTreeSet::new();
    match designs.iter().find(|design| !names.insert(&design.name)) {
        Some(design) => Err(Failure::Arguments(format!(
            "two of the designs are called `{}`: rename one of them",
            design.name
        ))),
        None => Ok(()),
    }
}
