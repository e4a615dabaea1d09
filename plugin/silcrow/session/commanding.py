"""A person's commands: what they show, and what they ask for."""

from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass

from silcrow.commands.flush import FlushFacts, render_flush
from silcrow.commands.names import COMMANDS, read_name, refuse_argument, unknown_command
from silcrow.commands.pins import answer_pin, answer_unpin
from silcrow.commands.status import render_problem_json, render_status, render_status_json
from silcrow.commands.switch import OFF_IN_SESSION, OFF_IN_SETTINGS, render_off, render_on
from silcrow.errors import StorageError
from silcrow.hooks.protection import GIVES_WAY_TO_FLUSH_ALL, HoldCause
from silcrow.hooks.state import OpKind
from silcrow.session.calling import keep_reduce, keep_restore
from silcrow.session.desk import OpenDesk, open_desk
from silcrow.session.gathering import gather_status
from silcrow.session.seat import Seat
from silcrow.store.store import Store
from silcrow.tokens.counter import TokenCounter
from silcrow.tools.ctx_reduce import mark_numbers
from silcrow.tools.ctx_restore import restore_number

DROP_FORM = '/ctx-drop takes tag numbers and ranges separated by commas, for example "3-5, 12"'
RESTORE_FORM = "/ctx-restore takes one tag number, for example /ctx-restore 12."
BY_USER = ("user", None)
"""Who asks: no call of a model, so that an undo cancels nothing of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """One command, and the session as it stood when it came."""

    store: Store
    seat: Seat
    counter: TokenCounter
    at: OpenDesk
    argument: str
    now: float
    off_in_settings: bool

    @property
    def session(self) -> str:
        return self.seat.session

    @property
    def switched_off(self) -> str:
        """Why nothing can be asked for, as a sentence; empty if it can."""
        if self.off_in_settings:
            return f"{OFF_IN_SETTINGS}; nothing was recorded."
        if self.at.state.record.is_off:
            return f"{OFF_IN_SESSION}; nothing was recorded. /ctx-on switches it on again."
        return ""


async def answer_command(
    store: Store | None,
    seat: Seat,
    counter: TokenCounter,
    command: str,
    arguments: str,
    *,
    now: float,
    problem: str,
    off_in_settings: bool = False,
) -> str:
    """Answer any command of the table; a slash in front is fine, and so is the whole line as a
    person types it. A fault of the database is a sentence, too, and then nothing was recorded."""
    if not arguments.strip():
        command, _, arguments = command.strip().partition(" ")
    name = read_name(command)
    if name not in COMMANDS:
        return unknown_command(command)
    refusal = refuse_argument(COMMANDS[name], arguments)
    if refusal is not None:
        return refusal
    try:
        if store is None:
            return _tell_problem(
                name, arguments, f"Silcrow passes requests through and changes nothing: {problem}"
            )
        asked = _Asked(
            store=store,
            seat=seat,
            counter=counter,
            at=await open_desk(store, seat, now=now),
            argument=arguments.strip(),
            now=now,
            off_in_settings=off_in_settings,
        )
        return await _ANSWERS[name](asked)
    except StorageError as error:
        return _tell_problem(name, arguments, f"/{name} could not read or record anything: {error}")


def _tell_problem(name: str, arguments: str, text: str) -> str:
    wants_json = name == "ctx-status" and arguments.strip()
    return render_problem_json(text) if wants_json else text


async def _status(asked: _Asked) -> str:
    facts = await gather_status(
        asked.store,
        asked.seat,
        asked.at,
        asked.counter,
        now=asked.now,
        notices=(OFF_IN_SETTINGS,) if asked.off_in_settings else (),
    )
    return render_status_json(facts) if asked.argument else render_status(facts)


async def _flush(asked: _Asked) -> str:
    if asked.switched_off:
        return asked.switched_off
    takes_held = bool(asked.argument)
    facts = _flush_facts(asked.at, takes_held)
    if asked.at.ops:
        await asked.store.ask_flush(
            asked.session, takes_held=takes_held, stamp=asked.at.state.record.stamp
        )
    return render_flush(facts)


def _flush_facts(at: OpenDesk, takes_held: bool) -> FlushFacts:
    causes = {op.number: at.desk.holds(op.number) for op in at.drops}
    lets_go = GIVES_WAY_TO_FLUSH_ALL if takes_held else frozenset[HoldCause]()
    freed = [number for number, cause in causes.items() if cause in lets_go]
    held = [number for number, cause in causes.items() if cause and cause not in lets_go]
    counts = at.held_drops()
    return FlushFacts(
        queued=len(at.drops),
        queued_tokens=_tokens(at, causes),
        held={cause: number for cause, number in counts.items() if cause not in lets_go},
        held_tokens=_tokens(at, held),
        pending_restores=sum(
            op.kind is OpKind.RESTORE
            and at.desk.holds(op.number) not in (HoldCause.NOT_IN_LIST, HoldCause.REASONING_BOUND)
            for op in at.ops
        ),
        freed=len(freed),
        freed_tokens=_tokens(at, freed),
        takes_held=takes_held,
        knows_list=at.knows_list,
    )


def _tokens(at: OpenDesk, numbers: Collection[int]) -> int:
    tags = at.state.parts.tags
    return sum(tags[number].total_tokens for number in numbers if number in tags)


async def _drop(asked: _Asked) -> str:
    if asked.switched_off:
        return asked.switched_off
    answer = mark_numbers(asked.argument, asked.at.desk, DROP_FORM)
    await keep_reduce(asked.store, asked.at, answer, BY_USER)
    await _adopt(asked, answer.pending)
    return answer.text


async def _restore(asked: _Asked) -> str:
    if asked.switched_off:
        return asked.switched_off
    answer = restore_number(asked.argument, asked.at.desk, RESTORE_FORM)
    await keep_restore(asked.store, asked.at, answer, BY_USER)
    if answer.number in asked.at.desk.pending_restores:
        await _adopt(asked, (answer.number,))
    return answer.text


async def _adopt(asked: _Asked, numbers: Collection[int | None]) -> None:
    """What the model has asked for already, and the user now as well, is the user's."""
    of_model = [op.number for op in asked.at.ops if op.number in numbers and op.by != "user"]
    if of_model:
        await asked.store.adopt_ops(asked.session, of_model, asked.at.state.record.stamp)


async def _pin(asked: _Asked) -> str:
    answer = answer_pin(asked.argument, asked.at.desk, asked.at.state.record.pins)
    if answer.numbers:
        stamp = asked.at.state.record.stamp
        await asked.store.change_pins(asked.session, add=answer.numbers, stamp=stamp)
    return answer.text


async def _unpin(asked: _Asked) -> str:
    answer = answer_unpin(asked.argument, asked.at.desk, asked.at.state.record.pins)
    if answer.numbers:
        stamp = asked.at.state.record.stamp
        await asked.store.change_pins(asked.session, remove=answer.numbers, stamp=stamp)
    return answer.text


async def _switch_off(asked: _Asked) -> str:
    was_off = asked.at.state.record.is_off
    if not was_off:
        await asked.store.switch(asked.session, is_off=True)
    return render_off(was_off=was_off, off_in_settings=asked.off_in_settings)


async def _switch_on(asked: _Asked) -> str:
    was_off = asked.at.state.record.is_off
    if was_off:
        await asked.store.switch(asked.session, is_off=False)
    return render_on(was_off=was_off, off_in_settings=asked.off_in_settings)


_ANSWERS: Mapping[str, Callable[[_Asked], Awaitable[str]]] = {
    "ctx-status": _status,
    "ctx-flush": _flush,
    "ctx-drop": _drop,
    "ctx-restore": _restore,
    "ctx-pin": _pin,
    "ctx-unpin": _unpin,
    "ctx-off": _switch_off,
    "ctx-on": _switch_on,
}
