"""Exports and imports as boto3 makes them: every answer fits the model, and a table comes back through files."""

import gzip
import json
import os
import time
import unittest
from pathlib import Path

import boto3
from botocore.exceptions import ClientError

TABLE = "boto3-exported"
BUCKET = "boto3-exports"
SECONDS_MAX = 30

PARAMETERS = {
    "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": [
        {"AttributeName": "id", "AttributeType": "S"},
        {"AttributeName": "group", "AttributeType": "N"},
    ],
    "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
    "GlobalSecondaryIndexes": [
        {
            "IndexName": "groups",
            "KeySchema": [{"AttributeName": "group", "KeyType": "HASH"}],
            "Projection": {"ProjectionType": "ALL"},
        }
    ],
}


def wait(describe):
    for _ in range(SECONDS_MAX * 10):
        found = describe()
        if found.get("ExportStatus", found.get("ImportStatus")) != "IN_PROGRESS":
            return found
        time.sleep(0.1)
    raise AssertionError("it does not come to an end")


class Exports(unittest.TestCase):
    def setUp(self):
        self.client = boto3.client("dynamodb")
        self.bucket = Path(os.environ["BUCKETS"]) / BUCKET

    def code_of(self, call, **request):
        with self.assertRaises(ClientError) as refused:
            call(**request)
        return refused.exception.response["Error"]["Code"]

    def imported(self, table, prefix, **options):
        begun = self.client.import_table(
            S3BucketSource={"S3Bucket": BUCKET, "S3KeyPrefix": prefix},
            TableCreationParameters={"TableName": table, **PARAMETERS},
            **options,
        )["ImportTableDescription"]
        return wait(
            lambda: self.client.describe_import(ImportArn=begun["ImportArn"])["ImportTableDescription"]
        )

    def test_a_table_comes_back_through_an_export(self):
        client = self.client
        arn = client.create_table(TableName=TABLE, **PARAMETERS)["TableDescription"]["TableArn"]
        items = [{"id": {"S": str(n)}, "group": {"N": str(n % 3)}, "b": {"B": bytes([n])}} for n in range(50)]
        for item in items:
            client.put_item(TableName=TABLE, Item=item)
        request = {"TableArn": arn, "S3Bucket": BUCKET, "S3Prefix": "from/boto3"}
        self.assertEqual(
            self.code_of(client.export_table_to_point_in_time, **request), "PointInTimeRecoveryUnavailableException"
        )
        client.update_continuous_backups(
            TableName=TABLE, PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True}
        )
        begun = client.export_table_to_point_in_time(**request)["ExportDescription"]
        done = wait(lambda: client.describe_export(ExportArn=begun["ExportArn"])["ExportDescription"])
        self.assertEqual((done["ExportStatus"], done["ItemCount"]), ("COMPLETED", 50))
        listed = client.list_exports(TableArn=arn)["ExportSummaries"]
        self.assertEqual([summary["ExportArn"] for summary in listed], [begun["ExportArn"]])

        folder = (self.bucket / done["ExportManifest"]).parent
        lines = [line for file in (folder / "data").iterdir() for line in gzip.open(file, "rt")]
        self.assertEqual({json.loads(line)["Item"]["id"]["S"] for line in lines}, {str(n) for n in range(50)})

        prefix = str((folder / "data").relative_to(self.bucket)) + "/"
        imported = self.imported(TABLE + "-copy", prefix, InputFormat="DYNAMODB_JSON", InputCompressionType="GZIP")
        self.assertEqual((imported["ImportStatus"], imported["ImportedItemCount"]), ("COMPLETED", 50))
        found = client.query(
            TableName=TABLE + "-copy",
            IndexName="groups",
            KeyConditionExpression="#g = :g",
            ExpressionAttributeNames={"#g": "group"},
            ExpressionAttributeValues={":g": {"N": "1"}},
        )
        self.assertEqual(found["Count"], 17)
        original = client.get_item(TableName=TABLE, Key={"id": {"S": "7"}})["Item"]
        self.assertEqual(client.get_item(TableName=TABLE + "-copy", Key={"id": {"S": "7"}})["Item"], original)

    def test_csv_is_imported_and_pages_of_imports_are_followed(self):
        (self.bucket / "csv").mkdir()
        (self.bucket / "csv" / "a.csv").write_text('id;group;note\n1;5;"a; b"\n2;x;wrong\n')
        options = {"InputFormat": "CSV", "InputFormatOptions": {"Csv": {"Delimiter": ";"}}}
        for turn in range(3):
            imported = self.imported(f"boto3-csv-{turn}", "csv/", **options)
            self.assertEqual((imported["ImportedItemCount"], imported["ErrorCount"]), (1, 1))
        first = self.client.list_imports(PageSize=1)
        rest = self.client.list_imports(PageSize=25, NextToken=first["NextToken"])
        arns = [summary["ImportArn"] for page in (first, rest) for summary in page["ImportSummaryList"]]
        self.assertGreaterEqual(len(set(arns)), 3)
        self.assertEqual(len(set(arns)), len(arns))
        found = self.client.get_item(TableName="boto3-csv-0", Key={"id": {"S": "1"}})["Item"]
        self.assertEqual(found, {"id": {"S": "1"}, "group": {"N": "5"}, "note": {"S": "a; b"}})


if __name__ == "__main__":
    unittest.main()
