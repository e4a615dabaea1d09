"""Pictures as their first bytes say, made by code, and the blocks that carry them."""

import struct
from base64 import b64encode

from support.native_messages import Native


def png(width: int, height: int) -> bytes:
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I", len(header)) + b"IHDR" + header + b"more"


def gif(width: int, height: int) -> bytes:
    return b"GIF89a" + struct.pack("<HH", width, height) + b"\x00\x00\x00"


def jpeg(width: int, height: int, *, before: int = 20, marker: int = 0xC0) -> bytes:
    """`before` are the bytes of what a camera says in front of the frame."""
    said = b"\xff\xe1" + struct.pack(">H", before + 2) + b"e" * before
    frame = struct.pack(">HBHHB", 11, 8, height, width, 1)
    return b"\xff\xd8" + said + b"\xff\xff" + bytes([marker]) + frame + b"\x01\x11\x00"


def webp(width: int, height: int, kind: str = "VP8X") -> bytes:
    if kind == "VP8X":
        sides = (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
        chunk = b"\x00\x00\x00\x00" + sides
    elif kind == "VP8L":
        bits = (width - 1) | (height - 1) << 14
        chunk = b"\x2f" + struct.pack("<I", bits) + b"\x00" * 5
    else:
        chunk = b"\x00\x00\x00\x9d\x01\x2a" + struct.pack("<HH", width, height)
    body = b"WEBP" + kind.encode() + struct.pack("<I", len(chunk)) + chunk
    return b"RIFF" + struct.pack("<I", len(body)) + body


def base64_of(data: bytes) -> str:
    return b64encode(data).decode()


def image(width: int = 1000, height: int = 750) -> Native:
    """A picture in Anthropic's form: 1,000 tokens unless told otherwise."""
    data = base64_of(png(width, height))
    return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}


def chat_image(width: int = 1000, height: int = 750) -> Native:
    """The same in the form of OpenAI's chat."""
    return {"type": "image_url", "image_url": {"url": _data_url(width, height)}}


def item_image(width: int = 1000, height: int = 750) -> Native:
    """The same in the form of OpenAI's responses."""
    return {"type": "input_image", "image_url": _data_url(width, height)}


def part_image(width: int = 1000, height: int = 750) -> Native:
    """The same in Gemini's form."""
    data = base64_of(png(width, height))
    return {"inlineData": {"mimeType": "image/png", "data": data}}


def _data_url(width: int, height: int) -> str:
    return f"data:image/png;base64,{base64_of(png(width, height))}"
