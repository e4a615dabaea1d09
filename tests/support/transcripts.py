"""Small recordings for tests of the simulator: transcripts of Claude Code, and trajectories."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

MODEL = "claude-sonnet-4-5"
ANSWER_SECONDS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One call of the model: what it says and asks for, and what the tool prints to that.

    The tool runs for `tool_seconds`, and then the next request goes out.
    """

    output: str
    says: str = ""
    command: str = "ls"
    tool_seconds: int = 10
    model: str = MODEL


def long_output(number: int, lines: int = 100) -> str:
    """About ten tokens a line; every line is one of its kind."""
    return "\n".join(f"output {number} has as its line {i} this text" for i in range(lines))


def write_transcript(path: Path, steps: Sequence[Step], session: str = "made") -> Path:
    """Write a session that begins with one sentence of the user and ends with one of the model."""
    lines = [_line(session, "user", "u0", 0, {"role": "user", "content": "Tidy up, please."})]
    clock = 0
    for number, step in enumerate(steps, start=1):
        clock += ANSWER_SECONDS
        lines.append(_line(session, "assistant", f"a{number}", clock, _call(number, step)))
        content = [{"type": "tool_result", "tool_use_id": f"t{number}", "content": step.output}]
        message = {"role": "user", "content": content}
        clock += step.tool_seconds
        lines.append(_line(session, "user", f"u{number}", clock, message))
    clock += ANSWER_SECONDS
    lines.append(_line(session, "assistant", "end", clock, _answer("end", MODEL, "Done.")))
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return path


def _line(session: str, kind: str, uuid: str, second: int, message: Any) -> dict[str, Any]:
    stamp = datetime.fromtimestamp(1_700_000_000 + second, UTC).isoformat()
    frame = {"type": kind, "uuid": uuid, "parentUuid": None, "isSidechain": False}
    return {**frame, "sessionId": session, "timestamp": stamp, "message": message}


def _answer(answer_id: str, model: str, says: str) -> dict[str, Any]:
    usage = {"input_tokens": 3, "cache_read_input_tokens": 20, "output_tokens": 1}
    content = [{"type": "text", "text": says}] if says else []
    return {"id": answer_id, "model": model, "usage": usage, "content": content}


def _call(number: int, step: Step) -> dict[str, Any]:
    message = _answer(f"a{number}", step.model, step.says)
    use = {"type": "tool_use", "id": f"t{number}", "name": "Bash"}
    message["content"].append({**use, "input": {"command": step.command}})
    return message


def write_trajectory(path: Path, steps: Sequence[Step], system: str) -> Path:
    """Write the same session as a trajectory of mini-swe-agent, which records its system prompt."""
    messages: list[Any] = [
        {"role": "system", "content": system},
        {"role": "user", "content": "Tidy up, please."},
    ]
    for number, step in enumerate(steps, start=1):
        arguments = json.dumps({"command": step.command})
        call = {"id": f"t{number}", "function": {"name": "bash", "arguments": arguments}}
        messages.append({"role": "assistant", "content": step.says, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"t{number}", "content": step.output})
    messages.append({"role": "assistant", "content": "Done."})
    document = {"trajectory_format": "mini-swe-agent-1.1", "messages": messages}
    path.write_text(json.dumps(document, indent=2), "utf-8")
    return path


def write_export(path: Path, steps: Sequence[Step]) -> Path:
    """Write the same session as an export of OpenCode, with every answer a message."""
    second = 0
    messages: list[Any] = [_export_user("u", second, "Tidy up, please.")]
    for number, step in enumerate(steps, start=1):
        second += ANSWER_SECONDS
        span = {"start": second * 1000, "end": (second + step.tool_seconds) * 1000}
        told = {"input": {"command": step.command}, "output": step.output, "time": span}
        state = {"status": "completed", **told}
        part = {"type": "tool", "callID": f"t{number}", "tool": "bash", "state": state}
        messages.append(_export_answer(number, second, step.model, part))
        second += step.tool_seconds
    messages.append(_export_answer(0, second, MODEL, {"type": "text", "text": "Done."}))
    document = {"info": {"id": "made"}, "messages": messages}
    path.write_text(json.dumps(document, indent=2), "utf-8")
    return path


def _export_user(message_id: str, second: int, says: str) -> dict[str, Any]:
    time = {"created": second * 1000}
    info = {"id": message_id, "role": "user", "time": time}
    return {"info": info, "parts": [{"type": "text", "text": says}]}


def _export_answer(number: int, second: int, model: str, part: Any) -> dict[str, Any]:
    tokens = {"input": 3, "output": 1, "reasoning": 0, "cache": {"read": 20, "write": 0}}
    time = {"created": (second - 1) * 1000, "completed": second * 1000}
    info = {"id": f"m{number}", "role": "assistant", "time": time}
    finish = {"type": "step-finish", "reason": "stop", "cost": 0, "tokens": tokens}
    parts = [{"type": "step-start"}, part, finish]
    return {"info": {**info, "modelID": model, "providerID": "anthropic"}, "parts": parts}
