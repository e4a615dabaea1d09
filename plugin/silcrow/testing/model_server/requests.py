"""What the server has received, without what identifies who sent it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

_SECRETS = frozenset(
    {"authorization", "x-api-key", "api-key", "cookie", "proxy-authorization", "x-goog-api-key"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Prompt tokens as the server counts them, a fourth of the characters: all, how many of them
    came from the prefix cache, and how many were written to it; and the tokens of the answer."""

    prompt: int = 0
    cached: int = 0
    written: int = 0
    answer: int = 0


@dataclass(slots=True, kw_only=True)
class Received:
    """One request, in the order of arrival. `at` is the server's clock, in seconds. `fault` says
    why it was refused with `status` 400; empty if the provider would take it."""

    number: int
    path: str
    api: str
    body: Mapping[str, Any]
    headers: Mapping[str, str]
    at: float
    status: int = 200
    fault: str = ""
    usage: Usage = field(default_factory=Usage)

    def to_line(self) -> str:
        """The request as one line of JSON; lone surrogates stay escapes."""
        said: dict[str, Any] = {
            "number": self.number,
            "at": self.at,
            "path": self.path,
            "api": self.api,
            "status": self.status,
            "fault": self.fault,
            "prompt_tokens": self.usage.prompt,
            "cached_tokens": self.usage.cached,
            "headers": dict(self.headers),
            "body": self.body,
        }
        return json.dumps(said)


def without_secrets(headers: Mapping[str, str]) -> dict[str, str]:
    """The headers by their names in lower case, but for those that hold a key or a cookie."""
    named = {name.lower(): value for name, value in headers.items()}
    return {name: value for name, value in named.items() if name not in _SECRETS}
