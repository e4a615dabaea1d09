"""Scripts: what a session is like, and what happens in it, as one value that hypothesis draws.

A script is drawn whole, and not step by step by a state machine: so it is a value, which a failure
prints in one line and a plain test can hold, it is shortened by leaving events out, and how often
each event occurs is counted per script. No event depends on what earlier ones did: numbers and
places are shares of what there is by then, so a script keeps its meaning while it is shortened.

Hypothesis draws one number, from which all else follows. Where it drew each event, it mutated what
it had drawn before, and most sessions were variants of a few.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from hypothesis import strategies as st

FORMATS = ("anthropic", "openai_chat", "openai_responses", "gemini")
TTL_SECONDS = 300.0

Event = tuple[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """A host, a model and the settings.

    `ids` says which messages have an id. `stores` is a host whose next list is what it was handed,
    `removes` one that can take calls away, `shows_head` one that shows system prompt and tools,
    `names_calls` a provider that gives calls an id, `leaves_out` an adapter that can tell the
    provider to leave out bound reasoning. `loaded` are the responses that the list already holds
    when Silcrow first sees it.
    """

    format: str
    model: int = 0
    ids: str = "all"
    stores: bool = False
    removes: bool = True
    shows_head: bool = True
    names_calls: bool = True
    leaves_out: bool = False
    window: int = 100_000
    ages: bool = False
    merges: bool = False
    protects: int = 1
    keeps_reasoning: int = 10_000
    loaded: int = 4


@dataclass(frozen=True, slots=True)
class Script:
    setup: Setup
    events: Sequence[Event]


TOOLS = ("bash", "read", "grep", "edit", "todowrite", "question", "lookup", "mcp__x__read")
OUTPUTS = ("text", "list", "picture", "empty", "error", "odd")
THOUGHTS = ("none", "signed", "signed", "unsigned", "emptied")
SAYS = ("nothing", "plain", "odd")
ODD_TEXTS = (
    "§1§ {}",
    "[dropped §2§] {}",
    "[dropped §3§]",
    "§4§",
    "§5§ §6§ {}",
    "{} §7§",
    "```\n§8§ {}\n```",
    "{}\r\nline\r\n",
    "{} \ud800\0 odd",
    "{} 漢字かな交じり文",
    "\n  {}  \n",
    "12§ {}",
    "ok",
)
"""Texts that bear markers, placeholders, code fences and odd characters; one of each in `{}` says
which text it is, the others recur."""

ODD_ARGUMENTS: Sequence[Any] = (
    {"drop": ""},
    {"drop": "0"},
    {"drop": "5-3"},
    {"drop": "1-999999"},
    {"drop": "x, §2§"},
    {"drop": ["3", 4]},
    {"drop": None},
    {},
    {"tag": "§2§", "drop": "[dropped §2§]"},
    {"tag": 0},
    {"tag": "seven"},
    {"tag": 10**30},
    {"start": 1, "end": 40},
    {"start": 9, "end": 2},
    {"tag": 1, "start": 1},
)
GAPS = (TTL_SECONDS - 1, TTL_SECONDS, TTL_SECONDS + 1)


def _call(r: Random) -> Any:
    return r.choice(TOOLS), r.choice(OUTPUTS), r.choice([3, 30, 120, 400])


def _response(r: Random) -> Any:
    """Calls, how it thinks, and which text it says; beyond the odd ones a plain one or none."""
    calls = [_call(r) for _ in range(r.choice([1, 1, 2, 3, 4, 10]))]
    return calls, r.choice(THOUGHTS), _text(r)


def _text(r: Random) -> int:
    return r.randrange(len(ODD_TEXTS) + 6)


def _shares(r: Random) -> Any:
    """Numbers as twentieths of the highest one."""
    return tuple(r.randrange(20) for _ in range(r.randint(1, 6)))


def _nothing(_: Random) -> None:
    return None


def _either(r: Random) -> bool:
    return r.random() < 0.5


VALUES: Mapping[str, Callable[[Random], Any]] = {
    "respond": _response,
    "sweep": _shares,
    "restart": _nothing,
    "undo": lambda r: r.choice([1, 1, 2, 3]),
    "turn": _text,
    "picture": lambda r: r.choice([100, 900]),
    "gap": lambda r: r.choice(GAPS),
    "reduce": _shares,
    "call_reduce": _shares,
    "restore": _shares,
    "expand": _shares,
    "odd_tool": lambda r: (r.randrange(3), r.choice(ODD_ARGUMENTS)),
    "flush": _either,
    "pin": _shares,
    "model": lambda r: r.randrange(2),
    "head": _nothing,
    "compact": lambda r: r.randint(1, 8),
    "fork": _either,
    "other_process": _nothing,
    "refused": _either,
    "opaque": _nothing,
    "usage": lambda r: r.choice(["zero", "missing", "stale", "full"]),
    "locked": _nothing,
    "full_disk": _nothing,
    "cancelled": lambda r: r.randint(1, 60),
    "side": _nothing,
    "open_call": _response,
    "interim": _nothing,
    "same_id": _call,
    "retry": _nothing,
    "switch": _nothing,
}
"""What may happen, and what each event has to be told."""

WEIGHTS = {"respond": 6, "sweep": 5, "restart": 3, "undo": 2}
"""What the floors ask for comes up more often than the rest."""

_NAMES = [name for name in VALUES for _ in range(WEIGHTS.get(name, 1))]


def _loaded(r: Random) -> int:
    """Mostly some, now and then none, and rarely several hundred messages."""
    share = r.random()
    if share < 0.01:
        return r.randint(40, 130)
    return 0 if share < 0.06 else r.randint(1, 9)


def write_script(message_format: str, number: int) -> Script:
    """The script of a number: the same one every time."""
    r = Random(f"{message_format} {number}")
    setup = Setup(
        format=message_format,
        model=r.randrange(2),
        ids=r.choice(["all", "all", "none", "some"]),
        stores=r.random() < 0.35,
        removes=r.random() < 0.8,
        shows_head=_either(r),
        names_calls=_either(r),
        leaves_out=_either(r),
        window=r.choice([100_000, 6_000, 2_500]),
        ages=_either(r),
        merges=_either(r),
        protects=r.choice([1, 1, 500]),
        keeps_reasoning=r.choice([10_000, 20]),
        loaded=_loaded(r),
    )
    names = [r.choice(_NAMES) for _ in range(r.randint(4, 16))]
    return Script(setup, [(name, VALUES[name](r)) for name in names])


def scripts(message_format: str) -> st.SearchStrategy[Script]:
    """Below 2²⁴ all numbers are drawn alike; above, small ones more often."""
    return st.integers(0, 2**24 - 1).map(lambda number: write_script(message_format, number))
