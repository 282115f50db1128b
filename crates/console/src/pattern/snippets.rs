//! A run as commands and programs elsewhere.

use singlet_design::{Json, Pattern};
use singlet_run::explain::Recorded;

use super::call::Call;
use super::run::Run;

/// Requests that a snippet shows; a pattern may make hundreds.
const REQUESTS_MAX: usize = 8;

/// Titles and texts.
pub(super) fn all(
    file: &str,
    pattern: &Pattern,
    call: &Call,
    run: &Run,
    host: &str,
) -> [(&'static str, String); 4] {
    let requests = run.recorded.get(..REQUESTS_MAX).unwrap_or(&run.recorded);
    [
        ("singlet", singlet(file, pattern, call, host)),
        ("curl", curl(requests, host)),
        ("Python, boto3", boto3(requests, host)),
        ("JavaScript, AWS SDK", javascript(requests, host)),
    ]
}

fn singlet(file: &str, pattern: &Pattern, call: &Call, host: &str) -> String {
    let mut words = vec!["singlet".to_owned(), "run".to_owned(), file.to_owned(), pattern.name.clone()];
    for (name, text) in call.texts.iter().filter(|(name, _)| !name.starts_with('.')) {
        // A value that begins with @ would be read from a file.
        let escape = if text.starts_with('@') { "@" } else { "" };
        words.push(format!("{name}={escape}{text}"));
    }
    words.extend(call.paging.limit.map(|limit| format!("--limit={limit}")));
    words.push(format!("--endpoint-url=http://{host}"));
    words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

fn curl(requests: &[Recorded], host: &str) -> String {
    let one = |request: &Recorded| {
        let target = format!("x-amz-target: DynamoDB_20120810.{}", request.operation);
        format!(
            "curl http://{host}/ \\\n  --header 'content-type: application/x-amz-json-1.0' \\\n  --header {} \\\n  --data {}",
            quoted(&target),
            quoted(&request.body.to_string())
        )
    };
    requests.iter().map(one).collect::<Vec<_>>().join("\n\n")
}

fn boto3(requests: &[Recorded], host: &str) -> String {
    let mut text = format!(
        "import base64\nimport boto3\n\nclient = boto3.client(\"dynamodb\", endpoint_url=\"http://{host}\", \
         region_name=\"us-east-1\")\n"
    );
    for request in requests {
        let members = request.body.as_object().unwrap_or_default();
        let member = |(name, value): &(String, Json)| format!("    {name}={},\n", python(value, false));
        let body: String = members.iter().map(member).collect();
        text += &format!("print(client.{}(\n{body}))\n", method(request.operation));
    }
    if text.contains("base64.") { text } else { text.replacen("import base64\n", "", 1) }
}

fn javascript(requests: &[Recorded], host: &str) -> String {
    let mut commands: Vec<String> =
        requests.iter().map(|request| format!("{}Command", request.operation)).collect();
    commands.sort_unstable();
    commands.dedup();
    commands.insert(0, "DynamoDBClient".to_owned());
    let mut text = format!(
        "import {{ {} }} from \"@aws-sdk/client-dynamodb\";\n\nconst client = new DynamoDBClient({{ endpoint: \
         \"http://{host}\", region: \"us-east-1\" }});\n",
        commands.join(", ")
    );
    for request in requests {
        let body = script(&request.body, false);
        text += &format!("console.log(await client.send(new {}Command({body})));\n", request.operation);
    }
    text
}

/// A value as an expression of JavaScript. Binary attributes are base64 in JSON and bytes in a program.
fn script(json: &Json, is_binary: bool) -> String {
    match json {
        Json::Text(text) if is_binary => format!("Buffer.from({}, \"base64\")", Json::from(text.as_str())),
        Json::List(elements) => {
            let elements: Vec<String> = elements.iter().map(|element| script(element, is_binary)).collect();
            format!("[{}]", elements.join(", "))
        }
        Json::Object(members) => {
            let member = |(name, value): &(String, Json)| {
                // `__proto__` in a literal would be no member of the object.
                let name_text = if name == "__proto__" {
                    "[\"__proto__\"]".to_owned()
                } else {
                    Json::from(name.as_str()).to_string()
                };
                format!("{name_text}: {}", script(value, is_bytes(members, name, value)))
            };
            format!("{{ {} }}", members.iter().map(member).collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

/// Whether a member is the value of a binary attribute.
fn is_bytes(members: &[(String, Json)], name: &str, value: &Json) -> bool {
    members.len() == 1 && (name == "B" || name == "BS") && !matches!(value, Json::Object(_))
}

/// The method of a client: `BatchGetItem` is `batch_get_item`.
fn method(operation: &str) -> String {
    let mut out = String::new();
    for letter in operation.chars() {
        if letter.is_ascii_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.push(letter.to_ascii_lowercase());
    }
    out
}

/// A value as an expression of Python. Binary attributes are base64 in JSON and bytes in a program.
fn python(json: &Json, is_binary: bool) -> String {
    match json {
        Json::Null => "None".to_owned(),
        Json::Bool(true) => "True".to_owned(),
        Json::Bool(false) => "False".to_owned(),
        Json::Text(text) if is_binary => format!("base64.b64decode(\"{text}\")"),
        Json::Number(_) | Json::Text(_) => json.to_string(),
        Json::List(elements) => {
            let elements: Vec<String> = elements.iter().map(|element| python(element, is_binary)).collect();
            format!("[{}]", elements.join(", "))
        }
        Json::Object(members) => {
            let member = |(name, value): &(String, Json)| {
                let is_binary = is_bytes(members, name, value);
                format!("{}: {}", Json::from(name.as_str()), python(value, is_binary))
            };
            format!("{{{}}}", members.iter().map(member).collect::<Vec<_>>().join(", "))
        }
    }
}

/// A word as a shell takes it.
fn quoted(text: &str) -> String {
    let is_plain = |character: char| character.is_alphanumeric() || "_-./:=,@%+".contains(character);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_reach_a_shell_and_programs_unchanged() {
        assert_eq!(quoted("it's $HOME"), r"'it'\''s $HOME'");
        assert_eq!(method("TransactWriteItems"), "transact_write_items");
        let body: Json = r#"{":v":{"B":"AA=="},":t":{"BOOL":true},":s":{"S":"a\"b"},":n":{"NULL":true}}"#
            .parse()
            .expect("JSON");
        assert_eq!(
            python(&body, false),
            r#"{":v": {"B": base64.b64decode("AA==")}, ":t": {"BOOL": True}, ":s": {"S": "a\"b"}, ":n": {"NULL": True}}"#
        );
        assert_eq!(
            script(&body, false),
            r#"{ ":v": { "B": Buffer.from("AA==", "base64") }, ":t": { "BOOL": true }, ":s": { "S": "a\"b" }, ":n": { "NULL": true } }"#
        );
    }
}
