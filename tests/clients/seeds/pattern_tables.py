"""The tables of a shipped design on a server that serves it: patterns by the command, documented requests by boto3."""

import json
import os
import subprocess
import time
import unittest
from pathlib import Path

import boto3
from boto3.dynamodb.conditions import Key

DESIGNS = Path(__file__).resolve().parents[3] / "designs"
SETTLED_SECONDS_MAX = 20


class SeedCase(unittest.TestCase):
    """Tests of one design, on a server of its own that keeps the design's derived fields."""

    design = ""

    @classmethod
    def setUpClass(cls):
        cls.file = str(DESIGNS / f"{cls.design}.toml")
        command = [os.environ["SINGLET"], "serve", cls.file, "--in-memory", "--address", "127.0.0.1:0"]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        cls.addClassCleanup(server.stdout.close)
        cls.addClassCleanup(server.wait)
        cls.addClassCleanup(server.terminate)
        first = server.stdout.readline()
        cls.endpoint = first.split()[-1]
        if not cls.endpoint.startswith("http://"):
            raise AssertionError(f"the server didn't start: {first}")
        cls.database = boto3.resource("dynamodb", endpoint_url=cls.endpoint)

    @classmethod
    def command(cls, *arguments, given=None):
        """What a command did on the server."""
        command = [os.environ["SINGLET"], *arguments, "--endpoint-url", cls.endpoint]
        return subprocess.run(command, input=given, capture_output=True, text=True, check=False)

    @classmethod
    def settled(cls):
        """Waits until the derived fields are what a recount says."""
        end = time.monotonic() + SETTLED_SECONDS_MAX
        while (audit := cls.command("audit", cls.file)).returncode != 0:
            if time.monotonic() > end:
                raise AssertionError(audit.stdout + audit.stderr)
            time.sleep(0.05)

    def run_pattern(self, pattern, **arguments):
        """The answer of a pattern; an error is the text that it prints."""
        done = self.command("run", self.file, pattern, "--input", "-", given=json.dumps(arguments))
        if done.returncode != 0:
            raise AssertionError(f"{pattern}: {done.stderr}")
        return json.loads(done.stdout)

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
