//! The editor of a stored item as it is, in the JSON of DynamoDB: for administrators, past the design.

use std::sync::Arc;

use axum::Form;
use axum::extract::{Path, Query, State};
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Redirect, Response};
use maud::{Markup, html};
use singlet_expr::Condition;
use singlet_run::ItemVersion;
use singlet_store::{DeleteItem, History, PutItem, ReturnItem, Store, StoreError};
use singlet_values::Item;

use super::form::problem;
use super::save::{STEP, Step, VERSION, seen};
use crate::console::{Console, Served};
use crate::data::{ItemKey, item_key, read_item, trail};
use crate::difference::changes;
use crate::failure::Failure;
use crate::guard::{Session, TOKEN};
use crate::icon::Icon;
use crate::keys::{entity_of, split};
use crate::layout::Section;
use crate::link::{Link, Pairs};
use crate::notice::DONE;
use crate::parts::prose;
use crate::typed;

/// The name of the text.
const JSON: &str = "json";
/// The step that deletes the item.
const DELETE: &str = "delete";

/// A stored item with its key.
struct Stored<'d> {
    key: ItemKey<'d>,
    now: Option<Item>,
}

impl<'d> Stored<'d> {
    async fn of<S: Store>(served: &'d Served<S>, pairs: &Pairs) -> Result<Stored<'d>, Failure> {
        let key = item_key(served, pairs)?;
        let now = read_item(served, &key).await?;
        let damaged = |_| Failure::wrong("The bytes of the item are damaged.");
        let now = now.map(|item| item.decode().map_err(damaged)).transpose()?;
        Ok(Stored { key, now })
    }

    /// The state of the item, without a design.
    fn version(&self) -> ItemVersion {
        ItemVersion::whole(&self.now.clone().unwrap_or_default())
    }

    /// The text of the item; of its key, if there is none.
    fn text(&self) -> String {
        format!("{:#}", typed::write(self.now.as_ref().unwrap_or(&self.key.key)))
    }

    /// The item of a text, which must have the same key.
    fn read(&self, text: &str) -> Result<Item, String> {
        let item = typed::read(text)?;
        match self.key.key.iter().find(|(name, value)| item.get(name) != Some(*value)) {
            Some((name, _)) => Err(format!("`{name}` is in the key, so it must stay as it is")),
            None => Ok(item),
        }
    }

    /// The condition that the item is as it was read.
    fn unchanged(&self, after: Option<&Item>) -> Option<Condition> {
        use singlet_expr::Path;
        let now = self.now.iter().flat_map(|item| item.iter());
        let same = now.map(|(name, value)| Condition::equal(Path::attribute(name), value.clone()));
        let is_new = |name: &&str| self.now.as_ref().is_none_or(|now| !now.contains(name));
        let new = after.into_iter().flat_map(|item| item.iter().map(|(name, _)| name)).filter(is_new);
        Condition::all(same.chain(new.map(|name| Condition::missing(Path::attribute(name)))))
    }

    async fn write<S: Store>(&self, served: &Served<S>, after: Option<Item>) -> Result<(), StoreError> {
        let table = served.table_name(self.key.table);
        let (condition, returned) = (self.unchanged(after.as_ref()), ReturnItem::None);
        let store = served.runner().store();
        match after {
            Some(item) => store.put(PutItem { table, item, condition, returned }).await.map(drop),
            None => {
                let key = self.key.key.clone();
                store.delete(DeleteItem { table, key, condition, returned }).await.map(drop)
            }
        }
    }
}

/// Shows the text of an item.
pub(crate) async fn show<S: History>(
    State(console): State<Arc<Console<S>>>,
    Path(design): Path<String>,
    headers: HeaderMap,
    Query(pairs): Query<Pairs>,
) -> Result<Response, Failure> {
    console.check_writable()?;
    let served = console.served(&design)?;
    let stored = Stored::of(served, &pairs).await?;
    let editor = RawEditor { console: &console, served, stored: &stored, version: stored.version() };
    Ok(editor.text(&headers, &stored.text(), None))
}

/// Shows what a text would store, or stores it.
pub(crate) async fn store<S: History>(
    State(console): State<Arc<Console<S>>>,
    Path(design): Path<String>,
    headers: HeaderMap,
    Query(pairs): Query<Pairs>,
    Form(form): Form<Pairs>,
) -> Result<Response, Failure> {
    console.check_writable()?;
    let served = console.served(&design)?;
    let stored = Stored::of(served, &pairs).await?;
    let version = seen(&form)?;
    let editor = RawEditor { console: &console, served, stored: &stored, version };
    let value =
        |name: &str| form.iter().find(|(known, _)| known == name).map_or("", |(_, text)| text.as_str());
    let (step, is_delete) = (Step::of(&form), value(STEP) == DELETE);
    if step == Step::Edit {
        return Ok(editor.text(&headers, value(JSON), None));
    }
    if version != stored.version() {
        return Ok(editor.conflict(&headers, value(JSON)));
    }
    let after = match stored.read(value(JSON)) {
        _ if is_delete => None,
        Ok(item) => Some(item),
        Err(reason) => return Ok(editor.text(&headers, value(JSON), Some(&reason))),
    };
    if step == Step::Preview && !is_delete {
        return Ok(editor.preview(&headers, value(JSON), after.as_ref()));
    }
    console.guard.check(&headers, &form)?;
    let word = if is_delete { "deleted" } else { "changed" };
    match stored.write(served, after).await {
        Ok(()) => Ok(Redirect::to(&editor.item().with(DONE, word).to_string()).into_response()),
        Err(StoreError::ConditionFailed { .. }) => Ok(editor.conflict(&headers, value(JSON))),
        Err(error) => Ok(editor.text(&headers, value(JSON), Some(&error.to_string()))),
    }
}

/// The pages of the editor.
struct RawEditor<'a, S> {
    console: &'a Console<S>,
    served: &'a Served<S>,
    stored: &'a Stored<'a>,
    version: ItemVersion,
}

impl<S: History> RawEditor<'_, S> {
    /// The page of the item.
    fn item(&self) -> Link {
        let link = Link::item_with_key(self.served.name(), self.stored.key.table, &self.stored.key.key);
        link.unwrap_or_else(|| Link::data(self.served.name()))
    }

    fn address(&self) -> Link {
        self.item().of_item(JSON)
    }

    fn response(&self, headers: &HeaderMap, content: impl Fn(&Session) -> Markup) -> Response {
        let session = self.console.guard.session(headers);
        let frame = self.console.frame(Some(self.served), Section::Data, "Item as JSON");
        session.with_page(frame.page(html! {
            (trail(self.served.name(), &[(self.item(), "Item")]))
            header.heading {
                h1 { "Item as JSON" }
                p.item-key { @for (name, value) in self.stored.key.key.iter() { (split(None, name, value)) " " } }
                p.about { "The item is stored as it is written here: keys, unique values and other attributes don’t follow. Where a form fits, prefer " em { "Change" } "." }
            }
            (content(&session))
        }))
    }

    fn text(&self, headers: &HeaderMap, text: &str, wrong: Option<&str>) -> Response {
        let lines = text.lines().count().clamp(8, 40);
        self.response(headers, |session| html! {
            @if let Some(wrong) = wrong { (problem(&html! { (prose(wrong)) })) }
            form.raw method="post" action=(self.address()) {
                input type="hidden" name=(VERSION) value=(self.version);
                input type="hidden" name=(TOKEN) value=(self.console.guard.token(session));
                label for="json" { "DynamoDB JSON" }
                textarea #json name=(JSON) rows=(lines) spellcheck="false" autocomplete="off"
                    aria-invalid=[wrong.map(|_| "true")] { "\n" (text) }
                p.submit {
                    button.primary type="submit" name=(STEP) value=(Step::Preview.word()) { "Show the difference" }
                    a.button href=(self.item()) { "Cancel" }
                }
            }
            @if self.stored.now.is_some() {
                form.confirm.after method="post" action=(self.address()) {
                    input type="hidden" name=(VERSION) value=(self.version);
                    input type="hidden" name=(TOKEN) value=(self.console.guard.token(session));
                    button type="submit" name=(STEP) value=(DELETE) { (Icon::Delete) "Delete only this stored item" }
                    span.about { "Its unique values stay reserved." }
                }
            }
        })
    }

    fn preview(&self, headers: &HeaderMap, text: &str, after: Option<&Item>) -> Response {
        self.response(headers, |session| html! {
            section.block aria-labelledby="difference" {
                h2 #difference { "The difference" }
                (self.difference(after))
            }
            form.confirm method="post" action=(self.address()) {
                input type="hidden" name=(VERSION) value=(self.version);
                input type="hidden" name=(TOKEN) value=(self.console.guard.token(session));
                input type="hidden" name=(JSON) value=(text);
                button.primary type="submit" name=(STEP) value=(Step::Save.word()) { (Icon::Write) "Save" }
                button type="submit" name=(STEP) value=(Step::Edit.word()) { "Change further" }
                a.button href=(self.item()) { "Cancel" }
            }
        })
    }

    fn conflict(&self, headers: &HeaderMap, text: &str) -> Response {
        let mine = typed::read(text).ok();
        let version = self.stored.version();
        self.response(headers, |_| html! {
            (problem(&html! { "Somebody else has changed the item since you opened it. Nothing was written." }))
            section.block aria-labelledby="both" {
                h2 #both { "From the stored item to yours" }
                (self.difference(mine.as_ref()))
            }
            form.confirm method="post" action=(self.address()) {
                input type="hidden" name=(VERSION) value=(version);
                input type="hidden" name=(JSON) value=(text);
                button.primary type="submit" name=(STEP) value=(Step::Edit.word()) { "Go on with mine" }
                a.button href=(self.address()) { "Begin again with the stored item" }
            }
        })
    }

    fn difference(&self, after: Option<&Item>) -> Markup {
        let design = self.served.design();
        let encoded = self.stored.now.as_ref().map(singlet_values::EncodedItem::encode);
        let entity = encoded.as_ref().and_then(|item| entity_of(design, self.stored.key.table, item.view()));
        changes(design, entity.map(AsRef::as_ref), self.stored.now.as_ref(), after)
    }
}
