//! What the caller gives, held against the pattern's parameters once: after this, every value has its field's type.

use singlet_engine::values::{AttributeValue, Attributes, EncodedItem, Item, ValueRef};

use super::{Arguments, RunError};
use crate::json::Json;
use crate::model::{Argument, Binding, Entity, FieldType, Parameter, ParameterType, Pattern};
use crate::template::Values;
use crate::value::{nearest, to_attribute};

/// What was given for one parameter.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Given {
    /// Nothing.
    Missing,
    /// `null`: for most patterns the same as nothing; an update takes the field away.
    Null,
    /// A value of the parameter's type. Lists are `L`; keys of a batch are `L` of values, or of `M` if a key needs several values.
    Value(AttributeValue),
}

impl Given {
    fn value(&self) -> Option<&AttributeValue> {
        match self {
            Given::Value(value) => Some(value),
            Given::Missing | Given::Null => None,
        }
    }
}

/// Typed values for the parameters of one pattern.
#[derive(Debug, Clone)]
pub(crate) struct Bound<'a> {
    pattern: &'a Pattern,
    /// One for each parameter, in their order.
    given: Vec<Given>,
    /// The parameters that hold the time of the call: another one with each page of a list.
    moving: Vec<&'a str>,
}

impl<'a> Bound<'a> {
    /// Checks the caller's arguments: no unknown names, nothing missing, every value of its type.
    pub(crate) fn check(pattern: &'a Pattern, arguments: &Arguments) -> Result<Self, RunError> {
        let mut found = 0;
        let mut given = Vec::with_capacity(pattern.parameters.len());
        for parameter in &pattern.parameters {
            let argument = arguments.get(&parameter.name);
            found += usize::from(argument.is_some());
            match convert(parameter, argument) {
                Ok(value) => given.push(value),
                // A misspelt name explains why another one is missing.
                Err(error) => return Err(unknown(pattern, arguments).unwrap_or(error)),
            }
        }
        if found < arguments.len()
            && let Some(error) = unknown(pattern, arguments)
        {
            return Err(error);
        }
        Ok(Bound { pattern, given, moving: Vec::new() })
    }

    /// The parameters of a part or step: each comes from its binding, or from the composed pattern's parameter of
    /// the same name. `result` gives the field of an earlier step, or of the list's item.
    pub(crate) fn derive(
        pattern: &'a Pattern,
        outer: &Bound<'_>,
        bindings: &[Binding],
        now_ms: u64,
        result: &dyn Fn(&str, &str) -> Option<AttributeValue>,
    ) -> Result<Self, RunError> {
        let mut moving = Vec::new();
        let mut source = |parameter: &'a Parameter| -> Result<Given, RunError> {
            let binding = bindings.iter().find(|binding| binding.parameter == parameter.name);
            let own = Argument::Parameter(parameter.name.clone());
            match binding.map_or(&own, |binding| &binding.argument) {
                Argument::Parameter(name) => {
                    moving.extend(outer.moving.contains(&name.as_str()).then_some(parameter.name.as_str()));
                    Ok(outer.given(name).cloned().unwrap_or(Given::Missing))
                }
                Argument::Now => {
                    moving.push(&parameter.name);
                    Ok(Given::Value(parameter.kind.instant(now_ms)))
                }
                Argument::Constant(json) => convert(parameter, Some(json)),
                Argument::Result(step, field) => Ok(result(step, field).map_or(Given::Missing, Given::Value)),
            }
        };
        let mut given = Vec::with_capacity(pattern.parameters.len());
        for parameter in &pattern.parameters {
            let value = source(parameter)?;
            if parameter.required && value.value().is_none() {
                return Err(missing(parameter));
            }
            given.push(value);
        }
        Ok(Bound { pattern, given, moving })
    }

    /// What was given for a parameter; `None` if the pattern has no such parameter.
    pub(crate) fn given(&self, parameter: &str) -> Option<&Given> {
        let position = self.pattern.parameters.iter().position(|known| known.name == parameter)?;
        self.given.get(position)
    }

    /// The value of a parameter, or of a path into one; `None` if it wasn't given or is null.
    pub(crate) fn get(&self, path: &str) -> Option<&AttributeValue> {
        if let Some(given) = self.given(path) {
            return given.value();
        }
        let (first, rest) = path.split_once('.')?;
        let mut value = self.given(first)?.value()?;
        for name in rest.split('.') {
            let AttributeValue::M(members) = value else { return None };
            value = members.get(name)?;
        }
        Some(value)
    }

    /// Bytes that are the same whenever the same values were given.
    pub(crate) fn canonical(&self) -> EncodedItem {
        self.encoded(|_| true)
    }

    /// The same without the time of the call: equal for all pages of a list.
    pub(crate) fn lasting(&self) -> EncodedItem {
        self.encoded(|name| !self.moving.contains(&name))
    }

    fn encoded(&self, wanted: impl Fn(&str) -> bool) -> EncodedItem {
        let named = self.pattern.parameters.iter().zip(&self.given);
        let values =
            named.filter(|(parameter, _)| wanted(&parameter.name)).filter_map(|(parameter, given)| {
                given.value().map(|value| (parameter.name.clone(), value.clone()))
            });
        EncodedItem::encode(&values.collect::<Item>())
    }
}

impl Values for Bound<'_> {
    fn value(&self, path: &str) -> Option<ValueRef<'_>> {
        self.get(path)?.as_scalar()
    }
}

fn convert(parameter: &Parameter, argument: Option<&Json>) -> Result<Given, RunError> {
    match argument {
        None if parameter.required => Err(missing(parameter)),
        None => Ok(Given::Missing),
        Some(Json::Null) if parameter.required => Err(missing(parameter)),
        Some(Json::Null) => Ok(Given::Null),
        Some(json) => typed(&parameter.kind, json).map(Given::Value).map_err(|(path, reason)| {
            RunError::Parameter { parameter: format!("{}{path}", parameter.name), reason }
        }),
    }
}

/// The typed value; otherwise where in it something is wrong, and what.
fn typed(kind: &ParameterType, json: &Json) -> Result<AttributeValue, (String, String)> {
    match kind {
        ParameterType::Field(field) => to_attribute(field, json).map_err(|error| (error.path, error.reason)),
        ParameterType::Prefix => match json.as_text() {
            Some(text) => Ok(text.into()),
            None => Err((String::new(), format!("the beginning of a text is expected, not {}", json.kind()))),
        },
        ParameterType::ListOf(of) => list(json, |element| typed(of, element)),
        ParameterType::Keys(members) => list(json, |element| key(members, element)),
    }
}

fn list(
    json: &Json,
    element: impl Fn(&Json) -> Result<AttributeValue, (String, String)>,
) -> Result<AttributeValue, (String, String)> {
    let Some(elements) = json.as_list() else {
        return Err((String::new(), format!("a list is expected, not {}", json.kind())));
    };
    let convert = |(position, json): (usize, &Json)| {
        element(json).map_err(|(path, reason)| (format!("[{position}]{path}"), reason))
    };
    elements.iter().enumerate().map(convert).collect::<Result<Vec<_>, _>>().map(AttributeValue::L)
}

/// One key of a batch: an object with these members; a key of one value may be given as it is.
fn key(members: &[(String, FieldType)], json: &Json) -> Result<AttributeValue, (String, String)> {
    let member = |name: &str, kind: &FieldType, json: &Json| {
        to_attribute(kind, json).map_err(|error| (format!(".{name}{}", error.path), error.reason))
    };
    let Some(given) = json.as_object() else {
        return match members {
            [(name, kind)] => member(name, kind, json)
                .map(|value| AttributeValue::M(Attributes::from([(name.as_str(), value)]))),
            _ => Err((String::new(), format!("an object is expected, not {}", json.kind()))),
        };
    };
    if let Some((name, _)) = given.iter().find(|(name, _)| members.iter().all(|(known, _)| known != name)) {
        let known: Vec<&str> = members.iter().map(|(name, _)| name.as_str()).collect();
        return Err((format!(".{name}"), format!("the key has no such part; it has {}", known.join(", "))));
    }
    let mut key = Attributes::with_capacity(members.len());
    for (name, kind) in members {
        let value = json.get(name).ok_or_else(|| (format!(".{name}"), "is missing".to_owned()))?;
        key.insert(name.as_str(), member(name, kind, value)?);
    }
    Ok(AttributeValue::M(key))
}

fn missing(parameter: &Parameter) -> RunError {
    RunError::Parameter { parameter: parameter.name.clone(), reason: "is missing".to_owned() }
}

/// The first argument that the pattern doesn't know.
fn unknown(pattern: &Pattern, arguments: &Arguments) -> Option<RunError> {
    let name = arguments.keys().find(|name| pattern.parameter(name).is_none())?.clone();
    let is_internal =
        |entity: &&std::sync::Arc<Entity>| entity.field(&name).is_some_and(|field| field.internal);
    if pattern.written().iter().any(is_internal) {
        let reason = format!("can't be set by `{}`: the field is internal", pattern.name);
        return Some(RunError::Parameter { parameter: name, reason });
    }
    let known = || pattern.parameters.iter().map(|parameter| parameter.name.as_str());
    let reason = match nearest(&name, known()) {
        Some(nearest) => format!("{} has no such parameter; did you mean {nearest}?", pattern.name),
        None if pattern.parameters.is_empty() => format!("{} has no parameters", pattern.name),
        None => {
            let names: Vec<&str> = known().collect();
            format!("{} has no such parameter; it has {}", pattern.name, names.join(", "))
        }
    };
    Some(RunError::Parameter { parameter: name, reason })
}
