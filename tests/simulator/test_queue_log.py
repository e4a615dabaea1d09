"""How the simulator follows what the agent queued."""

from silcrow.hooks.facts import Purpose, Usage
from silcrow.hooks.permit import Permit, Reason
from silcrow.hooks.protection import HoldCause
from silcrow.hooks.results import Landed, Limits, PassRow
from silcrow.hooks.tags import DropMode, LaneName
from silcrow.simulator.queue_log import QueueLog


def row(*landed: int, granted: bool = True) -> PassRow:
    drops = [
        Landed(number=number, mode=DropMode.ABSENT, lane=LaneName.QUEUED, tokens=9)
        for number in landed
    ]
    return PassRow(
        number=1,
        purpose=Purpose.MAIN,
        at=0,
        model_key="",
        permit=Permit((Reason.FLUSH,), 0) if granted else Permit(),
        last_usage=Usage(),
        estimate_tokens=0,
        usage_tokens=0,
        wire_tokens=0,
        limits=Limits(window=0, reserve=0, usable=0, protection=0, ttl_seconds=None),
        landed=tuple(drops),
    )


def test_a_part_waits_from_its_queueing_to_its_landing() -> None:
    log = QueueLog()
    log.note_queued(3, [7, 8])
    log.note_pass(9, row(7, 55), {})
    assert (log.queued, log.landed, log.held, log.longest_wait_passes) == (2, 1, 0, 6)


def test_held_is_what_the_last_permit_kept_back() -> None:
    log = QueueLog()
    log.note_queued(3, [7, 8])
    log.note_pass(4, row(), {7: HoldCause.WINDOW, 8: HoldCause.WINDOW})
    log.note_pass(5, row(7), {8: HoldCause.WINDOW})
    log.note_pass(6, row(granted=False), {})
    assert (log.landed, log.held) == (1, 1)


def test_what_still_waits_at_the_end_counts_up_to_there() -> None:
    log = QueueLog()
    log.note_queued(3, [7])
    log.note_queued(8, [7])
    log.note_pass(20, row(granted=False), {})
    assert log.longest_wait_passes == 17
