"""From proposals to one landing: modes, bound reasoning, rules, and the wire that results."""

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace

from silcrow.hooks.identity import TaggedList
from silcrow.hooks.lanes.lane import Lane, LaneView
from silcrow.hooks.modes import changed_unit, decide_mode, settle_runs
from silcrow.hooks.parts import Part, PartList
from silcrow.hooks.protection import HoldCause
from silcrow.hooks.render import Decisions, Renderer
from silcrow.hooks.rules.bound_reasoning import BoundReasoning
from silcrow.hooks.rules.order import find_violations
from silcrow.hooks.rules.rule import Violation, view_stretches
from silcrow.hooks.runs import reasoning_of_runs
from silcrow.hooks.shapes import CallBond
from silcrow.hooks.tags import DropMode, LaneName, PartKey, Tag, TagStatus
from silcrow.hooks.wire import Wire, first_difference

MOST_WITHDRAWALS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """What a pass has settled before anything lands. `opening` is the first unit that a lane may
    change, `given_changes` are units that change anyway; `restored` are parts that return;
    `bound` None: the model does not bind reasoning."""

    renderer: Renderer
    tagged: TaggedList
    parts: PartList
    replay: Wire
    decisions: Decisions
    pass_number: int
    bound: BoundReasoning | None
    can_remove_calls: bool
    opening: int = 0
    head_units: int = 0
    given_changes: tuple[int, ...] = ()
    restored: Mapping[int, Tag] = field(default_factory=dict[int, Tag])
    toggles_markers: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Landing:
    """What changes on this pass.

    `changed` are the messages that were rendered anew, `first_unit` is the leftmost unit that we
    change ourselves, `restored_reasoning` what returns with calls that it is tied to,
    `reasoning_tokens` what each part of `reasoning` has cost.
    """

    wire: Wire
    changed: frozenset[int]
    drops: Mapping[int, Tag]
    restored: Mapping[int, Tag]
    reasoning: Mapping[PartKey, LaneName]
    restored_reasoning: frozenset[PartKey]
    reasoning_tokens: Mapping[PartKey, int]
    first_unit: int | None
    freed_tokens: int
    reasoning_lost: int
    drops_in_place: bool
    withdrawn: tuple[Violation, ...] = ()
    withheld: Mapping[int, HoldCause] = field(default_factory=dict[int, HoldCause])

    @property
    def is_empty(self) -> bool:
        return not self.drops and not self.reasoning and not self.restored


@dataclass(slots=True)
class _Chosen:
    """Proposals that have been accepted so far, by number, and reasoning by key."""

    parts: dict[int, Part] = field(default_factory=dict[int, Part])
    lanes: dict[int, LaneName] = field(default_factory=dict[int, LaneName])
    modes: dict[int, DropMode] = field(default_factory=dict[int, DropMode])
    reasoning: dict[PartKey, LaneName] = field(default_factory=dict[PartKey, LaneName])

    def withdraw(self, numbers: Iterable[int]) -> bool:
        """Take decisions back; true if there was one."""
        found = [number for number in numbers if number in self.parts]
        for number in found:
            del self.parts[number], self.lanes[number]
            self.modes.pop(number, None)
        return bool(found)


def compose_landing(stage: Stage, view: LaneView, lanes: Iterable[Lane]) -> Landing:
    """Ask every lane, decide how each part leaves, and withdraw what a rule forbids. Pure."""
    chosen = _ask_lanes(view, lanes)
    withheld = _withhold_bound(chosen, stage.bound)
    withdrawn: list[Violation] = []
    for _ in range(MOST_WITHDRAWALS):
        landing = _land(stage, chosen)
        broken = _broken_by(stage, landing)
        withdrawn.extend(broken)
        numbers = {number for violation in broken for number in violation.numbers}
        if not chosen.withdraw(numbers):
            return replace(landing, withdrawn=tuple(withdrawn), withheld=withheld)
    return replace(_land(stage, _Chosen()), withdrawn=tuple(withdrawn), withheld=withheld)


def _ask_lanes(view: LaneView, lanes: Iterable[Lane]) -> _Chosen:
    chosen = _Chosen()
    for lane in lanes:
        seen = replace(view, gone_reasoning=frozenset(chosen.reasoning))
        for proposal in list(lane(seen, dict(chosen.parts))):
            if proposal.reasoning is not None:
                chosen.reasoning.setdefault(proposal.reasoning, proposal.lane)
            if proposal.number is None:
                continue
            chosen.parts[proposal.number] = view.parts.parts[proposal.number]
            chosen.lanes.setdefault(proposal.number, proposal.lane)
            if proposal.mode is not None:
                chosen.modes[proposal.number] = proposal.mode
    return chosen


def _withhold_bound(chosen: _Chosen, bound: BoundReasoning | None) -> dict[int, HoldCause]:
    """Nothing lands before reasoning that has to come back unchanged."""
    if bound is None:
        return {}
    earliest = bound.earliest_landing()
    held = [number for number, part in chosen.parts.items() if part.unit < earliest]
    chosen.withdraw(held)
    units = bound.parts.reasoning_units
    for key in [key for key in chosen.reasoning if units[key] < earliest]:
        del chosen.reasoning[key]
    return dict.fromkeys(held, HoldCause.REASONING_BOUND)


def _land(stage: Stage, chosen: _Chosen) -> Landing:
    settled = settle_runs(
        stage.parts, _decide_modes(stage, chosen), chosen.reasoning, stage.opening
    )
    modes = settled.modes
    units = stage.parts.reasoning_units
    own = [changed_unit(chosen.parts[number], mode) for number, mode in modes.items()]
    own += [units[key] for key in settled.reasoning]
    # What a lane takes on the same pass does not return: the last resort takes whole steps.
    restored = {n: tag for n, tag in stage.restored.items() if n not in chosen.parts}
    own += [stage.parts.parts[n].unit for n in restored if n in stage.parts.parts]
    changes = _all_changes(stage, own)
    reasoning = dict(settled.reasoning)
    for key in _invalidated(stage, changes):
        reasoning.setdefault(key, LaneName.REASONING)
    returning = _returning_reasoning(stage, restored)
    drops = {
        number: replace(
            chosen.parts[number].tag,
            status=TagStatus.DROPPED,
            mode=mode,
            lane=chosen.lanes[number],
            decided_pass=stage.pass_number,
        )
        for number, mode in modes.items()
    }
    wire, changed = _render(stage, drops, reasoning, returning)
    bound = stage.bound
    ignored = bound.ignored_behind(min(changes)) if bound and changes else ()
    return Landing(
        wire=wire,
        changed=changed,
        drops=drops,
        restored=restored,
        reasoning=reasoning,
        restored_reasoning=returning,
        reasoning_tokens={key: stage.parts.reasoning_tokens[key] for key in reasoning},
        first_unit=_first_changed_by_us(stage, wire),
        freed_tokens=stage.replay.tokens - wire.tokens,
        reasoning_lost=_lost_tokens(stage, reasoning.keys() | set(ignored), chosen),
        drops_in_place=bool(
            bound is not None
            and bound.can_drop_in_place
            and changes
            and bound.needs_drop_in_place(min(changes))
        ),
    )


def _first_changed_by_us(stage: Stage, wire: Wire) -> int | None:
    """The leftmost unit that differs from the replay, by the final bytes."""
    changed = first_difference(stage.replay.digests, wire.digests)
    return None if changed is None else changed + stage.head_units


def _all_changes(stage: Stage, own: Iterable[int]) -> list[int]:
    """The units that change on this pass or, before bound reasoning, have changed already."""
    stale = stage.bound.stale_units() if stage.bound else []
    return [*own, *stage.given_changes, *stale]


def _invalidated(stage: Stage, changes: list[int]) -> tuple[PartKey, ...]:
    if stage.bound is None or not changes:
        return ()
    return stage.bound.invalid_behind(min(changes))


def _decide_modes(stage: Stage, chosen: _Chosen) -> dict[int, DropMode]:
    keeps: set[int] = set()
    if stage.parts.bond is CallBond.NONE:
        changes = _all_changes(stage, (part.unit for part in chosen.parts.values()))
        gone = {*chosen.reasoning, *_invalidated(stage, changes)}
        keeps = {place[0] for key, place, _ in stage.parts.reasoning if key not in gone}
    return {
        number: chosen.modes.get(number)
        or decide_mode(
            part,
            can_remove_calls=stage.can_remove_calls,
            is_anchored=part.place[0] in keeps,
        )
        for number, part in chosen.parts.items()
    }


def _returning_reasoning(stage: Stage, restored: Mapping[int, Tag]) -> frozenset[PartKey]:
    """The reasoning that left with calls that return: the provider refuses them without it."""
    find_tag = stage.decisions.find_tag
    absent = {number for number in restored if find_tag(number).mode is DropMode.ABSENT}
    found = reasoning_of_runs(stage.tagged, absent, stage.parts.bond)
    return found & stage.decisions.dropped_reasoning


def _render(
    stage: Stage,
    drops: Mapping[int, Tag],
    reasoning: Mapping[PartKey, LaneName],
    returning: frozenset[PartKey],
) -> tuple[Wire, frozenset[int]]:
    """The wire with these decisions, and the messages that were rendered anew."""
    find_known = stage.decisions.find_tag
    changed: set[int] = set()
    for number in (*drops, *stage.restored):
        part = stage.parts.parts.get(number)
        if part is not None:
            changed.update({part.place[0], *(index for index, _ in part.result_places)})
    changed.update(place[0] for key, place, _ in stage.parts.reasoning if key in reasoning)
    if returning:
        owners = {key.owner for key in returning}
        messages = enumerate(stage.tagged.messages)
        changed.update(index for index, message in messages if message.id in owners)
    if stage.toggles_markers:
        changed = set(range(len(stage.tagged.messages)))

    def find_tag(number: int) -> Tag:
        return drops.get(number) or stage.restored.get(number) or find_known(number)

    decisions = Decisions(
        find_tag=find_tag,
        dropped_reasoning=(stage.decisions.dropped_reasoning | reasoning.keys()) - returning,
        shows_markers=stage.decisions.shows_markers != stage.toggles_markers,
    )
    reused = len(stage.replay.messages)
    wire = stage.renderer.render_list(stage.tagged, decisions, stage.replay, reused, changed)
    return wire, frozenset(changed)


def _broken_by(stage: Stage, landing: Landing) -> list[Violation]:
    """The violations that one of our new decisions causes, and not the host's own list."""
    if not landing.drops:
        return []
    broken = [
        violation
        for violation in _violations_of(stage, landing.wire, landing.changed)
        if violation.numbers & landing.drops.keys()
    ]
    if not broken:
        return []
    replayed = _violations_of(stage, stage.replay, landing.changed)
    known = {(violation.rule, violation.text) for violation in replayed}
    return [violation for violation in broken if (violation.rule, violation.text) not in known]


def _violations_of(stage: Stage, wire: Wire, changed: AbstractSet[int]) -> list[Violation]:
    tagged = stage.tagged
    return [
        violation
        for stretch in view_stretches(wire, tagged.owners, tagged.messages, changed)
        for violation in find_violations(stretch)
    ]


def _lost_tokens(stage: Stage, gone: Iterable[PartKey], chosen: _Chosen) -> int:
    """The reasoning that goes because something else does; what its own lane takes is no loss."""
    tokens = stage.parts.reasoning_tokens
    taken = chosen.reasoning
    return sum(tokens[key] for key in gone if taken.get(key) is not LaneName.REASONING)
