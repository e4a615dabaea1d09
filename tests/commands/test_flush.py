"""Facts about the reply to `/ctx-flush`."""

from dataclasses import replace

import pytest

from silcrow.commands.flush import FlushFacts, render_flush
from silcrow.hooks.protection import HoldCause

EMPTY = FlushFacts(queued=0, queued_tokens=0)
FREE = FlushFacts(queued=1, queued_tokens=900)
SOME_HELD = FlushFacts(queued=4, queued_tokens=4_200, held={HoldCause.WINDOW: 1}, held_tokens=900)
ALL_HELD = FlushFacts(queued=1, queued_tokens=900, held={HoldCause.PINNED: 1}, held_tokens=900)
RESTORES = FlushFacts(queued=0, queued_tokens=0, pending_restores=2)
TAKES_HELD = replace(
    SOME_HELD, held={HoldCause.PINNED: 1}, freed=2, freed_tokens=1_800, takes_held=True
)
UNSEEN = replace(FREE, knows_list=False)


@pytest.mark.parametrize(
    ("facts", "says"),
    [
        (EMPTY, "The queue is empty: there is nothing to flush."),
        (FREE, "Queued: 1 drop (900 tokens)."),
        (FREE, "Takes effect with the next request of this session: 1 drop (900 tokens) lands."),
        (SOME_HELD, "Queued: 4 drops (4,200 tokens)."),
        (SOME_HELD, "1 drop (900 tokens), namely 1 (it lies in the protection window)."),
        (SOME_HELD, "next request of this session: 3 drops (3,300 tokens) land."),
        (ALL_HELD, "All of it is held now, so the next request may change nothing."),
        (SOME_HELD, "/ctx-flush all takes what lies in the protection window, too."),
        (TAKES_HELD, "Held until now, and let go by this: 2 drops (1,800 tokens)."),
        (TAKES_HELD, "after this: 1 drop (900 tokens), namely 1 (it is pinned)."),
        (TAKES_HELD, "next request of this session: 3 drops (3,300 tokens) land."),
        (UNSEEN, "This process has not seen the conversation yet, so more of it may be held."),
        (RESTORES, "To be restored: 2."),
        (RESTORES, "Takes effect with the next request of this session: the restores land."),
    ],
)
def test_the_reply_says_what_lands_what_is_held_and_when(facts: FlushFacts, says: str) -> None:
    assert says in " ".join(render_flush(facts).split())


@pytest.mark.parametrize("facts", [EMPTY, FREE, SOME_HELD, ALL_HELD, RESTORES, TAKES_HELD, UNSEEN])
def test_the_reply_fits_the_columns_of_a_terminal(facts: FlushFacts) -> None:
    assert all(len(line) <= 79 for line in render_flush(facts).splitlines())


def test_only_what_may_be_let_go_is_offered() -> None:
    assert "/ctx-flush all" not in render_flush(ALL_HELD)
    assert "/ctx-flush all" not in render_flush(TAKES_HELD)
