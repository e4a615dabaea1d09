"""Strategies for what hosts send: any JSON, any form of a block, any change of one value."""

import copy
from collections.abc import Iterator, Sequence
from typing import Any

from hypothesis import strategies as st

from silcrow.formats.native import list_of, mapping_of
from silcrow.hooks.conversation import Block, BlockKind
from silcrow.hooks.markers import label_media, mark_text, render_placeholder
from silcrow.hooks.render import units_of
from silcrow.hooks.shapes import KEEP, REMOVE, BlockForm, FormKind
from support.messages import CACHE_POINT, Native

WORDS = st.sampled_from(["", " \n", "hello", "§1§ ", "a\ud800\0", "[dropped §2§]"])
JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | WORDS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["type", "text", "id", "content", "x"]), inner)
    ),
    max_leaves=6,
)
TRANSPORT = st.fixed_dictionaries(
    {}, optional={"cache_control": st.just(CACHE_POINT), "providerOptions": st.just({"a": 1})}
)
EXTRA = st.fixed_dictionaries({}, optional={"citations": JSON, "x_host": JSON})
ODD_CONTENT = JSON | st.lists(JSON, max_size=3)


def merged(*parts: st.SearchStrategy[Native]) -> st.SearchStrategy[Native]:
    """One mapping of several."""
    return st.tuples(*parts).map(lambda found: {k: v for part in found for k, v in part.items()})


def forms_of_block(block: Block) -> st.SearchStrategy[BlockForm]:
    """Every form in which the renderer may let a block go out, as tag 7."""
    forms = [KEEP, REMOVE]
    if block.kind in (BlockKind.TEXT, BlockKind.FILE, BlockKind.RESULT):
        forms.append(BlockForm(FormKind.PLACEHOLDER, render_placeholder(7)))
    if block.kind in (BlockKind.TEXT, BlockKind.RESULT) and not block.is_blank:
        forms.append(BlockForm(FormKind.MARK, mark_text(7, block.text)))
    if block.kind is BlockKind.FILE:
        forms.append(BlockForm(FormKind.LABEL, label_media(7, block.text)))
    return st.sampled_from(forms)


def forms_of_message(blocks: Sequence[Block]) -> st.SearchStrategy[tuple[BlockForm, ...]]:
    """One form per block, such that something is left."""
    return st.tuples(*map(forms_of_block, blocks)).filter(
        lambda forms: any(map(units_of, blocks, forms))
    )


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every value in a JSON value that holds no other one."""
    inner = [*(mapping_of(value) or {}).items(), *enumerate(list_of(value))]
    for key, item in inner:
        yield from leaves(item, (*path, key))
    if not inner:
        yield path


def with_changed(value: Any, path: tuple[Any, ...]) -> Any:
    """The same value with something else at a path."""
    if not path:
        return ["changed"]
    changed = copy.copy(value)
    changed[path[0]] = with_changed(value[path[0]], path[1:])
    return changed
