"""A person's commands: LangChain has no registry, so a message that is nothing else is one."""

import re
from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage

_COMMAND = re.compile(r"/(ctx-[a-z]+)(?:[ \t]+([^\n]*))?")
_ASIDE = "silcrow_aside"


def find_command(messages: Sequence[BaseMessage]) -> tuple[str, str] | None:
    """Name and arguments of the command that the list ends with, if it ends with one."""
    last = messages[-1] if messages else None
    if not isinstance(last, HumanMessage):
        return None
    found = _COMMAND.fullmatch(last.text.strip())
    return (found[1], (found[2] or "").strip()) if found else None


def answer_aside(question: AnyMessage, answer: str) -> list[AnyMessage]:
    """The messages to store: question (in its old place, by its id) and answer, noted as words
    that pass between the person and Silcrow and that no model is to read."""
    noted = {**question.additional_kwargs, _ASIDE: True}
    return [
        question.model_copy(update={"additional_kwargs": noted}),
        AIMessage(content=answer, additional_kwargs={_ASIDE: True}),
    ]


def without_asides(messages: list[AnyMessage]) -> list[AnyMessage]:
    """The list without commands and their answers; the very list if it has none."""
    kept = [message for message in messages if not _is_aside(message)]
    return messages if len(kept) == len(messages) else kept


def _is_aside(message: AnyMessage) -> bool:
    noted: Any = message.additional_kwargs.get(_ASIDE)
    return noted is True
