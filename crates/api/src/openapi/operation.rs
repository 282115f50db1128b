//! The operations of a document.

use singlet_design::{Design, Json, Operation, PAGE_ITEMS_MAX, Parameter, Route, Verb};
use singlet_run::Usage;

use super::Schemas;
use super::members::{Members, reference};
use super::names::pascal;
use super::response::{header_references, of_pattern};
use super::rules::{least, takes_null};
use super::schema::{add, closed, described, nullable, of_parameter};
use crate::cost::expected;
use crate::endpoint::{CURSOR, Endpoint, LIMIT, Place};
use crate::negotiate::JSON;

/// The group of an operation: the entity that it is about first.
pub(super) fn tag(endpoint: &Endpoint) -> String {
    endpoint.pattern.entities().first().map_or_else(|| "Other".to_owned(), |entity| entity.name.clone())
}

/// The path as the document has it. Endpoints of one place share the names of its parameters.
pub(super) fn path(endpoints: &[Endpoint], endpoint: &Endpoint) -> String {
    names_of_place(endpoints, endpoint).path_text()
}

/// The first route at the place of an endpoint, whose parameter names count.
fn names_of_place<'a>(endpoints: &'a [Endpoint], endpoint: &'a Endpoint) -> &'a Route {
    let place = endpoint.router_path();
    let first = endpoints.iter().find(|other| other.router_path() == place);
    &first.unwrap_or(endpoint).route
}

/// Writes an operation.
pub(super) fn operation(
    design: &Design,
    endpoints: &[Endpoint],
    endpoint: &Endpoint,
    schemas: &mut Schemas,
) -> Json {
    let pattern = &endpoint.pattern;
    let usage = Usage::of(pattern);
    let summary = pattern.about.clone().unwrap_or_else(|| sentence(&pattern.name));
    let units = expected(pattern);
    let units = Members::new().with("read", number(units.read)).with("write", number(units.write)).json();
    let parameters = parameters(endpoints, endpoint);
    let parameters = (!parameters.is_empty()).then_some(Json::List(parameters));
    let body = endpoint.has_body().then(|| body(endpoint, schemas)).flatten();
    Members::new()
        .text("operationId", &pattern.name)
        .text("summary", &summary)
        .text("description", &format!("{}.", capital(&usage.does)))
        .with("tags", Json::from(vec![tag(endpoint)]))
        .maybe("parameters", parameters)
        .maybe("requestBody", body)
        .with("responses", responses(design, endpoints, endpoint, schemas))
        .with("x-units", units)
        .json()
}

/// The parameters in path and query.
fn parameters(endpoints: &[Endpoint], endpoint: &Endpoint) -> Vec<Json> {
    let usage = Usage::of(&endpoint.pattern);
    let about = |parameter: &Parameter| {
        let known = usage.parameters.iter().find(|known| known.name == parameter.name);
        known.map(|known| known.about.clone().unwrap_or_else(|| capital(&known.accepts)))
    };
    let written = |name: &str, place: &str, parameter: &Parameter| {
        let schema = of_parameter(&parameter.name, &parameter.kind, &endpoint.pattern);
        Members::new()
            .text("name", name)
            .text("in", place)
            .with("required", parameter.required)
            .maybe("description", about(parameter))
            .with("schema", schema)
            .json()
    };
    let shown = names_of_place(endpoints, endpoint);
    let in_path = endpoint
        .route
        .parameters()
        .zip(shown.parameters())
        .filter_map(|(name, shown)| Some(written(shown, "path", endpoint.pattern.parameter(name)?)));
    let in_query = endpoint.parameters_in(Place::Query);
    let in_query = in_query.map(|parameter| written(&parameter.name, "query", parameter));
    let mut list: Vec<Json> = in_path.chain(in_query).collect();
    if endpoint.takes_limit() {
        let schema = Members::new()
            .text("type", "integer")
            .with("minimum", 1)
            .with("maximum", i64::from(PAGE_ITEMS_MAX))
            .maybe("default", usage.page.map(i64::from));
        list.push(paging(LIMIT, "Items on the page", schema.json()));
    }
    if endpoint.takes_cursor() {
        let schema = Members::new().text("type", "string");
        list.push(paging(CURSOR, "The cursor of another page of the same list", schema.json()));
    }
    list
}

fn paging(name: &str, about: &str, schema: Json) -> Json {
    Members::new()
        .text("name", name)
        .text("in", "query")
        .with("required", false)
        .text("description", about)
        .with("schema", schema)
        .json()
}

/// The body with the parameters that aren't in the path; `None` if there are none.
fn body(endpoint: &Endpoint, schemas: &mut Schemas) -> Option<Json> {
    let pattern = &endpoint.pattern;
    let usage = Usage::of(pattern);
    let (mut properties, mut required, mut example) = (Members::new(), Vec::new(), Members::new());
    let least = least(pattern);
    let mut count = 0;
    for parameter in endpoint.parameters_in(Place::Body) {
        count += 1;
        let known = usage.parameters.iter().find(|known| known.name == parameter.name);
        let schema = of_parameter(&parameter.name, &parameter.kind, pattern);
        let shown = schema.get("examples").and_then(Json::as_list).and_then(<[Json]>::first).cloned();
        let is_nullable = !parameter.required && takes_null(pattern, &parameter.name);
        let schema = if is_nullable { nullable(schema) } else { schema };
        let schema = described(schema, known.and_then(|known| known.about.as_deref()));
        let default = known.and_then(|known| known.default.clone());
        let schema = match default {
            Some(default) => add(schema, "default", default),
            None => schema,
        };
        properties = properties.with(&parameter.name, schema);
        if parameter.required {
            required.push(parameter.name.as_str());
        }
        if parameter.required || least.first() == Some(&parameter.name.as_str()) {
            example = example.maybe(&parameter.name, shown);
        }
    }
    if count == 0 {
        return None;
    }
    let mut schema = closed(properties.json(), &required);
    if !least.is_empty() && required.len() + least.len() == count {
        let least = i64::try_from(required.len()).unwrap_or_default() + 1;
        schema = add(schema, "minProperties", Json::from(least));
    } else if !least.is_empty() {
        let one = |name: &&str| Members::new().with("required", Json::from(vec![*name])).json();
        schema = add(schema, "anyOf", Json::List(least.iter().map(one).collect()));
    }
    let name = format!("{}Request", pascal(&pattern.name));
    schemas.insert(name.clone(), schema);
    let media = Members::new().with("schema", reference(&name)).with("example", example.json()).json();
    let content = Members::new().with(JSON, media).json();
    let is_required = !least.is_empty() || !required.is_empty();
    Some(Members::new().with("required", is_required).with("content", content).json())
}

fn responses(design: &Design, endpoints: &[Endpoint], endpoint: &Endpoint, schemas: &mut Schemas) -> Json {
    let pattern = &endpoint.pattern;
    let is_new = matches!(pattern.operation, Operation::Create(_));
    let media = Members::new().with("schema", of_pattern(pattern, schemas)).json();
    let mut headers = vec!["Singlet-Units"];
    if endpoint.route.verb == Verb::Read {
        headers.push("ETag");
    }
    if endpoint.takes_cursor() && endpoint.route.verb == Verb::Read {
        headers.push("Link");
    }
    if !pattern.reads() {
        headers.push("Singlet-Position");
    }
    if is_new {
        headers.push("Location");
    }
    let links = links(design, endpoints, endpoint);
    let good = Members::new()
        .text("description", if is_new { "The new item" } else { "The answer" })
        .with("headers", header_references(&headers))
        .with("content", Members::new().with(JSON, media).json())
        .maybe("links", links);
    let shared = |name: &str| Members::new().with("$ref", format!("#/components/responses/{name}")).json();
    let may_miss = endpoint.route.verb != Verb::Submit
        && matches!(
            pattern.operation,
            Operation::Get(_) | Operation::Update(_) | Operation::Delete(_) | Operation::Transaction(_)
        )
        || matches!(pattern.operation, Operation::Claim(_))
        || endpoint.takes_cursor();
    Members::new()
        .with(if is_new { "201" } else { "200" }, good.json())
        .with("400", shared("Invalid"))
        .maybe("404", may_miss.then(|| shared("Missing")))
        .maybe("409", (!pattern.reads()).then(|| shared("Conflict")))
        .with("429", shared("Busy"))
        .with("503", shared("Busy"))
        .with("default", shared("Problem"))
        .json()
}

/// Links from a new item to the operations on it.
fn links(design: &Design, endpoints: &[Endpoint], endpoint: &Endpoint) -> Option<Json> {
    let Operation::Create(insert) = &endpoint.pattern.operation else { return None };
    let entity = design.entity(&insert.entity.name)?;
    let is_about = |other: &&Endpoint| {
        let reads_item = match &other.pattern.operation {
            Operation::Get(get) => get.entity.name == entity.name && get.on.is_none(),
            Operation::Update(update) => update.entity.name == entity.name,
            Operation::Delete(delete) => delete.entity.name == entity.name,
            _ => false,
        };
        reads_item && other.route.parameters().all(|name| entity.field(name).is_some())
    };
    let link = |other: &Endpoint| {
        let shown = names_of_place(endpoints, other);
        let value =
            |(name, shown): (&str, &str)| (shown.to_owned(), Json::from(format!("$response.body#/{name}")));
        let values = other.route.parameters().zip(shown.parameters()).map(value).collect();
        let link = Members::new()
            .text("operationId", &other.pattern.name)
            .with("parameters", Json::Object(values))
            .json();
        (other.pattern.name.clone(), link)
    };
    let links: Vec<(String, Json)> = endpoints.iter().filter(is_about).map(link).collect();
    (!links.is_empty()).then_some(Json::Object(links))
}

/// A number without needless digits.
fn number(units: f64) -> Json {
    units.to_string().parse().unwrap_or_default()
}

/// A name as the beginning of a sentence.
fn sentence(name: &str) -> String {
    capital(&name.replace(['_', '-'], " "))
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
