//! The schema accepts the designs and refuses what the loader refuses.

use std::fs;
use std::path::Path;

use super::*;
use crate::syntax::{Mistakes, read};

/// Holds a value against a schema, as far as our schema goes; the first thing that is wrong.
fn validate(schema: &Json, value: &Json, root: &Json, path: &str) -> Result<(), String> {
    let Json::Object(rules) = schema else {
        return if *schema == Json::Bool(true) { Ok(()) } else { Err(format!("{path}: not allowed")) };
    };
    let fits = |schema: &Json| validate(schema, value, root, path).is_ok();
    for (rule, wanted) in rules {
        let holds = match rule.as_str() {
            "$schema" | "$defs" | "title" | "description" | "pattern" | "if" | "additionalProperties" => true,
            "$ref" => {
                let name = wanted.as_text().unwrap().strip_prefix("#/$defs/").unwrap();
                return validate(root.get("$defs").unwrap().get(name).unwrap(), value, root, path);
            }
            "type" => is_of(value, wanted.as_text().unwrap()),
            "const" => value == wanted,
            "enum" => wanted.as_list().unwrap().contains(value),
            "minimum" => value.as_number().unwrap() >= wanted.as_number().unwrap(),
            "maximum" => value.as_number().unwrap() <= wanted.as_number().unwrap(),
            "minItems" => {
                value.as_list().unwrap().len() as i64 >= wanted.as_number().unwrap().to_i64().unwrap()
            }
            "anyOf" => wanted.as_list().unwrap().iter().any(fits),
            "oneOf" => wanted.as_list().unwrap().iter().filter(|schema| fits(schema)).count() == 1,
            "allOf" => wanted.as_list().unwrap().iter().all(fits),
            "then" => !fits(schema.get("if").unwrap()) || fits(wanted),
            "required" => {
                wanted.as_list().unwrap().iter().all(|name| value.get(name.as_text().unwrap()).is_some())
            }
            "items" => {
                for element in value.as_list().unwrap() {
                    validate(wanted, element, root, &format!("{path}[]"))?;
                }
                true
            }
            "propertyNames" => {
                let names = value.as_object().unwrap().iter();
                names
                    .map(|(name, _)| Json::from(name.as_str()))
                    .all(|name| validate(wanted, &name, root, path).is_ok())
            }
            "dependentSchemas" => {
                let rules = wanted.as_object().unwrap().iter();
                rules.filter(|(name, _)| value.get(name).is_some()).all(|(_, schema)| fits(schema))
            }
            "properties" => {
                let others = schema.get("additionalProperties").unwrap_or(&Json::Bool(true));
                for (name, member) in value.as_object().unwrap() {
                    let rule = wanted.get(name).unwrap_or(others);
                    validate(rule, member, root, &format!("{path}.{name}"))?;
                }
                true
            }
            other => panic!("the schema has `{other}`"),
        };
        if !holds {
            return Err(format!("{path}: {rule} {wanted}"));
        }
    }
    match (schema.get("properties"), schema.get("additionalProperties"), value) {
        (None, Some(others), Json::Object(members)) => members
            .iter()
            .try_for_each(|(name, member)| validate(others, member, root, &format!("{path}.{name}"))),
        _ => Ok(()),
    }
}

fn is_of(value: &Json, kind: &str) -> bool {
    match kind {
        "string" => value.as_text().is_some(),
        "boolean" => value.as_bool().is_some(),
        "integer" => value.as_number().is_some_and(|number| number.to_i64().is_some()),
        "number" => value.as_number().is_some(),
        "array" => value.as_list().is_some(),
        _ => value.as_object().is_some(),
    }
}

fn check(source: &str) -> Result<(), String> {
    let schema = schema();
    let root = read(source, &Mistakes::default()).ok_or("no TOML")?;
    validate(&schema, &root.json(), &schema, "")
}

#[test]
fn the_designs_of_the_repository_fit_the_schema() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../designs");
    let mut count = 0;
    for file in fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()) {
        if file.extension().is_some_and(|kind| kind == "toml") {
            let fits = check(&fs::read_to_string(&file).unwrap());
            assert_eq!(fits, Ok(()), "{}", file.display());
            count += 1;
        }
    }
    assert!(count >= 5);
}

#[test]
fn what_the_description_refuses_the_schema_refuses() {
    let good = "design = 'd'\n[table]\nkey = ['PK', 'SK']\n[index]\nGSI1 = ['A', 'B']\n";
    assert_eq!(check(good), Ok(()));
    for bad in [
        "[table]\nkey = 'PK'\n",
        "design = 'd'\n",
        "design = 'd'\n[table]\nstream = true\n",
        "design = 'd'\n[table]\nkey = 'PK'\nstreams = true\n",
        "design = 'd'\n[table]\nkey = 'PK'\n[pattern.p]\nget = 'A'\nlimit = 3\n",
        "design = 'd'\n[table]\nkey = 'PK'\n[pattern.p]\nget = 'A'\nquery = 'A'\n",
        "design = 'd'\n[table]\nkey = 'PK'\n[pattern.p]\nabout = 'A'\n",
        "design = 'd'\n[table]\nkey = 'PK'\n[pattern.p]\nquery = 'A'\nlimit = 5000\n",
        "design = 'd'\n[table]\nkey = 'PK'\n[pattern.p]\nquery = 'A'\norder = 'up'\n",
        "design = 'd'\n[table]\nkey = 'PK'\n[entity.A.fields]\na = 'text'\n",
        "design = 'd'\n[table]\nkey = 'PK'\n[entity.A.fields]\na = { type = 'bool', max = 3 }\n",
        "design = 'd'\n[table]\nkey = 'PK'\n[entity.A.fields]\na = { type = 'list' }\n",
    ] {
        assert!(check(bad).is_err(), "{bad}");
    }
}

#[test]
fn every_key_of_the_schema_says_what_it_is() {
    let schema = schema();
    for (name, definition) in schema.get("$defs").unwrap().as_object().unwrap() {
        for (key, property) in definition.get("properties").unwrap().as_object().unwrap() {
            let described = property.to_string().contains("description");
            assert!(described, "{name}.{key}");
        }
    }
}
