"""Facts about answers that begin with copied markers."""

from pydantic_ai.messages import ModelResponse, TextPart, ThinkingPart, ToolCallPart

from silcrow.hosts.pydantic_ai.answers import clean_answer


def test_leading_markers_come_off_and_the_rest_is_kept() -> None:
    call = ToolCallPart("look", {}, "c1")
    answer = ModelResponse([TextPart("§1§ §2§ Hello.", provider_details={"d": 1}), call])
    cleaned = clean_answer(answer)
    assert cleaned.parts[0] == TextPart("Hello.", provider_details={"d": 1})
    assert cleaned.parts[1] is call
    assert answer.parts[0] == TextPart("§1§ §2§ Hello.", provider_details={"d": 1})


def test_an_answer_without_markers_is_the_very_same() -> None:
    answer = ModelResponse([TextPart("See §12§ above."), TextPart("§ 823 says so.")])
    assert clean_answer(answer) is answer


def test_a_text_is_never_left_empty() -> None:
    answer = ModelResponse([TextPart("§1§ ")])
    assert clean_answer(answer) is answer


def test_an_answer_with_reasoning_goes_back_as_it_came() -> None:
    answer = ModelResponse([ThinkingPart("hm"), TextPart("§1§ Hello.")])
    assert clean_answer(answer) is answer


def test_an_answer_that_the_provider_stores_stays_as_it_is_there() -> None:
    answer = ModelResponse([TextPart("§1§ Hello.", id="msg_1", provider_name="openai")])
    assert clean_answer(answer) is answer
