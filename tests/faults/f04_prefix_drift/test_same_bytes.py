"""Without a permit the bytes are those of the last request, whatever a program could stumble on."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from silcrow.hooks.permit import Reason
from silcrow.session import ContextPlugin
from support.native_messages import blocks_of, model, user
from support.plugin_session import TTL_SECONDS, PluginSession, go_on, long_session, texts

SCRIPT = """
import asyncio, hashlib, json, sys
from pathlib import Path
from silcrow.session import ContextPlugin
from support.plugin_session import long_session, make_settings

async def main():
    async with ContextPlugin.open(make_settings(Path(sys.argv[1]))) as plugin:
        session = await long_session(plugin, 30)
        landed = await session.drop(2, 3, 4, 5)
        said = json.dumps(landed.messages) + landed.system_append
        print(hashlib.sha256(said.encode()).hexdigest())

asyncio.run(main())
"""


def digest_under(seed: str, folder: Path) -> str:
    told = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", SCRIPT, str(folder)]
    ran = subprocess.run(command, env=told, capture_output=True, text=True, check=True)
    return ran.stdout.strip()


def test_the_hash_seed_changes_no_byte(tmp_path: Path) -> None:
    digests = {digest_under(seed, tmp_path / seed) for seed in ("0", "1", "4711")}
    assert len(digests) == 1 and len(digests.pop()) == 64


@pytest.mark.parametrize("queued", ["", "2,3"], ids=["nothing_queued", "queued"])
async def test_as_long_as_the_cache_may_live_the_queue_changes_no_byte(
    plugin: ContextPlugin, queued: str
) -> None:
    session = await long_session(plugin)
    before = await go_on(session)
    if queued:
        await session.reduce(queued)
    session.add(model("Well."), user("And now?"))
    session.now += TTL_SECONDS
    sent = await session.send()
    assert sent.messages[: len(before.messages)] == before.messages
    assert not sent.permit.is_granted


async def test_a_text_and_a_list_of_one_text_keep_their_shapes(plugin: ContextPlugin) -> None:
    session = PluginSession(plugin).add(user("As a text."))
    session.add({"role": "user", "content": [{"type": "text", "text": "As a list."}]})
    for turn in range(3):
        sent = (await go_on(session, f"Turn {turn}.")).messages
        assert sent[0]["content"] == "§1§ As a text."
        assert sent[1]["content"] == [{"type": "text", "text": "§2§ As a list."}]


async def test_a_system_prompt_that_changes_at_midnight_takes_the_queue_along(
    plugin: ContextPlugin,
) -> None:
    session = await long_session(plugin)
    session.facts["system"] = "Today is Monday."
    await go_on(session)
    await session.reduce("2")
    session.facts["system"] = "Today is Tuesday."
    session.add(model("Well."), user("Good night."))
    sent = await session.send()
    assert sent.permit.reasons == (Reason.SYSTEM_CHANGED,)
    assert "[dropped §2§]" in texts(sent)


async def test_a_cache_breakpoint_keeps_its_hour_on_a_part_that_is_dropped(
    plugin: ContextPlugin,
) -> None:
    hour = {"type": "ephemeral", "ttl": "1h"}
    session = await long_session(plugin)
    (block,) = blocks_of(session.natives[2])
    session.natives[2] = {"role": "user", "content": [{**block, "cache_control": hour}]}
    await session.reduce("2")
    session.now += 3_600
    sent = await session.expire().send()
    (dropped,) = [b for m in sent.messages for b in blocks_of(m) if "cache_control" in b]
    assert (dropped["content"], dropped["cache_control"]) == ("[dropped §2§]", hour)
