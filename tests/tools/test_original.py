"""Facts about originals: complete, byte-exact, and joined from their pieces without a seam."""

import json
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from silcrow.hooks.tags import PartKey, Tag, TagKind
from silcrow.tools.original import cut_piece, render_original, write_document

TEXT = Tag(
    number=12,
    key=PartKey("message", "m7", "", 0),
    kind=TagKind.MESSAGE,
    message_ordinal=7,
    first_pass=1,
    is_marked=True,
)
TOOL = replace(TEXT, kind=TagKind.TOOL, tool_name="grep")
JSON_TOOL = replace(TOOL, content_is_json=True)


def count(text: str) -> int:
    return -(-len(text) // 4)


def render(tag: Tag, text: str, *, budget: int = 10_000, offset: int = 0) -> str:
    return render_original(
        tag,
        arguments_text='{"pattern":"x"}',
        text=text,
        budget_tokens=budget,
        count=count,
        offset=offset,
    )


@pytest.mark.parametrize("text", ["", "one\n", "\r\n\t§9§ [dropped §9§]", "a\ud800b", "\x00é👍"])
def test_a_text_comes_whole_and_byte_exact(text: str) -> None:
    assert render(TEXT, text) == f"§12§ text, whole:\n{text}"


def test_a_tool_comes_with_name_arguments_and_output() -> None:
    assert render(TOOL, "a.py:1: x\n") == (
        '§12§ grep, whole:\ntool: grep\narguments: {"pattern":"x"}\noutput:\na.py:1: x\n'
    )


@pytest.mark.parametrize("length", [799, 800])
def test_what_fits_the_budget_exactly_is_whole(length: int) -> None:
    assert render(TEXT, "x" * length, budget=200).startswith("§12§ text, whole:")


def test_a_long_original_names_the_exact_call_that_continues() -> None:
    reply = render(TEXT, "x" * 4_000, budget=500)
    assert reply.startswith("§12§ text, characters 0 to 1900 of 4000:\n")
    assert reply.endswith("\n[continue with ctx_expand(tag=12, offset=1900)]")


def test_the_calls_that_continue_give_the_whole_original() -> None:
    text = "".join(f"line {number}: é👍\n" for number in range(900))
    found, offset = "", 0
    while True:
        reply = render(TOOL, text, budget=300, offset=offset)
        found += reply.split("\n", 1)[1].rsplit("\n", 1)[0]
        call = re.search(r"offset=(\d+)\)\]$", reply)
        if call is None:
            break
        offset = int(call[1])
    assert found == write_document(TOOL, arguments_text='{"pattern":"x"}', text=text)
    assert found.endswith(text)


@given(st.text(), st.integers(-5, 40))
def test_pieces_join_to_the_document_whatever_the_budget(document: str, budget: int) -> None:
    offset, found = 0, ""
    while offset < len(document):
        piece = cut_piece(document, offset=offset, budget_tokens=budget, count=count)
        assert piece and (len(piece) == 1 or count(piece) <= budget)
        found += piece
        offset += len(piece)
    assert found == document


@pytest.mark.parametrize("budget", [-10, 0, 1])
def test_a_full_window_still_shows_a_piece(budget: int) -> None:
    assert "characters 0 to 760 of 9000" in render(TEXT, "x" * 9_000, budget=budget)


@pytest.mark.parametrize("offset", [4, 5, 10**30])
def test_an_offset_behind_the_end_says_so(offset: int) -> None:
    assert render(TEXT, "four", offset=offset).startswith("§12§ text ends at character 4;")


@pytest.mark.parametrize(
    ("content", "shown"),
    [
        ([{"type": "text", "text": 'say "é"\n'}, {"type": "text", "text": "b"}], 'say "é"\n\nb'),
        ([{"type": "image", "source": {"type": "base64", "data": "A" * 9_000}}], "[image: seen"),
        ([{"type": "image_url", "image_url": {"url": "https://a/b.png"}}], "https://a/b.png"),
        ([{"type": "document", "source": {"type": "text", "data": "d" * 900}}], "d" * 900),
        ([{"type": "other", "value": 1}], '{"type":"other","value":1}'),
        ({"type": "image", "source": {"data": "A" * 9_000}}, "ctx_restore(tag=12)"),
        ([], "output:\n"),
        ([None, 3, "x"], 'null\n3\n"x"'),
    ],
)
def test_a_list_of_blocks_is_shown_as_a_reader_would_have_it(content: object, shown: str) -> None:
    reply = render(JSON_TOOL, json.dumps(content))
    assert shown in reply and "AAAA" not in reply


def test_a_source_that_is_no_json_after_all_is_shown_as_it_is() -> None:
    assert render(JSON_TOOL, "[half").endswith("output:\n[half")


def test_a_picture_of_gemini_s_is_shown_by_name() -> None:
    part = {"inlineData": {"mimeType": "image/png", "data": "x" * 1_000}}
    document = write_document(
        JSON_TOOL, arguments_text="{}", text=json.dumps([{"output": "See below."}, [part]])
    )
    assert document.endswith(
        '{"output":"See below."}\n'
        "[inlineData: seen only in its place, ctx_restore(tag=12) brings it back]"
    )
