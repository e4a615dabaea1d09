"""A request that is refused for its pictures or its bytes is not refused for them for ever."""

import json

from silcrow.hooks.permit import Reason
from silcrow.session import ContextPlugin
from silcrow.session.outcome import CallResult
from support.native_messages import Native, answers, asks, call, model, result, user, words
from support.pictures import image
from support.plugin_session import PluginSession, texts

TOO_MANY_BYTES = '413 {"type":"error","error":{"type":"request_too_large","message":"too large"}}'
TOO_LARGE_A_PICTURE = (
    "messages.14.content.1.image.source.base64: image exceeds 5 MB maximum: 7340032 bytes > 5242880"
    " bytes"
)


def shows(*blocks: Native) -> Native:
    return {"role": "user", "content": [{"type": "text", "text": "Look."}, *blocks]}


async def refuse(session: PluginSession, error: str) -> None:
    session.now += 1
    await session.plugin.after_model_call(session.name, error=error, at=session.now)


WIDTHS = range(1000, 1013)


def pictures(sent: CallResult) -> list[int]:
    """The widths by which the pictures on the wire are known, in order."""
    wire = json.dumps(sent.messages)
    places = {wire.find(json.dumps(image(width)["source"])): width for width in WIDTHS}
    return [places[place] for place in sorted(places) if place >= 0]


async def screenshots(plugin: ContextPlugin, count: int) -> PluginSession:
    """Each looked at by a call of its own, and all but the last answered."""
    session = PluginSession(plugin).add(user("Click through it."))
    for number in range(count):
        session.step(f"t{number}", words(300, f"t{number}"))
        picture = {**result(f"c{number}", ""), "content": [image(1001 + number)]}
        session.add(asks(call(f"c{number}", "screenshot", page=number)), answers(picture))
    await session.send()
    return session


async def test_a_picture_that_is_too_large_does_not_block_the_turns_behind_it(
    plugin: ContextPlugin,
) -> None:
    session = PluginSession(plugin).add(shows(image(1001)), model("A chart."))
    session.add(shows(image(1002)))
    await session.send()
    await refuse(session, TOO_LARGE_A_PICTURE)
    session.add(user("Never mind the picture."))
    sent = await session.send()
    assert pictures(sent) == [1001]
    assert sent.permit.reasons == (Reason.LEGALITY,)
    await session.answer()
    session.add(model("Well."), user("Go on."))
    assert pictures(await session.send()) == [1001]
    assert image(1002)["source"]["data"] in await session.original(5)


async def test_a_screenshot_that_is_too_large_does_not_block_the_turns_behind_it(
    plugin: ContextPlugin,
) -> None:
    session = await screenshots(plugin, 2)
    await refuse(session, TOO_LARGE_A_PICTURE)
    session.add(user("Go on without it."))
    assert pictures(await session.send()) == [1001]


async def test_of_many_pictures_the_older_half_goes_and_then_all_that_may(
    plugin: ContextPlugin,
) -> None:
    session = await screenshots(plugin, 12)
    seen: list[list[int]] = []
    for _ in range(4):
        await refuse(session, TOO_MANY_BYTES)
        sent = await session.send()
        seen.append(pictures(sent))
        assert [f"t{number}" in " ".join(texts(sent)) for number in range(12)] == [True] * 12
    assert seen == [list(range(1007, 1013)), [1012], [1012], [1012]]


async def test_once_it_is_answered_the_pictures_that_are_left_stay(plugin: ContextPlugin) -> None:
    session = await screenshots(plugin, 12)
    await refuse(session, TOO_MANY_BYTES)
    await session.send()
    await session.answer()
    session.add(model("Seen."), user("Go on."))
    assert pictures(await session.send()) == list(range(1007, 1013))


async def test_a_new_picture_that_is_too_large_costs_no_other_one(plugin: ContextPlugin) -> None:
    session = PluginSession(plugin).add(shows(image(1001)), model("A chart."))
    session.add(shows(image(1002)))
    first = await session.send()
    assert pictures(first) == [1001, 1002]
    notices: list[str] = []
    for _ in range(2):
        await refuse(session, TOO_LARGE_A_PICTURE)
        again = await session.send()
        assert again.messages == first.messages
        notices += again.report.notices
    assert [text for text in notices if "refused" in text] == [
        "The provider refused the request for a picture or file in it, and nothing more can be"
        " removed."
    ]


async def test_a_refusal_for_bytes_teaches_nothing_of_tokens(plugin: ContextPlugin) -> None:
    session = await screenshots(plugin, 12)
    before = await session.send()
    await refuse(session, TOO_MANY_BYTES)
    assert (await session.send()).report.window == before.report.window
