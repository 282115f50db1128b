//! Statements of PartiQL.

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::Client;

/// The table `range` with two partitions, and `hash` with one item.
fn client() -> Client {
    let client = Client::with_tables();
    for a in ["x", "y"] {
        for (at, b) in ["1", "2", "3"].into_iter().enumerate() {
            let item = json!({
                "a": {"S": a}, "b": {"S": b}, "c": {"S": format!("c{b}")}, "d": {"S": "d"}, "e": {"N": b},
                "m": {"M": {"k": {"S": "deep"}, "l": {"L": [{"N": "1"}, {"N": "2"}]}}},
                "n": {"N": (at * 10).to_string()},
            });
            client.call("PutItem", json!({"TableName": "range", "Item": item}));
        }
    }
    let item = json!({
        "a": {"S": "one"}, "n": {"N": "1"}, "s": {"SS": ["x", "y"]}, "nothing": {"NULL": true},
        "l": {"L": [{"S": "p"}, {"S": "q"}]}, "m": {"M": {"k": {"N": "1"}}},
    });
    client.call("PutItem", json!({"TableName": "hash", "Item": item}));
    client
}

fn items(client: &Client, statement: &str) -> Value {
    client.call("ExecuteStatement", json!({"Statement": statement}))["Items"].clone()
}

#[test]
fn a_select_by_key_returns_the_item() {
    let client = client();
    assert_eq!(
        items(&client, r#"SELECT a, n FROM "hash" WHERE a = 'one'"#),
        json!([{"a": {"S": "one"}, "n": {"N": "1"}}])
    );
    assert_eq!(items(&client, "SELECT * FROM hash WHERE a = 'two'"), json!([]));
}

/// The sort keys of the items, with their partitions.
fn keys(client: &Client, statement: &str) -> Vec<String> {
    let items = items(client, statement);
    let text = |item: &Value, name: &str| item[name]["S"].as_str().unwrap_or("-").to_owned();
    items.as_array().unwrap().iter().map(|item| text(item, "a") + &text(item, "b")).collect()
}

#[test]
fn conditions_select_items_by_ranges_or_by_scans() {
    let client = client();
    for (condition, expected) in [
        ("a = 'x'", "x1 x2 x3"),
        ("'x' = a AND b > '1'", "x2 x3"),
        ("a = 'x' AND '2' >= b", "x1 x2"),
        ("a = 'x' AND b BETWEEN '2' AND '3'", "x2 x3"),
        ("a = 'x' AND b NOT BETWEEN '2' AND '3'", "x1"),
        ("a = 'x' AND begins_with(b, '2')", "x2"),
        ("a = 'x' AND b > '1' AND b < '3'", "x2"),
        ("a = 'x' AND b IN ['3', '1']", "x1 x3"),
        ("a = 'x' AND NOT b IN ['3', '1']", "x2"),
        ("a IN ('y', 'x', 'y') AND b >= '3'", "y3 x3"),
        ("a = 'y' OR a = 'x'", "y1 y2 y3 x1 x2 x3"),
        ("(a = 'y' OR a = 'x') AND n = 10", "y2 x2"),
        ("a = 'y' AND b = '3' OR a = 'x' AND b = '1'", "y3 x1"),
        ("a = 'x' AND b > '1' OR a = 'x' AND b > '2'", "x2 x3"),
        ("a = 'x' AND NOT b = '1' OR a = 'x' AND b = '2'", "x2 x3"),
        ("a = 'x' AND a = 'y'", ""),
        ("a = 'x' AND n <> 10 AND n != 0", "x3"),
        ("a = 'x' AND m.k = 'deep' AND m.l[1] = 2 AND m['k'] = 'deep'", "x1 x2 x3"),
        ("a = 'x' AND size(m.l) = 2 AND SIZE(b) < 2", "x1 x2 x3"),
        ("a = 'x' AND contains(c, '2')", "x2"),
        ("a = 'x' AND contains(c, '2') = true", "x2"),
        ("a = 'x' AND contains(c, '2') = FALSE", "x1 x3"),
        ("a = 'x' AND attribute_type(e, 'N') AND ATTRIBUTE_EXISTS(m.k)", "x1 x2 x3"),
        ("a = 'x' AND attribute_not_exists(e)", ""),
        ("a = 'x' AND e IS NUMERIC AND m IS STRUCT AND c IS NOT NULL", "x1 x2 x3"),
        ("a = 'x' AND e IS MISSING", ""),
        ("a = 'x' AND q IS MISSING AND e IS NOT MISSING", "x1 x2 x3"),
        ("a = 'x' ORDER BY b DESC", "x3 x2 x1"),
        ("a IN ['x', 'y'] ORDER BY a DESC, b", "y1 y2 y3 x1 x2 x3"),
        ("a = 'x' -- a note", "x1 x2 x3"),
        ("a = /* note */ 'x';", "x1 x2 x3"),
    ] {
        let statement = format!("SELECT a, b FROM range WHERE {condition}");
        assert_eq!(keys(&client, &statement).join(" "), expected, "{statement}");
    }
    let mut scanned = keys(&client, "SELECT * FROM range WHERE a = 'x' AND b = '1' OR n = 20");
    scanned.sort_unstable();
    assert_eq!(scanned, ["x1", "x3", "y3"]);
}

#[test]
fn columns_become_top_level_attributes() {
    let client = client();
    let of_first =
        |columns: &str| items(&client, &format!("SELECT {columns} FROM range WHERE a = 'x' AND b = '1'"));
    assert_eq!(
        of_first("m.k, m.l[1], \"n\""),
        json!([{"k": {"S": "deep"}, "l[1]": {"N": "2"}, "n": {"N": "0"}}])
    );
    assert_eq!(of_first("m.l"), json!([{"l": {"L": [{"N": "1"}, {"N": "2"}]}}]));
    assert_eq!(of_first("nowhere, m.q"), json!([{}]));
    assert_eq!(
        items(&client, "SELECT e FROM range.global WHERE c = 'c2'"),
        json!([{"e": {"N": "2"}}, {"e": {"N": "2"}}])
    );
}

#[test]
fn wrong_statements_are_refused_with_dynamodbs_texts() {
    let client = client();
    let malformed = "Statement wasn't well formed, can't be processed: ";
    let leftover = "Statement wasn't well formed, can't be processed: Unexpected token after expression";
    let whole_key = "Where clause does not contain a mandatory equality on all key attributes";
    for (statement, expected) in [
        ("SLECT * FROM hash", "Statement wasn't well formed, can't be processed: Expected data manipulation"),
        ("SELECT * FROM hash WHERE a = 'x' foo", leftover),
        ("SELECT * FROM hash WHERE a = 'x')", leftover),
        ("SELECT * FROM hash ORDER BY a WHERE a = 'x'", leftover),
        ("INSERT INTO hash t VALUE {'a': 'x'}", leftover),
        ("DELETE FROM hash WHERE a = 'x' ORDER BY a", leftover),
        ("SELECT * FROM hash WHERE a = 'x", malformed),
        ("SELECT * FROM hash WHERE a = 1e99999999999", malformed),
        ("SELECT * FROM hash WHERE a = 'x' # note", malformed),
        ("SELECT * FROM hash t WHERE a = 'x'", "Aliasing is not supported"),
        ("SELECT n AS m FROM hash", "Aliasing is not supported"),
        ("SELECT n, m.n FROM hash", "Duplicate identifiers in select clause: n"),
        ("SELECT m.* FROM hash", "Changing item's hierarchy while reading isn't supported"),
        ("SELECT COUNT(*) FROM hash", "Unexpected path component at 1:8:5"),
        ("SELECT VALUE n FROM hash", "Select projection doesn't support value or pivot keywords"),
        ("SELECT * FROM 'hash'", "Unexpected from source"),
        ("SELECT * FROM hash, range", "Only select from a single table or index is supported."),
        ("SELECT * FROM hash.b.c", "A path may contain at most 2 components in the FROM clause"),
        ("SELECT * FROM hash.b", "The table does not have the specified index: b"),
        ("SELECT * FROM hash LIMIT 1", "Unsupported clause: LIMIT at 1:26:1"),
        ("SELECT * FROM hash WHERE n", "WHERE clause must contain an expression that resolves to a boolean"),
        ("SELECT * FROM hash WHERE n = MISSING", "MISSING must be compared using IS operator"),
        (
            "SELECT * FROM hash WHERE n LIKE 'x'",
            "Unsupported operator in Condition Expression. Operator: like",
        ),
        ("SELECT * FROM hash WHERE n = 1 + 1", "Unsupported operator in Condition Expression. Operator: +"),
        ("SELECT * FROM hash WHERE EXISTS(n)", "Unrecognized function: exists at 1:26:6"),
        (
            "SELECT * FROM hash WHERE l[-1] = 'p'",
            "List index is not within the allowable range; index: [-1] at 1:29:1",
        ),
        (
            "SELECT * FROM hash WHERE m.inner = 1",
            "Statement wasn't well formed, can't be processed: Invalid path dot component",
        ),
        (
            "SELECT * FROM hash WHERE a = 1",
            "Key attribute's data type should match its data type in table's schema: Key a",
        ),
        (
            "SELECT * FROM hash WHERE a = 1e126",
            "Number overflow. Attempting to store a number with magnitude larger than supported range under root",
        ),
        (
            "SELECT * FROM hash ORDER BY a",
            "Must have WHERE clause in the statement when using ORDER BY clause.",
        ),
        (
            "SELECT * FROM hash WHERE a = 'x' ORDER BY n",
            "Variable reference n in ORDER BY clause must be part of the primary key",
        ),
        ("SELECT * FROM hash WHERE", "Statement wasn't well formed, can't be processed: Unexpected term"),
        ("UPDATE hash SET n = 1 WHERE;", "Statement wasn't well formed, can't be processed: Unexpected term"),
        ("SELECT * FROM hash WHERE NOT", "Statement wasn't well formed, can't be processed: Unexpected term"),
        ("SELECT * FROM hash WHERE (", "Statement wasn't well formed, can't be processed: Unexpected term"),
        ("SELECT * FROM", "Statement wasn't well formed, can't be processed: Unexpected term"),
        (
            "SELECT * FROM hash WHERE n = 1 AND",
            "Statement wasn't well formed, can't be processed: Missing right-hand side expression of infix operator",
        ),
        (
            "SELECT * FROM hash WHERE n = 1 OR;",
            "Statement wasn't well formed, can't be processed: Missing right-hand side expression of infix operator",
        ),
        (
            "SELECT * FROM hash WHERE ORDER BY a",
            "Statement wasn't well formed, can't be processed: Unexpected keyword",
        ),
        (
            "SELECT * FROM hash WHERE IS NULL",
            "Statement wasn't well formed, can't be processed: Unexpected operator",
        ),
        (
            "SELECT * FROM hash WHERE a = LIKE",
            "Statement wasn't well formed, can't be processed: Unexpected operator",
        ),
        (
            "SELECT * FROM hash WHERE n IS FOO",
            "Statement wasn't well formed, can't be processed: Expected type name",
        ),
        (
            "DELETE FROM",
            "Statement wasn't well formed, can't be processed: Expected identifier for simple path",
        ),
        (
            "DELETE FROM WHERE a = 'x'",
            "Statement wasn't well formed, can't be processed: Expected identifier for simple path",
        ),
        ("FROM hash SET c = 1", whole_key),
        ("FROM hash SET c = 1 WHERE a = 'x'", leftover),
        ("SELECT \"\" FROM hash", "Path component cannot be an empty string"),
        ("SELECT * FROM hash WHERE m[''] = 1", "Path component cannot be an empty string"),
        ("UPDATE hash SET m.\"\" = 1 WHERE a = 'one'", "Path component cannot be an empty string"),
        ("INSERT INTO hash VALUE {'a': 'x', '': 1}", "Path component cannot be an empty string"),
        ("INSERT INTO hash VALUE {'a': 'x', 'm': {'': 1}}", "Path component cannot be an empty string"),
        ("INSERT INTO hash VALUE {'n': 1}", "Key attribute should be present in the item: Key a"),
        (
            "INSERT INTO hash VALUE {'a': 'x', 'a': 'y'}",
            "Duplicate keys in tuple. Key: a under root at 1:35:3",
        ),
        (
            "INSERT INTO hash VALUE {'a': 'x', 'l': [1, 1e126]}",
            "Number overflow. Attempting to store a number with magnitude larger than supported range under root[1]",
        ),
        ("INSERT INTO hash VALUE {'a': 'x', 's': <<>>}", "Empty bags are not supported"),
        (
            "INSERT INTO hash VALUE {'a': 'x', 's': <<'b', 'b'>>}",
            "One or more parameter values were invalid: Input collection [b, b] contains duplicates.",
        ),
        (
            "INSERT INTO hash VALUE {'a': 'x', 's': set_add(s, s)}",
            "Unsupported data type: set_add under key root at 1:40:7",
        ),
        ("INSERT INTO hash VALUE {'a': 'x'} RETURNING ALL OLD *", "RETURNING is not supported in INSERT"),
        ("UPDATE hash SET n = 1 WHERE n = 1", whole_key),
        ("UPDATE hash SET n = 1 WHERE a = 'x' OR a = 'y'", whole_key),
        ("UPDATE range SET n = 1 WHERE a = 'x' AND b > '1'", whole_key),
        ("DELETE FROM hash", whole_key),
        (
            "UPDATE hash SET t = set_add(s, <<'z'>>) WHERE a = 'one'",
            "The first argument to SET_ADD must equal the assignment value at 1:21:7",
        ),
        (
            "UPDATE hash SET s = set_add(s, 'z') WHERE a = 'one'",
            "The second argument to SET_ADD must be a value with type SET at 1:29:1",
        ),
        (
            "UPDATE hash SET s = set_add(s) WHERE a = 'one'",
            "SET_ADD must have exactly two arguments at 1:21:7",
        ),
        (
            "UPDATE hash SET s = set_add(s, <<1>>) WHERE a = 'one'",
            "An operand in the update expression has an incorrect data type",
        ),
        (
            "UPDATE hash SET n = 2 * 2 WHERE a = 'one'",
            "Unsupported operator in Update Expression. Operator: *",
        ),
        (
            "UPDATE range.local SET n = 2 WHERE a = 'x' AND b = '1'",
            "This operation is not supported on an index",
        ),
        (
            "DELETE FROM hash WHERE a = 'x' RETURNING MODIFIED OLD *",
            "Invalid returning clause: RETURNING MODIFIED OLD *. Only RETURNING ALL OLD * is allowed in DELETE statements.",
        ),
        (
            "EXISTS(SELECT * FROM hash WHERE a = 'x')",
            "EXISTS can only be used in ExecuteTransaction write requests.",
        ),
        ("SELECT * FROM hash WHERE a = ?", "Number of parameters in request and statement don't match."),
        (
            "SELECT * FROM no",
            "Table name should be within the length [3, 255] and only contain 'a-z', 'A-Z', '0-9', '-', '_', '.'.",
        ),
    ] {
        assert_eq!(
            client.invalid("ExecuteStatement", json!({"Statement": statement})),
            expected,
            "{statement}"
        );
    }
    let unknown =
        client.error("ExecuteStatement", json!({"Statement": "SELECT * FROM unknown WHERE a = 'x'"}));
    assert_eq!(unknown["__type"], "com.amazonaws.dynamodb.v20120810#ResourceNotFoundException");
}

#[test]
fn writes_change_one_item() {
    let client = client();
    let run = |statement: &str| items(&client, statement);
    assert_eq!(
        run("INSERT INTO hash VALUE {'a': 'new', 'l': [1, {'k': null}], 's': <<2, 1>>, 'f': -1.5e1}"),
        json!([])
    );
    let inserted = json!({
        "a": {"S": "new"}, "f": {"N": "-15"}, "l": {"L": [{"N": "1"}, {"M": {"k": {"NULL": true}}}]},
        "s": {"NS": ["1", "2"]},
    });
    assert_eq!(run("SELECT * FROM hash WHERE a = 'new'"), json!([inserted]));
    let again = client.error("ExecuteStatement", json!({"Statement": "INSERT INTO hash VALUE {'a': 'new'}"}));
    assert_eq!(again["__type"], "com.amazonaws.dynamodb.v20120810#DuplicateItemException");
    assert_eq!(again["message"], "Duplicate primary key exists in table");
    for (change, expected) in [
        ("SET n = n + 2", json!({"n": {"N": "3"}})),
        ("SET n = n - 1 SET t = if_not_exists(t, 'first')", json!({"n": {"N": "2"}, "t": {"S": "first"}})),
        ("SET l = list_append(l, ['r'])", json!({"l": {"L": [{"S": "p"}, {"S": "q"}, {"S": "r"}]}})),
        ("SET s = set_add(s, <<'z'>>)", json!({"s": {"SS": ["x", "y", "z"]}})),
        ("SET s = SET_DELETE(s, <<'z', 'y'>>)", json!({"s": {"SS": ["x"]}})),
        ("SET m.k = ? REMOVE t", json!({"m": {"M": {"k": {"N": "7"}}}})),
    ] {
        let parameters = if change.contains('?') { json!([{"N": "7"}]) } else { Value::Null };
        let statement = format!("UPDATE hash {change} WHERE a = 'one' AND n > 0 RETURNING MODIFIED NEW *");
        let answer =
            client.call("ExecuteStatement", json!({"Statement": statement, "Parameters": parameters}));
        assert_eq!(answer["Items"], json!([expected]), "{statement}");
    }
    assert_eq!(
        run("FROM hash WHERE a = 'new' REMOVE l, s SET f = 1 RETURNING ALL NEW *"),
        json!([{"a": {"S": "new"}, "f": {"N": "1"}}])
    );
    assert_eq!(run("UPDATE hash REMOVE q WHERE a = 'new' RETURNING MODIFIED NEW *"), json!([]));
    for statement in [
        "UPDATE hash SET n = 1 WHERE a = 'unknown'",
        "UPDATE hash SET n = 1 WHERE a = 'one' AND n = 99",
        "DELETE FROM hash WHERE a = 'one' AND attribute_exists(q)",
    ] {
        let request = json!({"Statement": statement, "ReturnValuesOnConditionCheckFailure": "ALL_OLD"});
        let answer = client.error("ExecuteStatement", request);
        assert_eq!(
            answer["__type"], "com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException",
            "{statement}"
        );
        assert_eq!(answer.get("Item").is_some(), statement.contains("'one'"), "{statement}");
    }
    assert_eq!(run("DELETE FROM hash WHERE a = 'unknown' AND n = 1"), json!([]));
    assert_eq!(
        run("DELETE FROM hash WHERE a = 'new' RETURNING ALL OLD *"),
        json!([{"a": {"S": "new"}, "f": {"N": "1"}}])
    );
    assert_eq!(run("SELECT * FROM hash WHERE a = 'new'"), json!([]));
}

#[test]
fn pages_continue_across_ranges_without_loss_or_repeat() {
    let client = client();
    for (statement, limit) in [
        ("SELECT a, b FROM range WHERE a IN ['x', 'y']", 2),
        ("SELECT a, b FROM range WHERE a IN ['x', 'y']", 3),
        ("SELECT a, b FROM range WHERE a IN ['x', 'y'] ORDER BY a, b DESC", 4),
        ("SELECT a, b FROM range", 1),
        ("SELECT a, b FROM range WHERE n = 10 OR n = 20", 2),
    ] {
        let mut found = Vec::new();
        let mut token = Value::Null;
        for _ in 0..20 {
            let body = json!({"Statement": statement, "Limit": limit, "NextToken": token});
            let answer = client.call("ExecuteStatement", body);
            found.extend(answer["Items"].as_array().unwrap().clone());
            token = answer["NextToken"].clone();
            if token.is_null() {
                break;
            }
        }
        assert!(token.is_null(), "{statement} ends");
        assert_eq!(Value::Array(found), items(&client, statement), "{statement}");
    }
    let first = json!({"Statement": "SELECT * FROM range", "Limit": 1});
    let token = client.call("ExecuteStatement", first)["NextToken"].clone();
    let with = |token: Value| json!({"Statement": "SELECT a FROM range", "NextToken": token});
    assert_eq!(client.invalid("ExecuteStatement", with(token)), "NextToken does not match request");
    assert_eq!(client.invalid("ExecuteStatement", with(json!("AAAA"))), "Invalid NextToken");
}

#[test]
fn capacity_is_counted_as_for_the_same_query() {
    let client = client();
    for (statement, consistent, units) in [
        ("SELECT * FROM hash WHERE a = 'one'", false, 0.5),
        ("SELECT * FROM hash WHERE a = 'one'", true, 1.0),
        ("SELECT * FROM range WHERE a IN ['x', 'y']", false, 1.0),
        ("UPDATE hash SET n = 1 WHERE a = 'one'", false, 1.0),
    ] {
        let body =
            json!({"Statement": statement, "ConsistentRead": consistent, "ReturnConsumedCapacity": "TOTAL"});
        let answer = client.call("ExecuteStatement", body);
        assert_eq!(answer["ConsumedCapacity"]["CapacityUnits"], json!(units), "{statement}");
    }
}

/// The members of a list of statements.
fn members(statements: &[&str]) -> Value {
    statements.iter().map(|statement| json!({"Statement": statement})).collect()
}

#[test]
fn a_batch_reports_each_statement_by_itself() {
    let client = client();
    let run = |statements: &[&str]| {
        client.call("BatchExecuteStatement", json!({"Statements": members(statements)}))["Responses"].clone()
    };
    let without_key =
        "Select statements within BatchExecuteStatement must specify the primary key in the where clause.";
    let error = |code: &str, text: &str| json!({"Error": {"Code": code, "Message": text}});
    assert_eq!(
        run(&[
            "SELECT n FROM hash WHERE a = 'one'",
            "SELECT n FROM hash WHERE a = 'unknown'",
            "SELECT n FROM unknown WHERE a = 'one'",
            "SELECT n FROM range WHERE a = 'x'",
            "SELECT n FROM hash WHERE a = 'two' AND n = 1",
            "SLECT",
        ]),
        json!([
            {"Item": {"n": {"N": "1"}}, "TableName": "hash"},
            {"TableName": "hash"},
            error("ResourceNotFound", "Requested resource not found"),
            error("ValidationError", without_key),
            error("ValidationError", without_key),
            error("ValidationError", "Statement wasn't well formed, can't be processed: Expected data manipulation"),
        ])
    );
    assert_eq!(
        run(&[
            "INSERT INTO hash VALUE {'a': 'one'}",
            "INSERT INTO hash VALUE {'a': 'two'}",
            "UPDATE hash SET n = 1 WHERE a = 'three'",
            "UPDATE range SET n = 5 WHERE a = 'x' AND b = '1' RETURNING MODIFIED OLD *",
        ]),
        json!([
            {"Error": {"Code": "DuplicateItem", "Message": "Duplicate primary key exists in table"}, "TableName": "hash"},
            {"TableName": "hash"},
            {"Error": {"Code": "ConditionalCheckFailed", "Message": "The conditional request failed"}, "TableName": "hash"},
            {"Item": {"n": {"N": "0"}}, "TableName": "range"},
        ])
    );
    let refused = |statements: &[&str]| {
        client.invalid("BatchExecuteStatement", json!({"Statements": members(statements)}))
    };
    let select = "SELECT n FROM hash WHERE a = 'one'";
    assert_eq!(refused(&[select, select]), "Provided list of item keys contains duplicates");
    assert_eq!(
        refused(&[select, "DELETE FROM hash WHERE a = 'one'"]),
        "Read and write requests together in the same batch is not supported."
    );
    assert!(refused(&[]).ends_with(
        "at 'statements' failed to satisfy constraint: Member must have length greater than or equal to 1"
    ));
    assert!(refused(&[select; 26]).contains("Member must have length less than or equal to 25"));
}

#[test]
fn a_transaction_happens_as_a_whole() {
    let client = client();
    let body = |statements: &[&str]| json!({"TransactStatements": members(statements)});
    let read = client.call(
        "ExecuteTransaction",
        body(&["SELECT n FROM hash WHERE a = 'one'", "SELECT n FROM hash WHERE a = 'two'"]),
    );
    assert_eq!(read, json!({"Responses": [{"Item": {"n": {"N": "1"}}}, {}]}));
    let write = [
        "EXISTS(SELECT * FROM hash WHERE a = 'one' AND n = 1)",
        "INSERT INTO hash VALUE {'a': 'two'}",
        "UPDATE range SET n = 7 WHERE a = 'x' AND b = '1' AND n = 0",
        "DELETE FROM range WHERE a = 'x' AND b = '2'",
    ];
    assert_eq!(client.call("ExecuteTransaction", body(&write)), json!({"Responses": []}));
    let cancelled = client.error("ExecuteTransaction", body(&write));
    assert_eq!(cancelled["__type"], "com.amazonaws.dynamodb.v20120810#TransactionCanceledException");
    assert_eq!(
        cancelled["CancellationReasons"],
        json!([
            {"Code": "None"},
            {"Code": "DuplicateItem", "Message": "Duplicate primary key exists in table"},
            {"Code": "ConditionalCheckFailed", "Message": "The conditional request failed"},
            {"Code": "None"},
        ])
    );
    let token = json!({"ClientRequestToken": "t", "TransactStatements": members(&["INSERT INTO hash VALUE {'a': 'three'}"])});
    client.call("ExecuteTransaction", token.clone());
    client.call("ExecuteTransaction", token);
    let at = |text: &str| format!("Validation failed in TransactStatements[0]: {text}");
    for (statements, expected) in [
        (
            vec!["SELECT n FROM hash WHERE a = 'one'", write[1]],
            "ExecuteTransaction API does not support both read and write operations in the same request."
                .to_owned(),
        ),
        (
            vec!["SELECT n FROM hash WHERE n = 1"],
            at(
                "Select statements within ExecuteTransaction must specify the primary key in the where clause.",
            ),
        ),
        (
            vec!["SELECT n FROM range.global WHERE c = 'c1'"],
            at("Reads on indices are not supported within transactions."),
        ),
        (
            vec!["EXISTS(SELECT * FROM hash WHERE a = 'one')"],
            at("EXISTS() must contain a single item read with additional condition"),
        ),
        (
            vec!["DELETE FROM hash WHERE a = 'x' RETURNING ALL OLD *"],
            at("RETURNING clause is not supported in ExecuteTransaction."),
        ),
    ] {
        assert_eq!(client.invalid("ExecuteTransaction", body(&statements)), expected);
    }
}

/// A condition as PartiQL and as an expression.
#[derive(Debug, Clone)]
struct Both {
    statement: String,
    expression: String,
}

fn both(statement: impl Into<String>, expression: impl Into<String>) -> Both {
    Both { statement: statement.into(), expression: expression.into() }
}

/// Conditions on the attributes of `range`.
fn any_condition() -> impl Strategy<Value = Both> {
    let leaf = prop_oneof![
        prop::sample::select(vec![("x", "vx"), ("y", "vy")])
            .prop_map(|(text, name)| both(format!("a = '{text}'"), format!("a = :{name}"))),
        Just(both("a IN ['y', 'x']", "a IN (:vy, :vx)")),
        (prop::sample::select(vec!["=", "<>", "<", "<=", ">", ">="]), 1..4)
            .prop_map(|(operator, b)| both(format!("b {operator} '{b}'"), format!("b {operator} :b{b}"))),
        Just(both("b BETWEEN '1' AND '2'", "b BETWEEN :b1 AND :b2")),
        Just(both("begins_with(b, '2')", "begins_with(b, :b2)")),
        Just(both("n > 5", "n > :n5")),
        Just(both("contains(c, '1')", "contains(c, :b1)")),
        Just(both("e IS MISSING", "attribute_not_exists(e)")),
        Just(both("size(m.l) = 2", "size(m.l) = :n2")),
    ];
    leaf.prop_recursive(4, 12, 3, |inner| {
        let join = |word: &'static str| {
            prop::collection::vec(inner.clone(), 2..4).prop_map(move |parts| {
                let joined = |text: fn(&Both) -> &str| {
                    parts.iter().map(|part| format!("({})", text(part))).collect::<Vec<_>>().join(word)
                };
                both(joined(|part| &part.statement), joined(|part| &part.expression))
            })
        };
        prop_oneof![
            3 => join(" AND "),
            3 => join(" OR "),
            1 => inner.clone().prop_map(|part| {
                both(format!("NOT ({})", part.statement), format!("NOT ({})", part.expression))
            }),
        ]
    })
}

/// The items of all pages of a statement, in the order of their keys.
fn all_pages(client: &Client, statement: &str, limit: usize) -> Vec<String> {
    let (mut found, mut token) = (Vec::new(), Value::Null);
    loop {
        let body = json!({"Statement": statement, "Limit": limit, "NextToken": token});
        let answer = client.call("ExecuteStatement", body);
        found.extend(answer["Items"].as_array().unwrap().iter().map(Value::to_string));
        token = answer["NextToken"].clone();
        if token.is_null() {
            found.sort_unstable();
            return found;
        }
    }
}

#[test]
fn a_select_returns_what_a_scan_with_the_same_condition_returns() {
    let client = client();
    let values = json!({
        ":vx": {"S": "x"}, ":vy": {"S": "y"}, ":b1": {"S": "1"}, ":b2": {"S": "2"}, ":b3": {"S": "3"},
        ":n5": {"N": "5"}, ":n2": {"N": "2"},
    });
    proptest!(ProptestConfig::with_cases(300), |(condition in any_condition(), limit in 1usize..8)| {
        let used: serde_json::Map<String, Value> = values.as_object().unwrap().iter()
            .filter(|(name, _)| condition.expression.contains(name.as_str()))
            .map(|(name, value)| (name.clone(), value.clone())).collect();
        let mut scan = json!({"TableName": "range", "FilterExpression": condition.expression});
        if !used.is_empty() {
            scan["ExpressionAttributeValues"] = Value::Object(used);
        }
        let scanned = client.call("Scan", scan);
        let mut expected: Vec<String> = scanned["Items"].as_array().unwrap().iter().map(Value::to_string).collect();
        expected.sort_unstable();
        let statement = format!("SELECT * FROM range WHERE {}", condition.statement);
        prop_assert_eq!(all_pages(&client, &statement, limit), expected, "{}", statement);
    });
}

#[test]
fn exists_is_false_without_an_item() {
    let client = client();
    for condition in ["q IS MISSING", "attribute_not_exists(a)", "NOT n = 1"] {
        let statement = format!("EXISTS(SELECT * FROM hash WHERE a = 'unknown' AND {condition})");
        let answer =
            client.error("ExecuteTransaction", json!({"TransactStatements": members(&[&statement])}));
        assert_eq!(answer["CancellationReasons"][0]["Code"], "ConditionalCheckFailed", "{statement}");
    }
}

#[test]
fn indexes_with_several_key_attributes_are_refused() {
    let client = Client::new();
    let attribute = |name: &str, kind: &str| json!({"AttributeName": name, "KeyType": kind});
    let define = |name: &str| json!({"AttributeName": name, "AttributeType": "S"});
    client.call(
        "CreateTable",
        json!({
            "TableName": "several", "BillingMode": "PAY_PER_REQUEST",
            "AttributeDefinitions": [define("a"), define("b"), define("c")],
            "KeySchema": [attribute("a", "HASH")],
            "GlobalSecondaryIndexes": [{
                "IndexName": "both", "KeySchema": [attribute("b", "HASH"), attribute("c", "HASH")],
                "Projection": {"ProjectionType": "ALL"},
            }],
        }),
    );
    let select = json!({"Statement": "SELECT * FROM several.both WHERE b = 'x' AND c = 'y'"});
    assert_eq!(
        client.invalid("ExecuteStatement", select),
        "PartiQL statements cannot be executed on tables with multi-attribute HASH keys or multi-attribute RANGE keys."
    );
    assert_eq!(items(&client, "SELECT * FROM several WHERE b = 'x'"), json!([]));
}
