"""Facts about large pictures on their way through the plugin."""

from pathlib import Path

from silcrow.config.settings import Settings
from silcrow.session import ContextPlugin
from silcrow.store.blobs import BLOB_BYTES
from support.native_messages import Native, model, user
from support.pictures import base64_of, png
from support.plugin_session import PluginSession, database_of

PICTURE = 2
DATA = base64_of(png(1000, 750) + b"x" * BLOB_BYTES)


def large_picture() -> Native:
    source = {"type": "base64", "media_type": "image/png", "data": DATA}
    return {"type": "image", "source": source}


async def dropped(plugin: ContextPlugin) -> PluginSession:
    """A session whose large picture was marked, and has left."""
    session = PluginSession(plugin)
    session.add({"role": "user", "content": [{"type": "text", "text": "Look."}, large_picture()]})
    await session.send()
    await session.answer()
    session.add(model("A chart."), user("Go on."))
    for index in range(8):
        session.step(f"c{index}")
    landed = await session.drop(PICTURE)
    assert landed.messages[0]["content"][1] == {"type": "text", "text": "[dropped §2§]"}
    return session


def blobs(settings: Settings) -> list[Path]:
    return list((database_of(settings).parent / "blobs").iterdir())


async def test_a_large_picture_is_kept_beside_the_database(
    plugin: ContextPlugin, settings: Settings
) -> None:
    session = await dropped(plugin)
    assert len(blobs(settings)) == 1 and database_of(settings).stat().st_size < BLOB_BYTES
    assert DATA in await session.original(PICTURE)


async def test_another_process_reads_it(plugin: ContextPlugin, settings: Settings) -> None:
    await dropped(plugin)
    async with ContextPlugin.open(settings) as other:
        assert DATA in await PluginSession(other).original(PICTURE)


async def test_a_picture_whose_file_is_lost_is_said_to_be_gone(
    plugin: ContextPlugin, settings: Settings
) -> None:
    session = await dropped(plugin)
    blobs(settings)[0].unlink()
    assert "no longer in the database" in await session.expand(PICTURE)


async def test_where_it_cannot_be_kept_the_request_goes_out_unmarked(
    plugin: ContextPlugin, settings: Settings
) -> None:
    (database_of(settings).parent / "blobs").write_text("in the way")
    session = PluginSession(plugin).add({"role": "user", "content": [large_picture()]})
    sent = await session.send()
    assert sent.messages == session.natives and sent.report.fault is not None


async def test_small_pictures_leave_no_folder(plugin: ContextPlugin, settings: Settings) -> None:
    picture = large_picture()
    picture["source"]["data"] = base64_of(png(10, 10))
    await PluginSession(plugin).add({"role": "user", "content": [picture]}).send()
    assert not (database_of(settings).parent / "blobs").exists()
