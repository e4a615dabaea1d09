"""Laws (a) and (b): a changed prefix without a permit, or before its scope, is found."""

from pathlib import Path

from law.alignment import align
from law.permit import Case, Sent, judge_permit
from law.recordings import Block, Kind
from law.story import assert_breaks, judge_story, landed, legal_story, text
from law.units import split_wire
from law.values import Json
from law.walk import Numbers
from law.wire import read_wire


def test_a_legal_story_breaks_no_law(tmp_path: Path) -> None:
    """Drops in every mode, a restore and an idle permit are all within the law."""
    assert_breaks(judge_story(tmp_path, legal_story()))


def test_a_string_that_becomes_a_list_breaks_the_prefix(tmp_path: Path) -> None:
    """The same words in another container are other bytes."""

    def doctor(passes: list[Json]) -> None:
        first = passes[1]["messages"][0]
        first["content"] = [text(first["content"])]

    assert_breaks(judge_story(tmp_path, legal_story(), doctor), "a")


def test_a_landing_without_a_permit_breaks_the_prefix(tmp_path: Path) -> None:
    """A drop that is well listed and well formed still needs a permit."""
    story = legal_story()
    story.say("Good.")
    story.send(land=[landed(11, "skeleton", "age")])
    story.answer(text("Bye."))
    assert_breaks(judge_story(tmp_path, story), "a")


def test_a_cache_breakpoint_is_no_change(tmp_path: Path) -> None:
    """Transport metadata is not part of a unit."""

    def doctor(passes: list[Json]) -> None:
        passes[3]["messages"][1]["content"][0]["cache_control"] = {"type": "ephemeral"}

    assert_breaks(judge_story(tmp_path, legal_story(), doctor))


def test_a_change_before_the_scope_is_found(tmp_path: Path) -> None:
    """Pass 3 changes unit 1; a permit from unit 2 on does not cover it."""

    def doctor(passes: list[Json]) -> None:
        passes[2]["permit"]["scope"] = 2

    assert_breaks(judge_story(tmp_path, legal_story(), doctor), "b")


def test_a_change_at_the_scope_is_covered(tmp_path: Path) -> None:
    """The scope is the first unit that may change."""

    def doctor(passes: list[Json]) -> None:
        passes[2]["permit"]["scope"] = 1

    assert_breaks(judge_story(tmp_path, legal_story(), doctor))


def test_a_rewrite_by_the_host_frees_nothing_before_it(tmp_path: Path) -> None:
    """The host changed its second message: a scope of 0 claims too much, 1 is right."""
    story = legal_story()
    judge_story(tmp_path, story, _claim_rewrite)
    last, wire = list(read_wire(tmp_path / "wire.jsonl"))[:2]
    units = split_wire(None, None, [{"role": "user", "content": [text("one"), text("two")]}])
    one, two, other = (_user_block(words) for words in ("one", "two", "other"))
    before = align(units.body, [one, two], Numbers(), keep=None)
    now = align(units.body, [one, other], Numbers(), keep=None)
    case = Case(wire, units, now, Sent(last, units, before), wire.facts.estimate)
    assert [law for law, _ in judge_permit(case)] == ["b"]


def _user_block(words: str) -> Block:
    return Block(words, words, "user", Kind.TEXT, text(words))


def _claim_rewrite(passes: list[Json]) -> None:
    passes[1]["permit"] = {"reasons": ["host_rewrote"], "scope": 0}
    passes[1]["incoming_sha256"][0] = "another"
