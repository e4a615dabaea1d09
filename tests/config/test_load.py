"""Facts about the places that settings come from."""

from pathlib import Path

import pytest

from silcrow.config.layers import read_value
from silcrow.config.load import load_settings, reload_or_keep
from silcrow.config.settings import Settings
from silcrow.errors import SettingsError


class Places:
    """A user file and a project folder, with nothing in them."""

    def __init__(self, root: Path) -> None:
        self.user_file = root / "home" / "config.toml"
        self.project = root / "project"
        self.user_file.parent.mkdir()
        self.project.mkdir()

    def load(self, **environment: str) -> Settings:
        return load_settings(
            user_file=self.user_file, project_folder=self.project, environment=environment
        )


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places(tmp_path)


def test_without_files_the_defaults_hold(places: Places) -> None:
    assert places.load() == Settings()


def test_the_project_wins_over_the_user(places: Places) -> None:
    places.user_file.write_text("age.min_tokens = 1\nage.enabled = false\n")
    (places.project / "silcrow.toml").write_text("[age]\nmin_tokens = 2\n")
    assert (places.load().age.min_tokens, places.load().age.enabled) == (2, False)


def test_the_environment_wins_over_the_project(places: Places) -> None:
    (places.project / "silcrow.toml").write_text("age.min_tokens = 2\n")
    assert places.load(SILCROW_AGE__MIN_TOKENS="3").age.min_tokens == 3


def test_a_project_may_use_its_pyproject(places: Places) -> None:
    (places.project / "pyproject.toml").write_text("[tool.silcrow]\nage.min_tokens = 7\n")
    assert places.load().age.min_tokens == 7


def test_the_process_environment_is_read(places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SILCROW_DEDUP", "true")
    assert load_settings(user_file=places.user_file).dedup


def test_a_file_may_begin_with_a_byte_order_mark(places: Places) -> None:
    places.user_file.write_bytes(b"\xef\xbb\xbfdedup = true\n")
    assert places.load().dedup


@pytest.mark.parametrize(
    ("variable", "value", "changed"),
    [
        ("SILCROW_DEDUP", "true", {"dedup": True}),
        ("SILCROW_DEDUP", "True", {"dedup": True}),
        ("SILCROW_EXECUTE_AT", "0.5", {"execute_at": 0.5}),
        ("SILCROW_CACHE_TTL", "1h", {"cache_ttl": "1h"}),
        ("SILCROW_CTX_REDUCE__ENABLED", "false", {"ctx_reduce": {"enabled": False}}),
        ("SILCROW_WORKING_WINDOW", '{ "gpt-5.5" = "max" }', {"working_window": {"gpt-5.5": "max"}}),
        ("SILCROW_PROTECTION__FILES", '["a", "b"]', {"protection": {"files": ["a", "b"]}}),
        ("SILCROW_PROTECTION__TOOLS__RUN", "2", {"protection": {"tools": {"run": 2}}}),
        # An empty variable is how a shell unsets one; other programs' variables are not ours.
        ("SILCROW_DEDUP", "", {}),
        ("SILCROWDEDUP", "true", {}),
    ],
)
def test_a_variable_sets_a_key(
    places: Places, variable: str, value: str, changed: dict[str, object]
) -> None:
    assert places.load(**{variable: value}) == Settings.model_validate(changed)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("5", 5),
        ("'5'", "5"),
        ("1h", "1h"),
        ("/data/context.db", "/data/context.db"),
        (r"C:\data\context.db", r"C:\data\context.db"),
        # A date is no setting's type, and two lines are no value.
        ("2026-01-01", "2026-01-01"),
        ("1\nother = 2", "1\nother = 2"),
        ("[" * 100_000, "[" * 100_000),
    ],
)
def test_a_variable_is_a_toml_value_or_a_text(text: str, value: object) -> None:
    assert read_value(text) == value


@pytest.mark.parametrize(
    ("content", "named"),
    [
        ("executeat = 0.5", ["config.toml", "'executeat'", "did you mean 'execute_at'"]),
        ("age.min_token = 5", ["'age.min_token'", "did you mean 'age.min_tokens'"]),
        ("[nonsense]\nx = 1", ["'nonsense'", "is no setting"]),
        ("context_window = -1", ["config.toml", "'context_window'", "at least 1", "-1"]),
        ('context_window = { "gpt-5.5" = 0 }', ["'context_window'", 'for "gpt-5.5"']),
        ("dedup = 1", ["'dedup'", "true or false"]),
        ("age = 5", ["'age'", "must be a table"]),
        ("markers.assistant = 5", ["'markers.assistant'", '"auto"']),
        ("age.tags.shells = 5", ["'age.tags'", "shells", "the kinds are"]),
        ("execute_at = 0.9", ["config.toml", "execute_at (0.9)", "must rise"]),
        ("dedup = 1\nenabled = 2", ["'dedup'", "'enabled'"]),
        ("dedup =", ["config.toml, line 1"]),
        ("a = 1\nb = 2\nb = 3", ["config.toml, line 3"]),
        ('a = """\n\n', ["config.toml, line 3"]),
    ],
)
def test_a_mistake_is_named(places: Places, content: str, named: list[str]) -> None:
    places.user_file.write_text(content)
    with pytest.raises(SettingsError) as error:
        places.load()
    assert [text for text in named if text not in str(error.value)] == []


@pytest.mark.parametrize(
    ("environment", "named"),
    [
        ({"SILCROW_DEDUPE": "1"}, ["SILCROW_DEDUPE", "'dedupe'", "did you mean 'dedup'"]),
        ({"SILCROW_DEDUP": "maybe"}, ["SILCROW_DEDUP", "true or false"]),
        ({"SILCROW_AGE__TAGS__SHELL": "0"}, ["SILCROW_AGE__TAGS__SHELL", "'age.tags'"]),
        ({"SILCROW_AGE": "5", "SILCROW_AGE__ENABLED": "true"}, ["SILCROW_AGE__ENABLED", "'age'"]),
        ({"SILCROW_FORCE_AT": "0.5"}, ["the environment", "must rise"]),
        ({"SILCROW_": "5"}, ["SILCROW_"]),
    ],
)
def test_a_wrong_variable_is_named(
    places: Places, environment: dict[str, str], named: list[str]
) -> None:
    with pytest.raises(SettingsError) as error:
        places.load(**environment)
    assert [text for text in named if text not in str(error.value)] == []


def test_an_error_names_the_place_that_brought_it(places: Places) -> None:
    places.user_file.write_text("execute_at = 0.8\n")
    with pytest.raises(SettingsError, match="the environment"):
        places.load(SILCROW_FORCE_AT="0.7")


@pytest.mark.parametrize("content", [b"dedup = true # \xff\n", b'a = "' + b"\x00" + b'"'])
def test_a_file_that_is_no_text_is_named(places: Places, content: bytes) -> None:
    places.user_file.write_bytes(content)
    with pytest.raises(SettingsError, match=r"config\.toml, line 1"):
        places.load()


def test_a_folder_in_place_of_the_file_is_named(places: Places) -> None:
    places.user_file.mkdir()
    with pytest.raises(SettingsError, match=r"config\.toml: is not a file"):
        places.load()


def test_a_deeply_nested_file_is_named(places: Places) -> None:
    places.user_file.write_text(f"a = {'[' * 100_000}")
    with pytest.raises(SettingsError, match=r"config\.toml"):
        places.load()


def test_two_project_files_are_an_error(places: Places) -> None:
    (places.project / "silcrow.toml").write_text("")
    (places.project / "pyproject.toml").write_text("[tool.silcrow]\n")
    with pytest.raises(SettingsError, match="keep one of the two"):
        places.load()


@pytest.mark.parametrize("content", ["[project\n", "[tool.other]\nx = \n", "tool = 5\n", ""])
def test_a_pyproject_that_is_not_about_us_is_left_alone(places: Places, content: str) -> None:
    (places.project / "pyproject.toml").write_text(content)
    assert places.load() == Settings()


@pytest.mark.parametrize("content", ["[tool.silcrow]\nage = \n", "[tool]\nsilcrow = 5\n"])
def test_a_pyproject_that_is_wrong_about_us_is_named(places: Places, content: str) -> None:
    (places.project / "pyproject.toml").write_text(content)
    with pytest.raises(SettingsError, match=r"pyproject\.toml"):
        places.load()


def test_a_running_session_keeps_its_last_good_settings(places: Places) -> None:
    last_good = Settings.model_validate({"dedup": True})
    places.user_file.write_text("dedup = \n")
    settings, problem = reload_or_keep(last_good, user_file=places.user_file, environment={})
    assert settings is last_good and problem is not None and "config.toml, line 1" in problem


def test_a_running_session_takes_good_settings(places: Places) -> None:
    places.user_file.write_text("dedup = true\n")
    settings, problem = reload_or_keep(Settings(), user_file=places.user_file, environment={})
    assert settings.dedup and problem is None
