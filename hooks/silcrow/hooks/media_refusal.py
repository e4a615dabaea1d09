"""Reads what a provider says when it refuses a request for its pictures or its bytes."""

import re

from silcrow.hooks.overflow import make_plain
from silcrow.hooks.state import MediaLimit


def read_media_refusal(error_text: str) -> MediaLimit | None:
    """Whether an error is about bytes or media that earlier requests may not have had; None if it
    is about anything else. Pure; must not raise."""
    text = make_plain(error_text)
    if _OTHER_TROUBLE.search(text):
        return None
    for limit, form in _FORMS.items():
        if form.search(text):
            return limit
    return None


# Texts that are too long are of another kind, and a slower pace brings other requests through.
_OTHER_TROUBLE = re.compile(r"rate.?limit|too many requests|quota|string too long|per.(?:min|day)")

_FORMS = {
    MediaLimit.PICTURE: re.compile(
        # Anthropic, Bedrock
        r"\bimage exceeds \d+ ?[mk]b maximum"
        r"|image dimensions? (?:exceed|are too large)|dimensions exceed max allowed size"
        # OpenAI, Gemini
        r"|image (?:size|file) (?:is )?(?:too large|exceeds)|image too large"
        r"|\bmaximum of \d+ pdf pages"
    ),
    MediaLimit.BODY: re.compile(
        # Anthropic, and every server and proxy that follows HTTP
        r"request_too_large|request exceeds the maximum (?:size|allowed number of bytes)"
        r"|(?:request|payload|content|request entity|request body|http body) (?:is )?too large"
        # Gemini, Vertex
        r"|request payload size exceeds the limit"
        # OpenAI, Anthropic, Mistral
        r"|total (?:image|file)s? size exceeds|too many (?:images|documents|media)"
        r"|(?:at most|maximum of|up to) \d+ images"
    ),
}
