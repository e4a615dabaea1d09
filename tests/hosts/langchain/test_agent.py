"""Facts about real agent loops: what the model receives, blocking and awaited alike."""

from langchain_core.messages import AIMessage, ToolMessage

from support.langchain_agents import TTL_SECONDS, Agent, asks_for, says
from support.native_messages import words


def is_prefix(before: list[str], after: list[str]) -> bool:
    return after[: len(before)] == before


async def test_the_model_sees_a_number_at_every_part(agent: Agent) -> None:
    await agent.say("Hello.", asks_for("lookup", "c1", about="x"), says("Found."))
    await agent.say("Thanks.", says("Bye."))
    assert agent.sent.texts[1:] == [
        "§1§ Hello.",
        "",
        f"§2§ {words(50, 'x')}",
        "§3§ Found.",
        "§4§ Thanks.",
    ]


async def test_the_history_of_the_host_stays_without_numbers(agent: Agent) -> None:
    found = await agent.say("Hello.", asks_for("lookup", "c1", about="x"), says("Found."))
    assert [message.text for message in found] == ["Hello.", "", words(50, "x"), "Found."]


async def test_every_request_of_a_warm_session_begins_with_the_one_before(agent: Agent) -> None:
    await agent.work()
    await agent.say("Mark.", asks_for("ctx_reduce", "r1", drop="2,3"), says("Marked."))
    for turn in range(10):
        await agent.say(f"Go on {turn}.", says(f"Done {turn}."))
    sent = [request.units() for request in agent.model.seen]
    assert len(sent) == 21
    assert all(map(is_prefix, sent, sent[1:]))


async def test_ctx_reduce_tells_the_model_that_it_marked_and_not_more(agent: Agent) -> None:
    await agent.work()
    found = await agent.say("Mark.", asks_for("ctx_reduce", "r1", drop="2,3"), says("Marked."))
    answer = found[-2]
    assert isinstance(answer, ToolMessage)
    assert answer.text.startswith("Queued: 2-3")


async def test_a_flush_lands_what_was_marked(agent: Agent) -> None:
    await agent.work()
    await agent.say("Mark.", asks_for("ctx_reduce", "r1", drop="2,3"), says("Marked."))
    requests = len(agent.model.seen)
    told = await agent.say("/ctx-flush")
    assert len(agent.model.seen) == requests
    assert "2" in told[-1].text
    await agent.say("Go on.", says("Done."))
    results = [m for m in agent.sent.messages if isinstance(m, ToolMessage)]
    assert [m.text for m in results[:3]] == [
        "[dropped §2§]",
        "[dropped §3§]",
        f"§4§ {words(50, 'c3')}",
    ]


async def test_an_idle_gap_beyond_the_lifetime_of_the_cache_lands_it(agent: Agent) -> None:
    await agent.work()
    await agent.say("Mark.", asks_for("ctx_reduce", "r1", drop="2,3"), says("Marked."))
    agent.clock.now += TTL_SECONDS - 2
    await agent.say("Go on.", says("Done."))
    assert "[dropped §2§]" not in agent.sent.texts
    agent.clock.now += TTL_SECONDS + 1
    await agent.say("Go on.", says("Done."))
    assert "[dropped §2§]" in agent.sent.texts


async def drop_two(agent: Agent) -> None:
    await agent.work()
    await agent.say("Mark.", asks_for("ctx_reduce", "r1", drop="2,3"), says("Marked."))
    agent.clock.now += TTL_SECONDS + 1
    await agent.say("Go on.", says("Done."))


async def test_what_landed_is_replayed_byte_for_byte(agent: Agent) -> None:
    await drop_two(agent)
    first = len(agent.model.seen) - 1
    for turn in range(10):
        await agent.say(f"Go on {turn}.", says(f"Done {turn}."))
    sent = [request.units() for request in agent.model.seen[first:]]
    assert all(map(is_prefix, sent, sent[1:]))


async def test_ctx_expand_returns_the_original(agent: Agent) -> None:
    await drop_two(agent)
    found = await agent.say("Read.", asks_for("ctx_expand", "e1", tag=2), says("Read."))
    assert words(50, "c1") in found[-2].text


async def test_ctx_restore_brings_a_part_back(agent: Agent) -> None:
    await drop_two(agent)
    await agent.say("Restore.", asks_for("ctx_restore", "b1", tag=2), says("Asked."))
    agent.clock.now += TTL_SECONDS + 1
    await agent.say("Go on.", says("Done."))
    assert f"§2§ {words(50, 'c1')}" in agent.sent.texts


async def test_a_restart_replays_the_same_bytes(agent: Agent) -> None:
    await drop_two(agent)
    before = agent.sent.units()
    agent.middleware.close()
    agent.restart()
    await agent.say("Go on.", says("Done."))
    assert is_prefix(before, agent.sent.units())


async def test_a_large_call_leaves_with_its_result(agent: Agent) -> None:
    long = words(2_000, "x")
    call = {"name": "lookup", "args": {"about": long}, "id": "c0"}
    small = {"name": "lookup", "args": {"about": "y"}, "id": "c00"}
    await agent.say("First.", AIMessage(content="Both.", tool_calls=[call, small]), says("Found."))
    await agent.work()
    await agent.say("Mark.", asks_for("ctx_reduce", "r1", drop="3"), says("Marked."))
    agent.clock.now += TTL_SECONDS + 1
    found = await agent.say("Go on.", says("Done."))
    sent = [m for m in agent.sent.messages if isinstance(m, AIMessage)]
    assert [made["id"] for made in sent[0].tool_calls] == ["c00"]
    answered = [m.tool_call_id for m in agent.sent.messages if isinstance(m, ToolMessage)]
    assert "c0" not in answered and "c00" in answered
    own = found[1]
    assert isinstance(own, AIMessage) and len(own.tool_calls) == 2


async def test_a_placeholder_for_an_argument_is_refused_before_the_tool_runs(agent: Agent) -> None:
    await drop_two(agent)
    call = asks_for("lookup", "bad", about="[dropped §2§]")
    found = await agent.say("Write.", call, says("I see."))
    refusal = found[-2]
    assert isinstance(refusal, ToolMessage)
    assert refusal.status == "error" and refusal.tool_call_id == "bad"
    assert refusal.text.startswith("lookup was not run: about holds only a placeholder")


def thinks(call_id: str) -> AIMessage:
    thinking = {"type": "thinking", "thinking": f"For {call_id}.", "signature": "s"}
    call = {"name": "lookup", "args": {"about": call_id}, "id": call_id}
    use = {"type": "tool_use", "id": call_id, "name": "lookup", "input": {"about": call_id}}
    return AIMessage(content=[thinking, use], tool_calls=[call])


async def test_reasoning_bound_to_a_prefix_that_changes_is_left_out_whole(agent: Agent) -> None:
    agent.model.model = "claude-opus-5-5"
    calls = [thinks(f"c{number}") for number in range(1, 9)]
    await agent.say("Please find the fault.", *calls, says("Here it is."))
    await agent.say("Mark.", asks_for("ctx_reduce", "r1", drop="4"), says("Marked."))
    assert len([m for m in agent.sent.messages if "thinking" in str(m.content)]) == 8
    agent.clock.now += TTL_SECONDS + 1
    await agent.say("Go on.", says("Done."))
    assert "[dropped §4§]" in agent.sent.texts
    kept = [m for m in agent.sent.messages if "'thinking'" in str(m.content)]
    assert ["For c1." in str(kept[0].content), len(kept)] == [True, 3]


async def test_one_object_serves_blocking_and_awaited_runs_of_one_session(agent: Agent) -> None:
    await agent.work()
    agent.is_awaited = not agent.is_awaited
    await agent.say("Go on.", says("Done."))
    sent = [request.units() for request in agent.model.seen]
    assert all(map(is_prefix, sent, sent[1:]))


async def test_a_marker_that_the_model_copied_is_not_stored(agent: Agent) -> None:
    found = await agent.say("Hello.", says("§1§ Good day."))
    assert found[-1].text == "Good day."


async def test_streaming_shows_the_words_and_counts_the_tokens(agent: Agent) -> None:
    agent.model.script.append(says("One two three.", 1_000, cache_read=400))
    config = {"configurable": {"thread_id": agent.thread}}
    given = {"messages": [("user", "Hello.")]}
    if agent.is_awaited:
        stream = agent.graph.astream(given, config, stream_mode="messages")
        words_seen = [chunk.text async for chunk, _ in stream]
    else:
        stream = agent.graph.stream(given, config, stream_mode="messages")
        words_seen = [chunk.text for chunk, _ in stream]
    assert words_seen[:3] == ["One ", "two ", "three. "]
    status = await agent.say("/ctx-status")
    assert "cached input, last 20 calls: 40 %" in status[-1].text
