"""What stood in a message before Silcrow wrote it, as a host would hand it to `put_back`."""

from collections.abc import Sequence

from hypothesis import strategies as st

from silcrow.hooks.conversation import Block, BlockKind
from silcrow.hooks.shapes import (
    NOTHING,
    BlockForm,
    FormKind,
    MessageFormat,
    Original,
    OriginalKind,
)
from support.messages import Native
from support.native_values import forms_of_block


def originals_of(blocks: Sequence[Block], forms: Sequence[BlockForm]) -> list[Original | None]:
    """One original for each block of the message that was written in these forms."""
    found: list[Original | None] = []
    for block, form in zip(blocks, forms, strict=True):
        match form.kind:
            case FormKind.MARK:
                found.append(Original(OriginalKind.TEXT, block.text))
            case FormKind.LABEL:
                found.extend([NOTHING, None])
            case FormKind.PLACEHOLDER if block.kind is BlockKind.TEXT:
                found.append(Original(OriginalKind.TEXT, block.content))
            case FormKind.PLACEHOLDER:
                whole = Original(OriginalKind.WHOLE, block.content, block.content_is_json)
                found.append(whole)
            case _:
                found.append(None)
    return found


def written_and_put_back(form: MessageFormat, native: Native, data: st.DataObject) -> Native:
    """A message that went out in some forms, none of them REMOVE, and came back as it was sent."""
    _, blocks = form.read(native)
    forms = [
        data.draw(forms_of_block(block).filter(lambda one: one.kind is not FormKind.REMOVE))
        for block in blocks
    ]
    back = form.put_back(form.write(native, forms), originals_of(blocks, forms))
    return dict(back)


def said(form: MessageFormat, native: Native) -> list[tuple[object, ...]]:
    """What is read of a message."""
    role, blocks = form.read(native)
    return [(role, b.kind, b.text, b.content, b.content_is_json, b.call_id) for b in blocks]
