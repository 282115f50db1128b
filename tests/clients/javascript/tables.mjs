// Tables for the tests. Clients find the server through AWS_ENDPOINT_URL_DYNAMODB.
import { CreateTableCommand, waitUntilTableExists } from "@aws-sdk/client-dynamodb";

/** Makes a table with the key `id` and waits for it. */
export async function createSimpleTable(client, TableName) {
  await createTable(client, {
    TableName,
    AttributeDefinitions: [{ AttributeName: "id", AttributeType: "S" }],
    KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
  });
}

/** Makes a table without a fixed capacity and waits for it. */
export async function createTable(client, table) {
  await client.send(new CreateTableCommand({ BillingMode: "PAY_PER_REQUEST", ...table }));
  await waitUntilTableExists({ client, maxWaitTime: 20, minDelay: 1 }, { TableName: table.TableName });
}
