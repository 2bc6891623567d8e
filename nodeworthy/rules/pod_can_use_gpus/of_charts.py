"""What charts of the GPU stack copy into their pods, where Kubernetes takes a text alone."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.operator.daemonset_manifest import DaemonSetManifest, Part
from nodeworthy.facts.pod.refused import no_texts_of_chart
from nodeworthy.rules.pod_can_use_gpus import MOST_RELATED, RULE
from nodeworthy.verdict import Draft, Findings, Related, fail, need, skip

# As the charts' templates copy them (toYaml), read in November 2026: nvidia-device-plugin 0.20, dcgm-exporter 4.8.
_OF_A_CHART = {
    Part.DEVICE_PLUGIN: {"podAnnotations": "annotation"},
    Part.DCGM_EXPORTER: {"podAnnotations": "annotation", "podLabels": "label"},
}


@RULE.check
def the_server_takes_what_the_chart_copies(made: DaemonSetManifest) -> Findings:
    if not made.is_of_chart:
        skip("it is a manifest, whose pod is judged as such")
    for each in (made.pods, made.pods.get("nodeSelector")):
        if each.is_unknown:
            need(each.located())
    yield from _refused(made.title, list(no_texts_of_chart(made.pods, _OF_A_CHART.get(made.part, {}))))


def _refused(title: str, found: list[tuple[str, Tree]]) -> Iterator[Draft]:
    if not found:
        return
    (says, tree), *others = found
    written = _as_written(tree)
    yield fail(
        tree.place,
        f"the API server refuses what the chart makes of this: {says} of {title} is {tree.kind()}, where Kubernetes "
        "takes a text alone",
        is_=written,
        should=f'"{written}"',
        related=[Related(each.place, f"so is {name}: {_as_written(each)}") for name, each in others[:MOST_RELATED]],
        cause="cannot unmarshal it into Go struct field … of type string: nothing of the object is made, and no node "
        "offers a GPU by it",
        remedy=f'write "{written}" in values, --set-string in place of --set, and type = "string" in a set of '
        "Terraform's; `helm template … | kubectl apply --dry-run=server -f -` tells",
    )


def _as_written(tree: Tree) -> str:
    return tree.written or str(tree.value).lower()
