"""The providers' own clients read what the server says, whole and streamed."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from anthropic import Anthropic
from anthropic import BadRequestError as AnthropicRefusal
from openai import APIConnectionError, BadRequestError, OpenAI, RateLimitError

from silcrow.testing.model_server import Call, Failure, ModelServer, Reply

REPLY = Reply(
    text="Let me look at both.",
    thought="There are two files.",
    calls=(Call(name="read", arguments={"path": "a"}), Call(name="read", arguments={"path": "ü"})),
)
Said = tuple[str | None, str, list[tuple[str, Any]], int]
"""Reasoning, text, calls with their arguments, and prompt tokens."""


def ask_anthropic(server: ModelServer, *, streams: bool) -> Said:
    with Anthropic(base_url=server.url, api_key="none", max_retries=0) as typed:
        client: Any = typed  # what it gives back is judged by its values
        asked: Any = {
            "model": "claude-opus-4-6",
            "max_tokens": 100,
            "messages": [{"role": "user", "content": "Look."}],
        }
        if streams:
            with client.messages.stream(**asked) as stream:
                message: Any = stream.get_final_message()
        else:
            message = client.messages.create(**asked)
    blocks = {kind: [b for b in message.content if b.type == kind] for kind in ("text", "thinking")}
    calls = [(b.name, b.input) for b in message.content if b.type == "tool_use"]
    assert message.stop_reason == "tool_use"
    tokens = message.usage.input_tokens + message.usage.cache_read_input_tokens
    return blocks["thinking"][0].thinking, blocks["text"][0].text, calls, tokens


def ask_chat(server: ModelServer, *, streams: bool) -> Said:
    with OpenAI(base_url=f"{server.url}/v1", api_key="none", max_retries=0) as typed:
        client: Any = typed
        asked: Any = {"model": "gpt-5", "messages": [{"role": "user", "content": "Look."}]}
        if streams:
            with client.chat.completions.stream(
                **asked, stream_options={"include_usage": True}
            ) as stream:
                completion: Any = stream.get_final_completion()
        else:
            completion = client.chat.completions.create(**asked)
    message = completion.choices[0].message
    calls = [(c.function.name, json.loads(c.function.arguments)) for c in message.tool_calls]
    assert completion.choices[0].finish_reason == "tool_calls"
    thought = None if streams else message.reasoning_content  # the client joins what it knows
    return thought, message.content, calls, completion.usage.prompt_tokens


def ask_responses(server: ModelServer, *, streams: bool) -> Said:
    with OpenAI(base_url=f"{server.url}/v1", api_key="none", max_retries=0) as typed:
        client: Any = typed
        asked: Any = {"model": "gpt-5", "input": [{"role": "user", "content": "Look."}]}
        if streams:
            with client.responses.stream(**asked) as stream:
                response: Any = stream.get_final_response()
        else:
            response = client.responses.create(**asked)
    calls = [
        (item.name, json.loads(item.arguments))
        for item in response.output
        if item.type == "function_call"
    ]
    assert response.output[0].encrypted_content
    thought = response.output[0].summary[0].text
    return thought, response.output_text, calls, response.usage.input_tokens


CLIENTS: dict[str, Callable[..., Said]] = {
    "anthropic": ask_anthropic,
    "openai_chat": ask_chat,
    "openai_responses": ask_responses,
}


@pytest.mark.parametrize("streams", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("api", CLIENTS)
def test_a_client_reads_the_answer_of_the_script(api: str, streams: bool) -> None:
    with ModelServer([REPLY]) as server:
        thought, text, calls, tokens = CLIENTS[api](server, streams=streams)
    assert thought in (REPLY.thought, None)
    assert text == REPLY.text
    assert calls == [("read", {"path": "a"}), ("read", {"path": "ü"})]
    [one] = server.received
    assert tokens == one.usage.prompt > 0
    assert (one.api, one.fault, one.status, server.is_used_up) == (api, "", 200, True)
    assert bool(one.body.get("stream")) == streams


@pytest.mark.parametrize("api", CLIENTS)
def test_a_client_raises_what_the_script_refuses(api: str) -> None:
    refusal = Failure(status=400, message="prompt is too long: 9 tokens > 8 maximum")
    with ModelServer([refusal]) as server:
        with pytest.raises((AnthropicRefusal, BadRequestError), match="9 tokens > 8 maximum"):
            CLIENTS[api](server, streams=False)
    assert server.received[0].status == 400 and server.faults == []


def test_a_rate_limit_says_when_to_come_back() -> None:
    limit = Failure(status=429, message="Slow down.", type="rate_limit_error", retry_after=1.5)
    with ModelServer([limit]) as server, pytest.raises(RateLimitError) as raised:
        ask_chat(server, streams=False)
    assert raised.value.response.headers["retry-after"] == "1.5"


@pytest.mark.parametrize("api", CLIENTS)
def test_a_connection_may_break_in_the_middle_of_an_answer(api: str) -> None:
    with ModelServer([REPLY.model_copy(update={"cut_after": 4})]) as server:
        with pytest.raises(Exception) as raised:
            CLIENTS[api](server, streams=True)
    assert "AssertionError" not in repr(raised.value)
    assert server.received[0].status == 200


def test_a_script_that_is_used_up_says_so() -> None:
    with ModelServer([]) as server, pytest.raises(Exception, match="no answer left for request 1"):
        ask_chat(server, streams=False)


def test_nobody_listens_behind_the_end() -> None:
    with ModelServer([REPLY]) as server:
        pass
    with pytest.raises(APIConnectionError):
        ask_chat(server, streams=False)
