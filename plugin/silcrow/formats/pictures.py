"""What media cost in tokens, and the size of a picture by its first bytes."""

from base64 import b64decode
from collections.abc import Iterator, Mapping
from typing import Any, cast

PIXELS_PER_TOKEN = 750
MOST_TOKENS = 4_500
UNKNOWN_SIZE_TOKENS = 1_200

MEDIA_TYPES = frozenset(
    {"image", "image_url", "input_image", "document", "file", "input_file", "input_audio", "audio"}
)
"""The types of blocks that carry pictures, documents or sound in any format."""

Size = tuple[int, int]
"""Width and height in pixels."""

_PNG = b"\x89PNG\r\n\x1a\n"
_GIF = (b"GIF87a", b"GIF89a")
_JPEG = b"\xff\xd8"
_JPEG_SEGMENTS = 64
_JPEG_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_JPEG_BARE = frozenset({0x01, *range(0xD0, 0xDA)})
_LINES_LOOKED_AT = 200_000


def image_tokens(width: int | None, height: int | None) -> int:
    """Pixels ÷ 750, rounded up, at most 4,500; 1,200 when a side is unknown or not positive."""
    if width is None or height is None or width <= 0 or height <= 0:
        return UNKNOWN_SIZE_TOKENS
    return min(MOST_TOKENS, -(-width * height // PIXELS_PER_TOKEN))


def media_tokens(block: Mapping[str, Any]) -> int:
    """The price of one block of media, in whatever format it stands. Must not raise.

    What is no picture, or a picture whose data are not in the block, has no known size.
    """
    sizes = (picture_size(data) for data in _encoded_in(block))
    return image_tokens(*next((size for size in sizes if size), (None, None)))


def picture_size(encoded: str) -> Size | None:
    """The size of a PNG, JPEG, GIF or WebP given in base64; None for anything else.

    Decodes the few bytes that it looks at, and never the picture. Must not raise.
    """
    data = _Encoded(encoded)
    try:
        start = data.read(0, 30)
        if start.startswith(_PNG):
            return _big(start[16:20]), _big(start[20:24])
        if start.startswith(_GIF):
            return _little(start[6:8]), _little(start[8:10])
        if start[:4] == b"RIFF" and start[8:12] == b"WEBP":
            return _webp_size(start)
        return _jpeg_size(data) if start.startswith(_JPEG) else None
    except (ValueError, IndexError):  # not base64, or cut off
        return None


def _encoded_in(block: Mapping[str, Any]) -> Iterator[str]:
    """The base64 data in a block: as a source, a data URL, or beside its media type."""
    for name in ("source", "inlineData", "inline_data"):
        data = _mapping(block.get(name)).get("data")
        if isinstance(data, str):
            yield data
    url = block.get("image_url")
    url = url if isinstance(url, str) else _mapping(url).get("url")
    if isinstance(url, str) and url.startswith("data:"):
        yield url.partition(",")[2]
    if isinstance(block.get("data"), str):
        yield block["data"]


def _mapping(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


class _Encoded:
    """Bytes in base64, decoded where they are read."""

    def __init__(self, text: str) -> None:
        has_lines = any(character.isspace() for character in text[:200])
        self._text = "".join(text[:_LINES_LOOKED_AT].split()) if has_lines else text

    def read(self, start: int, length: int) -> bytes:
        """Up to so many bytes. Raises ValueError for what is no base64."""
        piece = self._text[start // 3 * 4 : -(-(start + length) // 3) * 4]
        piece = piece.replace("-", "+").replace("_", "/")
        decoded = b64decode(piece + "=" * (-len(piece) % 4))
        return decoded[start % 3 :][:length]


def _jpeg_size(data: _Encoded) -> Size | None:
    """Walk from segment to segment until one describes the frame."""
    place = len(_JPEG)
    for _ in range(_JPEG_SEGMENTS):
        segment = data.read(place, 9)
        if segment[0] != 0xFF:
            return None
        marker = segment[1]
        if marker in _JPEG_FRAMES:
            return _big(segment[7:9]), _big(segment[5:7])
        if marker == 0xFF:  # padding
            place += 1
        elif marker in _JPEG_BARE:
            place += 2
        else:
            place += 2 + _big(segment[2:4])
    return None


def _webp_size(start: bytes) -> Size | None:
    match start[12:16]:
        case b"VP8X":
            return 1 + _little(start[24:27]), 1 + _little(start[27:30])
        case b"VP8L":
            bits = _little(start[21:25])
            return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
        case b"VP8 ":
            return _little(start[26:28]) & 0x3FFF, _little(start[28:30]) & 0x3FFF
        case _:
            return None


def _big(data: bytes) -> int:
    return int.from_bytes(data, "big")


def _little(data: bytes) -> int:
    return int.from_bytes(data, "little")
