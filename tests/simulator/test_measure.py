"""What the simulator finds out about a request by itself."""

from typing import Any

import pytest

from silcrow.formats.table import FORMATS
from silcrow.hooks.permit import Permit, Reason
from silcrow.simulator.measure import RequestMeter, TokenMemo, sent_system
from silcrow.simulator.recordings.recording import RecordedCall, RecordedUsage
from silcrow.simulator.report import percentile
from silcrow.simulator.usage import AnswerSizes, estimate_usage

TOOLS: list[dict[str, Any]] = [{"name": "Bash"}]


def says(role: str, *texts: str) -> dict[str, Any]:
    return {"role": role, "content": [{"type": "text", "text": text} for text in texts]}


@pytest.fixture
def meter() -> RequestMeter:
    """Counts characters, so that sums can be done by hand; the tools have 17 of them."""
    return RequestMeter(
        FORMATS["anthropic"], TokenMemo(len, splits_markers=True), tools=TOOLS, system=None
    )


def test_the_first_request_shares_nothing(meter: RequestMeter) -> None:
    found = meter.measure([says("user", "abc", "de")])
    assert (found.units, found.tokens, found.shared_tokens) == (3, 22, 0)
    assert found.changed_unit is None


def test_a_request_that_grows_changes_nothing(meter: RequestMeter) -> None:
    meter.measure([says("user", "abc")])
    found = meter.measure([says("user", "abc"), says("assistant", "defg")])
    assert (found.reused, found.changed_unit) == (1, None)
    assert (found.tokens, found.shared_tokens) == (24, 20)


def test_the_first_changed_unit_is_found_inside_a_message(meter: RequestMeter) -> None:
    meter.measure([says("user", "abc", "de"), says("assistant", "x")])
    found = meter.measure([says("user", "abc", "DE"), says("assistant", "x")])
    assert (found.changed_unit, found.shared_tokens) == (2, 20)


def test_a_removed_end_is_a_change(meter: RequestMeter) -> None:
    meter.measure([says("user", "abc"), says("assistant", "x")])
    assert meter.measure([says("user", "abc")]).changed_unit == 2


def test_a_moved_cache_breakpoint_is_no_change(meter: RequestMeter) -> None:
    moved = says("user", "abc")
    moved["content"][0]["cache_control"] = {"type": "ephemeral"}
    meter.measure([moved])
    assert meter.measure([says("user", "abc")]).changed_unit is None


def test_usage_is_read_where_the_prefix_stands_and_written_behind_it(meter: RequestMeter) -> None:
    meter.measure([says("user", "abc")])
    found = meter.measure([says("user", "abc"), says("assistant", "defg")])
    warm = estimate_usage(found, Permit((Reason.PRESSURE,), 2), output_tokens=7)
    assert (warm.input, warm.cache_read, warm.cache_write, warm.output) == (0, 20, 4, 7)
    cold = estimate_usage(found, Permit((Reason.CACHE_EXPIRED,), 0), output_tokens=7)
    assert (cold.cache_read, cold.cache_write) == (0, 24)


def test_a_percentile_is_one_of_the_values() -> None:
    values = [float(number) for number in range(100, 0, -1)]
    assert (percentile(values, 0.5), percentile(values, 0.99)) == (50, 99)
    assert (percentile([], 0.5), percentile([3.0], 0.99)) == (0, 3)


def test_what_silcrow_adds_to_a_known_system_prompt_is_sent_and_counted() -> None:
    memo = TokenMemo(len, splits_markers=True)
    form = FORMATS["anthropic"]
    meter = RequestMeter(form, memo, tools=None, system="Be brief.")
    assert sent_system("Be brief.", "And kind.") == "Be brief.\n\nAnd kind."
    assert meter.measure([says("user", "abc")], "And kind.").tokens == 20 + 3
    assert meter.measure([says("user", "abc")]).tokens == 9 + 3


def test_a_system_prompt_that_nobody_recorded_stays_unknown(meter: RequestMeter) -> None:
    assert sent_system(None, "And kind.") is None
    assert meter.measure([says("user", "abc")], "And kind.").tokens == 20


def asked(*messages: dict[str, Any]) -> RecordedCall:
    return RecordedCall(
        number=1,
        requested_at=0,
        answered_at=0,
        provider="",
        model="",
        messages=messages,
        message_ids=tuple(map(str, range(len(messages)))),
        usage=RecordedUsage(input=0, cache_read=0, cache_write=0, output=9),
        failed=False,
    )


def test_an_answer_is_as_long_as_the_next_request_shows_it() -> None:
    sizes = AnswerSizes("openai_chat", len)
    first, said = says("user", "go"), says("assistant", "abc")
    then = [says("user", "and?"), says("assistant", "more")]
    assert sizes.tokens(asked(first), asked(first, said, *then)) == 3
    assert sizes.tokens(asked(first), asked(first, said, says("assistant", "de"), *then)) == 5
    assert sizes.tokens(asked(first), asked(says("user", "new"))) == 9
    assert sizes.tokens(asked(first), None) == 9
