"""Where the files of a user stand on this platform. Creates nothing."""

from pathlib import Path

from platformdirs import user_config_path, user_data_path

from silcrow.config.settings import Settings


def user_settings_file() -> Path:
    """`silcrow/config.toml` in the platform's configuration folder; it need not exist."""
    return user_config_path("silcrow", appauthor=False) / "config.toml"


def database_file(settings: Settings) -> Path:
    """`storage.path`, or `silcrow/context.db` in the platform's data folder."""
    if isinstance(settings.storage.path, Path):
        return settings.storage.path
    return user_data_path("silcrow", appauthor=False) / "context.db"
