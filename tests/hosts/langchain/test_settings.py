"""Facts about the settings of the middleware: without any it reads the places of the user."""

from pathlib import Path

import pytest

from silcrow.errors import SettingsError
from silcrow.hosts.langchain import SilcrowMiddleware


@pytest.fixture(autouse=True)
def no_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)


def test_a_variable_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SILCROW_CTX_REDUCE__ENABLED", "false")
    with SilcrowMiddleware() as silcrow:
        assert "ctx_reduce" not in {tool.name for tool in silcrow.tools}


def test_a_projects_file_is_read_and_may_not_say_everything(tmp_path: Path) -> None:
    (tmp_path / "silcrow.toml").write_text("dedup = true", "utf-8")
    with pytest.raises(SettingsError, match=r"silcrow\.toml.*dedup"):
        SilcrowMiddleware()
