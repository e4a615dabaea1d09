"""What is known of models: windows, cache lifetimes, and how they bind their reasoning.

Checked on 2026-11-30 against the vendors' pages on models, prompt caching, "preserved thinking"
(Anthropic) and "keep the prefix unchanged" (OpenAI).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from silcrow.config.model_names import canonical_name, find_maker, find_series, provider_key

DEFAULT_CONTEXT_WINDOW = 200_000
MILLION = 1_000_000
MINUTE, HOUR, DAY = 60, 3_600, 86_400
_UNIT_SECONDS = {"s": 1, "m": MINUTE, "h": HOUR, "d": DAY}


class ReasoningBinding(StrEnum):
    """What a provider does with reasoning whose prefix has changed."""

    NONE = "none"
    REFUSES = "refuses"
    DROPS = "drops"


class FoundBy(StrEnum):
    """How much of a name was recognised."""

    MODEL = "model"
    FAMILY = "family"
    PROVIDER = "provider"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelTraits:
    """The facts about one model.

    `context_window` is the largest input in tokens. `cache_ttl_seconds` None means that the cache
    never expires, or that nobody knows when. `ttl_options` are the lifetimes that a request may
    ask for, by the word it uses. `assistant_markers` is what `markers.assistant = "auto"` means.
    """

    context_window: int = DEFAULT_CONTEXT_WINDOW
    cache_ttl_seconds: int | None = None
    ttl_options: tuple[tuple[str, int], ...] = ()
    reasoning_binding: ReasoningBinding = ReasoningBinding.NONE
    assistant_markers: bool = False
    found_by: FoundBy = FoundBy.NOTHING

    def ttl_seconds(self, asked: str | None = None) -> int | None:
        """The lifetime of what a request caches, given what it asked for; None never expires.

        A word that is not in `ttl_options` is read as a duration and can only lengthen, and one
        that cannot be read means never: an unknown fact must not grant a permit.
        """
        if asked is None or self.cache_ttl_seconds is None:
            return self.cache_ttl_seconds
        if asked in dict(self.ttl_options):
            return dict(self.ttl_options)[asked]
        seconds = read_duration(asked)
        return None if seconds is None else max(seconds, self.cache_ttl_seconds)


def read_duration(text: str) -> int | None:
    """Seconds of `90s`, `30m`, `1h`, `2d` or `300`; None when it is no duration."""
    found = re.fullmatch(r"([0-9]{1,9})\s*([smhd]?)", text.strip().lower())
    return int(found[1]) * _UNIT_SECONDS[found[2] or "s"] if found else None


# `assistant_markers` stands in the rows of known models, so that a provider's row, which serves
# the unknown ones, is off.
_ANTHROPIC = ModelTraits(
    cache_ttl_seconds=5 * MINUTE,
    ttl_options=(("5m", 5 * MINUTE), ("1h", HOUR)),
    reasoning_binding=ReasoningBinding.REFUSES,
)
_OPENAI = ModelTraits(
    cache_ttl_seconds=HOUR,
    ttl_options=(("in_memory", HOUR), ("in-memory", HOUR), ("24h", DAY)),
    reasoning_binding=ReasoningBinding.REFUSES,
)
_GOOGLE = ModelTraits(context_window=MILLION, cache_ttl_seconds=HOUR)
_DEEPSEEK = ModelTraits(context_window=128_000)
_PROVIDERS: Mapping[str, ModelTraits] = {
    "anthropic": _ANTHROPIC,
    "openai": _OPENAI,
    "google": _GOOGLE,
    "deepseek": _DEEPSEEK,
}
_PROVIDER_MAKERS = {
    **{maker: maker for maker in _PROVIDERS},
    "azure": "openai",
    "openai-codex": "openai",
    "chatgpt": "openai",
    "vertex": "google",
}
_LOCAL_PROVIDERS = frozenset(
    "local localai ollama lmstudio llama.cpp llama-cpp llamafile vllm sglang mlx tgi "
    "koboldcpp exllama hosted-vllm".split()
)

_CLAUDE = replace(_ANTHROPIC, reasoning_binding=ReasoningBinding.NONE, assistant_markers=True)
_CLAUDE_1M = replace(_CLAUDE, context_window=MILLION)
_CLAUDE_BOUND = replace(_CLAUDE_1M, reasoning_binding=ReasoningBinding.REFUSES)
_GPT = replace(_OPENAI, reasoning_binding=ReasoningBinding.NONE, assistant_markers=True)
_GPT_128K = replace(_GPT, context_window=128_000)
_GPT_272K = replace(_GPT, context_window=272_000)
# 1,050,000 tokens in all, of which 128,000 are for the answer.
_GPT_922K = replace(_GPT, context_window=922_000)
_GPT_30M = replace(
    _GPT_922K,
    cache_ttl_seconds=30 * MINUTE,
    ttl_options=(("30m", 30 * MINUTE), ("12h", 12 * HOUR)),
)
_GPT_BOUND = replace(_GPT_30M, reasoning_binding=ReasoningBinding.DROPS)

# The last row whose version is not above the model's holds: "and later" needs no new row.
_FAMILIES: Mapping[str, tuple[tuple[tuple[int, int], ModelTraits], ...]] = {
    "claude-opus": (((3, 0), _CLAUDE), ((4, 6), _CLAUDE_1M), ((5, 5), _CLAUDE_BOUND)),
    "claude-sonnet": (((3, 0), _CLAUDE), ((4, 6), _CLAUDE_1M), ((5, 5), _CLAUDE_BOUND)),
    "claude-haiku": (((3, 0), _CLAUDE), ((5, 5), _CLAUDE_BOUND)),
    "claude-fable": (((5, 0), _CLAUDE_1M), ((5, 1), _CLAUDE_BOUND)),
    "claude-mythos": (((5, 0), _CLAUDE_1M), ((5, 1), _CLAUDE_BOUND)),
    "gpt": (
        ((3, 5), replace(_GPT, context_window=16_385)),
        ((4, 0), replace(_GPT, context_window=8_192)),
        ((5, 0), _GPT_272K),
        ((5, 4), _GPT_922K),
        ((5, 6), _GPT_30M),
        ((6, 2), _GPT_BOUND),
    ),
    "gemini": (((1, 0), replace(_GOOGLE, assistant_markers=True)),),
}
# Models that their family's row does not describe; a name also covers what follows it after "-".
_MODELS: Mapping[str, ModelTraits] = {
    "gpt-4-turbo": _GPT_128K,
    "gpt-4o": _GPT_128K,
    "chatgpt-4o": _GPT_128K,
    "gpt-4.1": replace(_GPT, context_window=MILLION),
    "gpt-4.5": _GPT_128K,
    "gpt-5-chat": _GPT_128K,
    "gpt-5.1-chat": _GPT_128K,
    "gpt-5.2-chat": _GPT_128K,
    "gpt-5.3-chat": _GPT_128K,
    "gpt-5.3-codex-spark": _GPT_128K,
    "gpt-5.4-mini": _GPT_272K,
    "gpt-5.4-nano": _GPT_272K,
    "o1": _GPT,
    "o1-mini": _GPT_128K,
    "o1-preview": _GPT_128K,
    "o3": _GPT,
    "o4-mini": _GPT,
    "codex-mini": _GPT,
    "gpt-oss": ModelTraits(context_window=131_072),
    "deepseek-v4": replace(_DEEPSEEK, context_window=MILLION),
    "deepseek-flash": replace(_DEEPSEEK, context_window=MILLION),
}


def find_model(provider: str, model: str) -> ModelTraits:
    """What is known of a model, by its name, else its family, else its provider. Never raises.

    Local servers come first: whatever they run, their cache covers generated output and stays.
    """
    if not provider.strip() and "/" in model:
        provider, model = model.split("/", 1)
    if provider_key(provider) in _LOCAL_PROVIDERS:
        return ModelTraits(found_by=FoundBy.PROVIDER)
    name = canonical_name(model)
    found = _by_name(name) or _by_family(name) or _by_provider(provider, name)
    if model.rstrip().lower().endswith("[1m]"):
        return replace(found, context_window=MILLION)
    return found


def _by_name(name: str) -> ModelTraits | None:
    short = name.rsplit("/", 1)[-1]
    fits = (known for known in _MODELS if short == known or _is_variant(short, known))
    best = max(fits, key=len, default=None)
    if best is None:
        return None
    return replace(_MODELS[best], found_by=FoundBy.MODEL)


def _is_variant(name: str, known: str) -> bool:
    return name.startswith((f"{known}-", f"{known}:"))


def _by_family(name: str) -> ModelTraits | None:
    series = find_series(name)
    if series is None:
        return None
    rows = _FAMILIES.get(series.name, ())
    traits = [found for since, found in rows if since <= series.version]
    return replace(traits[-1], found_by=FoundBy.FAMILY) if traits else None


def _by_provider(provider: str, name: str) -> ModelTraits:
    maker = find_maker(name.rsplit("/", 1)[-1])
    maker = maker or _PROVIDER_MAKERS.get(provider_key(provider), "")
    traits = _PROVIDERS.get(maker)
    return ModelTraits() if traits is None else replace(traits, found_by=FoundBy.PROVIDER)
