"""Why a queued drop waits, and until when, in words."""

from collections.abc import Mapping

from silcrow.hooks.protection import HoldCause

UNTIL: Mapping[HoldCause, str] = {
    HoldCause.NOT_STORED: "for as long as that is so",
    HoldCause.OPEN_CALL: "until that result has come",
    HoldCause.OPEN_STEP: "until the step is done",
    HoldCause.LAST_MESSAGE: "until something follows it",
    HoldCause.NEWEST_USER_MESSAGE: "until the user writes again",
    HoldCause.NOT_DELIVERED: "until it has been answered",
    HoldCause.PINNED: "until the user unpins it",
    HoldCause.PROTECTED_TOOL: "until newer results of that tool stand behind it",
    HoldCause.PROTECTED_FILE: "for as long as the settings name it",
    HoldCause.WINDOW: "until newer work has pushed it out",
    HoldCause.USER_TEXT: "until it is dropped by number",
    HoldCause.USER_ANSWER: "until it is dropped by number",
    HoldCause.RECALLED: "for 20 calls from then on",
    HoldCause.RULE: "until the messages around it allow it",
    HoldCause.NOT_IN_LIST: "until the host sends it again",
    HoldCause.OUT_OF_SCOPE: "until a permit reaches that far",
    HoldCause.REASONING_BOUND: "until the reasoning behind it may go as well",
}


def describe_hold(cause: HoldCause) -> str:
    """Why a part is held and until when: one clause, the same words wherever it is shown."""
    return f"{cause}, {UNTIL[cause]}"
