"""The permit of a pass, decided once, and what lands on it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from silcrow.hooks.landing import Landing, Stage, compose_landing
from silcrow.hooks.lanes.lane import LaneView
from silcrow.hooks.lanes.order import LANES
from silcrow.hooks.lanes.refused_media import propose_refused_media
from silcrow.hooks.parts import survey_parts
from silcrow.hooks.permit import Denial, Permit, Reason
from silcrow.hooks.protection import AUTOMATIC_ONLY, HoldCause, find_holds
from silcrow.hooks.request import Prepared
from silcrow.hooks.restoring import propose_restores
from silcrow.hooks.rules.bound_reasoning import BoundReasoning
from silcrow.hooks.state import OpKind
from silcrow.hooks.tags import LaneName, Tag

HEAD_CHANGES_TOLD = 3
CALLS_BETWEEN_HEAD_AGES = 20
_PRESSURE_LANES = frozenset({LaneName.EMERGENCY, LaneName.LAST_RESORT})


@dataclass(frozen=True, slots=True)
class Judgement:
    """A permit with its landing; `landing` None: nothing changes. `held` names queued drops that
    a hold keeps queued."""

    permit: Permit
    landing: Landing | None
    held: dict[int, HoldCause]


def judge_pass(prepared: Prepared) -> Judgement:
    """Find every reason that holds, ask the lanes, and grant or deny. Pure.

    First comes what is open anyway: from the unit on at which the prefix is lost, or at which a
    voluntary reason without a minimum begins. Pressure that would open more than that by itself
    has a minimum, counted on what it opens. A retry asks for nothing: it goes out as it went.
    """
    if prepared.is_retry:
        return Judgement(Permit(denial=Denial.RETRY), None, {})
    if not prepared.request.policy.acts:
        return Judgement(permit_without_landing(prepared, Denial.SWITCHED_OFF), None, {})
    if not prepared.may_need_permit:
        denial = Denial.EPISODE_SPENT if prepared.pressure.is_spent else Denial.NOT_ASKED
        return Judgement(Permit(denial=denial), None, {})
    bench = _Bench(prepared)
    firm = bench.firm_scopes()
    opening = min([*prepared.involuntary.values(), *firm.values()], default=None)
    landing = None if opening is None else bench.compose(opening, restores=True)
    denial = Denial.NOTHING_TO_LAND if Reason.FLUSH in firm else Denial.NOT_ASKED
    if prepared.pressure.presses and opening != 0:
        wider = bench.compose(0, restores=opening is not None)
        denial = _weigh_pressure(prepared, wider, landing, opening)
        if denial is Denial.NOT_ASKED:
            reasons = (*prepared.involuntary, *firm, Reason.PRESSURE)
            return bench.granted(reasons, wider)
    if landing is None:
        return Judgement(Permit(denial=denial), None, {})
    reasons = _standing_reasons(prepared, firm, landing)
    if reasons:
        return bench.granted(reasons, landing)
    if landing.withheld:
        denial = Denial.REASONING_BOUND
    return Judgement(Permit(denial=denial), None, bench.held_drops(landing))


def permit_without_landing(prepared: Prepared, denial: Denial) -> Permit:
    """A permit on which nothing of ours lands: for the prefix that is lost anyway, or none."""
    if not prepared.involuntary:
        return Permit(denial=denial)
    return Permit(tuple(prepared.involuntary), min(prepared.involuntary.values()))


def _weigh_pressure(
    prepared: Prepared, wider: Landing, open_anyway: Landing | None, opening: int | None
) -> Denial:
    """Whether pressure may open more of the prefix than is open anyway.

    Only for its minimum, counted on what lands there, unless the request would not fit at all.
    """
    if wider.first_unit is None:
        return Denial.REASONING_BOUND if wider.withheld else Denial.NOTHING_TO_LAND
    if opening is not None and wider.first_unit >= opening:
        return Denial.NOTHING_TO_LAND
    freed = wider.freed_tokens - (open_anyway.freed_tokens if open_anyway else 0)
    if prepared.pressure.refusals and freed <= 0:
        return Denial.NOTHING_TO_LAND  # each attempt has to shrink the request
    policy = prepared.request.policy
    is_enough = policy.scale(freed) >= policy.min_gain_tokens
    return Denial.NOT_ASKED if is_enough or prepared.pressure.over_limit else Denial.NOT_WORTH_IT


def _standing_reasons(
    prepared: Prepared, firm: Iterable[Reason], landing: Landing
) -> tuple[Reason, ...]:
    """The reasons that stand once it is known what lands beside them."""
    reasons = [*prepared.involuntary, *firm]
    if landing.first_unit is None:  # these two are for what lands
        reasons = [one for one in reasons if one not in (Reason.FLUSH, Reason.LEGALITY)]
    if any(tag.lane in _PRESSURE_LANES for tag in landing.drops.values()):
        reasons.append(Reason.PRESSURE)
    return tuple(reasons)


class _Bench:
    """The list of one pass as lanes see it, surveyed once, and what is granted on it."""

    def __init__(self, prepared: Prepared) -> None:
        request = prepared.request
        self._prepared = prepared
        self._parts = survey_parts(
            prepared.tagging.tagged,
            prepared.replay,
            prepared.decisions.find_tag,
            prepared.head_units,
            request.policy.tool_kinds,
            request.format.call_bond,
        )
        self._holds = find_holds(self._parts, prepared.record, request.policy)
        self._bound: BoundReasoning | None = None
        if request.policy.binds_reasoning:
            can_drop = request.facts.can_drop_bound_reasoning
            self._bound = BoundReasoning(self._parts, can_drop, prepared.stale_reasoning)

    def firm_scopes(self) -> dict[Reason, int]:
        """The voluntary reasons without a minimum, each with the first unit that it opens."""
        prepared = self._prepared
        found: dict[Reason, int] = {}
        if prepared.record.flush_asked:
            found[Reason.FLUSH] = 0
        refused = propose_refused_media(self._view(0), {})
        illegal = [
            *self._units(prepared.restored),
            *self._stale_units(),
            *(self._parts.parts[one.number].unit for one in refused if one.number is not None),
        ]
        if illegal:
            found[Reason.LEGALITY] = min(illegal)
        published = prepared.request.facts.history_published
        is_due = prepared.pressure.share >= prepared.request.policy.execute_at
        if published is not None and (found or prepared.involuntary or is_due):
            found[Reason.HISTORY_PUBLISHED] = published
        return found

    def compose(self, opening: int, *, restores: bool) -> Landing:
        """What every lane together would land from this unit on; with `restores` parts return."""
        view = self._view(opening)
        returning: dict[int, Tag] = {}
        if restores:
            earliest = self._bound.earliest_landing() if self._bound else 0
            returning = propose_restores(view, self._prepared.pass_number, earliest)
        return compose_landing(self._stage(returning, opening), view, LANES)

    def _view(self, opening: int) -> LaneView:
        prepared = self._prepared
        return LaneView(
            parts=self._parts,
            holds=self._holds,
            ops=prepared.request.ops,
            policy=prepared.request.policy,
            opening=opening,
            highest_number=prepared.tagging.next_number - 1,
            pressure=prepared.pressure,
            ages=_may_age(prepared),
            can_remove_calls=prepared.request.facts.can_remove_calls,
            takes_held=prepared.record.flush_asked and prepared.record.flush_takes_held,
        )

    def granted(self, reasons: Iterable[Reason], landing: Landing) -> Judgement:
        """The permit for these reasons; its scope is the smallest of theirs."""
        prepared = self._prepared
        scopes = [*prepared.involuntary.values()]
        if any(reason not in prepared.involuntary for reason in reasons):
            if landing.first_unit is not None:
                scopes.append(landing.first_unit)
            if Reason.HISTORY_PUBLISHED in reasons:
                scopes.append(prepared.request.facts.history_published or 0)
        order = list(Reason)
        permit = Permit(tuple(sorted(reasons, key=order.index)), min(scopes, default=0))
        return Judgement(permit, landing, self.held_drops(landing))

    def held_drops(self, landing: Landing) -> dict[int, HoldCause]:
        """Queued drops that stay queued, and why."""
        held: dict[int, HoldCause] = dict(landing.withheld)
        for violation in landing.withdrawn:
            held.update(dict.fromkeys(violation.numbers, HoldCause.RULE))
        for op in self._prepared.request.ops:
            if op.kind is not OpKind.DROP or op.number in landing.drops or op.number in held:
                continue
            cause = self._holds.cause(op.number, AUTOMATIC_ONLY)
            if op.number not in self._parts.parts:
                cause = HoldCause.NOT_IN_LIST
            held[op.number] = cause or HoldCause.OUT_OF_SCOPE
        queued = {op.number for op in self._prepared.request.ops if op.kind is OpKind.DROP}
        return {number: cause for number, cause in held.items() if number in queued}

    def _stage(self, returning: Mapping[int, Tag], opening: int) -> Stage:
        prepared = self._prepared
        request = prepared.request
        restored = {**prepared.restored, **returning}
        return Stage(
            renderer=request.renderer,
            tagged=prepared.tagging.tagged,
            parts=self._parts,
            replay=prepared.replay,
            decisions=prepared.decisions,
            pass_number=prepared.pass_number,
            bound=self._bound,
            can_remove_calls=request.facts.can_remove_calls,
            opening=opening,
            head_units=prepared.head_units,
            given_changes=self._given_changes(),
            restored=restored,
            toggles_markers=prepared.toggles_markers,
        )

    def _given_changes(self) -> tuple[int, ...]:
        """The units that change before any lane acts: by the host, or by new markers.

        A session that Silcrow has just been loaded into has new tools and new system text in
        front of all the reasoning that it holds.
        """
        prepared = self._prepared
        found = [] if prepared.rewritten is None else [prepared.rewritten]
        is_joined = Reason.NOTHING_SENT in prepared.involuntary and prepared.record.markers_shown
        if Reason.SYSTEM_CHANGED in prepared.involuntary or prepared.toggles_markers or is_joined:
            found.append(0)
        return tuple(found)

    def _units(self, numbers: Iterable[int]) -> list[int]:
        parts = self._parts.parts
        return [parts[number].unit for number in numbers if number in parts]

    def _stale_units(self) -> list[int]:
        return [] if self._bound is None else self._bound.stale_units()


def _may_age(prepared: Prepared) -> bool:
    """A host that changes its head on every call would turn every pass into a landing."""
    record = prepared.record
    only_head = set(prepared.involuntary) == {Reason.SYSTEM_CHANGED}
    if not only_head or record.head_changes + 1 < HEAD_CHANGES_TOLD:
        return True
    return prepared.pass_number - record.head_age_pass >= CALLS_BETWEEN_HEAD_AGES
