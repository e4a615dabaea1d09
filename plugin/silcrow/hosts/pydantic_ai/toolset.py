"""The model's own tools as a toolset: names, descriptions and schemas as everywhere else."""

from collections.abc import Awaitable, Callable, Collection, Mapping
from typing import Any

from pydantic_ai.tools import RunContext, Tool
from pydantic_ai.toolsets import FunctionToolset

from silcrow.tools.guidance import definitions

Answer = Callable[[RunContext[Any], str, Mapping[str, Any]], Awaitable[str]]
"""Answers a call of the tool with this name; must not raise."""

TOOLSET_ID = "silcrow"


def make_toolset(names: Collection[str], answer: Answer) -> FunctionToolset[Any]:
    """The tools of these names."""
    known = [tool for tool in definitions("anthropic") if tool["name"] in names]
    return FunctionToolset([_make_tool(tool, answer) for tool in known], id=TOOLSET_ID)


def _make_tool(definition: Mapping[str, Any], answer: Answer) -> Tool[Any]:
    name = definition["name"]

    async def call(ctx: RunContext[Any], /, **arguments: Any) -> str:
        return await answer(ctx, name, arguments)

    return Tool[Any].from_schema(
        call, name, definition["description"], definition["input_schema"], takes_ctx=True
    )
