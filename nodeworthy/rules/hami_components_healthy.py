"""HAMi's scheduler, device plugin, monitor and webhook run, and reach each other.

Without its scheduler no pod with a share of a GPU is placed; without its device plugin a node has no GPUs to share;
without its monitor (a container beside the device plugin, in older releases a pod of its own) nobody measures them. A
webhook whose service is gone or has no endpoints, or that has no `caBundle`, is passed by in silence, for its failure
policy is `Ignore`: pods are then left to the default scheduler, and are the victims of this finding.
"""

from __future__ import annotations

from nodeworthy.facts.hami.health import HamiComponents
from nodeworthy.rule import Rule
from nodeworthy.verdict import Findings, Severity, unknown

RULE = Rule(
    "hami-components-healthy",
    severity=Severity.ERROR,
    incident="C",
    title="HAMi's scheduler, device plugin, monitor and webhook run, and reach each other",
    remedy="look at the part that does not run: kubectl describe and kubectl logs say why",
    reads_logs=True,
)


@RULE.check
def its_parts_run(components: HamiComponents) -> Findings:
    yield from components.faults
    if components.unseen is not None:
        yield unknown(components, f"whether HAMi's webhook can be reached is not known: {components.unseen}")
