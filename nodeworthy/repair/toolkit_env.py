"""What `toolkit.env` of the operator's settings must say, by the findings of `containerd-paths`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from nodeworthy.engine import Judgement
from nodeworthy.facts.operator.toolkit_on_nodes import ToolkitOnNodes
from nodeworthy.known.toolkit import CONFIG, RUNTIME_CONFIG, RUNTIME_SOCKET, SOCKET
from nodeworthy.patterns import pattern
from nodeworthy.repair.change import Left, Target, Wanted, Wish
from nodeworthy.repair.edit import TOOLKIT_ENV
from nodeworthy.verdict import Finding, Known, Verdict

RULE = "containerd-paths"
# What must find nothing new, once the settings are changed.
WATCHED = (RULE, "toolkit-env-wellformed", "toolkit-reaches-containerd")

_ALIASES = {CONFIG: RUNTIME_CONFIG, SOCKET: RUNTIME_SOCKET}
# The rule's own words: where it says anything else, something else is to be done.
_OF_VALUES = pattern(rf"set ({CONFIG}|{SOCKET}) in toolkit\.env to (/\S+)")
_OF_MOUNTS = pattern(rf"set (?:{CONFIG} to (/\S+) and )?{SOCKET} to (/\S+) in toolkit\.env of the operator's values")


def wishes(judgements: Sequence[Judgement], policies: Sequence[str]) -> tuple[list[Wish], list[Left]]:
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
