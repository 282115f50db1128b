//! The texts of a form, and which of them its sender has changed.

use sha2::{Digest, Sha256};
use singlet_design::{Entity, Field, FieldType, Json, Made, ParameterType, from_text, to_json, to_text};
use singlet_run::{Arguments, WrongParameter};
use singlet_values::{EncodedValue, Item};

use crate::parts::key_fields;

/// The beginning of the names of pairs that tell how a text was when the form was made.
const WAS: &str = ".was:";

/// The texts of a form.
#[derive(Debug, Clone)]
pub(super) struct Draft {
    pub(super) inputs: Vec<DraftInput>,
}

/// The text of one field.
#[derive(Debug, Clone)]
pub(super) struct DraftInput {
    pub(super) field: String,
    pub(super) text: String,
    /// A fingerprint of the text as it was when the form was made.
    pub(super) was: String,
}

impl DraftInput {
    /// Whether the sender of the form has changed it.
    pub(super) fn is_changed(&self) -> bool {
        fingerprint(&self.text) != self.was
    }

    /// The name of the pair with the fingerprint.
    pub(super) fn was_name(&self) -> String {
        format!("{WAS}{}", self.field)
    }
}

impl Draft {
    /// The form of a new item.
    pub(super) fn empty(entity: &Entity) -> Draft {
        let input = |field: &Field| DraftInput {
            field: field.name.clone(),
            text: String::new(),
            was: fingerprint(""),
        };
        let inputs = entity.fields.iter().filter(|field| can_set(entity, field, true)).map(input).collect();
        Draft { inputs }
    }

    /// The form of an item as it is.
    pub(super) fn of_item(entity: &Entity, item: &Item) -> Draft {
        let input = |field: &Field| {
            let text = text_of(field, item)?;
            Some(DraftInput { field: field.name.clone(), was: fingerprint(&text), text })
        };
        let fields = entity.fields.iter().filter(|field| can_set(entity, field, false));
        Draft { inputs: fields.filter_map(input).collect() }
    }

    /// The texts that were sent.
    pub(super) fn of_form(entity: &Entity, is_new: bool, form: &[(String, String)]) -> Draft {
        let given = |name: &str| form.iter().find(|(known, _)| known == name).map(|(_, text)| text.as_str());
        let input = |field: &Field| {
            // Forms end lines as networks do.
            let text = given(&field.name)?.replace("\r\n", "\n");
            let was = given(&format!("{WAS}{}", field.name)).map_or_else(|| fingerprint(""), str::to_owned);
            Some(DraftInput { field: field.name.clone(), text, was })
        };
        let fields = entity.fields.iter().filter(|field| can_set(entity, field, is_new));
        Draft { inputs: fields.filter_map(input).collect() }
    }

    /// The same changes on an item as it is now.
    pub(super) fn on(&self, entity: &Entity, item: &Item) -> Draft {
        let mut draft = Draft::of_item(entity, item);
        for input in &mut draft.inputs {
            let mine = self.inputs.iter().find(|mine| mine.field == input.field && mine.is_changed());
            if let Some(mine) = mine {
                input.text.clone_from(&mine.text);
            }
        }
        draft
    }

    /// The changed fields with their values, and those whose texts don't fit.
    pub(super) fn arguments(&self, entity: &Entity) -> (Arguments, Vec<WrongParameter>) {
        let (mut arguments, mut wrong) = (Arguments::new(), Vec::new());
        for input in self.inputs.iter().filter(|input| input.is_changed()) {
            let Some(field) = entity.field(&input.field) else { continue };
            match value_of(field, &input.text) {
                Ok(value) => _ = arguments.insert(input.field.clone(), value),
                Err(reason) => wrong.push(WrongParameter { parameter: input.field.clone(), reason }),
            }
        }
        (arguments, wrong)
    }
}

/// The text of a field of an item; `None` if a form can't carry it unchanged.
pub(super) fn text_of(field: &Field, item: &Item) -> Option<String> {
    let Some(value) = item.get(&field.name) else { return Some(String::new()) };
    let kind = ParameterType::Field(field.kind.clone());
    let text = to_text(&kind, &to_json(EncodedValue::encode(value).view()));
    // Browsers replace the first and change the second.
    (!text.contains(['\0', '\r'])).then_some(text)
}

/// The value of a text. No text removes the field.
fn value_of(field: &Field, text: &str) -> Result<Json, String> {
    if text.is_empty() && (field.optional || !matches!(field.kind, FieldType::Text { .. })) {
        return Ok(Json::Null);
    }
    from_text(&ParameterType::Field(field.kind.clone()), text)
        .map_err(|error| if error.path.is_empty() { error.reason } else { error.to_string() })
}

/// Whether a form has an input for a field. An item with another key is another item.
fn can_set(entity: &Entity, field: &Field, is_new: bool) -> bool {
    let is_followed = field.internal || field.computed || field.derived || field.made == Some(Made::Updated);
    !is_followed
        && (is_new || !key_fields(entity).iter().any(|path| path.split('.').next() == Some(&field.name)))
}

fn fingerprint(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use singlet_values::AttributeValue;

    fn entity() -> std::sync::Arc<Entity> {
        let source = r#"
design = "notes"
[table]
key = ["PK", "SK"]
[entity.Note]
key = ["USER#{user_id}", "NOTE#{note_id}"]
fields = { user_id = "key", note_id = "id", text = "string", tags = { type = "list", of = "string", optional = true }, count = { type = "int", internal = true } }
"#;
        let design = singlet_design::load("notes.toml", source).expect("a design");
        std::sync::Arc::clone(design.entity("Note").expect("the entity"))
    }

    fn sent(draft: &Draft) -> Vec<(String, String)> {
        let pairs = |input: &DraftInput| {
            let text = input.text.replace('\n', "\r\n");
            [(input.field.clone(), text), (input.was_name(), input.was.clone())]
        };
        draft.inputs.iter().flat_map(pairs).collect()
    }

    #[test]
    fn a_form_that_comes_back_as_it_was_changes_nothing() {
        let entity = entity();
        for text in ["", "a\nb", "x\u{202e}y", " padded ", "<b>&amp;"] {
            let item = Item::from([("text", text), ("user_id", "u"), ("note_id", "n")]);
            let draft = Draft::of_form(&entity, false, &sent(&Draft::of_item(&entity, &item)));
            assert_eq!(draft.inputs.len(), 2, "keys and internal fields have no input");
            assert_eq!(draft.arguments(&entity), (Arguments::new(), Vec::new()), "{text:?}");
        }
        let carried = Draft::of_item(&entity, &Item::from([("text", "a\0b")]));
        assert!(carried.inputs.iter().all(|input| input.field != "text"), "a browser would change it");
    }

    #[test]
    fn changes_are_carried_over_to_an_item_that_others_have_changed() {
        let entity = entity();
        let mut draft = Draft::of_item(&entity, &Item::from([("text", "old")]));
        draft.inputs[0].text = "mine".to_owned();
        let tags = AttributeValue::L(vec!["x".into()]);
        let later = Item::from([("text", AttributeValue::from("theirs")), ("tags", tags)]);
        let moved = draft.on(&entity, &later);
        assert_eq!((moved.inputs[0].text.as_str(), moved.inputs[1].text.as_str()), ("mine", "x"));
        let (arguments, _) = moved.arguments(&entity);
        assert_eq!(arguments.keys().collect::<Vec<_>>(), ["text"]);
    }
}
