"""What is left of a message is never empty, and a request keeps how it begins and ends."""

from pathlib import Path

import pytest

from silcrow.config.settings import Protection, Settings
from silcrow.session import ContextPlugin
from silcrow.session.outcome import CallResult
from support.legal_lists import check_anthropic
from support.native_messages import (
    Native,
    answers,
    asks,
    blocks_of,
    call,
    model,
    result,
    thinking,
    user,
    words,
)
from support.plugin_session import PluginSession, go_on, long_session, make_settings, texts
from support.storing_session import StoringSession, take_turn

BLANK = {"type": "text", "text": "\n\n"}
SAID = ["§12§ hello", "§12§", "§12 hello", "12§ hello", "see §12§ in code", "§1§ §1§ ", "§2§ x"]
LAST: dict[str, list[Native]] = {
    "the user": [model("Done."), user("And now?")],
    "a result": [asks(call("last")), answers(result("last", words(3_000, "last")))],
    "results and a word": [asks(call("last")), answers(result("last", "ok"), says="Wait.")],
}


def same_but_for_markers(sent: Native, came: Native) -> bool:
    """Whether a message is the very one that came, but for what we put in front of its texts."""
    if (sent["role"], type(sent["content"])) != (came["role"], type(came["content"])):
        return False
    pairs = zip(blocks_of(sent), blocks_of(came), strict=True)
    return all(_without_marker(one) == other for one, other in pairs)


def _without_marker(block: Native) -> Native:
    key = "content" if block["type"] == "tool_result" else "text"
    return {**block, key: block[key].partition("§ ")[2]}


async def test_a_call_that_leaves_takes_the_blank_text_beside_it_along(
    plugin: ContextPlugin,
) -> None:
    session = PluginSession(plugin).add(user("Begin."))
    session.add({"role": "assistant", "content": [BLANK, call("c")]}, answers(result("c", "x")))
    for index in range(30):
        session.step(f"c{index}")
    await session.send()
    await session.answer()
    landed = await session.drop(2)
    assert "c" not in [b.get("id") for m in landed.messages for b in blocks_of(m)]
    check_anthropic(landed.messages)
    check_anthropic((await go_on(session)).messages)


@pytest.mark.parametrize("gives_ids", [True, False], ids=["ids", "no_ids"])
@pytest.mark.parametrize("said", SAID)
async def test_what_a_person_typed_is_the_same_after_it_was_stored_with_our_marker(
    plugin: ContextPlugin, gives_ids: bool, said: str
) -> None:
    session = StoringSession(plugin, gives_ids=gives_ids).add(user(said))
    for turn in range(3):
        assert texts(await take_turn(session, f"Turn {turn}."))[0] == f"§1§ {said}"
    assert await session.original(1) == said


@pytest.mark.parametrize("end", LAST.values(), ids=LAST)
async def test_the_last_message_is_the_one_that_came_however_full_the_request_is(
    plugin: ContextPlugin, end: list[Native]
) -> None:
    session = await long_session(plugin, 40)
    session.add(*end)
    session.facts = {"context_window": 2_400, "output_reserve": 400}
    wires = [(await session.expire().send()).messages for _ in range(3)]
    for wire in wires:
        assert same_but_for_markers(dict(wire[-1]), session.natives[-1])
        assert len(wire) < len(session.natives)


async def test_a_notice_is_told_to_the_host_and_ends_no_request(tmp_path: Path) -> None:
    own = Protection(tokens=50_000)
    async with ContextPlugin.open(make_settings(tmp_path, protection=own)) as plugin:
        session = PluginSession(plugin, facts={"context_window": 1_500, "output_reserve": 400})
        session.add(user("Go."), asks(call("c"), thinks="Hm.", says="I look."))
        session.add(answers(result("c", words(4_000, "c"))))
        sent = await session.send()
    assert sent.report.notices
    assert [message["role"] for message in sent.messages] == ["user", "assistant", "user"]
    assert sent.messages[1]["content"][0] == thinking("Hm.")
    assert sent.report.notices[0] not in str(sent.messages) + sent.system_append
    assert same_but_for_markers(dict(sent.messages[-1]), session.natives[-1])


async def test_when_the_front_of_a_session_leaves_the_user_still_comes_first(
    plugin: ContextPlugin, settings: Settings
) -> None:
    session = PluginSession(plugin).add(user("Begin."), model("Hello."), user(words(400)))
    for index in range(30):
        session.step(f"c{index}")
    session.add(model("Done."), user("Go on."))
    await session.send()
    await session.answer()
    wires: list[CallResult] = [await session.drop(1, 2, 3, *range(4, 24))]
    async with ContextPlugin.open(settings) as other:
        session.plugin = other
        wires.append(await go_on(session))
    for wire in wires:
        assert wire.messages[0]["role"] == "user"
        check_anthropic(wire.messages)
    assert words(400) not in " ".join(texts(wires[0]))


@pytest.mark.parametrize("said", ["§12§", "§1§ §1§ ", "§2§ \n"])
async def test_an_answer_of_nothing_but_markers_leaves_no_empty_text(
    plugin: ContextPlugin, said: str
) -> None:
    session = PluginSession(plugin).add(user("Begin."), model(said), user("And?"))
    first = await session.send()
    await session.answer()
    later = await go_on(session)
    check_anthropic(first.messages)
    assert later.messages[: len(first.messages)] == first.messages
    assert await session.original(2) == "And?"
