"""What a provider would have billed for each call: an estimate on o200k counts, five-minute cache.

The numbers are plausible, not measured: nobody answered these calls.
"""

from dataclasses import dataclass

HEAD_TOKENS = 6_000
"""System prompt and tool definitions, which Claude Code sends and does not record."""

UNCACHED_TOKENS = 4
CACHE_TTL_SECONDS = 300


@dataclass(slots=True)
class UsageMeter:
    """Follows the context and the cache from call to call."""

    context_tokens: int = HEAD_TOKENS
    _cached_tokens: int = 0
    _model: str = ""
    _requested_at: float = 0.0

    def add(self, tokens: int) -> None:
        """Count something that the next request holds in addition."""
        self.context_tokens += tokens

    def bill(self, model: str, requested_at: float, output_tokens: int) -> dict[str, object]:
        """Return the usage of a request with the present context and remember it as cached."""
        cached = self.context_tokens - UNCACHED_TOKENS
        is_warm = requested_at - self._requested_at <= CACHE_TTL_SECONDS and model == self._model
        read = self._cached_tokens if is_warm else 0
        self._cached_tokens, self._model, self._requested_at = cached, model, requested_at
        lifetimes = {"ephemeral_5m_input_tokens": cached - read, "ephemeral_1h_input_tokens": 0}
        return {
            "input_tokens": UNCACHED_TOKENS,
            "cache_creation_input_tokens": cached - read,
            "cache_read_input_tokens": read,
            "cache_creation": lifetimes,
            "output_tokens": output_tokens,
            "service_tier": "standard",
        }
