"""What a host that stores our requests hands back: our own markers, labels and placeholders."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from silcrow.hooks.canonical import sha256
from silcrow.hooks.conversation import Block, BlockKind, NativeMessage
from silcrow.hooks.identity import KnownParts, says_nothing
from silcrow.hooks.markers import SIGN, label_media, render_marker, render_placeholder
from silcrow.hooks.shapes import NOTHING, MessageFormat, Original, OriginalKind
from silcrow.hooks.tags import PartKey, Tag, TagKind

_WRITTEN = re.compile(rf"(?:\[dropped )?{SIGN}(\d{{1,9}}){SIGN}")
_STARTS = (SIGN, f"[dropped {SIGN}")


@dataclass(frozen=True, slots=True)
class PutBack:
    """A message as it was before we wrote it. `missing` are sources that are needed for that and
    have not been read yet; without them a placeholder stays."""

    native: NativeMessage
    is_changed: bool
    missing: frozenset[bytes]


def put_back_written(
    form: MessageFormat,
    native: NativeMessage,
    *,
    message_id: str,
    known: KnownParts,
    sources: Mapping[bytes, str],
    in_any_message: bool = False,
) -> PutBack:
    """Take off what we wrote, at the parts that it belongs to. Pure.

    A text counts as ours only if it is exactly the marker of this very part in front of its
    source, or its placeholder; what a person or a tool wrote alike stays as it is.
    `in_any_message`: `known` is that of another session, whose messages may have other ids here.
    """
    role, blocks = form.read(native)
    finder = _Finder(form, native, blocks, known, sources, in_any_message)
    originals = finder.find(message_id, role)
    if not any(original is not None for original in originals):
        return PutBack(native, False, frozenset(finder.missing))
    return PutBack(form.put_back(native, originals), True, frozenset(finder.missing))


def may_be_written(blocks: Sequence[Block]) -> bool:
    """Whether any text of a message looks as if we had written it; most do not."""
    return any([block.text.startswith(_STARTS) for block in blocks])


class _Finder:
    """Walks the blocks of one message as tagging does, and finds what each of them was."""

    def __init__(
        self,
        form: MessageFormat,
        native: NativeMessage,
        blocks: Sequence[Block],
        known: KnownParts,
        sources: Mapping[bytes, str],
        in_any_message: bool,
    ) -> None:
        self._form = form
        self._in_any_message = in_any_message
        self._native = native
        self._blocks = blocks
        self._known = known
        self._sources = sources
        self.missing: set[bytes] = set()

    def find(self, message_id: str, role: str) -> list[Original | None]:
        found: list[Original | None] = []
        ordinals = {TagKind.MESSAGE: 0, TagKind.FILE: 0}
        for index, block in enumerate(self._blocks):
            original = None
            if block.kind is BlockKind.RESULT:
                original = self._was_result(index, block)
            elif block.kind is BlockKind.FILE:
                ordinals[TagKind.FILE] += 1
            elif block.kind is BlockKind.TEXT:
                tag = self._tag_in(block)
                kind = tag.kind if tag is not None else TagKind.MESSAGE
                if tag is not None and kind is not TagKind.TOOL:
                    owner = tag.key.owner if self._in_any_message else message_id
                    if tag.key == PartKey(kind, owner, "", ordinals[kind]):
                        original = self._was_text(index, block, tag)
                is_file = original is not None and kind is TagKind.FILE
                if original is not NOTHING:
                    counts = is_file or not (role == "assistant" and says_nothing(block.text))
                    ordinals[kind if is_file else TagKind.MESSAGE] += counts
            found.append(original)
        return found

    def _tag_in(self, block: Block) -> Tag | None:
        """The tag whose number a text begins with."""
        written = _WRITTEN.match(block.text)
        return self._known.tags.get(int(written.group(1))) if written else None

    def _was_text(self, index: int, block: Block, tag: Tag) -> Original | None:
        if sha256(block.text) in (tag.content_hash, tag.later_hash):
            return None  # that is what was said
        if tag.kind is TagKind.FILE:
            following = self._blocks[index + 1 : index + 2]
            if any(block.text == label_media(tag.number, file.text) for file in following):
                return NOTHING
        if block.text == render_placeholder(tag.number):
            return self._source(tag)
        if not tag.is_marked:  # a part that never bore our marker: whoever wrote one, we did not
            return None
        text = block.text.removeprefix(render_marker(tag.number))
        is_whole = sha256(text) in (tag.content_hash, tag.later_hash)
        return Original(OriginalKind.TEXT, text) if is_whole else None

    def _was_result(self, index: int, block: Block) -> Original | None:
        tag = self._tag_in(block)
        if tag is None or tag.kind is not TagKind.TOOL or tag.key.call_id != block.call_id:
            return None
        hashes = (tag.content_hash, tag.later_hash)
        if sha256(block.content) in hashes:
            return None
        if block.text == render_placeholder(tag.number):
            return self._source(tag)
        if not tag.is_marked:
            return None
        text = block.text.removeprefix(render_marker(tag.number))
        original = Original(OriginalKind.TEXT, text)
        trial: list[Original | None] = [None] * len(self._blocks)
        trial[index] = original
        _, blocks = self._form.read(self._form.put_back(self._native, trial))
        return original if sha256(blocks[index].content) in hashes else None

    def _source(self, tag: Tag) -> Original | None:
        digest = tag.later_hash or tag.content_hash
        if not tag.is_stored:
            return None
        if digest not in self._sources:
            self.missing.add(digest)
            return None
        text = self._sources[digest]
        if sha256(text) != digest:  # it is no longer stored
            return None
        return Original(OriginalKind.WHOLE, text, tag.content_is_json)
