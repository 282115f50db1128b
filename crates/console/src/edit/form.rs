//! The pages of a form: its inputs, what it would write, and why it was refused.

use std::sync::Arc;

use axum::http::HeaderMap;
use axum::response::Response;
use maud::{Markup, html};
use singlet_design::{Entity, Field, FieldType, Made, ParameterType, in_words, to_json, to_text};
use singlet_run::explain::Recorded;
use singlet_run::{ItemDifference, ItemError, ItemVersion, RunError, WrongParameter};
use singlet_store::Store;
use singlet_values::{EncodedValue, Item};

use super::Edited;
use super::draft::{Draft, DraftInput, text_of};
use super::save::{STEP, Step, VERSION, Written};
use crate::console::{Console, Served};
use crate::data::trail;
use crate::difference::changes;
use crate::guard::{Session, TOKEN};
use crate::icon::Icon;
use crate::input::Input;
use crate::keys::split;
use crate::layout::Section;
use crate::link::Link;
use crate::parts::{entity_tag, key_fields, prose};
use crate::pattern::request_list;
use crate::text::Visible;
use crate::value::{Owner, Room};

/// The pages of one form.
pub(super) struct EditPage<'a, S> {
    pub(super) console: &'a Console<S>,
    pub(super) served: &'a Served<S>,
    pub(super) entity: &'a Arc<Entity>,
    /// The item; `None` for a form of a new one.
    pub(super) found: Option<&'a Edited<'a>>,
    /// The version of the item that the form was made from.
    pub(super) version: ItemVersion,
    /// Whether the item is to be deleted.
    pub(super) is_delete: bool,
}

impl<'a, S: Store> EditPage<'a, S> {
    pub(super) fn new(
        console: &'a Console<S>,
        served: &'a Served<S>,
        entity: &'a Arc<Entity>,
        found: Option<&'a Edited<'a>>,
    ) -> Self {
        let none = || ItemVersion::of(served.design(), entity, None);
        let version = found.map_or_else(none, |found| found.version(served));
        EditPage { console, served, entity, found, version, is_delete: false }
    }

    /// The inputs, and what is wrong about them.
    pub(super) fn form(
        &self,
        headers: &HeaderMap,
        draft: &Draft,
        wrong: &[WrongParameter],
        refusal: Option<&str>,
    ) -> Response {
        let reason =
            |name: &str| wrong.iter().find(|wrong| wrong.parameter.split(['.', '[']).next() == Some(name));
        let is_shown = |wrong: &&WrongParameter| {
            draft.inputs.iter().any(|input| wrong.parameter.split(['.', '[']).next() == Some(&input.field))
        };
        self.response(headers, |_| html! {
            @if let Some(refusal) = refusal { (problem(&html! { (prose(refusal)) })) }
            @for wrong in wrong.iter().filter(|wrong| !is_shown(wrong)) { (problem(&html! { (prose(&wrong.to_string())) })) }
            form.editor method="post" action=(self.address()) {
                (self.hidden())
                div.inputs {
                    @for input in &draft.inputs {
                        @if let Some(field) = self.entity.field(&input.field) {
                            (self.input(field, input, reason(&input.field)))
                        }
                    }
                }
                (self.fixed(draft))
                p.submit {
                    button.primary type="submit" name=(STEP) value=(Step::Preview.word()) { "Show the difference" }
                    a.button href=(self.back()) { "Cancel" }
                    span.about { "Nothing is written until the next page." }
                }
            }
        })
    }

    /// The difference that would be written, with the button that writes it.
    pub(super) fn preview(
        &self,
        headers: &HeaderMap,
        draft: &Draft,
        difference: &ItemDifference,
        recorded: &[Recorded],
    ) -> Response {
        let is_same = difference.before == difference.after;
        self.response(headers, |session| html! {
            section.block aria-labelledby="difference" {
                h2 #difference { @if is_same { "Nothing to write" } @else { "What would be written" } }
                (changes(self.served.design(), Some(self.entity), difference.before.as_ref(), difference.after.as_ref()))
            }
            form.confirm method="post" action=(self.address()) {
                (self.hidden()) (carried(draft))
                input type="hidden" name=(TOKEN) value=(self.console.guard.token(session));
                @if !is_same {
                    button.primary type="submit" name=(STEP) value=(Step::Save.word()) { (Icon::Write) "Save" }
                }
                button type="submit" name=(STEP) value=(Step::Edit.word()) { "Change further" }
                a.button href=(self.back()) { "Cancel" }
            }
            @if !recorded.is_empty() {
                section.block.after aria-labelledby="requests" {
                    h2 #requests { "Requests" }
                    (request_list(recorded))
                }
            }
        })
    }

    /// The form again, with the reason why nothing was written.
    pub(super) fn refused(&self, headers: &HeaderMap, draft: &Draft, error: &ItemError) -> Response {
        match error {
            ItemError::Wrong(wrong) => self.form(headers, draft, wrong, None),
            ItemError::Run(RunError::Parameter { parameter, reason }) => {
                let wrong = WrongParameter { parameter: parameter.clone(), reason: reason.clone() };
                self.form(headers, draft, &[wrong], None)
            }
            error => self.form(headers, draft, &[], Some(&error.to_string())),
        }
    }

    /// The item that would be deleted, and the button that deletes it.
    pub(super) fn delete(
        &self,
        headers: &HeaderMap,
        written: &Written,
        failed: Option<&ItemError>,
    ) -> Response {
        self.response(headers, |session| html! {
            @if let Some(error) = failed {
                (problem(&html! { (prose(&error.to_string())) ". This is the item as it is now." }))
            }
            @match &written.outcome {
                Err(error) => (problem(&html! { (prose(&error.to_string())) })),
                Ok(difference) => {
                    section.block aria-labelledby="difference" {
                        h2 #difference { "What would be deleted" }
                        (changes(self.served.design(), Some(self.entity), difference.before.as_ref(), None))
                    }
                    form.confirm method="post" action=(self.address()) {
                        (self.hidden())
                        input type="hidden" name=(TOKEN) value=(self.console.guard.token(session));
                        button.danger type="submit" { (Icon::Delete) "Delete the item" }
                        a.button href=(self.back()) { "Cancel" }
                    }
                    section.block.after aria-labelledby="requests" {
                        h2 #requests { "Requests" }
                        (request_list(&written.recorded))
                    }
                }
            }
        })
    }

    pub(super) fn response(&self, headers: &HeaderMap, content: impl Fn(&Session) -> Markup) -> Response {
        let session = self.console.guard.session(headers);
        let (name, design) = (self.served.name(), self.served.design());
        let title = match self.found {
            Some(_) => "Item".to_owned(),
            None => format!("New {}", self.entity.name),
        };
        let links: Vec<(Link, &str)> = match self.found {
            Some(_) => {
                vec![(Link::entity(name, &self.entity.name), &self.entity.name), (self.back(), "Item")]
            }
            None => vec![(Link::entity(name, &self.entity.name), &self.entity.name)],
        };
        let frame = self.console.frame(Some(self.served), Section::Data, &title);
        session.with_page(frame.page(html! {
            (trail(name, &links))
            header.heading {
                h1 { @if self.found.is_none() { "New " } (entity_tag(design, &self.entity.name)) }
                @if let Some(found) = self.found {
                    p.item-key { @for key in self.entity.table.key() {
                        @if let Some(value) = found.item.get(&key.name) { (split(Some(self.entity), &key.name, value)) " " }
                    } }
                }
            }
            (content(&session))
        }))
    }

    /// The address that the form is sent to: that of its page.
    pub(super) fn address(&self) -> Link {
        match self.found {
            Some(found) => found.link(self.served.name()).of_item(self.page()),
            None => Link::create(self.served.name(), &self.entity.name),
        }
    }

    fn page(&self) -> &'static str {
        if self.is_delete { "delete" } else { "change" }
    }

    /// The page that the form was opened from.
    pub(super) fn back(&self) -> Link {
        match self.found {
            Some(found) => found.link(self.served.name()),
            None => Link::entity(self.served.name(), &self.entity.name),
        }
    }

    pub(super) fn hidden(&self) -> Markup {
        html! { input type="hidden" name=(VERSION) value=(self.version); }
    }

    fn input(&self, field: &Field, input: &DraftInput, wrong: Option<&WrongParameter>) -> Markup {
        let id = format!("field-{}", field.name);
        let (hint, problem) = (format!("{id}-hint"), format!("{id}-problem"));
        let described = if wrong.is_some() { format!("{problem} {hint}") } else { hint.clone() };
        let accepts = in_words(&field.kind);
        let is_new = self.found.is_none();
        let is_required = !field.optional && (!is_new || field.default.is_none() && field.made.is_none());
        let parts = Input {
            id: &id,
            name: &field.name,
            described: &described,
            is_wrong: wrong.is_some(),
            // A required text may be empty.
            is_required: is_required && !matches!(field.kind, FieldType::Text { .. }),
            accepts: &accepts,
            text: &input.text,
        };
        html! {
            div.field {
                label for=(id) { (field.name) @if is_required { span.required { "required" } } }
                (parts.of(&field.kind))
                input type="hidden" name=(input.was_name()) value=(input.was);
                @if let Some(wrong) = wrong { p.wrong id=(problem) { (Icon::Error) span { (prose(&wrong.to_string())) } } }
                p.hint id=(hint) {
                    (accepts.replace('`', ""))
                    @if field.optional { "; empty removes it" }
                    @if let (true, Some(default)) = (is_new, &field.default) {
                        "; default " (to_text(&ParameterType::Field(field.kind.clone()), default))
                    }
                    @if is_new && field.made.is_some() { "; generated if it is empty" }
                    @if let Some(about) = &field.about { ". " (about) }
                }
            }
        }
    }

    /// The fields without an input, each with the reason.
    fn fixed(&self, draft: &Draft) -> Markup {
        let Some(found) = self.found else { return html! {} };
        let has_input = |field: &&Field| draft.inputs.iter().any(|input| input.field == field.name);
        let fields: Vec<&Field> = self.entity.fields.iter().filter(|field| !has_input(field)).collect();
        html! {
            @if !fields.is_empty() {
                section.block.fixed aria-labelledby="fixed" {
                    h2 #fixed { "Not set here" }
                    dl.attributes {
                        @for field in fields {
                            div {
                                dt { (field.name) }
                                dd { (self.fixed_value(field, &found.item)) " " span.hint { (reason(self.entity, field, &found.item)) } }
                            }
                        }
                    }
                }
            }
        }
    }

    fn fixed_value(&self, field: &Field, item: &Item) -> Markup {
        let owner = Owner { design: self.served.design(), entity: self.entity, item };
        match item.get(&field.name) {
            Some(value) => owner.attribute(&field.name, value, Room::Cell),
            None => html! { span.none { "missing" } },
        }
    }
}

/// Why a field has no input.
fn reason(entity: &Entity, field: &Field, item: &Item) -> &'static str {
    match field {
        Field { derived: true, .. } => "derived from other items",
        Field { computed: true, .. } => "computed from other fields",
        Field { internal: true, .. } => "internal: only patterns set it",
        Field { made: Some(Made::Updated), .. } => "the time of the last write",
        field if key_fields(entity).iter().any(|path| path.split('.').next() == Some(&field.name)) => {
            "in the item’s key"
        }
        field if text_of(field, item).is_none() => "has characters that a form can’t carry",
        _ => "",
    }
}

/// The texts of a form for the next step.
pub(super) fn carried(draft: &Draft) -> Markup {
    html! {
        @for input in &draft.inputs {
            // A hidden input keeps line ends, and nobody sees it.
            input type="hidden" name=(input.field) value=(input.text);
            input type="hidden" name=(input.was_name()) value=(input.was);
        }
    }
}

pub(crate) fn problem(reason: &Markup) -> Markup {
    html! { div.problem role="alert" { (Icon::Error) p { (reason) } } }
}

/// A field of an item as text, for people.
pub(super) fn shown(field: &Field, item: &Item) -> Markup {
    match item.get(&field.name) {
        None => html! { span.none { "missing" } },
        Some(value) => {
            let kind = ParameterType::Field(field.kind.clone());
            let text = to_text(&kind, &to_json(EncodedValue::encode(value).view()));
            html! { (Visible(&text)) }
        }
    }
}
