//! The OpenAPI documents of the shipped designs. `tests/api/run` lints them and calls their operations.

use singlet_design::Json;

use crate::client::Client;

const DESIGNS: [&str; 5] = ["social", "shop", "smart-cooking", "nishiki", "sensors"];

/// The members of an object.
type Members = [(String, Json)];

/// Calls a function with every object in a value.
fn visit(json: &Json, found: &mut dyn FnMut(&Members)) {
    match json {
        Json::Object(members) => {
            found(members);
            members.iter().for_each(|(_, member)| visit(member, found));
        }
        Json::List(elements) => elements.iter().for_each(|element| visit(element, found)),
        _ => {}
    }
}

#[tokio::test]
async fn documents_have_every_operation_and_depend_on_the_design_alone() {
    for name in DESIGNS {
        let path = format!("/{name}/openapi.json");
        let (client, other) = (Client::shipped(name).await, Client::shipped(name).await);
        let document = client.get(&path).await;
        assert_eq!(document.text(), other.get(&path).await.text(), "{name}");
        let mut described = Vec::new();
        visit(document.json().get("paths").unwrap(), &mut |members| {
            let id =
                members.iter().find(|(member, value)| member == "operationId" && value.as_text().is_some());
            let is_operation = members.iter().any(|(member, _)| member == "responses");
            described.extend(id.filter(|_| is_operation).map(|(_, id)| id.clone()));
        });
        let listing = client.get(&format!("/{name}")).await.json();
        assert_eq!(described.len(), listing.get("operations").unwrap().as_list().unwrap().len(), "{name}");
    }
}

#[tokio::test]
async fn references_lead_somewhere_and_objects_with_properties_are_closed() {
    for name in DESIGNS {
        let document = Client::shipped(name).await.get(&format!("/{name}/openapi.json")).await.json();
        visit(&document, &mut |members| {
            let json = Json::Object(members.to_vec());
            if let Some(place) = json.get("$ref").and_then(Json::as_text) {
                let mut names = place.strip_prefix("#/").unwrap().split('/');
                let target = names.try_fold(&document, |place, name| place.get(name));
                assert!(target.is_some(), "{name}: {place}");
            }
            let is_object = json.get("type").is_some_and(|kind| kind.to_string().contains("\"object\""));
            if is_object && json.get("properties").is_some() {
                assert_eq!(json.get("additionalProperties"), Some(&Json::Bool(false)), "{name}: {json}");
            }
        });
    }
}
