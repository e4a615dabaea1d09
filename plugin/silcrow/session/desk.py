"""What the tools and commands of a session are answered from."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from silcrow.hooks.parts import survey_parts
from silcrow.hooks.protection import AUTOMATIC_ONLY, HoldCause, find_holds
from silcrow.hooks.render import overlay_tags
from silcrow.hooks.state import OpKind, PendingOp, SessionState
from silcrow.session.passing import load_current
from silcrow.session.seat import Seat
from silcrow.store.store import Store
from silcrow.tools.desk import Desk, describe_wait

DEFAULT_FORCE_AT = 0.85


@dataclass(frozen=True, slots=True)
class OpenDesk:
    """A session's state and queue at one moment, and the desk that the tools see."""

    state: SessionState
    ops: tuple[PendingOp, ...]
    desk: Desk

    @property
    def drops(self) -> list[PendingOp]:
        return [op for op in self.ops if op.kind is OpKind.DROP]

    def held_drops(self) -> Mapping[HoldCause, int]:
        """How many queued drops would wait now, by cause."""
        causes = (self.desk.holds(op.number) for op in self.drops)
        return Counter(cause for cause in causes if cause is not None)


async def open_desk(store: Store, seat: Seat) -> OpenDesk:
    """Read the session as it stands. Raises StorageError."""
    state = await load_current(store, seat)
    ops = await store.read_ops(seat.session)
    record, policy = state.record, seat.policy
    expires_at = None
    if policy and policy.ttl_seconds is not None and record.last_response_at is not None:
        expires_at = record.last_response_at + policy.ttl_seconds
    desk = Desk(
        tags=state.parts.tags,
        pending={op.number for op in ops if op.kind is OpKind.DROP},
        holds=find_causes(seat, state),
        waits_for=describe_wait(expires_at, policy.force_at if policy else DEFAULT_FORCE_AT),
        highest=record.next_number - 1,
        pending_restores={op.number for op in ops if op.kind is OpKind.RESTORE},
    )
    return OpenDesk(state, ops, desk)


def find_causes(seat: Seat, state: SessionState) -> Callable[[int], HoldCause | None]:
    """Why a drop by number would wait, judged on the last list that this process saw.

    A process that has not seen one yet knows of no hold; the pass will.
    """
    if state.previous is None or state.previous_wire is None or seat.policy is None:
        return lambda number: None
    known = seat.causes
    if known and known[0] is state.previous and known[1] == state.record.pass_number:
        return known[2]
    parts = survey_parts(
        state.previous,
        state.previous_wire,
        overlay_tags(state.parts.tags, {}),
        0,
        seat.policy.tool_kinds,
    )
    holds = find_holds(parts, state.record, seat.policy)

    def cause_of(number: int) -> HoldCause | None:
        return holds.cause(number, AUTOMATIC_ONLY)

    seat.causes = (state.previous, state.record.pass_number, cause_of)
    return cause_of
