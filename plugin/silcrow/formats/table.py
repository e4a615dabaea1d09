"""The known message formats, by the name that hosts give."""

from collections.abc import Mapping

from silcrow.formats.anthropic import AnthropicMessages
from silcrow.formats.openai_chat import OpenAIChat
from silcrow.hooks.shapes import MessageFormat

FORMATS: Mapping[str, MessageFormat] = {
    known.name: known for known in (AnthropicMessages(), OpenAIChat())
}
