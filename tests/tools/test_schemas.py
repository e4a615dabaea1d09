"""Facts found by fuzzing each tool with its own schema: handler and schema agree."""

from collections.abc import Callable, Mapping
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DataObject, SearchStrategy
from pydantic import BaseModel

from silcrow.hooks.tags import PartKey, Tag, TagKind
from silcrow.tools.ctx_expand import CtxExpandArguments, Refusal, plan_expand
from silcrow.tools.ctx_reduce import HOW_TO_CALL as HOW_TO_REDUCE
from silcrow.tools.ctx_reduce import CtxReduceArguments, answer_reduce
from silcrow.tools.ctx_restore import HOW_TO_CALL as HOW_TO_RESTORE
from silcrow.tools.ctx_restore import CtxRestoreArguments, answer_restore
from silcrow.tools.desk import Desk
from silcrow.tools.schema import derive_schema

TAGS = {
    number: Tag(
        number=number,
        key=PartKey("message", f"m{number}", "", 0),
        kind=TagKind.MESSAGE,
        message_ordinal=number,
        first_pass=1,
        is_marked=True,
    )
    for number in range(1, 30)
}
DESK = Desk(tags=TAGS, pending={3}, holds=lambda number: None, waits_for="lands", highest=29)
TEXTS = st.text() | st.text(alphabet="0123456789-,§ ", max_size=12)
# JSON Schema counts 12.0 among the integers.
INTEGERS = st.integers() | st.integers(-2, 40) | st.integers(-2, 40).map(float)
VALUES: Mapping[str, SearchStrategy[object]] = {"string": TEXTS, "integer": INTEGERS}


def values_of(schema: Mapping[str, object]) -> SearchStrategy[object]:
    choices = cast("list[dict[str, str]]", schema.get("anyOf") or [schema])
    return st.one_of(*(VALUES[choice["type"]] for choice in choices))


def arguments_of(model: type[BaseModel]) -> SearchStrategy[dict[str, object]]:
    schema = derive_schema(model)
    assert schema["additionalProperties"] is False
    properties = cast("dict[str, dict[str, object]]", schema["properties"])
    required = cast("list[str]", schema["required"])
    return st.fixed_dictionaries(
        {name: values_of(properties[name]) for name in required},
        optional={
            name: values_of(found) for name, found in properties.items() if name not in required
        },
    )


@given(arguments_of(CtxReduceArguments))
def test_ctx_reduce_answers_whatever_its_schema_allows(arguments: Mapping[str, object]) -> None:
    answer = answer_reduce(arguments, DESK)
    assert answer.text and answer.text != HOW_TO_REDUCE
    assert set(answer.to_queue) <= set(TAGS) - {3}


@given(arguments_of(CtxExpandArguments))
def test_ctx_expand_answers_whatever_its_schema_allows(arguments: Mapping[str, object]) -> None:
    plan = plan_expand(arguments, TAGS)
    assert not isinstance(plan, Refusal) or "ctx_expand takes tag" not in plan.text


@given(arguments_of(CtxRestoreArguments))
def test_ctx_restore_answers_whatever_its_schema_allows(arguments: Mapping[str, object]) -> None:
    answer = answer_restore(arguments, DESK)
    assert answer.text and answer.text != HOW_TO_RESTORE


def reduce(arguments: Mapping[str, object]) -> str:
    return answer_reduce(arguments, DESK).text


def restore(arguments: Mapping[str, object]) -> str:
    return answer_restore(arguments, DESK).text


def expand(arguments: Mapping[str, object]) -> str:
    return str(plan_expand(arguments, TAGS))


@pytest.mark.parametrize("answer", [reduce, restore, expand])
@given(data=st.data())
def test_no_json_object_makes_a_tool_raise(
    answer: Callable[[Mapping[str, object]], str], data: DataObject
) -> None:
    names = st.sampled_from(["drop", "tag", "start", "end", "offset", "x"])
    leaves = st.none() | st.booleans() | st.integers() | st.floats() | TEXTS
    values = st.recursive(leaves, lambda inner: st.lists(inner, max_size=3), max_leaves=5)
    assert answer(data.draw(st.dictionaries(names, values, max_size=4)))
