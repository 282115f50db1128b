"""The tables of a shipped design on the server: patterns by the command, documented requests by boto3."""

import json
import os
import subprocess
import unittest
from pathlib import Path

import boto3
from boto3.dynamodb.conditions import Key

DESIGNS = Path(__file__).resolve().parents[3] / "designs"
ENDPOINT = os.environ["AWS_ENDPOINT_URL_DYNAMODB"]


def singlet(*arguments, given=None):
    """The output of a command; an error is the text that it prints."""
    command = [os.environ["SINGLET"], *arguments, "--endpoint-url", ENDPOINT]
    done = subprocess.run(command, input=given, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(arguments)}: {done.stderr}")
    return done.stdout


class SeedCase(unittest.TestCase):
    """Tests of one design. Its tables are made before the first and deleted after the last."""

    design = ""

    @classmethod
    def setUpClass(cls):
        cls.file = str(DESIGNS / f"{cls.design}.toml")
        singlet("apply", cls.file, "--yes")
        cls.addClassCleanup(singlet, "apply", cls.file, "--remove", "--yes")
        cls.database = boto3.resource("dynamodb")

    def run_pattern(self, pattern, **arguments):
        """The answer of a pattern."""
        return json.loads(singlet("run", self.file, pattern, "--input", "-", given=json.dumps(arguments)))

    def listed(self, pattern, field, **arguments):
        """One field of all items on the first page of a list."""
        return [item[field] for item in self.run_pattern(pattern, **arguments)["items"]]

    def get(self, table, **key):
        """GetItem with exactly this key; `None` if there is no item."""
        return self.database.Table(table).get_item(Key=key).get("Item")

    def put(self, table, *items, **options):
        """PutItem of each item, word for word."""
        for item in items:
            self.database.Table(table).put_item(Item=item, **options)

    def query(self, table, partition, sort=None, index=None, newest=False, limit=None):
        """Query as the documents write it: `partition` and `sort` are (attribute, value); a sort value that is a tuple
        `("begins_with", prefix)` is a prefix."""
        condition = Key(partition[0]).eq(partition[1])
        if sort is not None:
            name, value = sort
            part = Key(name).begins_with(value[1]) if isinstance(value, tuple) else Key(name).eq(value)
            condition = condition & part
        options = {"KeyConditionExpression": condition, "ScanIndexForward": not newest}
        if index is not None:
            options["IndexName"] = index
        if limit is not None:
            options["Limit"] = limit
        return self.database.Table(table).query(**options)["Items"]
