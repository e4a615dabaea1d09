"""What the host would have sent without Silcrow, in tokens."""

from collections.abc import Callable, Sequence

from silcrow.formats.table import FORMATS
from silcrow.hooks.conversation import count_block
from silcrow.simulator.measure import count_head
from silcrow.simulator.prefix import same_objects
from silcrow.simulator.recordings.recording import NativeMessage, Recording


class IncomingMeter:
    """Counts the recorded lists, head included, as far as the recording holds one."""

    def __init__(self, recording: Recording, count: Callable[[str], int]) -> None:
        self._format = FORMATS[recording.message_format]
        self._count = count
        self._head_tokens = count_head(recording.tools, recording.system, count)
        self._before: Sequence[NativeMessage] = ()
        self._tokens: list[int] = []

    def measure(self, messages: Sequence[NativeMessage]) -> int:
        """The tokens of one list; only what changed since the last one is counted again."""
        reused = same_objects(self._before, messages)
        del self._tokens[reused:]
        self._tokens.extend(map(self._count_message, messages[reused:]))
        self._before = messages
        return self._head_tokens + sum(self._tokens)

    def _count_message(self, native: NativeMessage) -> int:
        return sum(count_block(block, self._count) for block in self._format.read(native)[1])
