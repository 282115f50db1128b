//! How patterns are called: their parameters, what they answer, and an example.

use singlet_design::{
    Access, Argument, BULK_BATCH_DEFAULT, Count, Entity, Field, FieldType, Insert, Json, Operation, Order,
    OrderWord, PAGE_ITEMS_DEFAULT, PAGE_ITEMS_MAX, ParameterType, Pattern, Step, ValueSource, access,
    parameter_in_words, to_text, type_name,
};

use crate::seed::example;

/// Columns of the help of a pattern.
const WIDTH: usize = 100;

/// How one pattern is called.
#[derive(Debug, Clone, PartialEq)]
pub struct Usage {
    /// Its name.
    pub name: String,
    /// Its purpose, from the design.
    pub about: Option<String>,
    /// Its operation, in the words of the language: `query Order, last first, 20 a page`.
    pub does: String,
    /// The parameters.
    pub parameters: Vec<ParameterUsage>,
    /// The kind of answer.
    pub returns: String,
    /// The request of the database: `Query GSI1`.
    pub request: String,
    /// The key that it reaches; empty for composed patterns.
    pub key: String,
    /// The condition or filter; empty if there is none.
    pub condition: String,
    /// Items on a page, if it answers with pages.
    pub page: Option<u32>,
    /// Arguments that fit: `customer_id=1`.
    pub example: Vec<String>,
}

/// A parameter, as a caller sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct ParameterUsage {
    /// Its name.
    pub name: String,
    /// Its type in one word: `integer`.
    pub type_name: &'static str,
    /// Its values in words: `an integer between 1 and 5`.
    pub accepts: String,
    /// Whether it must be given.
    pub required: bool,
    /// The default.
    pub default: Option<Json>,
    /// Whether Singlet makes it if it isn't given.
    pub made: bool,
    /// The strings that it may be, if only these.
    pub choices: Vec<String>,
    /// Its purpose.
    pub about: Option<String>,
}

impl Usage {
    /// How a pattern is called.
    pub fn of(pattern: &Pattern) -> Usage {
        let Access { does, request, keys, condition } = access(pattern);
        Usage {
            name: pattern.name.clone(),
            about: pattern.about.clone(),
            does,
            parameters: parameters(pattern),
            returns: returns(&pattern.operation),
            request,
            key: keys,
            condition,
            page: page(&pattern.operation),
            example: arguments(pattern),
        }
    }

    /// One line: the name and the parameters, optional ones in brackets.
    pub fn signature(&self) -> String {
        let parameter = |parameter: &ParameterUsage| match parameter.required {
            true => format!(" {}", parameter.name),
            false => format!(" [{}]", parameter.name),
        };
        let parameters: String = self.parameters.iter().map(parameter).collect();
        format!("{}{parameters}", self.name)
    }

    /// Help for people; `command` runs it with the arguments of the example.
    pub fn text(&self, command: &str) -> String {
        let mut out = format!("{}\n", self.name);
        let mut line = |label: &str, text: &str| {
            if !text.is_empty() {
                paragraph(&mut out, &format!("  {label:<11}"), text);
            }
        };
        line("", self.about.as_deref().unwrap_or_default());
        line("does", &self.does);
        line("request", &format!("{}{}", self.request, joined(" by ", &self.key)));
        line("condition", &self.condition);
        line("returns", &self.returns);
        if let Some(page) = self.page {
            line("page", &format!("{page} items; --limit 1 to {PAGE_ITEMS_MAX}, --cursor for another page"));
        }
        if self.parameters.is_empty() {
            line("parameters", "none");
        }
        // Not in lines of a fixed width: it is to be copied.
        out.push_str(&format!("  {:<11}{command}\n", "example"));
        if self.parameters.is_empty() {
            return out;
        }
        out.push_str("  parameters\n");
        let width = self.parameters.iter().map(|parameter| parameter.name.len()).max().unwrap_or_default();
        for parameter in &self.parameters {
            let need = if parameter.required { "required" } else { "optional" };
            paragraph(&mut out, &format!("    {:width$}  {need}  ", parameter.name), &parameter.text());
        }
        out
    }

    /// For programs.
    pub fn to_json(&self) -> Json {
        let text = |name: &str, text: &str| (!text.is_empty()).then(|| (name.to_owned(), Json::from(text)));
        let mut members = vec![("name".to_owned(), Json::from(self.name.as_str()))];
        members.extend(text("about", self.about.as_deref().unwrap_or_default()));
        members.extend(text("does", &self.does));
        let parameters = self.parameters.iter().map(ParameterUsage::to_json).collect();
        members.push(("parameters".to_owned(), Json::List(parameters)));
        members.extend(text("returns", &self.returns));
        members.extend(text("request", &self.request));
        members.extend(text("key", &self.key));
        members.extend(text("condition", &self.condition));
        members.extend(self.page.map(|page| ("page".to_owned(), Json::from(i64::from(page)))));
        members.push(("example".to_owned(), Json::from(self.example.clone())));
        Json::Object(members)
    }
}

impl ParameterUsage {
    fn text(&self) -> String {
        let mut text = self.accepts.clone();
        if self.made {
            text.push_str("; made by Singlet if it is left out");
        } else if let Some(default) = &self.default {
            text.push_str(&format!("; default `{}`", plain(default)));
        }
        text.push_str(&joined(". ", self.about.as_deref().unwrap_or_default()));
        text
    }

    fn to_json(&self) -> Json {
        let mut members = vec![
            ("name".to_owned(), Json::from(self.name.as_str())),
            ("type".to_owned(), Json::from(self.type_name)),
            ("accepts".to_owned(), Json::from(self.accepts.as_str())),
            ("required".to_owned(), Json::from(self.required)),
        ];
        members.extend(self.default.iter().map(|default| ("default".to_owned(), default.clone())));
        if self.made {
            members.push(("made".to_owned(), Json::from(true)));
        }
        if !self.choices.is_empty() {
            members.push(("choices".to_owned(), Json::from(self.choices.clone())));
        }
        members.extend(self.about.iter().map(|about| ("about".to_owned(), Json::from(about.as_str()))));
        Json::Object(members)
    }
}

fn parameters(pattern: &Pattern) -> Vec<ParameterUsage> {
    let usage = |parameter: &singlet_design::Parameter| {
        let field = written_field(pattern, &parameter.name);
        let entity = entity(&pattern.operation);
        let about = entity.and_then(|entity| entity.field(&parameter.name)?.about.clone());
        ParameterUsage {
            name: parameter.name.clone(),
            type_name: type_name(&parameter.kind),
            accepts: parameter_in_words(&parameter.kind),
            required: parameter.required,
            default: field
                .and_then(|field| field.default.clone())
                .or_else(|| default_order(pattern, &parameter.name)),
            made: field.is_some_and(|field| field.made.is_some()),
            choices: match &parameter.kind {
                ParameterType::Field(FieldType::Choice(choices)) => choices.clone(),
                _ => Vec::new(),
            },
            about: parameter.about.clone().or(about),
        }
    };
    pattern.parameters.iter().map(usage).collect()
}

/// The order of a list unless the caller chooses the other one.
fn default_order(pattern: &Pattern, parameter: &str) -> Option<Json> {
    let orders = &pattern.query().filter(|_| parameter == OrderWord::PARAMETER)?.orders;
    orders.first().map(|order| Json::from(order.word()))
}

/// The field of a new item that a parameter fills: its default counts if the parameter is left out.
fn written_field<'p>(pattern: &'p Pattern, parameter: &str) -> Option<&'p Field> {
    match &pattern.operation {
        Operation::Create(insert) | Operation::Put(insert) => inserted_field(insert, parameter),
        Operation::Transaction(transaction) => {
            let of_step = |step: &'p Step| {
                let inner = step.pattern.parameters.iter().find(|inner| {
                    match step.bindings.iter().find(|binding| binding.parameter == inner.name) {
                        Some(binding) => binding.argument == Argument::Parameter(parameter.to_owned()),
                        None => inner.name == parameter,
                    }
                })?;
                written_field(&step.pattern, &inner.name)
            };
            transaction.steps.iter().find_map(of_step)
        }
        _ => None,
    }
}

fn inserted_field<'p>(insert: &'p Insert, parameter: &str) -> Option<&'p Field> {
    let given = insert.set.iter().find(|(_, source)| *source == ValueSource::Parameter(parameter.to_owned()));
    insert.entity.field(given.map_or(parameter, |(field, _)| field))
}

/// The entity that a pattern is about, if it is about one.
fn entity(operation: &Operation) -> Option<&Entity> {
    match operation {
        Operation::Get(get) | Operation::Exists(get) => Some(&get.entity),
        Operation::BatchGet(batch) => Some(&batch.entity),
        Operation::Query(query) | Operation::Count(Count { query, .. }) => {
            query.entities.first().map(|entity| &**entity)
        }
        Operation::Scan(scan) => Some(&scan.entity),
        Operation::Create(insert) | Operation::Put(insert) => Some(&insert.entity),
        Operation::Update(update) => Some(&update.entity),
        Operation::Delete(delete) => Some(&delete.entity),
        Operation::Check(check) => Some(&check.entity),
        _ => None,
    }
}

fn returns(operation: &Operation) -> String {
    let shown =
        |show: &Option<Vec<String>>| joined(" with ", &show.as_deref().unwrap_or_default().join(", "));
    match operation {
        Operation::Get(get) => {
            format!("one {}{}, or null if it isn't there", get.entity.name, shown(&get.show))
        }
        Operation::Exists(_) => "true or false".to_owned(),
        Operation::BatchGet(batch) => {
            format!(
                "{{\"items\": […]}}: those of type {}{} that are there",
                batch.entity.name,
                shown(&batch.show)
            )
        }
        Operation::Query(query) => {
            let names: Vec<&str> = query.entities.iter().map(|entity| entity.name.as_str()).collect();
            format!("{PAGE_BOTH_WAYS}: items of type {}{}", names.join(", "), shown(&query.show))
        }
        Operation::Count(count) => {
            let names: Vec<&str> = count.query.entities.iter().map(|entity| entity.name.as_str()).collect();
            let more = "`\"more\": true` beside it if there are more items than may be read";
            format!("{{\"count\": …}}: the number of items of type {}; {more}", names.join(", "))
        }
        Operation::Scan(scan) => format!("{PAGE}: items of type {}{}", scan.entity.name, shown(&scan.show)),
        Operation::Create(insert) | Operation::Put(insert) => {
            format!("the {} that was written", insert.entity.name)
        }
        Operation::Update(update) => format!("the {} after the change", update.entity.name),
        Operation::Delete(delete) => {
            let otherwise = match &delete.condition {
                Some(_) => "; fails if the condition doesn't hold",
                None => ", or null if there was none",
            };
            format!("the {} that was deleted{otherwise}", delete.entity.name)
        }
        Operation::Check(_) => "true".to_owned(),
        Operation::Transaction(transaction) => {
            let names: Vec<&str> = transaction.steps.iter().map(|step| step.name.as_str()).collect();
            format!("an object with the answer of each step: {}", names.join(", "))
        }
        Operation::Parts(parts) => {
            let names: Vec<&str> = parts.parts.iter().map(|part| part.name.as_str()).collect();
            format!("an object with the answer of each part: {}", names.join(", "))
        }
        Operation::Merge(merge) => format!("{PAGE_BOTH_WAYS}: items as {} returns them", merge.walk.run.name),
        Operation::Gather(gather) => format!(
            "{PAGE}: the first item of each {} as {} returns it, with `hits`",
            gather.by, gather.walk.run.name
        ),
        Operation::Claim(walk) => format!("as {} returns it, or null if there is none", walk.run.name),
        Operation::Bulk(_) => {
            "{\"done\": …, \"failed\": [{\"element\": …, \"error\": …}], \"cursor\": \"…\"}: one batch"
                .to_owned()
        }
    }
}

/// A page in JSON.
const PAGE: &str = "{\"items\": […], \"cursor\": \"…\"}";

/// A page of a list that is also read backwards.
const PAGE_BOTH_WAYS: &str = "{\"items\": […], \"cursor\": \"…\", \"previous\": \"…\"}";

fn page(operation: &Operation) -> Option<u32> {
    match operation {
        Operation::Query(query) => Some(query.limit.unwrap_or(PAGE_ITEMS_DEFAULT)),
        Operation::Scan(scan) => Some(scan.limit.unwrap_or(PAGE_ITEMS_DEFAULT)),
        Operation::Merge(merge) => Some(merge.limit),
        Operation::Gather(gather) => Some(gather.limit),
        Operation::Bulk(_) => Some(BULK_BATCH_DEFAULT),
        _ => None,
    }
}

/// Arguments that fit: the required ones, and of a change at least one value.
fn arguments(pattern: &Pattern) -> Vec<String> {
    let changes = matches!(pattern.operation, Operation::Update(_) | Operation::Transaction(_));
    let first_optional = pattern.parameters.iter().find(|parameter| !parameter.required).filter(|_| changes);
    let chosen = pattern.parameters.iter().filter(|parameter| {
        parameter.required
            || (parameter.name == "from" && begins_at_from(&pattern.operation))
            || first_optional.is_some_and(|first| first.name == parameter.name)
    });
    let argument = |parameter: &singlet_design::Parameter| {
        let value = to_text(&parameter.kind, &example(&parameter.name, &parameter.kind));
        format!("{}={value}", parameter.name)
    };
    chosen.map(argument).collect()
}

/// Whether a list in ascending order needs its first bucket.
fn begins_at_from(operation: &Operation) -> bool {
    matches!(operation, Operation::Query(query) if query.buckets.is_some() && query.order == Order::Ascending)
}

fn plain(json: &Json) -> String {
    json.as_text().map_or_else(|| json.to_string(), str::to_owned)
}

fn joined(separator: &str, text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("{separator}{text}") }
}

/// A paragraph after a label, its lines within the width and below each other.
fn paragraph(out: &mut String, label: &str, text: &str) {
    let indent = label.chars().count();
    out.push_str(label);
    let mut column = indent;
    for (position, word) in text.split_whitespace().enumerate() {
        let length = word.chars().count();
        if position > 0 && column + 1 + length > WIDTH {
            out.push('\n');
            out.push_str(&" ".repeat(indent));
            column = indent;
        } else if position > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += length;
    }
    out.push('\n');
}
