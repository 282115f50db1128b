//! The OpenAPI 3.1 document of a design, from the same endpoints that answer.
//!
//! Every object has a name or is closed, and the order follows the file, so that a document only changes with its
//! design.

mod members;
mod names;
mod operation;
mod response;
mod rules;
mod schema;

use std::collections::BTreeMap;

use singlet_design::{Design, Json};

use crate::endpoint::Endpoint;
use crate::problem::ProblemKind;
use members::{Members, reference};

/// The version of the specification.
const VERSION: &str = "3.1.1";

/// The named schemas of a document, by name.
type Schemas = BTreeMap<String, Json>;

/// Writes the document of a design.
pub(crate) fn document(design: &Design, endpoints: &[Endpoint]) -> Json {
    let mut schemas =
        Schemas::from([("Problem".to_owned(), problem()), ("ProblemError".to_owned(), problem_error())]);
    let mut paths: Vec<(String, Json)> = Vec::new();
    for endpoint in endpoints {
        let path = operation::path(endpoints, endpoint);
        let method = endpoint.method.as_str().to_lowercase();
        let written = operation::operation(design, endpoints, endpoint, &mut schemas);
        match paths.iter_mut().find(|(known, _)| *known == path) {
            Some((_, Json::Object(methods))) => methods.push((method, written)),
            _ => paths.push((path, Json::Object(vec![(method, written)]))),
        }
    }
    let about = design.about.as_deref().unwrap_or("Access patterns of a Singlet design");
    let info =
        Members::new().text("title", &design.name).text("version", "1").text("description", about).json();
    let server = Members::new().text("url", &format!("/{}", design.name)).json();
    let paths = Json::Object(paths);
    let responses = used(response::shared(), "responses", &paths);
    let headers = used(response::headers(), "headers", &Json::List(vec![paths.clone(), responses.clone()]));
    let components = Members::new()
        .with("schemas", Json::Object(schemas.into_iter().collect()))
        .with("responses", responses)
        .with("headers", headers)
        .json();
    Members::new()
        .text("openapi", VERSION)
        .with("info", info)
        .with("servers", Json::List(vec![server]))
        .with("security", Json::List(Vec::new()))
        .with("tags", tags(design, endpoints))
        .with("paths", paths)
        .with("components", components)
        .json()
}

/// The components to which something refers.
fn used(components: Json, kind: &str, users: &Json) -> Json {
    let users = users.to_string();
    let is_used = |name: &str| users.contains(&format!("\"#/components/{kind}/{name}\""));
    match components {
        Json::Object(members) => {
            Json::Object(members.into_iter().filter(|(name, _)| is_used(name)).collect())
        }
        other => other,
    }
}

/// The entities as groups of operations.
fn tags(design: &Design, endpoints: &[Endpoint]) -> Json {
    let mut names: Vec<String> = Vec::new();
    for name in endpoints.iter().map(operation::tag) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let tag = |name: &String| {
        let about = design.entity(name).and_then(|entity| entity.about.clone());
        let about = about.unwrap_or_else(|| format!("Operations on {name}"));
        Members::new().text("name", name).text("description", &about).json()
    };
    Json::List(names.iter().map(tag).collect())
}

/// The schema of problem details.
fn problem() -> Json {
    let types = ProblemKind::ALL.iter().map(|kind| Json::from(kind.uri()));
    let any = std::iter::once(Json::from("about:blank"));
    let kinds = Members::new()
        .text("type", "string")
        .with("enum", Json::List(any.chain(types).collect()))
        .text("description", "The kind of problem; it never changes");
    let text = |about: &str| Members::new().text("type", "string").text("description", about).json();
    let status =
        Members::new().text("type", "integer").text("description", "The status of the answer").json();
    let errors = Members::new().text("type", "array").with("items", reference("ProblemError"));
    let properties = Members::new()
        .with("type", kinds.json())
        .with("title", text("The kind of problem in words"))
        .with("status", status)
        .with("detail", text("This occurrence of it"))
        .with("errors", errors.text("description", "Every wrong part of the request").json());
    schema::closed(properties.json(), &["type", "title", "status", "detail"])
}

fn problem_error() -> Json {
    let text = |about: &str| Members::new().text("type", "string").text("description", about).json();
    let place = Members::new().text("type", "string").with("enum", Json::from(vec!["path", "query"]));
    let properties = Members::new()
        .with("detail", text("The mistake and what fits"))
        .with("pointer", text("A JSON pointer into the body, as a fragment"))
        .with("in", place.json())
        .with("parameter", text("The name of the parameter in the path or the query"));
    schema::closed(properties.json(), &["detail"])
}
