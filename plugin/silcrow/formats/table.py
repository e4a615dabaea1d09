"""The known message formats, by the name that hosts give."""

from collections.abc import Mapping

from silcrow.formats.anthropic import AnthropicMessages
from silcrow.formats.gemini import Gemini
from silcrow.formats.openai_chat import OpenAIChat
from silcrow.formats.openai_responses import OpenAIResponses
from silcrow.hooks.shapes import MessageFormat

FORMATS: Mapping[str, MessageFormat] = {
    known.name: known for known in (AnthropicMessages(), OpenAIChat(), OpenAIResponses(), Gemini())
}
