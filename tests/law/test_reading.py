"""The readers and the units, on real recordings and on the corners of the description."""

from pathlib import Path

import pytest

from law.reader import read_recordings
from law.recordings import Kind
from law.sighting import strip_copied_markers
from law.tokens import count_text
from law.units import first_change, split_wire
from law.values import Json
from law.wire import WireFormatError, read_wire

SESSIONS = Path(__file__).parents[3] / "shared" / "sessions"


@pytest.mark.skipif(not SESSIONS.is_dir(), reason="the recordings are not here")
@pytest.mark.parametrize(
    ("name", "calls", "failed"),
    [
        ("claude-code-01", [288], 0),
        ("claude-code-02", [202], 0),
        ("claude-code-03", [69, 35], 0),
        ("pi-01", [453], 22),
        ("pi-02", [484], 19),
    ],
)
def test_a_recording_has_the_calls_that_its_readme_counts(
    name: str, calls: list[int], failed: int
) -> None:
    """Calls per session, sub-agents apart; each list holds as many results as calls."""
    sessions = read_recordings([SESSIONS / f"{name}.jsonl.gz"])
    assert [len(session.calls) for session in sessions] == calls
    assert sum(call.is_failed for session in sessions for call in session.calls) == failed
    for call in sessions[0].calls:
        kinds = [block.kind for block in call.incoming]
        assert kinds.count(Kind.CALL) == kinds.count(Kind.RESULT)


UNITS: dict[str, tuple[int, Json]] = {
    "a string is one block": (1, {"role": "user", "content": "x"}),
    "an empty string is one": (1, {"role": "user", "content": ""}),
    "a message without any has one": (1, {"role": "assistant", "content": None}),
    "an empty list is none of its own": (
        2,
        {"role": "assistant", "content": [], "tool_calls": [{"id": "1"}, {"id": "2"}]},
    ),
    "content and calls": (2, {"role": "assistant", "content": "x", "tool_calls": [{"id": "1"}]}),
    "a cache point is none": (
        1,
        {"role": "user", "content": [{"type": "text", "text": "x"}, {"cachePoint": {"a": 1}}]},
    ),
}


@pytest.mark.parametrize("name", UNITS)
def test_a_message_has_the_units_of_the_description(name: str) -> None:
    """One line per sentence of the design."""
    count, message = UNITS[name]
    assert len(split_wire(None, None, [message]).body) == count


def test_tools_and_system_are_the_first_units() -> None:
    """A changed system is unit 1 behind tools; one that is not there is unchanged."""
    message: Json = {"role": "user", "content": "x"}
    last = split_wire([{"name": "t"}], "one", [message])
    assert first_change(last, split_wire([{"name": "t"}], "two", [message])) == 1
    assert first_change(last, split_wire(None, None, [message])) is None
    assert first_change(last, split_wire(None, None, [])) == 2


@pytest.mark.parametrize(
    ("text", "stripped"),
    [
        ("§12§ Yes.", "Yes."),
        ("§12§§13§ Yes.", "Yes."),
        ("§12 Yes.", "Yes."),
        ("12§ Yes.", "Yes."),
        ("12 monkeys", "12 monkeys"),
        ("See §12§ there", "See §12§ there"),
    ],
)
def test_copied_markers_are_known(text: str, stripped: str) -> None:
    """Only runs at the start, and only with a sign in them."""
    assert strip_copied_markers(text) == stripped


def test_a_leading_marker_is_counted_on_its_own() -> None:
    """So a marked text costs its marker more, whatever it begins with."""
    assert count_text("§12§ hello world") == count_text("§12§ ") + count_text("hello world")


def test_a_file_of_another_shape_is_no_wire_file(tmp_path: Path) -> None:
    """The judge says so instead of judging it."""
    wire = tmp_path / "wire.jsonl"
    wire.write_text('{"session": "s", "pass": 1}', encoding="utf-8")
    with pytest.raises(WireFormatError, match="line 1"):
        list(read_wire(wire))
