"""Whether what is had back is what was said."""

import json

from law.values import as_object, canonical
from silcrow.session.originals import Original


def is_original_of(root: str, original: Original) -> bool:
    """Whether an original is what a piece's `root` names: a text, or what a call gave back."""
    if not root.startswith("result "):
        return original.text == root
    given = json.loads(root.split(" ", 2)[2])
    said = json.loads(original.text) if original.is_json else original.text
    if canonical(said) == canonical(given):
        return True
    # Of an object that holds nothing but a text, as Gemini has it, that text is the original.
    return not original.is_json and list(as_object(given).values()) == [said]
