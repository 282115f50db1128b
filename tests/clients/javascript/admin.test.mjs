// What tools for looking into tables, as dynamodb-admin, ask.
import assert from "node:assert/strict";
import { before, test } from "node:test";

import {
  DeleteTableCommand, DescribeTableCommand, DynamoDBClient, ListTablesCommand, paginateListTables, ScanCommand,
  waitUntilTableNotExists,
} from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, PutCommand } from "@aws-sdk/lib-dynamodb";

import { createSimpleTable } from "./tables.mjs";

const names = ["javascript-admin-1", "javascript-admin-2", "javascript-admin-3"];
const client = new DynamoDBClient({});

before(async () => {
  for (const name of names) await createSimpleTable(client, name);
  const documents = DynamoDBDocumentClient.from(client);
  for (let number = 0; number < 10; number += 1) {
    await documents.send(new PutCommand({ TableName: names[0], Item: { id: `${number}`, number } }));
  }
});

test("tables are listed by name, page by page", async () => {
  const { TableNames, LastEvaluatedTableName } = await client.send(
    new ListTablesCommand({ Limit: 2, ExclusiveStartTableName: "javascript-admin" }));
  assert.deepEqual(TableNames, names.slice(0, 2));
  assert.equal(LastEvaluatedTableName, names[1]);
  const listed = [];
  for await (const page of paginateListTables({ client, pageSize: 1 }, {})) listed.push(...page.TableNames);
  assert.deepEqual(listed.filter((name) => name.startsWith("javascript-admin-")), names);
});

test("a table's description has what a list of tables shows", async () => {
  const { Table } = await client.send(new DescribeTableCommand({ TableName: names[0] }));
  assert.deepEqual(Table.KeySchema, [{ AttributeName: "id", KeyType: "HASH" }]);
  assert.deepEqual(Table.AttributeDefinitions, [{ AttributeName: "id", AttributeType: "S" }]);
  assert.equal(typeof Table.ItemCount, "number");
  assert.equal(typeof Table.TableSizeBytes, "number");
  assert.equal(Table.GlobalSecondaryIndexes, undefined);
});

test("a scan with a limit pages through the table and counts it", async () => {
  const found = [];
  let ExclusiveStartKey;
  do {
    const page = await client.send(new ScanCommand({ TableName: names[0], Limit: 4, ExclusiveStartKey }));
    assert.ok(page.Count <= 4);
    found.push(...page.Items.map((item) => item.id.S));
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey);
  assert.deepEqual(found.toSorted(), [..."0123456789"]);
  const { Count, Items } = await client.send(new ScanCommand({ TableName: names[0], Select: "COUNT" }));
  assert.deepEqual([Count, Items], [10, undefined]);
});

test("the parts of a parallel scan make up the whole", async () => {
  const parts = await Promise.all([0, 1, 2].map((Segment) =>
    client.send(new ScanCommand({ TableName: names[0], Segment, TotalSegments: 3 }))));
  assert.deepEqual(parts.flatMap((part) => part.Items.map((item) => item.id.S)).toSorted(), [..."0123456789"]);
});

test("a deleted table is gone", async () => {
  await client.send(new DeleteTableCommand({ TableName: names[2] }));
  await waitUntilTableNotExists({ client, maxWaitTime: 20, minDelay: 1 }, { TableName: names[2] });
  const { TableNames } = await client.send(new ListTablesCommand({ ExclusiveStartTableName: names[1] }));
  assert.ok(!TableNames.includes(names[2]));
});
