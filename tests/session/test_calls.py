"""Facts about the model's own tools, answered from a real session."""

import json
from typing import Any

import pytest

from silcrow.hooks.canonical import encode_text
from silcrow.hooks.state import OpKind
from silcrow.session import ContextPlugin
from support.messages import call, document, image, text
from support.native_messages import answers, asks, model, result, user, words
from support.plugin_session import PluginSession, go_on, long_session, texts

ODD_TEXTS = {
    "line ends": "a\r\nb\n\n",
    "no line end": "a",
    "blank ends": "  a \n ",
    "NUL": "a\0b",
    "a lone surrogate": "a\udc81b",
    "Chinese": "漢字" * 50,
    "our own shapes": "§1§ §2§ [dropped §2§]",
    "a code fence": "```\n§9§\n```",
}


async def test_marking_changes_nothing_until_a_permit(plugin: ContextPlugin) -> None:
    session = await long_session(plugin)
    before = (await session.send()).messages
    reply = await session.reduce("2-3")
    assert "Queued: 2-3" in reply and "still visible" in reply
    for _ in range(3):
        sent = await session.send()
        assert (sent.messages, bool(sent.permit.reasons)) == (before, False)
        await session.answer()


async def test_what_was_marked_lands_with_the_next_permit_and_stays(plugin: ContextPlugin) -> None:
    session = await long_session(plugin)
    await session.reduce("2-3")
    landed = await session.expire().send()
    await session.answer()
    assert "[dropped §2§]" in texts(landed) and "[dropped §3§]" in texts(landed)
    assert await plugin.pending_ops("s") == ()
    later = await go_on(session)
    assert later.messages[: len(landed.messages)] == landed.messages


async def test_a_held_part_is_marked_and_lands_later(plugin: ContextPlugin) -> None:
    session = await long_session(plugin)
    assert "Held (queued as well, and lands later): 9" in await session.reduce("9")
    first = await session.expire().send()
    await session.answer()
    assert "[dropped §9§]" not in texts(first)
    for index in range(9, 16):
        session.step(f"c{index}")
    second = await session.expire().send()
    assert "[dropped §9§]" in texts(second)


async def test_marking_twice_says_so(plugin: ContextPlugin) -> None:
    session = await long_session(plugin)
    await session.reduce("2")
    assert "Already queued: 2" in await session.reduce("2")
    assert [op.number for op in await plugin.pending_ops("s")] == [2]


@pytest.mark.parametrize("drop", ["", "0", "5-3", "1-999999", "abc", "-4", "1,,x"])
async def test_an_argument_that_means_nothing_queues_nothing(
    plugin: ContextPlugin, drop: str
) -> None:
    session = await long_session(plugin)
    assert "Nothing was marked" in await session.reduce(drop)
    assert await plugin.pending_ops("s") == ()


@pytest.mark.parametrize("arguments", [{}, {"drop": 3}, {"drop": None}, {"drop": "2", "x": 1}])
@pytest.mark.parametrize("name", ["ctx_reduce", "ctx_expand", "ctx_restore"])
async def test_wrong_arguments_are_answered(
    plugin: ContextPlugin, name: str, arguments: dict[str, Any]
) -> None:
    await long_session(plugin)
    assert name in await plugin.call_tool("s", name, arguments)
    assert await plugin.pending_ops("s") == ()


async def test_unknown_numbers_do_not_spoil_the_rest(plugin: ContextPlugin) -> None:
    session = await long_session(plugin)
    reply = await session.reduce("2, 99")
    assert "Queued: 2" in reply and "Unknown: 99" in reply
    assert [op.number for op in await plugin.pending_ops("s")] == [2]


async def test_the_caller_and_the_call_are_noted(plugin: ContextPlugin) -> None:
    await long_session(plugin)
    await plugin.call_tool("s", "mcp__silcrow__ctx_reduce", {"drop": "2"}, call_id="call-7")
    await plugin.call_tool("s", "ctx_reduce", {"drop": "3"}, caller="user")
    ops = await plugin.pending_ops("s")
    assert [(op.by, op.call_id) for op in ops] == [("model", "call-7"), ("user", None)]


@pytest.mark.parametrize("original", ODD_TEXTS.values(), ids=ODD_TEXTS)
@pytest.mark.parametrize("dropped", [False, True], ids=["whole", "dropped"])
async def test_an_output_comes_back_byte_for_byte(
    plugin: ContextPlugin, original: str, dropped: bool
) -> None:
    session = PluginSession(plugin).add(user(original))
    session.step("odd", original)
    for index in range(8):
        session.step(f"c{index}")
    await session.send()
    await session.answer()
    if dropped:
        assert "[dropped §2§]" in texts(await session.drop(1, 2))
    for number in (1, 2):
        assert encode_text(await session.original(number)) == encode_text(original)
    assert (await session.expand(1)).endswith(f":\n{original}")
    assert (await session.expand(2)).endswith(f"output:\n{original}")


async def test_a_call_comes_back_with_its_name_and_complete_arguments(
    plugin: ContextPlugin,
) -> None:
    arguments: dict[str, Any] = {"path": "a b", "edits": [{"old": "x" * 3_000, "n": [1, None]}]}
    session = PluginSession(plugin).add(user("Go."), asks(call("c", "edit", **arguments)))
    session.add(answers(result("c", "done")))
    await session.send()
    shown = await session.expand(2)
    found = await plugin.read_original("s", 2)
    assert found is not None and found.arguments is not None
    assert json.loads(found.arguments) == arguments
    assert f"tool: edit\narguments: {found.arguments}\noutput:\ndone" in shown


async def test_blocks_of_an_output_are_stored_as_they_came(plugin: ContextPlugin) -> None:
    blocks = [text("one"), image(), {"type": "unheard_of", "key": [1]}, text("two\udc81")]
    session = PluginSession(plugin)
    session.add(asks(call("c")), answers(result("c", "")))
    session.natives[1]["content"][0]["content"] = blocks
    await session.send()
    found = await plugin.read_original("s", 1)
    assert found is not None and found.is_json
    assert json.loads(found.text) == blocks
    shown = await session.expand(1)
    assert "one" in shown and "two\udc81" in shown


async def test_a_file_and_a_picture_come_back(plugin: ContextPlugin) -> None:
    session = PluginSession(plugin)
    session.add({"role": "user", "content": [text("See."), document("a.txt"), image()]})
    await session.send()
    for number, block in ((2, document("a.txt")), (3, image())):
        found = await plugin.read_original("s", number)
        assert found is not None and json.loads(found.text) == block
    assert "pages" in await session.expand(2)


async def test_a_long_original_comes_in_pieces_that_join(plugin: ContextPlugin) -> None:
    original = words(40_000)
    session = PluginSession(plugin, facts={"context_window": 60_000})
    session.add(user(original))
    await session.send()
    offset, pieces = 0, list[str]()
    while True:
        reply = await session.tool("ctx_expand", tag=1, offset=offset)
        body = reply.split(":\n", 1)[1]
        piece, found, rest = body.rpartition("\n[continue with ctx_expand(tag=1, offset=")
        pieces.append(piece if found else body.removesuffix("\n[end of §1§]"))
        if not found:
            break
        offset = int(rest.removesuffix(")]"))
    assert len(pieces) > 1
    assert "".join(pieces) == original


@pytest.mark.parametrize("given", [2, "2", "§2§", "[dropped §2§]", " 2 "])
async def test_a_number_may_be_written_as_it_is_seen(plugin: ContextPlugin, given: object) -> None:
    session = await long_session(plugin)
    assert await session.tool("ctx_expand", tag=given) == await session.expand(2)


async def test_an_unknown_number_says_which_exist(plugin: ContextPlugin) -> None:
    session = await long_session(plugin)
    assert "from 1 to 9" in await session.expand(10)


async def test_the_third_equal_expand_suggests_a_restore(plugin: ContextPlugin) -> None:
    session = await long_session(plugin)
    await session.drop(2)
    replies = [await session.expand(2) for _ in range(3)]
    assert replies[0] == replies[1]
    assert "ctx_restore(tag=2)" not in replies[1]
    assert replies[2].startswith(replies[1]) and "ctx_restore(tag=2)" in replies[2]


async def test_a_session_shows_nothing_of_another(plugin: ContextPlugin) -> None:
    await long_session(plugin, name="other")
    mine = PluginSession(plugin, "mine").add(user("My own."))
    await mine.send()
    assert "No part bears the number 2" in await mine.expand(2)
    transcript = await mine.tool("ctx_expand", start=1, end=50)
    assert "My own." in transcript and "fault" not in transcript
    assert await plugin.read_original("mine", 2) is None
    assert await plugin.check_tool_call("mine", "edit", {"text": "[dropped §2§]"}) is None


async def test_the_transcript_counts_messages_in_the_order_of_their_first_appearance(
    plugin: ContextPlugin,
) -> None:
    session = PluginSession(plugin).add(user("First."), model("Second."))
    session.step("c1", "output")
    await session.send()
    session.natives.pop(0)
    session.ids.pop(0)
    session.add(model("Fifth."), user("Sixth."))
    await session.send()
    lines = (await session.tool("ctx_expand", start=1)).splitlines()
    assert lines[0] == "[1] U: First. §1§"
    assert lines[1] == "[2] A: Second. §2§"
    assert lines[2].startswith("[3] T: lookup(") and lines[2].endswith("§3§")
    assert [line[4:] for line in lines[3:]] == ["A: Fifth. §4§", "U: Sixth. §5§"]


async def test_a_restore_is_queued_and_a_queued_drop_taken_back(plugin: ContextPlugin) -> None:
    session = await long_session(plugin)
    await session.drop(2)
    await session.reduce("3")
    assert "cancelled" in await session.tool("ctx_restore", tag=3)
    assert "is queued" in await session.tool("ctx_restore", tag="[dropped §2§]")
    ops = await plugin.pending_ops("s")
    assert [(op.number, op.kind) for op in ops] == [(2, OpKind.RESTORE)]


async def test_a_placeholder_as_an_argument_is_refused(plugin: ContextPlugin) -> None:
    await long_session(plugin)
    refusal = await plugin.check_tool_call("s", "edit", {"new": " [dropped §2§]\n", "old": "x"})
    assert refusal is not None and "new" in refusal and "ctx_expand(tag=2)" in refusal
    for passes in ("see [dropped §2§]", "[dropped §99§]", "§2§", "[dropped §02§]"):
        assert await plugin.check_tool_call("s", "edit", {"new": passes}) is None


async def test_an_unknown_tool_is_answered(plugin: ContextPlugin) -> None:
    assert "ctx_reduce, ctx_expand, ctx_restore" in await plugin.call_tool("s", "ctx_undo", {})
