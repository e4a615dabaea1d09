"""Which models bind their reasoning to everything before it."""

import re

# family -> first version that binds, as (major, minor); "and later" throughout
FIRST_BOUND: dict[str, tuple[int, int]] = {
    "fable": (5, 1),
    "mythos": (5, 1),
    "opus": (5, 5),
    "sonnet": (5, 5),
    "haiku": (5, 5),
}
# a version part has at most two digits; a longer number is the model's date
_NAME = re.compile(r"(fable|mythos|opus|sonnet|haiku)-(\d{1,2})(?!\d)(?:[-.](\d{1,2})(?!\d))?")


def binds_reasoning(model: str) -> bool:
    """Whether the provider checks the prefix of each reasoning part of this model."""
    found = _NAME.search(model)
    if found is None:
        return False
    return (int(found[2]), int(found[3] or 0)) >= FIRST_BOUND[found[1]]
