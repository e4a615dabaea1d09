"""A session that lost its originals, or was deleted, while a host could still go on with it."""

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from silcrow.config.settings import Settings, Sources
from silcrow.session import ContextPlugin
from silcrow.store.retention import DAY_SECONDS
from silcrow.store.store import Store
from support.deltas import rows
from support.native_messages import model, user
from support.plugin_session import (
    PluginSession,
    database_of,
    go_on,
    long_session,
    make_settings,
    texts,
)
from support.storing_session import StoringSession, stored_session, take_turn

DAY = "20[0-9]{2}-[0-9]{2}-[0-9]{2}"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return make_settings(tmp_path, sources=Sources(retention_days=40))


def grow_old(settings: Settings, days: int = 41) -> None:
    """Nobody has used the database for so many days, and its upkeep is due."""
    now = int(time.time())
    rows(database_of(settings), "UPDATE sessions SET used_at = ?", now - days * DAY_SECONDS)
    rows(database_of(settings), "UPDATE upkeep SET last_at = 0")


async def pass_by(settings: Settings) -> None:
    """Another process opens the database and closes it again."""
    async with ContextPlugin.open(settings):
        pass


async def expire(settings: Settings) -> None:
    grow_old(settings)
    await pass_by(settings)
    assert expired(settings) == ["s"]


def expired(settings: Settings) -> list[str]:
    found = rows(database_of(settings), "SELECT session FROM sessions WHERE expired_at NOT NULL")
    return [name for (name,) in found]


def session_rows(settings: Settings) -> int:
    ((count,),) = rows(database_of(settings), "SELECT count(*) FROM sessions")
    return int(count)


async def dropped(plugin: ContextPlugin) -> PluginSession:
    session = await long_session(plugin)
    await session.drop(2, 3)
    return session


async def delete(settings: Settings) -> None:
    async with Store.open(database_of(settings)) as store:
        assert await store.delete_session("s")


async def test_closing_lets_a_session_expire_that_nobody_used_for_long(
    plugin: ContextPlugin, settings: Settings
) -> None:
    await dropped(plugin)
    grow_old(settings, days=39)
    await pass_by(settings)
    assert expired(settings) == []
    await expire(settings)
    assert rows(database_of(settings), "SELECT count(*) FROM source_contents") == [(0,)]


async def test_the_session_that_was_resumed_does_not_expire_when_its_host_closes(
    settings: Settings,
) -> None:
    async with ContextPlugin.open(settings) as plugin:
        session = await dropped(plugin)
    grow_old(settings)
    async with ContextPlugin.open(settings) as again:
        resumed = replace(session, plugin=again)
        await go_on(resumed)
    assert expired(settings) == []


async def test_a_resumed_session_sends_the_same_bytes(
    plugin: ContextPlugin, settings: Settings
) -> None:
    session = await dropped(plugin)
    before = (await session.send()).messages
    await expire(settings)
    assert (await session.send()).messages == before  # this process had it loaded
    async with ContextPlugin.open(settings) as other:
        assert (await replace(session, plugin=other).send()).messages == before
    assert "[dropped §2§]" in str(before)


async def test_a_host_that_stores_what_we_send_resumes_with_the_same_bytes(
    plugin: ContextPlugin, settings: Settings
) -> None:
    session = await stored_session(plugin, True)
    await take_turn(session)
    await session.reduce("2,3")
    session.expire()
    before = (await session.send()).messages
    assert "[dropped §2§]" in str(before)
    await expire(settings)
    async with ContextPlugin.open(settings) as other:
        resumed: StoringSession = replace(session, plugin=other)
        sent = await resumed.send()
    assert sent.messages == before and sent.report.fault is None


async def test_what_is_new_in_a_resumed_session_is_numbered_on_kept_and_dropped(
    plugin: ContextPlugin, settings: Settings
) -> None:
    session = await dropped(plugin)
    await expire(settings)
    for index in range(6):
        session.step(f"new{index}")
    sent = await session.send()
    await session.answer()
    assert any(text.startswith("§10§ ") for text in texts(sent))
    assert "new0" in await session.original(10)
    landed = await session.drop(10)
    assert "[dropped §10§]" in texts(landed)


async def test_what_lost_its_original_is_never_dropped(
    plugin: ContextPlugin, settings: Settings
) -> None:
    session = await dropped(plugin)
    await session.reduce("4")
    await expire(settings)
    assert await plugin.pending_ops("s") == ()
    await session.reduce("4")
    sent = await session.expire().send()
    assert "[dropped §4§]" not in texts(sent)


async def test_an_expired_original_says_so_for_good_and_what_to_do(
    plugin: ContextPlugin, settings: Settings
) -> None:
    session = await dropped(plugin)
    await expire(settings)
    day = time.strftime("%Y-%m-%d", time.gmtime())
    said = await session.expand(2)
    assert said == (
        f"The original of §2§ expired on {day} and is gone for good; asking again gives the same "
        "answer. If it is still needed, make the call again."
    )
    assert (await session.expand(1)).endswith("If it is still needed, ask the user for it.")
    assert f"expired on {day}" in await session.tool("ctx_expand", start=1, end=3)
    assert "no longer stored" in await session.tool("ctx_restore", tag=2)
    assert await plugin.read_original("s", 2) is None


async def test_a_fork_of_an_expired_session_begins_with_its_bytes(
    plugin: ContextPlugin, settings: Settings
) -> None:
    parent = await dropped(plugin)
    before = (await parent.send()).messages
    await expire(settings)
    ids = [f"f{index}" for index in range(len(parent.natives))]
    child = replace(parent, name="fork", ids=ids, facts=parent.facts | {"parent": "s"})
    assert (await child.send()).messages == before
    assert "expired on" in await child.expand(2)


async def test_a_fork_is_not_taken_for_a_part_that_expired_and_was_another(
    plugin: ContextPlugin, settings: Settings
) -> None:
    parent = await dropped(plugin)
    await expire(settings)
    natives = list(parent.natives)
    natives[2] = {**natives[2], "content": [{**natives[2]["content"][0], "content": "another"}]}
    ids = [f"f{index}" for index in range(len(natives))]
    child = replace(
        parent, name="fork", natives=natives, ids=ids, facts=parent.facts | {"parent": "s"}
    )
    assert any("another" in text for text in texts(await child.send()))


async def test_a_session_that_was_deleted_and_begun_anew_is_not_the_known_one(
    plugin: ContextPlugin, settings: Settings
) -> None:
    """Both have had one pass; by their numbers alone they could not be told apart."""
    known = PluginSession(plugin).add(user("Hello."), model("Hi."), user("Go on."))
    await known.send()
    await delete(settings)
    async with ContextPlugin.open(settings) as other:
        await PluginSession(other).add(user("Something else."), user("Nothing of it.")).send()
    assert session_rows(settings) == 1
    sent = await known.send()
    assert sent.report.fault is None
    ((texts_of_1,),) = rows(
        database_of(settings), "SELECT owner FROM tags WHERE session = 's' AND number = 1"
    )
    assert texts_of_1 == "m1"
    assert await known.original(1) == "Something else."


async def test_a_pass_that_began_before_the_deletion_makes_no_half_session(
    plugin: ContextPlugin, settings: Settings
) -> None:
    session = await long_session(plugin)
    seat: Any = plugin._seat("s")  # pyright: ignore[reportPrivateUsage]
    store: Any = plugin._store  # pyright: ignore[reportPrivateUsage]
    read = store.read_current

    async def deleted_behind(name: str) -> Any:
        found = await read(name)
        store.read_current = read
        await delete(settings)
        async with ContextPlugin.open(settings) as other:
            await long_session(other)
        return found

    store.read_current = deleted_behind
    session.add(model("Done."), user("And now?"))
    sent = await session.send()
    assert sent.report.fault is None
    numbers = rows(database_of(settings), "SELECT number FROM tags ORDER BY number")
    assert [number for (number,) in numbers] == list(range(1, len(numbers) + 1))
    assert (
        seat.state.record.stamp == rows(database_of(settings), "SELECT stamp FROM sessions")[0][0]
    )


@pytest.fixture
def deleted_behind(plugin: ContextPlugin, settings: Settings) -> None:
    """Whoever looks at a session finds it, and then it is deleted and begun anew elsewhere."""
    store: Any = plugin._store  # pyright: ignore[reportPrivateUsage]
    read = store.read_ledger

    async def look(name: str, **given: Any) -> Any:
        found = await read(name, **given)
        store.read_ledger = read
        await delete(settings)
        async with ContextPlugin.open(settings) as other:
            await long_session(other)
        return found

    store.read_ledger = look


@pytest.mark.usefixtures("deleted_behind")
@pytest.mark.parametrize("command", ["ctx-pin 4", "ctx-drop 2"])
async def test_a_command_that_comes_after_the_deletion_does_not_hit_the_new_session(
    plugin: ContextPlugin, settings: Settings, command: str
) -> None:
    await long_session(plugin)
    said = await plugin.run_command("s", command)
    assert "was deleted or has expired in the meantime. Ask again." in said
    assert rows(database_of(settings), "SELECT pins FROM sessions") == [("[]",)]
    assert await plugin.pending_ops("s") == ()


@pytest.mark.usefixtures("deleted_behind")
@pytest.mark.parametrize("name", ["ctx_reduce", "ctx_restore"])
async def test_a_call_that_comes_after_the_deletion_does_not_hit_the_new_session(
    plugin: ContextPlugin, settings: Settings, name: str
) -> None:
    session = await long_session(plugin)
    store: Any = plugin._store  # pyright: ignore[reportPrivateUsage]
    look = store.read_ledger
    del store.read_ledger  # as long as the session is made
    if name == "ctx_restore":
        await session.drop(2)
    store.read_ledger = look
    arguments = {"drop": "3"} if name == "ctx_reduce" else {"tag": 2}
    assert "Ask again." in await session.tool(name, **arguments)
    assert await plugin.pending_ops("s") == ()


@pytest.mark.parametrize("command", ["ctx-flush", "ctx-pin 4", "ctx-unpin 4"])
async def test_a_command_that_comes_after_the_deletion_makes_no_empty_row(
    plugin: ContextPlugin, settings: Settings, command: str
) -> None:
    session = await long_session(plugin)
    await session.reduce("2")
    if "unpin" in command:
        await plugin.run_command("s", "ctx-pin 4")
    store: Any = plugin._store  # pyright: ignore[reportPrivateUsage]
    read = store.read_ledger

    async def look(name: str, **given: Any) -> Any:
        found = await read(name, **given)
        await delete(settings)
        return found

    store.read_ledger = look
    assert "Ask again." in await plugin.run_command("s", command)
    assert session_rows(settings) == 0


async def test_a_late_answer_confirms_no_pass_of_a_session_that_was_begun_anew(
    plugin: ContextPlugin, settings: Settings
) -> None:
    session = PluginSession(plugin).add(user("Hello."))
    await session.send()
    await delete(settings)
    async with ContextPlugin.open(settings) as other:
        await PluginSession(other).add(user("Something else.")).send()
    await session.answer(5_000)
    assert rows(database_of(settings), "SELECT confirmed, usage FROM passes") == [(0, None)]
    await plugin.after_model_call("s", error="prompt is too long: 300 tokens > 200 maximum", at=1.0)
    assert rows(database_of(settings), "SELECT learned_limits, refusal FROM sessions") == [
        ("{}", None)
    ]


async def test_a_session_without_a_row_can_be_switched_off_before_its_first_pass(
    plugin: ContextPlugin, settings: Settings
) -> None:
    await plugin.run_command("s", "ctx-off")
    session = await long_session(plugin)
    assert "switched off" in await session.reduce("2")
