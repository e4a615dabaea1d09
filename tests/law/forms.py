"""Which wire form a request has, told from its messages; the recording says where they do not."""

from collections.abc import Iterator, Sequence

from law.values import Json, as_text, content_blocks

ANTHROPIC = "anthropic"
CHAT = "openai_chat"
RESPONSES = "openai_responses"
GEMINI = "gemini"

_CHAT_ROLES = ("tool", "system", "developer")
_ANTHROPIC_BLOCKS = frozenset({"tool_use", "tool_result", "thinking", "redacted_thinking"})
_RESPONSES_BLOCKS = frozenset({"input_text", "output_text", "input_image", "input_file"})


def detect_form(messages: Sequence[Json], expected: Sequence[str] = ()) -> str:
    """The form of a request; where its messages tell nothing, the first that is expected."""
    signs = next((sign for message in messages for sign in _signs(message)), None)
    return signs or (expected[0] if expected else ANTHROPIC)


def _signs(message: Json) -> Iterator[str]:
    blocks = {as_text(block.get("type")) for block in content_blocks(message.get("content"))}
    if "parts" in message:
        yield GEMINI
    elif blocks & _RESPONSES_BLOCKS or ("type" in message and "role" not in message):
        yield RESPONSES
    elif blocks & _ANTHROPIC_BLOCKS:
        yield ANTHROPIC
    elif "tool_calls" in message or ("type" not in message and message.get("role") in _CHAT_ROLES):
        yield CHAT
