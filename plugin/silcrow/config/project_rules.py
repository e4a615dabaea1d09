"""What a project may say about the settings of the people who work in it."""

from collections.abc import Iterator
from pathlib import PurePosixPath, PureWindowsPath
from typing import cast

from silcrow.config.layers import Layer, Table
from silcrow.config.settings import Protection, Settings
from silcrow.errors import SettingsError

FREE_KEYS = ("age",)
STRENGTHENED_KEYS = ("protection",)
# What `protection.tokens = "auto"` comes to at most, so that a number above it is never weaker.
MOST_AUTO_TOKENS = 64_000


def check_keys(layer: Layer) -> None:
    """Refuse a project file that sets what belongs to the user. Names the file and the key."""
    for key in _leaf_keys(layer.values):
        if key.split(".", 1)[0] not in (*FREE_KEYS, *STRENGTHENED_KEYS):
            raise SettingsError(
                f"{layer.origin}: '{key}' may not be set by a project, since a project must not "
                "decide over the machine of whoever opens it; set it in your own settings file"
            )


def check_strength(layer: Layer, before: Settings, after: Settings) -> None:
    """Refuse a project file that weakens the user's protection."""
    old, new = before.protection, after.protection
    if _tokens_are_fewer(old, new):
        least = MOST_AUTO_TOKENS if old.tokens == "auto" else old.tokens
        _refuse(layer, "protection.tokens", f"{new.tokens} may protect less than yours", least)
    for name, count in old.tools.items():
        if new.tools.get(name, 0) < count:
            problem = f"{new.tools.get(name, 0)} holds fewer results than yours"
            _refuse(layer, f"protection.tools.{name}", problem, count)
    for glob in new.files:
        if glob not in old.files and not _stays_inside(glob):
            raise SettingsError(
                f"{layer.origin}: 'protection.files': \"{glob}\" leaves the project; "
                "write a path below the project's folder"
            )


def _tokens_are_fewer(old: Protection, new: Protection) -> bool:
    if new.tokens == old.tokens:
        return False
    if new.tokens == "auto":
        return True
    return new.tokens < (MOST_AUTO_TOKENS if old.tokens == "auto" else old.tokens)


def _stays_inside(glob: str) -> bool:
    paths = PurePosixPath(glob), PureWindowsPath(glob)
    if glob.startswith("~") or any(path.is_absolute() or path.drive for path in paths):
        return False
    return ".." not in paths[1].parts


def _refuse(layer: Layer, key: str, problem: str, least: object) -> None:
    raise SettingsError(
        f"{layer.origin}: '{key}': {problem}, and a project may only strengthen protection; "
        f"write at least {least}, or leave the key out"
    )


def _leaf_keys(values: Table, prefix: str = "") -> Iterator[str]:
    for name, value in values.items():
        if isinstance(value, dict) and value:
            yield from _leaf_keys(cast(Table, value), f"{prefix}{name}.")
        else:
            yield prefix + name
