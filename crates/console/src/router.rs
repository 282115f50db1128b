//! The routes.

use std::net::IpAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::http::Uri;
use axum::middleware::Next;
use axum::middleware::{from_fn, map_response};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use singlet_store::History;

use crate::console::{Console, Permission, Served};
use crate::failure::Failure;
use crate::headers::with_headers;
use crate::{BASE, assets, changes, data, derived, design, edit, overview, pattern, search, statement, time};

/// Returns the router of the console of these designs, for all paths that begin with [`BASE`], and for [`BASE`] without
/// its last slash. Addresses that no page has get a page that says so.
///
/// The server that mounts it checks the `Host` header, as for its other answers. If a request has the client's address
/// among its extensions, as an [`IpAddr`], only this machine is answered: nobody signs in.
pub fn router<S: History + 'static>(designs: Vec<Served<S>>, permission: Permission) -> Router {
    Router::new()
        .route(BASE.trim_end_matches('/'), get(|| async { Redirect::permanent(BASE) }))
        .route(BASE, get(overview::page::<S>))
        .route(&at("-/search/"), get(search::page::<S>))
        .route(&at("-/index.json"), get(search::index::<S>))
        .route(&at("-/assets/{hash}/{name}"), get(assets::asset))
        .route(&at("{design}/"), get(design::entities::<S>))
        .route(&at("{design}/diagram/"), get(design::diagram_page::<S>))
        .route(&at("{design}/diagram.svg"), get(design::diagram_file::<S>))
        .route(&at("{design}/file/"), get(design::file::<S>))
        .route(&at("{design}/patterns/"), get(design::patterns::<S>))
        .route(&at("{design}/patterns/{pattern}/"), get(pattern::show::<S>).post(pattern::write::<S>))
        .route(&at("{design}/data/"), get(data::contents::<S>))
        .route(&at("{design}/data/entity/{entity}/"), get(data::entity::<S>))
        .route(&at("{design}/data/table/{table}/"), get(data::table::<S>))
        .route(&at("{design}/data/at/"), get(time::at::<S>))
        .route(&at("{design}/data/collection/"), get(data::collection::<S>))
        .route(
            &at("{design}/data/collection/compare/"),
            get(time::compare::<S>).post(time::restore_collection::<S>),
        )
        .route(&at("{design}/data/entity/{entity}/new/"), get(edit::create::<S>).post(edit::created::<S>))
        .route(&at("{design}/data/item/"), get(data::item::<S>))
        .route(&at("{design}/data/item/change/"), get(edit::change::<S>).post(edit::changed::<S>))
        .route(&at("{design}/data/item/delete/"), get(edit::delete::<S>).post(edit::deleted::<S>))
        .route(
            &at("{design}/data/item/restore/"),
            get(time::restore_item_form::<S>).post(time::restore_item::<S>),
        )
        .route(&at("{design}/data/item/json/"), get(edit::json::<S>).post(edit::store_json::<S>))
        .route(&at("{design}/statement/"), get(statement::page::<S>))
        .route(&at("{design}/changes/"), get(changes::show::<S>))
        .route(&at("{design}/derived/"), get(derived::show::<S>).post(derived::act::<S>))
        .route(&at("{design}/changes/tail/"), get(changes::tail::<S>))
        .route(&at("{design}/recovery/"), get(time::recovery::<S>).post(time::act::<S>))
        .fallback(elsewhere)
        .with_state(Arc::new(Console::new(designs, permission)))
        .layer(from_fn(for_this_machine))
        .layer(map_response(with_headers))
}

/// Refuses clients on other machines.
async fn for_this_machine(request: Request, next: Next) -> Response {
    let address = request.extensions().get::<IpAddr>();
    match address.is_some_and(|address| !address.to_canonical().is_loopback()) {
        true => {
            Failure::forbidden("The console answers only to the machine that it runs on.").into_response()
        }
        false => next.run(request).await,
    }
}

fn at(path: &str) -> String {
    format!("{BASE}{path}")
}

/// Answers an address that no page has. Addresses of pages end in a slash, which people leave out.
async fn elsewhere(uri: Uri) -> Result<Redirect, Failure> {
    match (uri.path().ends_with('/'), uri.query()) {
        (true, _) => Err(Failure::not_found("page", uri.path())),
        (false, None) => Ok(Redirect::permanent(&format!("{}/", uri.path()))),
        (false, Some(query)) => Ok(Redirect::permanent(&format!("{}/?{query}", uri.path()))),
    }
}
