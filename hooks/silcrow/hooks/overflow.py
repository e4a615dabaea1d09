"""Reads what a provider says when it refuses a request as too large."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

MOST_CHARACTERS = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Overflow:
    """A request was larger than the model takes. Sizes in tokens, None where the text names none.

    `limit` is the context window, answer included, where `covers_answer`; else it is the largest
    prompt. `prompt_tokens` is the provider's own count of the refused prompt; a rounded one
    ("about") is left out.
    """

    limit: int | None = None
    covers_answer: bool = True
    prompt_tokens: int | None = None


def read_overflow(error_text: str) -> Overflow | None:
    """What an error says about the size of the request; None if it is about something else.

    Reads the message alone as well as a body in JSON, escaped any number of times. What could
    mean something else, such as a rate limit, is no overflow. Pure; must not raise.
    """
    text = make_plain(error_text)
    if _OTHER_TROUBLE.search(text):
        return None
    for form in _FORMS:
        found = form.pattern.search(text)
        if found is not None:
            named = found.groupdict()
            limit = _number(named.get("limit"))
            overflow = Overflow(
                limit=limit,
                covers_answer=form.covers_answer,
                prompt_tokens=_number(named.get("prompt")) or _find_prompt(text),
            )
            return None if _is_fault_of_the_answer(text, overflow) else overflow
    return None


def is_unexplained_refusal(error_text: str) -> bool:
    """Whether a provider refused the request with status 400 or 413 and gave no reason at all.

    Beside a request that nearly fills the window this is an overflow, alone it is anything.
    """
    text = make_plain(error_text)
    words = set(re.findall(r"[a-z_]+|\d+", text))
    has_cause = bool(words & {"400", "413", "invalid_request_error", "bad"})
    return has_cause and words <= _WORDS_WITHOUT_REASON


_WORDS_WITHOUT_REASON = frozenset(
    "400 413 a an and api apierror apistatuserror bad badrequesterror body by client code empty"
    " error errors exception failed false for http httperror in invalid invalid_request"
    " invalid_request_error is invalidrequesterror message msg no none null of or param provider"
    " request requests response returned server status status_code the true type unknown with"
    " was from rejected upstream".split()
)

# Numbers of any spelling are made plain before a form is looked for.
_N = r"(?:\d+)"
_LIMIT = rf"(?P<limit>{_N})"
_PROMPT = rf"(?P<prompt>{_N})"

# Said of speed, money, answers and pictures; some of it in words that an overflow uses as well.
_OTHER_TROUBLE = re.compile(
    r"rate.?limit|too many requests|tokens?.per.(?:min|day|hour|second)|requests?.per.(?:min|day)"
    r"|\b[tr]p[mdh]\b|quota|resource.?exhausted|throttl|billing|credits?\b|insufficient.?balance"
    r"|(?:status|code|error|http)\W{0,12}429\b|^\W*429\b|wait before trying|try again in \d"
    r"|\bcharacters?\b|\bpixels?\b|\bimages? (?:size|dimension|exceeds)|overloaded"
)


@dataclass(frozen=True, slots=True)
class _Form:
    """One way to say it. `covers_answer`: the limit named is for prompt and answer together."""

    pattern: re.Pattern[str]
    covers_answer: bool


def _forms(patterns: Sequence[str], *, covers_answer: bool) -> list[_Form]:
    return [_Form(re.compile(pattern), covers_answer) for pattern in patterns]


# The limit of a prompt: the words are about the input alone.
_OF_THE_PROMPT = (
    # Gemini, Vertex
    rf"input token count (?:of |is )?\(?{_PROMPT}\)? (?:exceeds the maximum number of tokens"
    rf" allowed|but (?:the )?model only supports up to) \(?{_LIMIT}",
    # OpenAI
    rf"input tokens exceed the configured limit of {_LIMIT} tokens",
    # GitHub Copilot
    rf"prompt token count of {_PROMPT} exceeds the limit of {_LIMIT}",
    # xAI
    rf"maximum prompt length is {_LIMIT}",
    # Poolside, SGLang
    rf"input length \(?{_PROMPT}(?: tokens)?\)? exceeds the maximum allowed (?:input )?length"
    rf"(?: of)? \(?{_LIMIT}",
    # Alibaba
    rf"range of input length should be \[\d+, ?{_LIMIT}\]",
    # Cohere
    rf"total number of tokens in the prompt cannot exceed {_LIMIT} - received {_PROMPT}",
    # Text Generation Inference
    rf"inputs must have less than {_LIMIT} tokens\. given: {_PROMPT}",
)

# The limit of prompt and answer together: the words are about the context. Anthropic names the
# whole window as maximum of the prompt, and refuses earlier where the answer would not fit.
_OF_THE_CONTEXT = (
    # Anthropic, on every platform
    rf"prompt is too long: {_PROMPT} tokens ?> ?{_LIMIT}",
    rf"exceed context limit: {_PROMPT} ?\+ ?{_N} ?> ?{_LIMIT}",
    # Fireworks
    rf"prompt is too long: {_PROMPT}, model maximum context length: {_LIMIT}",
    # OpenAI, Azure, DeepSeek, OpenRouter, vLLM, SGLang and all that follow them
    rf"maximum (?:context|sequence) (?:length|limit|window|size)(?: is| of|:) {_LIMIT}",
    # Mistral
    rf"prompt contains {_PROMPT} tokens.{{0,60}}too large for model with {_LIMIT} maximum context",
    # Together
    rf"input \({_PROMPT} tokens\) is longer than the models context length \({_LIMIT}",
    rf"longer than the models context length(?: of|:| is)? \(?{_LIMIT}",
    # vLLM
    rf"prompt \((?:total )?length {_PROMPT}\) is (?:longer than the maximum model length of"
    rf"|too long to fit into the model \(context length) {_LIMIT}",
    # Moonshot
    rf"exceeded model token limit: {_LIMIT} \(requested: {_PROMPT}",
    # llama.cpp and its bindings
    rf"request \({_PROMPT} tokens\) exceeds the available context size \({_LIMIT} tokens",
    rf"n_prompt_tokens: ?{_PROMPT}, ?n_ctx: ?{_LIMIT}",
    rf"requested tokens \({_PROMPT}\) exceed context window of {_LIMIT}",
    rf"prompt has {_PROMPT} tokens, but the configured context size is {_LIMIT}",
    # LM Studio
    rf"greater than the context length \(n_keep: ?{_N} ?>=? ?n_ctx: ?{_LIMIT}",
    rf"(?:loaded with|models) context length (?:of|is) only {_LIMIT}",
    # Cloudflare
    rf"input and maximum output tokens \({_N}\) exceeded this models? context window limit"
    rf" \({_LIMIT}",
    # Text Generation Inference
    rf"inputs tokens \+ max_new_tokens must be <= {_LIMIT}\. given: {_PROMPT} inputs",
    rf"context (?:window|length|limit|size) of {_LIMIT} tokens (?:was |is |has been )?exceeded",
    rf"exceeds? (?:the |this |its )?(?:models )?context (?:window|length|limit|size) of {_LIMIT}",
)

_WITHOUT_NUMBERS = (
    r"context[_ ](?:length|window|limit)[_ ]exceeded|contextwindowexceedederror",
    r"exceed_context_size|exceeds the available context size",
    r"exceeds? (?:the |this |its )?(?:models )?(?:maximum )?context (?:window|length|limit|size)",
    r"exceeded (?:the )?(?:max(?:imum)? )?context (?:window|length|limit|size)",
    r"context (?:window|length|size) exceeds? (?:the )?limit",
    r"greater than the context length|longer than the models context length",
    r"requested token count exceeds",
    r"(?:prompt|input) is too long(?: for (?:the )?(?:requested )?model)?",
    r"too many total text bytes",
    r"number of input tokens exceeds (?:the )?maximum length",
    r"prompt exceeds (?:the )?max(?:imum)? length",
    r"input token count exceeds the maximum",
    r"reduce the length of the (?:messages|input|prompt)",
)

_FORMS = (
    *_forms(_OF_THE_PROMPT, covers_answer=False),
    *_forms(_OF_THE_CONTEXT, covers_answer=True),
    *_forms(_WITHOUT_NUMBERS, covers_answer=True),
)

# Where the prompt's own size stands in a text that names its limit elsewhere.
_PROMPT_SIZES = (
    re.compile(rf"messages resulted in {_PROMPT} tokens"),
    re.compile(rf"(?:request|prompt) (?:has|contains) {_PROMPT} (?:input )?tokens"),
    re.compile(rf"{_PROMPT} (?:tokens )?from the input messages"),
)
_TOTAL = re.compile(rf"requested (?:a total of )?({_N}) tokens")
_ANSWER = re.compile(rf"({_N}) (?:tokens )?(?:in|for) the completion")
_ANSWER_TOO_LARGE = re.compile(r"(?:max_tokens|max_completion_tokens)\W* is too large")


def _find_prompt(text: str) -> int | None:
    for size in _PROMPT_SIZES:
        found = size.search(text)
        if found is not None:
            return int(found["prompt"])
    total, answer = _TOTAL.search(text), _ANSWER.search(text)
    if total is None or answer is None:
        return None
    # Text, tools and functions are listed apart: all but the answer is the prompt.
    return max(0, int(total[1]) - int(answer[1])) or None


def _is_fault_of_the_answer(text: str, overflow: Overflow) -> bool:
    """Whether the answer that was asked for is too large, beside a prompt of moderate size."""
    if not _ANSWER_TOO_LARGE.search(text):
        return False
    limit, prompt = overflow.limit, overflow.prompt_tokens
    return limit is None or prompt is None or 2 * prompt < limit


def _number(text: str | None) -> int | None:
    return int(text) if text else None


_ESCAPED_CHARACTER = re.compile(r"\\+u([0-9a-f]{4})")
_ESCAPED_SPACE = re.compile(r"\\+[nrt]")
_QUOTES = re.compile("[\\\\'\"`\u2018\u2019\u201c\u201d*]")
_SEPARATORS = re.compile(r"(?<=\d)[,_\u2009\u202f](?=\d{3}(?!\d))")
_THOUSANDS = re.compile(r"\b(\d{1,5})k\b")


def make_plain(error_text: str) -> str:
    """Lower case, one space at a time, without quotes and escapes, and numbers as digits only."""
    text = error_text[:MOST_CHARACTERS].lower()
    text = _ESCAPED_CHARACTER.sub(lambda found: chr(int(found[1], 16)), text)
    text = _ESCAPED_SPACE.sub(" ", text).replace("&gt;", ">").replace("&lt;", "<")
    text = " ".join(_QUOTES.sub("", text).split())
    text = _SEPARATORS.sub("", text)
    return _THOUSANDS.sub(lambda found: found[1] + "000", text)
