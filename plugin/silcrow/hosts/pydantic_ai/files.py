"""Files in a prompt or a tool's result as image and document blocks."""

from pathlib import PurePosixPath
from typing import Any
from urllib.parse import urlsplit

from pydantic_ai.messages import BinaryContent, MultiModalContent, UploadedFile


def file_block(item: MultiModalContent) -> dict[str, Any]:
    """The block of a file. Its bytes are in it, so that the original can be had back."""
    if isinstance(item, BinaryContent):
        source = {"type": "base64", "media_type": item.media_type, "data": item.base64}
        return _block(item.media_type, item.media_type, source)
    if isinstance(item, UploadedFile):
        source = {"type": "file", "file_id": item.file_id, "provider": item.provider_name}
        return _block(item.media_type, item.file_id, source)
    # The kind, not the media type: reading that one raises for a URL that has no ending.
    kind = "image" if item.kind == "image-url" else item.kind
    return _block(kind, _name_in(item.url), {"type": "url", "url": item.url})


def _block(kind: str, title: str, source: dict[str, Any]) -> dict[str, Any]:
    """Formats know pictures and documents; sound and film count as documents."""
    if kind.split("/")[0] == "image":
        return {"type": "image", "source": source}
    return {"type": "document", "title": title, "source": source}


def _name_in(url: str) -> str:
    return PurePosixPath(urlsplit(url).path).name
