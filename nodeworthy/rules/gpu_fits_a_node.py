"""What a pod asks for can exist on one node of the fleet.

A pod runs on one node, so that the GPUs of all its containers have to be there together. One that asks for more than
any node has, or that chooses nodes which have fewer, waits for ever, and the scheduler only says that there are too
few (`Insufficient nvidia.com/gpu`). What counts is the sum of the containers that run together, or the init container
that asks for more. Which nodes may take it is read from its nodeSelector and its required node affinity, as far as
they speak of the pool, the instance type or the GPU's product; lines that shut out nodes which are large enough are
named.

Where nothing shows the nodes, the machine counts that it names: one that does not exist (`g5.large`, `nvidia-t4`, which
GKE calls nvidia-tesla-t4), or that has fewer GPUs, takes no such pod, unless something shares them among pods. Nor is
there a node whose product is called `NVIDIA-A100` or `NVIDIA-H100-SXM4-80GB`: GPU feature discovery writes the driver's
whole name, in its case (`NVIDIA-H100-80GB-HBM3`). Nor is there a slice by MIG on a card that is never cut so: an A30
has no 1g.5gb, an H100 none of 5 GB. A pod that asks for as many CPUs as its machine has (96 of a p4d.24xlarge) fits on
none, either: kubelet keeps some, and a node's own pods ask for others.

In a cluster the nodes' own capacity counts, and only pods that no node has taken are judged.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.cluster.node_labels import INSTANCE_TYPES, POOL, PRODUCT, SHARED
from nodeworthy.facts.fleet.node_size import NodeSize
from nodeworthy.facts.gpus_in_words import gpus_in_words
from nodeworthy.facts.operator.sharing import SharingConfig
from nodeworthy.facts.pod.containers import GPU, NotAQuantity, quantity
from nodeworthy.facts.pod.node_choice import is_of_gpu_nodes
from nodeworthy.facts.pod.template import PodTemplate
from nodeworthy.known.cloud_gpus import GKE_ACCELERATOR, accelerator_meant
from nodeworthy.known.gpus import products_meant
from nodeworthy.known.instances import cpus_of, exists, gpus_of, instance_types_source, is_named_so, may_be_newer, near
from nodeworthy.known.mig import profiles_of, profiles_of_product
from nodeworthy.known.resources import mig_profile
from nodeworthy.patterns import pattern
from nodeworthy.rule import Rule
from nodeworthy.verdict import Draft, Findings, Known, Place, Related, Severity, Unknown, fail, skip, unknown

if TYPE_CHECKING:
    from fractions import Fraction

RULE = Rule(
    "gpu-fits-a-node",
    severity=Severity.ERROR,
    incident="D",
    title="What a pod asks for can exist on one node of the fleet",
    remedy="ask for no more GPUs than one node has; what needs more is several pods (a Job of workers, torchrun, MPI)",
)

# How many of them GKE's nodes of a node pool have.
GKE_COUNT = "cloud.google.com/gke-accelerator-count"
_LABELS = (POOL, *INSTANCE_TYPES, PRODUCT)
# By which a pod chooses a machine.
_MACHINES = (*INSTANCE_TYPES, GKE_ACCELERATOR)
_SHOWN, _NO_MACHINE = "the nodes themselves are shown", "it chooses no machine by its name"
# Of a profile: the engines beside its slice.
_BEHIND = pattern(r"(?:[.+-](?:me|all|gfx))+$")
# Of a product: the board, or the memory on it.
_BOARD = pattern(r"(?i)sxm|pcie|\dgb")
# Where GKE's nodes have the name of a GPU.
_NO_GPUS = ("true", "false", "yes", "present", "enabled", "gpu", "nvidia", "any")
_MOST = 6
_NEVER = "no node can ever take the pod: it stays Pending (Insufficient nvidia.com/gpu)"


@RULE.check
def one_node_has_as_many(pod: PodTemplate, sizes: Sequence[NodeSize]) -> Findings:
    if why := _why_not_asked(pod, sizes):
        skip(why)
    asked = pod.asks_for(GPU)
    least = pod.least(GPU)
    if isinstance(asked.state, Known) and not least:
        skip("it asks for no GPUs")
    willing = [size for size in sizes if size.may_run(pod.selection)]
    if not willing:
        yield from _chooses_none(pod, sizes)
        return
    if shared := next((size.shared for size in willing if size.shared), None):
        skip(shared)
    unsure = next((size for size in willing if isinstance(size.gpus.state, Unknown)), None)
    known = [(size.gpus.state.value, size) for size in willing if isinstance(size.gpus.state, Known)]
    most, largest = max(known, key=lambda each: each[0], default=(0, None))
    if least <= most and isinstance(asked.state, Unknown):
        yield unknown(asked, f"how many GPUs {pod.title} asks for together is not known: {asked.state.why}")
    elif least > most and unsure is not None:
        why = unsure.gpus.state.why if isinstance(unsure.gpus.state, Unknown) else ""
        yield unknown(_where(pod), f"whether {unsure.title} has {least} GPUs in a node is not known: {why}")
    elif least > most and largest is not None:
        larger = [size for size in sizes if size not in willing and _has(size, least)]
        yield fail(
            _where(pod),
            f"{pod.title} asks for more GPUs than any node has that may take it",
            is_=gpus_in_words(least),
            should=f"at most {most}: the largest such node is of {largest.title}"
            if largest.noun != "node"
            else f"at most {most}, as {largest.title} has",
            related=[*(_says(size) for size in willing[:_MOST]), *_shut_out(pod, larger)],
            remedy=f"choose nodes that have {least} GPUs, or ask for at most {most} in one pod" if larger else None,
            cause=_NEVER,
            victims=pod.live.unscheduled if pod.live is not None else (),
            severity=Severity.WARNING if largest.is_of_a_root else Severity.ERROR,
        )


@RULE.check
def the_machine_that_it_chooses_has_as_many(
    pod: PodTemplate, size: NodeSize | None, sharing: SharingConfig | None
) -> Findings:
    """Where nothing shows the nodes, by the machine that it names."""
    if size is not None:
        skip(_SHOWN)
    if pod.live is not None or sharing is not None or GPU not in pod.gpu_resources:
        skip("it asks for no whole GPUs, or what shares them may make more of them")
    chosen = _machines_chosen(pod)
    least = pod.least(GPU)
    if chosen is None:
        skip(_NO_MACHINE)
    if least <= chosen[1]:
        return
    label, most, named = chosen
    yield fail(
        _where(pod),
        f"{pod.title} asks for more GPUs than the machine has that it chooses",
        is_=gpus_in_words(least),
        should=f"at most {most}, as {named} has",
        related=[Related(pod.selection.where(label).place, "it chooses its nodes here")],
        cause=_NEVER,
        remedy=f"choose nodes that have {least} GPUs, or ask for at most {most} in one pod",
    )


@RULE.check
def the_machine_that_it_chooses_exists(pod: PodTemplate, size: NodeSize | None) -> Findings:
    """A pod that names several machines needs only one of them to exist."""
    if size is not None:
        skip(_SHOWN)
    if pod.live is not None or not pod.uses_gpus:
        skip("it asks for no GPUs")
    chosen = [(label, named) for label in _MACHINES if (named := list(pod.selection.wanted(label)))]
    if not chosen:
        skip(_NO_MACHINE)
    for label, named in chosen:
        if all(_is_no_machine(label, each) for each in named):
            meant = _accelerator_meant(named[0]) if label == GKE_ACCELERATOR else next(iter(near(named[0])), None)
            yield fail(
                pod.selection.where(label).place,
                f"{pod.title} asks for GPUs on nodes of a {_kind_of(label)} that does not exist",
                is_=f"{label}: {' or '.join(named)}",
                should=f"{meant}, perhaps" if meant else f"a type of {instance_types_source()}",
                cause="no node ever has this label: the pod stays Pending (didn't match Pod's node affinity/selector)",
                remedy=f"write it as the nodes have it: kubectl get nodes -L {label}",
            )


@RULE.check
def the_card_that_it_chooses_is_called_so(pod: PodTemplate, size: NodeSize | None) -> Findings:
    """A pod that names several products needs only one of them to be a node's."""
    if size is not None or pod.live is not None or not pod.uses_gpus:
        skip(_SHOWN if size is not None else "it asks for no GPUs, or what its nodes are called is seen there")
    named = list(pod.selection.wanted(PRODUCT))
    meant = [products_meant(each.removesuffix(SHARED)) for each in named]
    if not named:
        skip("it chooses no product by its name")
    if not all(meant):
        return
    should = dict.fromkeys(each for products in meant for each in products)
    yield fail(
        pod.selection.where(PRODUCT).place,
        f"{pod.title} asks for GPUs on nodes of a product that no node is labelled with",
        is_=f"{PRODUCT}: {' or '.join(named)}",
        should=" or ".join(should),
        cause="GPU feature discovery writes the whole name that the driver gives the card, in its case: the pod stays "
        "Pending (didn't match Pod's node affinity/selector), unless somebody labels nodes by hand",
        remedy=f"write it as the nodes have it: kubectl get nodes -L {PRODUCT}",
        # Whoever labels nodes by hand may call them by the GPU alone.
        severity=Severity.ERROR if all(_BOARD.search(each) for each in named) else Severity.WARNING,
    )


@RULE.check
def the_machine_that_it_chooses_has_its_cpus(pod: PodTemplate) -> Findings:
    """A whole machine's CPUs are more than any pod gets of it: kubelet keeps some, and so do a node's own pods."""
    if pod.live is not None or not pod.gpu_resources or pod.elsewhere is not None:
        skip("it asks for no GPUs, or others say how many CPUs")
    named = [each for label in INSTANCE_TYPES for each in pod.selection.wanted(label)]
    cpus = {each: cpus_of(each) for each in named}
    asked = _cpus_asked(pod)
    most = max((count for count in cpus.values() if count is not None), default=0)
    if not named or None in cpus.values() or not asked or sum(amount for amount, _ in asked) < most:
        skip("it chooses no machine of which the CPUs are known, or has room on it")
    together, (_, tree) = sum(amount for amount, _ in asked), max(asked, key=lambda each: each[0])
    largest = next(each for each, count in cpus.items() if count == most)
    yield fail(
        tree.place,
        f"{pod.title} asks for {'more CPUs than the machine has' if together > most else 'all CPUs of the machine'} "
        "that it chooses",
        is_=f"{float(together):g} CPUs",
        should=f"less than {most}, which is all that {largest} has",
        related=[Related(pod.selection.where(label).place, "it chooses its nodes here") for label in _chosen_by(pod)],
        cause="kubelet keeps some of a node's CPUs for itself (EKS tells it to), and DaemonSets ask for others: the "
        "pod stays Pending (Insufficient cpu)",
        remedy=f"ask for some CPUs less than {most}: kubectl describe node shows what is Allocatable",
        severity=Severity.ERROR if together > most else Severity.WARNING,
    )


def _chosen_by(pod: PodTemplate) -> list[str]:
    return [label for label in INSTANCE_TYPES if any(pod.selection.wanted(label))][:1]


def _cpus_asked(pod: PodTemplate) -> list[tuple[Fraction, Tree]]:
    """By what runs together; a limit alone is asked for, too. Nothing of a pod of which one is not known."""
    found = []
    for container in pod.containers:
        asked = container.requests.get("cpu")
        tree = container.limits.get("cpu") if asked.is_absent else asked
        if container.is_init and not container.is_sidecar:
            continue
        try:
            found.append((quantity(tree.value if not tree.is_absent else 0), tree))
        except NotAQuantity:
            return []
    return found


@RULE.check
def its_slices_are_of_the_card_that_it_chooses(pod: PodTemplate) -> Findings:
    asked = {name: profile for name in pod.gpu_resources if (profile := mig_profile(name))}
    if pod.live is not None or not asked:
        skip("it asks for no slices, or what its nodes have is seen in the cluster itself")
    for label, has in ((PRODUCT, profiles_of_product), *((each, _profiles_of_type) for each in INSTANCE_TYPES)):
        wanted = list(pod.selection.wanted(label))
        of_each = [has(each) for each in wanted]
        if not wanted or not all(of_each):
            continue
        there = frozenset[str]().union(*of_each)
        for name in (each for each, profile in asked.items() if _BEHIND.sub("", profile) not in there):
            yield _of_another_card(pod, name, label, wanted, there)
        return


def _profiles_of_type(instance_type: str) -> frozenset[str]:
    has = gpus_of(instance_type)
    return profiles_of(has.gpu, has.memory) if has is not None else frozenset()


def _of_another_card(pod: PodTemplate, name: str, label: str, wanted: Sequence[str], there: frozenset[str]) -> Draft:
    asking = next(each for each in pod.containers if name in each.gpu_resources)
    return fail(
        asking.asks_for(name).place,
        f"{pod.title} asks for a slice into which the GPUs that it chooses are never cut",
        is_=name,
        should=f"nvidia.com/mig- and one of {', '.join(sorted(there))}",
        related=[Related(pod.selection.where(label).place, f"it chooses {label}: {' or '.join(wanted)}")],
        cause=f"no node with this GPU ever offers {name}: the pod stays Pending (Insufficient {name})",
        remedy="ask for a profile of this GPU (nvidia-smi mig -lgip lists them), or choose nodes of another",
    )


def _kind_of(label: str) -> str:
    return "GPU" if label == GKE_ACCELERATOR else "type"


def _accelerator_meant(value: str) -> str | None:
    return "nvidia-l4" if value.lower() in _NO_GPUS else accelerator_meant(value)


def _is_no_machine(label: str, value: str) -> bool:
    if label == GKE_ACCELERATOR:
        return _accelerator_meant(value) is not None
    return is_named_so(value) and not exists(value) and not may_be_newer(value)


def _machines_chosen(pod: PodTemplate) -> tuple[str, int, str] | None:
    """The label by which it chooses, the most GPUs that a node has which is chosen so, and its name there. None where a
    value is not known, or of something of which the GPUs are not."""
    for label in (*INSTANCE_TYPES, GKE_COUNT):
        named = list(pod.selection.wanted(label))
        counts = [(count, each) for each in named if (count := _gpus_of(label, each)) is not None]
        if named and len(counts) == len(named):
            most, name = max(counts)
            return label, most, name if label != GKE_COUNT else f"a node with {label}={name}"
    return None


def _gpus_of(label: str, value: str) -> int | None:
    if label == GKE_COUNT:
        return int(value) if value.isdecimal() else None
    has = gpus_of(value)
    return has.count if has is not None else None


def _why_not_asked(pod: PodTemplate, sizes: Sequence[NodeSize]) -> str:
    """Empty where it asks for GPUs, and of these nodes."""
    if pod.live is not None and not pod.live.unscheduled:
        return "a node has taken it"
    if GPU not in pod.gpu_resources:
        return "it asks for no whole GPUs"
    if any(each.miscounts(GPU) for each in pod.containers):
        return "what it asks for is no number of GPUs"
    return _why_elsewhere(pod, sizes)


def _why_elsewhere(pod: PodTemplate, sizes: Sequence[NodeSize]) -> str:
    """Why nodes that nothing here shows may be meant, where no fleet says that these are all; empty where none are."""
    if not any(size.is_inferred for size in sizes):
        return ""
    for label in pod.selection.labels:
        if not is_of_gpu_nodes(label) and not any(label in size.labels for size in sizes):
            return f"it chooses nodes by {label}, which none of those has that are asked for here"
    if not any(size.may_run(pod.selection) for size in sizes):
        return "it chooses none of the nodes that are asked for here"
    return ""


def _chooses_none(pod: PodTemplate, sizes: Sequence[NodeSize]) -> Findings:
    label = next((each for each in _LABELS if any(pod.selection.wanted(each))), POOL)
    wanted = " or ".join(pod.selection.wanted(label)) or "none of them"
    yield fail(
        pod.selection.where(label).place,
        f"{pod.title} asks for GPUs on nodes that are not there",
        is_=f"{label}: {wanted}",
        should=" or ".join(dict.fromkeys(_label_or_gpu(size, label) for size in sizes)),
        related=[_says(size) for size in sizes[:_MOST]],
        cause="no node can ever take the pod: it stays Pending (didn't match Pod's node affinity/selector)"
        if pod.live is not None
        else _NEVER,
        remedy=f"choose {label} of a node that is there, or label the nodes that are meant"
        if pod.live is not None
        else "choose nodes that the fleet has, or declare the pool in the fleet",
        victims=pod.live.unscheduled if pod.live is not None else (),
    )


def _label_or_gpu(size: NodeSize, label: str) -> str:
    return size.labels.get(label) or size.gpu or size.title


def _says(size: NodeSize) -> Related:
    node = size.title if size.noun == "node" else f"a node of {size.title}"
    return Related(size.gpus.place, f"{node} has {gpus_in_words(size.gpus.shown())}")


def _has(size: NodeSize, amount: int) -> bool:
    return isinstance(size.gpus.state, Known) and size.gpus.state.value >= amount


def _shut_out(pod: PodTemplate, larger: Sequence[NodeSize]) -> Iterator[Related]:
    """The lines by which it does not take nodes that are large enough."""
    for size in larger[:_MOST]:
        refused = {label: value for label, value in size.labels.items() if pod.selection.refuses(label, value)}
        for label, value in (refused or {PRODUCT: size.gpu or ""}).items():
            has = f"{gpus_in_words(size.gpus.shown())}, {label}={value}"
            yield Related(pod.selection.where(label).place, f"its {label} shuts out {size.title} ({has})")


def _where(pod: PodTemplate) -> Place:
    """The container that asks for the most of them, among those that ask for too many together."""
    asking = [each for each in pod.containers if GPU in each.gpu_resources]
    counted = [(state.value if isinstance(state := each.asks_for(GPU).state, Known) else 0, each) for each in asking]
    together = [(amount, each) for amount, each in counted if not each.is_init or each.is_sidecar]
    if sum(amount for amount, _ in together) == pod.least(GPU):
        counted = together
    return max(counted, key=lambda each: each[0])[1].asks_for(GPU).place
