"""A reader of a stream as AWS asks for one: it follows shards from parents to children while four write."""

import threading
import time
import unittest

import boto3
from botocore.exceptions import ClientError

TABLE = "boto3-watched"
WRITERS = 4
WRITES = 250
ITEMS = 20
# The server closes a shard after two seconds: some of them are while the writers write.
SECONDS_MIN = 7


class Follower:
    """Reads every shard from its oldest record, and a child only after its parent."""

    def __init__(self, streams, arn):
        self.streams, self.arn = streams, arn
        self.iterators, self.done, self.records = {}, set(), []

    def shards(self):
        shards, start = [], {}
        while True:
            page = self.streams.describe_stream(StreamArn=self.arn, Limit=5, **start)["StreamDescription"]
            shards += page["Shards"]
            if "LastEvaluatedShardId" not in page:
                return shards
            start = {"ExclusiveStartShardId": page["LastEvaluatedShardId"]}

    def read_on(self):
        """Reads what is there; says whether there was anything."""
        shards = self.shards()
        known = {shard["ShardId"] for shard in shards}
        found = False
        for shard in shards:
            name, parent = shard["ShardId"], shard.get("ParentShardId")
            if name in self.done or name in self.iterators or (parent in known and parent not in self.done):
                continue
            answer = self.streams.get_shard_iterator(
                StreamArn=self.arn, ShardId=name, ShardIteratorType="TRIM_HORIZON"
            )
            self.iterators[name] = answer["ShardIterator"]
            found = True
        for name, iterator in list(self.iterators.items()):
            answer = self.streams.get_records(ShardIterator=iterator, Limit=100)
            self.records += answer["Records"]
            if "NextShardIterator" in answer:
                self.iterators[name] = answer["NextShardIterator"]
                found = found or bool(answer["Records"])
            else:
                del self.iterators[name]
                self.done.add(name)
                found = True
        return found


class Streams(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.client = boto3.client("dynamodb")
        cls.streams = boto3.client("dynamodbstreams")
        cls.client.create_table(
            TableName=TABLE,
            BillingMode="PAY_PER_REQUEST",
            AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
            KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
            StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
        )
        cls.client.get_waiter("table_exists").wait(TableName=TABLE)
        cls.arn = cls.client.describe_table(TableName=TABLE)["Table"]["LatestStreamArn"]

    def write(self, writer, begun):
        client = boto3.session.Session().client("dynamodb")
        for number in range(WRITES):
            client.update_item(
                TableName=TABLE,
                Key={"id": {"S": f"item {(number * 7 + writer) % ITEMS}"}},
                UpdateExpression="ADD n :one",
                ExpressionAttributeValues={":one": {"N": "1"}},
            )
            rest = SECONDS_MIN * (number + 1) / WRITES - (time.monotonic() - begun)
            if rest > 0:
                time.sleep(rest)

    def test_a_follower_sees_each_change_once_and_in_order_while_four_write(self):
        begun = time.monotonic()
        writers = [threading.Thread(target=self.write, args=(writer, begun)) for writer in range(WRITERS)]
        for writer in writers:
            writer.start()
        follower = Follower(self.streams, self.arn)
        while any(writer.is_alive() for writer in writers):
            follower.read_on()
        while follower.read_on():
            pass

        self.assertEqual(len(follower.records), WRITERS * WRITES)
        self.assertEqual(len({record["eventID"] for record in follower.records}), WRITERS * WRITES)
        self.assertGreater(len(follower.done), 8, "shards were rolled over while it read")
        last = {}
        for record in follower.records:
            change = record["dynamodb"]
            name = change["Keys"]["id"]["S"]
            before = last.get(name)
            self.assertEqual(record["eventName"], "MODIFY" if before else "INSERT")
            self.assertEqual(change.get("OldImage", {}).get("n", {}).get("N"), before)
            last[name] = change["NewImage"]["n"]["N"]
            self.assertEqual(int(last[name]), int(before or 0) + 1)
        self.assertEqual(sum(map(int, last.values())), WRITERS * WRITES)

    def test_the_stream_is_listed_and_described(self):
        (stream,) = self.streams.list_streams(TableName=TABLE)["Streams"]
        self.assertEqual(stream["StreamArn"], self.arn)
        described = self.streams.describe_stream(StreamArn=self.arn)["StreamDescription"]
        self.assertEqual((described["StreamStatus"], described["TableName"]), ("ENABLED", TABLE))
        self.assertTrue(self.arn.endswith("/stream/" + described["StreamLabel"]))

    def test_errors_are_those_of_the_streams_service(self):
        with self.assertRaises(self.streams.exceptions.ResourceNotFoundException):
            self.streams.describe_stream(StreamArn=self.arn.replace(TABLE, "nobody"))
        with self.assertRaises(ClientError) as caught:
            self.streams.get_records(ShardIterator="nonsense")
        self.assertEqual(caught.exception.response["Error"]["Code"], "ValidationException")
