//! The arguments of a call, from path, query and body.

use bytes::Bytes;
use singlet_design::{FieldType, Json, JsonError, PAGE_ITEMS_MAX, Parameter, ParameterType, from_text};
use singlet_run::{Arguments, Paging};

use crate::endpoint::{CURSOR, Endpoint, LIMIT, Place};
use crate::problem::{Fault, Problem, ProblemKind};

/// The input of a call.
#[derive(Debug, Default)]
pub(crate) struct Input {
    pub(crate) arguments: Arguments,
    pub(crate) paging: Paging,
    /// Everything that is wrong so far. The values are checked later.
    pub(crate) faults: Vec<Fault>,
}

/// Reads the input of a call. `path` has the values in the path, in order.
pub(crate) fn read<'p>(
    endpoint: &Endpoint,
    path: impl Iterator<Item = &'p str>,
    query: &str,
    body: &Bytes,
) -> Result<Input, Problem> {
    let mut input = Input::default();
    for (name, text) in endpoint.route.parameters().zip(path) {
        if let Some(parameter) = endpoint.pattern.parameter(name) {
            input.arguments.insert(name.to_owned(), value(&parameter.kind, text));
        }
    }
    input.read_query(endpoint, query);
    if endpoint.has_body() {
        input.read_body(endpoint, body)?;
    } else if !body.is_empty() {
        return Err(Problem::new(ProblemKind::InvalidRequest, "this call has no body"));
    }
    Ok(input)
}

impl Input {
    fn read_query(&mut self, endpoint: &Endpoint, query: &str) {
        let mut seen: Vec<String> = Vec::new();
        for (name, text) in form_urlencoded::parse(query.as_bytes()) {
            let known = endpoint.parameters_in(Place::Query).find(|parameter| parameter.name == name);
            let is_list = known.is_some_and(|parameter| element_of(&parameter.kind).is_some());
            if seen.iter().any(|seen| *seen == name) && !is_list {
                self.fault(&name, "is given twice");
                continue;
            }
            seen.push(name.clone().into_owned());
            match known {
                Some(parameter) => self.add(parameter, &text),
                None if name == LIMIT && endpoint.takes_limit() => self.read_limit(&text),
                None if name == CURSOR && endpoint.takes_cursor() => {
                    self.paging.cursor = Some(text.into_owned())
                }
                None => self.fault(&name, "isn't a query parameter of this call"),
            }
        }
    }

    /// Adds a value from the query. A list has one for each element.
    fn add(&mut self, parameter: &Parameter, text: &str) {
        let name = &parameter.name;
        let Some(element) = element_of(&parameter.kind) else {
            self.arguments.insert(name.clone(), value(&parameter.kind, text));
            return;
        };
        let element = value(&element, text);
        match self.arguments.get_mut(name) {
            Some(Json::List(elements)) => elements.push(element),
            _ => _ = self.arguments.insert(name.clone(), Json::List(vec![element])),
        }
    }

    fn read_limit(&mut self, text: &str) {
        // Without a sign, which `parse` would take.
        let number = text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten();
        match number {
            Some(limit @ 1..=PAGE_ITEMS_MAX) => self.paging.limit = Some(limit),
            _ => self.fault(LIMIT, &format!("must be an integer between 1 and {PAGE_ITEMS_MAX}")),
        }
    }

    fn read_body(&mut self, endpoint: &Endpoint, body: &Bytes) -> Result<(), Problem> {
        if body.is_empty() {
            return Ok(());
        }
        let invalid = |detail: String| Problem::new(ProblemKind::InvalidRequest, detail);
        let text = std::str::from_utf8(body).map_err(|_| invalid("the body isn't UTF-8".to_owned()))?;
        let json: Json = text.parse().map_err(|error: JsonError| {
            invalid(format!("the body isn't JSON: {} at {}", error.reason, error.place(text)))
        })?;
        let Json::Object(members) = json else {
            return Err(invalid(format!("the body must be a JSON object, not {}", json.kind())));
        };
        for (name, value) in members {
            if endpoint.place(&name) == Place::Path {
                self.faults.push(Fault::new(Place::Body, name, "is given by the path"));
            } else {
                self.arguments.insert(name, value);
            }
        }
        Ok(())
    }

    fn fault(&mut self, name: &str, reason: &str) {
        self.faults.push(Fault::new(Place::Query, name, reason));
    }
}

/// The type of the elements, if the query gives a parameter as one value for each element.
fn element_of(kind: &ParameterType) -> Option<ParameterType> {
    match kind {
        ParameterType::Field(FieldType::List { of, .. } | FieldType::Set { of, .. }) => {
            Some(ParameterType::Field((**of).clone()))
        }
        ParameterType::ListOf(of) => Some((**of).clone()),
        ParameterType::Keys(members) => {
            members.first().filter(|_| members.len() == 1).map(|(_, kind)| ParameterType::Field(kind.clone()))
        }
        ParameterType::Field(_) | ParameterType::Prefix => None,
    }
}

/// The JSON value of a text. One that doesn't fit its type stays text, and is refused with what fits.
fn value(kind: &ParameterType, text: &str) -> Json {
    let is_exact = text.trim() == text;
    let read = if is_exact { from_text(kind, text).ok() } else { None };
    read.filter(|json| !json.is_null()).unwrap_or_else(|| Json::from(text))
}
