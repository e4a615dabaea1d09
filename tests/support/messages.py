"""Makers of native messages in both formats, as small as a test can read them."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from silcrow.formats.anthropic import AnthropicMessages
from silcrow.formats.openai_chat import OpenAIChat
from silcrow.hooks.conversation import Message
from silcrow.hooks.shapes import MessageFormat
from silcrow.session.observed import ListReader, ObservedList, observe_list

Native = dict[str, Any]

ANTHROPIC: MessageFormat = AnthropicMessages()
CHAT: MessageFormat = OpenAIChat()
FORMATS = [ANTHROPIC, CHAT]
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


def read_list(
    natives: Sequence[Mapping[str, Any]],
    form: MessageFormat = ANTHROPIC,
    ids: Sequence[str | None] | None = None,
) -> list[Message]:
    """Read a list as a session does; without ids the messages are m0, m1 and so on."""
    named = [f"m{index}" for index in range(len(natives))] if ids is None else ids
    return observe_list(natives, named, ObservedList(), ListReader(form=form, count=len)).messages
