"""Facts about what the model is told of the tools: short, sober, and always the same bytes."""

import json
import subprocess
import sys
from os import environ, pathsep
from typing import cast

import pytest

from silcrow.tools.guidance import GUIDANCE, TOOL_NAMES, definitions

FORMATS = ("anthropic", "openai_chat", "openai_responses", "gemini")
PRINT = """
import hashlib, json
from silcrow.tools.guidance import GUIDANCE, definitions
names = ("anthropic", "openai_chat", "openai_responses", "gemini")
texts = [json.dumps(definitions(name)) for name in names]
print(hashlib.sha256((GUIDANCE + "".join(texts)).encode()).hexdigest())
"""


def told(name: str) -> str:
    found = {str(d["name"]): str(d["description"]) for d in definitions("anthropic")}
    return found[name]


def test_the_addition_to_the_system_prompt_has_at_most_600_characters() -> None:
    assert len(GUIDANCE) <= 600


def test_the_bytes_do_not_depend_on_the_hash_seed() -> None:
    printed = {
        subprocess.run(
            [sys.executable, "-c", PRINT],
            env={**environ, "PYTHONPATH": pathsep.join(sys.path), "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "4242")
    }
    assert len(printed) == 1 and len(printed.pop()) == 65


@pytest.mark.parametrize("message_format", FORMATS)
def test_every_call_gives_definitions_of_its_own(message_format: str) -> None:
    definitions(message_format)[0].clear()
    assert definitions(message_format)[0]


def test_the_anthropic_form_has_its_three_keys() -> None:
    assert [list(d) for d in definitions("anthropic")] == [
        ["name", "description", "input_schema"] for _ in TOOL_NAMES
    ]


def test_the_chat_form_wraps_a_function() -> None:
    first = definitions("openai_chat")[0]
    function = cast(dict[str, object], first["function"])
    assert first["type"] == "function"
    assert list(function) == ["name", "description", "parameters"]


def test_the_responses_form_is_flat() -> None:
    assert [list(d) for d in definitions("openai_responses")] == [
        ["type", "name", "description", "parameters"] for _ in TOOL_NAMES
    ]


def test_the_gemini_form_is_one_tool_of_all_declarations() -> None:
    (tool,) = definitions("gemini")
    declared = cast(list[dict[str, object]], tool["functionDeclarations"])
    assert [one["name"] for one in declared] == list(TOOL_NAMES)
    assert "additionalProperties" not in json.dumps(declared)


@pytest.mark.parametrize("message_format", FORMATS)
@pytest.mark.parametrize("key", ["title", "default", "null", "$defs"])
def test_a_schema_has_nothing_but_what_the_model_needs(message_format: str, key: str) -> None:
    assert f'"{key}"' not in json.dumps(definitions(message_format))


@pytest.mark.parametrize(
    "says",
    [
        "desk",
        "stamping a paper as done does not throw it away",
        "not whether you have read",
        "whether the next steps need it",
        "§12§",
        "stays fully visible until the prompt cache is rebuilt anyway",
        "ctx_expand(tag=12)",
        "never urgent",
    ],
)
def test_the_description_of_ctx_reduce_tells_all_that_the_model_must_know(says: str) -> None:
    assert says in told("ctx_reduce")


@pytest.mark.parametrize("word", ["must", "immediately", "critical", "important", "warning", "!"])
def test_nothing_that_the_model_reads_is_urgent(word: str) -> None:
    texts = [GUIDANCE, *map(told, TOOL_NAMES)]
    assert not any(word in text.lower() for text in texts)
