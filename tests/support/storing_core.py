"""The core under a host that stores what we send, with message ids of its own or without."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from silcrow.formats.table import FORMATS
from silcrow.hooks.facts import Purpose
from silcrow.hooks.request import PassInput
from silcrow.hooks.results import ListedMessages, PassResult
from silcrow.session.listing import list_sent, to_listing
from silcrow.session.observed import ListReader, ObservedList, observe_list
from support.core_session import CoreSession
from support.native_messages import Native


@dataclass(slots=True)
class StoringCore(CoreSession):
    """After every main pass its list is what went out. `stored` is the list as the database
    would have it, `sources` what has ever been kept."""

    gives_ids: bool = True
    sources: dict[bytes, str] = field(default_factory=dict[bytes, str])
    stored: ListedMessages = field(default_factory=ListedMessages)

    def read(self, purpose: Purpose = Purpose.MAIN) -> tuple[PassInput, ObservedList]:
        request, _ = CoreSession.read(self, purpose)
        reader = ListReader(
            form=FORMATS[self.message_format],
            count=self.policy.count,
            known=self.state.parts,
            sources=self.sources,
        )
        ids: Sequence[str] | None = self.ids if self.gives_ids else None
        observed = observe_list(self.natives, ids, self._observed, reader)
        reused = observed.reused if self.state.previous is not None else 0
        return replace(request, messages=observed.messages, reused=reused), observed

    def take(self, outcome: PassResult, observed: ObservedList) -> None:
        self.sources.update(outcome.delta.sources)
        before = self.state.previous_wire
        listed = list_sent(observed.listing, outcome.wire, before, observed.reused)
        self.stored = listed or self.stored
        CoreSession.take(self, outcome, observed)
        kept = [
            (sent.native, name)
            for sent, name in zip(outcome.wire.messages, self.ids, strict=True)
            if sent.native is not None
        ]
        self.natives = [Native(native) for native, _ in kept]
        self.ids = [name for _, name in kept]

    def restart(self) -> None:
        CoreSession.restart(self)
        self._observed = ObservedList(listing=to_listing(self.stored))
