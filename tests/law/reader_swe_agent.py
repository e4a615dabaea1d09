"""Reads SWE-agent trajectories of 2024: `history`, the action in a fence, output in user words."""

import re
from collections.abc import Iterator

from law.flat_list import FlatList, result_block, text_block
from law.forms import CHAT
from law.recordings import Block, Clock, Fit, Kind, RecordedCall, RecordedSession
from law.values import Json, as_objects, as_text

_FENCE = re.compile(r"```[^\n`]*\n(.*?)\n?```", re.DOTALL)


def read_swe_agent(document: Json) -> list[RecordedSession]:
    """The one session of the file; it has no clock and no model. Writes nothing."""
    sent = FlatList()
    calls: list[RecordedCall] = []
    waiting: Block | None = None
    for number, entry in enumerate(as_objects(document.get("history"))):
        uid, text = f"history {number}", as_text(entry.get("content"))
        role = as_text(entry.get("role"))
        if role == "assistant":
            calls.append(RecordedCall(sent.snapshot(), 0.0, 0.0, False, "", ""))
            said = list(_answer(uid, text, len(calls) - 1))
            waiting = next((block for block in said if block.kind is Kind.CALL), None)
            sent.add(said)
        elif waiting is not None:
            sent.add([result_block(uid, waiting, "", text)])
            waiting = None
        else:
            sent.add([text_block(uid, role, text)])
    name = as_text(document.get("environment"))
    return [RecordedSession(name, calls, len(sent.results), (CHAT,), Clock.NONE)]


def _answer(uid: str, text: str, answer: int) -> Iterator[Block]:
    """The words, with or without the action in them, then the action as a call."""
    fence = list(_FENCE.finditer(text))[-1:]
    if not fence:
        yield text_block(uid, "assistant", text, answer)
        return
    thought, action = text[: fence[0].start()] + text[fence[0].end() :], fence[0][1]
    body: Json = {"type": "text", "text": text}
    words = (text.strip(), thought.strip())
    is_bare = not words[1]
    yield Block(uid, uid, "assistant", Kind.TEXT, body, Fit.ONE_OF, words, answer, is_bare)
    call: Json = {"type": "tool_use", "id": "", "name": "", "input": action.strip()}
    here = f"{uid} action"
    yield Block(here, here, "assistant", Kind.CALL, call, Fit.INVENTED, answer=answer)
