// The JavaScript SDK against the server that asks for keys, in GUARDED_URL.
import assert from "node:assert/strict";
import { before, test } from "node:test";

import { DeleteTableCommand, DynamoDBClient, ListTablesCommand } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";

import { createSimpleTable } from "./tables.mjs";

const TableName = "javascript-guarded";
const client = (accessKeyId, secretAccessKey) => DynamoDBDocumentClient.from(new DynamoDBClient({
  endpoint: process.env.GUARDED_URL, credentials: { accessKeyId, secretAccessKey },
}));
const writer = client("AKIDWRITER", "writer/secret+");
const reader = client("AKIDREADER", "reader/secret+");

before(() => createSimpleTable(writer, TableName));

test("what one key writes the other reads", async () => {
  const Item = { id: "Björk", bytes: new Uint8Array(300_000) };
  await writer.send(new PutCommand({ TableName, Item }));
  assert.deepEqual((await reader.send(new GetCommand({ TableName, Key: { id: Item.id } }))).Item, Item);
});

test("a wrong secret is refused", async () => {
  const wrong = client("AKIDWRITER", "reader/secret+");
  await assert.rejects(wrong.send(new ListTablesCommand({})), { name: "InvalidSignatureException" });
});

test("an unknown key is refused", async () => {
  const nobody = client("AKIDNOBODY", "writer/secret+");
  await assert.rejects(nobody.send(new ListTablesCommand({})), { name: "UnrecognizedClientException" });
});

test("a read-only key cannot write", async () => {
  const Item = { id: "no" };
  await assert.rejects(reader.send(new PutCommand({ TableName, Item })), { name: "AccessDeniedException" });
  await assert.rejects(reader.send(new DeleteTableCommand({ TableName })), { name: "AccessDeniedException" });
  assert.equal((await writer.send(new GetCommand({ TableName, Key: Item }))).Item, undefined);
});
