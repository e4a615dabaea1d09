"""Whatever happens in a session, every request keeps the laws; and enough of it does happen."""

from collections.abc import Callable

import pytest

from properties.playing import play_scripts, stage
from properties.script import FORMATS

EXAMPLES = 30
"""Sessions in each format; `make soak` plays 20,000."""
SEED = 20
"""The same sessions every time, and others in each format."""


@pytest.mark.parametrize("message_format", FORMATS)
def test_every_request_of_every_session_keeps_the_laws(
    message_format: str, record_property: Callable[[str, object], None]
) -> None:
    with stage() as on:
        play_scripts(on, message_format, EXAMPLES, SEED + FORMATS.index(message_format))
    record_property("occurred", "\n".join(on.tally.lines()))
    on.tally.check_floors()
