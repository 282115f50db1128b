"""Leaves out the cases that a JSON Schema can't exclude: numbers that the database can't hold."""

import schemathesis

LEAST, GREATEST = 1e-130, 9.9e125
DIGITS = 38


def is_storable(value):
    """Whether every number in the value has at most 38 digits and an exponent from -130 to 125."""
    if isinstance(value, dict):
        return all(is_storable(one) for one in value.values())
    if isinstance(value, list):
        return all(is_storable(one) for one in value)
    if isinstance(value, float):
        return value == 0 or LEAST <= abs(value) <= GREATEST
    return not isinstance(value, int) or abs(value) < 10**DIGITS


@schemathesis.hook
def filter_body(context, body):
    return is_storable(body)


@schemathesis.hook
def filter_query(context, query):
    return is_storable(query)
