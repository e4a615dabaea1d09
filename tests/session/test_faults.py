"""Section 10, row by row: whatever the database does, the request goes out and nothing is lost."""

import asyncio
from pathlib import Path

import pytest

from silcrow.config.settings import Settings, Storage
from silcrow.hooks.facts import Purpose
from silcrow.session import ContextPlugin
from silcrow.store import connection as connection_module
from support.deltas import rows
from support.disk_faults import FAULTS, locked
from support.messages import text
from support.native_messages import model, user
from support.plugin_session import (
    TTL_SECONDS,
    PluginSession,
    database_of,
    go_on,
    long_session,
    texts,
)
from support.threads import leaves_no_thread


@pytest.fixture(autouse=True)
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waiting for a lock is tested elsewhere."""
    monkeypatch.setattr(connection_module, "LOCK_BUDGET_SECONDS", 0.02)


@pytest.mark.parametrize("fault", FAULTS)
async def test_known_decisions_go_out_again_and_new_parts_without_a_marker(
    plugin: ContextPlugin, settings: Settings, fault: str
) -> None:
    session = await long_session(plugin)
    landed = await session.drop(2, 3)
    session.add(model("Done."), user("More."))
    with FAULTS[fault](database_of(settings)):
        sent = await session.send()
    assert sent.messages[:-2] == landed.messages
    assert texts(sent)[-2:] == ["Done.", "More."]
    assert sent.report.fault is not None and "context.db" in sent.report.fault


@pytest.mark.parametrize("fault", FAULTS)
async def test_what_went_out_unmarked_is_tagged_later_and_stays_unmarked(
    plugin: ContextPlugin, settings: Settings, fault: str
) -> None:
    session = await long_session(plugin)
    session.add(model("Done."), user("More."))
    with FAULTS[fault](database_of(settings)):
        unmarked = await session.send()
    await session.answer()
    later = await go_on(session, "And more.")
    assert later.messages[: len(unmarked.messages)] == unmarked.messages
    assert texts(later)[-2:] == ["§12§ Done.", "§13§ And more."]
    assert (later.permit.reasons, later.report.fault) == ((), None)
    assert await session.original(11) == "More."


async def test_a_part_that_joined_a_known_message_meanwhile_stays_unmarked_too(
    plugin: ContextPlugin, settings: Settings
) -> None:
    session = PluginSession(plugin).add({"role": "user", "content": [text("One.")]})
    await session.send()
    await session.answer()
    session.natives[0] = {"role": "user", "content": [text("One."), text("Two.")]}
    with locked(database_of(settings)):
        unmarked = await session.send()
    assert texts(unmarked) == ["§1§ One.", "Two."]
    assert (await session.send()).messages == unmarked.messages


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_lasting_fault_is_told_once(
    plugin: ContextPlugin, settings: Settings, fault: str
) -> None:
    session = await long_session(plugin)
    notices: list[str] = []
    with FAULTS[fault](database_of(settings)):
        for _ in range(3):
            session.add(model("Done."), user("More."))
            notices.extend((await session.send()).report.notices)
            await session.answer()
    assert len(notices) == 1


@pytest.mark.parametrize("fault", FAULTS)
async def test_what_cannot_be_recorded_is_said_and_nothing_is_queued(
    plugin: ContextPlugin, settings: Settings, fault: str
) -> None:
    session = await long_session(plugin)
    await session.reduce("2")
    with FAULTS[fault](database_of(settings)):
        assert "could not record" in await session.reduce("3")
        assert "could not" in await plugin.run_command("s", "ctx-flush")
    assert [op.number for op in await plugin.pending_ops("s")] == [2]
    assert (await session.send()).permit.reasons == ()


async def test_a_queued_op_waits_for_the_lock(plugin: ContextPlugin, settings: Settings) -> None:
    session = await long_session(plugin)
    await session.reduce("2")
    session.expire()
    with locked(database_of(settings)):
        assert "[dropped §2§]" not in texts(await session.send())
    assert [op.number for op in await plugin.pending_ops("s")] == [2]
    assert "[dropped §2§]" in texts(await session.send())


async def test_a_new_process_that_meets_a_lock_replays_what_is_known(
    plugin: ContextPlugin, settings: Settings
) -> None:
    session = await long_session(plugin)
    landed = await session.drop(2)
    async with ContextPlugin.open(settings) as later:
        session.plugin = later
        with locked(database_of(settings)):
            assert (await session.send()).messages == landed.messages


@pytest.mark.parametrize("asks_beside", [False, True])
@pytest.mark.parametrize("fault", FAULTS)
async def test_the_answer_to_what_could_not_be_stored_keeps_the_cache_alive(
    plugin: ContextPlugin, settings: Settings, fault: str, asks_beside: bool
) -> None:
    session = await long_session(plugin)
    await session.reduce("2")
    if asks_beside:
        await session.send(purpose=Purpose.SIDE)
        await session.answer()
    session.now += TTL_SECONDS - 10
    with FAULTS[fault](database_of(settings)):
        await session.send()
    await session.answer()
    session.now += TTL_SECONDS - 10
    assert (await session.send()).permit.reasons == ()
    await session.answer()
    session.now += TTL_SECONDS + 1
    assert "[dropped §2§]" in texts(await session.send())


async def test_the_answer_to_the_first_request_of_a_process_keeps_the_cache_alive_too(
    plugin: ContextPlugin, settings: Settings
) -> None:
    session = await long_session(plugin)
    async with ContextPlugin.open(settings) as later:
        session.plugin = later
        session.now += TTL_SECONDS - 10
        with locked(database_of(settings)):
            await session.send()
        await session.answer()
        session.now += TTL_SECONDS - 10
        assert (await session.send()).permit.reasons == ()


async def unusable(tmp_path: Path, kind: str) -> Settings:
    path = tmp_path / "data" / "context.db"
    path.parent.mkdir()
    if kind == "newer":
        async with ContextPlugin.open(Settings(storage=Storage(path=path))):
            pass
        rows(path, "INSERT INTO schema_migrations VALUES ('m999_future', 'now')")
    elif kind == "garbage":
        path.write_bytes(b"This is no database, but a letter." * 200)
    elif kind == "folder":
        path.mkdir()
    else:
        path = Path("/proc/silcrow/context.db")  # nobody can write there, not even root
    return Settings(storage=Storage(path=path))


UNUSABLE = ("newer", "garbage", "folder", "read-only")


@pytest.mark.parametrize("kind", UNUSABLE)
async def test_a_database_that_cannot_be_used_lets_requests_through_and_says_so_once(
    tmp_path: Path, kind: str
) -> None:
    settings = await unusable(tmp_path, kind)
    with leaves_no_thread():
        async with ContextPlugin.open(settings) as plugin:
            session = PluginSession(plugin).add(user("One."))
            first, second = await session.send(), await go_on(session)
    assert [texts(first), texts(second)] == [["One."], ["One.", "Done.", "Go on."]]
    assert len(first.report.notices) == 1 and second.report.notices == ()
    assert str(database_of(settings)) in first.report.notices[0]
    assert first.system_append == "" and first.permit.reasons == ()


@pytest.mark.parametrize("kind", UNUSABLE)
async def test_tools_and_commands_say_that_nothing_can_be_stored(tmp_path: Path, kind: str) -> None:
    async with ContextPlugin.open(await unusable(tmp_path, kind)) as plugin:
        session = PluginSession(plugin).add(user("One."))
        await session.send()
        assert "Nothing was recorded" in await session.reduce("1")
        assert "passes requests through" in await plugin.run_command("s", "ctx-status")
        assert await plugin.check_tool_call("s", "edit", {"a": "[dropped §1§]"}) is None
        assert await plugin.read_original("s", 1) is None
        assert await plugin.pending_ops("s") == ()


@pytest.mark.parametrize("kind", ["newer", "garbage"])
async def test_a_file_that_cannot_be_used_is_left_as_it_is(tmp_path: Path, kind: str) -> None:
    settings = await unusable(tmp_path, kind)
    before = database_of(settings).read_bytes()
    async with ContextPlugin.open(settings) as plugin:
        await PluginSession(plugin).add(user("One.")).send()
    assert database_of(settings).read_bytes() == before


async def test_a_damaged_table_lets_requests_through(
    plugin: ContextPlugin, settings: Settings
) -> None:
    session = await long_session(plugin)
    landed = await session.drop(2)
    rows(database_of(settings), "DROP TABLE passes")
    session.add(model("Done."), user("More."))
    sent = await session.send()
    assert sent.messages[: len(landed.messages)] == landed.messages
    await session.answer()
    assert sent.report.fault is not None
    assert await plugin.run_command("s", "ctx-status")


DAMAGES = (
    "UPDATE source_contents SET codec = 'zstd', bytes = x'00'",
    "UPDATE tags SET kind = 'unheard of'",
    "UPDATE sessions SET tail = 'no json', pass_number = 99",
)


@pytest.mark.parametrize("damage", DAMAGES)
async def test_damaged_rows_reach_nobody_as_an_exception(
    plugin: ContextPlugin, settings: Settings, damage: str
) -> None:
    session = await long_session(plugin)
    landed = await session.drop(2)
    rows(database_of(settings), damage)
    sent = await session.send()
    await session.answer()
    assert sent.messages == landed.messages
    assert all([await session.expand(2), await session.reduce("3")])
    assert await plugin.run_command("s", "ctx-status")
    assert await plugin.check_tool_call("s", "edit", {"a": "text"}) is None


async def test_closing_leaves_no_thread_and_no_log(settings: Settings) -> None:
    with leaves_no_thread():
        async with ContextPlugin.open(settings) as plugin:
            await long_session(plugin)
    assert [file.name for file in database_of(settings).parent.iterdir()] == ["context.db"]


async def test_a_host_that_fails_leaves_no_thread(settings: Settings) -> None:
    with leaves_no_thread(), pytest.raises(ZeroDivisionError):
        async with ContextPlugin.open(settings) as plugin:
            await long_session(plugin)
            raise ZeroDivisionError


async def test_a_pass_cancelled_anywhere_leaves_a_usable_plugin(plugin: ContextPlugin) -> None:
    session = PluginSession(plugin)
    for turns in range(40):
        session.add(model(f"Answer {turns}."), user(f"Question {turns}."))
        task = asyncio.ensure_future(session.send())
        for _ in range(turns):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
    expected = [(f"§{2 * n + 1}§ Answer {n}.", f"§{2 * n + 2}§ Question {n}.") for n in range(40)]
    sent = await session.send()
    assert sent.report.fault is None
    assert texts(sent) == [text for pair in expected for text in pair]


async def test_what_a_host_calls_after_closing_does_not_raise(settings: Settings) -> None:
    async with ContextPlugin.open(settings) as plugin:
        session = await long_session(plugin)
        landed = await session.drop(2)
    assert (await session.send()).messages == landed.messages
    await session.answer()
    assert "could not record" in await session.reduce("3")
    assert await plugin.run_command("s", "ctx-status")
