//! The schemas of answers, and the parts that all operations share.

use singlet_design::{
    Entity, Field, FieldType, Gather, Index, Json, Operation, Pattern, Projection, Query, Resolve,
};

use super::Schemas;
use super::members::{Members, reference};
use super::names::pascal;
use super::schema::{Direction, closed, described, is_always_shown, of_field};
use crate::problem::PROBLEM_JSON;

/// The schema of a pattern's answer. Objects get a name from the entity or the pattern.
pub(super) fn of_pattern(pattern: &Pattern, schemas: &mut Schemas) -> Json {
    let name = pascal(&pattern.name);
    match &pattern.operation {
        Operation::Get(get) => {
            let view = View {
                entity: &get.entity,
                show: get.show.as_deref(),
                on: get.on.as_deref(),
                resolve: &get.resolve,
            };
            item(&name, &view, schemas)
        }
        Operation::Exists(_) | Operation::Check(_) => Members::new().text("type", "boolean").json(),
        Operation::BatchGet(batch) => {
            let view = View { entity: &batch.entity, show: batch.show.as_deref(), on: None, resolve: &[] };
            let items = item(&name, &view, schemas);
            named(&format!("{name}Items"), page(items, &[], &[]), schemas)
        }
        Operation::Query(query) => {
            let items = of_query(&name, query, schemas);
            named(&format!("{name}Page"), page(items, &["cursor", "previous"], &[]), schemas)
        }
        Operation::Count(_) => {
            let count = Members::new().text("type", "integer").with("minimum", 0).json();
            let more =
                Members::new().text("type", "boolean").text("description", "Whether there may be more");
            let properties = Members::new().with("count", count).with("more", more.json());
            named("Count", closed(properties.json(), &["count"]), schemas)
        }
        Operation::Scan(scan) => {
            let view = View {
                entity: &scan.entity,
                show: scan.show.as_deref(),
                on: scan.on.as_deref(),
                resolve: &[],
            };
            let items = item(&name, &view, schemas);
            named(&format!("{name}Page"), page(items, &["cursor"], &[]), schemas)
        }
        Operation::Create(insert) | Operation::Put(insert) => whole(&insert.entity, schemas),
        Operation::Update(update) => whole(&update.entity, schemas),
        Operation::Delete(delete) => whole(&delete.entity, schemas),
        Operation::Transaction(transaction) => {
            let steps = transaction.steps.iter().map(|step| {
                let answer = part(&step.pattern, schemas);
                let list = || Members::new().text("type", "array").with("items", answer.clone()).json();
                (step.name.clone(), if step.each.is_some() { list() } else { answer })
            });
            let steps = Json::Object(steps.collect());
            named(&format!("{name}Answer"), closed(steps, &[]), schemas)
        }
        Operation::Parts(parts) => {
            let answers = parts.parts.iter().map(|one| (one.name.clone(), part(&one.pattern, schemas)));
            let answers = Json::Object(answers.collect());
            let required: Vec<&str> = parts.parts.iter().map(|part| part.name.as_str()).collect();
            named(&format!("{name}Answer"), closed(answers, &required), schemas)
        }
        Operation::Merge(merge) => {
            let items = of_run(&merge.walk.run, schemas);
            named(&format!("{name}Page"), page(items, &["cursor", "previous"], &[]), schemas)
        }
        Operation::Gather(gather) => gathered(&name, gather, schemas),
        Operation::Claim(walk) => of_pattern(&walk.run, schemas),
        Operation::Bulk(_) => named("Batch", batch(), schemas),
    }
}

/// The answer of a part or step: an item may be missing.
fn part(pattern: &Pattern, schemas: &mut Schemas) -> Json {
    let answer = of_pattern(pattern, schemas);
    match &pattern.operation {
        Operation::Get(_) | Operation::Delete(_) => or_null(answer),
        _ => answer,
    }
}

fn or_null(schema: Json) -> Json {
    let null = Members::new().text("type", "null").json();
    Members::new().with("oneOf", Json::List(vec![schema, null])).json()
}

/// The items of the query that a walk runs.
fn of_run(run: &Pattern, schemas: &mut Schemas) -> Json {
    match &run.operation {
        Operation::Query(query) => of_query(&pascal(&run.name), query, schemas),
        _ => Members::new().json(),
    }
}

fn of_query(name: &str, query: &Query, schemas: &mut Schemas) -> Json {
    let (show, on) = (query.show.as_deref(), query.on.as_deref());
    let view = |entity| View { entity, show, on, resolve: &query.resolve };
    match query.entities.as_slice() {
        [entity] => item(name, &view(entity), schemas),
        entities => {
            let mut variants = Vec::new();
            let mut mapping = Members::new();
            for entity in entities {
                let variant = format!("{name}{}", pascal(&entity.name));
                mapping = mapping.with(&entity.type_name, format!("#/components/schemas/{variant}"));
                let kind = Members::new().text("type", "string").with("const", entity.type_name.as_str());
                let schema = object(&view(entity), Some(("type", kind.json())), schemas);
                variants.push(named(&variant, schema, schemas));
            }
            let discriminator =
                Members::new().text("propertyName", "type").with("mapping", mapping.json()).json();
            Members::new().with("oneOf", Json::List(variants)).with("discriminator", discriminator).json()
        }
    }
}

/// How the items of an entity are shown.
struct View<'a> {
    entity: &'a Entity,
    show: Option<&'a [String]>,
    on: Option<&'a Index>,
    resolve: &'a [Resolve],
}

impl View<'_> {
    /// Whether it shows every field that an item has.
    fn is_whole(&self) -> bool {
        let is_partial = self.on.is_some_and(|index| !index.local && index.projection != Projection::All);
        self.show.is_none() && !is_partial && self.resolve.is_empty()
    }

    fn shows(&self, field: &Field) -> bool {
        self.show.is_none_or(|show| show.contains(&field.name))
    }

    /// Whether every item has the field where it is read.
    fn has(&self, field: &Field) -> bool {
        let projected = match self.on.map(|index| (&index.projection, index.local)) {
            None | Some((Projection::All, _)) | Some((_, true)) => true,
            Some((Projection::Keys, _)) => false,
            Some((Projection::Include(names), _)) => names.contains(&field.name),
        };
        projected && is_always_shown(field)
    }
}

/// The schema of an entity's whole items.
fn whole(entity: &Entity, schemas: &mut Schemas) -> Json {
    let view = View { entity, show: None, on: None, resolve: &[] };
    item(&entity.name, &view, schemas)
}

/// The schema of an item: that of its entity, or one of the pattern if it shows less or more.
fn item(name: &str, view: &View<'_>, schemas: &mut Schemas) -> Json {
    if view.is_whole() {
        let name = pascal(&view.entity.name);
        if schemas.contains_key(&name) {
            return reference(&name);
        }
        let schema = object(view, None, schemas);
        return named(&name, described(schema, view.entity.about.as_deref()), schemas);
    }
    let schema = object(view, None, schemas);
    named(&format!("{name}Item"), schema, schemas)
}

fn object(view: &View<'_>, first: Option<(&str, Json)>, schemas: &mut Schemas) -> Json {
    let fields = || view.entity.fields.iter().filter(|field| view.shows(field));
    let has_type = first.as_ref().is_some_and(|_| view.entity.field("type").is_none());
    let mut required: Vec<&str> = Vec::new();
    let mut properties = Members::new();
    if let Some((name, schema)) = first.filter(|_| has_type) {
        properties = properties.with(name, schema);
        required.push(name);
    }
    for field in fields() {
        if view.resolve.iter().all(|resolve| resolve.name != field.name) {
            let schema = of_field(&field.kind, Direction::Shown);
            properties = properties.with(&field.name, described(schema, field.about.as_deref()));
        }
        if view.has(field) {
            required.push(&field.name);
        }
    }
    for resolve in view.resolve {
        properties = properties.with(&resolve.name, resolved(view.entity, resolve, schemas));
    }
    closed(properties.json(), &required)
}

/// The items to which a reference leads.
fn resolved(entity: &Entity, resolve: &Resolve, schemas: &mut Schemas) -> Json {
    let mut targets: Vec<Json> =
        resolve.targets.iter().map(|target| whole(&target.entity, schemas)).collect();
    let is_list =
        matches!(entity.field_at(&resolve.field), Some(FieldType::List { .. } | FieldType::Set { .. }));
    if !is_list {
        targets.push(Members::new().text("type", "null").json());
    }
    let one = match targets.as_slice() {
        [target] => target.clone(),
        _ => Members::new().with("anyOf", Json::List(targets)).json(),
    };
    if is_list { Members::new().text("type", "array").with("items", one).json() } else { one }
}

fn gathered(name: &str, gather: &Gather, schemas: &mut Schemas) -> Json {
    let Operation::Query(query) = &gather.walk.run.operation else { return Members::new().json() };
    let Some(entity) = query.entities.first() else { return Members::new().json() };
    let view = View { entity, show: query.show.as_deref(), on: query.on.as_deref(), resolve: &query.resolve };
    let hits = Members::new().text("type", "integer").with("minimum", 1).json();
    let mut schema = object(&view, None, schemas);
    if let Json::Object(members) = &mut schema
        && let Some((_, Json::Object(properties))) = members.iter_mut().find(|(name, _)| name == "properties")
    {
        properties.push(("hits".to_owned(), hits));
    }
    let items = named(&format!("{name}Item"), schema, schemas);
    let more = Members::new().text("type", "boolean").json();
    named(&format!("{name}Page"), page(items, &["cursor"], &[("more", more)]), schemas)
}

fn page(items: Json, cursors: &[&str], more: &[(&str, Json)]) -> Json {
    let list = Members::new().text("type", "array").with("items", items).json();
    let mut properties = Members::new().with("items", list);
    for cursor in cursors {
        let about = if *cursor == "cursor" { "Leads to the next page" } else { "Leads to the page before" };
        let schema = Members::new().text("type", "string").text("description", about).json();
        properties = properties.with(cursor, schema);
    }
    for (name, schema) in more {
        properties = properties.with(name, schema.clone());
    }
    closed(properties.json(), &["items"])
}

/// The answer of a bulk write.
fn batch() -> Json {
    let text = || Members::new().text("type", "string").json();
    let element = Members::new().text("description", "The element, or the key of its item").json();
    let failure = Members::new().with("element", element).with("error", text());
    let failures = Members::new()
        .text("type", "array")
        .with("items", closed(failure.json(), &["element", "error"]))
        .json();
    let properties = Members::new()
        .with("done", Members::new().text("type", "integer").with("minimum", 0).json())
        .with("failed", failures)
        .with("stopped", text())
        .with("cursor", text());
    closed(properties.json(), &["done", "failed"])
}

/// Gives a schema a name, and returns the reference to it. The first schema of a name stays.
fn named(name: &str, schema: Json, schemas: &mut Schemas) -> Json {
    schemas.entry(name.to_owned()).or_insert(schema);
    reference(name)
}

/// The answers that all operations can have.
pub(super) fn shared() -> Json {
    let problem = |about: &str, headers: &[&str]| {
        let media = Members::new().with("schema", reference("Problem")).json();
        let content = Members::new().with(PROBLEM_JSON, media).json();
        let headers = (!headers.is_empty()).then(|| header_references(headers));
        Members::new().text("description", about).maybe("headers", headers).with("content", content).json()
    };
    Members::new()
        .with("Invalid", problem("Parts of the request are wrong: all of them are listed", &[]))
        .with("Missing", problem("The item doesn't exist", &["Singlet-Units"]))
        .with("Conflict", problem("The data doesn't allow the call", &[]))
        .with("Busy", problem("Try again later", &["Retry-After"]))
        .with("Problem", problem("Another problem", &[]))
        .json()
}

/// The headers of answers.
pub(super) fn headers() -> Json {
    let header = |about: &str, kind: &str| {
        let schema = Members::new().text("type", kind).json();
        Members::new().text("description", about).with("schema", schema).json()
    };
    Members::new()
        .with(
            "Singlet-Units",
            header("The capacity units that the call consumed: `read=0.5, write=2`", "string"),
        )
        .with(
            "Singlet-Position",
            header("The position after the write. A later call that carries it sees its effects", "string"),
        )
        .with("ETag", header("Identifies the content of the answer, for `If-None-Match`", "string"))
        .with("Link", header("The next page and the page before", "string"))
        .with("Location", header("The path of the new item", "string"))
        .with("Retry-After", header("Seconds to wait", "integer"))
        .json()
}

/// References to headers by name.
pub(super) fn header_references(names: &[&str]) -> Json {
    names
        .iter()
        .fold(Members::new(), |members, name| {
            let place = Members::new().with("$ref", format!("#/components/headers/{name}"));
            members.with(name, place.json())
        })
        .json()
}
