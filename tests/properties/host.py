"""The host of a random session: its list, and what happens to it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from properties.pen import Pen
from properties.reading import cut_message
from properties.script import Setup
from support.native_messages import Native

Result = tuple[str, Native]


@dataclass(slots=True)
class Pending:
    """A response of which a call has no result yet: the message that brings the others, if any,
    is at `place`."""

    uid: str
    results: list[Result]
    missing: list[Result]


@dataclass(slots=True)
class HostList:
    """A list of messages as the host has it; `uids` are its names for them, which begin with
    `base`."""

    setup: Setup
    pen: Pen
    natives: list[Native] = field(default_factory=list[Native])
    uids: list[str] = field(default_factory=list[str])
    pending: Pending | None = None
    base: str = "m"
    made: int = 0

    def add(self, natives: Sequence[Native], at: int | None = None) -> None:
        for native in natives:
            self.made += 1
            uid = f"{self.base}{self.made}"
            named = self._named(native, uid)
            place = len(self.natives) if at is None else at
            self.natives.insert(place, named)
            self.uids.insert(place, uid)
            at = None if at is None else at + 1

    def _named(self, native: Native, uid: str) -> Native:
        """A host that stores what we send keeps the id in the message itself."""
        if not self.setup.stores or self._id_of(uid) is None or "id" in native:
            return native
        return {**native, "id": uid}

    def _id_of(self, uid: str) -> str | None:
        if self.setup.ids == "none" or (self.setup.ids == "some" and hash_of(uid) % 3 == 0):
            return None
        return uid

    def ids(self) -> list[str | None] | None:
        if self.setup.ids == "none":
            return None
        if self.setup.stores:
            return [native.get("id") for native in self.natives]
        return [self._id_of(uid) for uid in self.uids]

    def store(self, sent: Sequence[Mapping[str, Any]]) -> None:
        """Take over what was sent; a message without an id has a new name from now on."""
        self.natives = [dict(one) for one in sent]
        self.uids = [one.get("id") or f"{self.base}s{self.pen.next()}" for one in sent]

    def is_of_model(self, place: int) -> bool:
        native = self.natives[place]
        if native.get("role") in ("assistant", "model"):
            return True
        return native.get("type") in ("function_call", "reasoning")

    def begins_turn(self, place: int) -> bool:
        kinds = {piece.kind for piece in cut_message(0, self.natives[place])}
        return self.natives[place].get("role") == "user" and "result" not in kinds

    def turns(self) -> list[int]:
        return [place for place in range(len(self.natives)) if self.begins_turn(place)]

    def steps(self) -> list[int]:
        """Where a response of the model begins."""
        places = range(1, len(self.natives))
        return [n for n in places if self.is_of_model(n) and not self.is_of_model(n - 1)]

    def in_loop(self) -> bool:
        return not self.begins_turn(len(self.natives) - 1) and not self.is_of_model(-1)

    def speak(self, which: int, thinks: str = "none") -> None:
        """The model answers in words, and the user says something more."""
        if not self.is_of_model(len(self.natives) - 1):
            self.add(self.pen.model(which, thinks))
        self.add(self.pen.user(which + 1))

    def undo(self, turns: int) -> int | None:
        """Cut so many turns off; the place of the cut, None where there is no turn to undo."""
        starts = self.turns()[1:]
        if not starts:
            return None
        place = starts[-min(turns, len(starts))]
        del self.natives[place:], self.uids[place:]
        self.pending = None
        return place

    def compact(self, share: int) -> bool:
        """Put a summary in the place of the oldest steps."""
        steps = self.steps()[1:]
        if not steps:
            return False
        place = steps[min(len(steps) - 1, share * len(steps) // 8)]
        del self.natives[:place], self.uids[:place]
        self.add([self.pen.spoken(f"Summary {self.pen.next()}.")], at=0)
        return True

    def fork(self, base: str, renames: bool, length: int) -> "HostList":
        """A copy of the first messages, perhaps under new ids."""
        copy = HostList(self.setup, self.pen, base=base, made=self.made)
        for native, uid in zip(self.natives[:length], self.uids[:length], strict=True):
            new = f"{base}{uid}" if renames else uid
            given = native.get("id")
            copy.natives.append({**native, "id": new} if given == uid else dict(native))
            copy.uids.append(new)
        return copy

    def leave_open(self, asked: Sequence[Native], results: Sequence[Result]) -> None:
        """A response whose last call has no result yet."""
        self.add(asked)
        *there, missing = results
        if there:
            self.add(self.pen.results([one for _, one in there]))
        uid = self.uids[-1] if there else ""
        self.pending = Pending(uid, list(there), [missing])

    def settle(self) -> bool:
        """The missing result comes, behind the others."""
        pending, self.pending = self.pending, None
        if pending is None:
            return False
        if self.setup.stores:  # its message has been stored by now with what we wrote into it
            return False
        everything = [one for _, one in (*pending.results, *pending.missing)]
        if not pending.uid:
            self.add(self.pen.results(everything))
        elif self.setup.format in ("openai_chat", "openai_responses"):
            place = self.uids.index(pending.uid) + 1
            self.add([one for _, one in pending.missing], at=place)
        else:
            place = self.uids.index(pending.uid)
            self.natives[place] = self.pen.results(everything)[0]
        return True


def hash_of(uid: str) -> int:
    """A number that depends on the name alone."""
    return sum(map(ord, uid))
