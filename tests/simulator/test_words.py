"""Facts about the report that a person reads: it has words for whatever may occur."""

from silcrow.hooks.permit import Reason
from silcrow.hooks.tags import LaneName
from silcrow.simulator.human_report import HOST_WORDS, LANE_WORDS, REASON_WORDS
from silcrow.simulator.recordings.reader import READERS


def test_every_lane_has_words() -> None:
    assert LANE_WORDS.keys() == set(LaneName)


def test_every_reason_has_words() -> None:
    assert REASON_WORDS.keys() == set(Reason)


def test_every_recorded_host_has_a_name() -> None:
    assert len(HOST_WORDS) == len(READERS)
