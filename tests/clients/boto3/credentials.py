"""boto3 against the server that asks for keys, in GUARDED_URL. More of this, as session tokens, stands in crates/cli/tests/boto3.rs."""

import os
import unittest

import boto3
from botocore.exceptions import ClientError

TABLE = "boto3-guarded"


def client(key, secret):
    return boto3.client(
        "dynamodb", endpoint_url=os.environ["GUARDED_URL"], aws_access_key_id=key, aws_secret_access_key=secret
    )


class Credentials(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.writer = client("AKIDWRITER", "writer/secret+")
        cls.reader = client("AKIDREADER", "reader/secret+")
        cls.writer.create_table(
            TableName=TABLE,
            BillingMode="PAY_PER_REQUEST",
            AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
            KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
        )
        cls.writer.get_waiter("table_exists").wait(TableName=TABLE, WaiterConfig={"Delay": 1})

    def refused(self, code, call, **arguments):
        with self.assertRaises(ClientError) as caught:
            call(**arguments)
        self.assertEqual(caught.exception.response["Error"]["Code"], code)

    def test_what_one_key_writes_the_other_reads(self):
        item = {"id": {"S": "Björk"}}
        self.writer.put_item(TableName=TABLE, Item=item)
        self.assertEqual(self.reader.get_item(TableName=TABLE, Key=item)["Item"], item)

    def test_a_wrong_secret_is_refused(self):
        self.refused("InvalidSignatureException", client("AKIDWRITER", "reader/secret+").list_tables)

    def test_an_unknown_key_is_refused(self):
        self.refused("UnrecognizedClientException", client("AKIDNOBODY", "writer/secret+").list_tables)

    def test_a_read_only_key_cannot_write(self):
        item = {"id": {"S": "no"}}
        self.refused("AccessDeniedException", self.reader.put_item, TableName=TABLE, Item=item)
        self.refused("AccessDeniedException", self.reader.delete_table, TableName=TABLE)
        insert = f"INSERT INTO \"{TABLE}\" VALUE {{'id': 'no'}}"
        self.refused("AccessDeniedException", self.reader.execute_statement, Statement=insert)
        self.assertNotIn("Item", self.writer.get_item(TableName=TABLE, Key=item))

    def test_a_read_only_key_executes_statements_that_read(self):
        select = f"SELECT * FROM \"{TABLE}\" WHERE id = 'no'"
        self.assertEqual(self.reader.execute_statement(Statement=select)["Items"], [])


if __name__ == "__main__":
    unittest.main()
