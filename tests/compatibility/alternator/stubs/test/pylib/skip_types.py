import pytest


def skip_env(reason):
    pytest.skip(reason)


def skip_bug(*arguments, **named):
    pass
