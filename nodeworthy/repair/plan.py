"""From findings and objects to the changes that mend them; what is not understood is left, with its remedy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nodeworthy.engine import Judgement
from nodeworthy.records import dataclass
from nodeworthy.repair import hami_lock, toolkit_env
from nodeworthy.repair.change import Change, Left, Target, Wanted, Wish, World, change_of
from nodeworthy.repair.kubectl_remedy import targets_named
from nodeworthy.repair.owner import owner_of
from nodeworthy.verdict import Finding, Verdict


@dataclass(frozen=True)
class Plan:
    changes: tuple[Change, ...] = ()
    left: tuple[Left, ...] = ()


def failures(judgements: Sequence[Judgement]) -> list[Finding]:
    found = (each for judgement in judgements for each in judgement.findings)
    return list(dict.fromkeys(each for each in found if each.verdict is Verdict.FAIL and not each.suppressed))


def plan(judgements: Sequence[Judgement], policies: Sequence[str], world: World) -> Plan:
    """`policies` are the names of the cluster's ClusterPolicies."""
    wishes, left = toolkit_env.wishes(judgements, policies)
    others = [each for each in failures(judgements) if not toolkit_env.is_cause(each)]
    named = {each: list(_wishes_of(each)) for each in others}
    left += [Left(each) for each, own in named.items() if not own]
    wishes += _together([wish for own in named.values() for wish in own])
    changes: list[Change] = []
    for wish in wishes:
        found = _looked_at(wish, world)
        if isinstance(found, Change):
            changes.append(found)
        else:
            left += [Left(cause, found) for cause in wish.causes]
    mended = {cause for change in changes for cause in change.causes}
    unmended = {each.finding: each for each in left if each.finding not in mended}
    return Plan(tuple(sorted(changes, key=lambda each: str(each.target))), tuple(unmended.values()))


def _wishes_of(finding: Finding) -> Iterator[Wish]:
    remedy = finding.remedy or ""
    node = hami_lock.locked_node(remedy)
    if node is not None:
        yield Wish(node, hami_lock.UNLOCKED, (finding,))
        return
    named = targets_named(remedy)
    for target in named[0] if named else ():
        yield Wish(target, named[1] if named else (), (finding,))


def _together(wishes: Sequence[Wish]) -> list[Wish]:
    """Findings that ask the same of an object are one wish."""
    found: dict[tuple[Target, tuple[Wanted, ...]], list[Finding]] = {}
    for wish in wishes:
        found.setdefault((wish.target, wish.wanted), []).extend(wish.causes)
    return [Wish(target, wanted, tuple(causes)) for (target, wanted), causes in found.items()]


def _looked_at(wish: Wish, world: World) -> Change | str:
    was = world.object(wish.target)
    if was is None:
        return f"{wish.target} is not there"
    if wish.wanted == hami_lock.UNLOCKED:
        why = hami_lock.why_not(was, world)
        if why is not None:
            return why
    # A node is made by its kubelet: what stands on it is nobody's file.
    return change_of(wish, was, None if wish.target.kind == "Node" else owner_of(was))
