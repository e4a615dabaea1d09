"""`/ctx-flush`: what becomes of the queue when the user asks for a permit."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from silcrow.commands.figures import fold_text, format_drops, format_held
from silcrow.hooks.protection import GIVES_WAY_TO_FLUSH_ALL, HoldCause


@dataclass(frozen=True, slots=True, kw_only=True)
class FlushFacts:
    """The queue at the moment of the command. `queued` counts all pending drops, held ones too;
    `held` says how many of them will wait after it, by cause, and `held_tokens` what they cost.

    With `/ctx-flush all`, `freed` and `freed_tokens` are held drops that land nevertheless.
    `knows_list` false: this process has not seen the conversation, and judges by numbers alone.
    """

    queued: int
    queued_tokens: int
    held: Mapping[HoldCause, int] = field(default_factory=dict[HoldCause, int])
    held_tokens: int = 0
    pending_restores: int = 0
    freed: int = 0
    freed_tokens: int = 0
    takes_held: bool = False
    knows_list: bool = True


def render_flush(facts: FlushFacts) -> str:
    """Say how much lands, how much is held and why, and when. Promises nothing more."""
    if not facts.queued and not facts.pending_restores:
        return "The queue is empty: there is nothing to flush."
    return "\n".join(line for sentence in _sentences(facts) for line in fold_text(sentence))


def _sentences(facts: FlushFacts) -> Iterator[str]:
    held = sum(facts.held.values())
    if facts.queued:
        yield f"Queued: {format_drops(facts.queued, facts.queued_tokens)}."
    if facts.takes_held and facts.queued:
        amount = format_drops(facts.freed, facts.freed_tokens)
        yield f"Held until now, and let go by this: {amount}."
    if held:
        amount = format_drops(held, facts.held_tokens)
        yield f"Held, and queued still after this: {amount}, namely {format_held(facts.held)}."
    if not facts.takes_held and any(facts.held.get(cause) for cause in GIVES_WAY_TO_FLUSH_ALL):
        yield "/ctx-flush all takes what lies in the protection window, too."
    if facts.pending_restores:
        yield f"To be restored: {facts.pending_restores:,}."
    yield _describe_effect(max(0, facts.queued - held), facts)
    if facts.queued and not facts.knows_list:
        yield "This process has not seen the conversation yet, so more of it may be held."


def _describe_effect(landing: int, facts: FlushFacts) -> str:
    if not landing and not facts.pending_restores:
        return "All of it is held now, so the next request may change nothing."
    if not landing:
        return "Takes effect with the next request of this session: the restores land."
    amount = format_drops(landing, max(0, facts.queued_tokens - facts.held_tokens))
    verb = "lands" if landing == 1 else "land"
    return f"Takes effect with the next request of this session: {amount} {verb}."
