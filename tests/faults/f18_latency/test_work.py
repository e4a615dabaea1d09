"""Facts about how work grows, in steps of the database: with what is new, and not with history."""

from pathlib import Path

from silcrow.config.settings import Settings
from silcrow.session import ContextPlugin
from support.database_work import database_work
from support.deltas import rows
from support.plugin_session import database_of, go_on, long_session, make_settings

FEW, MANY = 10, 200


async def work_of_a_pass(settings: Settings, steps: int) -> int:
    """Of a session that has so many calls behind it."""
    with database_work() as work:
        async with ContextPlugin.open(settings) as plugin:
            session = await long_session(plugin, steps)
            await go_on(session)
            before = work.tens
            await go_on(session, "And?")
            return work.tens - before


async def test_a_pass_does_as_much_behind_200_calls_as_behind_ten(tmp_path: Path) -> None:
    few = await work_of_a_pass(make_settings(tmp_path / "few"), FEW)
    many = await work_of_a_pass(make_settings(tmp_path / "many"), MANY)
    assert 0 < many <= few * 1.2


async def test_a_restart_reads_no_original(settings: Settings) -> None:
    """They could not be read: the pass would fail, or its bytes would be others."""
    async with ContextPlugin.open(settings) as plugin:
        session = await long_session(plugin, 20)
        landed = await session.drop(2, 3)
    rows(database_of(settings), "UPDATE source_contents SET codec = 'zstd', bytes = x'00'")
    async with ContextPlugin.open(settings) as later:
        session.plugin = later
        sent = await session.send()
    assert (sent.report.fault, sent.messages) == (None, landed.messages)
