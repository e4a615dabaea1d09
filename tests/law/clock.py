"""Law (c), the times: a pass and its last response are when the recording says they were."""

from collections.abc import Iterator, Sequence

from law.recordings import Clock, RecordedCall, RecordedSession
from law.wire import WirePass

Fault = tuple[str, str]

SECOND = 1.0
QUARTER_HOUR = 900.0


def judge_clock(
    wire: WirePass, session: RecordedSession, *, index: int, shift: float
) -> Iterator[Fault]:
    """Time and last response of main pass `index` are those of the recording.

    `shift` is by how much the product's clock differs, where the recording names no zone.
    """
    calls = session.calls
    if index >= len(calls):
        yield "c", f"the recording has only {len(calls)} calls"
    elif session.clock is Clock.NONE:
        if "cache_expired" in wire.reasons:
            yield "c", "cache_expired is listed, but the recording has no clock"
    else:
        yield from _judge_time(wire, calls, index, shift)
        yield from _judge_last_response(wire, calls[:index], shift)


def clock_shift(wire: WirePass, session: RecordedSession) -> float:
    """The product's zone against ours, by the first pass; nothing where the zone is known."""
    if session.clock is not Clock.NO_ZONE or not session.calls:
        return 0.0
    return round((wire.time - session.calls[0].requested_at) / QUARTER_HOUR) * QUARTER_HOUR


def _judge_time(
    wire: WirePass, calls: Sequence[RecordedCall], index: int, shift: float
) -> Iterator[Fault]:
    call, at = calls[index], wire.time - shift
    floors = (
        max((c.answered_at for c in calls[:index]), default=0.0),
        _last_response(calls[:index]) or 0.0,
    )
    times = [call.requested_at, *(max(call.requested_at, floor) for floor in floors)]
    if call.requested_until is not None:
        is_within = min(times) - SECOND <= at <= max(*times, call.requested_until) + SECOND
    else:
        is_within = min(abs(at - time) for time in times) <= SECOND
    if not is_within:
        yield "c", f"the pass is at {wire.time:.3f}, the call at {call.requested_at + shift:.3f}"


def _judge_last_response(
    wire: WirePass, answered: Sequence[RecordedCall], shift: float
) -> Iterator[Fault]:
    said, true = wire.facts.last_response_at, _last_response(answered)
    until = max(
        (c.answered_until or c.answered_at for c in answered if not c.is_failed), default=None
    )
    if said is None and true is None:
        return
    if said is None or true is None or until is None:
        is_true = False
    else:
        is_true = true - SECOND <= said - shift <= until + SECOND
    if not is_true:
        yield "c", f"last_response_at is {said}, the recording's last answer is at {true}"


def _last_response(answered: Sequence[RecordedCall]) -> float | None:
    """When the last call that did not fail was answered, at the earliest."""
    return max((call.answered_at for call in answered if not call.is_failed), default=None)
