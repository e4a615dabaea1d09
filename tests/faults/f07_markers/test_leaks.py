"""Our markers and placeholders stay ours: they do not pile up, and nobody acts on a copy of one."""

import pytest

from silcrow.config.settings import Settings
from silcrow.session import ContextPlugin
from support.native_messages import answers, asks, blocks_of, call, model, result, user, words
from support.plugin_session import PluginSession, go_on, long_session, texts
from support.storing_session import StoringSession, take_turn


def with_markers(count: int) -> str:
    return "".join(f"§{number}§ " for number in range(1, count + 1)) + "said."


@pytest.mark.parametrize("count", [1, 2, 50])
@pytest.mark.parametrize("gives_ids", [True, False], ids=["ids", "no_ids"])
async def test_text_that_bears_markers_already_goes_out_with_one_more_on_each_of_ten_passes(
    plugin: ContextPlugin, gives_ids: bool, count: int
) -> None:
    typed = with_markers(count)
    session = StoringSession(plugin, gives_ids=gives_ids).add(user(typed))
    session.step("c1", typed)
    for turn in range(10):
        sent = texts(await take_turn(session, f"Turn {turn}."))
        assert (sent[0], sent[1]) == (f"§1§ {typed}", f"§2§ {typed}")
    assert await session.original(1) == typed


async def test_an_answer_of_500_markers_is_sent_without_them(
    plugin: ContextPlugin, settings: Settings
) -> None:
    session = PluginSession(plugin).add(user("Go."), model("§1§ " * 500 + "At last."))
    session.add(user("And?"))
    first = await session.send()
    assert texts(first)[1] == "§2§ At last."
    async with ContextPlugin.open(settings) as other:
        session.plugin = other
        later = await go_on(session)
    assert later.messages[: len(first.messages)] == first.messages
    assert texts(later)[3] == "§4§ Done."


async def test_a_dropped_edit_is_whole_or_gone_and_its_placeholder_is_refused_in_a_new_call(
    plugin: ContextPlugin, settings: Settings
) -> None:
    edit = call("edit", "edit", path="a.txt", new=words(1_000, "line"))
    session = PluginSession(plugin).add(user("Edit."), asks(edit), answers(result("edit", "ok")))
    for index in range(30):
        session.step(f"c{index}")
    await session.send()
    await session.answer()
    wires = [await session.drop(2, 4), await go_on(session), await session.drop(3)]
    async with ContextPlugin.open(settings) as other:
        session.plugin = other
        wires.append(await go_on(session))
        refusal = await other.check_tool_call(
            "s", "edit", {"path": "a.txt", "new": "[dropped §2§]"}
        )
    came = [block for native in session.natives for block in blocks_of(native)]
    for wire in wires:
        calls = [b for m in wire.messages for b in blocks_of(m) if b["type"] == "tool_use"]
        assert all(one in came for one in calls) and edit not in calls
    assert refusal is not None and "ctx_expand(tag=2)" in refusal


async def test_a_result_that_left_tells_what_was_run_and_all_that_came_of_it(
    plugin: ContextPlugin,
) -> None:
    session = await long_session(plugin, 8)
    landed = await session.drop(2)
    assert "[dropped §2§]" in texts(landed)
    assert "ctx_expand(tag=12) shows its original" in landed.system_append
    told = await session.expand(2)
    assert 'tool: lookup\narguments: {"about":"c1"}\n' in told
    assert told.endswith(f"output:\n{words(50, 'c1')}")


@pytest.mark.parametrize(
    "said", ['<id tag="3">Fixed.', "Fixed, as §1§ says.", "`§1§` is a number.", "§ 823 BGB", "§§"]
)
async def test_what_only_resembles_a_marker_in_an_answer_stays(
    plugin: ContextPlugin, said: str
) -> None:
    session = PluginSession(plugin).add(user("Go."), model(said), user("And?"))
    assert texts(await session.send())[1] == f"§2§ {said}"


@pytest.mark.parametrize("quoted", ["[dropped §2§]", "[dropped §2§]\n", "  [dropped §2§]"])
async def test_a_file_that_would_hold_a_placeholder_is_not_written(
    plugin: ContextPlugin, settings: Settings, quoted: str
) -> None:
    session = await long_session(plugin)
    await session.drop(2)
    async with ContextPlugin.open(settings) as other:
        refusal = await other.check_tool_call("s", "write", {"path": "a.py", "content": quoted})
        passed = await other.check_tool_call("s", "write", {"path": "a.py", "content": "# §2§"})
    assert refusal is not None and "content" in refusal
    assert passed is None
