"""What the host's log gets to see."""

import logging
from pathlib import Path

import pytest

from silcrow.config.settings import Settings, Storage
from silcrow.hooks.facts import PassFacts
from silcrow.session import ContextPlugin
from silcrow.session.log import LOGGER

FACTS = PassFacts(
    now=1_000.0, provider="anthropic", model="claude-sonnet-4-5", message_format="anthropic"
)


async def log_of_one_pass(tmp_path: Path, caplog: pytest.LogCaptureFixture, text: str) -> str:
    settings = Settings(storage=Storage(path=tmp_path / "context.db"))
    with caplog.at_level(logging.INFO, logger=LOGGER):
        async with ContextPlugin.open(settings) as plugin:
            await plugin.before_model_call("s", [{"role": "user", "content": text}], FACTS)
    return caplog.text


async def test_a_pass_is_logged_in_the_words_of_the_ledger(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    assert "reasons=['nothing_sent']" in await log_of_one_pass(tmp_path, caplog, "hello")


async def test_no_text_of_the_session_is_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    assert "sk-secret" not in await log_of_one_pass(tmp_path, caplog, "my key is sk-secret")


async def test_nothing_is_printed_unless_the_host_asks_for_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = Settings(storage=Storage(path=tmp_path / "context.db"))
    async with ContextPlugin.open(settings) as plugin:
        await plugin.before_model_call("s", [{"role": "user", "content": "hello"}], FACTS)
    assert capsys.readouterr() == ("", "")
