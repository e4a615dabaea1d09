"""All lanes, in the order in which they are asked. A new lane is one file and one line here."""

from silcrow.hooks.lanes.age import propose_aged
from silcrow.hooks.lanes.emergency import propose_emergency
from silcrow.hooks.lanes.lane import Lane
from silcrow.hooks.lanes.last_resort import propose_last_resort
from silcrow.hooks.lanes.media import propose_aged_media
from silcrow.hooks.lanes.queued import propose_queued
from silcrow.hooks.lanes.reasoning import propose_reasoning
from silcrow.hooks.lanes.refused_media import propose_refused_media
from silcrow.hooks.lanes.superseded import propose_superseded

# Reasoning and media come before the lanes of pressure, which then know what leaves anyway.
LANES: tuple[Lane, ...] = (
    propose_queued,
    propose_superseded,
    propose_aged,
    propose_reasoning,
    propose_aged_media,
    propose_refused_media,
    propose_emergency,
    propose_last_resort,
)
