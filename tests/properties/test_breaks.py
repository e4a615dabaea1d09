"""The harness finds what is broken on purpose, within as many sessions as `make test` plays."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import Any

import pytest

from properties.playing import play_scripts, stage
from properties.test_sessions import EXAMPLES, SEED
from silcrow.hooks import judgement, message_pass, render
from silcrow.hooks.judgement import Judgement
from silcrow.hooks.permit import Permit
from silcrow.hooks.request import Prepared
from silcrow.hooks.state import SessionState
from silcrow.session.handing import HandedList
from silcrow.store import commits
from silcrow.store.store import Store

Patch = pytest.MonkeyPatch


def a_placeholder_that_is_another_one_every_time(patch: Patch) -> None:
    numbers = count()

    def render_anew(number: int) -> str:
        return f"[dropped §{number}§ for the {next(numbers)}]"

    patch.setattr(render, "render_placeholder", render_anew)


def drops_that_are_forgotten_at_a_restart(patch: Patch) -> None:
    load = Store.load

    async def forget(store: Store, session: str) -> SessionState:
        state = await load(store, session)
        for number, tag in list(state.parts.tags.items()):
            state.parts.tags[number] = replace(tag, mode=None)
        return state

    patch.setattr(Store, "load", forget)


def landings_without_a_permit(patch: Patch) -> None:
    judge = judgement.judge_pass

    def land_anyway(prepared: Prepared) -> Judgement:
        found = judge(prepared)
        if prepared.record.pass_number and found.landing is not None:
            return replace(found, permit=Permit())
        return found

    patch.setattr(message_pass, "judge_pass", land_anyway)


def originals_that_are_not_stored(patch: Patch) -> None:
    async def keep_nothing(*_: Any, **__: Any) -> None:
        pass

    patch.setattr(commits, "keep_sources", keep_nothing)


def messages_that_change_places(patch: Patch) -> None:
    to_list = HandedList.to_list

    def swap(handed: HandedList, incoming: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        one, *others = to_list(handed, incoming)
        return [*others, one] if len(others) > 20 else [one, *others]

    patch.setattr(HandedList, "to_list", swap)


BREAKS: Mapping[Callable[[Patch], None], str] = {
    a_placeholder_that_is_another_one_every_time: "for the",
    drops_that_are_forgotten_at_a_restart: "host_rewrote is False|forgotten|dropped, and sent",
    landings_without_a_permit: "AuditFault|no permit, but",
    originals_that_are_not_stored: "has no original",
    messages_that_change_places: "no permit, but|out of its order",
}
"""Each with what a check says to it."""


@pytest.mark.parametrize("broken", BREAKS, ids=lambda broken: broken.__name__)
def test_the_harness_finds(broken: Callable[[Patch], None], monkeypatch: Patch) -> None:
    broken(monkeypatch)
    with stage() as on, pytest.raises(AssertionError, match=BREAKS[broken]):
        play_scripts(on, "anthropic", EXAMPLES, SEED, shortens=False)
