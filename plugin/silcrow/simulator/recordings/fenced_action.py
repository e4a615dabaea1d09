"""Takes apart an answer whose action is a fenced block in its text."""

import re
from dataclasses import dataclass
from typing import Any

from silcrow.hooks.canonical import canonical_json

_FENCE = re.compile(r"^```[^\n`]*\n(.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)

ACTION_TOOL = "bash"
"""The tool that such an action is a call of: these hosts have one, a shell."""

ChatContent = str | list[dict[str, Any]] | None


@dataclass(frozen=True, slots=True)
class ChatAnswer:
    """An answer as a chat message and its calls.

    `action_id` is the call that was a fenced block, whose result has no id; empty if there is none.
    """

    message: dict[str, Any]
    calls: list[dict[str, Any]]
    action_id: str = ""


def take_apart(name: str, content: ChatContent, calls: list[dict[str, Any]]) -> ChatAnswer:
    """Read an answer. Recorded calls stay as they are, with the whole text beside them.

    Without one the last fenced block is the action, and becomes a call named after the answer:
    hosts of this kind ask for one block. The text around it is kept as it stands.
    """
    action_id = ""
    if not calls and isinstance(content, str):
        blocks = list(_FENCE.finditer(content))
        if blocks:
            block, action_id = blocks[-1], f"action-{name}"
            calls = [_call_entry(action_id, block[1].removesuffix("\n"))]
            content = content[: block.start()] + content[block.end() :].removeprefix("\n")
    if not content or (isinstance(content, str) and not content.strip()):
        content = None
    return ChatAnswer({"role": "assistant", "content": content}, calls, action_id)


def _call_entry(call_id: str, command: str) -> dict[str, Any]:
    function = {"name": ACTION_TOOL, "arguments": canonical_json({"command": command})}
    return {"id": call_id, "type": "function", "function": function}
