"""Which way a change goes: to the object itself, through the release that makes it, or on paper to whoever makes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Any

from nodeworthy.documents.plain import at
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.repair.change import Change
from nodeworthy.repair.edit import TOOLKIT_ENV, Edit, NotEditable, RepairRefused, merge_patch, value_at
from nodeworthy.repair.helm import Helm, State, command_for_people
from nodeworthy.repair.owner import Keeper, Owner
from nodeworthy.repair.record import HelmRevision

CHART = "gpu-operator"
# What NVIDIA's own pages call it, where nothing here knows better.
USUAL = "nvidia/gpu-operator"
_NAME = pattern(r"[a-z0-9]([-a-z0-9.]*[a-z0-9])?")


@dataclass(frozen=True)
class ToObject:
    change: Change


@dataclass(frozen=True)
class ThroughHelm:
    change: Change
    owner: Owner
    helm: Helm = field(repr=False)
    chart: str
    state: State = field(repr=False)

    @property
    def release(self) -> HelmRevision:
        return HelmRevision(self.owner.name, self.owner.namespace, self.state.revision)

    @property
    def env(self) -> list[Any]:
        """The release's list with our entries: what was told to Helm, and not what somebody wrote past it."""
        return env_with(self.state.env, self.change.edits)


@dataclass(frozen=True)
class OnPaper:
    """Shown, and not applied."""

    change: Change
    why: str
    command: str = ""

    @property
    def env(self) -> list[Any]:
        return env_with(at(self.change.was, *TOOLKIT_ENV), self.change.edits)


Way = ToObject | ThroughHelm | OnPaper


def way_of(change: Change, helm: Helm | None, *, live: bool) -> Way:
    owner = change.owner
    if owner is None:
        return ToObject(change)
    if owner.keeper is not Keeper.HELM or change.target.kind != "ClusterPolicy":
        return OnPaper(change, f"{owner.title} makes it, and would undo a change past it")
    if not _NAME.fullmatch(owner.name) or not _NAME.fullmatch(owner.namespace):
        return OnPaper(change, f"{owner.title} has no name that Helm would give")
    if owner.chart_name != CHART:
        chart = owner.chart or "a chart that it does not name"
        return OnPaper(change, f"{owner.title} makes it from {chart}: under which key its values stand is not known")
    by_hand = command_for_people(owner, USUAL)
    if not live:
        return OnPaper(change, f"{owner.title} makes it, which only a live cluster can be asked about", by_hand)
    if helm is None:
        return OnPaper(change, f"{owner.title} makes it, and there is no helm on PATH", by_hand)
    return _through(change, owner, helm, by_hand)


def _through(change: Change, owner: Owner, helm: Helm, by_hand: str) -> Way:
    try:
        state = helm.state(owner.name, owner.namespace)
    except RepairRefused as problem:
        return OnPaper(change, f"{owner.title} makes it, and {problem}", by_hand)
    if state.status != "deployed":
        return OnPaper(change, f"{owner.title} is {state.status or 'in no known state'}: see to it first", by_hand)
    try:
        says_so = all(value_at(_as_policy(state.env), TOOLKIT_ENV, each.name) == each.after for each in change.edits)
    except NotEditable as problem:
        return OnPaper(change, f"the values of {owner.title} are not understood: {problem}", by_hand)
    if says_so:
        return ToObject(change)  # somebody went past the release: it says the right thing already
    chart = helm.chart_of(owner)
    if chart is None:
        missing = f"no repository of helm's has its chart {owner.chart} (--chart names it)"
        return OnPaper(change, f"{owner.title} makes it, and {missing}", by_hand)
    return ThroughHelm(change, owner, helm, chart, state)


def env_with(env: Any, edits: Sequence[Edit]) -> list[Any]:
    patched = merge_patch(_as_policy(env), edits)
    return list(at(patched, *TOOLKIT_ENV) or ())


def _as_policy(env: Any) -> dict[str, Any]:
    return {"spec": {"toolkit": {"env": env}}}
