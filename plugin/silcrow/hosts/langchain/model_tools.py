"""The model's own tools as LangChain tools, each call bound to the session it comes from."""

from collections.abc import Callable, Mapping
from typing import Any

from langchain.tools import ToolRuntime
from langchain_core.tools import BaseTool, StructuredTool

from silcrow.config.settings import Settings
from silcrow.hosts.langchain.opening import LazyPlugin
from silcrow.tools.ctx_expand import NAME as CTX_EXPAND
from silcrow.tools.ctx_reduce import NAME as CTX_REDUCE
from silcrow.tools.guidance import definitions

FindSession = Callable[[Any, Mapping[str, Any]], str]
"""From a runtime and the agent's state to the session's name."""


def make_tools(settings: Settings, plugin: LazyPlugin, find_session: FindSession) -> list[BaseTool]:
    """The tools that the settings leave something to do; what is dropped can always be read."""
    return [
        _make_tool(definition, plugin, find_session)
        for definition in definitions("anthropic")
        if _is_useful(str(definition["name"]), settings)
    ]


def _is_useful(name: str, settings: Settings) -> bool:
    if name == CTX_EXPAND:
        return True
    return settings.enabled and (name != CTX_REDUCE or settings.ctx_reduce.enabled)


def _make_tool(
    definition: Mapping[str, Any], plugin: LazyPlugin, find_session: FindSession
) -> BaseTool:
    name = definition["name"]

    # LangChain injects the argument of this name and type, and the schema does not show it.
    def answer(runtime: ToolRuntime[Any, Any], **arguments: Any) -> str:
        try:
            session = find_session(runtime, runtime.state)
            call_id = runtime.tool_call_id
            return plugin.get().call_tool(session, name, arguments, call_id=call_id)
        except Exception as error:  # an outer wrapper: the model gets a sentence
            return f"{name} could not be answered: {error}"

    async def answer_awaited(runtime: ToolRuntime[Any, Any], **arguments: Any) -> str:
        try:
            session = find_session(runtime, runtime.state)
            call_id = runtime.tool_call_id
            found = await plugin.get_for_loop()
            return await found.call_tool(session, name, arguments, call_id=call_id)
        except Exception as error:  # an outer wrapper: the model gets a sentence
            return f"{name} could not be answered: {error}"

    return StructuredTool(
        name=name,
        description=definition["description"],
        args_schema=dict(definition["input_schema"]),
        func=answer,
        coroutine=answer_awaited,
    )
