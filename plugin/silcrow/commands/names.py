"""The commands that a person may give, by name."""

from collections.abc import Mapping

COMMANDS: Mapping[str, str] = {
    "ctx-status": "Show usage, cache, tags, queue and the last permits of this session.",
    "ctx-flush": "Let the queued drops land with the next request.",
}


def unknown_command(name: str) -> str:
    """What to answer to a name that is no command: one sentence that lists those there are."""
    shown = "".join(c for c in name.strip().removeprefix("/")[:40] if c.isprintable())
    known = " and ".join(f"/{command}" for command in COMMANDS)
    return f"There is no command /{shown}; Silcrow has {known}."
