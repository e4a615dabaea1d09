"""A session whose database has given way to another file: what is known is written there, and its
numbers go on far above all that were ever shown."""

import re
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from silcrow.errors import DamagedError, MovedError
from silcrow.formats.native import list_of, mapping_of
from silcrow.hooks.markers import SIGN
from silcrow.hooks.results import ListedMessages
from silcrow.hooks.state import SessionRecord
from silcrow.session.deciding import Asked, Shell
from silcrow.session.outcome import CallResult
from silcrow.session.seat import Seat
from silcrow.store.carrying import next_step
from silcrow.store.store import Store

Answer = TypeVar("Answer")

_MARKER = re.compile(rf"{SIGN}(\d{{1,8}}){SIGN}")
"""A marker wherever it stands. No session has a number of nine digits; such a text is a quote."""

_ROLES_OF_A_BEGINNING = frozenset({"user", "system", "developer"})
"""A list in which all messages have these was never answered: its session is new."""


async def run_on_current_file(run: Callable[[], Awaitable[Answer]]) -> Answer:
    """Run, and once more if that shows the database to be damaged or another one by now: the
    second run finds the file that has taken its place. Raises StorageError."""
    try:
        return await run()
    except (DamagedError, MovedError):
        return await run()


async def take_up(store: Store, seat: Seat, record: SessionRecord | None) -> SessionRecord | None:
    """The session's row, after what this process knows of it was written to a file that has taken
    the place of another since. Raises StorageError."""
    generation = store.generation
    if seat.generation == generation:
        return record
    known = seat.state
    if known is not None and known.record.pass_number:
        listing = seat.observed.listing
        is_listed = listing.has_bare_messages and len(listing.went) == len(listing.ids)
        listed = ListedMessages(listing.ids, listing.came, listing.went)
        await store.put_back(known, listed if is_listed else ListedMessages())
        seat.state = None
        record = await store.read_record(seat.session)
    seat.generation, seat.least_number = generation, None
    return record


async def number_on(shell: Shell, seat: Seat, record: SessionRecord, asked: Asked) -> SessionRecord:
    """In a file that has taken the place of a damaged one: let no number come again that may have
    been shown, known or standing in the list. Looks through the list once in a process."""
    if not shell.store.floor:
        return record
    if seat.least_number is None:
        find = partial(_least_number, asked.messages, record, shell.store.floor)
        seat.least_number = await shell.background.run(find)
    return replace(record, next_number=max(record.next_number, seat.least_number))


def _least_number(messages: Sequence[Mapping[str, Any]], record: SessionRecord, floor: int) -> int:
    """Where numbers go on; 0 for a session that is new, since no model has answered in it."""
    if not record.pass_number and all(map(_is_of_a_beginning, messages)):
        return 0
    shown = max(_shown_numbers(messages), default=0)
    least = next_step(shown) if shown >= record.next_number else 0
    return least if record.pass_number else max(least, floor)


def _is_of_a_beginning(message: object) -> bool:
    role = (mapping_of(message) or {}).get("role")
    return isinstance(role, str) and role in _ROLES_OF_A_BEGINNING


def _shown_numbers(value: object) -> Iterator[int]:
    """Every number in a marker in any text of a value."""
    waiting: list[object] = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            if SIGN in one:
                yield from map(int, _MARKER.findall(one))
        elif (pairs := mapping_of(one)) is not None:
            waiting.extend(pairs.values())
        else:
            waiting.extend(list_of(one))


def tell_news(store: Store | None, seat: Seat, result: CallResult) -> CallResult:
    """The result with what has happened to the database, said once in a session."""
    if store is None or not store.news:
        return result
    told = [text for news in store.news for text in seat.tell_once(news)]
    if not told:
        return result
    report = replace(result.report, notices=(*told, *result.report.notices))
    return replace(result, report=report)
