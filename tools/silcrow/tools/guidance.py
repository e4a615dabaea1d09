"""What a host tells the model about the tools: definitions, and a few lines of system prompt."""

from collections.abc import Callable, Mapping

from pydantic import BaseModel

from silcrow.tools import ctx_expand, ctx_reduce, ctx_restore
from silcrow.tools.schema import derive_schema

TOOL_NAMES = (ctx_reduce.NAME, ctx_expand.NAME, ctx_restore.NAME)

GUIDANCE = """\
Parts of this conversation bear numbers such as §12§, put there for you; do not write them yourself.
When the next steps no longer need a part on the desk, mark it in passing with \
ctx_reduce(drop="3-5, 12"). It stays visible until the prompt cache is rebuilt anyway; nothing is \
urgent and nothing is lost.
[dropped §12§] stands where a part was: ctx_expand(tag=12) shows its original, ctx_restore(tag=12) \
asks for its return. Never pass such a placeholder to a tool as an argument."""
"""The addition to the system prompt: at most 600 characters, and the same bytes for ever."""

_TOOLS: tuple[tuple[str, str, type[BaseModel]], ...] = (
    (ctx_reduce.NAME, ctx_reduce.DESCRIPTION, ctx_reduce.CtxReduceArguments),
    (ctx_expand.NAME, ctx_expand.DESCRIPTION, ctx_expand.CtxExpandArguments),
    (ctx_restore.NAME, ctx_restore.DESCRIPTION, ctx_restore.CtxRestoreArguments),
)


def definitions(message_format: str) -> list[dict[str, object]]:
    """The tool definitions in the form of a message format, as entries of a request's `tools`.

    Same format, same bytes. Raises KeyError for a format without a form, which no host has.
    """
    write = _FORMS[message_format]
    written = [
        write(name, description, derive_schema(model)) for name, description, model in _TOOLS
    ]
    return [{"functionDeclarations": written}] if message_format == "gemini" else written


def _write_anthropic(name: str, description: str, schema: dict[str, object]) -> dict[str, object]:
    return {"name": name, "description": description, "input_schema": schema}


def _write_openai_chat(name: str, description: str, schema: dict[str, object]) -> dict[str, object]:
    function = {"name": name, "description": description, "parameters": schema}
    return {"type": "function", "function": function}


def _write_openai_responses(
    name: str, description: str, schema: dict[str, object]
) -> dict[str, object]:
    return {"type": "function", "name": name, "description": description, "parameters": schema}


def _write_gemini(name: str, description: str, schema: dict[str, object]) -> dict[str, object]:
    """`parameters` is a subset of OpenAPI's schema, which does not know `additionalProperties`."""
    known = {key: value for key, value in schema.items() if key != "additionalProperties"}
    return {"name": name, "description": description, "parameters": known}


_FORMS: Mapping[str, Callable[[str, str, dict[str, object]], dict[str, object]]] = {
    "anthropic": _write_anthropic,
    "openai_chat": _write_openai_chat,
    "openai_responses": _write_openai_responses,
    "gemini": _write_gemini,
}
