"""What the answer to a request teaches about its model: the window, and how to count for it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from silcrow.hooks.calibration import Calibration, calibrate
from silcrow.hooks.results import Limits
from silcrow.hooks.state import MediaLimit, Refusal

if TYPE_CHECKING:  # its patterns take long to compile, and only the type is needed here
    from silcrow.hooks.overflow import Overflow

LEAST_WINDOW = 4_000
LARGEST_WINDOW = 20_000_000
PLAUSIBLE_TIMES = 2
NEARLY_FULL = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedPass:
    """The line of the ledger that an answer belongs to. `wire_tokens` are as counted here."""

    number: int
    model_key: str
    wire_tokens: int
    limits: Limits
    is_main: bool = True

    @property
    def estimate(self) -> int:
        """What the provider was expected to count."""
        return round(self.limits.offset + self.limits.factor * self.wire_tokens)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lessons:
    """What a session has learnt, by model key, and a refusal that nothing has answered yet."""

    calibration: Mapping[str, Calibration]
    learned_limits: Mapping[str, int]
    refusal: Refusal | None = None


def learn_from_answer(known: Lessons, asked: AskedPass, prompt_tokens: int) -> Lessons:
    """The lessons after an answer that was billed for so many prompt tokens. Pure.

    A prompt larger than the assumed window, and accepted, shows that the window is larger.
    """
    learned = known.learned_limits
    if _is_larger(asked, prompt_tokens):
        learned = {**learned, asked.model_key: prompt_tokens + asked.limits.reserve}
    return replace(_calibrated(known, asked, prompt_tokens), learned_limits=learned)


def _is_larger(asked: AskedPass, prompt_tokens: int) -> bool:
    plausible = min(LARGEST_WINDOW, PLAUSIBLE_TIMES * asked.estimate)
    return asked.limits.window < prompt_tokens <= plausible


def learn_from_overflow(known: Lessons, asked: AskedPass, overflow: "Overflow") -> Lessons:
    """The lessons after a provider refused a request as too large. Pure.

    The limit is the one that the text names. Where it names none, the request itself is the bound:
    less than its estimate must do.
    """
    named = _named_window(asked, overflow)
    bound = asked.estimate - 1 + asked.limits.reserve
    names_none = overflow.limit is None or overflow.limit < LEAST_WINDOW
    learned = dict(known.learned_limits)
    if named is not None:
        learned[asked.model_key] = named
    elif names_none and LEAST_WINDOW <= bound < asked.limits.window:
        learned[asked.model_key] = bound
    lessons = replace(known, learned_limits=learned)
    # A request of this size would make far too large an offset of what is sent unseen.
    knows_offset = asked.limits.counts_head or asked.model_key in known.calibration
    if not asked.is_main or not knows_offset:
        return lessons
    return _calibrated(lessons, asked, overflow.prompt_tokens or 0)


def _named_window(asked: AskedPass, overflow: "Overflow") -> int | None:
    """The context window that a text names. A limit of the prompt alone leaves the answer its
    reserve; one far above the request that was refused is some other number."""
    limit = overflow.limit
    size = max(asked.estimate, overflow.prompt_tokens or 0)
    if limit is None or not LEAST_WINDOW <= limit <= PLAUSIBLE_TIMES * size:
        return None
    return limit if overflow.covers_answer else limit + asked.limits.reserve


def _calibrated(known: Lessons, asked: AskedPass, prompt_tokens: int) -> Lessons:
    found = calibrate(
        known.calibration.get(asked.model_key),
        counted=asked.wire_tokens,
        answered=prompt_tokens,
        counts_head=asked.limits.counts_head,
        first_factor=asked.limits.factor,
    )
    if found is None:
        return known
    return replace(known, calibration={**known.calibration, asked.model_key: found})


def refuse(
    before: Refusal | None,
    asked: AskedPass,
    user_message: int,
    media: MediaLimit | None = None,
) -> Refusal:
    """The refusal of a main request, which counts those by the same model for the same user
    message. Pure."""
    attempts = 0
    if before is not None and before.model_key == asked.model_key:
        attempts = before.attempts + 1 if before.user_message == user_message else 0
    return Refusal(
        pass_number=asked.number,
        model_key=asked.model_key,
        wire_tokens=asked.wire_tokens,
        user_message=user_message,
        attempts=attempts,
        media=media,
    )


def nearly_fills(asked: AskedPass) -> bool:
    """Whether a request is so large that a refusal without a reason may well be for its size."""
    limits = asked.limits
    return asked.estimate >= NEARLY_FULL * max(limits.window - limits.reserve, limits.usable)
