"""What an image costs in tokens."""

PIXELS_PER_TOKEN = 750
MOST_TOKENS = 4_500
UNKNOWN_SIZE_TOKENS = 1_200


def image_tokens(width: int | None, height: int | None) -> int:
    """Pixels ÷ 750, rounded up, at most 4,500; 1,200 when a side is unknown or not positive."""
    if width is None or height is None or width <= 0 or height <= 0:
        return UNKNOWN_SIZE_TOKENS
    return min(MOST_TOKENS, -(-width * height // PIXELS_PER_TOKEN))
