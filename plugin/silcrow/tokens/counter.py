"""Counts the tokens of a text, exactly where a vocabulary is at hand and by estimate elsewhere."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from silcrow.errors import SilcrowError
from silcrow.tokens.vocabulary import Vocabulary, load_encoding

if TYPE_CHECKING:
    from tiktoken import Encoding

PIECE_CHARACTERS = 65_536
RUN_CHARACTERS = 4_096
# The look-behinds let a search begin at the start of a run only, which keeps it linear.
_LONG_RUN = re.compile(rf"(?<!\S)\S{{{RUN_CHARACTERS + 1},}}|(?<!\s)\s{{{RUN_CHARACTERS + 1},}}")


@dataclass(frozen=True, slots=True)
class TokenCounter:
    """Counts the tokens of any string; pure, and must not raise.

    `name` is "o200k" or "estimate". Where a budget is decided, a count is multiplied with
    `decision_factor`; `detail` says for `/ctx-status` where the counts come from, or why they are
    an estimate only.
    """

    name: str
    decision_factor: float
    detail: str
    count: Callable[[str], int] = field(repr=False)

    def __call__(self, text: str) -> int:
        return self.count(text)


def estimate_tokens(text: str) -> int:
    """A quarter of the ASCII characters and a third of all other UTF-8 bytes, each rounded up."""
    ascii_bytes = len(text.encode("ascii", "ignore"))
    # A lone surrogate has no UTF-8; three bytes is what any other character of its size takes.
    other_bytes = len(text.encode("utf-8", "surrogatepass")) - ascii_bytes
    return -(-ascii_bytes // 4) - (-other_bytes // 3)


def split_text(text: str) -> Iterator[str]:
    """Cut a text where counting would be slow, at positions that depend on the text alone.

    tiktoken up to 0.12 takes time with the square of an unbroken run (15 s for 64 Ki characters),
    and older ones panic. Texts under PIECE_CHARACTERS without such a run come back whole.
    """
    for start in range(0, len(text), PIECE_CHARACTERS):
        piece = text[start : start + PIECE_CHARACTERS]
        done = 0
        for run in _LONG_RUN.finditer(piece):
            for cut in range(run.start() + RUN_CHARACTERS, run.end(), RUN_CHARACTERS):
                yield piece[done:cut]
                done = cut
        yield piece[done:]


def count_piece(encode: Callable[[str], list[int]], piece: str) -> int:
    """Count one piece; where the encoder panics, estimate it."""
    try:
        return len(encode(piece))
    except BaseException as error:
        # A panic in Rust arrives as a class that cannot be imported and is no Exception.
        if type(error).__name__ != "PanicException":
            raise
        return estimate_tokens(piece)


def exact_counter(encoding: "Encoding") -> TokenCounter:
    """Count with this encoding; special tokens in a text are plain text."""

    def count(text: str) -> int:
        return sum(count_piece(encoding.encode_ordinary, piece) for piece in split_text(text))

    name = encoding.name.removesuffix("_base")
    return TokenCounter(name, 1.0, f"vocabulary {encoding.name}", count)


def estimating_counter(reason: str) -> TokenCounter:
    """Count without a vocabulary; `reason` says why there is none."""
    return TokenCounter("estimate", 1.3, f"estimated: {reason}", estimate_tokens)


def load_counter() -> TokenCounter:
    """The best counter that works without a network. Never raises; the first call takes 0.3 s."""
    try:
        return exact_counter(load_encoding(Vocabulary.O200K))
    except SilcrowError as error:
        return estimating_counter(str(error))
