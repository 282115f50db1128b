//! Values that show how a parameter is written.

use singlet_design::{Field, FieldType, Json, ParameterType};

use super::dice::Dice;
use super::names::words_of;
use super::story::{Story, Topic};
use super::text::{Subject, within};

/// A value of the parameter's type that looks like what its name says; always the same one.
pub fn example(name: &str, kind: &ParameterType) -> Json {
    match kind {
        ParameterType::Field(kind) => of_field(name, kind),
        ParameterType::Prefix => Json::from("a"),
        ParameterType::ListOf(of) => Json::List(vec![example(name, of)]),
        ParameterType::Keys(members) => {
            let member = |(name, kind): &(String, FieldType)| (name.clone(), of_field(name, kind));
            Json::List(vec![Json::Object(members.iter().map(member).collect())])
        }
    }
}

fn of_field(name: &str, kind: &FieldType) -> Json {
    match kind {
        FieldType::Text { min, max } => {
            let mut dice = Dice::new(1);
            let story = Story { topic: Topic::of(&words_of(name)), number: 0 };
            let subject = Subject::new(&mut dice, "", false, story);
            Json::Text(within(subject.text(&mut dice, name, None, None), *min, *max))
        }
        FieldType::Choice(choices) => Json::Text(choices.first().cloned().unwrap_or_default()),
        FieldType::Int { min, max } | FieldType::Number { min, max } => {
            let one = 1.into();
            let least = min.filter(|min| *min > one).unwrap_or(one);
            Json::Number(max.filter(|max| *max < least).unwrap_or(least))
        }
        FieldType::Bool => Json::Bool(true),
        FieldType::Binary { .. } => Json::from("AA=="),
        FieldType::Date => Json::from("2026-11-17"),
        FieldType::Time => Json::from("2026-11-17T10:00:00Z"),
        FieldType::Epoch => Json::from(1_794_909_600),
        FieldType::Id => Json::from("1"),
        FieldType::List { of, .. } | FieldType::Set { of, .. } => Json::List(vec![of_field(name, of)]),
        FieldType::Map { of, .. } => Json::Object(vec![("a".to_owned(), of_field(name, of))]),
        FieldType::Object(fields) => {
            let needed = |field: &&Field| !field.optional && field.default.is_none() && field.made.is_none();
            let member = |field: &Field| (field.name.clone(), of_field(&field.name, &field.kind));
            Json::Object(fields.iter().filter(needed).map(member).collect())
        }
        FieldType::Any { .. } => Json::from("anything"),
    }
}
