import pytest


@pytest.fixture(scope="session")
def host():
    return "localhost"
