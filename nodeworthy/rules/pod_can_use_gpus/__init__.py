"""A pod can use the GPUs that it asked for, and no others.

The device plugin chooses which GPUs a container gets, and hands over its choice in the variable
NVIDIA_VISIBLE_DEVICES. kubelet puts the plugin's variables before the pod's own, and of two of one name the later one
counts: what the pod's template says wins. With `all` a container sees every GPU of its node, those of other pods
among them, and frameworks take the first one, which is somebody else's; with an index it sees that card whichever it
was given; with `none`, `void` or nothing it has a GPU to itself and sees none. Who lists no GPU among its resources (an
exporter, a debugging pod) may say what it likes. CUDA's own variable knows no `all`: with CUDA_VISIBLE_DEVICES=all a
program finds no device. Nor does it with `2,3` in a container of two GPUs, whose own are 0 and 1 wherever they are.

Where the GPUs come by CDI, by mounts, or from a plugin that is not NVIDIA's (GKE's, Bottlerocket's), the variable
decides nothing: signs of that are looked for in the files around the pod. Without one it is a warning, for the
plugin's default is the variable. Who asks for all GPUs of a node loses nothing by `all`.

What it says must stand where Kubernetes reads it. `resources` beside `containers`, `limits` without `resources` around
them, `tolerations` in a container or around the pod's `spec`: there is no such field there, and the API server drops it
or, where it validates strictly (`kubectl apply` asks for that), refuses the object. A pod has `resources` of its own
since Kubernetes 1.32, which take CPU, memory and huge pages, and no GPUs. Looked at is what asks for GPUs, and the
objects that Kubernetes itself has: what a field of another one may hold, its maker decides. But where a RayCluster, a
PyTorchJob or the like holds a template of Kubernetes' own, nothing has a place beside its spec and metadata.

A name of GPUs that no node offers (`nvidia.com/gpus`, `nvidia/gpu`, `alpha.kubernetes.io/nvidia-gpu` of long ago) is
one that Kubernetes takes, and waits for. So are names of two device plugins at once (`volcano.sh/gpu-memory` beside
`volcano.sh/vgpu-number`): a node has one of them.

Nor does a pod see GPUs that no server ever makes: one that says a number or a boolean where Kubernetes takes a text
(`value: 8` of a variable, a port among `args`, `gpu: true` in nodeSelector), that mounts a volume which it does not
have, whose Deployment selects other labels than its template has, whose Job would be started again for ever, that asks
for more memory than its limit, for `16GB` or for `gpu: 1`, whose fields Kubernetes does not have (`resource`,
`toleration`, `runtimeClass`), which mounts two volumes at one path or calls two of its volumes, containers or ports the
same, which tolerates a taint that `Exists` and says a value beside it, or that is written for a version of the API
which is gone, or never was (`apiVersion: v1` of a Deployment, `ray.io/v1beta1`; an Ingress of `extensions/v1beta1`
beside it), or a PyTorchJob without a container called `pytorch`, by which Kubeflow's operator knows the one that
works, or an InferenceService whose model has no `modelFormat`, or a job of Volcano's that waits for more pods
(`minAvailable`) than its tasks make, or a pod that asks KAI's scheduler for a `gpu-fraction` of one or more, or for a
part and a whole GPU at once, or a RayJob whose `rayStartParams` hold a number, which comes by a queue of Kueue's and
keeps its cluster, or says when the cluster goes that it keeps. kubectl prints the refusal, and what applies manifests
where nobody reads goes on without the pod; who does not validate strictly drops a field that is not known. Of a device
plugin that nobody makes it is the same, be it of a network card, and of what its chart or the exporter's copies as it
stands: behind helm's `--set` and in a `set` of Terraform's `true` is a boolean (`--set-string`, `type = "string"`).

Processes that work on the GPUs of one container (torchrun, deepspeed, MPI, tensor parallelism) talk through `/dev/shm`,
and so do the workers that load their data. A container has 64 MiB of it, whatever memory the pod has: NCCL then ends
with "unhandled system error" or "No space left on device", and loaders with a bus error. It is a warning, for between
GPUs with NVLink little may pass that way. Where GPUs are shared by MPS, the device plugin mounts the daemon's own
memory there; a mount of the pod's hides it, and no process finds the daemon.

What it runs has to be there, and to fit: NVIDIA takes old CUDA images out of the registries (`nvidia/cuda` without a
tag, `nvidia/cuda:11.0-base`), and eight processes of torchrun on four GPUs, or a tensor parallelism of eight on four,
find no fifth device. `JOB_COMPLETION_INDEX` is there in the pods of a Job that says `completionMode: Indexed`: in those
of another one torchrun is given an empty rank. An image that is built for the CPU (`tensorflow/tensorflow:2.19.0`, a
tag with `cpu`) holds the GPU and never uses it, and a server that is probed at a path it does not have (`/ready` of
vLLM) answers 404 and is ended for ever. So is one that is probed at a port where it does not listen, or by a name that
no port of its container has; a Service that sends there reaches nobody (a warning where another of its ports does), and
one that is called `vllm` gives vLLM in its namespace an address as VLLM_PORT, over which it ends. A model that is
larger than the volume which its server fetches it into never comes whole. An image or a number that a template fills in
is held against nobody. `ollama run` is a client, and serves nobody where it is a container's command; Triton's image
starts no server by itself, and `nvidia-smi` ends: a Deployment starts such a container again for ever. A server that
loads a model of 14 GB and more needs its minutes: a livenessProbe without a startupProbe ends it before it answers,
again and again (a warning, for some networks are quick). vLLM refuses a `--max-model-len` beyond what its model has
places for, a tensor parallelism that does not divide its model's heads, and `--model NAME` as one entry of `args`. An
image whose name no registry can have (`ghcr.io/team//train`) never runs, and of a variable that is misspelt
(`NCCL_IB_GTD_INDEX`) NCCL says nothing. Who takes a card by hostPath, or starts a process for each of eight GPUs, and
asks for none, is counted by nobody: a warning.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nodeworthy.documents.settled import why_incomplete
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.operator.daemonset_manifest import hands_out_devices, hands_out_gpus
from nodeworthy.facts.operator.sharing import MPS, SharingConfig
from nodeworthy.facts.pod.affinity import no_affinity
from nodeworthy.facts.pod.beside_pods import ObjectOfGoneApi
from nodeworthy.facts.pod.containers import GPU, NOT_KNOWN, Container, gpu_meant_by
from nodeworthy.facts.pod.misplaced import Misplaced, misplaced_settings, why_fields_are_free
from nodeworthy.facts.pod.refused import (
    PodRefusal,
    api_gone,
    draft_of_refusals,
    is_whole,
    lacks_a_field,
    lacks_its_container,
    no_choice,
    no_pod,
    refusals,
    served_by_nobody,
    waits_for_more_than_it_has,
)
from nodeworthy.facts.pod.schema import against_the_schema, asks_in_vain, no_tolerations, served_elsewhere
from nodeworthy.facts.pod.template import OF_VALUES, PodTemplate
from nodeworthy.facts.pod.visible_devices import Choice, choices, takes_a_whole_node, why_it_decides_nothing
from nodeworthy.known.shared_memory import default_size, does_without, kinds_as_written, many_processes, mount_point
from nodeworthy.known.visible_devices import CUDAS_OWN, EVERYTHING, NOTHING, VARIABLE
from nodeworthy.records import replace
from nodeworthy.rule import Rule
from nodeworthy.verdict import (
    Draft,
    Findings,
    Known,
    Located,
    Related,
    Severity,
    fail,
    need,
    skip,
    unknown,
    value_if_known,
)

# Whose objects have pods' templates in them by the schema of Kubernetes.
_HOLD_TEMPLATES = (
    "kubeflow.org/",
    "ray.io/",
    "jobset.x-k8s.io/",
    "leaderworkerset.x-k8s.io/",
    "batch.volcano.sh/",
    "serving.kserve.io/",
    "serving.knative.dev/",
)
RULE = Rule(
    "pod-can-use-gpus",
    severity=Severity.ERROR,
    title="A GPU pod is accepted, sees the GPUs that it asked for, and can do its work",
    remedy=f"ask in the container's resources.limits, and delete {VARIABLE}: the device plugin sets it",
)

MOST_RELATED = 10
_FIELDS_MOVED = "fields may have moved: `kubectl explain` shows them"
_VOLCANOS = "volcano.sh/"
# No index has as many; a longer number is a part of a UUID.
_DIGITS = 4
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
def cuda_sees_what_it_is_given(pod: PodTemplate) -> Findings:
    if pod.live is not None or not pod.gpu_resources:
        skip("no container of it asks for GPUs here")
    for container in pod.containers:
        said = container.variable(CUDAS_OWN)
        if said is not None and container.gpu_resources and _is_everything(said):
            yield _hidden_from_cuda(pod, container, said)
        elif said is not None and (has := _counted_gpus(container)) and (indices := indices_beyond(said, has)):
            yield _beyond_them(pod, container, said, indices, has)


def _counted_gpus(container: Container) -> int:
    """How many whole GPUs it is sure to see; 0 where it may see others, or that is not known."""
    is_privileged = container.tree.get("securityContext", "privileged").value is True
    sees_more = is_privileged or container.variable(VARIABLE) is not None
    is_all = container.gpu_resources == (GPU,) and not sees_more
    return (value_if_known(container.asks_for(GPU)) or 0) if is_all else 0


def indices_beyond(said: Located[Any], has: int) -> list[str]:
    """The devices that it names and has not, where none of those that it names is there before them."""
    named = value_if_known(said)
    indices = [each.strip() for each in str(named).split(",")] if named is not None else []
    if not indices or not all(each.isdecimal() and len(each) < _DIGITS for each in indices):
        return []
    return indices if int(indices[0]) >= has else []


def _beyond_them(pod: PodTemplate, container: Container, said: Located[Any], indices: list[str], has: int) -> Draft:
    return fail(
        said,
        f"CUDA sees no GPU in {container.name} of {pod.title}: it has no device {indices[0]}",
        should=f"no {CUDAS_OWN}, or indices below {has}: {','.join(map(str, range(has)))}",
        cause=f"in a container its own GPUs are counted from 0, whichever they are on the node: of {has} the last is "
        f"{has - 1}, and CUDA ends its list at the first that is not there",
        remedy=f"delete {CUDAS_OWN}: without it CUDA takes every GPU that the container has",
    )


def _is_everything(said: Located[Any]) -> bool:
    return str(value_if_known(said)).strip().lower() == EVERYTHING


def _hidden_from_cuda(pod: PodTemplate, container: Container, said: Located[Any]) -> Draft:
    return fail(
        said,
        f"CUDA sees no GPU in {container.name} of {pod.title}: {EVERYTHING} is no device of {CUDAS_OWN}",
        should=f"no {CUDAS_OWN}, or the indices of devices (0,1)",
        cause=f"{EVERYTHING} is a word of {VARIABLE}'s; CUDA ends its list at the first that is no index and no UUID: "
        "programs find no device, or fall back to the CPU without a word",
        remedy=f"delete {CUDAS_OWN}: without it CUDA takes every GPU that the container has",
    )


@RULE.check
def it_says_so_where_it_is_read(pod: PodTemplate) -> Findings:
    if pod.live is not None:
        skip("a server keeps no field that it does not know")
    found, why = list(misplaced_settings(pod)), why_fields_are_free(pod)
    if why is not None and not found:
        skip(why)
    if not pod.uses_gpus and not any(each.asks for each in found):
        skip("nothing here asks for GPUs")
    for each in found:
        yield _not_read(pod, each)


@RULE.check
def a_node_offers_what_it_asks_for(pod: PodTemplate) -> Findings:
    if pod.live is not None:
        skip("why it waits is seen in its events")
    asked = [(each, name, amount) for each in pod.containers for name, amount in each.asked_in_vain.items()]
    if not asked:
        skip("it asks for no GPUs by a name that nothing offers")
    for container, name, amount in asked:
        should = gpu_meant_by(name)
        yield fail(
            amount.heading,
            f"{container.name} of {pod.title} asks for GPUs by a name that no node offers"
            + (f" beside {should}" if should.startswith(_VOLCANOS) else ""),
            is_=name,
            should=should,
            cause=f"Kubernetes takes any name, and waits for a node that has it: Insufficient {name}, for ever",
            remedy=f"write {should}: kubectl describe nodes | grep gpu shows what is offered",
        )


@RULE.check
def the_server_takes_it(pod: PodTemplate, every: Sequence[PodTemplate]) -> Findings:
    if pod.live is not None:
        skip("the server has taken it")
    if not (pod.uses_gpus or asks_in_vain(pod) or hands_out_gpus(pod.document) or hands_out_devices(pod.document)):
        skip("nothing here asks for GPUs")
    gone = api_gone(pod) or served_elsewhere(pod) or served_by_nobody(pod)
    if gone is not None:
        if not is_told_of_another(pod, every):
            yield _refused(pod, [gone])
        return
    why = why_fields_are_free(pod)
    if why is not None:
        skip(why)
    found = [*refusals(pod), *against_the_schema(pod)]
    if found:
        yield _refused(pod, found)


def is_told_of_another(pod: PodTemplate, every: Sequence[PodTemplate]) -> bool:
    """One object may hold several templates, and has one version."""
    first = next((each for each in every if each.uses_gpus and each.document.place == pod.document.place), pod)
    return first is not pod


@RULE.check
def what_is_applied_with_it_is_served(
    pod: PodTemplate, beside: Sequence[ObjectOfGoneApi], every: Sequence[PodTemplate]
) -> Findings:
    """Of one file, with the first of its pods that ask for GPUs."""
    path = pod.document.place.path
    first = next((each for each in every if each.uses_gpus and each.document.place.path == path), None)
    if pod.live is not None or first is not pod or not is_whole(pod):
        skip("the server has taken it, it is a patch, or nothing here asks for GPUs")
    for each in beside:
        if each.version.place.path == path and not api_gone(pod):
            yield _served_no_more(pod, each)


def _served_no_more(pod: PodTemplate, each: ObjectOfGoneApi) -> Draft:
    title, gone = f"{each.kind} '{each.name}'", each.gone
    should = f"apiVersion: {gone.now}" if gone.now else f"no {each.kind}: Kubernetes has none any more"
    return fail(
        each.version,
        f"{title} is asked for in a version of the API that is gone: {need(each.version)}",
        should=should,
        related=[Related(pod.place, f"it is applied with {pod.title}")],
        cause=f'no matches for kind "{each.kind}": Kubernetes has not served it there since {gone.until}; what applies '
        "the file ends with an error, and the object is not made",
        remedy=f"write {should} ({_FIELDS_MOVED})" if gone.now else f"take the {each.kind} away",
    )


@RULE.check
def what_others_make_of_it_is_taken(pod: PodTemplate, every: Sequence[PodTemplate]) -> Findings:
    """Kinds of others hold a pod's template as Kubernetes has it, or fail to read it. Of a chart's pods it is how they
    choose their nodes, which templates write down as the values have it (toYaml)."""
    if pod.live is not None or not pod.uses_gpus:
        skip("the server has taken it, or it asks for no GPUs")
    is_of_others = pod.document.get("apiVersion").string.startswith(_HOLD_TEMPLATES)
    if pod.elsewhere is not None:
        found = list(no_affinity(pod.spec)) if is_of_others else []
    elif pod.kind == OF_VALUES:
        found = [*no_choice(pod.spec), *no_tolerations(pod.spec), *no_affinity(pod.spec)]
    elif is_of_others:
        found = [*no_pod(pod), *no_tolerations(pod.spec), *no_affinity(pod.spec), *lacks_its_container(pod)]
        found += waits_for_more_than_it_has(pod) if not is_told_of_another(pod, every) else ()
    else:
        skip("what its fields may hold, its maker decides")
    if found:
        severity = Severity.WARNING if pod.kind == OF_VALUES else Severity.ERROR
        yield replace(_refused(pod, found), severity=severity)


@RULE.check
def it_has_what_its_kind_requires(pod: PodTemplate, every: Sequence[PodTemplate]) -> Findings:
    if pod.live is not None or not pod.uses_gpus or pod.kind == OF_VALUES:
        skip("the server has taken it, it asks for no GPUs, or it is a chart's")
    found = [] if is_told_of_another(pod, every) else list(lacks_a_field(pod))
    if found:
        yield _refused(pod, found)


def _refused(pod: PodTemplate, found: Sequence[PodRefusal]) -> Draft:
    return draft_of_refusals(
        f"the API server refuses this: {pod.title}",
        found,
        "nothing of the object is made, and no pod gets a GPU",
        "; `kubectl apply --dry-run=server -f` tells",
    )


def _not_read(pod: PodTemplate, each: Misplaced) -> Draft:
    lost = (
        "no container asks for the GPUs, and none gets one" if each.asks else f"the pod comes without its {each.name}"
    )
    return fail(
        each.tree.heading,
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


@RULE.check
def its_processes_can_talk(pod: PodTemplate) -> Findings:
    if pod.live is not None:
        skip("what its processes say is seen in its log")
    if pod.kind not in kinds_as_written() or pod.elsewhere is not None:
        skip("what makes its pods may mount a memory for them")
    asking = [each for each in pod.containers if not each.is_init and _has_several(each)]
    if not asking:
        skip("no container asks for several GPUs")
    if pod.spec.get("hostIPC").value is True or pod.spec.get("hostIPC").is_unknown:
        skip("it shares the host's memory")
    for each in asking:
        yield from _with_shared_memory(pod, each)


def _has_several(container: Container) -> bool:
    states = [container.asks_for(each).state for each in container.gpu_resources]
    return sum(each.value for each in states if isinstance(each, Known)) > 1


def _with_shared_memory(pod: PodTemplate, container: Container) -> Findings:
    program = many_processes(" ".join(" ".join(container.words).split()) + " ")
    if program is None or _may_do_without(container):
        return
    mounts = container.tree.get("volumeMounts")
    paths = (each.get("mountPath") for each in mounts.sequence)
    if why := next(filter(None, map(why_incomplete, (mounts, pod.spec.get("volumes"), *paths))), None):
        yield unknown(container, f"whether {container.name} of {pod.title} has shared memory is not known: {why}")
        return
    if _mount(container) is not None:
        return
    size, path = default_size(), mount_point()
    yield fail(
        container.place,
        f"{container.name} of {pod.title} runs {program} on several GPUs with {size} of shared memory",
        is_=f"no volume at {path}",
        should=f"an emptyDir with medium: Memory, mounted at {path}",
        cause=f"its processes talk through {path}, which is {size} in every container: NCCL ends with an unhandled "
        "system error or a segmentation fault, loaders of data with a bus error",
        remedy=f"add volumes: [{{name: shm, emptyDir: {{medium: Memory}}}}] and mount it at {path}",
        severity=Severity.WARNING,
    )


def _may_do_without(container: Container) -> bool:
    """Whether a variable says so, or what is filled in later may."""
    if NOT_KNOWN in container.words or any(each.is_unknown for each in container.tree.get("env").sequence):
        return True
    return any(_may_say(container, name, value) for name, value in does_without().items())


def _may_say(container: Container, name: str, value: str) -> bool:
    said = container.variable(name)
    return said is not None and (not isinstance(said.state, Known) or str(said.state.value) == value)


def _mount(container: Container) -> Tree | None:
    """What hides the runtime's own memory; a mount of all of /dev does, too."""
    paths = (mount_point(), mount_point().rpartition("/")[0])
    mounts = container.tree.get("volumeMounts").sequence
    return next((each for each in mounts if each.get("mountPath").string.rstrip("/") in paths), None)


@RULE.check
def it_leaves_the_daemon_its_memory(pod: PodTemplate, configs: Sequence[SharingConfig]) -> Findings:
    if pod.live is not None or not pod.gpu_resources:
        skip("it asks for no GPU")
    shared = [each for config in configs for each in config.resources() if each.means == MPS]
    if not shared or any(each.why_unread for each in configs) or any(not each.of(MPS) for each in configs):
        skip("nothing here says that all its nodes share GPUs by MPS")
    named = {need(each.name.located()) for each in shared}
    for container in pod.containers:
        mount = _mount(container)
        if mount is not None and named.intersection(container.gpu_resources):
            yield fail(
                mount.place,
                f"{container.name} of {pod.title} mounts its own {mount_point()} over that of the MPS daemon",
                is_=mount.get("mountPath").text,
                should=f"no mount at {mount_point()}",
                related=[Related(shared[0].tree.place, "GPUs are shared by MPS here")],
                cause="the device plugin mounts the daemon's shared memory there, and the pod's own hides it: CUDA "
                "finds no daemon (error 805), or no GPU at all",
                remedy="leave the volume out, or share GPUs by timeSlicing",
                severity=Severity.WARNING,
            )
