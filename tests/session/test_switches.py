"""`enabled` and `ctx_reduce.enabled`: what is decided stays decided, and nothing new happens."""

import re
from pathlib import Path
from typing import Any

from silcrow.config.settings import CtxReduce, Settings, Storage
from silcrow.hooks.facts import PassFacts, Purpose
from silcrow.session import ContextPlugin
from silcrow.tools.guidance import definitions
from support.native_messages import answers, asks, call, result, user, words


def facts(now: float, **given: Any) -> PassFacts:
    known: dict[str, Any] = {
        "provider": "anthropic",
        "model": "claude-sonnet-4-5",
        "message_format": "anthropic",
        "tools": definitions("anthropic"),
    }
    return PassFacts(now=now, **(known | given))


def settings(folder: Path, **given: Any) -> Settings:
    return Settings(storage=Storage(path=folder / "context.db"), **given)


def long_list(steps: int = 40) -> list[dict[str, Any]]:
    natives: list[dict[str, Any]] = [user("Begin.")]
    for index in range(steps):
        natives.append(asks(call(f"c{index}", "Bash", command="ls")))
        natives.append(answers(result(f"c{index}", words(200, f"c{index}"))))
    return natives


async def test_switched_off_known_decisions_are_replayed_and_nothing_is_added(
    tmp_path: Path,
) -> None:
    natives = long_list()
    async with ContextPlugin.open(settings(tmp_path)) as plugin:
        before = await plugin.before_model_call("s", natives, facts(1_000.0))
    assert before.report.row is not None and before.report.row.landed
    natives += [asks(call("x")), answers(result("x", "new"))]
    async with ContextPlugin.open(settings(tmp_path, enabled=False)) as plugin:
        after = await plugin.before_model_call("s", natives, facts(9_000.0))
    assert after.messages == [*before.messages, *natives[-2:]]
    assert after.report.fault is None


async def test_switched_off_the_tools_and_the_status_say_so(tmp_path: Path) -> None:
    async with ContextPlugin.open(settings(tmp_path, enabled=False)) as plugin:
        await plugin.before_model_call("s", long_list(), facts(1_000.0))
        assert "switched off" in await plugin.call_tool("s", "ctx_reduce", {"drop": "1"})
        assert await plugin.pending_ops("s") == ()
        assert "switched off" in await plugin.run_command("s", "ctx-status", now=1_001.0)


async def test_without_ctx_reduce_age_works_alone_and_no_marker_is_shown(tmp_path: Path) -> None:
    chosen = settings(tmp_path, ctx_reduce=CtxReduce(enabled=False))
    async with ContextPlugin.open(chosen) as plugin:
        sent = await plugin.before_model_call("s", long_list(), facts(1_000.0))
        assert sent.report.row is not None and sent.report.row.landed
        assert re.findall(r"(?<!\[dropped )§\d+§ ", str(sent.messages)) == []
        assert "switched off" in await plugin.call_tool("s", "ctx_reduce", {"drop": "1"})


async def test_a_side_request_gets_no_guidance(tmp_path: Path) -> None:
    async with ContextPlugin.open(settings(tmp_path)) as plugin:
        assert (await plugin.before_model_call("s", long_list(), facts(1.0))).system_append
        side = facts(2.0, purpose=Purpose.SIDE)
        assert not (await plugin.before_model_call("s", long_list(3), side)).system_append


async def test_a_purpose_may_be_given_as_a_plain_word(tmp_path: Path) -> None:
    async with ContextPlugin.open(settings(tmp_path)) as plugin:
        await plugin.before_model_call("s", long_list(3), facts(1.0))
        side = await plugin.before_model_call("s", long_list(5), facts(2.0, purpose="side"))
        assert side.report.row is not None and side.report.row.purpose is Purpose.SIDE


async def test_tools_that_are_not_shown_do_not_make_a_request_a_side_request(
    tmp_path: Path,
) -> None:
    async with ContextPlugin.open(settings(tmp_path)) as plugin:
        await plugin.before_model_call("s", long_list(3), facts(1.0))
        unknown = await plugin.before_model_call("s", long_list(5), facts(2.0, tools=None))
        empty = await plugin.before_model_call("s", long_list(5), facts(3.0, tools=[]))
    assert unknown.report.purpose is Purpose.MAIN
    assert empty.report.purpose is Purpose.SIDE


async def test_another_process_knows_the_sizes_and_the_window(tmp_path: Path) -> None:
    async with ContextPlugin.open(settings(tmp_path)) as plugin:
        await plugin.before_model_call("s", long_list(), facts(1_000.0))
        await plugin.after_model_call("s", at=1_001.0)
    async with ContextPlugin.open(settings(tmp_path)) as other:
        status = await other.run_command("s", "ctx-status", now=9_000.0)
        held = await other.call_tool("s", "ctx_reduce", {"drop": "41"})
    assert "of 184,000 usable tokens" in status
    assert "expires after 5 min" in status and "expired" in status
    assert held.startswith("Held")


async def test_what_went_out_while_switched_off_stays_as_it_went_out(tmp_path: Path) -> None:
    natives = long_list()
    async with ContextPlugin.open(settings(tmp_path)) as plugin:
        await plugin.before_model_call("s", natives, facts(1_000.0))
        await plugin.after_model_call("s", at=1_001.0)
    natives += [asks(call("x")), answers(result("x", "new"))]
    async with ContextPlugin.open(settings(tmp_path, enabled=False)) as plugin:
        off = await plugin.before_model_call("s", natives, facts(1_100.0))
        await plugin.after_model_call("s", at=1_101.0)
    natives += [asks(call("y")), answers(result("y", "newer"))]
    async with ContextPlugin.open(settings(tmp_path)) as plugin:
        on = await plugin.before_model_call("s", natives, facts(1_350.0))
    assert on.permit.reasons == ()  # the answer while switched off kept the cache alive
    assert on.messages[:-2] == off.messages
    assert str(on.messages[-1]["content"]).count("§") == 2


async def test_switched_off_nothing_of_a_new_session_is_stored(tmp_path: Path) -> None:
    natives = long_list(3)
    async with ContextPlugin.open(settings(tmp_path, enabled=False)) as plugin:
        sent = await plugin.before_model_call("s", natives, facts(1_000.0))
        assert await plugin.read_original("s", 1) is None
    assert all(map(lambda one, own: one is own, sent.messages, natives))
