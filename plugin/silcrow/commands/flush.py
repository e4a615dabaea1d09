"""`/ctx-flush`: what becomes of the queue when the user asks for a permit."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from silcrow.commands.figures import fold_text, format_drops, format_held
from silcrow.hooks.protection import HoldCause


@dataclass(frozen=True, slots=True, kw_only=True)
class FlushFacts:
    """The queue at the moment of the command. `queued` counts all pending drops, held ones too;
    `held` says how many of them would wait now, by cause, and `held_tokens` what they cost."""

    queued: int
    queued_tokens: int
    held: Mapping[HoldCause, int] = field(default_factory=dict[HoldCause, int])
    held_tokens: int = 0
    pending_restores: int = 0


def render_flush(facts: FlushFacts) -> str:
    """Say how much lands, how much is held and why, and when. Promises nothing more."""
    held = sum(facts.held.values())
    landing = max(0, facts.queued - held)
    if not facts.queued and not facts.pending_restores:
        return "The queue is empty: there is nothing to flush."
    sentences: list[str] = []
    if facts.queued:
        sentences.append(f"Queued: {format_drops(facts.queued, facts.queued_tokens)}.")
    if held:
        amount = format_drops(held, facts.held_tokens)
        sentences.append(
            f"Held, and queued still after this: {amount}, namely {format_held(facts.held)}."
        )
    if facts.pending_restores:
        sentences.append(f"To be restored: {facts.pending_restores:,}.")
    sentences.append(_describe_effect(landing, facts))
    return "\n".join(line for sentence in sentences for line in fold_text(sentence))


def _describe_effect(landing: int, facts: FlushFacts) -> str:
    if not landing and not facts.pending_restores:
        return "All of it is held now, so the next request may change nothing."
    if not landing:
        return "Takes effect with the next request of this session: the restores land."
    amount = format_drops(landing, max(0, facts.queued_tokens - facts.held_tokens))
    verb = "lands" if landing == 1 else "land"
    return f"Takes effect with the next request of this session: {amount} {verb}."
