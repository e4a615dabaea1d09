"""A host that stores what we send: its next list is what it was handed, and what came since."""

from dataclasses import dataclass
from typing import Any

from silcrow.hooks.facts import PassFacts, Purpose
from silcrow.session import ContextPlugin
from silcrow.session.outcome import CallResult
from support.native_messages import Native, model, user
from support.plugin_session import PluginSession


@dataclass(slots=True)
class StoringSession(PluginSession):
    """Its messages bear their ids as a key of their own, or have none at all (`gives_ids`)."""

    gives_ids: bool = True

    def add(self, *natives: Native) -> "StoringSession":
        for native in natives:
            self._made += 1
            own = {"id": f"m{self._made}"} if self.gives_ids else {}
            self.natives.append({**native, **own})
        return self

    def make_facts(self, **given: Any) -> PassFacts:
        ids = [native["id"] for native in self.natives] if self.gives_ids else None
        return PluginSession.make_facts(self, **({"message_ids": ids} | given))

    async def send(self, **given: Any) -> CallResult:
        sent = await PluginSession.send(self, **given)
        if sent.report.purpose is Purpose.MAIN:
            self.natives = [dict(message) for message in sent.messages]
        return sent


async def stored_session(
    plugin: ContextPlugin, gives_ids: bool, steps: int = 8, name: str = "s"
) -> StoringSession:
    """A question is §1§, the result of call `c<n>` is §n+1§; sent once and answered. The results
    of the last five calls are held."""
    session = StoringSession(plugin, name, gives_ids=gives_ids)
    session.add(user("Please find the fault."))
    for index in range(1, steps + 1):
        session.step(f"c{index}")
    await session.send()
    await session.answer()
    return session


async def take_turn(session: StoringSession, says: str = "Go on.") -> CallResult:
    """The model answers and the user says something more; sent and answered."""
    session.add(model(f"Done, as to {says}"), user(says))
    sent = await session.send()
    await session.answer()
    return sent
