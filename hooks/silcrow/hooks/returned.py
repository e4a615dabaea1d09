"""What a host that stores our requests hands back: our own markers, labels and placeholders."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from silcrow.hooks.canonical import sha256
from silcrow.hooks.conversation import Block, BlockKind, NativeMessage
from silcrow.hooks.identity import UNTAGGED, KnownParts, says_nothing
from silcrow.hooks.markers import SIGN, label_media, render_marker, render_placeholder
from silcrow.hooks.shapes import NOTHING, MessageFormat, Original, OriginalKind
from silcrow.hooks.tags import DropMode, PartKey, Tag, TagKind

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
    is_copy: bool = True,
    shows_markers: bool = True,
    is_of_another: Callable[[Tag, str], bool] = lambda tag, call_id: False,
) -> PutBack:
    """Take off what we wrote, at the parts that it belongs to. Pure.

    A text counts as ours only if it is exactly the marker of a part of this message in front of
    its source, or the placeholder of this very part; what a person or a tool wrote alike stays as
    it is. `in_any_message`: `known` is that of another session, whose messages may have other ids
    here; only an `is_copy` of one of them may hold its placeholders. Where a session shows no
    markers, one in front of what the model says is the model's own: its source is kept without,
    so that nothing else would tell. `is_of_another` says whether the last call with an id is
    another one than that of a tag: ids are reused, and some hosts give none, so that output may
    look like the placeholder of an earlier call.
    """
    role, blocks = form.read(native)
    finder = _Finder(
        form,
        native,
        blocks,
        known,
        sources,
        in_any_message=in_any_message,
        is_copy=is_copy,
        keeps_copied=role == "assistant" and not shows_markers,
        is_of_another=is_of_another,
    )
    originals = finder.find(message_id, role)
    if not any(original is not None for original in originals):
        return PutBack(native, False, frozenset(finder.missing))
    return PutBack(form.put_back(native, originals), True, frozenset(finder.missing))


def may_be_written(blocks: Sequence[Block]) -> bool:
    """Whether any text of a message looks as if we had written it; most do not."""
    return any([block.text.startswith(_STARTS) for block in blocks])


def find_written_owner(role: str, blocks: Sequence[Block], known: KnownParts) -> str | None:
    """The id of the message that we once wrote this one as, by a number that its text begins with.

    For hosts that store what we send and give no ids: our own writing tells which message it is,
    wherever that now stands. None where nothing tells.
    """
    for index, block in enumerate(blocks):
        tag = _tag_in(block, known) if block.kind is BlockKind.TEXT else None
        if tag is None or tag.role != role or sha256(block.text) in _hashes(tag):
            continue
        is_placeholder = tag.mode is DropMode.PLACEHOLDER and _is_placeholder(block, tag)
        is_label = tag.kind is TagKind.FILE and any(
            _labels(block, tag, file, False) for file in blocks[index + 1 : index + 2]
        )
        is_marked = tag.kind is TagKind.MESSAGE and _unmark(block, tag) is not None
        if is_placeholder or is_label or is_marked:
            return tag.key.owner
    return None


class _Finder:
    """Walks the blocks of one message as tagging does, and finds what each of them was."""

    def __init__(
        self,
        form: MessageFormat,
        native: NativeMessage,
        blocks: Sequence[Block],
        known: KnownParts,
        sources: Mapping[bytes, str],
        *,
        in_any_message: bool,
        is_copy: bool,
        keeps_copied: bool,
        is_of_another: Callable[[Tag, str], bool],
    ) -> None:
        self._form = form
        self._in_any_message = in_any_message
        self._is_copy = is_copy
        self._native = native
        self._blocks = blocks
        self._known = known
        self._sources = sources
        self._keeps_copied = keeps_copied
        self._is_of_another = is_of_another
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
                tag = _tag_in(block, self._known)
                kind = tag.kind if tag is not None else TagKind.MESSAGE
                if tag is not None and kind is not TagKind.TOOL:
                    here = PartKey(kind, message_id, "", ordinals[kind])
                    original = self._was_text(index, tag, here, role)
                is_file = original is not None and kind is TagKind.FILE
                if original is not NOTHING:
                    counts = is_file or not (role == "assistant" and says_nothing(block.text))
                    ordinals[kind if is_file else TagKind.MESSAGE] += counts
            found.append(original)
        return found

    def _was_text(self, index: int, tag: Tag, here: PartKey, role: str) -> Original | None:
        """What text block `index` was, which begins with the number of `tag` and stands `here`."""
        block = self._blocks[index]
        if (tag.role != role) if self._in_any_message else (tag.key.owner != here.owner):
            return None
        if sha256(block.text) in _hashes(tag):
            return None  # that is what was said
        if tag.kind is TagKind.FILE:
            following = self._blocks[index + 1 : index + 2]
            is_here = tag.key.ordinal == here.ordinal  # whatever the host made of the file
            if any(_labels(block, tag, file, is_here) for file in following):
                return NOTHING
        if _is_placeholder(block, tag):
            return self._source(tag) if self._is_at(tag, here, block) else None
        # Not by its place: what the host does to a part in front of it moves it.
        is_ours = tag.kind is TagKind.MESSAGE and not self._keeps_copied
        text = _unmark(block, tag) if is_ours else None
        return Original(OriginalKind.TEXT, text) if text is not None else None

    def _is_at(self, tag: Tag, here: PartKey, block: Block) -> bool:
        """Whether a placeholder stands where its part stood; a model may have said the same."""
        if tag.key == here and not self._in_any_message:
            return True
        said, is_dropped = sha256(block.text), tag.mode is DropMode.PLACEHOLDER
        if not self._in_any_message:
            known = self._known.tags.get(self._known.numbers.get(here, UNTAGGED))
            return is_dropped and (known is None or said not in _hashes(known))
        if tag.key.ordinal != here.ordinal or not self._is_copy:
            return False
        return is_dropped or not any(said in _hashes(one) for one in self._known.tags.values())

    def _was_result(self, index: int, block: Block) -> Original | None:
        tag = _tag_in(block, self._known)
        if tag is None or tag.kind is not TagKind.TOOL or tag.key.call_id != block.call_id:
            return None
        if sha256(block.content) in _hashes(tag):
            return None
        if _is_placeholder(block, tag):
            if not self._is_copy or self._is_of_another(tag, block.call_id):
                return None
            return self._source(tag)
        if not tag.is_marked:
            return None
        text = block.text.removeprefix(render_marker(tag.number))
        original = Original(OriginalKind.TEXT, text)
        trial: list[Original | None] = [None] * len(self._blocks)
        trial[index] = original
        _, blocks = self._form.read(self._form.put_back(self._native, trial))
        return original if sha256(blocks[index].content) in _hashes(tag) else None

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


def _tag_in(block: Block, known: KnownParts) -> Tag | None:
    """The tag whose number a text begins with."""
    written = _WRITTEN.match(block.text)
    return known.tags.get(int(written.group(1))) if written else None


def _hashes(tag: Tag) -> tuple[bytes, bytes]:
    return tag.content_hash, tag.later_hash


def _is_placeholder(block: Block, tag: Tag) -> bool:
    return block.text == render_placeholder(tag.number)


def _labels(block: Block, tag: Tag, file: Block, is_here: bool) -> bool:
    """Whether a text labels the file behind it as that of `tag`: where that one stood, or by what
    the file holds."""
    is_its_file = is_here or sha256(file.content) in _hashes(tag)
    return is_its_file and block.text == label_media(tag.number, file.text)


def _unmark(block: Block, tag: Tag) -> str | None:
    """The source behind the marker of `tag`; None if that is not what a text is, or if the part
    never bore a marker: whoever wrote one then, we did not."""
    text = block.text.removeprefix(render_marker(tag.number))
    return text if tag.is_marked and sha256(text) in _hashes(tag) else None
