"""A person's commands as prompts: answered without a model call, and never sent to a model."""

from collections.abc import Sequence
from dataclasses import replace

from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    UserPromptPart,
)

from silcrow.commands.names import COMMANDS

ANSWERED = "silcrow_command"
"""The key in an answer's metadata by which a later request knows the exchange and leaves it out."""


def find_command(messages: Sequence[ModelMessage]) -> tuple[str, str] | None:
    """Name and arguments of the command that the newest prompt consists of; None if it is none."""
    newest = messages[-1] if messages else None
    if not isinstance(newest, ModelRequest):
        return None
    prompts = [part.content for part in newest.parts if isinstance(part, UserPromptPart)]
    if len(prompts) != 1 or not isinstance(prompts[0], str):
        return None
    name, _, arguments = prompts[0].strip().partition(" ")
    is_known = name.startswith("/") and name[1:].lower() in COMMANDS
    return (name[1:].lower(), arguments.strip()) if is_known else None


def make_answer(text: str) -> ModelResponse:
    """An answer that no model gave."""
    return ModelResponse([TextPart(text)], metadata={ANSWERED: True})


def leave_out_commands(messages: Sequence[ModelMessage]) -> list[ModelMessage]:
    """The messages without commands and their answers. The rest are the very same objects, but
    for a request that holds something besides the command, such as the system prompt."""
    kept: list[ModelMessage] = []
    for message in messages:
        if not _is_answer(message):
            kept.append(message)
        elif kept and isinstance(asked := kept[-1], ModelRequest):
            rest = [part for part in asked.parts if not isinstance(part, UserPromptPart)]
            kept[-1:] = [replace(asked, parts=rest)] if rest else []
    return kept


def _is_answer(message: ModelMessage) -> bool:
    return isinstance(message, ModelResponse) and bool((message.metadata or {}).get(ANSWERED))
