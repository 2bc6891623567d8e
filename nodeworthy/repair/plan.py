"""The step from findings and objects to the changes that mend them; what is not understood is left, with its remedy."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nodeworthy.engine import Judgement
from nodeworthy.facts.cluster.node_gpus import LOCK
from nodeworthy.facts.operator.toolkit_on_nodes import ToolkitOnNodes
from nodeworthy.known.operator_parts import CONFIG, RUNTIME_CONFIG, RUNTIME_SOCKET, SOCKET
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.repair.change import Change, Left, Target, Wanted, Wish, World, change_of
from nodeworthy.repair.edit import ANNOTATIONS, LABELS, TAINTS, TOOLKIT_ENV, value_at
from nodeworthy.repair.owner import owner_of
from nodeworthy.verdict import Finding, Known, Verdict

# What `toolkit.env` of the operator's settings must say, by the findings of `containerd-paths`.

RULE = "containerd-paths"
# What must find nothing new, once the settings are changed.
WATCHED = (RULE, "toolkit-env-wellformed", "toolkit-reaches-containerd")

_ALIASES = {CONFIG: RUNTIME_CONFIG, SOCKET: RUNTIME_SOCKET}
# The rule's own words: where it says anything else, something else is to be done.
_OF_VALUES = pattern(rf"set ({CONFIG}|{SOCKET}) in toolkit\.env to (/\S+)")
_OF_MOUNTS = pattern(rf"set (?:{CONFIG} to (/\S+) and )?{SOCKET} to (/\S+) in toolkit\.env of the operator's values")


def wishes_for_toolkit(judgements: Sequence[Judgement], policies: Sequence[str]) -> tuple[list[Wish], list[Left]]:
    """One wish for the ClusterPolicy; or why nothing is wished."""
    causes = [each for judgement in judgements for each in judgement.findings if is_cause(each)]
    if not causes:
        return [], []
    why = _why_not(judgements, causes, policies)
    if why is not None:
        return [], [Left(each, why) for each in causes]
    read = [values for each in causes if (values := _values(each)) is not None]
    values = {name: value for each in read for name, value in each.items()}
    target = Target("ClusterPolicy", policies[0])
    return [Wish(target, tuple(_wanted(values)), tuple(causes), WATCHED)], []


def is_cause(finding: Finding) -> bool:
    return finding.rule == RULE and finding.verdict is Verdict.FAIL and not finding.suppressed


def _wanted(values: Mapping[str, str]) -> Iterator[Wanted]:
    for name, value in values.items():
        yield Wanted(TOOLKIT_ENV, name, value)
        yield Wanted(TOOLKIT_ENV, _ALIASES[name], value, if_there=True)


def _values(finding: Finding) -> dict[str, str] | None:
    remedy = finding.remedy or ""
    of_values, of_mounts = _OF_VALUES.fullmatch(remedy), _OF_MOUNTS.fullmatch(remedy)
    if of_values:
        return {of_values[1]: of_values[2]}
    if of_mounts:
        return {name: path for name, path in zip((CONFIG, SOCKET), of_mounts.groups(), strict=True) if path}
    return None


def _why_not(judgements: Sequence[Judgement], causes: Sequence[Finding], policies: Sequence[str]) -> str | None:
    if not policies:
        return "no ClusterPolicy was seen: it is not known where the operator's values are kept"
    if len(policies) > 1:
        return f"there are {len(policies)} ClusterPolicies ({', '.join(sorted(policies))})"
    read = [_values(each) for each in causes]
    if None in read:
        return "its remedy is not a value of toolkit.env"
    values: dict[str, set[str]] = {}
    for each in filter(None, read):
        for name, value in each.items():
            values.setdefault(name, set()).add(value)
    apart = sorted(name for name, some in values.items() if len(some) > 1)
    if apart:
        return f"one operator can't serve both: {apart[0]} would have to be {' and '.join(sorted(values[apart[0]]))}"
    return _harmed(judgements, {name: next(iter(some)) for name, some in values.items()})


def _harmed(judgements: Sequence[Judgement], values: Mapping[str, str]) -> str | None:
    """Nodes that the new values would take their runtime from, or of which nothing is known."""
    for judgement in judgements:
        subject = judgement.subject
        if judgement.rule.id != RULE or not isinstance(subject, ToolkitOnNodes):
            continue
        whom = ", ".join(subject.on[:3]) or "other nodes"
        if not isinstance(subject.runtime.state, Known):
            return f"which containerd kubelet uses on {whom} is not known, and one operator serves them all"
        runtime = subject.runtime.state.value
        if not runtime.is_containerd:
            continue
        fits_socket = SOCKET not in values or runtime.accepts_socket(values[SOCKET])
        fits_config = CONFIG not in values or runtime.config is None or runtime.accepts_config(values[CONFIG])
        if not fits_socket or not fits_config:
            return f"one operator can't serve both: the values would be wrong on {whom}"
    return None


@dataclass(frozen=True)
class RepairPlan:
    changes: tuple[Change, ...] = ()
    left: tuple[Left, ...] = ()


def _failures(judgements: Sequence[Judgement]) -> list[Finding]:
    found = (each for judgement in judgements for each in judgement.findings)
    return list(dict.fromkeys(each for each in found if each.verdict is Verdict.FAIL and not each.suppressed))


def plan(judgements: Sequence[Judgement], policies: Sequence[str], world: World) -> RepairPlan:
    """`policies` are the names of the cluster's ClusterPolicies."""
    wishes, left = wishes_for_toolkit(judgements, policies)
    others = [each for each in _failures(judgements) if not is_cause(each)]
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
    return RepairPlan(tuple(sorted(changes, key=lambda each: str(each.target))), tuple(unmended.values()))


def _wishes_of(finding: Finding) -> Iterator[Wish]:
    remedy = finding.remedy or ""
    node = _locked_node(remedy)
    if node is not None:
        yield Wish(node, UNLOCKED, (finding,))
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
    if wish.wanted == UNLOCKED:
        why = _why_locked(was, world)
        if why is not None:
            return why
    # A node is made by its kubelet: what stands on it is nobody's file.
    return change_of(wish, was, None if wish.target.kind == "Node" else owner_of(was))


_KINDS = {"node": "Node", "nodes": "Node", "namespace": "Namespace", "ns": "Namespace"}
_NAME = pattern(r"[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?")
_KEY = r"(?:[a-zA-Z0-9][-\w.]*/)?[a-zA-Z0-9](?:[-\w.]*[a-zA-Z0-9])?"
_LABEL = pattern(rf"(?P<key>{_KEY})(?:=(?P<value>(?:[a-zA-Z0-9](?:[-\w.]*[a-zA-Z0-9])?)?)|(?P<gone>-))")
_TAINT = pattern(
    rf"(?P<key>{_KEY})(?:=(?P<value>[-\w.]*))?:(?P<effect>NoSchedule|PreferNoSchedule|NoExecute)(?P<gone>-)?"
)


def targets_named(remedy: str) -> tuple[tuple[Target, ...], tuple[Wanted, ...]] | None:
    """The objects and what is wanted of each; None where the remedy is anything but one such command, with perhaps a
    word to people after a semicolon."""
    words = _words(remedy)
    if len(words) < 5 or words[0] != "kubectl" or words[1] not in ("label", "taint") or words[2] not in _KINDS:
        return None
    kind, rest = _KINDS[words[2]], [word for word in words[3:] if word != "--overwrite"]
    if words[1] == "taint" and kind != "Node":
        return None
    names = [word for word in rest if _NAME.fullmatch(word)]
    assignments = rest[len(names) :]
    if not names or not assignments or rest[: len(names)] != names:
        return None
    read = _taints if words[1] == "taint" else _labels
    wanted = tuple(read(assignments, overwrite="--overwrite" in words))
    return (tuple(Target(kind, name) for name in names), wanted) if len(wanted) == len(assignments) else None


def _words(remedy: str) -> list[str]:
    try:
        return shlex.split(remedy.partition(";")[0])
    except ValueError:
        return []


def _labels(assignments: list[str], *, overwrite: bool) -> Iterator[Wanted]:
    for found in filter(None, map(_LABEL.fullmatch, assignments)):
        gone = found["gone"] is not None
        yield Wanted(LABELS, found["key"], None if gone else found["value"], overwrite or gone)


def _taints(assignments: list[str], *, overwrite: bool) -> Iterator[Wanted]:
    for found in filter(None, map(_TAINT.fullmatch, assignments)):
        gone = found["gone"] is not None
        value = None if gone else found["value"] or ""
        yield Wanted(TAINTS, f"{found['key']}:{found['effect']}", value, overwrite or gone)


_REMEDY = pattern(rf"\bkubectl annotate node (?P<node>\S+) {re.escape(LOCK)}-$")
_OVER = ("Succeeded", "Failed")

UNLOCKED = (Wanted(ANNOTATIONS, LOCK, None),)


def _locked_node(remedy: str) -> Target | None:
    """The node whose lock a remedy says to remove."""
    found = _REMEDY.search(remedy)
    return Target("Node", found["node"]) if found else None


def _why_locked(node: Mapping[str, Any], world: World) -> str | None:
    """Why the lock has to stay; None where it is nobody's."""
    lock = value_at(node, ANNOTATIONS, LOCK)
    if lock is None:
        return "the lock is gone already"
    parts = lock.split(",")
    if len(parts) != 3 or not all(parts):
        return f"the lock does not name its pod ({lock}): see yourself that none is being bound there"
    phase = world.phase_of_pod(parts[1], parts[2])
    if phase is None or phase in _OVER:
        return None
    return f"the pod that holds the lock is there (Pod/{parts[1]}/{parts[2]}, {phase or 'no phase'})"
