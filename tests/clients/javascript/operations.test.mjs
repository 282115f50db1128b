// What an application does with the JavaScript SDK's document client.
import assert from "node:assert/strict";
import { before, test } from "node:test";

import {
  ConditionalCheckFailedException, DescribeTableCommand, DynamoDBClient, ResourceInUseException,
  ResourceNotFoundException, TransactionCanceledException,
} from "@aws-sdk/client-dynamodb";
import {
  BatchWriteCommand, DeleteCommand, DynamoDBDocumentClient, GetCommand, NumberValue, paginateQuery, PutCommand,
  QueryCommand, TransactGetCommand, TransactWriteCommand, UpdateCommand,
} from "@aws-sdk/lib-dynamodb";

import { createSimpleTable, createTable } from "./tables.mjs";

const TableName = "javascript-orders";
const client = new DynamoDBClient({});
const documents = DynamoDBDocumentClient.from(client);

// Two days for all of them: most index keys are equal, which is where paging goes wrong.
const orders = Array.from({ length: 30 }, (_, number) => ({
  customer: `C${number % 3}`, number, status: "open", day: `2026-03-1${number % 2}`,
}));

before(async () => {
  await createTable(client, {
    TableName,
    AttributeDefinitions: [
      { AttributeName: "customer", AttributeType: "S" },
      { AttributeName: "number", AttributeType: "N" },
      { AttributeName: "status", AttributeType: "S" },
      { AttributeName: "day", AttributeType: "S" },
    ],
    KeySchema: [
      { AttributeName: "customer", KeyType: "HASH" },
      { AttributeName: "number", KeyType: "RANGE" },
    ],
    GlobalSecondaryIndexes: [{
      IndexName: "by_status",
      KeySchema: [
        { AttributeName: "status", KeyType: "HASH" },
        { AttributeName: "day", KeyType: "RANGE" },
      ],
      Projection: { ProjectionType: "ALL" },
    }],
  });
  for (const half of [orders.slice(0, 15), orders.slice(15)]) {
    const puts = half.map((Item) => ({ PutRequest: { Item } }));
    const answer = await documents.send(new BatchWriteCommand({ RequestItems: { [TableName]: puts } }));
    assert.deepEqual(answer.UnprocessedItems, {});
  }
});

test("the table and its index are described", async () => {
  const { Table } = await client.send(new DescribeTableCommand({ TableName }));
  assert.equal(Table.TableStatus, "ACTIVE");
  assert.ok(Math.abs(Table.CreationDateTime - Date.now()) < 600_000, `made at ${Table.CreationDateTime}`);
  assert.deepEqual(Table.GlobalSecondaryIndexes.map((index) => [index.IndexName, index.IndexStatus]),
    [["by_status", "ACTIVE"]]);
});

test("every type comes back as it was written", async () => {
  const Item = {
    customer: "types", number: -0.5, text: "Thịt gà 🍗 \u0000 \"\\/", empty: "", bytes: new Uint8Array([0, 127, 255]),
    yes: true, none: null, words: new Set(["a", "ß"]), numbers: new Set([1, -2.5]), list: [1, ["deep", { er: [] }]],
    map: {},
  };
  await documents.send(new PutCommand({ TableName, Item }));
  const Key = { customer: "types", number: -0.5 };
  assert.deepEqual((await documents.send(new GetCommand({ TableName, Key, ConsistentRead: true }))).Item, Item);
  const { Attributes } = await documents.send(new DeleteCommand({ TableName, Key, ReturnValues: "ALL_OLD" }));
  assert.deepEqual(Attributes, Item);
  assert.equal((await documents.send(new GetCommand({ TableName, Key }))).Item, undefined);
});

test("a number keeps digits that a double would lose", async () => {
  // A client of its own: the options of one document client reach every other that shares its client.
  const exact = DynamoDBDocumentClient.from(new DynamoDBClient({}), { unmarshallOptions: { wrapNumbers: true } });
  const Key = { customer: "exact", number: NumberValue.from("12345678901234567890123456789012345678") };
  await exact.send(new PutCommand({ TableName, Item: { ...Key, small: NumberValue.from("1E-130") } }));
  const { Item } = await exact.send(new GetCommand({ TableName, Key }));
  assert.equal(Item.number.toString(), "12345678901234567890123456789012345678");
  assert.equal(Number(Item.small.toString()), 1e-130);
  await exact.send(new DeleteCommand({ TableName, Key }));
});

test("an update returns what it changed", async () => {
  const Key = { customer: "update", number: 1 };
  await documents.send(new PutCommand({ TableName, Item: { ...Key, total: 5, note: "x" } }));
  const { Attributes } = await documents.send(new UpdateCommand({
    TableName, Key,
    UpdateExpression: "ADD #total :more REMOVE note SET tags = list_append(if_not_exists(tags, :none), :tags)",
    ExpressionAttributeNames: { "#total": "total" },
    ExpressionAttributeValues: { ":more": 0.5, ":none": [], ":tags": ["new"] },
    ReturnValues: "UPDATED_NEW",
  }));
  assert.deepEqual(Attributes, { total: 5.5, tags: ["new"] });
  await documents.send(new DeleteCommand({ TableName, Key }));
});

test("an index with equal keys pages without loss or repeat", async () => {
  const pages = paginateQuery({ client: documents, pageSize: 7 }, {
    TableName, IndexName: "by_status", KeyConditionExpression: "#s = :open",
    ExpressionAttributeNames: { "#s": "status" }, ExpressionAttributeValues: { ":open": "open" },
  });
  const items = [];
  let pageCount = 0;
  for await (const page of pages) {
    pageCount += 1;
    items.push(...page.Items);
    if (page.LastEvaluatedKey) {
      assert.deepEqual(Object.keys(page.LastEvaluatedKey).sort(), ["customer", "day", "number", "status"]);
    }
  }
  assert.equal(pageCount, 5);
  const days = items.map((item) => item.day);
  assert.deepEqual(days, days.toSorted());
  assert.deepEqual(items.toSorted((a, b) => a.number - b.number), orders);
});

test("a partition is read backwards from a key", async () => {
  const { Items, LastEvaluatedKey } = await documents.send(new QueryCommand({
    TableName, KeyConditionExpression: "customer = :c AND #n < :high",
    ExpressionAttributeNames: { "#n": "number" }, ExpressionAttributeValues: { ":c": "C1", ":high": 25 },
    ExclusiveStartKey: { customer: "C1", number: 22 }, ScanIndexForward: false, Limit: 3,
  }));
  assert.deepEqual(Items.map((item) => item.number), [19, 16, 13]);
  assert.deepEqual(LastEvaluatedKey, { customer: "C1", number: 13 });
});

test("a transaction is done as a whole", async () => {
  const keys = [1, 2].map((number) => ({ customer: "transaction", number }));
  const request = {
    ClientRequestToken: "javascript-transaction",
    TransactItems: [
      { Put: { TableName, Item: keys[0] } },
      {
        Update: {
          TableName, Key: keys[1], UpdateExpression: "ADD visits :one", ExpressionAttributeValues: { ":one": 1 },
        },
      },
    ],
  };
  await documents.send(new TransactWriteCommand(request));
  // The same token again: done once.
  await documents.send(new TransactWriteCommand(request));
  const { Responses } = await documents.send(new TransactGetCommand({
    TransactItems: keys.map((Key) => ({ Get: { TableName, Key } })),
  }));
  assert.deepEqual(Responses.map((response) => response.Item), [keys[0], { ...keys[1], visits: 1 }]);
  await documents.send(new TransactWriteCommand({ TransactItems: keys.map((Key) => ({ Delete: { TableName, Key } })) }));
});

test("a failed condition shows the item", async () => {
  const put = new PutCommand({
    TableName, Item: orders[0], ConditionExpression: "attribute_not_exists(customer)",
    ReturnValuesOnConditionCheckFailure: "ALL_OLD",
  });
  await assert.rejects(documents.send(put), (error) => {
    assert.ok(error instanceof ConditionalCheckFailedException, error);
    assert.equal(error.message, "The conditional request failed");
    assert.equal(error.$metadata.httpStatusCode, 400);
    assert.match(error.$metadata.requestId, /^[0-9A-Z]{52}$/);
    assert.deepEqual(error.Item, {
      customer: { S: "C0" }, number: { N: "0" }, status: { S: "open" }, day: { S: "2026-03-10" },
    });
    return true;
  });
});

test("a cancelled transaction gives its reasons in order", async () => {
  const transaction = new TransactWriteCommand({
    TransactItems: [
      { Put: { TableName, Item: { customer: "cancelled", number: 1 } } },
      {
        ConditionCheck: {
          TableName, Key: { customer: "C1", number: 1 }, ConditionExpression: "#s = :closed",
          ExpressionAttributeNames: { "#s": "status" }, ExpressionAttributeValues: { ":closed": "closed" },
          ReturnValuesOnConditionCheckFailure: "ALL_OLD",
        },
      },
    ],
  });
  await assert.rejects(documents.send(transaction), (error) => {
    assert.ok(error instanceof TransactionCanceledException, error);
    assert.match(error.message, /\[None, ConditionalCheckFailed\]/);
    const [fine, failed] = error.CancellationReasons;
    assert.equal(fine.Code, "None");
    assert.equal(failed.Code, "ConditionalCheckFailed");
    assert.equal(failed.Message, "The conditional request failed");
    assert.deepEqual(failed.Item.number, { N: "1" });
    return true;
  });
  const Key = { customer: "cancelled", number: 1 };
  assert.equal((await documents.send(new GetCommand({ TableName, Key }))).Item, undefined);
});

test("an invalid request says what is wrong", async () => {
  await assert.rejects(documents.send(new GetCommand({ TableName, Key: { customer: "C0" } })), {
    name: "ValidationException", message: "The provided key element does not match the schema",
  });
  await assert.rejects(documents.send(new PutCommand({ TableName, Item: { ...orders[0], day: 7 } })), {
    name: "ValidationException", message: /Type mismatch for Index Key day/,
  });
});

test("a missing table and a table that is there already are named as such", async () => {
  await assert.rejects(documents.send(new GetCommand({ TableName: "nowhere", Key: { customer: "C0" } })), (error) => {
    assert.ok(error instanceof ResourceNotFoundException, error);
    assert.equal(error.message, "Requested resource not found");
    return true;
  });
  await assert.rejects(createSimpleTable(client, TableName), (error) => error instanceof ResourceInUseException);
});
