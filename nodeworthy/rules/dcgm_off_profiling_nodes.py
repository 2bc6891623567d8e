"""No DCGM exporter runs on a node that is dedicated to profiling.

DCGM and Nsight want the same hardware counters, and only one of them gets them: under DCGM, Nsight ends with
`driver resource unavailable`. Nodes with the label `gpu.monitoring/profiling-dedicated=true` are for profiling. The
operator's exporter runs on every GPU node that does not register with `nvidia.com/gpu.deploy.dcgm-exporter=false`; its
chart has no affinity for it. An exporter of one's own stays away by a node affinity.
"""

from __future__ import annotations

from nodeworthy.facts.operator.daemonset_manifest import DaemonSetManifest, Part
from nodeworthy.facts.operator.values import OperatorValues
from nodeworthy.facts.profiling.nodes import DeclaredForProfiling, ProfilingNodes, WatchedNode
from nodeworthy.known.operator_parts import HOLDS_COUNTERS, OPERANDS, PROFILING
from nodeworthy.rule import Rule
from nodeworthy.verdict import Draft, Findings, Known, Located, Related, Severity, Unknown, fail, skip, unknown

RULE = Rule(
    "dcgm-off-profiling-nodes",
    severity=Severity.ERROR,
    incident="D",
    title="No DCGM exporter runs on a node dedicated to profiling",
    remedy="register profiling nodes with nvidia.com/gpu.deploy.dcgm-exporter=false; give an exporter of your own an "
    f"affinity: {PROFILING[0]} NotIn [{PROFILING[1]}]",
)

CAUSE = "DCGM holds the counters of the GPU: Nsight ends with 'driver resource unavailable'"
STAY_AWAY = (
    "make its affinity require (nodeAffinity, requiredDuringSchedulingIgnoredDuringExecution) "
    f"{PROFILING[0]} NotIn [{PROFILING[1]}]"
)


@RULE.check(unless=WatchedNode)
def the_operators_stays_off(values: OperatorValues, nodes: ProfilingNodes) -> Findings:
    yield from _stays_off(values, nodes)


@RULE.check
def the_fleets_own_stays_off(declared: DeclaredForProfiling) -> Findings:
    yield from _stays_off(declared.operator, declared.nodes)


def _stays_off(values: OperatorValues, nodes: ProfilingNodes) -> Findings:
    on = {}
    for part, (label, by_default) in HOLDS_COUNTERS.items():
        enabled = values.part(part, default=by_default)
        if "false" not in (nodes.labels.get(label), nodes.labels.get(OPERANDS)) and enabled.state != Known(False):
            on[part] = label, enabled
    if on and not nodes.registered:
        skip(f"with which labels {nodes.title} register is not in what was read")
    if on and nodes.unread:
        yield unknown(nodes, f"with which labels {nodes.title} register is not known: {nodes.unread}")
        return
    for part, (label, enabled) in on.items():
        if isinstance(enabled.state, Unknown):
            yield unknown(enabled, enabled.state.why, related=[Related(nodes.place, f"{nodes.title} register here")])
        else:
            yield _draft_of_part(part, label, enabled, nodes, _dead(values, part))


def _dead(values: OperatorValues, part: str) -> list[Related]:
    """Settings of the exporter's own chart that the operator's does not have."""
    written = [values.tree.get(part, name) for name in ("affinity", "nodeSelector")]
    return [Related(each.place, "the operator's chart has no such setting") for each in written if not each.is_absent]


def _draft_of_part(part: str, label: str, enabled: Located[bool], nodes: ProfilingNodes, dead: list[Related]) -> Draft:
    deploys = f"the operator deploys {part} to every GPU node"
    beside = Related(nodes.place, f"{nodes.title} register here") if nodes.is_by_evidence else None
    return fail(
        enabled.place if nodes.is_by_evidence else nodes.place,
        f"{nodes.title} get the operator's {part}: they register without {label}=false",
        is_=f"{part}.enabled is true" + ("" if enabled.written else ", the chart's default"),
        should=f"{label}=false",
        related=[beside or Related(enabled.place, deploys), *dead],
        cause=CAUSE,
        remedy=f"register these nodes with the label {label}=false, too",
    )


@RULE.check
def one_of_its_own_stays_off(exporter: DaemonSetManifest, nodes: ProfilingNodes) -> Findings:
    if exporter.part is not Part.DCGM_EXPORTER or exporter.is_the_operators:
        skip("this is no DCGM exporter of its own")
    chosen = exporter.chooses(nodes.as_labels)
    related = [Related(nodes.place, f"{nodes.title} are declared here")]
    if nodes.doubt is not None and chosen is not False:
        why = f"whether {exporter.title} goes to profiling nodes is not known: {nodes.doubt}"
        yield unknown(exporter, why, related=related, remedy=STAY_AWAY)
    elif chosen is None:
        why = f"whether {exporter.title} goes to {nodes.title} is not known: it depends on other labels"
        yield unknown(exporter, why, related=related, remedy=STAY_AWAY)
    elif chosen:
        yield fail(
            exporter,
            f"{exporter.title} runs {exporter.part} on {nodes.title}, too",
            related=related,
            cause=CAUSE,
            remedy=STAY_AWAY,
        )


@RULE.check
def none_runs_there(node: WatchedNode) -> Findings:
    for pod in node.exporters:
        yield fail(
            node,
            f"{node.title} is dedicated to profiling, and a DCGM exporter runs on it",
            is_=pod,
            should="none",
            related=[Related(node.place, f"its label {PROFILING[0]} is {PROFILING[1]}")],
            cause=CAUSE,
            remedy=node.remedy,
        )
