"""What a provider would have billed for the request that Silcrow hands over."""

from collections.abc import Callable

from silcrow.formats.table import FORMATS
from silcrow.hooks.conversation import Block, count_block
from silcrow.hooks.facts import Usage
from silcrow.hooks.permit import Permit
from silcrow.simulator.measure import MeasuredRequest
from silcrow.simulator.recordings.recording import RecordedCall


def estimate_usage(request: MeasuredRequest, permit: Permit, output_tokens: int) -> Usage:
    """Split a request into what the provider still holds and what it writes.

    Read is what stands before the first changed unit, unless the whole prefix is lost.
    """
    read = 0 if permit.scope == 0 else request.shared_tokens
    return Usage(cache_read=read, cache_write=request.tokens - read, output=output_tokens)


class AnswerSizes:
    """How long the answers of a recording are: as the next call shows them, else as recorded."""

    def __init__(self, message_format: str, count: Callable[[str], int]) -> None:
        self._format = FORMATS[message_format]
        self._count = count

    def tokens(self, call: RecordedCall, following: RecordedCall | None) -> int:
        answer = [] if following is None else self._find_answer(call, following)
        if answer:
            return sum(count_block(block, self._count) for block in answer)
        return 0 if call.usage is None else call.usage.output

    def _find_answer(self, call: RecordedCall, following: RecordedCall) -> list[Block]:
        """What the model wrote first of all that the next call has and this one had not.

        It is one message, or a run of items where each piece of an answer is a message.
        """
        known = set(call.message_ids)
        found: list[Block] = []
        for message_id, message in zip(following.message_ids, following.messages, strict=True):
            if message_id in known:
                continue
            role, blocks = self._format.read(message)
            if role == "assistant":
                found.extend(blocks)
            elif found:
                break
        return found
