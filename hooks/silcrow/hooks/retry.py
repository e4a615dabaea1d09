"""Whether a request is the last one again: nobody answered it, and its host sends it once more."""

from silcrow.hooks.identity import Tagging
from silcrow.hooks.request import PassInput
from silcrow.hooks.state import SessionState
from silcrow.hooks.wire import Wire


def is_retry(state: SessionState, request: PassInput, tagging: Tagging, replay: Wire) -> bool:
    """Whether the known decisions give the bytes of the last pass, of which no answer is known.

    Needs no memory, so that another process finds it out as well. After an answer the same list
    is a new request, and so it is after a refusal of that very request as too large.
    """
    record, sent = state.record, state.sent
    if sent is None or not record.awaits_answer:
        return False
    is_same_model = record.model_key == request.policy.model_key
    head = (request.head.tools, request.head.system)
    if not is_same_model or head != (record.tools_digest, record.system_digest):
        return False
    if tagging.new or tagging.changed:
        return False
    return replay.digests == sent.digests
