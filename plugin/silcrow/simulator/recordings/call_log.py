"""Collects the calls of one session and keeps their times in order."""

from dataclasses import dataclass

from silcrow.simulator.recordings.recording import NativeMessage, RecordedCall, RecordedUsage


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a recording tells about the answer to one request; its times may be out of order."""

    requested_at: float
    answered_at: float
    provider: str
    model: str
    usage: RecordedUsage | None
    failed: bool = False


class CallLog:
    """The calls of one session so far; numbers them, and time never goes backwards in them."""

    def __init__(self) -> None:
        self._calls: list[RecordedCall] = []
        self._clock = float("-inf")

    @property
    def calls(self) -> tuple[RecordedCall, ...]:
        return tuple(self._calls)

    def add(
        self, answer: Answer, messages: tuple[NativeMessage, ...], ids: tuple[str, ...]
    ) -> None:
        """Note that `messages` were sent and answered so."""
        requested_at = max(answer.requested_at, self._clock)
        self._clock = max(answer.answered_at, requested_at)
        self._calls.append(
            RecordedCall(
                number=len(self._calls) + 1,
                requested_at=requested_at,
                answered_at=self._clock,
                provider=answer.provider,
                model=answer.model,
                messages=messages,
                message_ids=ids,
                usage=answer.usage,
                failed=answer.failed,
            )
        )
