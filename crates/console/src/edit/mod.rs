//! Forms that create, change and delete items through the design.
//!
//! A form is sent twice: first it shows what would be written, then it writes. It carries the version of the item that it
//! was made from, so an item that has changed since isn't overwritten: the page shows both.

mod conflict;
mod draft;
mod form;
mod raw;
mod save;

use std::sync::Arc;

use axum::Form;
use axum::extract::{Path, Query, State};
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Redirect, Response};
use singlet_design::Entity;
use singlet_run::{ItemAction, ItemError, ItemVersion};
use singlet_store::Store;
use singlet_values::Item;

use crate::console::{Console, Served};
use crate::data::{ItemKey, item_key, read_item};
use crate::failure::Failure;
use crate::keys::entity_of;
use crate::link::{Link, Pairs};
use crate::notice::DONE;
use draft::Draft;
use form::EditPage;
pub(crate) use form::problem;
pub(crate) use raw::{show as json, store as store_json};
pub(crate) use save::{Step, VERSION, Written, save, seen};

/// Shows the form of a new item.
pub(crate) async fn create<S: Store>(
    State(console): State<Arc<Console<S>>>,
    Path((design, entity)): Path<(String, String)>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    console.check_writable()?;
    let served = console.served(&design)?;
    let entity = served.entity(&entity)?;
    let page = EditPage::new(&console, served, entity, None);
    Ok(page.form(&headers, &Draft::empty(entity), &[], None))
}

/// Shows what a new item would be, or writes it.
pub(crate) async fn created<S: Store>(
    State(console): State<Arc<Console<S>>>,
    Path((design, entity)): Path<(String, String)>,
    headers: HeaderMap,
    Form(form): Form<Pairs>,
) -> Result<Response, Failure> {
    console.check_writable()?;
    let served = console.served(&design)?;
    let entity = served.entity(&entity)?;
    let page = EditPage::new(&console, served, entity, None);
    let draft = Draft::of_form(entity, true, &form);
    let (fields, wrong) = draft.arguments(entity);
    let step = Step::of(&form);
    if step == Step::Edit || !wrong.is_empty() {
        return Ok(page.form(&headers, &draft, &wrong, None));
    }
    if step == Step::Save {
        console.guard.check(&headers, &form)?;
    }
    let written = save(served, entity, ItemAction::Create { fields }, step).await;
    match written.outcome {
        Ok(difference) if step == Step::Save => {
            Ok(done(served, entity, difference.after.as_ref(), "created"))
        }
        Ok(difference) => Ok(page.preview(&headers, &draft, &difference, &written.recorded)),
        Err(error) => Ok(page.refused(&headers, &draft, &error)),
    }
}

/// Shows the form of an item's fields.
pub(crate) async fn change<S: Store>(
    State(console): State<Arc<Console<S>>>,
    Path(design): Path<String>,
    headers: HeaderMap,
    Query(pairs): Query<Pairs>,
) -> Result<Response, Failure> {
    console.check_writable()?;
    let served = console.served(&design)?;
    let found = Edited::of(served, &pairs).await?;
    let page = EditPage::new(&console, served, found.entity, Some(&found));
    Ok(page.form(&headers, &Draft::of_item(found.entity, &found.item), &[], None))
}

/// Shows what a change would write, or writes it.
pub(crate) async fn changed<S: Store>(
    State(console): State<Arc<Console<S>>>,
    Path(design): Path<String>,
    headers: HeaderMap,
    Query(pairs): Query<Pairs>,
    Form(form): Form<Pairs>,
) -> Result<Response, Failure> {
    console.check_writable()?;
    let served = console.served(&design)?;
    let found = Edited::of(served, &pairs).await?;
    let entity = found.entity;
    let seen = seen(&form)?;
    let page = EditPage { version: seen, ..EditPage::new(&console, served, entity, Some(&found)) };
    let draft = Draft::of_form(entity, false, &form);
    let (fields, wrong) = draft.arguments(entity);
    let step = Step::of(&form);
    if step == Step::Edit || !wrong.is_empty() {
        return Ok(page.form(&headers, &draft, &wrong, None));
    }
    if step == Step::Save {
        console.guard.check(&headers, &form)?;
    }
    let action = ItemAction::Change { key: found.key.key.clone(), seen, fields };
    let written = save(served, entity, action, step).await;
    match written.outcome {
        Ok(difference) if step == Step::Save => {
            Ok(done(served, entity, difference.after.as_ref(), "changed"))
        }
        Ok(difference) => Ok(page.preview(&headers, &draft, &difference, &written.recorded)),
        Err(ItemError::Conflict { present: Some(present) }) => Ok(page.conflict(&headers, &draft, &present)),
        Err(error) => Ok(page.refused(&headers, &draft, &error)),
    }
}

/// Shows what deleting an item would do.
pub(crate) async fn delete<S: Store>(
    State(console): State<Arc<Console<S>>>,
    Path(design): Path<String>,
    headers: HeaderMap,
    Query(pairs): Query<Pairs>,
) -> Result<Response, Failure> {
    console.check_writable()?;
    let served = console.served(&design)?;
    let found = Edited::of(served, &pairs).await?;
    let page = EditPage { is_delete: true, ..EditPage::new(&console, served, found.entity, Some(&found)) };
    let action = ItemAction::Delete { key: found.key.key.clone(), seen: page.version };
    let written = save(served, found.entity, action, Step::Preview).await;
    Ok(page.delete(&headers, &written, None))
}

/// Deletes an item.
pub(crate) async fn deleted<S: Store>(
    State(console): State<Arc<Console<S>>>,
    Path(design): Path<String>,
    headers: HeaderMap,
    Query(pairs): Query<Pairs>,
    Form(form): Form<Pairs>,
) -> Result<Response, Failure> {
    console.check_writable()?;
    console.guard.check(&headers, &form)?;
    let served = console.served(&design)?;
    let found = Edited::of(served, &pairs).await?;
    let entity = found.entity;
    let delete = |seen| ItemAction::Delete { key: found.key.key.clone(), seen };
    let written = save(served, entity, delete(seen(&form)?), Step::Save).await;
    let Err(error) = written.outcome else {
        let list = Link::entity(served.name(), &entity.name).with(DONE, "deleted");
        return Ok(Redirect::to(&list.to_string()).into_response());
    };
    let page = EditPage { is_delete: true, ..EditPage::new(&console, served, entity, Some(&found)) };
    let again = save(served, entity, delete(page.version), Step::Preview).await;
    Ok(page.delete(&headers, &again, Some(&error)))
}

/// Leads to the page of an item that was written.
fn done<S: Store>(served: &Served<S>, entity: &Entity, item: Option<&Item>, word: &str) -> Response {
    let link = item.and_then(|item| Link::item_with_key(served.name(), &entity.table, item));
    let link = link.unwrap_or_else(|| Link::entity(served.name(), &entity.name)).with(DONE, word);
    Redirect::to(&link.to_string()).into_response()
}

/// An item that a form is about, read whole from its table.
struct Edited<'d> {
    key: ItemKey<'d>,
    entity: &'d Arc<Entity>,
    item: Item,
}

impl<'d> Edited<'d> {
    async fn of<S: Store>(served: &'d Served<S>, pairs: &Pairs) -> Result<Self, Failure> {
        let key = item_key(served, pairs)?;
        let gone =
            || Failure::wrong("The item isn't there any more. It may have been deleted, or have expired.");
        let encoded = read_item(served, &key).await?.ok_or_else(gone)?;
        let entity = entity_of(served.design(), key.table, encoded.view());
        let entity = entity.ok_or_else(|| {
            Failure::wrong("The item belongs to no entity of the design, so no form fits it.")
        })?;
        let item = encoded.decode().map_err(|_| Failure::wrong("The bytes of the item are damaged."))?;
        Ok(Edited { key, entity, item })
    }

    /// The page of the item.
    fn link(&self, design: &str) -> Link {
        Link::item_with_key(design, self.key.table, &self.item).unwrap_or_else(|| Link::data(design))
    }

    fn version<S: Store>(&self, served: &Served<S>) -> ItemVersion {
        ItemVersion::of(served.design(), self.entity, Some(&self.item))
    }
}
