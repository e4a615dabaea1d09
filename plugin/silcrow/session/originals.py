"""Originals of tagged parts, as they were first seen."""

from dataclasses import dataclass

from silcrow.hooks.tags import Tag
from silcrow.store.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Original:
    """A source: the text (of a tool: its output), and for a tool the arguments as JSON.

    `is_json` says that the text is the JSON of a list of blocks.
    """

    tag: Tag
    text: str
    is_json: bool
    arguments: str | None


async def read_original(store: Store, session: str, number: int) -> Original | None:
    """The source of one tag of one session; never of another. Raises StorageError."""
    tag = await store.read_tag(session, number)
    if tag is None:
        return None
    text = await store.read_source(tag.content_hash)
    if text is None:
        return None
    arguments = await store.read_source(tag.input_hash) if tag.input_hash else None
    return Original(tag=tag, text=text, is_json=tag.content_is_json, arguments=arguments)
