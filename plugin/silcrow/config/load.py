"""Puts the settings of a session together: user file, project file, environment; later wins."""

import os
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import cast

from pydantic import BaseModel, ValidationError

from silcrow.config.layers import (
    Layer,
    Table,
    merge,
    read_environment_layer,
    read_project_layer,
    read_user_layer,
)
from silcrow.config.places import user_settings_file
from silcrow.config.project_rules import check_keys, check_strength
from silcrow.config.settings import Section, Settings, setting_keys
from silcrow.errors import SettingsError

_PLAIN_WORDS = {
    "bool_type": "write true or false",
    "string_type": "write a text",
    "model_type": "must be a table of settings",
}


def load_settings(
    *,
    user_file: Path | None = None,
    project_folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> Settings:
    """Read all settings. Writes nothing; files that do not exist are fine.

    `user_file` None is the platform's place, `environment` None is that of the process. Raises
    SettingsError, naming the file or variable and the full key, for an unknown key, a wrong value,
    a key that a project may not set, or a file that cannot be read.
    """
    layers = [read_user_layer(user_file or user_settings_file())]
    if project_folder is not None:
        project = read_project_layer(project_folder)
        layers.extend([] if project is None else [project])
    layers.append(read_environment_layer(os.environ if environment is None else environment))
    values: Table = {}
    settings = Settings()
    # One layer at a time, so that an error is known to be of the layer that brought it.
    for layer in layers:
        _refuse_unknown_keys(layer)
        if layer.is_project:
            check_keys(layer)
        values = merge(values, layer.values)
        before, settings = settings, _validate(values, layer)
        if layer.is_project:
            check_strength(layer, before, settings)
    return settings


def reload_or_keep(
    last_good: Settings,
    *,
    user_file: Path | None = None,
    project_folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> tuple[Settings, str | None]:
    """Read the settings again for a running session, or keep the last good ones and say why."""
    try:
        settings = load_settings(
            user_file=user_file, project_folder=project_folder, environment=environment
        )
    except SettingsError as error:
        return last_good, str(error)
    return settings, None


def _validate(values: Table, layer: Layer) -> Settings:
    try:
        return Settings.model_validate(values)
    except ValidationError as error:
        lines = [_explain(found, layer) for found in _plain_errors(error)]
        raise SettingsError("\n".join(lines)) from error


def _plain_errors(error: ValidationError) -> Iterator[tuple[str, str, object]]:
    """The key, what to do about it, and the value found, of each mistake."""
    seen: set[str] = set()
    for found in error.errors(include_url=False):
        names = [str(part) for part in found["loc"]]
        # What follows the name of a setting is how pydantic calls the branch of a union.
        key = next((k for k in _prefixes(names) if k in setting_keys()), ".".join(names))
        if key not in seen:
            seen.add(key)
            message = _PLAIN_WORDS.get(found["type"], found["msg"].removeprefix("Value error, "))
            if key == "markers.assistant":
                message = 'write true, false or "auto"'
            yield key, message, found["input"]


def _prefixes(names: list[str]) -> Iterator[str]:
    return (".".join(names[:length]) for length in range(1, len(names) + 1))


def _explain(mistake: tuple[str, str, object], layer: Layer) -> str:
    key, message, value = mistake
    if not key:
        return f"{layer.origin}: {message}"
    shown = repr(value)
    shown = shown if len(shown) <= 60 else f"{shown[:57]}…"
    return f"{layer.origin_of(key)}: '{key}': {message}; it is {shown}"


def _refuse_unknown_keys(layer: Layer) -> None:
    for key in _unknown_keys(layer.values, Settings):
        message = f"{layer.origin_of(key)}: '{key}' is no setting"
        near = get_close_matches(key, setting_keys(), n=1)
        if near:
            message += f"; did you mean '{near[0]}'?"
        raise SettingsError(f"{message} (docs/settings.md lists them all)")


def _unknown_keys(values: Table, section: type[BaseModel], prefix: str = "") -> Iterator[str]:
    for name, value in values.items():
        field = section.model_fields.get(name)
        if field is None:
            yield prefix + name
        elif (
            isinstance(value, dict)
            and isinstance(field.annotation, type)
            and issubclass(field.annotation, Section)
        ):
            yield from _unknown_keys(cast(Table, value), field.annotation, f"{prefix}{name}.")
