"""Law (c): a false reason, a missing reason and a false fact are found."""

from collections.abc import Callable
from pathlib import Path

import pytest

from law.story import Story, assert_breaks, call, judge_story, landed, legal_story, text
from law.values import Json

Doctor = Callable[[list[Json]], object]


def _permit(index: int, *reasons: str, scope: int | None = 0) -> Doctor:
    def doctor(passes: list[Json]) -> None:
        passes[index]["permit"] = {"reasons": list(reasons), "scope": scope}

    return doctor


def _fact(index: int, name: str, value: object) -> Doctor:
    def doctor(passes: list[Json]) -> None:
        passes[index]["facts"][name] = value

    return doctor


def _shift(index: int, seconds: float) -> Doctor:
    def doctor(passes: list[Json]) -> None:
        passes[index]["time"] += seconds

    return doctor


DOCTORS: dict[str, Doctor] = {
    "nothing_sent, on the second pass": _permit(1, "nothing_sent"),
    "nothing_sent missing": _permit(0, "flush"),
    "cache_expired while warm": _permit(1, "cache_expired"),
    "cache_expired missing": _permit(6, scope=None),
    "model_changed, the same model": _permit(1, "model_changed"),
    "system_changed, no system": _permit(1, "system_changed"),
    "host_rewrote, a list that only grew": _permit(1, "host_rewrote", scope=1),
    "flush that lands nothing": _permit(1, "flush", scope=None),
    "pressure far below the band": _permit(1, "pressure"),
    "pressure beside an expiry, nothing removed by it": _permit(6, "cache_expired", "pressure"),
    "a queued drop as a reason": _permit(1, "queued"),
    "a pass at another time than its call": _shift(1, 5),
    "a last response at another time": _fact(1, "last_response_at", 1_000_000.0),
    "a TTL that is not over": _fact(6, "ttl_seconds", 3_600),
    "a model other than the call's": _fact(6, "model", "claude-opus-4-5"),
}


@pytest.mark.parametrize("name", DOCTORS)
def test_a_false_permit_is_found(tmp_path: Path, name: str) -> None:
    """Each line breaks one fact behind a permit, and only law (c)."""
    assert_breaks(judge_story(tmp_path, legal_story(), DOCTORS[name]), "c")


def test_an_estimate_must_be_what_was_handed_over(tmp_path: Path) -> None:
    """Nothing landed in pass 2, so estimate and wire are the same request."""

    def doctor(passes: list[Json]) -> None:
        passes[1]["facts"]["usage"]["estimate"] += 1_000

    assert_breaks(judge_story(tmp_path, legal_story(), doctor), "c")


def test_equal_to_the_ttl_is_not_expired(tmp_path: Path) -> None:
    """300 seconds after the last response a cache of 300 seconds is warm."""
    story = Story()
    story.say("Hello.")
    story.send("nothing_sent", scope=0)
    story.answer(text("Good day."))
    story.wait(300)
    story.say("Still there?")
    story.send()
    story.answer(text("Yes."))
    assert_breaks(judge_story(tmp_path, story))


def _changing_story(change: Callable[[Story], None], reason: str) -> Story:
    story = Story(system="Be brief.")
    story.say("Hello.")
    story.send("nothing_sent", scope=0)
    story.answer(text("Good day."))
    story.say("Go on.")
    change(story)
    story.send(reason, scope=1 if reason == "host_rewrote" else 0)  # unit 0 is the system
    story.answer(text("Yes."))
    return story


def _new_model(story: Story) -> None:
    story.model = "claude-opus-4-5"


def _new_system(story: Story) -> None:
    story.system = "Be long."


def _new_list(story: Story) -> None:
    story.compact("They greeted.")


CHANGES = {
    "model_changed": _new_model,
    "system_changed": _new_system,
    "host_rewrote": _new_list,
}


@pytest.mark.parametrize("reason", CHANGES)
def test_a_true_reason_is_accepted(tmp_path: Path, reason: str) -> None:
    """What the recording shows may be claimed."""
    story = _changing_story(CHANGES[reason], reason)
    assert_breaks(judge_story(tmp_path, story))


@pytest.mark.parametrize("reason", CHANGES)
def test_a_true_reason_must_be_listed(tmp_path: Path, reason: str) -> None:
    """A flush covers the bytes, but the involuntary reason is not told."""
    story = _changing_story(CHANGES[reason], reason)
    violations = judge_story(tmp_path, story, _permit(1, "flush"))
    assert_breaks(violations, "c")
    assert reason in violations[0].text


def _pressed_story(words: int) -> Story:
    """A result of so many words fills 85 % of a window of 40,000, and is dropped."""
    story = Story(window=40_000)
    story.say("Read both.")
    story.send("nothing_sent", scope=0)
    story.answer(call("small", path="a"))
    story.result("small", "alpha " * (31_000 - words))
    story.send()
    story.answer(call("large", path="b"))
    story.result("large", "alpha " * words)
    story.send("pressure", scope=3, land=[landed(3, "skeleton", "emergency")])
    story.answer(text("Done."))
    return story


def test_pressure_alone_may_free_what_is_worth_a_rewrite(tmp_path: Path) -> None:
    """25,000 tokens are more than the least of 20,000."""
    assert_breaks(judge_story(tmp_path, _pressed_story(25_000)))


def test_pressure_alone_may_not_rewrite_for_little(tmp_path: Path) -> None:
    """15,000 tokens are not worth it while the request still fits the window."""
    assert_breaks(judge_story(tmp_path, _pressed_story(15_000)), "c")
