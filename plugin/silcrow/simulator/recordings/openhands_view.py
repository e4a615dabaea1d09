"""Keeps what an OpenHands agent sees of its events, and writes requests from it."""

from collections.abc import Iterable, Sequence

from silcrow.simulator.recordings.openhands_events import (
    Event,
    make_summary,
    write_answer,
    write_message,
    write_result,
)
from silcrow.simulator.recordings.recording import NativeMessage


class View:
    """The events that the model sees, in order; the system prompt is the first of them."""

    def __init__(self) -> None:
        self._events: list[Event] = []
        self._summaries: set[str] = set()
        self._known: set[str] = set()
        self._written: dict[tuple[str, ...], NativeMessage | None] = {}

    def add(self, event: Event) -> None:
        """Follow one event."""
        self._known.add(event.id)
        if event.kind == "Condensation":
            self._condense(event)
        else:
            self._events.append(event)

    def _condense(self, event: Event) -> None:
        """Forget events, and put the summary at its offset in what is left.

        Older versions give the summary of the last condensation an id that stands nowhere else.
        """
        forgotten = set(event.forgotten_event_ids)
        if forgotten - self._known - self._summaries:
            forgotten |= self._summaries
        forgotten |= _with_siblings(self._events, forgotten)
        self._events = [one for one in self._events if one.id not in forgotten]
        if event.summary is not None and event.summary_offset is not None:
            summary = make_summary(event, event.summary)
            self._summaries.add(summary.id)
            self._events.insert(event.summary_offset, summary)

    def request(self) -> tuple[tuple[NativeMessage, ...], tuple[str, ...]]:
        """Return the messages of a request made now, and their ids.

        The calls of one response are one message. A call without its result is not sent, nor are
        its siblings; nor is a result without its call.
        """
        messages: list[NativeMessage] = []
        ids: list[str] = []
        for group in _group(self._events):
            key = tuple(event.id for event in group)
            if key not in self._written:
                self._written[key] = _write(group)
            message = self._written[key]
            if message is not None:
                messages.append(message)
                ids.append(key[0])
        return tuple(messages), tuple(ids)


def _write(group: Sequence[Event]) -> NativeMessage | None:
    first = group[0]
    if first.is_call:
        return write_answer(group)
    return write_result(first) if first.is_result else write_message(first)


def _with_siblings(events: Iterable[Event], forgotten: set[str]) -> set[str]:
    """The other calls of responses of which one call is forgotten, and their results."""
    calls = [event for event in events if event.is_call]
    responses = {event.response for event in calls if event.id in forgotten}
    gone = [event for event in calls if event.response in responses]
    call_ids = {event.tool_call_id for event in gone}
    results = {e.id for e in events if e.is_result and e.tool_call_id in call_ids}
    return {event.id for event in gone} | results


def _group(events: Sequence[Event]) -> list[list[Event]]:
    """The events of each message: all calls of a response, with their results behind them."""
    results: dict[str, Event] = {}
    for event in events:
        if event.is_result:
            results.setdefault(event.tool_call_id, event)
    calls: dict[str, list[Event]] = {}
    for event in events:
        if event.is_call:
            calls.setdefault(event.response, []).append(event)
    groups: list[list[Event]] = []
    for event in events:
        if event.is_said:
            groups.append([event])
        elif event.is_call and (siblings := calls.pop(event.response, [])):
            answered = [
                results[one.tool_call_id] for one in siblings if one.tool_call_id in results
            ]
            if len(answered) == len(siblings):
                groups.append(siblings)
                groups.extend([one] for one in answered)
    return groups
