"""Makers of native messages in every format, as small as a test can read them."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from silcrow.formats.anthropic import AnthropicMessages
from silcrow.formats.gemini import Gemini
from silcrow.formats.openai_chat import OpenAIChat
from silcrow.formats.openai_responses import OpenAIResponses
from silcrow.hooks.conversation import Message
from silcrow.hooks.shapes import MessageFormat
from silcrow.session.observed import ListReader, ObservedList, observe_list

Native = dict[str, Any]

ANTHROPIC: MessageFormat = AnthropicMessages()
CHAT: MessageFormat = OpenAIChat()
RESPONSES: MessageFormat = OpenAIResponses()
GEMINI: MessageFormat = Gemini()
FORMATS = [ANTHROPIC, CHAT, RESPONSES, GEMINI]
CACHE_POINT = {"type": "ephemeral", "ttl": "1h"}


def text(words: str, **keys: Any) -> Native:
    return {"type": "text", "text": words, **keys}


def image(**keys: Any) -> Native:
    source = {"type": "base64", "media_type": "image/png", "data": "aGk="}
    return {"type": "image", "source": source, **keys}


def document(title: str, **keys: Any) -> Native:
    source = {"type": "text", "media_type": "text/plain", "data": "pages"}
    return {"type": "document", "title": title, "source": source, **keys}


def thinking(words: str = "hm") -> Native:
    return {"type": "thinking", "thinking": words, "signature": "c2ln"}


def call(call_id: str, name: str = "bash", **arguments: Any) -> Native:
    return {"type": "tool_use", "id": call_id, "name": name, "input": arguments}


def result(call_id: str, content: Any = "done", **keys: Any) -> Native:
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, **keys}


def user(*content: str | Native) -> Native:
    """A user message; one string alone is string content, as hosts send it."""
    return {"role": "user", "content": _content(content)}


def assistant(*content: str | Native) -> Native:
    return {"role": "assistant", "content": _content(content)}


def _content(content: Sequence[str | Native]) -> Any:
    if len(content) == 1 and isinstance(content[0], str):
        return content[0]
    return [text(piece) if isinstance(piece, str) else piece for piece in content]


def chat_call(call_id: str, name: str = "bash", **arguments: Any) -> Native:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"id": call_id, "type": "function", "function": function}


def chat_assistant(content: Any, *calls: Native, **keys: Any) -> Native:
    message: Native = {"role": "assistant", "content": content, **keys}
    return {**message, "tool_calls": list(calls)} if calls else message


def chat_result(call_id: str, content: Any = "done", **keys: Any) -> Native:
    return {"role": "tool", "tool_call_id": call_id, "content": content, **keys}


def chat_image(**keys: Any) -> Native:
    return {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}, **keys}


def item_message(role: str, *content: str | Native, **keys: Any) -> Native:
    """A message item; one string alone is string content and needs no type."""
    if len(content) == 1 and isinstance(content[0], str):
        return {"role": role, "content": content[0], **keys}
    kind = "output_text" if role == "assistant" else "input_text"
    listed = [
        {"type": kind, "text": piece} if isinstance(piece, str) else piece for piece in content
    ]
    return {"type": "message", "role": role, "content": listed, **keys}


def item_call(call_id: str, name: str = "bash", **arguments: Any) -> Native:
    text = json.dumps(arguments)
    return {"type": "function_call", "call_id": call_id, "name": name, "arguments": text}


def item_output(call_id: str, output: Any = "done", **keys: Any) -> Native:
    return {"type": "function_call_output", "call_id": call_id, "output": output, **keys}


def item_reasoning(words: str = "hm", **keys: Any) -> Native:
    summary = [{"type": "summary_text", "text": words}]
    return {"type": "reasoning", "summary": summary, **keys}


def item_image(**keys: Any) -> Native:
    return {"type": "input_image", "image_url": "data:image/png;base64,aGk=", **keys}


def contents(role: str, *parts: str | Native, **keys: Any) -> Native:
    """A message of Gemini's; a string is a part with that text."""
    listed = [{"text": part} if isinstance(part, str) else part for part in parts]
    return {"role": role, "parts": listed, **keys}


def part_call(name: str = "bash", call_id: str = "", **arguments: Any) -> Native:
    given = {"id": call_id} if call_id else {}
    return {"functionCall": {**given, "name": name, "args": arguments}}


def part_response(response: Any, name: str = "bash", call_id: str = "", **keys: Any) -> Native:
    given = {"id": call_id} if call_id else {}
    return {"functionResponse": {**given, "name": name, "response": response, **keys}}


def part_image(**keys: Any) -> Native:
    return {"inlineData": {"mimeType": "image/png", "data": "aGk="}, **keys}


def read_list(
    natives: Sequence[Mapping[str, Any]],
    form: MessageFormat = ANTHROPIC,
    ids: Sequence[str | None] | None = None,
) -> list[Message]:
    """Read a list as a session does; without ids the messages are m0, m1 and so on."""
    named = [f"m{index}" for index in range(len(natives))] if ids is None else ids
    return observe_list(natives, named, ObservedList(), ListReader(form=form, count=len)).messages
