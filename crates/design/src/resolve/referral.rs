//! How items of one entity name items of another one, and where those that name one item are found.

use super::Context;
use super::entity::EntityDraft;
use super::field::kind_name;
use super::name;
use super::parameters::stored_alike;
use super::template::find;
use crate::model::{Entity, Field, KeyTemplates, Referral};
use crate::syntax::Node;
use crate::template::{Part, Template};

/// An entity, finished or not.
pub(super) struct Party<'r> {
    pub(super) name: &'r str,
    pub(super) fields: &'r [Field],
    key: Option<&'r KeyTemplates>,
    pub(super) keys: Vec<KeyOf<'r>>,
}

/// A key of an entity: that of the table, or of an index.
pub(super) struct KeyOf<'r> {
    /// The index; `None` is the table.
    pub(super) index: Option<&'r str>,
    pub(super) partition: Vec<&'r Template>,
    pub(super) sort: Vec<&'r Template>,
    /// Whether only some of the items have it.
    is_partial: bool,
}

impl<'r> Party<'r> {
    pub(super) fn of_draft(draft: &'r EntityDraft<'_>) -> Self {
        let entries = draft.entries.iter().map(|entry| KeyOf {
            index: Some(entry.index.as_str()),
            partition: entry.partition.iter().collect(),
            sort: entry.sort.iter().collect(),
            is_partial: !entry.when.is_empty(),
        });
        Party::new(draft.name, &draft.fields.list, draft.key.as_ref(), entries)
    }

    pub(super) fn of_entity(entity: &'r Entity) -> Self {
        let entries = entity.indexes.iter().map(|entry| KeyOf {
            index: Some(entry.index.name.as_str()),
            partition: entry.partition.iter().collect(),
            sort: entry.sort.iter().collect(),
            is_partial: !entry.when.is_empty(),
        });
        Party::new(&entity.name, &entity.fields, Some(&entity.key), entries)
    }

    fn new(
        name: &'r str,
        fields: &'r [Field],
        key: Option<&'r KeyTemplates>,
        entries: impl Iterator<Item = KeyOf<'r>>,
    ) -> Self {
        let own = key.map(|key| KeyOf {
            index: None,
            partition: vec![&key.partition],
            sort: key.sort.iter().collect(),
            is_partial: false,
        });
        Party { name, fields, key, keys: own.into_iter().chain(entries).collect() }
    }

    /// Returns the key under which all items with certain values of the fields are found: an index, or the table. `None` if
    /// there is none.
    pub(super) fn finding(&self, fields: &[&str]) -> Option<Option<&'r str>> {
        self.keys.iter().find(|key| self.finds(key, fields)).map(|key| key.index)
    }

    /// Whether all items with certain values of the fields have a common partition key, or a common beginning of the sort
    /// key with it.
    fn finds(&self, key: &KeyOf<'_>, fields: &[&str]) -> bool {
        let templates = || key.partition.iter().chain(&key.sort);
        let partition: Vec<&str> = key.partition.iter().flat_map(|template| template.fields()).collect();
        let has_shards = templates().any(|template| template.shard_count().is_some());
        let is_optional = |path: &str| find(self.fields, path).is_none_or(|found| found.optional);
        let can_be_missing = templates()
            .flat_map(|template| template.fields())
            .any(|path| !fields.contains(&path) && is_optional(path));
        if key.is_partial || has_shards || can_be_missing || partition.is_empty() {
            return false;
        }
        if !partition.iter().all(|path| fields.contains(path)) {
            return false;
        }
        let beginning = key.sort.first().map(|template| {
            let known = template.parts.iter().map_while(|part| match part {
                Part::Literal(_) => Some(None),
                Part::Field { path, .. } if fields.contains(&path.as_str()) => Some(Some(path.as_str())),
                _ => None,
            });
            known.flatten().collect::<Vec<_>>()
        });
        let beginning = beginning.unwrap_or_default();
        fields.iter().all(|field| partition.contains(field) || beginning.contains(field))
    }

    fn field_names(&self) -> impl Iterator<Item = &'r str> {
        self.fields.iter().map(|field| field.name.as_str())
    }
}

/// Finds out how items of one entity name items of another one.
pub(super) struct Linker<'r> {
    pub(super) context: &'r Context<'r>,
    /// The entity whose items are named by their key.
    pub(super) named: &'r Party<'r>,
    /// The entity whose items name them.
    pub(super) naming: &'r Party<'r>,
    /// The fields that the design gives for it.
    pub(super) via: Option<&'r Node>,
    /// The rule that needs it.
    pub(super) place: &'r Node,
}

impl<'r> Linker<'r> {
    /// Returns each field in the key of the named items with the field that has its value; `None` after a mistake.
    pub(super) fn link(&self) -> Option<Vec<(String, String)>> {
        let key = self.named.key?;
        let templates = std::iter::once(&key.partition).chain(&key.sort);
        let mut own: Vec<&str> = Vec::new();
        for path in templates.flat_map(|template| template.fields()) {
            if !own.contains(&path) {
                own.push(path);
            }
        }
        let given: Option<Vec<&Node>> =
            self.via.map(|via| via.list().unwrap_or(std::slice::from_ref(via)).iter().collect());
        if let (Some(given), Some(via)) = (&given, self.via)
            && given.len() != own.len()
        {
            let (named, naming) = (self.named.name, self.naming.name);
            self.context.mistakes.add_with_help(
                via.span,
                format!("`via` names {} fields, but the key of `{named}` has {}", given.len(), own.len()),
                format!("name a field of `{naming}` for each of {}, in this order", name::list(&own)),
            );
            return None;
        }
        let mut link = Vec::new();
        for (position, field) in own.iter().enumerate() {
            let place = given.as_ref().and_then(|given| given.get(position).copied());
            let other = match place {
                Some(place) => self.given_field(place)?,
                None => self.implied_field(field, own.len() == 1)?,
            };
            self.fits(place.unwrap_or(self.place), field, &other, own.len() == 1)?;
            link.push(((*field).to_owned(), other));
        }
        Some(link)
    }

    /// Returns the link, and where the items that name one item are found.
    pub(super) fn referral(&self) -> Option<Referral> {
        let link = self.link()?;
        let fields: Vec<&str> = link.iter().map(|(_, field)| field.as_str()).collect();
        if let Some(index) = self.naming.finding(&fields) {
            return Some(Referral { link, index: index.map(str::to_owned) });
        }
        let (named, naming) = (self.named.name, self.naming.name);
        let template: Vec<String> = fields.iter().map(|field| format!("{{{field}}}")).collect();
        let template = template.join("#");
        self.context.mistakes.add_with_help(
            self.place.span,
            format!("no key finds the items of `{naming}` that refer to one `{named}`"),
            format!(
                "add an index entry to `{naming}` whose partition key is made of {} alone, such as \
                 `GSI1 = [\"{}#{template}\", …]`, without `when` and without optional fields",
                name::list(&fields),
                named.to_uppercase()
            ),
        );
        None
    }

    /// Whether all items of the naming entity with certain values of the fields are under one key.
    pub(super) fn finds(&self, key: &KeyOf<'_>, fields: &[&str]) -> bool {
        self.naming.finds(key, fields)
    }

    /// Returns a field that `via` names.
    fn given_field(&self, place: &Node) -> Option<String> {
        let text = place.text()?;
        if find(self.naming.fields, text).is_some() {
            return Some(text.to_owned());
        }
        let message = format!("`{}` has no field `{text}`", self.naming.name);
        let help = name::help(text, "field", self.naming.field_names());
        self.context.mistakes.add_with(place.span, message, help);
        None
    }

    /// Returns the field of the same name, or else the only one that refers to the named entity.
    fn implied_field(&self, field: &str, only: bool) -> Option<String> {
        let (named, naming) = (self.named.name, self.naming.name);
        if find(self.naming.fields, field).is_some() && named != naming {
            return Some(field.to_owned());
        }
        let referring: Vec<&str> = self
            .naming
            .fields
            .iter()
            .filter(|candidate| only && candidate.can_refer_to(named) && candidate.name != field)
            .map(|candidate| candidate.name.as_str())
            .collect();
        if let [single] = referring.as_slice() {
            return Some((*single).to_owned());
        }
        let help = match referring.as_slice() {
            [] => format!("add `via` with the fields of `{naming}` that name the `{named}`"),
            several => format!("add `via` with one of {}", name::list(several)),
        };
        let message =
            format!("`{naming}` doesn't tell to which `{named}` its items belong: it has no field `{field}`");
        self.context.mistakes.add_with_help(self.place.span, message, help);
        None
    }

    /// Checks that a field of the naming entity holds values of the key's field.
    fn fits(&self, place: &Node, own: &str, field: &str, is_alone: bool) -> Option<()> {
        let mine = find(self.named.fields, own)?;
        let theirs = find(self.naming.fields, field)?;
        if let Some(other) = self.refers_elsewhere(own, field, is_alone) {
            let (naming, named) = (self.naming.name, self.named.name);
            let message = format!("`{naming}.{field}` refers to `{other}`, not to `{named}`");
            let right = self.naming.fields.iter().filter(|field| field.can_refer_to(named));
            let right: Vec<&str> = right.map(|field| field.name.as_str()).collect();
            let help = match right.as_slice() {
                [] => format!("name a field of `{naming}` that holds `{own}` of a `{named}`"),
                fields => format!("write {}", name::list_or(fields)),
            };
            self.context.mistakes.add_with_help(place.span, message, help);
            return None;
        }
        if stored_alike(mine.kind, theirs.kind) {
            return Some(());
        }
        let message = format!(
            "`{}.{field}` is of type `{}`, but `{own}` is of type `{}`",
            self.naming.name,
            kind_name(theirs.kind),
            kind_name(mine.kind)
        );
        self.context.mistakes.add_with_help(place.span, message, "both must be of one type");
        None
    }

    /// Returns the entity that a field refers to, if its values can't be those of the key's field.
    fn refers_elsewhere(&self, own: &str, field: &str, is_alone: bool) -> Option<&str> {
        let theirs = self.naming.fields.iter().find(|known| known.name == field)?;
        let mine = self.named.fields.iter().find(|known| known.name == own)?;
        let other = theirs.refers_to.as_deref().filter(|other| *other != self.named.name)?;
        // The only field of a key names the item itself. One of several may name another item.
        let differs = mine.refers_to.is_some() || is_alone;
        (differs && !mine.can_refer_to(other)).then_some(other)
    }
}
