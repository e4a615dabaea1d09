"""Facts about docs/settings.md: it lists every setting, with its true default."""

import re
import tomllib
from pathlib import Path
from typing import cast

import pytest

from silcrow.config.settings import Settings, setting_keys

PAGE = Path(__file__).parents[2] / "docs" / "settings.md"
ROW = re.compile(r"^\| `([a-z_.]+)` \| (.+?) \| `(.+?)` \| (.+) \|$", re.MULTILINE)


def documented() -> dict[str, str]:
    return {key: default for key, _, default, _ in ROW.findall(PAGE.read_text(encoding="utf-8"))}


def default_of(key: str) -> object:
    found: object = Settings().model_dump(mode="json")
    for name in key.split("."):
        found = cast(dict[str, object], found)[name]
    return found


def test_every_setting_is_documented_in_order() -> None:
    assert tuple(documented()) == setting_keys()


@pytest.mark.parametrize("key", setting_keys())
def test_a_documented_default_is_the_default(key: str) -> None:
    assert tomllib.loads(f"value = {documented()[key]}")["value"] == default_of(key)


def test_the_example_of_the_page_is_valid() -> None:
    example = re.search(r"```toml\n(.+?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert example is not None
    assert Settings.model_validate(tomllib.loads(example[1])).protection.files == ("docs/*.md",)
