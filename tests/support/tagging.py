"""A session's numbers in memory: what the shell keeps in the database, kept in a list."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from silcrow.hooks.conversation import Message
from silcrow.hooks.identity import KnownParts, TaggedList, Tagging, TaggingRules
from silcrow.hooks.render import Decisions, Renderer
from silcrow.hooks.shapes import MessageFormat
from silcrow.hooks.tagging import assign_tags
from silcrow.hooks.tags import DropMode, PartKey, Tag
from silcrow.hooks.wire import Wire
from support.messages import ANTHROPIC, read_list

TAGGING = TaggingRules(
    assigns=True,
    next_number=1,
    next_ordinal=1,
    pass_number=1,
    marks_assistant=True,
    binds_reasoning=False,
)


@dataclass
class TagBook:
    """All tags of one session with the message of each, in the order in which they were stored."""

    form: MessageFormat = ANTHROPIC
    rules: TaggingRules = TAGGING
    stored: dict[int, tuple[Tag, str]] = field(default_factory=dict[int, tuple[Tag, str]])
    next_number: int = 1
    next_ordinal: int = 1

    def known(self) -> KnownParts:
        """What a process that has just opened the session knows."""
        parts = KnownParts()
        for tag, message_id in self.stored.values():
            parts.add(tag, message_id)
        return parts

    def tag_messages(
        self, messages: Sequence[Message], previous: TaggedList | None = None
    ) -> Tagging:
        """Tag a list and commit what is new."""
        rules = replace(self.rules, next_number=self.next_number, next_ordinal=self.next_ordinal)
        tagging = assign_tags(messages, self.known(), rules, previous)
        for tag in tagging.new:
            self.stored[tag.number] = (tag, tagging.message_ids[tag.number])
        for tag in tagging.changed:
            self.stored[tag.number] = (tag, self.stored[tag.number][1])
        self.next_number, self.next_ordinal = tagging.next_number, tagging.next_ordinal
        return tagging

    def tag(
        self, natives: Sequence[Mapping[str, Any]], ids: Sequence[str] | None = None
    ) -> Tagging:
        return self.tag_messages(read_list(natives, self.form, ids))

    def owners(
        self, natives: Sequence[Mapping[str, Any]], ids: Sequence[str] | None = None
    ) -> list[tuple[int, ...]]:
        """The number of every block of a list."""
        return self.tag(natives, ids).tagged.owners

    def drop(self, number: int, mode: DropMode | None) -> None:
        tag, message_id = self.stored[number]
        self.stored[number] = (replace(tag, mode=mode), message_id)

    def find_tag(self, number: int) -> Tag:
        return self.stored[number][0]

    def decisions(self, *gone: PartKey, shows_markers: bool = True) -> Decisions:
        return Decisions(
            find_tag=self.find_tag,
            dropped_reasoning=frozenset(gone),
            shows_markers=shows_markers,
        )

    def render(self, tagged: TaggedList, *gone: PartKey) -> Wire:
        renderer = Renderer(format=self.form, count=len)
        return renderer.render_list(tagged, self.decisions(*gone))

    def send(self, natives: Sequence[Mapping[str, Any]]) -> list[Any]:
        """Tag and render a list; what is left out is None."""
        return [message.native for message in self.render(self.tag(natives).tagged).messages]
