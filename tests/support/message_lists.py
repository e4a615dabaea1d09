"""Strategies for whole message lists, tidy and untidy, in every format."""

from typing import Any

from hypothesis import strategies as st

from silcrow.hooks.shapes import MessageFormat
from support.messages import (
    ANTHROPIC,
    CHAT,
    GEMINI,
    RESPONSES,
    Native,
    assistant,
    call,
    chat_assistant,
    chat_call,
    chat_image,
    chat_result,
    contents,
    image,
    item_call,
    item_image,
    item_output,
    item_reasoning,
    part_call,
    part_image,
    part_response,
    result,
    text,
    thinking,
    user,
)

WORDS = st.sampled_from(["", " ", "hello", "§1§ ", "§1§ hello", "a\ud800\0"])
CALL_IDS = st.sampled_from(["a", "b", "c"])
RESULTS = st.one_of(WORDS, st.lists(st.one_of(WORDS.map(text), st.builds(image)), max_size=2))

USERS_TEXT = st.one_of(WORDS.map(user), st.builds(image).map(user))
USERS = st.lists(
    st.one_of(WORDS, st.builds(image), st.builds(result, CALL_IDS, RESULTS)), max_size=4
).map(lambda content: user(*content))
ASSISTANTS = st.lists(
    st.one_of(WORDS, st.builds(thinking), st.builds(call, CALL_IDS)), max_size=4
).map(lambda content: assistant(*content))
LISTS = st.lists(USERS | ASSISTANTS, max_size=9)
"""Calls without results, results without calls, ids that recur: whatever a host may send."""

TURNS = st.lists(CALL_IDS, min_size=1, max_size=3).flatmap(
    lambda ids: st.permutations(ids).map(
        lambda answered: [assistant(*map(call, ids)), user(*map(result, answered))]
    )
)
WHOLE_LISTS = st.lists(TURNS | st.lists(USERS_TEXT, max_size=1), max_size=5).map(
    lambda turns: [message for turn in turns for message in turn]
)
"""Every call is answered, in any order: then no result can change its owner."""

CHAT_CONTENTS = st.one_of(
    WORDS, st.lists(st.one_of(WORDS.map(text), st.builds(chat_image)), max_size=2)
)
CHAT_MESSAGES = st.one_of(
    st.builds(chat_result, CALL_IDS, CHAT_CONTENTS),
    st.builds(chat_assistant, st.none() | CHAT_CONTENTS, st.builds(chat_call, CALL_IDS)),
    CHAT_CONTENTS.map(lambda content: {"role": "user", "content": content}),
)
CHAT_LISTS = st.lists(CHAT_MESSAGES, max_size=12)

ITEM_CONTENTS: st.SearchStrategy[Any] = st.one_of(
    WORDS,
    st.lists(
        WORDS.map(lambda words: {"type": "input_text", "text": words}) | st.builds(item_image),
        max_size=2,
    ),
)
ITEMS: st.SearchStrategy[Native] = st.one_of(
    st.builds(item_call, CALL_IDS),
    st.builds(item_output, CALL_IDS, ITEM_CONTENTS),
    st.builds(item_reasoning, WORDS),
    st.fixed_dictionaries(
        {"role": st.sampled_from(["user", "assistant"]), "content": ITEM_CONTENTS}
    ),
    st.just({"type": "web_search_call", "id": "w"}),
)
ITEM_LISTS = st.lists(ITEMS, max_size=12)

NAMES = st.sampled_from(["a", "b"])
RESPONSE_OBJECTS: st.SearchStrategy[Any] = st.dictionaries(
    st.sampled_from(["output", "error", "x"]), WORDS, max_size=2
)
PARTS: st.SearchStrategy[str | Native] = st.one_of(
    WORDS,
    WORDS.map(lambda words: {"text": words, "thought": True}),
    WORDS.map(lambda words: {"text": words, "thoughtSignature": "c2ln"}),
    st.builds(part_image),
    st.builds(part_call, NAMES, st.just("") | CALL_IDS),
    st.builds(part_response, RESPONSE_OBJECTS, NAMES, st.just("") | CALL_IDS),
)
CONTENT_LISTS = st.lists(
    st.tuples(st.sampled_from(["user", "model"]), st.lists(PARTS, max_size=4)).map(
        lambda drawn: contents(drawn[0], *drawn[1])
    ),
    max_size=9,
)

FORMED_LISTS: st.SearchStrategy[tuple[MessageFormat, list[Native]]] = st.one_of(
    LISTS.map(lambda natives: (ANTHROPIC, natives)),
    CHAT_LISTS.map(lambda natives: (CHAT, natives)),
    ITEM_LISTS.map(lambda natives: (RESPONSES, natives)),
    CONTENT_LISTS.map(lambda natives: (GEMINI, natives)),
)
"""A format and a list in it."""
