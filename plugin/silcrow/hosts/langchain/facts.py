"""What LangChain knows about one model call, in the words of a pass."""

from collections.abc import Mapping, Sequence
from typing import Any

from langchain.agents.middleware import ModelRequest
from langchain_core.messages import SystemMessage
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool

from silcrow.config.models import find_model
from silcrow.formats.native import list_of, mapping_of
from silcrow.hooks.facts import PassFacts, Purpose

HOST = "langchain"
MESSAGE_FORMAT = "anthropic"
"""The neutral form of every list, whatever the provider."""


class FactsReader:
    """Reads requests; remembers the tools it has converted, since that takes a while."""

    def __init__(self) -> None:
        self._converted: dict[tuple[object, ...], tuple[object, Mapping[str, Any]]] = {}

    def read(
        self,
        request: "ModelRequest[Any]",
        *,
        now: float,
        message_ids: Sequence[str | None] | None,
        parent: str | None = None,
    ) -> PassFacts:
        """The facts of one call. What the model object does not tell stays unknown."""
        params = model_params(request)
        provider = str(params.get("ls_provider") or "")
        model = str(params.get("ls_model_name") or _model_name(request.model))
        profile = mapping_of(getattr(request.model, "profile", None)) or {}
        lifetime = _asked_lifetime(request)
        return PassFacts(
            now=now,
            provider=provider,
            model=model,
            message_format=MESSAGE_FORMAT,
            purpose=Purpose.MAIN,  # an agent asks for titles and summaries outside of this call
            message_ids=message_ids,
            system=_system_blocks(request.system_message),
            tools=self._read_tools(request.tools),
            context_window=profile.get("max_input_tokens"),
            output_reserve=params.get("ls_max_tokens"),
            cache_ttl_seconds=find_model(provider, model).ttl_seconds(lifetime)
            if lifetime
            else None,
            # Gemini counts the calls of a group and signs the first; we cannot sign another one.
            can_remove_calls=not provider.startswith("google"),
            can_drop_bound_reasoning=provider == "anthropic",
            host=HOST,
            parent=parent,
        )

    def _read_tools(self, tools: Sequence[BaseTool | dict[str, Any]]) -> list[Mapping[str, Any]]:
        known, self._converted = self._converted, {}
        definitions: list[Mapping[str, Any]] = []
        for tool in tools:
            key = _tool_key(tool)
            # The tool itself is kept, too: an id is unique only as long as its object lives.
            entry = known.get(key) or (tool, _convert_tool(tool))
            self._converted[key] = entry
            definitions.append(entry[1])
        return definitions


def model_params(request: "ModelRequest[Any]") -> Mapping[str, Any]:
    """What the chat model says of itself for tracing: provider, name, size of an answer."""
    try:
        # LangChain's own word for these facts, for whoever writes a model; it has no public one.
        found: Any = request.model._get_ls_params(**request.model_settings)  # pyright: ignore[reportPrivateUsage]  # see above
    except Exception:  # the model's own code, or an object that only behaves like a model
        return {}
    return mapping_of(found) or {}


def _model_name(model: object) -> str:
    names = (getattr(model, name, None) for name in ("model_name", "model"))
    return next((name for name in names if isinstance(name, str)), "")


def _system_blocks(message: SystemMessage | None) -> list[Mapping[str, Any]]:
    content: Any = message.content if message else []
    blocks = [content] if isinstance(content, str) else list_of(content)
    return [mapping_of(block) or {"type": "text", "text": str(block)} for block in blocks]


def _asked_lifetime(request: "ModelRequest[Any]") -> str | None:
    """The lifetime of the cache that the request asks for, in the provider's own word."""
    settings = mapping_of(request.model_settings) or {}
    control = mapping_of(settings.get("cache_control")) or {}
    extra = mapping_of(getattr(request.model, "model_kwargs", None)) or {}
    name = "prompt_cache_retention"
    asked = (
        control.get("ttl"),
        settings.get(name),
        getattr(request.model, name, None),
        extra.get(name),
    )
    return next((word for word in asked if isinstance(word, str)), None)


def _tool_key(tool: BaseTool | dict[str, Any]) -> tuple[object, ...]:
    if isinstance(tool, dict):
        return (id(tool), repr(tool))
    return (id(tool), tool.name, tool.description, id(tool.args_schema))


def _convert_tool(tool: BaseTool | dict[str, Any]) -> Mapping[str, Any]:
    """The definition as most providers get it; a provider's own tool is a dict and stays one."""
    try:
        return convert_to_openai_tool(tool)
    except Exception:  # a provider's own tool, or one whose schema cannot be derived
        return tool if isinstance(tool, dict) else {"name": tool.name}
