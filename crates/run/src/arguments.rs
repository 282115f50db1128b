//! The caller's values, compared with the pattern's parameters once: after this, every value has its field's type.

use std::collections::BTreeMap;

use singlet_design::{
    Argument, Binding, Composed, FieldType, Json, Name, Origin, Parameter, ParameterType, Pattern, Values,
    instant_for, nearest, parameter_in_words, to_attribute,
};
use singlet_values::{AttributeValue, Attributes, EncodedItem, ValueRef};

use crate::cursor::Held;
use crate::derive::value_at;
use crate::error::{RunError, WrongParameter};
use crate::expression::evaluate;
pub(crate) use crate::given::Given;
use crate::given::canonical;

/// The faults of one list that are reported at most.
const FAULTS_MAX: usize = 20;

/// The values a caller gives, by parameter name.
pub type Arguments = BTreeMap<String, Json>;

/// The arguments of one call: a map, or an array of names and values, which needs no memory of its own.
///
/// ```
/// # use singlet_design::Json;
/// # use singlet_run::{ArgumentList, Arguments};
/// let map = Arguments::from([("user_id".to_owned(), Json::from("u1"))]);
/// let array = [("user_id", Json::from("u1"))];
/// assert_eq!(map.argument("user_id"), array.argument("user_id"));
/// ```
pub trait ArgumentList: Sync {
    /// The argument of this name. If an array has several, the last one counts.
    fn argument(&self, name: &str) -> Option<&Json>;

    /// The names.
    fn names(&self) -> Vec<&str>;

    /// How many names there are.
    fn count(&self) -> usize;
}

impl ArgumentList for Arguments {
    fn argument(&self, name: &str) -> Option<&Json> {
        self.get(name)
    }
    fn names(&self) -> Vec<&str> {
        self.keys().map(String::as_str).collect()
    }
    fn count(&self) -> usize {
        self.len()
    }
}

impl<N: AsRef<str> + Sync, const COUNT: usize> ArgumentList for [(N, Json); COUNT] {
    fn argument(&self, name: &str) -> Option<&Json> {
        self.iter().rev().find(|(known, _)| known.as_ref() == name).map(|(_, value)| value)
    }
    fn names(&self) -> Vec<&str> {
        self.iter().map(|(name, _)| name.as_ref()).collect()
    }
    fn count(&self) -> usize {
        COUNT
    }
}

/// Typed values for the parameters of one pattern.
#[derive(Debug, Clone)]
pub(crate) struct Bound<'a> {
    pattern: &'a Pattern,
    /// One for each parameter, in their order.
    given: Vec<Given>,
    /// The parameters that hold the time of the call, and not what a caller gave.
    held: Held,
}

impl<'a> Bound<'a> {
    /// Checks the caller's arguments: no unknown names, nothing missing, every value of its type.
    pub(crate) fn check(pattern: &'a Pattern, arguments: &dyn ArgumentList) -> Result<Self, RunError> {
        let (bound, wrong) = Bound::bind(pattern, arguments);
        if wrong.is_empty() { Ok(bound) } else { Err(RunError::of(pattern, wrong)) }
    }

    /// Binds the arguments that fit, and returns all that are wrong.
    pub(crate) fn bind(pattern: &'a Pattern, arguments: &dyn ArgumentList) -> (Self, Vec<WrongParameter>) {
        let mut found = 0;
        let mut given = Vec::with_capacity(pattern.parameters.len());
        let mut wrong = Vec::new();
        for parameter in &pattern.parameters {
            let argument = arguments.argument(&parameter.name);
            found += usize::from(argument.is_some());
            match convert(parameter, argument) {
                Ok(value) => given.push(value),
                Err(errors) => {
                    given.push(Given::Missing);
                    wrong.extend(errors);
                }
            }
        }
        if found < arguments.count() {
            note_unknown(pattern, arguments, &mut wrong);
        }
        (Bound { pattern, given, held: Held::default() }, wrong)
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
        let mut held = Held::default();
        let mut source = |parameter: &Parameter| -> Result<Given, RunError> {
            let binding = bindings.iter().find(|binding| binding.parameter == parameter.name);
            let own = Argument::Parameter(parameter.name.clone());
            match binding.map_or(&own, |binding| &binding.argument) {
                Argument::Parameter(name) => {
                    let given = outer.given(name).cloned().unwrap_or(Given::Missing);
                    if let (true, Given::Value(value)) = (outer.held.values.contains(name), &given) {
                        held.values.insert(parameter.name.as_str(), value.clone());
                    }
                    Ok(given)
                }
                Argument::Now => {
                    let now = instant_for(&parameter.kind, now_ms);
                    held.values.insert(parameter.name.as_str(), now.clone());
                    Ok(Given::Value(now))
                }
                Argument::Composed(composed) => {
                    let given = composed_value(composed, parameter, outer, now_ms, result)?;
                    let holds = |name: &Name| matches!(&name.origin, Origin::Parameter(name) if outer.held.values.contains(name));
                    if let (true, Given::Value(value)) =
                        (composed.uses_now() || composed.names().into_iter().any(holds), &given)
                    {
                        held.values.insert(parameter.name.as_str(), value.clone());
                    }
                    Ok(given)
                }
                Argument::Constant(json) => {
                    convert(parameter, Some(json)).map_err(|wrong| RunError::of(pattern, wrong))
                }
                Argument::Result(step, field) => Ok(result(step, field).map_or(Given::Missing, Given::Value)),
            }
        };
        let mut given = Vec::with_capacity(pattern.parameters.len());
        for parameter in &pattern.parameters {
            let value = source(parameter)?;
            if parameter.required && value.value().is_none() {
                return Err(RunError::of(pattern, vec![missing(parameter)]));
            }
            given.push(value);
        }
        Ok(Bound { pattern, given, held })
    }

    /// Returns the value of a parameter; `None` if the pattern has no such parameter.
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

    /// The same values, with another one for a parameter of the pattern.
    pub(crate) fn with(&self, parameter: &str, value: AttributeValue) -> Bound<'a> {
        let mut bound = self.clone();
        let position = self.pattern.parameters.iter().position(|known| known.name == parameter);
        if let Some(given) = position.and_then(|position| bound.given.get_mut(position)) {
            *given = Given::Value(value);
        }
        bound
    }

    /// Gives the parameters that a cursor holds the time of its list's first page.
    pub(crate) fn hold(&mut self, held: Held) {
        for (parameter, given) in self.pattern.parameters.iter().zip(&mut self.given) {
            if let Some(value) = held.values.get(&parameter.name) {
                *given = Given::Value(value.clone());
            }
        }
        self.held = held;
    }

    /// The parameters that hold the time of the call.
    pub(crate) fn held(&self) -> &Held {
        &self.held
    }

    /// The values of the parameters, in their order.
    pub(crate) fn all(&self) -> &[Given] {
        &self.given
    }

    /// Bytes that are the same whenever a caller gives the same values; the time of the call isn't among them.
    pub(crate) fn canonical(&self) -> EncodedItem {
        canonical(self.pattern, &self.given, |name| self.held.values.contains(name))
    }
}

/// The elements of a list or set; none if there is no value.
pub(crate) fn elements(value: Option<&AttributeValue>) -> Vec<AttributeValue> {
    match value {
        Some(AttributeValue::L(list)) => list.clone(),
        Some(AttributeValue::Ss(set)) => set.iter().map(|text| text.as_str().into()).collect(),
        Some(AttributeValue::Ns(set)) => set.iter().map(|number| (*number).into()).collect(),
        Some(AttributeValue::Bs(set)) => set.iter().map(|bytes| bytes.clone().into()).collect(),
        _ => Vec::new(),
    }
}

/// The member at a path of an element, or the element itself if the path is empty.
pub(crate) fn member(element: &AttributeValue, path: &str) -> Option<AttributeValue> {
    match (path, element) {
        ("", element) => Some(element.clone()),
        (path, AttributeValue::M(members)) => value_at(members, path).cloned(),
        _ => None,
    }
}

impl Values for Bound<'_> {
    fn value(&self, path: &str) -> Option<ValueRef<'_>> {
        self.get(path)?.as_scalar()
    }
}

/// The value that an expression of a composed pattern gives to a parameter; missing if one of its names has no value.
fn composed_value(
    composed: &Composed,
    parameter: &Parameter,
    outer: &Bound<'_>,
    now_ms: u64,
    result: &dyn Fn(&str, &str) -> Option<AttributeValue>,
) -> Result<Given, RunError> {
    let look = |name: &Name| match &name.origin {
        Origin::Parameter(name) | Origin::Field(name) => outer.get(name).cloned(),
        Origin::Result(step, field) => result(step, field),
    };
    let kind = match &parameter.kind {
        ParameterType::Field(kind) => kind,
        ParameterType::Prefix => &FieldType::Text { min: None, max: None },
        ParameterType::ListOf(_) | ParameterType::Keys(_) => &FieldType::Any { max_bytes: None },
    };
    let value = evaluate(composed, &parameter.name, kind, &look, now_ms)?;
    Ok(value.map_or(Given::Missing, Given::Value))
}

fn convert(parameter: &Parameter, argument: Option<&Json>) -> Result<Given, Vec<WrongParameter>> {
    match argument {
        None if parameter.required => Err(vec![missing(parameter)]),
        None => Ok(Given::Missing),
        Some(Json::Null) if parameter.required => Err(vec![missing(parameter)]),
        Some(Json::Null) => Ok(Given::Null),
        Some(json) => typed(&parameter.kind, json).map(Given::Value).map_err(|faults| {
            let wrong =
                |(path, reason)| WrongParameter { parameter: format!("{}{path}", parameter.name), reason };
            faults.into_iter().map(wrong).collect()
        }),
    }
}

/// A fault in a value: where in it, and what is wrong.
type ValueFault = (String, String);

/// The typed value; otherwise everything that is wrong in it.
fn typed(kind: &ParameterType, json: &Json) -> Result<AttributeValue, Vec<ValueFault>> {
    let unexpected =
        || vec![(String::new(), format!("must be {}, not {}", parameter_in_words(kind), json.kind()))];
    match kind {
        ParameterType::Field(field) => {
            to_attribute(field, json).map_err(|error| vec![(error.path, error.reason)])
        }
        ParameterType::Prefix => json.as_text().map(AttributeValue::from).ok_or_else(unexpected),
        ParameterType::ListOf(of) => {
            list(json.as_list().ok_or_else(unexpected)?, |element| typed(of, element))
        }
        ParameterType::Keys(members) => list(json.as_list().ok_or_else(unexpected)?, |element| {
            key(members, element).map_err(|fault| vec![fault])
        }),
    }
}

/// The typed elements; otherwise what is wrong in each of them, up to a bound.
fn list(
    elements: &[Json],
    element: impl Fn(&Json) -> Result<AttributeValue, Vec<ValueFault>>,
) -> Result<AttributeValue, Vec<ValueFault>> {
    let mut list = Vec::with_capacity(elements.len());
    let mut faults: Vec<ValueFault> = Vec::new();
    for (position, json) in elements.iter().enumerate() {
        match element(json) {
            Ok(value) => list.push(value),
            Err(more) => {
                faults.extend(more.into_iter().map(|(path, reason)| (format!("[{position}]{path}"), reason)));
            }
        }
        if faults.len() >= FAULTS_MAX {
            break;
        }
    }
    if faults.is_empty() { Ok(AttributeValue::L(list)) } else { Err(faults) }
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
            _ => Err((String::new(), format!("must be a JSON object, not {}", json.kind()))),
        };
    };
    if let Some((name, _)) = given.iter().find(|(name, _)| members.iter().all(|(known, _)| known != name)) {
        let known: Vec<&str> = members.iter().map(|(name, _)| name.as_str()).collect();
        return Err((format!(".{name}"), format!("isn't part of the key, which has {}", known.join(", "))));
    }
    let mut key = Attributes::with_capacity(members.len());
    for (name, kind) in members {
        let value = json.get(name).ok_or_else(|| (format!(".{name}"), "is missing".to_owned()))?;
        key.insert(name.as_str(), member(name, kind, value)?);
    }
    Ok(AttributeValue::M(key))
}

fn missing(parameter: &Parameter) -> WrongParameter {
    let reason = format!("is missing: {}", parameter_in_words(&parameter.kind));
    WrongParameter { parameter: parameter.name.clone(), reason }
}

/// Notes the arguments that the pattern doesn't know. A misspelt name explains why another one is missing, so that one
/// isn't mentioned again.
fn note_unknown(pattern: &Pattern, arguments: &dyn ArgumentList, wrong: &mut Vec<WrongParameter>) {
    let known = || pattern.parameters.iter().map(|parameter| parameter.name.as_str());
    let has = |name: &str| arguments.argument(name).is_some();
    for name in arguments.names().into_iter().filter(|name| pattern.parameter(name).is_none()) {
        let open = || known().filter(|known| !has(known));
        let reason = match nearest(name, open()).or_else(|| nearest(name, known())) {
            _ if is_internal(pattern, name) => {
                format!("can't be set by `{}`: the field is internal", pattern.name)
            }
            Some(nearest) => {
                wrong.retain(|wrong| wrong.parameter != nearest || has(nearest));
                format!("isn't a parameter of {}; did you mean `{nearest}`?", pattern.name)
            }
            None if pattern.parameters.is_empty() => {
                format!("isn't a parameter: {} has none", pattern.name)
            }
            None => {
                let names: Vec<String> = known().map(|name| format!("`{name}`")).collect();
                format!("isn't a parameter of {}, which has {}", pattern.name, names.join(", "))
            }
        };
        wrong.push(WrongParameter { parameter: name.to_owned(), reason });
    }
}

/// Whether the pattern writes an entity whose field of this name no caller may set.
fn is_internal(pattern: &Pattern, name: &str) -> bool {
    pattern.written().iter().any(|entity| entity.field(name).is_some_and(|field| field.internal))
}
