"""Reads the places that settings come from, each into one layer of plain values."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from silcrow.errors import SettingsError

PREFIX = "SILCROW_"
PROJECT_FILE = "silcrow.toml"
PYPROJECT_FILE = "pyproject.toml"

Table = dict[str, object]


@dataclass(frozen=True, slots=True)
class Layer:
    """What one place says. `variables` names the environment variable behind a dotted key."""

    origin: str
    values: Table
    is_project: bool = False
    variables: Mapping[str, str] = field(default_factory=dict[str, str])

    def origin_of(self, key: str) -> str:
        """The file, or the variable that set this key or something in it."""
        for known, variable in self.variables.items():
            if f"{key}.".startswith(f"{known}.") or f"{known}.".startswith(f"{key}."):
                return variable
        return self.origin


def read_user_layer(file: Path) -> Layer:
    """The user's file; an empty layer when there is none."""
    return Layer(str(file), _read_table(file) or {})


def read_project_layer(folder: Path) -> Layer | None:
    """`silcrow.toml`, or the table `[tool.silcrow]` of `pyproject.toml`; both are an error."""
    own = folder / PROJECT_FILE
    shared = folder / PYPROJECT_FILE
    values = _read_table(own)
    table = _read_tool_table(shared)
    if values is not None and table is not None:
        raise SettingsError(f"{own}: {shared} has a [tool.silcrow] as well; keep one of the two")
    if values is not None:
        return Layer(str(own), values, is_project=True)
    return None if table is None else Layer(f"{shared} [tool.silcrow]", table, is_project=True)


def read_environment_layer(environment: Mapping[str, str]) -> Layer:
    """`SILCROW_STORAGE__PATH` sets `storage.path`; a variable without a value sets nothing."""
    values: Table = {}
    variables: dict[str, str] = {}
    for variable in sorted(name for name in environment if name.upper().startswith(PREFIX)):
        if not environment[variable].strip():
            continue
        path = variable[len(PREFIX) :].lower().split("__")
        table = values
        for name in path[:-1]:
            inner = table.setdefault(name, {})
            if not isinstance(inner, dict):
                raise SettingsError(f"{variable}: '{name}' has a value in another variable already")
            table = cast(Table, inner)
        if path[-1] in table:
            raise SettingsError(f"{variable}: '{'.'.join(path)}' is set by another variable too")
        table[path[-1]] = read_value(environment[variable])
        variables[".".join(path)] = variable
    return Layer("the environment", values, variables=variables)


def read_value(text: str) -> object:
    """A TOML value where the text is one, `True` and `FALSE` included, else the text itself."""
    if text.strip().lower() in {"true", "false"}:
        return text.strip().lower() == "true"
    try:
        found = tomllib.loads(f"value = {text}")
    except (tomllib.TOMLDecodeError, RecursionError):
        return text
    value = found.get("value")
    # More than one key: the text was a piece of TOML, not a value. No setting is a date.
    is_value = len(found) == 1 and isinstance(value, bool | int | float | str | list | dict)
    return cast(object, value) if is_value else text


def merge(below: Table, above: Table, path: tuple[str, ...] = ()) -> Table:
    """Both tables as one; what stands above wins, and lists of `protection` are added up."""
    merged = dict(below)
    for name, value in above.items():
        old = merged.get(name)
        if isinstance(old, dict) and isinstance(value, dict):
            merged[name] = merge(cast(Table, old), cast(Table, value), (*path, name))
        elif path[:1] == ("protection",) and isinstance(old, list) and isinstance(value, list):
            merged[name] = [*cast(list[object], old), *cast(list[object], value)]
        else:
            merged[name] = value
    return merged


def _read_tool_table(file: Path) -> Table | None:
    try:
        tool = (_read_table(file) or {}).get("tool")
    except SettingsError:
        # A pyproject.toml that is broken while somebody edits it is our affair only if it is ours.
        if re.search(rb"tool\s*\.\s*[\"']?silcrow", _read_bytes(file) or b""):
            raise
        return None
    table = cast(Table, tool).get("silcrow") if isinstance(tool, dict) else None
    if table is not None and not isinstance(table, dict):
        raise SettingsError(f"{file}: 'tool.silcrow' must be a table; write [tool.silcrow]")
    return cast(Table | None, table)


def _read_table(file: Path) -> Table | None:
    content = _read_bytes(file)
    if content is None:
        return None
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = str(content.count(b"\n", 0, error.start) + 1)
        raise SettingsError(f"{file}, line {line}: not UTF-8; save the file as UTF-8") from error
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"at line (\d+)", str(error))
        line = found[1] if found else str(text.count("\n") + 1)
        raise SettingsError(f"{file}, line {line}: not valid TOML: {error}") from error
    except RecursionError as error:
        raise SettingsError(f"{file}: nested too deeply") from error


def _read_bytes(file: Path) -> bytes | None:
    try:
        # Only what is a file: reading a named pipe would wait for ever.
        if file.is_file():
            return file.read_bytes()
        exists = file.exists()
    except OSError as error:
        raise SettingsError(f"{file}: cannot be read: {error.strerror or error}") from error
    if exists:
        raise SettingsError(f"{file}: is not a file; put a file there, or nothing")
    return None
