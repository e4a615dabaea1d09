"""Laws (d) and (e): a wrong number, a wrong placeholder and a moving decision are found."""

from collections.abc import Callable
from pathlib import Path

import pytest

from law.story import assert_breaks, judge_story, landed, legal_story
from law.values import Json

Doctor = Callable[[list[Json]], object]


def _placeholder_tells_more(passes: list[Json]) -> None:
    for line in passes[4:]:
        _message(line, "[dropped §4§]")["content"][0]["text"] = "[dropped §4§ (text)]"


def _marker_without_its_space(passes: list[Json]) -> None:
    passes[-1]["messages"][-1]["content"][0]["content"] = "§11§no match"


def _result_is_edited(passes: list[Json]) -> None:
    passes[-1]["messages"][-1]["content"][0]["content"] = "§11§ no match at all"


def _number_is_used_again(passes: list[Json]) -> None:
    passes[-1]["messages"][-1]["content"][0]["content"] = "§9§ no match"


def _numbers_out_of_order(passes: list[Json]) -> None:
    """Passes 6 and 7 show the newest user text below the model text before it."""
    for line in passes[5:]:
        _message(line, "Quite sure.")["content"][0]["text"] = "§9§ Quite sure."
        _message(line, "Then look once more.")["content"] = "§8§ Then look once more."


def _message(line: Json, words: str) -> Json:
    return next(message for message in line["messages"] if words in str(message["content"]))


@pytest.mark.parametrize(
    "doctor",
    [
        _placeholder_tells_more,
        _marker_without_its_space,
        _result_is_edited,
        _number_is_used_again,
        _numbers_out_of_order,
    ],
)
def test_a_wrong_number_or_rendering_is_found(tmp_path: Path, doctor: Doctor) -> None:
    """Each doctor breaks law (d) alone."""
    assert_breaks(judge_story(tmp_path, legal_story(), doctor), "d")


def _skeleton_comes_back_unasked(passes: list[Json]) -> None:
    shell = _message(passes[6], "[dropped §3§]")
    shell["content"][0]["content"] = "§3§ " + "a.py\n" * 50


def _skeleton_is_demoted(passes: list[Json]) -> None:
    shell = _message(passes[6], "call_shell")
    shell["content"].pop()
    passes[6]["messages"].remove(_message(passes[6], "[dropped §3§]"))
    passes[6]["landed"] = [landed(3, "absent", "age")]


def _landing_is_not_listed(passes: list[Json]) -> None:
    passes[4]["landed"].pop()


def _listed_but_nothing_changes(passes: list[Json]) -> None:
    passes[5]["landed"].append(landed(1, "placeholder", "queued"))


def _listed_in_another_mode(passes: list[Json]) -> None:
    passes[2]["landed"] = [landed(2, "skeleton", "age")]


def _listed_by_an_unknown_lane(passes: list[Json]) -> None:
    passes[4]["landed"].append(landed(None, "absent", "sweep"))


def _reasoning_goes_unlisted(passes: list[Json]) -> None:
    _message(passes[6], "It greets.")["content"].pop(0)


@pytest.mark.parametrize(
    "doctor",
    [
        _skeleton_comes_back_unasked,
        _skeleton_is_demoted,
        _landing_is_not_listed,
        _listed_but_nothing_changes,
        _listed_in_another_mode,
        _listed_by_an_unknown_lane,
        _reasoning_goes_unlisted,
    ],
)
def test_a_moving_or_unlisted_decision_is_found(tmp_path: Path, doctor: Doctor) -> None:
    """Each doctor breaks law (e) alone."""
    assert_breaks(judge_story(tmp_path, legal_story(), doctor), "e")


def test_listed_reasoning_may_leave(tmp_path: Path) -> None:
    """A reasoning part that is listed without a tag goes with a permit."""

    def doctor(passes: list[Json]) -> None:
        _reasoning_goes_unlisted(passes)
        passes[6]["landed"] = [landed(None, "absent", "reasoning")]

    assert_breaks(judge_story(tmp_path, legal_story(), doctor))
