"""A damaged database is set aside as it is, and the session goes on in a new file."""

import re
import shutil
from pathlib import Path

import pytest

from silcrow.config.settings import Settings, Storage
from silcrow.hooks.facts import Purpose
from silcrow.session import ContextPlugin
from support.damage import digest, set_aside, settle, zero_first_page, zero_pages
from support.deltas import rows
from support.native_messages import model, user
from support.plugin_session import PluginSession, database_of, go_on, long_session, texts

TABLES = ("tags", "sessions", "passes", "wire", "tags_by_part", "source_contents")


@pytest.mark.parametrize("table", TABLES)
async def test_a_session_at_work_sends_on_what_it_sent(
    plugin: ContextPlugin, settings: Settings, table: str
) -> None:
    session = await long_session(plugin)
    landed = await session.drop(2, 3)
    zero_pages(database_of(settings), table)
    sent = await go_on(session)
    later = await go_on(session, "And more.")
    assert sent.messages[:-2] == landed.messages
    assert later.messages[: len(sent.messages)] == sent.messages
    assert (sent.report.fault, later.report.fault) == (None, None)
    if table != "source_contents":  # nothing that this session needed was met on that page
        assert len(set_aside(database_of(settings))) == 1


@pytest.mark.parametrize("table", ["tags", "sessions", "tags_by_part"])
async def test_numbers_go_on_at_the_next_ten_thousand(
    plugin: ContextPlugin, settings: Settings, table: str
) -> None:
    session = await long_session(plugin)
    zero_pages(database_of(settings), table)
    assert texts(await go_on(session))[-2:] == ["§10000§ Done.", "§10001§ Go on."]
    assert await session.original(10_001) == "Go on."


async def test_what_is_set_aside_keeps_every_byte(
    plugin: ContextPlugin, settings: Settings
) -> None:
    session = await long_session(plugin)
    path = database_of(settings)
    zero_pages(path, "tags")
    before = digest(path)
    await go_on(session)
    [aside] = set_aside(path)
    assert digest(aside) == before != digest(path)


async def test_a_log_goes_along_and_keeps_every_byte(
    plugin: ContextPlugin, settings: Settings
) -> None:
    session = await long_session(plugin)
    path = database_of(settings)
    zero_pages(path, "tags")
    rows(path, "UPDATE sessions SET project = 'elsewhere'")
    log = path.with_name(f"{path.name}-wal")
    before = digest(path), digest(log)
    await go_on(session)
    [aside] = set_aside(path)
    assert (digest(aside), digest(aside.with_name(f"{aside.name}-wal"))) == before


async def test_one_notice_names_both_files_and_what_to_do(
    plugin: ContextPlugin, settings: Settings
) -> None:
    session = await long_session(plugin)
    path = database_of(settings)
    zero_pages(path, "tags")
    notices = [*(await go_on(session)).report.notices, *(await go_on(session)).report.notices]
    [aside] = set_aside(path)
    assert len(notices) == 1
    assert str(path) in notices[0] and f"silcrow doctor --repair {aside}" in notices[0]


async def test_what_was_marked_lands_in_the_new_file(
    plugin: ContextPlugin, settings: Settings
) -> None:
    session = await long_session(plugin)
    await session.reduce("2, 3")
    zero_pages(database_of(settings), "tags_by_part")
    await go_on(session)
    landed = texts(await session.expire().send())
    assert "[dropped §2§]" in landed and "[dropped §3§]" in landed


async def test_originals_are_carried_over(plugin: ContextPlugin, settings: Settings) -> None:
    session = await long_session(plugin)
    before = await session.original(4)
    await session.drop(2)
    zero_pages(database_of(settings), "tags_by_part")
    await go_on(session)
    assert await session.original(4) == before
    assert "§2§" in await session.expand(2)


async def test_a_part_whose_original_was_lost_is_dropped_no_more(
    plugin: ContextPlugin, settings: Settings
) -> None:
    session = await long_session(plugin)
    path = database_of(settings)
    zero_pages(path, "source_contents")
    zero_pages(path, "tags_by_part")
    await go_on(session)
    await session.reduce("3")
    assert "[dropped §3§]" not in texts(await session.expire().send())
    assert rows(path, "SELECT count(*) FROM tags WHERE is_stored AND number < 10000") == [(0,)]


@pytest.mark.parametrize("table", ["tags", "sessions", "wire", "passes", "tags_by_part"])
async def test_a_later_process_sends_the_same_bytes(
    plugin: ContextPlugin, settings: Settings, table: str
) -> None:
    session = await long_session(plugin)
    await session.drop(2)
    zero_pages(database_of(settings), table)
    sent = await go_on(session)
    async with ContextPlugin.open(settings) as later:
        session.plugin = later
        assert (await session.send()).messages == sent.messages


async def test_another_session_of_the_file_comes_along(
    plugin: ContextPlugin, settings: Settings
) -> None:
    other = await long_session(plugin, name="other")
    landed = await other.drop(2)
    session = await long_session(plugin)
    zero_pages(database_of(settings), "tags_by_part")
    await go_on(session)
    async with ContextPlugin.open(settings) as later:
        other.plugin = later
        assert (await other.send()).messages == landed.messages


async def damaged(settings: Settings, kind: str) -> tuple[PluginSession, Path]:
    """A session of which a drop has landed, closed, with its file damaged."""
    async with ContextPlugin.open(settings) as plugin:
        session = await long_session(plugin)
        await session.drop(2)
    path = database_of(settings)
    if kind == "first page":
        zero_first_page(path)
    elif kind == "truncated":
        path.write_bytes(path.read_bytes()[:-4096])
    else:
        zero_pages(path, kind)
    return session, path


@pytest.mark.parametrize(
    "kind", ["first page", "truncated", "sqlite_autoindex_schema_migrations_1"]
)
async def test_a_file_that_proves_damaged_as_it_is_opened_is_set_aside(
    settings: Settings, kind: str
) -> None:
    session, path = await damaged(settings, kind)
    before = digest(path)
    async with ContextPlugin.open(settings) as plugin:
        session.plugin = plugin
        sent = await go_on(session)
    [aside] = set_aside(path)
    assert digest(aside) == before
    assert str(aside) in sent.report.notices[0] and sent.report.fault is None
    number = re.fullmatch(r"§(\d+)§ Go on\.", texts(sent)[-1])
    assert number is not None and int(number[1]) > 10_000


async def test_without_its_first_page_the_decisions_are_still_found(settings: Settings) -> None:
    async with ContextPlugin.open(settings) as plugin:
        session = await long_session(plugin)
        landed = await session.drop(2)
    zero_first_page(database_of(settings))
    async with ContextPlugin.open(settings) as plugin:
        session.plugin = plugin
        assert (await session.send()).messages == landed.messages


async def test_numbers_that_only_stand_in_the_list_do_not_come_again(settings: Settings) -> None:
    session, path = await damaged(settings, "sessions")
    session.add(model("As §20007§ says."), user("Go on."))
    async with ContextPlugin.open(settings) as plugin:
        session.plugin = plugin
        assert texts(await session.send())[-1] == "§30001§ Go on."
    assert len(set_aside(path)) == 1


async def test_a_session_of_which_nothing_is_left_begins_above_all_numbers(
    settings: Settings,
) -> None:
    session, path = await damaged(settings, "tags")
    for table in ("sessions", "passes", "wire"):
        zero_pages(path, table)
    async with ContextPlugin.open(settings) as plugin:
        session.plugin = plugin
        sent = texts(await session.send())
    assert sent[:2] == ["§10000§ Please find the fault.", sent[1]]
    assert sent[1].startswith("§10001§ ")


async def test_a_new_session_in_the_new_file_begins_at_one(settings: Settings) -> None:
    session, _ = await damaged(settings, "tags")
    async with ContextPlugin.open(settings) as plugin:
        session.plugin = plugin
        await go_on(session)
        new = PluginSession(plugin, "new").add(user("What does §12§ mean?"))
        assert texts(await new.send()) == ["§1§ What does §12§ mean?"]


async def test_a_file_emptied_under_the_handle_is_set_aside(
    plugin: ContextPlugin, settings: Settings
) -> None:
    session = await long_session(plugin)
    landed = await session.drop(2)
    path = database_of(settings)
    path.write_bytes(b"")
    sent = await go_on(session)
    assert sent.messages[:-2] == landed.messages and sent.report.fault is None
    assert texts(sent)[-1] == "§10001§ Go on."
    assert [file.stat().st_size for file in set_aside(path)] == [0]


async def test_a_log_whose_database_was_emptied_is_not_thrown_away(
    plugin: ContextPlugin, settings: Settings, tmp_path: Path
) -> None:
    await long_session(plugin)
    path, copy = database_of(settings), tmp_path / "copy" / "context.db"
    copy.parent.mkdir()
    shutil.copyfile(f"{path}-wal", f"{copy}-wal")
    copy.touch()
    before = digest(Path(f"{copy}-wal"))
    async with ContextPlugin.open(Settings(storage=Storage(path=copy))):
        [aside] = set_aside(copy)
    assert digest(Path(f"{aside}-wal")) == before


@pytest.mark.parametrize("content", [b"This is a letter." * 300, b"SQLite format 3\0" * 400])
async def test_a_file_that_was_never_ours_stays_where_it_is(
    settings: Settings, content: bytes
) -> None:
    path = database_of(settings)
    path.parent.mkdir()
    path.write_bytes(content)
    async with ContextPlugin.open(settings) as plugin:
        sent = await PluginSession(plugin).add(user("One.")).send()
    assert texts(sent) == ["One."] and str(path) in sent.report.notices[0]
    assert path.read_bytes() == content
    assert [file.name for file in path.parent.iterdir()] == [path.name]


async def test_a_damaged_file_of_a_newer_version_stays_where_it_is(settings: Settings) -> None:
    session, path = await damaged(settings, "wire")
    rows(path, "INSERT INTO schema_migrations VALUES ('m999_later', 'now')")
    zero_first_page(path)
    before = digest(path)
    async with ContextPlugin.open(settings) as plugin:
        session.plugin = plugin
        sent = await session.send()
    assert set_aside(path) == [] and digest(path) == before
    assert "newer Silcrow" in sent.report.notices[0]


async def test_a_side_request_meets_damage_like_any_other(
    plugin: ContextPlugin, settings: Settings
) -> None:
    session = await long_session(plugin)
    zero_pages(database_of(settings), "passes")
    sent = await session.send(purpose=Purpose.SIDE)
    assert sent.report.fault is None and len(set_aside(database_of(settings))) == 1


async def test_a_tool_says_that_it_recorded_nothing_and_the_next_call_records(
    plugin: ContextPlugin, settings: Settings
) -> None:
    session = await long_session(plugin)
    zero_pages(database_of(settings), "pending_ops")
    assert "could not record" in await session.reduce("2")
    assert "could not" not in await session.reduce("2")
    assert [op.number for op in await plugin.pending_ops("s")] == [2]
    settle(database_of(settings))
