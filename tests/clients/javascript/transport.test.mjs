// What travels: compressed bodies, connections that are kept, large requests and answers.
import assert from "node:assert/strict";
import { Agent } from "node:http";
import { before, test } from "node:test";
import { gzipSync } from "node:zlib";

import { DynamoDBClient, paginateScan } from "@aws-sdk/client-dynamodb";
import {
  BatchGetCommand, BatchWriteCommand, DynamoDBDocumentClient, GetCommand, PutCommand,
} from "@aws-sdk/lib-dynamodb";

import { createSimpleTable } from "./tables.mjs";

const TableName = "javascript-blobs";
// Just below the largest item of 400 KB: 50 of them are more than a batch may return.
const BLOB_BYTES = 400 * 1024 - 100;
const PAGE_BYTES_MAX = 1024 * 1024;
const BATCH_BYTES_MAX = 16 * 1024 * 1024;
const ids = Array.from({ length: 50 }, (_, number) => `blob-${number}`);

const client = new DynamoDBClient({});
const documents = DynamoDBDocumentClient.from(client);
const blob = (id) => ({ id, bytes: new Uint8Array(BLOB_BYTES).fill(ids.indexOf(id)) });
const bytesOf = (items) => items.reduce((sum, item) => sum + item.bytes.length, 0);

before(async () => {
  await createSimpleTable(client, TableName);
  // 25 items, 10 MB: as Base64 more than 13 MB in one request.
  for (const half of [ids.slice(0, 25), ids.slice(25)]) {
    const puts = half.map((id) => ({ PutRequest: { Item: blob(id) } }));
    const answer = await documents.send(new BatchWriteCommand({ RequestItems: { [TableName]: puts } }));
    assert.deepEqual(answer.UnprocessedItems, {});
  }
});

test("pages end at 1 MB and none of the items is lost", async () => {
  const found = [];
  for await (const page of paginateScan({ client }, { TableName })) {
    const bytes = page.Items.reduce((sum, item) => sum + item.bytes.B.length, 0);
    // The item that crosses the limit is the page's last.
    assert.ok(bytes < PAGE_BYTES_MAX + BLOB_BYTES, `${bytes} bytes in a page`);
    if (page.LastEvaluatedKey) assert.ok(bytes > PAGE_BYTES_MAX - BLOB_BYTES, `only ${bytes} bytes in a page`);
    found.push(...page.Items.map((item) => item.id.S));
  }
  assert.deepEqual(found.toSorted(), ids.toSorted());
});

test("a batch returns up to 16 MB and names the keys that are left", async () => {
  const found = [];
  let requests = 0;
  let RequestItems = { [TableName]: { Keys: ids.map((id) => ({ id })) } };
  while (RequestItems[TableName]) {
    const answer = await documents.send(new BatchGetCommand({ RequestItems }));
    const items = answer.Responses[TableName];
    const bytes = bytesOf(items);
    assert.ok(bytes > 0 && bytes <= BATCH_BYTES_MAX, `${bytes} bytes in an answer`);
    found.push(...items);
    RequestItems = answer.UnprocessedKeys;
    requests += 1;
  }
  assert.equal(requests, 2);
  assert.deepEqual(found.map((item) => item.id).toSorted(), ids.toSorted());
  for (const item of found) assert.deepEqual(item, blob(item.id));
});

test("a request far over 16 MB is refused in a way that the SDK understands", async () => {
  const put = new PutCommand({ TableName, Item: { id: "huge", text: "x".repeat(2 * BATCH_BYTES_MAX) } });
  await assert.rejects(documents.send(put), { name: "RequestEntityTooLargeException" });
});

test("a compressed request is understood", async () => {
  const compressing = DynamoDBDocumentClient.from(new DynamoDBClient({}));
  let sent = 0;
  compressing.middlewareStack.addRelativeTo((next) => (args) => {
    args.request.body = gzipSync(args.request.body);
    args.request.headers["content-encoding"] = "gzip";
    sent = args.request.body.length;
    return next(args);
  }, { relation: "after", toMiddleware: "serializerMiddleware", name: "gzip" });
  await compressing.send(new PutCommand({ TableName, Item: { id: "compressed", text: "x".repeat(300_000) } }));
  assert.ok(sent < 10_000, `${sent} bytes were sent`);
  const { Item } = await documents.send(new GetCommand({ TableName, Key: { id: "compressed" } }));
  assert.equal(Item.text.length, 300_000);
});

test("a client that takes compressed answers can read what comes", async () => {
  const answer = await fetch(process.env.AWS_ENDPOINT_URL_DYNAMODB, {
    method: "POST",
    headers: {
      "accept-encoding": "gzip, deflate, br",
      "content-type": "application/x-amz-json-1.0",
      "x-amz-target": "DynamoDB_20120810.GetItem",
      "x-amz-date": "20260314T150926Z",
      authorization: "AWS4-HMAC-SHA256 Credential=any/20260314/us-east-1/dynamodb/aws4_request, "
        + "SignedHeaders=host;x-amz-date, Signature=00",
    },
    body: JSON.stringify({ TableName, Key: { id: { S: ids[1] } } }),
  });
  assert.equal(answer.status, 200);
  const { Item } = await answer.json();
  assert.equal(Buffer.from(Item.bytes.B, "base64").length, BLOB_BYTES);
});

test("a connection is kept, also after an error and a large answer", async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let connections = 0;
  const connect = agent.createConnection;
  agent.createConnection = function (...options) {
    connections += 1;
    return connect.apply(this, options);
  };
  const kept = DynamoDBDocumentClient.from(new DynamoDBClient({ requestHandler: { httpAgent: agent } }));
  for (let round = 0; round < 10; round += 1) {
    await kept.send(new GetCommand({ TableName, Key: { id: ids[round] } }));
    await assert.rejects(kept.send(new GetCommand({ TableName, Key: {} })), { name: "ValidationException" });
    await kept.send(new PutCommand({ TableName, Item: { id: `kept-${round}`, bytes: new Uint8Array(50_000) } }));
  }
  kept.destroy();
  assert.equal(connections, 1);
});

test("many requests at once are all answered", async () => {
  const Items = await Promise.all(Array.from({ length: 200 }, async (_, number) => {
    const id = `at-once-${number}`;
    await documents.send(new PutCommand({ TableName, Item: { id, number } }));
    return (await documents.send(new GetCommand({ TableName, Key: { id }, ConsistentRead: true }))).Item;
  }));
  assert.deepEqual(Items.map((item) => item.number), Items.map((_, number) => number));
});
