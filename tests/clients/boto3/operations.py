"""What an application does with boto3, against the server in AWS_ENDPOINT_URL_DYNAMODB."""

import unittest
from decimal import Decimal

import boto3
from boto3.dynamodb.conditions import Attr, Key
from botocore.exceptions import ClientError

TABLE = "boto3-orders"
ORDERS = 30


def order(number):
    # Two days for all of them: most index keys are equal, which is where paging goes wrong.
    return {"customer": f"C{number % 3}", "number": number, "status": "open", "day": f"2026-03-1{number % 2}"}


class Operations(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.client = boto3.client("dynamodb")
        cls.table = boto3.resource("dynamodb").create_table(
            TableName=TABLE,
            BillingMode="PAY_PER_REQUEST",
            AttributeDefinitions=[
                {"AttributeName": "customer", "AttributeType": "S"},
                {"AttributeName": "number", "AttributeType": "N"},
                {"AttributeName": "status", "AttributeType": "S"},
                {"AttributeName": "day", "AttributeType": "S"},
            ],
            KeySchema=[
                {"AttributeName": "customer", "KeyType": "HASH"},
                {"AttributeName": "number", "KeyType": "RANGE"},
            ],
            GlobalSecondaryIndexes=[
                {
                    "IndexName": "by_status",
                    "KeySchema": [
                        {"AttributeName": "status", "KeyType": "HASH"},
                        {"AttributeName": "day", "KeyType": "RANGE"},
                    ],
                    "Projection": {"ProjectionType": "ALL"},
                }
            ],
        )
        cls.table.wait_until_exists()
        with cls.table.batch_writer() as batch:
            for number in range(ORDERS):
                batch.put_item(Item=order(number))

    def refused(self, code, call, **arguments):
        with self.assertRaises(ClientError) as caught:
            call(**arguments)
        self.assertEqual(caught.exception.response["Error"]["Code"], code)
        self.assertEqual(caught.exception.response["ResponseMetadata"]["HTTPStatusCode"], 400)
        return caught.exception.response

    def test_the_table_and_its_index_are_described(self):
        table = self.client.describe_table(TableName=TABLE)["Table"]
        self.assertEqual(table["TableStatus"], "ACTIVE")
        self.assertEqual(table["BillingModeSummary"]["BillingMode"], "PAY_PER_REQUEST")
        self.assertRegex(table["TableArn"], f"^arn:aws:dynamodb:us-east-1:[0-9]+:table/{TABLE}$")
        (index,) = table["GlobalSecondaryIndexes"]
        self.assertEqual((index["IndexName"], index["IndexStatus"]), ("by_status", "ACTIVE"))

    def test_every_type_comes_back_as_it_was_written(self):
        item = {
            "customer": "types",
            "number": Decimal("-12345678901234567890.123456789012345678"),
            "text": "Thịt gà 🍗 \u0000 \"\\/",
            "empty": "",
            "bytes": boto3.dynamodb.types.Binary(bytes(range(256))),
            "yes": True,
            "none": None,
            "words": {"a", "ß"},
            # Longer ones than 38 digits, zeros included, boto3 can't read (its issue 2500).
            "numbers": {Decimal(1), Decimal("1E-130"), Decimal("9.9E+37")},
            "list": [1, ["deep", {"er": []}]],
            "map": {},
        }
        self.table.put_item(Item=item)
        key = {"customer": item["customer"], "number": item["number"]}
        self.assertEqual(self.table.get_item(Key=key, ConsistentRead=True)["Item"], item)
        self.table.delete_item(Key=key)
        self.assertNotIn("Item", self.table.get_item(Key=key))

    def test_an_update_returns_what_it_changed(self):
        key = {"customer": "update", "number": 1}
        self.table.put_item(Item=key | {"total": 5, "note": "x"})
        answer = self.table.update_item(
            Key=key,
            UpdateExpression="ADD #total :more REMOVE note SET tags = list_append(if_not_exists(tags, :none), :tags)",
            ExpressionAttributeNames={"#total": "total"},
            ExpressionAttributeValues={":more": Decimal("0.5"), ":none": [], ":tags": ["new"]},
            ReturnValues="UPDATED_NEW",
            ReturnConsumedCapacity="TOTAL",
        )
        self.assertEqual(answer["Attributes"], {"total": Decimal("5.5"), "tags": ["new"]})
        self.assertEqual(answer["ConsumedCapacity"], {"TableName": TABLE, "CapacityUnits": 1.0})
        self.table.delete_item(Key=key)

    def test_an_index_with_equal_keys_pages_without_loss_or_repeat(self):
        numbers, days, pages, start = [], [], 0, {}
        while True:
            page = self.table.query(
                IndexName="by_status", KeyConditionExpression=Key("status").eq("open"), Limit=7, **start
            )
            numbers += [int(item["number"]) for item in page["Items"]]
            days += [item["day"] for item in page["Items"]]
            pages += 1
            if "LastEvaluatedKey" not in page:
                break
            self.assertEqual(set(page["LastEvaluatedKey"]), {"customer", "number", "status", "day"})
            start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}
        self.assertEqual(sorted(numbers), list(range(ORDERS)))
        self.assertEqual(days, sorted(days))
        self.assertEqual(pages, 5)

    def test_the_paginator_walks_a_partition_backwards(self):
        pages = self.client.get_paginator("query").paginate(
            TableName=TABLE,
            KeyConditionExpression="customer = :c AND #n BETWEEN :low AND :high",
            ExpressionAttributeNames={"#n": "number"},
            ExpressionAttributeValues={":c": {"S": "C1"}, ":low": {"N": "4"}, ":high": {"N": "22.0"}},
            ScanIndexForward=False,
            PaginationConfig={"PageSize": 2},
        )
        self.assertEqual([int(i["number"]["N"]) for page in pages for i in page["Items"]], [22, 19, 16, 13, 10, 7, 4])

    def test_a_filter_counts_what_it_read(self):
        page = self.table.query(
            KeyConditionExpression=Key("customer").eq("C0"),
            FilterExpression=Attr("day").eq("2026-03-11") & Attr("missing").not_exists(),
            ProjectionExpression="#n",
            ExpressionAttributeNames={"#n": "number"},
        )
        self.assertEqual(page["Items"], [{"number": n} for n in (3, 9, 15, 21, 27)])
        self.assertEqual((page["Count"], page["ScannedCount"]), (5, 10))

    def test_a_transaction_is_done_as_a_whole(self):
        keys = [{"customer": {"S": "transaction"}, "number": {"N": str(n)}} for n in (1, 2)]
        request = {
            "ClientRequestToken": "boto3-transaction",
            "TransactItems": [
                {"Put": {"TableName": TABLE, "Item": keys[0]}},
                {
                    "Update": {
                        "TableName": TABLE,
                        "Key": keys[1],
                        "UpdateExpression": "ADD visits :one",
                        "ExpressionAttributeValues": {":one": {"N": "1"}},
                    }
                },
            ],
        }
        self.client.transact_write_items(**request)
        # The same token again: done once.
        self.client.transact_write_items(**request)
        read = self.client.transact_get_items(TransactItems=[{"Get": {"TableName": TABLE, "Key": key}} for key in keys])
        self.assertEqual([r["Item"] for r in read["Responses"]], [keys[0], keys[1] | {"visits": {"N": "1"}}])
        for key in keys:
            self.client.delete_item(TableName=TABLE, Key=key)
        request["TransactItems"].pop()
        self.refused("IdempotentParameterMismatchException", self.client.transact_write_items, **request)

    def test_statements_read_and_write_items(self):
        def run(statement, *parameters):
            options = {"Parameters": list(parameters)} if parameters else {}
            return self.client.execute_statement(Statement=statement, **options)["Items"]

        insert = f"INSERT INTO \"{TABLE}\" VALUE {{'customer': 'statement', 'number': 1, 'total': ?}}"
        self.assertEqual(run(insert, {"N": "5"}), [])
        self.refused(
            "DuplicateItemException", self.client.execute_statement, Statement=insert, Parameters=[{"N": "5"}]
        )
        where = "WHERE customer = 'statement' AND number = 1"
        self.assertEqual(
            run(f'UPDATE "{TABLE}" SET total = total + 1 {where} RETURNING MODIFIED NEW *'), [{"total": {"N": "6"}}]
        )
        self.assertEqual(run(f'SELECT total FROM "{TABLE}" {where} AND total > ?', {"N": "5"}), [{"total": {"N": "6"}}])
        self.assertEqual(run(f'DELETE FROM "{TABLE}" {where}'), [])

    def test_pages_of_a_statement_follow_its_token(self):
        statement = f"SELECT number FROM \"{TABLE}\" WHERE customer IN ['C1', 'C2'] ORDER BY customer, number DESC"
        numbers, request = [], {"Statement": statement, "Limit": 3}
        while True:
            page = self.client.execute_statement(**request)
            numbers += [int(item["number"]["N"]) for item in page["Items"]]
            if "NextToken" not in page:
                break
            request["NextToken"] = page["NextToken"]
        self.assertEqual(numbers, [n for rest in (1, 2) for n in reversed(range(ORDERS)) if n % 3 == rest])

    def test_a_failed_condition_shows_the_item(self):
        error = self.refused(
            "ConditionalCheckFailedException",
            self.table.put_item,
            Item=order(0),
            ConditionExpression=Attr("customer").not_exists(),
            ReturnValuesOnConditionCheckFailure="ALL_OLD",
        )
        self.assertEqual(error["Error"]["Message"], "The conditional request failed")
        self.assertEqual(error["Item"]["day"], {"S": "2026-03-10"})

    def test_a_cancelled_transaction_gives_its_reasons_in_order(self):
        with self.assertRaises(self.client.exceptions.TransactionCanceledException) as caught:
            self.client.transact_write_items(
                TransactItems=[
                    {"Put": {"TableName": TABLE, "Item": {"customer": {"S": "cancelled"}, "number": {"N": "1"}}}},
                    {
                        "ConditionCheck": {
                            "TableName": TABLE,
                            "Key": {"customer": {"S": "C1"}, "number": {"N": "1"}},
                            "ConditionExpression": "#s = :closed",
                            "ExpressionAttributeNames": {"#s": "status"},
                            "ExpressionAttributeValues": {":closed": {"S": "closed"}},
                            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
                        }
                    },
                ]
            )
        error = caught.exception.response
        self.assertIn("[None, ConditionalCheckFailed]", error["Error"]["Message"])
        fine, failed = error["CancellationReasons"]
        self.assertEqual(fine["Code"], "None")
        self.assertEqual(failed["Code"], "ConditionalCheckFailed")
        self.assertEqual(failed["Message"], "The conditional request failed")
        self.assertEqual(failed["Item"]["number"], {"N": "1"})
        self.assertNotIn("Item", self.table.get_item(Key={"customer": "cancelled", "number": 1}))

    def test_an_invalid_request_says_what_is_wrong(self):
        error = self.refused("ValidationException", self.table.get_item, Key={"customer": "C0"})
        self.assertEqual(error["Error"]["Message"], "The provided key element does not match the schema")
        error = self.refused(
            "ValidationException",
            self.table.update_item,
            Key={"customer": "C0", "number": 0},
            UpdateExpression="SET status = :s",
            ExpressionAttributeValues={":s": "closed"},
        )
        self.assertIn("reserved keyword: status", error["Error"]["Message"])

    def test_a_missing_table_is_named_as_such(self):
        key = {"customer": {"S": "C0"}, "number": {"N": "0"}}
        with self.assertRaises(self.client.exceptions.ResourceNotFoundException) as caught:
            self.client.get_item(TableName="boto3-nowhere", Key=key)
        self.assertEqual(caught.exception.response["Error"]["Message"], "Requested resource not found")
        with self.assertRaises(self.client.exceptions.ResourceInUseException):
            self.client.create_table(
                TableName=TABLE,
                BillingMode="PAY_PER_REQUEST",
                AttributeDefinitions=[{"AttributeName": "customer", "AttributeType": "S"}],
                KeySchema=[{"AttributeName": "customer", "KeyType": "HASH"}],
            )


if __name__ == "__main__":
    unittest.main()
