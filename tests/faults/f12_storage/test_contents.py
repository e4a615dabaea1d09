"""Odd and large contents: each is stored once, comes back as it was, and stays out of the way."""

from pathlib import Path

import pytest

from silcrow.session import ContextPlugin
from support.deltas import rows
from support.native_messages import Native, user
from support.pictures import base64_of, png
from support.plugin_session import PluginSession, database_of, go_on, make_settings, texts

ODD = {
    "a lone surrogate": "before \udc81 behind",
    "NUL": "one\0two\0",
    "a line of 10 MB": "ab" * 5_000_000,
}
LINES = 2_000
MEGABYTE = 1_000_000


def output(number: int) -> str:
    """About 50 KB, none of it in another output."""
    return "\n".join(f"line {line} of output {number}" for line in range(LINES))


def picture(number: int) -> Native:
    data = base64_of(png(100, 100) + bytes([number]) * MEGABYTE)
    source = {"type": "base64", "media_type": "image/png", "data": data}
    return {"type": "image", "source": source}


@pytest.mark.parametrize("text", ODD.values(), ids=ODD)
async def test_an_odd_output_is_sent_dropped_and_had_back_as_it_was(
    tmp_path: Path, text: str
) -> None:
    async with ContextPlugin.open(make_settings(tmp_path)) as plugin:
        session = PluginSession(plugin).add(user("Print it."))
        session.step("odd", text)
        for index in range(6):
            session.step(f"c{index}")
        sent = await session.send()
        await session.answer()
        landed = await session.drop(2)
        assert await session.expand(2)
        assert await session.original(2) == text
        await session.tool("ctx_restore", tag=2)
        back = await session.expire().send()
    assert f"§2§ {text}" in texts(sent) and f"§2§ {text}" not in texts(landed)
    assert f"§2§ {text}" in texts(back)
    assert [one.report.fault for one in (sent, landed, back)] == [None] * 3


async def test_equal_outputs_are_stored_once_and_all_of_them_small(tmp_path: Path) -> None:
    settings = make_settings(tmp_path)
    async with ContextPlugin.open(settings) as plugin:
        session = PluginSession(plugin).add(user("Run all of it."))
        for index in range(20):
            session.step(f"c{index}", output(index % 14))
        await session.send()
        assert await session.original(21) == output(19 % 14)
    database = database_of(settings)
    ((large, taken),) = rows(
        database,
        "SELECT count(*), sum(length(bytes)) FROM source_contents WHERE length(bytes) > 1000",
    )
    assert large == 14
    assert taken < sum(len(output(index)) for index in range(14)) / 3


async def test_large_pictures_are_in_no_row_and_in_no_log(tmp_path: Path) -> None:
    settings = make_settings(tmp_path)
    database = database_of(settings)
    async with ContextPlugin.open(settings) as plugin:
        session = PluginSession(plugin)
        for number in range(20):
            session.add({"role": "user", "content": [picture(number)]})
        await session.send()
        await go_on(session)
        log = database.with_name(database.name + "-wal")
        assert database.stat().st_size + log.stat().st_size < MEGABYTE
    assert len(list(database.with_name("blobs").iterdir())) == 20
    ((largest,),) = rows(database, "SELECT max(length(bytes)) FROM source_contents")
    assert largest < MEGABYTE
