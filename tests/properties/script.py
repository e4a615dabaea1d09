"""Scripts: what a session is like, and what happens in it, as one value that hypothesis draws.

A script is drawn whole, and not step by step by a state machine: so it is a value, which a failure
prints in one line and a plain test can hold, it shrinks by leaving events out, and how often each
event occurs is counted per script. No event depends on what earlier ones did: numbers and places
are shares of what there is by then, so a script keeps its meaning while it shrinks.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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

CALL = st.tuples(
    st.sampled_from(TOOLS), st.sampled_from(OUTPUTS), st.sampled_from([3, 30, 120, 400])
)
RESPONSE = st.tuples(
    st.lists(CALL, min_size=1, max_size=4) | st.lists(CALL, min_size=5, max_size=10),
    st.sampled_from(THOUGHTS),
    st.integers(0, len(ODD_TEXTS) + 5),
)
"""Calls, how it thinks, and which text it says; beyond the odd ones a plain one or none."""

TEXT = st.integers(0, len(ODD_TEXTS) + 5)
SHARES = st.lists(st.integers(0, 19), min_size=1, max_size=6).map(tuple)
"""Numbers as twentieths of the highest one."""

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


VALUES: Mapping[str, st.SearchStrategy[Any]] = {
    "respond": RESPONSE,
    "sweep": SHARES,
    "restart": st.none(),
    "undo": st.sampled_from([1, 1, 1, 2, 3]),
    "turn": TEXT,
    "picture": st.sampled_from([100, 900]),
    "gap": st.sampled_from(GAPS),
    "reduce": SHARES,
    "call_reduce": SHARES,
    "restore": SHARES,
    "expand": SHARES,
    "odd_tool": st.tuples(st.integers(0, 2), st.sampled_from(ODD_ARGUMENTS)),
    "flush": st.booleans(),
    "pin": SHARES,
    "model": st.integers(0, 1),
    "head": st.none(),
    "compact": st.integers(1, 8),
    "fork": st.booleans(),
    "other_process": st.none(),
    "refused": st.booleans(),
    "opaque": st.none(),
    "usage": st.sampled_from(["zero", "missing", "stale", "full"]),
    "locked": st.none(),
    "full_disk": st.none(),
    "cancelled": st.integers(1, 40),
    "side": st.none(),
    "open_call": RESPONSE,
    "interim": st.none(),
    "same_id": CALL,
    "retry": st.none(),
    "switch": st.none(),
}
"""What may happen, and what each event has to be told."""

WEIGHTS = {"respond": 8, "sweep": 8, "restart": 8, "undo": 4}
"""What the floors ask for comes up more often than the rest."""

_NAMES = [name for name in VALUES for _ in range(WEIGHTS.get(name, 1))]
EVENT: st.SearchStrategy[Event] = st.sampled_from(_NAMES).flatmap(
    lambda name: st.tuples(st.just(name), VALUES[name])
)
EVENTS = st.lists(EVENT, min_size=5, max_size=12)


def setups(message_format: str) -> st.SearchStrategy[Setup]:
    return st.builds(
        Setup,
        format=st.just(message_format),
        model=st.integers(0, 1),
        ids=st.sampled_from(["all", "all", "none", "some"]),
        stores=st.sampled_from([False, False, True]),
        removes=st.sampled_from([True, True, True, False]),
        shows_head=st.booleans(),
        names_calls=st.booleans(),
        leaves_out=st.booleans(),
        window=st.sampled_from([100_000, 6_000, 2_500]),
        ages=st.booleans(),
        merges=st.booleans(),
        protects=st.sampled_from([1, 1, 500]),
        keeps_reasoning=st.sampled_from([10_000, 20]),
        loaded=st.integers(3, 9),
    )


def scripts(message_format: str) -> st.SearchStrategy[Script]:
    return st.builds(Script, setup=setups(message_format), events=EVENTS)
