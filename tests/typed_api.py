"""How hosts use Silcrow. Never run: mypy and pyright check that such code type-checks."""

from collections.abc import Mapping
from typing import Any

from silcrow.commands.names import COMMANDS
from silcrow.config.settings import Settings
from silcrow.hooks.facts import PassFacts, Purpose, Usage
from silcrow.session import ContextPlugin, SyncContextPlugin
from silcrow.tools.guidance import definitions


async def one_request(
    settings: Settings, messages: list[dict[str, Any]], now: float
) -> list[Mapping[str, Any]]:
    async with ContextPlugin.open(settings) as plugin:
        facts = PassFacts(
            now=now,
            provider="anthropic",
            model="claude-opus-4-6",
            message_format="anthropic",
            purpose=Purpose.MAIN,
            message_ids=["m1", None],
            system="You are an agent.",
            tools=definitions("anthropic"),
            context_window=200_000,
            output_reserve=16_000,
            cache_ttl_seconds=300.0,
            count_tokens=len,
        )
        result = await plugin.before_model_call("session", messages, facts)
        refusal: str | None = await plugin.check_tool_call("session", "Write", {"content": "x"})
        usage = Usage(input=1, cache_read=2, cache_write=3, output=4)
        await plugin.after_model_call("session", usage=usage, error=refusal, at=now)
        reply: str = await plugin.call_tool(
            "session", "ctx_reduce", {"drop": "3-5"}, caller="model", call_id=None
        )
        status: str = await plugin.run_command("session", "ctx-status", "")
        menu: list[tuple[str, str, str]] = [
            (command.name, command.description, command.argument) for command in COMMANDS.values()
        ]
        options: Mapping[str, Any] = result.request_options
        scope: int | None = result.permit.scope
        print(reply, status, menu, options, scope, result.system_append, result.report.pass_number)
        return result.messages


def one_request_without_a_loop(
    settings: Settings, messages: list[dict[str, Any]], facts: PassFacts
) -> list[Mapping[str, Any]]:
    with SyncContextPlugin.open(settings) as plugin:
        result = plugin.before_model_call("session", messages, facts)
        refusal: str | None = plugin.check_tool_call("session", "Write", {"content": "x"})
        plugin.after_model_call("session", usage=Usage(input=1), error=refusal, at=facts.now)
        reply: str = plugin.call_tool("session", "ctx_reduce", {"drop": "3-5"}, call_id="c1")
        status: str = plugin.run_command("session", "ctx-status", "", now=facts.now)
        queued: list[int] = [op.number for op in plugin.pending_ops("session")]
        original = plugin.read_original("session", 1)
        awaited: ContextPlugin = plugin.for_loops
        print(reply, status, queued, original, awaited, plugin.problem, plugin.is_usable)
        return result.messages
