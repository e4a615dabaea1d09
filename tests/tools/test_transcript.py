"""Facts about transcripts: readable, within the budget, and continued where they stop."""

import re

from silcrow.hooks.tags import TagStatus
from silcrow.tools.transcript import Speaker, TranscriptEntry, render_transcript


def count(text: str) -> int:
    return -(-len(text) // 4)


ENTRIES = (
    TranscriptEntry(ordinal=1, speaker=Speaker.USER, text="Fix the test.", number=1),
    TranscriptEntry(ordinal=2, speaker=Speaker.ASSISTANT, text="I look for it."),
    TranscriptEntry(
        ordinal=3,
        speaker=Speaker.TOOL,
        text='grep({"pattern":"x"})',
        number=42,
        status=TagStatus.DROPPED,
    ),
    TranscriptEntry(ordinal=4, speaker=Speaker.ASSISTANT, text="Done."),
)
LONG = tuple(
    TranscriptEntry(ordinal=n, speaker=Speaker.ASSISTANT, text=f"step {n} " + "word " * 40)
    for n in range(1, 61)
)


def test_a_transcript_names_speakers_tags_and_what_is_dropped() -> None:
    assert render_transcript(ENTRIES, count=count, start=1, end=None) == (
        "[1] U: Fix the test. §1§\n"
        "[2] A: I look for it.\n"
        '[3] T: grep({"pattern":"x"}) §42§ dropped\n'
        "[4] A: Done."
    )


def test_only_the_messages_asked_for_are_shown() -> None:
    assert render_transcript(ENTRIES, count=count, start=2, end=2) == "[2] A: I look for it."


def test_an_empty_stretch_says_so() -> None:
    text = render_transcript(ENTRIES, count=count, start=7, end=9)
    assert text == "There is nothing to show of messages 7 to 9."


def test_a_transcript_stays_within_its_budget() -> None:
    text = render_transcript(LONG, budget_tokens=300, count=count, start=1, end=60)
    assert count(text) <= 300


def test_a_capped_transcript_names_the_call_that_continues() -> None:
    text = render_transcript(LONG, budget_tokens=300, count=count, start=1, end=60)
    last_shown = int(re.findall(r"^\[(\d+)\] A", text, re.MULTILINE)[-1])
    assert text.endswith(f"[continue with ctx_expand(start={last_shown + 1}, end=60)]")


def test_following_the_calls_shows_every_message_once() -> None:
    seen: list[str] = []
    start = 1
    while start:
        text = render_transcript(LONG, budget_tokens=300, count=count, start=start, end=60)
        seen += re.findall(r"^\[(\d+)\] A", text, re.MULTILINE)
        call = re.search(r"start=(\d+), end=60\)\]$", text)
        start = int(call[1]) if call else 0
    assert seen == [str(number) for number in range(1, 61)]


def test_a_message_larger_than_the_budget_is_shortened_and_the_next_call_gets_on() -> None:
    huge = TranscriptEntry(ordinal=1, speaker=Speaker.USER, text="x" * 90_000, number=1)
    text = render_transcript((huge, *ENTRIES[1:]), budget_tokens=300, count=count, start=1, end=4)
    assert "x… (shortened) §1§\n" in text and count(text) <= 300
    assert text.endswith("[continue with ctx_expand(start=2, end=4)]")


def test_the_parts_of_one_message_are_never_parted() -> None:
    twice = [
        TranscriptEntry(ordinal=n, speaker=Speaker.TOOL, text=f"{name}(" + "y" * 300 + ")")
        for n in (1, 2, 3)
        for name in ("first", "second")
    ]
    text = render_transcript(twice, budget_tokens=300, count=count, start=1, end=3)
    assert text.count("first(") == text.count("second(") == 1
