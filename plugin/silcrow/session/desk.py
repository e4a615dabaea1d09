"""What the tools and commands of a session are answered from."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from silcrow.formats.table import FORMATS
from silcrow.hooks.parts import survey_parts
from silcrow.hooks.policy import LEAST_PROTECTED_RESULTS
from silcrow.hooks.protection import AUTOMATIC_ONLY, HoldCause, find_holds
from silcrow.hooks.render import overlay_tags
from silcrow.hooks.rules.bound_reasoning import BoundReasoning
from silcrow.hooks.state import OpKind, PendingOp, SessionState
from silcrow.hooks.tags import TagKind
from silcrow.session.passing import load_current
from silcrow.session.seat import Seat
from silcrow.store.ledger import LedgerLine
from silcrow.store.store import Store
from silcrow.tools.desk import Desk, describe_wait

DEFAULT_FORCE_AT = 0.85


@dataclass(frozen=True, slots=True)
class OpenDesk:
    """A session's state, queue and newest pass at one moment, and the desk that the tools see."""

    state: SessionState
    ops: tuple[PendingOp, ...]
    newest: LedgerLine | None
    desk: Desk

    @property
    def knows_list(self) -> bool:
        """Whether this process has seen the conversation, and so knows all that holds a part."""
        return self.state.previous is not None

    @property
    def drops(self) -> list[PendingOp]:
        return [op for op in self.ops if op.kind is OpKind.DROP]

    def held_drops(self) -> Mapping[HoldCause, int]:
        """How many queued drops would wait now, by cause."""
        causes = (self.desk.holds(op.number) for op in self.drops)
        return Counter(cause for cause in causes if cause is not None)


async def open_desk(store: Store, seat: Seat, *, now: float | None = None) -> OpenDesk:
    """Read the session as it stands, in whatever process it ran last. Raises StorageError.

    `now`, in epoch seconds, lets the desk say that a cache has expired already.
    """
    state = await load_current(store, seat)
    ops = await store.read_ops(seat.session)
    newest = next(iter(await store.read_ledger(seat.session, most=1)), None)
    answered = state.record.last_response_at
    ttl = state.record.ttl_seconds  # the longest that a request to this model has asked for
    expires_at = None if ttl is None or answered is None else answered + ttl
    force_at = seat.policy.force_at if seat.policy else DEFAULT_FORCE_AT
    desk = Desk(
        tags=state.parts.tags,
        pending={op.number for op in ops if op.kind is OpKind.DROP},
        holds=find_causes(seat, state, newest),
        waits_for=describe_wait(expires_at, force_at, now=now),
        highest=state.record.next_number - 1,
        pending_restores={op.number for op in ops if op.kind is OpKind.RESTORE},
    )
    return OpenDesk(state, ops, newest, desk)


def find_causes(
    seat: Seat, state: SessionState, newest: LedgerLine | None
) -> Callable[[int], HoldCause | None]:
    """Why a drop by number would wait, judged on the last list that this process saw.

    A process that has not seen one yet knows what the tags and the pins tell, and no more.
    """
    if state.previous is None or state.previous_wire is None or seat.policy is None:
        return _known_causes(state, newest.limits.protection if newest else 0)
    known = seat.causes
    if known and known[0] is state.previous and known[1] == state.record:
        return known[2]
    parts = survey_parts(
        state.previous,
        state.previous_wire,
        overlay_tags(state.parts.tags, {}),
        0,
        seat.policy.tool_kinds,
        FORMATS[seat.message_format].call_bond,
    )
    holds = find_holds(parts, state.record, seat.policy)
    bound = BoundReasoning(parts, seat.drops_in_place) if seat.policy.binds_reasoning else None
    earliest = bound.earliest_landing() if bound else 0

    def cause_of(number: int) -> HoldCause | None:
        part = parts.parts.get(number)
        if part is None:
            return HoldCause.NOT_IN_LIST
        if part.unit < earliest:
            return HoldCause.REASONING_BOUND
        return holds.cause(number, AUTOMATIC_ONLY)

    seat.causes = (state.previous, state.record, cause_of)
    return cause_of


def _known_causes(state: SessionState, tokens: int) -> Callable[[int], HoldCause | None]:
    """What holds a part by its tag and its number alone."""
    tags, pins = state.parts.tags, state.record.pins
    window_from = _window_start(state, tokens)
    spoken = (tag for tag in tags.values() if tag.kind is TagKind.MESSAGE and tag.role == "user")
    newest = max((tag.message_ordinal for tag in spoken), default=0)

    def cause_of(number: int) -> HoldCause | None:
        tag = tags.get(number)
        if tag is None:
            return None
        if not tag.is_stored:
            return HoldCause.NOT_STORED
        if tag.role == "user" and tag.kind is not TagKind.TOOL and tag.message_ordinal == newest:
            return HoldCause.NEWEST_USER_MESSAGE
        if number in pins:
            return HoldCause.PINNED
        return HoldCause.WINDOW if number >= window_from else None

    return cause_of


def _window_start(state: SessionState, tokens: int) -> int:
    """Where the protection window begins: the newest whole results."""
    left, results, window_from = tokens, 0, state.record.next_number
    for number in sorted(state.parts.tags, reverse=True):
        tag = state.parts.tags[number]
        if left <= 0 and results >= LEAST_PROTECTED_RESULTS:
            break
        if tag.kind is TagKind.TOOL and not tag.is_dropped:
            left -= tag.tokens
            results += 1
            window_from = number
    return window_from
