"""Facts about sessions side by side in one database: none costs or tells the others anything."""

import sqlite3
from contextlib import closing
from pathlib import Path

from silcrow.config.settings import Settings
from silcrow.session import ContextPlugin
from support.database_work import database_work
from support.native_messages import model, user
from support.plugin_session import (
    PluginSession,
    database_of,
    go_on,
    long_session,
    make_settings,
    texts,
)

MANY = 400
TABLES = ("sessions", "tags", "wire", "passes")


def multiply(database: Path, session: str, times: int) -> None:
    """Store the same session under many other names."""
    with closing(sqlite3.connect(database)) as other, other:
        for table in TABLES:
            columns = [row[1] for row in other.execute(f"PRAGMA table_info({table})")]
            rest = ", ".join(name for name in columns if name != "session")
            other.execute(
                f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {times})"
                f" INSERT INTO {table} (session, {rest})"
                f" SELECT session || '-' || i, {rest} FROM {table}, n WHERE session = '{session}'"
            )


async def resume(settings: Settings, session: PluginSession) -> int:
    """What a new process does for its first pass of a session."""
    with database_work() as work:
        async with ContextPlugin.open(settings) as plugin:
            session.plugin = plugin
            assert (await session.send()).report.fault is None
    return work.tens


async def test_the_first_pass_of_a_process_does_as_much_for_one_stored_session_as_for_400(
    tmp_path: Path,
) -> None:
    found: list[int] = []
    for times in (1, MANY):
        settings = make_settings(tmp_path / str(times))
        async with ContextPlugin.open(settings) as plugin:
            session = await long_session(plugin)
        multiply(database_of(settings), "s", times)
        found.append(await resume(settings, session))
    few, many = found
    assert 0 < many <= few * 1.1


async def test_a_child_that_passes_between_takes_nothing_from_its_parent(
    settings: Settings,
) -> None:
    """As a helper agent of the host does: on the same plugin, in its parent's turn."""
    async with ContextPlugin.open(settings) as plugin:
        parent = await long_session(plugin, name="parent")
        child = PluginSession(plugin, "child").add(user("Only look."))
        await parent.reduce("2")
        await child.send()
        await child.answer()
        sent = await go_on(parent)
        assert texts(sent)[-1] == "§11§ Go on."
        assert [op.number for op in await plugin.pending_ops("parent")] == [2]
        assert await plugin.pending_ops("child") == ()
        assert await child.original(1) == "Only look."


async def test_each_of_three_sessions_of_a_process_is_served(settings: Settings) -> None:
    async with ContextPlugin.open(settings) as plugin:
        for name in ("one", "two", "three"):
            session = await long_session(plugin, name=name)
            assert "[dropped §2§]" in texts(await session.drop(2))


async def test_sessions_that_begin_alike_are_two_and_stay_so_when_one_grows_in_place(
    settings: Settings,
) -> None:
    async with ContextPlugin.open(settings) as plugin:
        one, two = [PluginSession(plugin, name).add(user("Hello.")) for name in ("one", "two")]
        await one.send()
        await two.send()
        one.natives[0] = user("Hello. And more.")
        one.add(model("Yes?"), user("One."))
        two.add(model("Yes?"), user("Two."))
        await one.send()
        assert texts(await two.send()) == ["§1§ Hello.", "§2§ Yes?", "§3§ Two."]
        assert await one.original(3) == "One."
        assert await two.original(3) == "Two."
