"""Small recordings of every host that we read, written as these hosts write them."""

from json import dumps
from pathlib import Path
from typing import Any

from law.values import Json


def write_lines(path: Path, lines: list[Json]) -> Path:
    path.write_text("\n".join(dumps(line) for line in lines), encoding="utf-8")
    return path


def write_document(path: Path, document: Json) -> Path:
    path.write_text(dumps(document, indent=2), encoding="utf-8")
    return path


def _stamp(second: int) -> str:
    return f"2026-01-01T00:{second // 60:02}:{second % 60:02}Z"


def _item(second: int, kind: str, **fields: Any) -> Json:
    payload = {"type": kind, **fields}
    return {"timestamp": _stamp(second), "type": "response_item", "payload": payload}


def _event(second: int, kind: str, **fields: Any) -> Json:
    payload = {"type": kind, **fields}
    return {"timestamp": _stamp(second), "type": "event_msg", "payload": payload}


def _words(second: int, role: str, text: str) -> Json:
    kind = "output_text" if role == "assistant" else "input_text"
    return _item(second, "message", role=role, content=[{"type": kind, "text": text}])


def _reasoning(second: int, sealed: str | None) -> Json:
    item = _item(second, "reasoning", id=f"rs_{second}", summary=[])
    if sealed:
        item["payload"]["encrypted_content"] = f"{sealed} {second}"
    return item


def _call(second: int, name: str) -> Json:
    given = f'{{"cmd": "{name}"}}'
    return _item(second, "function_call", name="exec", call_id=f"call_{name}", arguments=given)


def _output(second: int, name: str, output: str) -> Json:
    return _item(second, "function_call_output", call_id=f"call_{name}", output=output)


def _tokens(second: int, total: int) -> Json:
    usage = {"total_token_usage": {"total_tokens": total}}
    return _event(second, "token_count", info=usage)


def codex_lines(sealed: str | None = None) -> list[Json]:
    """Four calls: two with tools, one with words alone, one behind a compaction.

    Reasoning is hollow, as recordings hold it, unless it is `sealed`.
    """
    patch: Json = {"name": "apply_patch", "call_id": "call_patch", "input": "*** Begin Patch"}
    meta = {"id": "codex-made", "model_provider": "openai"}
    history = [_words(0, "user", "Look.")["payload"], _words(0, "user", "All is well.")["payload"]]
    return [
        {"timestamp": _stamp(0), "type": "session_meta", "payload": meta},
        {"timestamp": _stamp(0), "type": "turn_context", "payload": {"model": "gpt-5.5"}},
        _words(1, "developer", "Be careful."),
        _words(1, "user", "Look."),
        _event(1, "user_message", message="Look."),
        _reasoning(5, sealed),
        _event(6, "agent_message", message="I look."),
        _words(6, "assistant", "I look."),
        _call(7, "ls"),
        _call(8, "pwd"),
        _item(8, "tool_search_call", call_id="call_find", arguments={"query": "pull request"}),
        _output(10, "pwd", "/here"),
        _output(11, "ls", "a.py b.py"),
        _item(11, "tool_search_output", call_id="call_find", tools=[{"name": "create"}]),
        _tokens(11, 10),
        _tokens(12, 10),
        _reasoning(15, sealed),
        _item(16, "custom_tool_call", **patch),
        _item(18, "custom_tool_call_output", call_id="call_patch", output="Done."),
        _tokens(18, 20),
        _reasoning(20, sealed),
        _words(21, "assistant", "It is patched."),
        _tokens(21, 30),
        _words(40, "user", "Thanks."),
        {
            "timestamp": _stamp(41),
            "type": "compacted",
            "payload": {"message": "", "replacement_history": history},
        },
        _words(50, "assistant", "Welcome."),
        _tokens(50, 40),
        _call(60, "late"),
    ]


def _chat_call(name: str, **arguments: Any) -> Json:
    function = {"name": "bash", "arguments": dumps(arguments)}
    return {"id": f"call_{name}", "type": "function", "function": function}


def _mini_answer(at: float, text: str, name: str) -> Json:
    extra = {"timestamp": at, "response": {"created": int(at) - 3, "model": "deepseek-chat"}}
    calls = [_chat_call(name, command=name)]
    return {"role": "assistant", "content": text, "tool_calls": calls, "extra": extra}


def _mini_result(at: float, name: str, output: str) -> Json:
    extra = {"timestamp": at, "raw_output": "never sent"}
    return {"role": "tool", "tool_call_id": f"call_{name}", "content": output, "extra": extra}


def mini_document() -> Json:
    """Three calls; the second says nothing beside its command, the third is not answered."""
    model = {"model_name": "deepseek/deepseek-chat"}
    return {
        "instance_id": "mini-made",
        "info": {"config": {"model": model}},
        "messages": [
            {"role": "system", "content": "You can run commands."},
            {"role": "user", "content": "Repair it."},
            _mini_answer(1_000.5, "Let me check:", "ls"),
            _mini_result(1_001.0, "ls", "a.py"),
            _mini_answer(1_010.5, "", "cat"),
            _mini_result(1_011.0, "cat", "print(1)"),
            _mini_answer(1_020.5, "Let me check:", "submit"),
            {"role": "exit", "content": "the patch", "extra": {}},
        ],
        "trajectory_format": "mini-swe-agent-1.1",
    }


def _action(number: int, thought: str, response: str | None = None) -> Json:
    thoughts = [{"type": "text", "text": thought}] if thought else []
    return {
        "kind": "ActionEvent",
        "id": f"action-{number}",
        "timestamp": f"2026-01-01T00:00:{number:02}.5",
        "thought": thoughts,
        "tool_call_id": f"call_{number}",
        "tool_call": _chat_call(str(number), n=number),
        "llm_response_id": response or f"response-{number}",
    }


def _observation(number: int, at: int, **seen: Any) -> Json:
    return {
        "kind": "ObservationEvent",
        "id": f"observation-{number}",
        "timestamp": f"2026-01-01T00:00:{at:02}.0",
        "tool_call_id": f"call_{number}",
        "observation": seen,
    }


def _condensation(at: int, summary: str, *forgotten: str) -> Json:
    stamp = f"2026-01-01T00:00:{at:02}.0"
    told = {"forgotten_event_ids": list(forgotten), "summary": summary, "summary_offset": 2}
    return {"kind": "Condensation", "id": f"condensation-{at}", "timestamp": stamp, **told}


def openhands_lines() -> list[Json]:
    """Five calls, the first with two actions; two condensations, each cutting a pair in half."""
    llm = {"model": "litellm_proxy/anthropic/claude-sonnet-4"}
    user = {"role": "user", "content": [{"type": "text", "text": "Repair it."}]}
    stamp = "2026-01-01T00:00:00.0"
    return [
        {"base_state": {"id": "hands-made", "agent": {"llm": llm}}},
        {
            "kind": "SystemPromptEvent",
            "id": "system",
            "timestamp": stamp,
            "system_prompt": {"type": "text", "text": "You repair."},
            "tools": [{"type": "function", "function": {"name": "bash"}}],
        },
        {"kind": "MessageEvent", "id": "message", "timestamp": stamp, "llm_message": user},
        _action(1, "Let me see.", "response-1"),
        _action(2, "", "response-1"),
        _observation(1, 3, output="one", error=False),
        _observation(2, 4, output="", error="no such file"),
        _action(5, "Again."),
        _observation(5, 6, content="five"),
        _condensation(7, "One was seen.", "action-1", "observation-1", "action-2"),
        _action(8, ""),
        _observation(8, 9, output="eight"),
        _condensation(10, "Five was seen.", "the summary's own id", "action-5", "observation-5"),
        _action(11, "Nearly."),
        _observation(11, 12, message="bye"),
        _action(13, "Done."),
    ]


def swe_document() -> Json:
    """Three calls; the second has no words, the last no observation."""
    said = [
        ("system", "SETTING: a shell."),
        ("user", "Find the flag."),
        ("assistant", "Let us see\n```\nls -a\n```"),
        ("user", "networking.pcap\nbash-$"),
        ("assistant", "\n```\nls -a\n```"),
        ("user", "networking.pcap again\nbash-$"),
        ("assistant", "I have it.\n```\nsubmit 1\n```"),
    ]
    history = [{"role": role, "content": content, "agent": "primary"} for role, content in said]
    return {"environment": "swe_main", "trajectory": [], "history": history, "info": {}}


def _tool_part(name: str, start: int, **state: Any) -> Json:
    times = {"start": start, "end": start + 500}
    whole = {"input": {"path": name}, "time": times, **state}
    return {"type": "tool", "tool": "read", "callID": f"call_{name}", "state": whole}


def _step(*parts: Json) -> list[Json]:
    return [{"type": "step-start"}, *parts, {"type": "step-finish", "reason": "stop"}]


def opencode_document() -> Json:
    """Three calls in one message; one tool failed, one never came to an end."""
    info: Json = {"role": "assistant", "providerID": "anthropic", "modelID": "claude-sonnet-4-5"}
    clock = {"created": 1_001_000, "completed": 1_009_000}
    parts = [
        *_step(
            {"type": "text", "text": "Both.", "time": {"start": 1_002_000, "end": 1_002_500}},
            _tool_part("a", 1_003_000, status="completed", output="alpha"),
            _tool_part("b", 1_003_200, status="error", error="no such file"),
        ),
        *_step(_tool_part("c", 1_005_000, status="running")),
        *_step({"type": "text", "text": "Done.", "time": {"start": 1_008_000, "end": 1_008_500}}),
    ]
    user = {"info": {"role": "user", "time": {"created": 1_000_000}}}
    return {
        "info": {"id": "ses_made"},
        "messages": [
            user | {"parts": [{"type": "text", "text": "Read them."}]},
            {"info": info | {"time": clock}, "parts": parts},
        ],
    }


def opencode_compacted_document(**mark: Any) -> Json:
    """Five calls: two before a summary, one that the user stopped, one that failed, and the last.

    `mark` goes on the question for the summary: `tail_start_id` names the first message kept.
    """

    def user(second: int, name: str, *parts: Json) -> Json:
        info = {"id": name, "role": "user", "time": {"created": second * 1000}}
        return {"info": info, "parts": list(parts)}

    def answer(second: int, name: str, words: str, **more: Any) -> Json:
        spoken = {"start": second * 1000 + 500, "end": second * 1000 + 900}
        said: Json = {"type": "text", "text": words, "time": spoken}
        clock = {"created": second * 1000, "completed": second * 1000 + 1000}
        model = {"providerID": "anthropic", "modelID": "claude-sonnet-4-5"}
        info = {"id": name, "role": "assistant", "time": clock, **model, **more}
        parts = [{"type": "step-start"}, said] if "error" in more else _step(said)
        return {"info": info, "parts": parts}

    stopped, failed = {"name": "MessageAbortedError"}, {"name": "APIError"}
    messages = [
        user(1_000, "look", {"type": "text", "text": "Look."}),
        answer(1_010, "looked", "I looked."),
        user(1_020, "and", {"type": "text", "text": "And?"}),
        answer(1_030, "hm", "Hm."),
        user(1_040, "question", {"type": "compaction", "auto": True, **mark}),
        answer(1_041, "summary", "So far so good.", summary=True, parentID="question"),
        user(1_050, "on", {"type": "text", "text": "Go on."}),
        answer(1_060, "well", "Well,", error=stopped),
        user(1_070, "no", {"type": "text", "text": "No."}),
        answer(1_080, "ok", "O", error=failed),
        user(1_090, "so", {"type": "text", "text": "So?"}),
        answer(1_100, "end", "Done."),
    ]
    return {"info": {"id": "ses_compacted"}, "messages": messages}
