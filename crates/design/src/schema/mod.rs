//! The JSON Schema of design files for editors, generated from the description of the language.

use crate::json::Json;
use crate::syntax::NEW_WORDS;
use crate::syntax::language::{Construct, DESIGN, Key, Shape, Variants};

/// Returns the JSON Schema (draft 2020-12) of design files.
pub fn schema() -> Json {
    let mut definitions = Definitions::default();
    let mut members = vec![
        ("$schema".to_owned(), Json::from("https://json-schema.org/draft/2020-12/schema")),
        ("title".to_owned(), Json::from("A Singlet design")),
    ];
    if let Json::Object(design) = definitions.construct(&DESIGN) {
        members.extend(design);
    }
    members.push(("$defs".to_owned(), Json::Object(definitions.done)));
    Json::Object(members)
}

/// The definitions of constructs, by name.
#[derive(Default)]
struct Definitions {
    done: Vec<(String, Json)>,
    named: Vec<&'static str>,
}

impl Definitions {
    /// Returns a reference to a construct, and defines it the first time.
    fn reference(&mut self, construct: &Construct) -> Json {
        if !self.named.contains(&construct.id) {
            self.named.push(construct.id);
            let description = self.construct(construct);
            self.done.push((construct.id.to_owned(), description));
        }
        object([("$ref", Json::from(format!("#/$defs/{}", construct.id)))])
    }

    fn construct(&mut self, construct: &Construct) -> Json {
        let mut properties: Vec<(String, Json)> = Vec::new();
        for key in construct.keys {
            self.property(&mut properties, key);
        }
        for kind in construct.kinds() {
            if let Variants::ByKey(_) = construct.variants {
                let takes = described(self.value(&kind.takes), kind.about);
                join(&mut properties, kind.name, takes);
            }
            for key in kind.keys {
                self.property(&mut properties, key);
            }
        }
        let others = match construct.others {
            Some(shape) => self.value(shape),
            None => Json::Bool(false),
        };
        let implied: Vec<(&str, &str)> =
            NEW_WORDS.iter().filter_map(|word| word.implied_in(construct.id)).collect();
        let is_implied = |name: &str| implied.iter().any(|(key, _)| *key == name);
        let required =
            construct.keys.iter().filter(|key| key.required && !is_implied(key.name)).map(|key| key.name);
        let mut members = vec![
            ("type".to_owned(), Json::from("object")),
            ("properties".to_owned(), Json::Object(properties)),
            ("required".to_owned(), Json::from(required.collect::<Vec<_>>())),
            ("additionalProperties".to_owned(), others),
        ];
        for (key, by) in implied {
            let either = [key, by].map(|name| object([("required", Json::from(vec![name]))]));
            members.push(("anyOf".to_owned(), Json::List(either.to_vec())));
        }
        members.extend(kinds(construct));
        Json::Object(members)
    }

    fn property(&mut self, properties: &mut Vec<(String, Json)>, key: &Key) {
        let takes = described(self.value(&key.takes), key.about);
        join(properties, key.name, takes);
    }

    fn value(&mut self, shape: &Shape) -> Json {
        match shape {
            Shape::Text(_) => object([("type", Json::from("string"))]),
            Shape::Form(_, pattern) => {
                object([("type", Json::from("string")), ("pattern", Json::from(*pattern))])
            }
            Shape::Bool => object([("type", Json::from("boolean"))]),
            Shape::Whole(least, most) => object([
                ("type", Json::from("integer")),
                ("minimum", Json::Number((*least).into())),
                ("maximum", Json::Number((*most).into())),
            ]),
            Shape::Number => object([("type", Json::from("number"))]),
            Shape::Word(words) => {
                let words = words.iter().map(|(word, about)| {
                    object([("const", Json::from(*word)), ("description", Json::from(*about))])
                });
                object([("type", Json::from("string")), ("oneOf", Json::List(words.collect()))])
            }
            Shape::Constant => Json::Bool(true),
            Shape::List(fewest, of) => object([
                ("type", Json::from("array")),
                ("items", self.value(of)),
                ("minItems", Json::Number((*fewest as u64).into())),
            ]),
            Shape::Named(_, of) => {
                object([("type", Json::from("object")), ("additionalProperties", self.value(of))])
            }
            Shape::Table(construct) => self.reference(construct),
            Shape::Either(alternatives) => {
                let alternatives = alternatives.iter().map(|shape| self.value(shape)).collect();
                object([("anyOf", Json::List(alternatives))])
            }
        }
    }
}

/// Returns the rules of a construct with several kinds: which keys each kind can have.
fn kinds(construct: &Construct) -> Vec<(String, Json)> {
    let allowed = |own: &'static [Key], name: Option<&'static str>| -> Json {
        let keys = construct.keys.iter().chain(own).map(|key| key.name).chain(name);
        object([("propertyNames", object([("enum", Json::from(keys.collect::<Vec<_>>()))]))])
    };
    let with_required = |rule: Json, own: &'static [Key]| -> Json {
        let required: Vec<&str> = own.iter().filter(|key| key.required).map(|key| key.name).collect();
        match rule {
            Json::Object(mut members) if !required.is_empty() => {
                members.push(("required".to_owned(), Json::from(required)));
                Json::Object(members)
            }
            rule => rule,
        }
    };
    match construct.variants {
        Variants::None => Vec::new(),
        Variants::ByKey(kinds) => {
            let one = kinds.iter().map(|kind| object([("required", Json::from(vec![kind.name]))]));
            let rules = kinds.iter().map(|kind| {
                (kind.name.to_owned(), with_required(allowed(kind.keys, Some(kind.name)), kind.keys))
            });
            vec![
                ("oneOf".to_owned(), Json::List(one.collect())),
                ("dependentSchemas".to_owned(), Json::Object(rules.collect())),
            ]
        }
        Variants::ByType(kinds) => {
            let rules = kinds.iter().map(|kind| {
                let is_kind = object([("type", object([("const", Json::from(kind.name))]))]);
                object([
                    ("if", object([("properties", is_kind), ("required", Json::from(vec!["type"]))])),
                    ("then", with_required(allowed(kind.keys, None), kind.keys)),
                ])
            });
            vec![("allOf".to_owned(), Json::List(rules.collect()))]
        }
    }
}

/// Adds a property. If a key has different values in different kinds, the property accepts any of them.
fn join(properties: &mut Vec<(String, Json)>, name: &str, takes: Json) {
    match properties.iter_mut().find(|(known, _)| known == name) {
        None => properties.push((name.to_owned(), takes)),
        Some((_, known)) if *known == takes => {}
        Some((_, known)) => {
            let first = std::mem::take(known);
            *known = match first {
                Json::Object(members) if members.iter().all(|(name, _)| name == "anyOf") => {
                    let alternatives = members.into_iter().flat_map(|(_, value)| match value {
                        Json::List(alternatives) => alternatives,
                        other => vec![other],
                    });
                    let mut alternatives: Vec<Json> = alternatives.collect();
                    if !alternatives.contains(&takes) {
                        alternatives.push(takes);
                    }
                    object([("anyOf", Json::List(alternatives))])
                }
                first => object([("anyOf", Json::List(vec![first, takes]))]),
            };
        }
    }
}

fn described(schema: Json, about: &str) -> Json {
    let about = ("description".to_owned(), Json::from(about));
    match schema {
        Json::Object(mut members) => {
            members.push(about);
            Json::Object(members)
        }
        _ => Json::Object(vec![about]),
    }
}

fn object<const COUNT: usize>(members: [(&str, Json); COUNT]) -> Json {
    Json::from(members)
}

#[cfg(test)]
mod tests;
