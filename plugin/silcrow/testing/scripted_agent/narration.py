"""What the scripted agent says between its calls; every statement is taken from a tool's output."""

import re
from collections.abc import Sequence

from silcrow.testing.scripted_agent.agent import Agent
from silcrow.testing.scripted_agent.reading import Slice

_DEFINITION = re.compile(r"^(?:async def|def|class) (\w+)")
_MENTION = re.compile(r"`([a-z]+_[a-z_]+)`")


def joined(names: Sequence[str]) -> str:
    """Return "`a`, `b` and `c`"."""
    marked = [f"`{name}`" for name in names]
    return marked[0] if len(marked) == 1 else f"{', '.join(marked[:-1])} and {marked[-1]}"


def quotation(agent: Agent, back: int, before: str) -> str:
    """Return a sentence that names an earlier result, and below it a line of that result."""
    subject, line = agent.quote(back)
    return f"{before} `{subject}`:\n\n    {line}"


def names_in(text: str) -> list[str]:
    """Return at most five names that a piece of Python defines at its top level."""
    lines = (line.split("→", 1)[-1] for line in text.splitlines())
    found = (match.group(1) for match in map(_DEFINITION.match, lines) if match)
    return list(dict.fromkeys(found))[:5]


def newest_unsearched_name(agent: Agent) -> str:
    """Return the name of a definition, or of something a document mentions, that was seen last."""
    for seen in reversed(agent.seen):
        mentioned: list[str] = _MENTION.findall(seen.text)
        for name in names_in(seen.text) + mentioned:
            if name not in agent.searched:
                return name
    return "main"


def remark(agent: Agent) -> str:
    """Say something about what came back; differs from call to call and is sometimes nothing."""
    last = agent.seen[-1]
    names = names_in(last.text)
    match agent.calls % 6:
        case 0:
            return ""
        case 1:
            return quotation(agent, 1, "One line to keep from")
        case 2 if names:
            return f"`{last.subject}` defines {joined(names)}."
        case 3:
            return quotation(agent, 9, "This belongs together with what I saw in")
        case 4 if len(agent.seen) > 40:
            return quotation(agent, 35, "I compare it with an early finding from")
        case _:
            return f"{len(last.lines)} lines came back for `{last.subject}`."


def announcement(slices: Sequence[Slice], number: int) -> str:
    """Say what is read next."""
    wordings = ("Next: {0}.", "Now {0}.", "I read {0}.", "Then {0}.", "On to {0}.")
    parts = [s.path if s.is_whole else f"{s.path}:{s.first}-{s.last}" for s in slices]
    return wordings[number % len(wordings)].format(joined(parts))


def report(agent: Agent, heading: str, backs: Sequence[int]) -> str:
    """Return the answer to a prompt: a heading and lines that the agent found on the way."""
    points = [quotation(agent, back, "- From").replace("\n\n", "\n\n  ") for back in backs]
    return "\n\n".join((heading, *points))
