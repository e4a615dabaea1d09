"""How full a request is: counted with its pictures, by its own list, against what is free."""

import json
from pathlib import Path
from typing import Any

import pytest

from silcrow.config.settings import Settings
from silcrow.hooks.facts import Usage
from silcrow.hooks.permit import Reason
from silcrow.session import ContextPlugin
from silcrow.session.outcome import CallResult
from support.native_messages import answers, asks, call, model, result, user, words
from support.pictures import base64_of, image, png
from support.plugin_session import PluginSession, go_on, make_settings

ONE_PICTURE = 1_000
"""What a provider counts for 1000 by 750 pixels."""
EMPTY: tuple[Usage | None, ...] = (None, Usage(input=0), Usage())


def size_of(sent: CallResult) -> int:
    assert sent.report.row is not None
    return sent.report.row.wire_tokens


async def status_of(session: PluginSession) -> dict[str, Any]:
    """What `/ctx-status` shows, as figures."""
    told: dict[str, Any] = json.loads(
        await session.plugin.run_command(session.name, "ctx-status", "json", now=session.now)
    )
    return told


async def loaded(plugin: ContextPlugin, steps: int, **facts: Any) -> PluginSession:
    """A question and as many results of 500 tokens; sent, and not answered yet."""
    session = PluginSession(plugin, facts=facts).add(user("Please find the fault."))
    for index in range(1, steps + 1):
        session.step(f"c{index}", words(500, f"c{index}"))
    session.add(model("Done."), user("And now?"))
    await session.send()
    return session


async def test_three_pictures_of_the_user_count_about_as_much_as_the_provider_says(
    plugin: ContextPlugin,
) -> None:
    session = PluginSession(plugin).add(user("Begin."))
    plain = size_of(await session.send())
    await session.answer()
    text = {"type": "text", "text": "Compare them."}
    session.add(model("Well."), {"role": "user", "content": [text, *[image()] * 3]})
    added = size_of(await session.send()) - plain
    assert 0.5 * 3 * ONE_PICTURE <= added <= 2 * 3 * ONE_PICTURE


async def test_a_data_url_of_2_mb_in_an_output_counts_as_a_picture(plugin: ContextPlugin) -> None:
    data = base64_of(png(1000, 750) + b"\0" * 1_500_000)
    picture = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}}
    called = {"id": "c", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    session = PluginSession(plugin, facts={"message_format": "openai_chat", "count_tokens": None})
    session.add(user("Look."), {"role": "assistant", "content": None, "tool_calls": [called]})
    session.add({"role": "tool", "tool_call_id": "c", "content": [picture]})
    session.facts["tools"] = []
    assert len(data) > 2_000_000
    assert size_of(await session.send()) < 4 * ONE_PICTURE


async def test_going_to_a_smaller_model_after_a_restart_shrinks_the_first_request(
    settings: Settings,
) -> None:
    large = {"model": "large-512", "context_window": 51_200, "output_reserve": 1_000}
    async with ContextPlugin.open(settings) as plugin:
        session = await loaded(plugin, 58, **large)
        await session.answer(30_000)
    async with ContextPlugin.open(settings) as plugin:
        session.plugin = plugin
        sent = await session.send(model="small-272", context_window=27_200)
    assert sent.permit.reasons == (Reason.MODEL_CHANGED, Reason.PRESSURE)
    assert 0 < size_of(sent) <= 0.65 * 26_200


async def test_what_was_accepted_is_never_shown_as_more_than_the_window(
    settings: Settings,
) -> None:
    async with ContextPlugin.open(settings) as plugin:
        session = PluginSession(plugin, facts={"model": "nobody-knows", "provider": "nobody"})
        session.add(user(words(190_000)))
        assumed = (await session.send()).report.window
        await session.answer(assumed + 14_000)
        sent = await go_on(session)
    async with ContextPlugin.open(settings) as plugin:
        session.plugin = plugin
        later = await go_on(session)
        told = await status_of(session)
    assert sent.report.window == later.report.window >= assumed + 14_000
    assert told["usage_tokens"] <= told["window_tokens"] == later.report.window


@pytest.mark.parametrize("usage", EMPTY, ids=["missing", "zero", "nothing_in_it"])
async def test_a_server_that_counts_nothing_is_relieved_by_the_estimate(
    plugin: ContextPlugin, usage: Usage | None
) -> None:
    session = await loaded(plugin, 40, context_window=40_000, output_reserve=1_000)
    await plugin.after_model_call("s", usage=usage, at=session.now)
    assert (await status_of(session))["usage_tokens"] >= 20_000
    for index in range(35):
        session.step(f"more{index}", words(500, f"more{index}"))
    sent = await session.send()
    assert Reason.PRESSURE in sent.permit.reasons
    assert size_of(sent) <= 0.65 * 39_000


async def test_a_flush_as_the_first_thing_after_a_resume_is_done_on_counts_of_its_own_list(
    settings: Settings,
) -> None:
    async with ContextPlugin.open(settings) as plugin:
        session = await loaded(plugin, 40, context_window=26_000, output_reserve=1_000)
        await session.answer()
        await session.reduce("2-20")
    async with ContextPlugin.open(settings) as plugin:
        session.plugin = plugin
        await plugin.run_command("s", "ctx-flush")
        sent = await session.send()
    row = sent.report.row
    assert sent.permit.reasons == (Reason.FLUSH,) and row is not None
    assert {drop.number for drop in row.landed} == set(range(2, 21))
    assert row.reclaimed_tokens == pytest.approx(19 * 500, rel=0.1)
    assert size_of(sent) == pytest.approx(21 * 500, rel=0.2)


async def test_the_room_for_the_answer_is_free_before_the_window_is_full(tmp_path: Path) -> None:
    """A tenth of 1,050,000 tokens of which 128,000 are kept for the answer."""
    async with ContextPlugin.open(make_settings(tmp_path)) as plugin:
        session = PluginSession(plugin, facts={"context_window": 105_000, "output_reserve": 12_800})
        session.add(user("Please find the fault."))
        for index in range(185):
            session.add(asks(call(f"c{index}")), answers(result(f"c{index}", words(500, "w"))))
            if index >= 150:
                sent = await session.send()
                await session.answer()
                assert size_of(sent) <= 0.86 * 92_200
        told = await status_of(session)
    assert (told["window_tokens"], told["reserve_tokens"]) == (105_000, 12_800)
    assert told["usable_tokens"] == 92_200
