"""All lanes, in the order in which they are asked. A new lane is one file and one line here."""

from silcrow.hooks.lanes.age import propose_aged
from silcrow.hooks.lanes.emergency import propose_emergency
from silcrow.hooks.lanes.lane import Lane
from silcrow.hooks.lanes.last_resort import propose_last_resort
from silcrow.hooks.lanes.queued import propose_queued

LANES: tuple[Lane, ...] = (
    propose_queued,
    propose_aged,
    propose_emergency,
    propose_last_resort,
)
