"""The part of ScyllaDB's root conftest that the Alternator tests use, for a server that isn't ScyllaDB."""

import pytest

from test.alternator import util

# The tests branch on it: ScyllaDB's own behaviour, or DynamoDB's. We are measured by DynamoDB's.
util.is_aws = lambda dynamodb: True


def dynamic_scope():
    return "session"


def pytest_configure(config):
    for marker in ("skip_bug", "skip_env"):
        config.addinivalue_line("markers", f"{marker}: left out on ScyllaDB")


def pytest_collection_modifyitems(items):
    for item in items:
        # `skip_env` means that an option of the run is missing; `skip_bug` a fault of ScyllaDB.
        for mark in item.iter_markers("skip_env"):
            item.add_marker(pytest.mark.skip(reason=str(mark.kwargs.get("reason") or mark.args)))
        # Faults of ScyllaDB are expected there, not here.
        item.own_markers = [mark for mark in item.own_markers if mark.name != "xfail"]
