//! Errors that a server finds before an operation is reached.

use crate::support::parse;
use serde_json::{Value, json};
use singlet_wire::{Operation, ProtocolError};

#[test]
fn protocol_errors_are_worded_as_dynamodb_words_them() {
    let service = |name: &str| format!("com.amazon.coral.service#{name}");
    let cases: [(ProtocolError, u16, Value); 11] = [
        (
            ProtocolError::unknown_operation(None),
            400,
            json!({"__type": service("UnknownOperationException")}),
        ),
        (
            ProtocolError::unknown_operation(Some("DynamoDB_20120810.ExecuteStatement")),
            400,
            json!({
                "__type": service("UnknownOperationException"),
                "message": "The operation ExecuteStatement is not supported by this server.",
            }),
        ),
        (ProtocolError::Serialization, 400, json!({"__type": service("SerializationException")})),
        (
            ProtocolError::MissingAuthenticationToken,
            400,
            json!({
                "__type": service("MissingAuthenticationTokenException"),
                "message": "Request is missing Authentication Token",
            }),
        ),
        (
            ProtocolError::IncompleteSignature("no date".into()),
            400,
            json!({"__type": service("IncompleteSignatureException"), "message": "no date"}),
        ),
        (
            ProtocolError::InvalidSignature("no match".into()),
            400,
            json!({"__type": service("InvalidSignatureException"), "message": "no match"}),
        ),
        (
            ProtocolError::UnrecognizedClient,
            400,
            json!({
                "__type": service("UnrecognizedClientException"),
                "message": "The security token included in the request is invalid.",
            }),
        ),
        (
            ProtocolError::AccessDenied("read only".into()),
            400,
            json!({"__type": service("AccessDeniedException"), "Message": "read only"}),
        ),
        (
            ProtocolError::RequestTooLarge,
            413,
            json!({"__type": service("RequestEntityTooLargeException"), "message": "The request is too large."}),
        ),
        (
            ProtocolError::ServiceUnavailable,
            503,
            json!({
                "__type": service("ServiceUnavailableException"),
                "message": "The service is unavailable. Please try again.",
            }),
        ),
        (
            ProtocolError::Internal,
            500,
            json!({
                "__type": "com.amazonaws.dynamodb.v20120810#InternalServerError",
                "message": "Internal server error",
            }),
        ),
    ];
    for (error, status, body) in cases {
        let reply = error.reply();
        assert_eq!((reply.status, parse(&reply)), (status, body.clone()), "{error:?}");
        let name = body.get("__type").and_then(Value::as_str).and_then(|name| name.split('#').next_back());
        assert_eq!(reply.error, name);
    }
}

#[test]
fn a_reader_may_call_what_changes_nothing() {
    let writes: Vec<&str> = Operation::ALL
        .iter()
        .filter(|operation| operation.is_write())
        .map(|operation| operation.name())
        .collect();
    // The statements of a request decide whether it changes data.
    let reads =
        ["BatchExecute", "BatchGet", "Describe", "Execute", "Get", "List", "Query", "Scan", "TransactGet"];
    let expected: Vec<_> = Operation::ALL
        .iter()
        .map(|operation| operation.name())
        .filter(|name| !reads.iter().any(|read| name.starts_with(read)))
        .collect();
    assert_eq!(writes, expected);
}

#[test]
fn a_reader_may_send_statements_that_only_read() {
    let statement = |text: &str| json!({"Statement": text});
    for (operation, body, changes) in [
        (Operation::ExecuteStatement, statement("select * from t"), false),
        (Operation::ExecuteStatement, statement("/* SELECT */ DELETE FROM t WHERE a = 'b'"), true),
        (Operation::ExecuteStatement, statement("FROM t WHERE a = 'b' SET c = 1"), true),
        (Operation::ExecuteStatement, json!({}), false),
        (Operation::ExecuteStatement, json!([]), true),
        (Operation::BatchExecuteStatement, json!({"Statements": [statement("SELECT 1")]}), false),
        (
            Operation::BatchExecuteStatement,
            json!({"Statements": [statement("SELECT 1"), statement("UPDATE t")]}),
            true,
        ),
        (
            Operation::ExecuteTransaction,
            json!({"TransactStatements": [statement("SELECT 1"), statement("INSERT INTO t")]}),
            true,
        ),
        (Operation::ExecuteTransaction, json!({"TransactStatements": [statement("EXISTS(SELECT 1)")]}), true),
        (Operation::GetItem, json!({}), false),
        (Operation::PutItem, json!({}), true),
    ] {
        assert_eq!(operation.changes(body.to_string().as_bytes()), changes, "{body}");
    }
}
