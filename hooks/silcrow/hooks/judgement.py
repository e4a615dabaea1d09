"""The permit of a pass, decided once, and what lands on it."""

from collections.abc import Iterable
from dataclasses import dataclass

from silcrow.hooks.landing import Landing, Stage, compose_landing
from silcrow.hooks.lanes.lane import LaneView
from silcrow.hooks.lanes.order import LANES
from silcrow.hooks.parts import survey_parts
from silcrow.hooks.permit import Denial, Permit, Reason
from silcrow.hooks.protection import AUTOMATIC_ONLY, HoldCause, find_holds
from silcrow.hooks.request import Prepared
from silcrow.hooks.tags import LaneName

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

    Pressure that would open the cached prefix by itself is weighed first: it has a minimum. Then
    comes what is open anyway, from the unit on at which the prefix is lost, or all of it.
    """
    firm = firm_reasons(prepared)
    lost_from = min(prepared.involuntary.values(), default=None)
    opening = 0 if firm else lost_from
    presses_alone = prepared.pressure.presses and opening != 0
    if opening is None and not presses_alone:
        denial = Denial.EPISODE_SPENT if prepared.pressure.is_spent else Denial.NOT_ASKED
        return Judgement(Permit(denial=denial), None, {})
    bench = _Bench(prepared)
    denial = Denial.NOT_ASKED
    if presses_alone:
        landing = bench.compose(0)
        denial = _weigh_pressure(prepared, landing)
        reaches_before = lost_from is None or (landing.first_unit or 0) < lost_from
        if denial is Denial.NOT_ASKED and reaches_before:
            reasons = (*prepared.involuntary, Reason.PRESSURE)
            return bench.granted(reasons, landing)
    if opening is None:
        return Judgement(Permit(denial=denial), None, {})
    landing = bench.compose(opening)
    reasons = _standing_reasons(prepared, firm, landing)
    if reasons:
        return bench.granted(reasons, landing)
    denial = Denial.REASONING_BOUND if landing.withheld else Denial.NOTHING_TO_LAND
    return Judgement(Permit(denial=denial), None, bench.held_ops(landing))


def firm_reasons(prepared: Prepared) -> tuple[Reason, ...]:
    """The voluntary reasons without a minimum that hold before any lane was asked."""
    found: list[Reason] = []
    if prepared.record.flush_asked:
        found.append(Reason.FLUSH)
    if prepared.restored:
        found.append(Reason.LEGALITY)
    is_due = prepared.pressure.share >= prepared.request.policy.execute_at
    if prepared.request.facts.history_published is not None and (
        found or prepared.involuntary or is_due
    ):
        found.append(Reason.HISTORY_PUBLISHED)
    return tuple(found)


def _weigh_pressure(prepared: Prepared, landing: Landing) -> Denial:
    """Whether pressure alone may rewrite: only for a minimum, unless the request would not fit."""
    if landing.is_empty:
        return Denial.REASONING_BOUND if landing.withheld else Denial.NOTHING_TO_LAND
    is_enough = landing.freed_tokens >= prepared.request.policy.min_gain_tokens
    return Denial.NOT_ASKED if is_enough or prepared.pressure.over_limit else Denial.NOT_WORTH_IT


def _standing_reasons(
    prepared: Prepared, firm: tuple[Reason, ...], landing: Landing
) -> tuple[Reason, ...]:
    """The reasons that stand once it is known what lands beside them."""
    reasons = [*prepared.involuntary, *firm]
    if landing.is_empty and Reason.FLUSH in reasons:
        reasons.remove(Reason.FLUSH)
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
        )
        self._holds = find_holds(self._parts, prepared.record, request.policy)

    def compose(self, opening: int) -> Landing:
        """What every lane together would land from this unit on."""
        prepared = self._prepared
        view = LaneView(
            parts=self._parts,
            holds=self._holds,
            ops=prepared.request.ops,
            policy=prepared.request.policy,
            opening=opening,
            highest_number=prepared.tagging.next_number - 1,
            pressure=prepared.pressure,
            ages=_may_age(prepared),
            can_remove_calls=prepared.request.facts.can_remove_calls,
        )
        return compose_landing(self._stage(), view, LANES)

    def granted(self, reasons: Iterable[Reason], landing: Landing) -> Judgement:
        """The permit for these reasons; its scope is the smallest of theirs."""
        prepared = self._prepared
        scopes = [*prepared.involuntary.values()]
        if any(reason not in prepared.involuntary for reason in reasons):
            scopes.extend(self._restored_units())
            if landing.first_unit is not None:
                scopes.append(landing.first_unit)
            if Reason.HISTORY_PUBLISHED in reasons:
                scopes.append(prepared.request.facts.history_published or 0)
        order = list(Reason)
        permit = Permit(tuple(sorted(reasons, key=order.index)), min(scopes))
        return Judgement(permit, landing, self.held_ops(landing))

    def held_ops(self, landing: Landing) -> dict[int, HoldCause]:
        """Queued drops that stay queued because something holds them."""
        held: dict[int, HoldCause] = dict(landing.withheld)
        for op in self._prepared.request.ops:
            if op.number in landing.drops or op.number in held:
                continue
            cause = self._holds.cause(op.number, AUTOMATIC_ONLY)
            if op.number not in self._parts.parts:
                cause = HoldCause.NOT_IN_LIST
            held[op.number] = cause or HoldCause.OUT_OF_SCOPE
        return held

    def _stage(self) -> Stage:
        prepared = self._prepared
        request = prepared.request
        return Stage(
            renderer=request.renderer,
            tagged=prepared.tagging.tagged,
            parts=self._parts,
            replay=prepared.replay,
            decisions=prepared.decisions,
            pass_number=prepared.pass_number,
            binds_reasoning=request.policy.binds_reasoning,
            can_remove_calls=request.facts.can_remove_calls,
            can_drop_in_place=request.facts.can_drop_bound_reasoning
            or prepared.record.drops_bound_reasoning,
            rewritten=self._first_given_change(),
            restored=prepared.restored,
            toggles_markers=prepared.toggles_markers,
        )

    def _first_given_change(self) -> int | None:
        """The first unit that changes before any lane acts: by the host, a restore, new markers."""
        found = self._restored_units()
        if self._prepared.rewritten is not None:
            found.append(self._prepared.rewritten)
        if Reason.SYSTEM_CHANGED in self._prepared.involuntary or self._prepared.toggles_markers:
            found.append(0)
        return min(found, default=None)

    def _restored_units(self) -> list[int]:
        parts = self._parts.parts
        return [parts[number].unit for number in self._prepared.restored if number in parts]


def _may_age(prepared: Prepared) -> bool:
    """A host that changes its head on every call would turn every pass into a landing."""
    record = prepared.record
    only_head = set(prepared.involuntary) == {Reason.SYSTEM_CHANGED}
    if not only_head or record.head_changes + 1 < HEAD_CHANGES_TOLD:
        return True
    return prepared.pass_number - record.head_age_pass >= CALLS_BETWEEN_HEAD_AGES
