"""Facts about what a session learns from answers and refusals, in any process."""

from pathlib import Path
from typing import Any

import pytest

from silcrow.config.settings import Settings
from silcrow.hooks.facts import Purpose, Usage
from silcrow.hooks.permit import Denial, Reason
from silcrow.hooks.state import SessionRecord
from silcrow.hooks.tags import LaneName
from silcrow.session import ContextPlugin
from silcrow.session.outcome import CallResult
from silcrow.store.store import Store
from support.native_messages import model, user, words
from support.plugin_session import PluginSession, database_of, go_on, make_settings

MODEL = "anthropic/claude-sonnet-4-5"
NEARLY_FULL = {"context_window": 22_500, "output_reserve": 1_000}
"""Under this window nothing is worth a rewrite, since the minimum is 20,000 tokens."""
TOO_LONG = "prompt is too long: {} tokens > {} maximum"
RATE_LIMITED = "Rate limit reached on tokens per min (TPM): Limit 30000, Requested 31000"


async def record_of(settings: Settings) -> SessionRecord:
    async with Store.open(database_of(settings)) as store:
        record = await store.read_record("s")
        assert record is not None
        return record


async def full_session(plugin: ContextPlugin, steps: int = 40, **facts: Any) -> PluginSession:
    """40 results of 500 tokens and a question behind them, sent and not answered yet."""
    session = PluginSession(plugin, facts=facts).add(user("Please find the fault."))
    for index in range(1, steps + 1):
        session.step(f"c{index}", words(500, f"c{index}"))
    session.add(model("Done."), user("And now?"))
    await session.send()
    return session


async def refuse(session: PluginSession, text: str, number: int | None = None) -> None:
    session.now += 1
    await session.plugin.after_model_call(
        session.name, error=text, at=session.now, pass_number=number
    )


def size_of(sent: CallResult) -> int:
    assert sent.report.row is not None
    return sent.report.row.wire_tokens


async def test_a_refused_request_is_sent_smaller(plugin: ContextPlugin) -> None:
    session = await full_session(plugin)
    await refuse(session, TOO_LONG.format(23_000, 22_000))
    sent = await session.send()
    assert sent.permit.reasons == (Reason.PRESSURE,)
    assert sent.report.row is not None
    assert {one.lane for one in sent.report.row.landed} == {LaneName.EMERGENCY}
    assert (sent.report.window, size_of(sent) < 15_000) == (22_000, True)


async def test_the_named_limit_is_the_window_from_then_on(
    plugin: ContextPlugin, settings: Settings
) -> None:
    session = await full_session(plugin)
    await refuse(session, TOO_LONG.format(23_000, 22_000))
    assert (await record_of(settings)).learned_limits == {MODEL: 22_000}
    await session.send()
    await session.answer()
    sent = await go_on(session)
    assert (sent.report.window, sent.report.reserve) == (22_000, 5_500)


async def test_the_window_of_another_model_is_its_own(plugin: ContextPlugin) -> None:
    session = await full_session(plugin)
    await refuse(session, TOO_LONG.format(23_000, 22_000))
    assert (await session.send(model="claude-opus-4-6")).report.window == 1_000_000


async def test_without_a_limit_the_request_itself_is_the_bound(plugin: ContextPlugin) -> None:
    session = await full_session(plugin)
    refused = size_of(await session.send())
    await refuse(session, "Your input exceeds the context window of this model.")
    sent = await session.send()
    assert sent.report.window == refused - 1 + 16_000
    assert size_of(sent) < refused


@pytest.mark.parametrize("error", [RATE_LIMITED, "aborted", "400 status code (no body)", ""])
async def test_another_error_changes_nothing(
    plugin: ContextPlugin, settings: Settings, error: str
) -> None:
    session = await full_session(plugin)
    first = await session.send()
    await refuse(session, error)
    again = await session.send()
    assert (again.permit.reasons, again.messages) == ((), first.messages)
    record = await record_of(settings)
    assert (record.refusal, record.learned_limits, record.calibration) == (None, {}, {})


async def test_an_unexplained_refusal_of_a_nearly_full_request_shrinks_it_and_teaches_no_limit(
    plugin: ContextPlugin, settings: Settings
) -> None:
    session = await full_session(plugin)
    session.facts = NEARLY_FULL
    first = size_of(await session.send())
    await refuse(session, "400 status code (no body)")
    assert size_of(await session.send()) < first
    assert (await record_of(settings)).learned_limits == {}


async def test_a_host_that_reports_a_refusal_twice_teaches_nothing_new(
    plugin: ContextPlugin, settings: Settings
) -> None:
    session = await full_session(plugin)
    await refuse(session, TOO_LONG.format(23_000, 22_000))
    once = await record_of(settings)
    await refuse(session, TOO_LONG.format(24_000, 22_000))
    assert await record_of(settings) == once


async def test_refusals_for_one_user_message_are_counted(
    plugin: ContextPlugin, settings: Settings
) -> None:
    session = await full_session(plugin)
    attempts: list[int] = []
    for says in (None, None, "Something else."):
        if says:
            session.add(model("It failed."), user(says))
            await session.send()
        await refuse(session, "context_length_exceeded")
        refusal = (await record_of(settings)).refusal
        attempts.append(-1 if refusal is None else refusal.attempts)
        await session.send()
    assert attempts == [0, 1, 0]


async def test_attempts_shrink_until_nothing_is_left_and_then_the_request_is_replayed(
    plugin: ContextPlugin,
) -> None:
    session = await full_session(plugin)
    sent = [await session.send()]
    for _ in range(6):
        await refuse(session, "context_length_exceeded")
        sent.append(await session.send())
    sizes = [size_of(one) for one in sent]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] == sizes[-2]
    assert sent[-1].permit.denial is Denial.NOTHING_TO_LAND
    assert sent[-1].messages == sent[-2].messages
    said = [text for one in sent for text in one.report.notices]
    assert len([text for text in said if "nothing more can be removed" in text]) == 1


async def test_a_retry_after_a_refusal_of_an_older_request_gives_the_same_bytes(
    plugin: ContextPlugin,
) -> None:
    session = await full_session(plugin)
    await refuse(session, TOO_LONG.format(23_000, 22_000))
    session.add(model("I go on."), user(words(30_000)))
    sent = await session.send()
    assert sent.permit.reasons == (Reason.PRESSURE,)
    again = await session.send()
    assert again.permit.denial is Denial.RETRY
    assert again.messages == sent.messages


async def test_an_answer_clears_the_refusal(plugin: ContextPlugin, settings: Settings) -> None:
    session = await full_session(plugin)
    await refuse(session, TOO_LONG.format(23_000, 22_000))
    await session.send()
    assert (await record_of(settings)).refusal is not None
    await session.answer()
    assert (await record_of(settings)).refusal is None


async def test_the_answer_to_an_older_request_does_not_clear_it(
    plugin: ContextPlugin, settings: Settings
) -> None:
    session = await full_session(plugin)
    older = (await session.send()).report.pass_number
    await session.send()
    await refuse(session, TOO_LONG.format(23_000, 22_000))
    await plugin.after_model_call("s", at=session.now, pass_number=older)
    assert (await record_of(settings)).refusal is not None


async def test_a_refused_side_request_teaches_its_limit_and_opens_nothing(
    plugin: ContextPlugin, settings: Settings
) -> None:
    session = await full_session(plugin)
    await session.answer()
    before = await session.send()
    await session.answer()
    side = await session.send(purpose=Purpose.SIDE, model="claude-haiku-4-5")
    await refuse(session, TOO_LONG.format(23_000, 22_000), side.report.pass_number)
    record = await record_of(settings)
    assert record.refusal is None
    assert record.learned_limits == {"anthropic/claude-haiku-4-5": 22_000}
    after = await session.send()
    assert (after.permit.reasons, after.messages) == ((), before.messages)


async def test_a_refusal_counts_after_a_restart(settings: Settings) -> None:
    async with ContextPlugin.open(settings) as first:
        session = await full_session(first)
        refused = size_of(await session.send())
        await refuse(session, TOO_LONG.format(23_000, 22_000))
    async with ContextPlugin.open(settings) as second:
        session.plugin = second
        sent = await session.send()
        assert (sent.permit.reasons, sent.report.window) == ((Reason.PRESSURE,), 22_000)
        assert size_of(sent) < refused
        await session.answer()
        assert (await go_on(session)).report.fault is None


async def test_a_process_that_did_not_send_the_request_may_report_its_refusal(
    plugin: ContextPlugin, settings: Settings
) -> None:
    session = await full_session(plugin)
    async with ContextPlugin.open(settings) as other:
        await other.after_model_call("s", error=TOO_LONG.format(23_000, 22_000), at=session.now)
    sent = await session.send()
    assert (sent.permit.reasons, sent.report.window) == ((Reason.PRESSURE,), 22_000)


async def test_a_larger_request_that_was_accepted_raises_the_window(
    plugin: ContextPlugin,
) -> None:
    session = await full_session(plugin)
    session.facts = NEARLY_FULL
    await session.send()
    await session.answer(24_000)
    sent = await go_on(session)
    assert (sent.report.window, sent.report.usable) == (25_000, 24_000)


async def test_a_window_that_the_user_set_is_not_raised(tmp_path: Path) -> None:
    settings = make_settings(tmp_path, context_window=30_000)
    async with ContextPlugin.open(settings) as plugin:
        session = await full_session(plugin, output_reserve=1_000)
        await session.answer(32_000)
        assert (await record_of(settings)).learned_limits == {MODEL: 33_000}
        assert (await go_on(session)).report.window == 30_000


async def test_a_window_that_the_user_set_is_lowered_by_a_refusal(tmp_path: Path) -> None:
    settings = make_settings(tmp_path, context_window=500_000)
    async with ContextPlugin.open(settings) as plugin:
        session = await full_session(plugin)
        await refuse(session, TOO_LONG.format(23_000, 22_000))
        assert (await session.send()).report.window == 22_000


async def test_a_usage_report_that_makes_no_sense_raises_nothing(
    plugin: ContextPlugin,
) -> None:
    session = await full_session(plugin)
    session.facts = NEARLY_FULL
    await session.send()
    await session.answer(10_000_000)
    assert (await go_on(session)).report.window == 22_500


async def test_the_estimate_is_calibrated_from_the_next_pass_on(plugin: ContextPlugin) -> None:
    session = await full_session(plugin)
    first = await session.send()
    assert first.report.row is not None
    assert first.report.row.estimate_tokens == size_of(first)
    await session.answer(round(1.25 * size_of(first)))
    second = await session.send()
    assert second.report.row is not None
    assert second.report.row.estimate_tokens == pytest.approx(1.25 * size_of(second), abs=2)


async def test_an_answer_calibrates_with_the_request_that_it_answers(
    plugin: ContextPlugin, settings: Settings
) -> None:
    session = await full_session(plugin)
    small = await session.send()
    session.add(user(words(20_000)))
    await session.send()
    usage = Usage(input=size_of(small))
    await plugin.after_model_call(
        "s", usage=usage, at=session.now, pass_number=small.report.pass_number
    )
    assert (await record_of(settings)).calibration == {MODEL: (0.0, 1.0)}


async def test_what_landed_on_a_pass_is_not_part_of_what_its_answer_calibrates(
    plugin: ContextPlugin, settings: Settings
) -> None:
    session = await full_session(plugin)
    await session.answer()
    await session.reduce("2-20")
    landed = await session.expire().send()
    assert landed.report.row is not None and landed.report.row.reclaimed_tokens > 5_000
    await session.answer(size_of(landed))
    assert (await record_of(settings)).calibration == {MODEL: (0.0, 1.0)}


async def test_a_second_answer_to_one_request_does_not_calibrate_again(
    plugin: ContextPlugin, settings: Settings
) -> None:
    session = await full_session(plugin)
    await session.answer(25_000)
    once = (await record_of(settings)).calibration
    await session.answer(40_000)
    assert (await record_of(settings)).calibration == once


async def test_what_the_host_does_not_show_is_the_offset_of_the_estimate(
    plugin: ContextPlugin, settings: Settings
) -> None:
    hidden: dict[str, Any] = {"system": None, "tools": None, "offers_ctx_reduce": True}
    session = await full_session(plugin, **hidden)
    first = size_of(await session.send())
    await session.answer(first + 9_000)
    assert (await record_of(settings)).calibration == {MODEL: (9_000.0, 1.0)}
    row = (await session.send()).report.row
    assert row is not None and row.estimate_tokens == first + 9_000


async def test_a_smaller_model_gets_a_smaller_request_at_once(plugin: ContextPlugin) -> None:
    session = await full_session(plugin, context_window=40_000, output_reserve=1_000)
    before = size_of(await session.send())
    await session.answer(before)
    sent = await session.send(model="claude-haiku-4-5", context_window=20_000)
    assert sent.permit.reasons == (Reason.MODEL_CHANGED, Reason.PRESSURE)
    assert size_of(sent) <= 0.65 * 19_000


async def test_two_processes_share_what_one_of_them_learns(
    plugin: ContextPlugin, settings: Settings
) -> None:
    session = await full_session(plugin)
    await session.answer(25_000)
    async with ContextPlugin.open(settings) as other:
        twin = PluginSession(other, natives=[*session.natives], ids=[*session.ids], now=session.now)
        row = (await twin.send()).report.row
    assert row is not None and row.estimate_tokens == pytest.approx(25_000, abs=2)


async def test_a_system_prompt_that_is_a_message_is_not_hidden(
    plugin: ContextPlugin, settings: Settings
) -> None:
    session = PluginSession(plugin, facts={"message_format": "openai_chat", "system": None})
    session.add({"role": "system", "content": words(3_000)}, user(words(3_000)))
    sent = await session.send(tools=[])
    await session.answer(round(1.5 * size_of(sent)))
    assert (await record_of(settings)).calibration == {MODEL: (0.0, 1.5)}
