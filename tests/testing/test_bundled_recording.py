"""The bundled recording holds what the simulator's demonstration needs.

The file is read here with plain JSON, so that a fault in our readers cannot hide one in it.
"""

import gzip
import json
from datetime import datetime, timedelta
from importlib.resources import files
from itertools import pairwise
from typing import Any

from silcrow.tokens.counter import load_counter

LINES = [
    json.loads(line)
    for line in gzip.decompress(
        files("silcrow.simulator").joinpath("bundled/repository-tour.jsonl.gz").read_bytes()
    ).splitlines()
]
CACHE_TTL = timedelta(minutes=5)


COUNT = load_counter().count


def content(line: dict[str, Any]) -> list[dict[str, Any]]:
    """The blocks of a line; what a person wrote is a block of the type "prompt"."""
    found: str | list[dict[str, Any]] = line["message"]["content"]
    return [{"type": "prompt", "text": found}] if isinstance(found, str) else found


def blocks(kind: str) -> list[dict[str, Any]]:
    return [block for line in LINES for block in content(line) if block["type"] == kind]


def calls() -> dict[str, list[dict[str, Any]]]:
    """Assistant lines by message id, in order."""
    found: dict[str, list[dict[str, Any]]] = {}
    for line in LINES:
        if line["type"] == "assistant":
            found.setdefault(line["message"]["id"], []).append(line)
    return found


def call_times() -> list[datetime]:
    return [datetime.fromisoformat(lines[0]["timestamp"]) for lines in calls().values()]


def test_it_has_enough_calls_and_prompts() -> None:
    assert 140 <= len(calls()) <= 190
    assert 6 <= len(blocks("prompt")) <= 10


def test_only_the_first_line_is_marked_as_scripted() -> None:
    assert LINES[0]["type"] == "user"
    assert [line.get("scripted", False) for line in LINES] == [True] + [False] * (len(LINES) - 1)


def test_the_lines_are_one_chain() -> None:
    assert LINES[0]["parentUuid"] is None
    assert all(after["parentUuid"] == before["uuid"] for before, after in pairwise(LINES))
    assert len({line["uuid"] for line in LINES}) == len(LINES)


def test_every_line_has_the_keys_of_claude_code() -> None:
    for line in LINES:
        assert (line["isSidechain"], line["userType"]) == (False, "external")
        assert (line["cwd"], line["gitBranch"]) == ("repository", "main")
        assert line["sessionId"] == LINES[0]["sessionId"]
        assert line["version"]


def test_every_assistant_line_holds_one_block() -> None:
    assert all(len(line["message"]["content"]) == 1 for ls in calls().values() for line in ls)


def test_every_tool_use_has_one_result_after_it() -> None:
    used = [use["id"] for use in blocks("tool_use")]
    assert used == [result["tool_use_id"] for result in blocks("tool_result")]
    assert len(set(used)) == len(used)


def test_it_uses_many_tools() -> None:
    names = {use["name"] for use in blocks("tool_use")}
    expected = {"Read", "Grep", "Glob", "Edit", "MultiEdit", "Write", "Bash", "TodoWrite"}
    assert expected <= names


def test_it_has_parallel_groups_of_two_and_of_four_and_more() -> None:
    sizes = [
        sum(line["message"]["content"][0]["type"] == "tool_use" for line in lines)
        for lines in calls().values()
    ]
    assert sizes.count(2) >= 10
    assert sum(size >= 4 for size in sizes) >= 5


def test_a_shell_command_and_an_edit_fail() -> None:
    names = {use["id"]: use["name"] for use in blocks("tool_use")}
    failed = {names[r["tool_use_id"]] for r in blocks("tool_result") if r.get("is_error")}
    assert failed == {"Bash", "Edit"}


def test_files_are_edited_after_they_were_read_and_read_again() -> None:
    uses = [(u["name"], u["input"].get("file_path")) for u in blocks("tool_use")]
    written = {path for name, path in uses if name == "Write"}
    edited = {path for name, path in uses if name == "Edit" and path not in written}
    assert len(edited) >= 5
    for path in edited:
        order = [name for name, other in uses if other == path]
        assert order[0] == "Read" and order[-1] == "Read"


def test_the_tool_output_is_large_and_the_context_grows_past_a_hundred_thousand_tokens() -> None:
    output = sum(COUNT(result["content"]) for result in blocks("tool_result"))
    said = sum(COUNT(block["text"]) for block in blocks("text") + blocks("prompt"))
    used = sum(COUNT(json.dumps(use["input"])) for use in blocks("tool_use"))
    assert 150_000 <= output <= 200_000
    assert output + said + used > 100_000


def test_many_calls_say_something_and_many_quote_earlier_output() -> None:
    earlier: set[str] = set()
    quoting = 0
    for block in (block for line in LINES for block in content(line)):
        if block["type"] == "tool_result":
            earlier |= {row.split("→", 1)[-1].strip() for row in block["content"].splitlines()}
        elif block["type"] == "text":
            said = [row.strip() for row in block["text"].splitlines()]
            quoting += any(len(row) >= 24 and row in earlier for row in said)
    assert len(blocks("text")) >= 80
    assert quoting >= 25


def test_two_gaps_outlast_the_cache() -> None:
    times = call_times()
    gaps = {n: b - a for n, (a, b) in enumerate(pairwise(times), 1) if b - a > CACHE_TTL}
    assert [gap >= timedelta(minutes=20) for gap in gaps.values()] == [True, True]
    first, second = (position / len(times) for position in gaps)
    assert 0.40 <= first <= 0.50 and 0.75 <= second <= 0.85


def test_the_clock_never_goes_backwards() -> None:
    times = [line["timestamp"] for line in LINES]
    assert times == sorted(times)


def test_the_model_changes_once_in_the_third_quarter() -> None:
    models = [lines[0]["message"]["model"] for lines in calls().values()]
    changes = [n for n, (a, b) in enumerate(pairwise(models), 1) if a != b]
    assert len(changes) == 1
    assert 0.60 <= changes[0] / len(models) <= 0.70


def test_the_usage_follows_the_cache() -> None:
    usages = [lines[0]["message"]["usage"] for lines in calls().values()]
    cold = [n for n, usage in enumerate(usages) if usage["cache_read_input_tokens"] == 0]
    assert len(cold) == 4, "the first call, the two gaps and the new model"
    for before, after in pairwise(usages):
        cached = before["cache_read_input_tokens"] + before["cache_creation_input_tokens"]
        assert after["cache_read_input_tokens"] in (0, cached)
        written = after["cache_creation"]["ephemeral_5m_input_tokens"]
        assert written == after["cache_creation_input_tokens"] > 0


def test_the_file_is_small_and_its_header_has_no_time() -> None:
    path = files("silcrow.simulator").joinpath("bundled/repository-tour.jsonl.gz")
    content = path.read_bytes()
    assert len(content) < 600_000
    assert content[4:8] == bytes(4)
