"""What a pod says of its GPUs lets it use those that it asked for, and no others.

The device plugin chooses which GPUs a container gets, and hands over its choice in the variable
NVIDIA_VISIBLE_DEVICES. kubelet puts the plugin's variables before the pod's own, and of two of one name the later one
counts: what the pod's template says wins. With `all` a container sees every GPU of its node, those of other pods
among them, and frameworks take the first one, which is somebody else's; with an index it sees that card whichever it
was given; with `none` or `void` it has a GPU to itself and sees none. Who lists no GPU among its resources (an
exporter, a debugging pod) may say what it likes.

Where the GPUs come by CDI, by mounts, or from a plugin that is not NVIDIA's (GKE's, Bottlerocket's), the variable
decides nothing: signs of that are looked for in the files around the pod. Without one it is a warning, for the
plugin's default is the variable. Who asks for all GPUs of a node loses nothing by `all`.
"""

from __future__ import annotations

from nodeworthy.facts.pod.template import PodTemplate
from nodeworthy.facts.pod.visible_devices import Choice, choices, takes_a_whole_node, why_it_decides_nothing
from nodeworthy.known.visible_devices import EVERYTHING, NOTHING, VARIABLE
from nodeworthy.rule import Rule
from nodeworthy.verdict import Finding, Findings, Severity, fail, skip

RULE = Rule(
    "pod-can-use-gpus",
    severity=Severity.ERROR,
    title="A pod sees the GPUs that it asked for, and no others",
    remedy=f"delete {VARIABLE} from the pod: the device plugin sets it",
    never_unknown="what decides otherwise is looked for in the files around a pod, and without it the default holds",
)

_WINS = "the device plugin's choice comes before the pod's own variables, and of two of one name the later one counts"


@RULE.check
def it_sees_what_it_asked_for(pod: PodTemplate) -> Findings:
    if pod.live is not None:
        skip("how the cluster's device plugin hands over its GPUs is not looked at")
    said = list(choices(pod))
    if not said:
        skip(f"no container that asks for GPUs says {VARIABLE}")
    found = [each for each in said if not (each.value == EVERYTHING and takes_a_whole_node(pod, each.asks))]
    why = why_it_decides_nothing(pod)
    if why is not None:
        skip(why)
    for each in found:
        yield _overridden(pod, each)


def _overridden(pod: PodTemplate, each: Choice) -> Finding:
    asked = "one GPU" if each.asks == 1 else f"{each.asks} GPUs"
    return fail(
        each.said,
        f"{each.container.name} of {pod.title} asks for {asked} and sees {_sees(each.value)}",
        should=f"no {VARIABLE}: the device plugin sets it",
        cause=f"{_WINS}{_ends(each.value)}",
        severity=Severity.WARNING,
    )


def _sees(value: str) -> str:
    if value == EVERYTHING:
        return "every GPU of its node"
    return "none" if value in NOTHING else f"{value}, whichever it is given"


def _ends(value: str) -> str:
    if value in NOTHING:
        return "; the GPU is taken from others, and nothing uses it"
    return "; two pods then work on one GPU, while another one idles"
