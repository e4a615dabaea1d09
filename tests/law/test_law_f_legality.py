"""Law (f): a request that the provider would refuse is found."""

from collections.abc import Callable
from pathlib import Path

import pytest

from law.judge import judge_passes
from law.legality import judge_legality
from law.models import binds_reasoning
from law.story import Story, assert_breaks, call, judge_story, landed, legal_story, text, thinking
from law.values import Json

Doctor = Callable[[list[Json]], object]


def _last_answer(passes: list[Json]) -> list[Json]:
    blocks: list[Json] = passes[-1]["messages"][-2]["content"]
    return blocks


def _result_without_its_call(passes: list[Json]) -> None:
    _last_answer(passes).pop(1)


def _edited_thinking(passes: list[Json]) -> None:
    _last_answer(passes)[0]["thinking"] = "Once again."


def _open_thinking_gone(passes: list[Json]) -> None:
    _last_answer(passes).pop(0)
    passes[-1]["landed"] = [landed(None, "absent", "reasoning")]


def _synthetic_arguments(passes: list[Json]) -> None:
    _last_answer(passes)[1]["input"] = {"pattern": "[dropped §11§]"}


def _call_sent_twice(passes: list[Json]) -> None:
    _last_answer(passes).append(_last_answer(passes)[1])


FAULTS: list[Doctor] = [
    _result_without_its_call,
    _edited_thinking,
    _open_thinking_gone,
    _synthetic_arguments,
    _call_sent_twice,
]


@pytest.mark.parametrize("doctor", FAULTS)
def test_an_illegal_request_is_found(tmp_path: Path, doctor: Doctor) -> None:
    """Each doctor breaks law (f) alone, in the newest step."""
    assert_breaks(judge_story(tmp_path, legal_story(), doctor), "f")


def _user(*blocks: Json) -> Json:
    return {"role": "user", "content": list(blocks)}


def _model(*blocks: Json) -> Json:
    return {"role": "assistant", "content": list(blocks)}


CALL = call("read", path="a")
RESULT: Json = {"type": "tool_result", "tool_use_id": "call_read", "content": "x"}
SHAPES: dict[str, list[Json]] = {
    "nothing": [],
    "the model first": [_model(text("x"))],
    "an empty message": [_user(text("x")), _model(), _user(text("y"))],
    "blank text": [_user(text(" \n"))],
    "empty string content": [{"role": "user", "content": ""}],
    "a result behind text": [_user(text("x")), _model(CALL), _user(text("y"), RESULT)],
    "a result one message late": [_user(text("x")), _model(CALL), _user(text("y")), _user(RESULT)],
    "a call without a result": [_user(text("x")), _model(CALL), _user(text("y"))],
    "a result twice": [_user(text("x")), _model(CALL), _user(RESULT, RESULT)],
    "a result first of all": [_user(RESULT)],
    "an id used twice": [_user(text("x")), *[_model(CALL), _user(RESULT)] * 2],
}


@pytest.mark.parametrize("name", SHAPES)
def test_an_illegal_anthropic_shape_is_found(name: str) -> None:
    """One line per rule of the provider."""
    assert list(judge_legality(SHAPES[name]))


def _chat_call(*ids: str) -> Json:
    calls = [{"id": i, "type": "function", "function": {"name": "read"}} for i in ids]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def _tool(call_id: str) -> Json:
    return {"role": "tool", "tool_call_id": call_id, "content": "x"}


CHAT: dict[str, tuple[bool, list[Json]]] = {
    "parallel calls, answered": (True, [_chat_call("1", "2"), _tool("2"), _tool("1")]),
    "one call unanswered": (False, [_chat_call("1", "2"), _tool("1")]),
    "a user message between": (False, [_chat_call("1"), _user(text("x")), _tool("1")]),
    "a result without its call": (False, [_chat_call("1"), _tool("1"), _tool("2")]),
    "a result twice": (False, [_chat_call("1"), _tool("1"), _tool("1")]),
}


@pytest.mark.parametrize("name", CHAT)
def test_chat_calls_are_answered_at_once(name: str) -> None:
    """Each call has one tool message behind it, with nothing between."""
    is_legal, messages = CHAT[name]
    assert is_legal == (not list(judge_legality([{"role": "system", "content": ""}, *messages])))


def _bound_story(*land: Json) -> Story:
    """On a bound model something lands in front of the reasoning of the second step."""
    story = Story(model="claude-opus-5-5")
    story.say("Look.")
    story.send("nothing_sent", scope=0)
    story.answer(call("read", path="a"))
    story.result("read", "x " * 200)  # §2§
    story.send()
    story.answer(thinking("A list of x."), text("Done."))
    story.wait(600)
    story.say("Thanks.")
    story.send("cache_expired", scope=0, land=land)
    story.answer(text("Welcome."))
    return story


def test_bound_reasoning_may_stay_behind_what_it_was_made_behind(tmp_path: Path) -> None:
    """Nothing landed: the prefix is the one of the pass that made it."""
    assert_breaks(judge_story(tmp_path, _bound_story()))


def test_bound_reasoning_behind_a_landing_is_found(tmp_path: Path) -> None:
    """A skeleton in front of it changes its prefix."""
    story = _bound_story(landed(2, "skeleton", "age"))
    assert_breaks(judge_story(tmp_path, story), "f")


def test_bound_reasoning_may_leave_with_the_landing(tmp_path: Path) -> None:
    """Absent together with the change in front of it, it breaks nothing."""

    def doctor(passes: list[Json]) -> None:
        passes[2]["messages"][3]["content"].pop(0)
        passes[2]["landed"].append(landed(None, "absent", "age"))

    story = _bound_story(landed(2, "skeleton", "age"))
    assert_breaks(judge_story(tmp_path, story, doctor))


@pytest.mark.parametrize(
    ("model", "is_bound"),
    [
        ("claude-fable-5-1", True),
        ("claude-fable-5", False),
        ("claude-mythos-5.1", True),
        ("anthropic/claude-opus-5-5-20270101", True),
        ("claude-opus-6", True),
        ("claude-opus-4-20250514", False),
        ("claude-sonnet-4-5-20250929", False),
        ("claude-haiku-5-5", True),
        ("gpt-5.5", False),
    ],
)
def test_the_newest_models_bind_their_reasoning(model: str, is_bound: bool) -> None:
    """The table's versions and all later ones."""
    assert binds_reasoning(model) is is_bound


def test_a_request_beyond_the_window_is_reported_apart(tmp_path: Path) -> None:
    """It is told by `over_limit`; no law is broken."""
    story = Story(window=4_100)
    story.say("alpha " * 200)
    story.send("nothing_sent", scope=0)
    story.answer(text("Yes."))
    assert_breaks(judge_story(tmp_path, story))
    over = judge_passes(tmp_path / "wire.jsonl", []).over_limit
    assert [(o.pass_number, o.limit) for o in over] == [(1, 100)]
