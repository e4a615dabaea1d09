"""Facts about the price of images."""

import pytest

from silcrow.tokens.media import image_tokens


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
