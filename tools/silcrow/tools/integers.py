"""Whole numbers as JSON Schema understands them."""

from typing import Annotated

from pydantic import BeforeValidator


def _refuse_truth_value(value: object) -> object:
    if isinstance(value, bool):
        raise ValueError("a truth value is no number")
    return value


WholeNumber = Annotated[int, BeforeValidator(_refuse_truth_value)]
"""Takes 12, 12.0 and "12" as the schema's `integer`, and not `true`, which pydantic takes for 1."""
