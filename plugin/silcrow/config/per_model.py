"""Settings that may differ from model to model."""

from collections.abc import Callable, Mapping
from typing import TypeVar, cast

from silcrow.config.model_names import canonical_name, model_key, provider_key

DEFAULT_KEY = "default"

Scalar = TypeVar("Scalar", bound=int | float | str)


def resolve(value: Scalar | Mapping[str, Scalar], provider: str, model: str) -> Scalar:
    """The value for one model: `"provider/model"`, `"model"`, `"provider/*"`, `default`.

    A scalar holds for every model. Spellings of one model are equal. A table has a `default`,
    which the settings fill in where the user gave none; without it this raises KeyError.
    """
    if isinstance(value, int | float | str):
        return value
    by_key = {_table_key(key): found for key, found in value.items()}
    key = model_key(provider, model)
    wanted = (key, canonical_name(model), f"{key.split('/', 1)[0]}/*")
    return next((by_key[key] for key in wanted if key in by_key), by_key[DEFAULT_KEY])


def _table_key(key: str) -> str:
    if key == DEFAULT_KEY:
        return key
    provider, slash, model = key.partition("/")
    if not slash:
        return canonical_name(key)
    return f"{provider_key(provider)}/*" if model == "*" else model_key(provider, model)


def per_model(
    check: Callable[[object], Scalar], default: Scalar
) -> Callable[[object], Scalar | dict[str, Scalar]]:
    """Let a value be a scalar or a table of them; a table without `default` gets this one."""

    def check_scalar_or_table(value: object) -> Scalar | dict[str, Scalar]:
        if not isinstance(value, Mapping):
            return check(value)
        table: dict[str, Scalar] = {DEFAULT_KEY: default}
        for key, found in cast(Mapping[str, object], value).items():
            try:
                table[key] = check(found)
            except ValueError as error:
                raise ValueError(f'for "{key}": {error}') from error
        return table

    return check_scalar_or_table


def split_keys(tables: tuple[object, ...]) -> tuple[tuple[str, str], ...]:
    """Every (provider, model) that the keys of these tables can tell apart."""
    providers = {"", "?"}
    models = {"?"}
    for table in tables:
        for key in cast(Mapping[str, object], table) if isinstance(table, Mapping) else ():
            provider, slash, model = key.partition("/")
            if slash:
                providers.add(provider)
            models.add(model if slash else key)
    return tuple((provider, model) for provider in sorted(providers) for model in sorted(models))
