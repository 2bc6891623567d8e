"""The GPUs that a node set of Slinky's asks Kubernetes for, and those that Slurm counts."""

from __future__ import annotations

from nodeworthy.facts.slurm.node_sets import SlinkyNodeSet
from nodeworthy.rules.slurm_gpu_as_asked import RULE
from nodeworthy.verdict import Findings, Related, Severity, fail, need

_WHY = (
    "slurmd registers its node with what the NodeSet adds to --conf, and GPUs that no Gres there names are ignored, "
    "detected by gres.conf or not: scontrol shows Gres=(null), and a job with --gres=gpu:1 is refused"
)


@RULE.check
def slurm_counts_its_gpus(node_set: SlinkyNodeSet) -> Findings:
    if node_set.conf.is_unknown:
        need(node_set.conf.located())
    if node_set.says_gres:
        return
    count = "COUNT" if node_set.gpus.is_unknown else node_set.gpus.located().shown()
    should = (
        f'extraConf: "Gres=gpu:{count}"'
        if node_set.field == "extraConf"
        else f'Gres: ["gpu:{count}"] in its extraConfMap'
    )
    related = [Related(node_set.gpus.heading, f"its pods ask Kubernetes for {count}")]
    if node_set.gres_conf is not None:
        related.append(Related(node_set.gres_conf, "gres.conf speaks of GPUs"))
    misplaced = node_set.misplaced
    yield fail(
        misplaced.heading if misplaced is not None else node_set.gpus.heading,
        f"Slurm counts no GPUs on the nodes of {node_set.title}"
        + (": a NodeSet has no field gres" if misplaced is not None else ""),
        is_=f"gres: {misplaced.text or 'there'}" if misplaced is not None else f"{node_set.field} without Gres",
        should=should,
        related=related,
        cause=_WHY,
        remedy=f"write {should}; besides, gres.conf with AutoDetect=nvidia, and GresTypes=gpu where the "
        "controller's configuration does not have it; to be sure: scontrol show node | grep Gres",
        severity=Severity.ERROR if misplaced is not None or node_set.gres_conf is not None else Severity.WARNING,
    )
