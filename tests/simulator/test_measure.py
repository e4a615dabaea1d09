"""What the simulator finds out about a request by itself."""

from typing import Any

import pytest

from silcrow.formats.table import FORMATS
from silcrow.hooks.permit import Permit, Reason
from silcrow.simulator.measure import RequestMeter, TokenMemo
from silcrow.simulator.report import percentile
from silcrow.simulator.usage import estimate_usage

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
