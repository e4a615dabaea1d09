"""All rules, in the order in which they are asked. A new rule is one file and one line here.

`bound_reasoning` is a rule of another kind: it withdraws nothing, but says what has to go with a
change, and so `landing` asks it before there is a request to look at.
"""

from collections.abc import Iterator

from silcrow.hooks.rules.first_message import FirstMessage
from silcrow.hooks.rules.last_message import LastMessage
from silcrow.hooks.rules.nothing_empty import NothingEmpty
from silcrow.hooks.rules.pairing import Pairing
from silcrow.hooks.rules.parallel_groups import ParallelGroups
from silcrow.hooks.rules.rule import Rule, SentRequest, Violation
from silcrow.hooks.rules.unique_ids import UniqueIds

RULES: tuple[Rule, ...] = (
    Pairing(),
    ParallelGroups(),
    LastMessage(),
    FirstMessage(),
    NothingEmpty(),
    UniqueIds(),
)


def find_violations(request: SentRequest) -> Iterator[Violation]:
    """Everything in a request that a provider would refuse."""
    for rule in RULES:
        yield from rule.violations(request)
