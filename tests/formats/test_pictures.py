"""Facts about the price of media, and about the size of a picture by its first bytes."""

from typing import Any

import pytest

from silcrow.formats.native import read_result_content
from silcrow.formats.pictures import (
    UNKNOWN_SIZE_TOKENS,
    image_tokens,
    media_tokens,
    picture_size,
)
from support.pictures import base64_of, chat_image, gif, image, jpeg, png, webp


@pytest.mark.parametrize(
    ("width", "height", "tokens"),
    [
        (750, 1, 1),
        (751, 1, 2),
        (1000, 750, 1000),
        # 3,375,000 pixels are 4,500 tokens, and more cost no more.
        (2250, 1500, 4500),
        (10_000, 10_000, 4500),
        (None, None, 1200),
        (None, 100, 1200),
        (100, None, 1200),
        (0, 100, 1200),
        (-5, 100, 1200),
    ],
)
def test_an_image_costs_by_its_pixels(width: int | None, height: int | None, tokens: int) -> None:
    assert image_tokens(width, height) == tokens


PICTURES = {
    "PNG": png(640, 481),
    "GIF": gif(640, 481),
    "JPEG": jpeg(640, 481),
    "JPEG, progressive": jpeg(640, 481, marker=0xC2),
    "JPEG with a long preface": jpeg(640, 481, before=60_001),
    "WebP, extended": webp(640, 481, "VP8X"),
    "WebP, lossless": webp(640, 481, "VP8L"),
    "WebP, lossy": webp(640, 481, "VP8 "),
}


@pytest.mark.parametrize("data", PICTURES.values(), ids=PICTURES)
def test_a_picture_tells_its_size(data: bytes) -> None:
    assert picture_size(base64_of(data)) == (640, 481)


@pytest.mark.parametrize("data", PICTURES.values(), ids=PICTURES)
def test_base64_in_lines_or_for_addresses_is_read_as_well(data: bytes) -> None:
    text = base64_of(data)
    lines = "\n".join(text[start : start + 76] for start in range(0, len(text), 76))
    assert picture_size(lines) == (640, 481)
    assert picture_size(text.replace("+", "-").replace("/", "_")) == (640, 481)


@pytest.mark.parametrize("data", PICTURES.values(), ids=PICTURES)
def test_a_picture_that_is_cut_off_anywhere_never_raises(data: bytes) -> None:
    text = base64_of(data)
    for length in range(min(len(text), 80)):
        picture_size(text[:length])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "not base64 at all, and no picture",
        "漢字",
        "\udc81" * 40,
        base64_of(b"%PDF-1.7 and more of the document behind it"),
        base64_of(b"\xff\xd8" + b"\xff\xe1\x00\x02" * 100),
        base64_of(b"\xff\xd8" + b"\xff\xe1\x00\x00" * 100),
        base64_of(b"\xff\xd8nothing that a JPEG may hold"),
        base64_of(b"RIFF0000WEBPVP9 and more than thirty bytes of it"),
    ],
)
def test_what_is_no_picture_has_no_size(text: str) -> None:
    assert picture_size(text) is None


@pytest.mark.parametrize(
    "block",
    [
        image(),
        chat_image(),
        {"type": "image_url", "image_url": chat_image()["image_url"]["url"]},
        {"type": "input_image", "image_url": chat_image()["image_url"]["url"]},
        {"inlineData": {"mimeType": "image/png", "data": base64_of(png(1000, 750))}},
        {"type": "image", "mimeType": "image/png", "data": base64_of(png(1000, 750))},
    ],
)
def test_a_picture_is_priced_in_every_format(block: dict[str, Any]) -> None:
    assert media_tokens(block) == 1000


@pytest.mark.parametrize(
    "block",
    [
        {"type": "image", "source": {"type": "url", "url": "x.png"}},
        {"type": "image_url", "image_url": {"url": "x.png"}},
        {"type": "image_url", "image_url": {"url": "data:"}},
        {"type": "image_url", "image_url": 3},
        {"type": "image", "source": "odd"},
        {"type": "document", "source": {"type": "base64", "data": base64_of(b"%PDF-1.7")}},
        {"type": "file", "file": {"filename": "a.pdf"}},
        {"type": "input_audio", "input_audio": {"data": "AAAA"}},
    ],
)
def test_anything_else_has_the_price_of_an_unknown_size(block: dict[str, Any]) -> None:
    assert media_tokens(block) == UNKNOWN_SIZE_TOKENS


def test_pictures_in_a_result_are_priced_and_not_counted_as_text() -> None:
    content = [{"type": "text", "text": "Seen."}, image(), image(1500, 1000)]
    assert read_result_content(content) == ("Seen.", ("Seen.",), 3000)
