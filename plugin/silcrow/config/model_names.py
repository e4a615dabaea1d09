"""Reads the many shapes of a model's name: dates, routes, regions and variants come off."""

import re
from dataclasses import dataclass

# Gateways write these behind a colon or a bracket; the model behind them is the same.
_VARIANT = re.compile(r"(?:\[\d+m\]|:(?:free|beta|thinking|extended|nitro|floor|exacto|online))$")
_BEDROCK = re.compile(r"^(?:[a-z]{2,6}(?:-gov)?\.)?(?:anthropic|openai|deepseek|google)\.")
_BEDROCK_VERSION = re.compile(r"-v\d+:\d+(?::\w+)?$")
_DATE = re.compile(r"-20\d{2}-?\d{2}-?\d{2}$")
_PREVIEW_DATE = re.compile(r"(?<=-preview)-\d{2}-(?:20)?\d{2}$")
_STAMP = re.compile(r"-(?:0[1-9]|1[0-2])[0-3]\d(?=-preview$|$)")

_CLAUDE = r"opus|sonnet|haiku|fable|mythos"
_CLAUDE_SERIES = re.compile(rf"^claude-({_CLAUDE})-(\d+)(?:-(\d+))?(?![\d.])")
_CLAUDE_OLD_SERIES = re.compile(rf"^claude-(\d+)(?:-(\d+))?-({_CLAUDE})(?![a-z])")
_NUMBERED_SERIES = re.compile(r"^(gpt|gemini)-(\d+)(?:\.(\d+))?(?![\d.])")

_MAKERS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("anthropic", re.compile(rf"^(?:claude|(?:{_CLAUDE}|opusplan)$)")),
    ("open-weights", re.compile(r"^gpt-oss")),
    ("openai", re.compile(r"^(?:gpt-|chatgpt|chat-latest|o[1-9](?![a-z0-9])|codex|computer-use)")),
    ("google", re.compile(r"^gemini")),
    ("deepseek", re.compile(r"^deepseek")),
    (
        "other",
        re.compile(
            r"^(?:qwen|qwq|llama|meta-llama|mistral|mixtral|ministral|magistral|codestral|devstral|"
            r"gemma|phi-?\d|glm|kimi|moonshot|minimax|grok|nova|command|nemotron|granite|mimo)"
        ),
    ),
)
_PROVIDER_ALIASES = {
    "gemini": "google",
    "google-ai": "google",
    "google-genai": "google",
    "google-gemini": "google",
    "google-generative-ai": "google",
    "amazon-bedrock": "bedrock",
    "aws-bedrock": "bedrock",
    "azure-openai": "azure",
    "vertex-ai": "vertex",
    "google-vertex": "vertex",
    "google-vertex-anthropic": "vertex",
    "claude": "anthropic",
    "lm-studio": "lmstudio",
    "llamacpp": "llama.cpp",
}


@dataclass(frozen=True, slots=True)
class Series:
    """A line of models and where in it a model stands, as `claude-opus` and (4, 6)."""

    name: str
    version: tuple[int, int]


def provider_key(provider: str) -> str:
    """One spelling for each provider; empty stays empty."""
    plain = re.sub(r"[\s_]+", "-", provider.strip().lower())
    return _PROVIDER_ALIASES.get(plain, plain)


def find_maker(name: str) -> str:
    """Who made a model, by its canonical name; empty when the name does not tell."""
    return next((maker for maker, pattern in _MAKERS if pattern.match(name)), "")


def canonical_name(model: str) -> str:
    """The name without route, region, variant and date: an alias and its snapshot are equal.

    A model of a maker that we do not know keeps its whole name in lower case, since a date in it
    may be all that tells two models apart. Must not raise.
    """
    whole = model.strip().lower()
    name = _BEDROCK.sub("", whole.rsplit("/", 1)[-1])
    if find_maker(name) not in {"anthropic", "openai", "google", "deepseek"}:
        return whole
    name = _BEDROCK_VERSION.sub("", _VARIANT.sub("", name).split("@", 1)[0])
    name = _DATE.sub("", name.removesuffix("-latest"))
    if name.startswith("claude"):
        return _canonical_claude(name)
    if name.startswith("gemini"):
        return re.sub(r"-00\d$", "", _PREVIEW_DATE.sub("", name))
    return _STAMP.sub("", name) if name.startswith("gpt") else name


def model_key(provider: str, model: str) -> str:
    """`provider/model`, equal for every spelling of the same model at the same provider.

    Without a provider the first segment of the model is it, else the maker. Must not raise.
    """
    if not provider.strip() and "/" in model:
        provider, model = model.split("/", 1)
    name = canonical_name(model)
    return f"{provider_key(provider) or find_maker(name) or 'unknown'}/{name}"


def find_series(name: str) -> Series | None:
    """Read line and version from a canonical name; None where they are not written in it."""
    if found := _CLAUDE_SERIES.match(name):
        return _series(f"claude-{found[1]}", found[2], found[3])
    if found := _CLAUDE_OLD_SERIES.match(name):
        return _series(f"claude-{found[3]}", found[1], found[2])
    if found := _NUMBERED_SERIES.match(name):
        return _series(found[1], found[2], found[3])
    return None


def _series(name: str, major: str, minor: str | None) -> Series:
    # A thousand digits are no version, and int() refuses to read more than 4,300 of them.
    return Series(name, (int(major[:6]), int((minor or "0")[:6])))


def _canonical_claude(name: str) -> str:
    """Anthropic's own spelling; gateways write 4.6 for 4-6 and 4-6-opus for opus-4-6."""
    name = re.sub(r"-v\d+$", "", re.sub(r"(?<=\d)\.(?=\d)", "-", name))
    old = _CLAUDE_OLD_SERIES.match(name)
    if old and old[1] != "3":
        version = old[1] if old[2] is None else f"{old[1]}-{old[2]}"
        name = f"claude-{old[3]}-{version}{name[old.end() :]}"
    return re.sub(r"^(claude-[a-z]+-\d+)-0$", r"\1", name)
