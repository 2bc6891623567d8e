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

What it says must stand where Kubernetes reads it. `resources` beside `containers`, `limits` without `resources` around
them, `tolerations` in a container or around the pod's `spec`: there is no such field there, and the API server drops it
or, where it validates strictly (`kubectl apply` asks for that), refuses the object. A pod has `resources` of its own
since Kubernetes 1.32, which take CPU, memory and huge pages, and no GPUs. Looked at is what asks for GPUs, and the
objects that Kubernetes itself has: what a field of another one may hold, its maker decides.
"""

from __future__ import annotations

from nodeworthy.facts.pod.misplaced import Misplaced, misplaced_settings, why_fields_are_free
from nodeworthy.facts.pod.template import PodTemplate
from nodeworthy.facts.pod.visible_devices import Choice, choices, takes_a_whole_node, why_it_decides_nothing
from nodeworthy.known.visible_devices import EVERYTHING, NOTHING, VARIABLE
from nodeworthy.rule import Rule
from nodeworthy.verdict import Draft, Findings, Severity, fail, skip

RULE = Rule(
    "pod-can-use-gpus",
    severity=Severity.ERROR,
    title="A pod asks for GPUs where that is read, and sees those that it asked for",
    remedy=f"ask in the container's resources.limits, and delete {VARIABLE}: the device plugin sets it",
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


@RULE.check
def it_says_so_where_it_is_read(pod: PodTemplate) -> Findings:
    if pod.live is not None:
        skip("a server keeps no field that it does not know")
    why = why_fields_are_free(pod)
    if why is not None:
        skip(why)
    found = list(misplaced_settings(pod))
    if not pod.uses_gpus and not any(each.asks for each in found):
        skip("nothing here asks for GPUs")
    for each in found:
        yield _not_read(pod, each)


def _not_read(pod: PodTemplate, each: Misplaced) -> Draft:
    lost = (
        "no container asks for the GPUs, and none gets one" if each.asks else f"the pod comes without its {each.name}"
    )
    return fail(
        each.tree.key or each.tree.place,
        f"{each.name} of {pod.title} stands in {each.stands_in}, {each.what_is_there}",
        is_=each.name,
        should=f"{each.name} in {each.belongs_in}",
        cause=f"the API server refuses it (as an unknown field, or an unsupported resource), or drops it: {lost}",
        remedy=f"move it into {each.belongs_in}; `kubectl apply --dry-run=server --validate=strict -f` tells",
    )


def _overridden(pod: PodTemplate, each: Choice) -> Draft:
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
