"""A diligent agent: it marks what the rest of the recording shows that it never needs again."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from silcrow.formats.table import FORMATS
from silcrow.hooks.conversation import Block, BlockKind
from silcrow.hooks.identity import UNTAGGED, KnownParts, TaggedList
from silcrow.hooks.quotes import quotable_lines, strings_in, written_lines
from silcrow.simulator.prefix import same_objects
from silcrow.simulator.recordings.recording import NativeMessage, RecordedCall, Recording

CALLS_LATER = 2
"""Model calls between the one that first saw an output and the one that marks it."""

Moment = tuple[int, int]
"""The call in whose list something first stood, and its place there: what is later is greater."""


@dataclass(frozen=True, slots=True)
class MarkedOutput:
    """A tool output that the agent marks, by the message that holds it and the call it answers."""

    message_id: str
    call_id: str


class DiligentAgent:
    """Knows the whole recording; the same recording and call number give the same outputs.

    An output is marked two model calls after it was first seen, if nothing that the model writes
    later, in texts or arguments, repeats a line of it.
    """

    def __init__(self, recording: Recording) -> None:
        reader = _Reader(recording)
        self._due: dict[int, list[MarkedOutput]] = {}
        for moment, output, lines in reader.outputs:
            if not any(reader.last_written.get(line, (0, 0)) > moment for line in lines):
                self._due.setdefault(moment[0] + CALLS_LATER, []).append(output)

    def marks_after(self, call_number: int) -> Sequence[MarkedOutput]:
        """The outputs that the agent marks once this call has been answered."""
        return self._due.get(call_number, ())


class _Reader:
    """Reads a recording once: every tool output with its lines, and when each line was written."""

    def __init__(self, recording: Recording) -> None:
        self._format = FORMATS[recording.message_format]
        self._read_outputs: set[MarkedOutput] = set()
        self._read_answers: set[str] = set()
        self.outputs: list[tuple[Moment, MarkedOutput, set[str]]] = []
        self.last_written: dict[str, Moment] = {}
        before: tuple[NativeMessage, ...] = ()
        for call in recording.calls:
            for index in range(same_objects(before, call.messages), len(call.messages)):
                self._read_message(call, index)
            before = call.messages

    def _read_message(self, call: RecordedCall, index: int) -> None:
        role, blocks = self._format.read(call.messages[index])
        message_id = call.message_ids[index]
        moment = (call.number, index)
        if role == "assistant":
            if message_id not in self._read_answers:
                self._read_answers.add(message_id)
                lines = written_lines(_model_texts(blocks))
                self.last_written.update(dict.fromkeys(lines, moment))
            return
        for block in blocks:
            output = MarkedOutput(message_id, block.call_id)
            if block.kind is BlockKind.RESULT and output not in self._read_outputs:
                self._read_outputs.add(output)
                lines = {line for text in block.counted for line in quotable_lines(text)}
                self.outputs.append((moment, output, lines))


def _model_texts(blocks: Sequence[Block]) -> Iterator[str]:
    for block in blocks:
        if block.kind is BlockKind.TEXT:
            yield block.text
        elif block.kind is BlockKind.CALL:
            yield from strings_in(block.arguments if block.arguments is not None else block.content)


def find_numbers(marks: Sequence[MarkedOutput], tagged: TaggedList) -> list[int]:
    """The numbers that the model sees at these outputs; those no longer in the list have none."""
    if not marks:
        return []
    wanted = set(marks)
    ids = {mark.message_id for mark in marks}
    found: set[int] = set()
    for message, owners in zip(tagged.messages, tagged.owners, strict=True):
        if message.id not in ids:
            continue
        for block, owner in zip(message.blocks, owners, strict=True):
            if block.kind is BlockKind.RESULT and MarkedOutput(message.id, block.call_id) in wanted:
                found.add(owner)
    return sorted(found - {UNTAGGED})


def find_known_numbers(
    marks: Sequence[MarkedOutput], known: KnownParts, call: RecordedCall
) -> list[int]:
    """The same from what the database knows, for a run that begins behind this call."""
    in_list = set(call.message_ids)
    return sorted(
        max(known.calls[mark.call_id])
        for mark in marks
        if mark.message_id in in_list and mark.call_id in known.calls
    )
