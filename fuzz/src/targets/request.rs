//! The whole protocol: each line is an operation's name and its JSON, called one after the other on a small database.
//!
//! Promises:
//! - every call is answered with 200 or 400, in well-formed JSON, or without a body where DynamoDB sends none; an error
//!   has a type and, where it has one, a text;
//! - a read that is made twice is answered twice in the same way;
//! - afterwards the database is consistent: verification finds nothing.

use serde_json::Value;
use singlet_engine::verify_on;
use singlet_wire::{Operation, Reply, Service};

use crate::fixture::{Folder, opened};

/// More calls say nothing new.
const CALLS_MAX: usize = 24;

pub(crate) fn run(input: &[u8]) {
    let (database, disk) = opened(Folder::Closed);
    let service = Service::new(database.clone());
    for line in input.split(|byte| *byte == b'\n').take(CALLS_MAX) {
        call(&service, line);
    }
    drop(service);
    database.close().unwrap();
    drop(database);
    let verification = verify_on(disk, None, &mut |_| ()).unwrap();
    assert!(verification.findings.is_empty(), "{:?}", verification.findings);
}

fn call(service: &Service, line: &[u8]) {
    let at = line.iter().position(|byte| *byte == b' ').unwrap_or(line.len());
    let (name, body) = line.split_at(at);
    let name = String::from_utf8_lossy(name);
    let operation = Operation::ALL.iter().copied().find(|operation| operation.name() == name);
    let Some(operation) = operation else {
        let reply = pollster::block_on(service.call(&name, body));
        return check(None, &reply, body);
    };
    let answer = || pollster::block_on(service.perform(operation, body));
    let reply = answer();
    check(Some(operation), &reply, body);
    if is_repeatable(operation) {
        let again = answer();
        assert_eq!(String::from_utf8_lossy(&again.body), String::from_utf8_lossy(&reply.body));
    }
}

/// Whether nothing in the background changes the answer.
fn is_repeatable(operation: Operation) -> bool {
    use Operation::{BatchGetItem, GetItem, Query, Scan, TransactGetItems};
    matches!(operation, BatchGetItem | GetItem | Query | Scan | TransactGetItems)
}

/// Whether success has an empty body.
fn has_no_answer(operation: Operation) -> bool {
    matches!(operation, Operation::TagResource | Operation::UntagResource)
}

fn check(operation: Option<Operation>, reply: &Reply, body: &[u8]) {
    let told = || {
        format!(
            "{operation:?} {} -> {} {}",
            String::from_utf8_lossy(body),
            reply.status,
            String::from_utf8_lossy(&reply.body)
        )
    };
    if reply.status == 200 && operation.is_some_and(has_no_answer) {
        return assert!(reply.body.is_empty() && reply.error.is_none(), "{}", told());
    }
    let answer: Value =
        serde_json::from_slice(&reply.body).unwrap_or_else(|error| panic!("{error}: {}", told()));
    let members = answer.as_object().unwrap_or_else(|| panic!("{}", told()));
    match reply.status {
        200 => assert!(reply.error.is_none() && !members.contains_key("__type"), "{}", told()),
        400 => {
            let kind = members.get("__type").and_then(Value::as_str).unwrap_or_default();
            let name = kind.split_once('#').map(|(_, name)| name);
            assert!(name.is_some() && name == reply.error, "{}", told());
            let text = members.get("message").or_else(|| members.get("Message"));
            assert!(text.is_none_or(Value::is_string), "{}", told());
        }
        _ => panic!("{}", told()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Corpus, Target};

    /// Without this the target might only ever see calls refused.
    #[test]
    fn most_calls_of_the_corpus_succeed() {
        let (database, _disk) = opened(Folder::Closed);
        let service = Service::new(database);
        let mut statuses = Vec::new();
        for entry in Corpus::of(Target::Request).entries {
            for line in entry.bytes.split(|byte| *byte == b'\n') {
                let at = line.iter().position(|byte| *byte == b' ').unwrap_or(line.len());
                let name = String::from_utf8_lossy(&line[..at]).into_owned();
                let Some(operation) = Operation::ALL.iter().find(|operation| operation.name() == name) else {
                    continue;
                };
                statuses.push(pollster::block_on(service.perform(*operation, &line[at..])).status);
            }
        }
        let succeeded = statuses.iter().filter(|status| **status == 200).count();
        assert!(succeeded * 2 > statuses.len(), "{succeeded} of {}", statuses.len());
    }
}
