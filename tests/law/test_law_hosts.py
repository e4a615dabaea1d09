"""All laws on the wires of every host: a good wire is lawful, and each fault breaks its law."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from json import dumps, loads
from pathlib import Path

import pytest

from law.echo import Echo
from law.judge import Violation, judge_wire
from law.made_recordings import (
    codex_lines,
    mini_document,
    opencode_compacted_document,
    opencode_document,
    openhands_lines,
    swe_document,
    write_document,
    write_lines,
)
from law.reader import read_recordings
from law.recordings import Kind
from law.story import assert_breaks
from law.values import Json, as_objects

Doctor = Callable[[list[Json]], object]

SESSIONS = Path(__file__).parents[3] / "shared" / "sessions"
WRITE: Mapping[str, Callable[[Path], Path]] = {
    "codex": lambda folder: write_lines(folder / "made.jsonl", codex_lines()),
    "sealed codex": lambda folder: write_lines(folder / "made.jsonl", codex_lines("sealed")),
    "mini": lambda folder: write_document(folder / "made.json", mini_document()),
    "openhands": lambda folder: write_lines(folder / "made.jsonl", openhands_lines()),
    "swe": lambda folder: write_document(folder / "made.json", swe_document()),
    "opencode": lambda folder: write_document(folder / "made.json", opencode_document()),
}


@dataclass(frozen=True, slots=True)
class Host:
    """A host's small recording; what lands, lands on `landing`'s pass and is of its answer."""

    folder: Path
    name: str

    @property
    def landing(self) -> tuple[int, int]:
        return (5, 2) if self.name == "openhands" else (3, 0)

    def judge(
        self, doctor: Doctor | None = None, land: Mapping[str, str] | None = None
    ) -> list[Violation]:
        recording = WRITE[self.name](self.folder)
        session = read_recordings([recording])[0]
        lines = loads(dumps(Echo(session, {self.landing[0]: land or {}}).send()))
        if doctor:
            doctor(lines)
        return judge_wire(write_lines(self.folder / "wire.jsonl", lines), [recording])

    def parts(self, *kinds: Kind, answer: int | None = None) -> dict[str, str]:
        """The parts that an answer made, of these kinds or all: absent."""
        number, landing = self.landing
        answer = landing if answer is None else answer
        incoming = read_recordings([WRITE[self.name](self.folder)])[0].calls[number - 1].incoming
        made = (b for b in incoming if b.answer == answer and (not kinds or b.kind in kinds))
        return {block.part: "absent" for block in made}


@pytest.mark.parametrize("name", WRITE)
def test_a_good_wire_of_every_host_is_lawful(tmp_path: Path, name: str) -> None:
    """Numbered, replayed, and rewritten only where the host did."""
    assert_breaks(Host(tmp_path, name).judge())


def test_a_compacted_wire_of_opencode_is_lawful(tmp_path: Path) -> None:
    """The tail that is kept has its old numbers, behind a summary with a new one."""
    document = opencode_compacted_document(tail_start_id="and")
    recording = write_document(tmp_path / "made.json", document)
    lines = Echo(read_recordings([recording])[0]).send()
    assert lines[2]["permit"]["reasons"] == ["host_rewrote"]
    assert_breaks(judge_wire(write_lines(tmp_path / "wire.jsonl", lines), [recording]))


@pytest.mark.parametrize("name", WRITE)
def test_results_of_every_host_may_become_skeletons(tmp_path: Path, name: str) -> None:
    """Also in front of reasoning, which an OpenAI model drops without an error."""
    host = Host(tmp_path, name)
    calls = dict.fromkeys(host.parts(Kind.CALL), "skeleton")
    assert calls
    assert_breaks(host.judge(land=calls))


@pytest.mark.parametrize("name", ["mini", "openhands", "swe"])
def test_calls_of_a_chat_may_leave_with_their_results(tmp_path: Path, name: str) -> None:
    """The words of the answer stay."""
    host = Host(tmp_path, name)
    assert_breaks(host.judge(land=host.parts(Kind.CALL)))


@pytest.mark.skipif(not SESSIONS.is_dir(), reason="the recordings are not here")
@pytest.mark.parametrize(
    ("name", "passes"),
    [
        ("codex-01.jsonl.gz", 40),
        ("mini-swe-agent-01.traj.json.gz", 60),
        ("openhands-01.jsonl.gz", 64),
        ("swe-agent-01.traj.gz", 18),
    ],
)
def test_a_good_wire_of_a_real_recording_is_lawful(tmp_path: Path, name: str, passes: int) -> None:
    """OpenHands condenses twice in so many passes."""
    session = read_recordings([SESSIONS / name])[0]
    wire = write_lines(tmp_path / "wire.jsonl", Echo(session).send(passes))
    assert_breaks(judge_wire(wire, [SESSIONS / name]))


# What follows changes every pass alike, so that the prefix stays and the one law is broken alone.


def _messages(lines: list[Json]) -> list[Json]:
    return [message for line in lines for message in line["messages"]]


def _replace(old: str, new: str) -> Doctor:
    """One text for another wherever it stands in a message."""

    def doctor(lines: list[Json]) -> None:
        for line in lines:
            line["messages"] = loads(dumps(line["messages"]).replace(old, new))

    return doctor


def _without(role: str) -> Doctor:
    def doctor(lines: list[Json]) -> None:
        for line in lines:
            line["messages"] = [m for m in line["messages"] if m.get("role") != role]
            line["facts"]["usage"]["estimate"] -= 3

    return doctor


def _in_head(lines: list[Json]) -> None:
    for line in lines:
        line["system"] = line["messages"].pop(0)["content"]


def _null_for_blank(lines: list[Json]) -> None:
    for message in _messages(lines):
        message["content"] = message["content"] or None


def _words_without_fence(lines: list[Json]) -> None:
    for message in _messages(lines):
        if message["role"] == "assistant":
            words = message["content"].partition("\n```")[0]
            message["content"] = "" if words == "§4§ " else words


def _shift(index: int, seconds: float) -> Doctor:
    def doctor(lines: list[Json]) -> None:
        for line in lines[index:]:
            line["time"] += seconds

    return doctor


def _other_zone(lines: list[Json]) -> None:
    for line in lines:
        line["time"] += 7_200
        if line["facts"]["last_response_at"] is not None:
            line["facts"]["last_response_at"] += 7_200


def _answered_at_the_count(lines: list[Json]) -> None:
    lines[1]["facts"]["last_response_at"] += 3  # the last item is at 8, the count at 11


def _tools(tools: list[Json]) -> Doctor:
    def doctor(lines: list[Json]) -> None:
        for line in lines:
            line["tools"] = tools
            if line["permit"]["reasons"] == ["host_rewrote"]:
                line["permit"]["scope"] += 1  # the tools are a unit before all others

    return doctor


def _without_item_ids(lines: list[Json]) -> None:
    for message in _messages(lines):
        if message.get("type") == "reasoning":
            del message["id"]


def _without_reasoning(lines: list[Json]) -> None:
    for line in lines:
        line["messages"] = [m for m in line["messages"] if m.get("type") != "reasoning"]


TOOL: Json = {"type": "function", "function": {"name": "bash"}}
FREE: dict[str, tuple[str, Doctor]] = {
    "instructions beside the messages": ("mini", _in_head),
    "null for blank words": ("mini", _null_for_blank),
    "a call asked a little later": ("mini", _shift(2, 5)),
    "words without their fence": ("swe", _words_without_fence),
    "another id for an action": ("swe", _replace("made history 2", "call-0")),
    "another name for its tool": ("swe", _replace('"shell"', '"bash"')),
    "other words around an output": ("openhands", _replace("The host says", "It says")),
    "a clock in another zone": ("openhands", _other_zone),
    "the recorded tools and one more": ("openhands", _tools([TOOL, {"name": "ctx_expand"}])),
    "a response that ends with its count": ("codex", _answered_at_the_count),
    "reasoning items without ids": ("codex", _without_item_ids),
    "no reasoning where its content is lost": ("codex", _without_reasoning),
}


@pytest.mark.parametrize("name", FREE)
def test_what_honest_readers_may_choose_is_free(tmp_path: Path, name: str) -> None:
    """The recording does not tell it, or tells it twice."""
    host, doctor = FREE[name]
    assert_breaks(Host(tmp_path, host).judge(doctor))


def _user_words_for_a_result(lines: list[Json]) -> None:
    for message in _messages(lines):
        if message["role"] == "tool":
            del message["tool_call_id"]
            message["role"] = "user"


def _swapped_results(lines: list[Json]) -> None:
    first, second = (m for m in lines[2]["messages"] if m["role"] == "tool")
    first["tool_call_id"], second["tool_call_id"] = second["tool_call_id"], first["tool_call_id"]


def _swapped_calls(lines: list[Json]) -> None:
    for message in _messages(lines):
        calls = as_objects(message.get("tool_calls"))
        if len(calls) == 2:
            message["tool_calls"] = calls[::-1]


def _id_given_anew(lines: list[Json]) -> None:
    lines[2]["messages"] = loads(dumps(lines[2]["messages"]).replace("made history 2", "new"))


def _new_number_when_compacted(lines: list[Json]) -> None:
    lines[3]["messages"] = loads(
        dumps(lines[3]["messages"]).replace("1\\u00a7 Look", "99\\u00a7 Look")
    )


def _expiry(lines: list[Json]) -> None:
    lines[2]["permit"] = {"reasons": ["cache_expired"], "scope": 0}
    lines[2]["facts"] |= {"ttl_seconds": 5, "last_response_at": lines[2]["time"] - 10}


BROKEN: dict[str, tuple[str, Doctor, str]] = {
    "instructions with a number": ("codex", _replace("Be careful.", "§1§ Be careful."), "d"),
    "instructions left out": ("codex", _without("developer"), "e"),
    "a system message left out": ("mini", _without("system"), "e"),
    "arguments that are not the recorded ones": ("codex", _replace('\\"ls\\"', '\\"la\\"'), "f"),
    "a custom call as a function": (
        "codex",
        _replace('custom_tool_call", "call_id": "call_patch", "name": "apply_patch", "input"',
                 'function_call", "call_id": "call_patch", "name": "apply_patch", "arguments"'),
        "f",
    ),
    "reasoning with another summary": ("codex", _replace('"summary": []', '"summary": [1]'), "f"),
    "a found tool that is not the recorded one": ("codex", _replace('"create"', '"delete"'), "f"),
    "an output that is not the recorded one": ("codex", _replace("a.py b.py", "a.py c.py"), "d"),
    "a call id that is not the recorded one": ("mini", _replace("call_ls", "call_la"), "f"),
    "words that are not the model's": ("mini", _replace("Let me check:", "I check:"), "d"),
    "a call before the last output": ("mini", _shift(2, -5), "c"),
    "a call behind its own answer": ("mini", _shift(2, 15), "c"),
    "another action": ("swe", _replace('ls -a\\"', 'ls -b\\"'), "f"),
    "words that are neither": ("swe", _replace("Let us see\\n", "Let us look\\n"), "d"),
    "an expiry without a clock": ("swe", _expiry, "c"),
    "an output that is not told": ("openhands", _replace("no such file", "nothing"), "d"),
    "a summary that is not told": ("openhands", _replace("One was seen.", "Two."), "d"),
    "calls in another order": ("openhands", _swapped_calls, "f"),
    "a tool that is not the recorded one": ("openhands", _tools([{"name": "bash"}]), "c"),
    "a clock that moves within a zone": ("openhands", _shift(1, 100), "c"),
    "a new number for what a compaction kept": ("codex", _new_number_when_compacted, "d"),
    "an error that is not told": ("opencode", _replace("no such file", "nothing"), "d"),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_each_fault_breaks_its_law_alone(tmp_path: Path, name: str) -> None:
    """What the recording does tell is binding."""
    host, doctor, law = BROKEN[name]
    assert_breaks(Host(tmp_path, host).judge(doctor), law)


def test_an_action_keeps_the_id_that_it_was_given(tmp_path: Path) -> None:
    """The prefix breaks as well, since the id is part of it."""
    laws = {violation.law for violation in Host(tmp_path, "swe").judge(_id_given_anew)}
    assert {"a", "f"} <= laws


def test_a_result_answers_its_own_action(tmp_path: Path) -> None:
    """Equal commands are told apart by their place."""
    assert "d" in {violation.law for violation in Host(tmp_path, "swe").judge(_swapped_results)}


def test_output_in_user_words_is_no_result(tmp_path: Path) -> None:
    """An action without a result is illegal, and its output stands nowhere."""
    laws = {violation.law for violation in Host(tmp_path, "swe").judge(_user_words_for_a_result)}
    assert "f" in laws


def test_a_whole_response_may_leave(tmp_path: Path) -> None:
    """Reasoning, words, calls, outputs and what is opaque; the twins of its reasoning stay."""
    host = Host(tmp_path, "codex")
    assert_breaks(host.judge(_without_item_ids, land=host.parts()))


def test_a_response_may_not_leave_in_part(tmp_path: Path) -> None:
    """One of two calls is gone with its output."""
    host = Host(tmp_path, "codex")
    one = dict(list(host.parts(Kind.CALL).items())[:1])
    assert_breaks(host.judge(land=one), "f")


def test_words_may_not_stay_behind_their_calls(tmp_path: Path) -> None:
    """All calls are gone, the words of the same response are not."""
    host = Host(tmp_path, "codex")
    gone = host.parts(Kind.CALL, Kind.OPAQUE, Kind.THINKING)
    assert_breaks(host.judge(land=gone), "f")


def test_reasoning_may_not_stay_behind_alone(tmp_path: Path) -> None:
    """Everything that it was made for is gone."""
    host = Host(tmp_path, "codex")
    gone = host.parts(Kind.CALL, Kind.OPAQUE, Kind.TEXT)
    assert_breaks(host.judge(land=gone), "f")


def test_reasoning_may_leave_alone(tmp_path: Path) -> None:
    """Bound to its prefix, it goes with what changed before it."""
    host = Host(tmp_path, "codex")
    assert_breaks(host.judge(land=host.parts(Kind.THINKING)))


def test_reasoning_of_the_open_step_comes_back(tmp_path: Path) -> None:
    """The second response is the last of the third pass."""
    host = Host(tmp_path, "sealed codex")
    assert_breaks(host.judge(land=host.parts(Kind.THINKING, answer=1)), "f")


def test_reasoning_that_the_recording_holds_is_sent(tmp_path: Path) -> None:
    """Never sent, it is a part that left unlisted, and the open step lacks it."""
    assert_breaks(Host(tmp_path, "sealed codex").judge(_without_reasoning), "e", "f")
