"""The commands that a person may give: the one list, from which hosts register them."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Command:
    """One command as a host registers it.

    `name` has no slash. `description` is one line for a menu. `argument` is a hint: `NUMBERS` in
    capitals is to be filled in, `[…]` may be left out, a small word stands for itself, and an empty
    hint means that there is no argument.
    """

    name: str
    description: str
    argument: str = ""


_ALL = (
    Command(
        "ctx-status",
        "Show usage, cache, tags, queue and the last permits of this session.",
        "[json]",
    ),
    Command("ctx-flush", "Let the queued drops land with the next request.", "[all]"),
    Command("ctx-drop", "Mark parts; they leave when the cache is rebuilt anyway.", "NUMBERS"),
    Command("ctx-restore", "Let a dropped part return to its place.", "NUMBER"),
    Command("ctx-pin", "Hold parts in their place, or list what is pinned.", "[NUMBERS]"),
    Command("ctx-unpin", "Hold parts no longer.", "NUMBERS"),
    Command("ctx-off", "Switch Silcrow off for this session."),
    Command("ctx-on", "Switch Silcrow on again for this session."),
)

COMMANDS: Mapping[str, Command] = {command.name: command for command in _ALL}
"""Every command by its name, in the order in which help shows them."""


def read_name(given: str) -> str:
    """The name of a command as the table has it: without a slash, in small letters."""
    return given.strip().removeprefix("/").lower()


def refuse_argument(command: Command, argument: str) -> str | None:
    """A sentence if a command is given something that it does not take; None if all is well."""
    if not argument.strip():
        return None
    if not command.argument:
        return f"/{command.name} takes no argument. Nothing was changed."
    word = command.argument.strip("[]")
    if word.islower() and argument.strip().lower() != word:
        return f"/{command.name} takes no argument but {word}. Nothing was changed."
    return None


def unknown_command(name: str) -> str:
    """What to answer to a name that is no command: one sentence that lists those there are."""
    shown = "".join(c for c in name.strip().removeprefix("/")[:40] if c.isprintable())
    *others, last = (f"/{command}" for command in COMMANDS)
    return f"There is no command /{shown}; Silcrow has {', '.join(others)} and {last}."
