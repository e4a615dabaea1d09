"""What each provider refuses is refused, and said in its own words; what it takes is taken."""

import json
import urllib.request
from collections.abc import Mapping
from typing import Any
from urllib.error import HTTPError

import pytest

from silcrow.testing.model_server import Call, ModelServer, Received, Reply

Body = dict[str, Any]
PATHS = {"anthropic": "/v1/messages", "chat": "/v1/chat/completions", "responses": "/v1/responses"}


def post(server: ModelServer, api: str, body: Any, **headers: str) -> tuple[int, Any]:
    request = urllib.request.Request(
        server.url + PATHS[api],
        data=json.dumps(body).encode(),
        headers={"content-type": "application/json", **headers},
    )
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, json.load(answer)
    except HTTPError as error:
        with error:
            return error.code, json.load(error)


def say_fine(one: Received) -> Reply:
    return Reply(text="Fine.")


def user(*blocks: Any) -> Body:
    return {"role": "user", "content": list(blocks) or "Hello."}


def model(*blocks: Any) -> Body:
    return {"role": "assistant", "content": list(blocks)}


def text(said: str, **keys: Any) -> Body:
    return {"type": "text", "text": said, **keys}


def use(call_id: str) -> Body:
    return {"type": "tool_use", "id": call_id, "name": "look", "input": {}}


def found(call_id: str, **keys: Any) -> Body:
    return {"type": "tool_result", "tool_use_id": call_id, "content": "Found.", **keys}


def messages(*given: Body, **keys: Any) -> Body:
    return {"model": "claude", "max_tokens": 9, "messages": list(given), **keys}


MARK: Body = {"cache_control": {"type": "ephemeral"}}
CHAT_CALL: Body = {"id": "a", "type": "function", "function": {"name": "look", "arguments": "{}"}}
ITEM_CALL: Body = {"type": "function_call", "call_id": "a", "name": "look", "arguments": "{}"}
ITEM_OUTPUT: Body = {"type": "function_call_output", "call_id": "a", "output": "Found."}
THOUGHT: Body = {"type": "reasoning", "id": "rs_1", "summary": []}


def chat(*given: Body, **keys: Any) -> Body:
    return {"model": "gpt", "messages": list(given), **keys}


def items(*given: Body, **keys: Any) -> Body:
    return {"model": "gpt", "input": [{"role": "user", "content": "Hello."}, *given], **keys}


def asks(*calls: Body) -> Body:
    return {"role": "assistant", "content": None, "tool_calls": list(calls)}


def tells(call_id: str) -> Body:
    return {"role": "tool", "tool_call_id": call_id, "content": "Found."}


LEGAL: Mapping[str, tuple[str, Body]] = {
    "a question": ("anthropic", messages(user())),
    "an answered call": (
        "anthropic",
        messages(user(), model(text("So."), use("a")), user(found("a"), text("Well?"))),
    ),
    "parallel calls": (
        "anthropic",
        messages(user(), model(use("a"), use("b")), user(found("b"), found("a"))),
    ),
    "four breakpoints": ("anthropic", messages(user(*[text("Hi.", **MARK)] * 4))),
    "a chat": ("chat", chat(user(), asks(CHAT_CALL), tells("a"), user())),
    "items": ("responses", items(THOUGHT, ITEM_CALL, ITEM_OUTPUT)),
    "a call far before its output": (
        "responses",
        items(
            ITEM_CALL,
            THOUGHT,
            THOUGHT | {"id": "rs_2"},
            ITEM_CALL | {"call_id": "b"},
            ITEM_OUTPUT,
            ITEM_OUTPUT | {"call_id": "b"},
        ),
    ),
}

ILLEGAL: Mapping[str, tuple[str, Any, str]] = {
    "no object": ("anthropic", ["Hello."], "not a JSON object"),
    "no limit": ("anthropic", {"model": "claude", "messages": [user()]}, "max_tokens"),
    "no messages": ("anthropic", messages(), "at least one message"),
    "the model first": ("anthropic", messages(model(text("Hi."))), 'the "user" role'),
    "an unknown role": ("anthropic", messages(user(), {"role": "tool", "content": "x"}), "tool"),
    "a blank text": ("anthropic", messages(user(text(" "))), "non-whitespace"),
    "an empty message": ("anthropic", messages(user(), model()), "non-empty content"),
    "an open call": ("anthropic", messages(user(), model(use("a")), user()), "without `tool_res"),
    "a call at the end": ("anthropic", messages(user(), model(use("a"))), "without `tool_result`"),
    "an orphan": ("anthropic", messages(user(found("a"))), "unexpected `tool_use_id`"),
    "a late result": (
        "anthropic",
        messages(user(), model(use("a")), user(found("a")), user(found("a"))),
        "unexpected `tool_use_id`",
    ),
    "two results": (
        "anthropic",
        messages(user(), model(use("a")), user(found("a"), found("a"))),
        "single result",
    ),
    "an id twice": (
        "anthropic",
        messages(*[user(), model(use("a")), user(found("a"))] * 2),
        "must be unique",
    ),
    "a result behind a text": (
        "anthropic",
        messages(user(), model(use("a")), user(text("So."), found("a"))),
        "must come first",
    ),
    "an odd id": ("anthropic", messages(user(), model(use("§"))), "should match pattern"),
    "five breakpoints": ("anthropic", messages(user(*[text("Hi.", **MARK)] * 5)), "maximum of 4"),
    "no reasoning in the open loop": (
        "anthropic",
        messages(
            user(),
            model(use("a")),
            user(found("a")),
            thinking={"type": "enabled", "budget_tokens": 2_000},
        ),
        "Expected `thinking`",
    ),
    "a foreign seal": (
        "anthropic",
        messages(
            user(),
            model({"type": "thinking", "thinking": "x", "signature": "y"}, text("Hi.")),
            user(),
        ),
        "Invalid `signature`",
    ),
    "an open call in a chat": ("chat", chat(user(), asks(CHAT_CALL), user()), "must be followed"),
    "an orphan in a chat": ("chat", chat(user(), tells("a")), "must be a response"),
    "a late result in a chat": (
        "chat",
        chat(user(), asks(CHAT_CALL), tells("a"), user(), tells("a")),
        "must be a response",
    ),
    "no content in a chat": ("chat", chat({"role": "user", "content": None}), "got null"),
    "odd arguments": (
        "chat",
        chat(asks(CHAT_CALL | {"function": {"name": "look", "arguments": "{"}}), tells("a")),
        "not JSON",
    ),
    "an output without its call": ("responses", items(ITEM_OUTPUT), "No tool call found"),
    "an output before its call": ("responses", items(ITEM_OUTPUT, ITEM_CALL), "No tool call found"),
    "a call without output": ("responses", items(ITEM_CALL), "No tool output found"),
    "a call id twice": (
        "responses",
        items(ITEM_CALL, ITEM_CALL, ITEM_OUTPUT),
        "Duplicate item found with call_id a",
    ),
    "reasoning alone": ("responses", items(THOUGHT), "required following item"),
    "history at the provider": (
        "responses",
        items(previous_response_id="resp_1"),
        "keeps no history",
    ),
}


@pytest.mark.parametrize("name", LEGAL)
def test_what_a_provider_takes_is_taken(name: str) -> None:
    api, body = LEGAL[name]
    with ModelServer(say_fine) as server:
        assert post(server, api, body)[0] == 200
    assert server.faults == []


@pytest.mark.parametrize("name", ILLEGAL)
def test_what_a_provider_refuses_is_refused_and_named(name: str) -> None:
    api, body, words = ILLEGAL[name]
    with ModelServer([Reply(text="Fine.")]) as server:
        status, answer = post(server, api, body)
        assert (status, server.is_used_up) == (400, False)
    assert words in answer["error"]["message"]
    assert server.faults == [answer["error"]["message"]]


def think(server: ModelServer, *given: Body) -> Body:
    """A turn with reasoning; what the model said."""
    status, answer = post(server, "anthropic", messages(*given))
    assert status == 200, answer
    return {"role": "assistant", "content": answer["content"]}


def test_reasoning_comes_back_as_it_was() -> None:
    with ModelServer([Reply(thought="Hm.", text="Hi."), Reply(text="Fine.")]) as server:
        said = think(server, user())
        said["content"][0]["thinking"] = "Hm!"
        status, answer = post(server, "anthropic", messages(user(), said, user()))
    assert (status, "cannot be modified" in answer["error"]["message"]) == (400, True)


@pytest.mark.parametrize("binds", [True, False])
def test_a_model_that_binds_reasoning_wants_the_same_prefix(binds: bool) -> None:
    with ModelServer(
        [Reply(thought="Hm.", text="Hi."), Reply(text="Fine."), Reply(text="Fine.")],
        binds=lambda name: binds,
    ) as server:
        said = think(server, user())
        assert post(server, "anthropic", messages(user(), said, user()))[0] == 200
        status, _ = post(server, "anthropic", messages(user(text("Hallo.")), said, user()))
    assert status == (400 if binds else 200)


def test_a_breakpoint_that_moves_changes_no_prefix() -> None:
    with ModelServer(
        [Reply(thought="Hm.", text="Hi."), Reply(text="Fine.")], binds=lambda name: True
    ) as server:
        said = think(server, user(text("Hello.", **MARK)))
        after = messages(user(text("Hello.")), said, user(text("So?", **MARK)))
        assert post(server, "anthropic", after)[0] == 200


def test_reasoning_whose_prefix_changed_may_be_left_out_on_request() -> None:
    drop = {"type": "adaptive", "block_binding": {"prefix_mismatch_behavior": "drop_block"}}
    with ModelServer(
        [Reply(thought="Hm.", text="Hi."), Reply(text="Fine.")], binds=lambda name: True
    ) as server:
        said = think(server, user())
        changed = messages(user(text("Hallo.")), said, user(), thinking=drop)
        assert post(server, "anthropic", changed)[0] == 200


def test_a_prompt_that_is_too_long_is_refused_in_tokens() -> None:
    with ModelServer(say_fine, context_window=100) as server:
        assert post(server, "anthropic", messages(user()))[0] == 200
        status, answer = post(server, "anthropic", messages(user(text("word " * 200))))
    assert status == 400 and "tokens > 100 maximum" in answer["error"]["message"]


def test_a_credential_is_kept_nowhere(tmp_path: Any) -> None:
    bodies = tmp_path / "bodies.jsonl"
    with ModelServer(say_fine, bodies=bodies) as server:
        post(server, "chat", chat(user()), Authorization="Bearer s3cret", **{"X-Api-Key": "s3cret"})
        post(server, "chat", chat(user(), user()), Cookie="s3cret", **{"X-Session": "one"})
    assert [one.headers.get("x-session") for one in server.received] == [None, "one"]
    assert "s3cret" not in repr(server.received) + bodies.read_text()
    lines = [json.loads(line) for line in bodies.read_text().splitlines()]
    assert [len(line["body"]["messages"]) for line in lines] == [1, 2]


def test_a_step_that_waits_for_words_is_kept_for_them() -> None:
    titles = Reply(text="A title.", when="title")
    with ModelServer([titles, Reply(text="One."), Reply(text="Two.")]) as server:
        said = [
            post(server, "chat", chat({"role": "user", "content": asked}))[1]
            for asked in ("Hello.", "Give it a title.", "And?")
        ]
    texts = [one["choices"][0]["message"]["content"] for one in said]
    assert texts == ["One.", "A title.", "Two."]


def test_calls_without_an_id_get_one_that_is_never_given_again() -> None:
    look = Reply(calls=(Call(name="look"), Call(name="look"), Call(name="look", id="mine")))
    with ModelServer([look, look]) as server:
        said = [post(server, "chat", chat(user()))[1] for _ in range(2)]
    ids = [c["id"] for one in said for c in one["choices"][0]["message"]["tool_calls"]]
    assert len(set(ids)) == 5 and ids.count("mine") == 2
