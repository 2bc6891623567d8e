"""Why no node offers GPUs by a name that pods ask for: slices of MIG, and whole GPUs for virtual machines."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from nodeworthy.facts.cluster.node_gpus import NodeGpus
from nodeworthy.facts.cluster.offered_gpus import WORKLOAD, is_for_machines
from nodeworthy.patterns import pattern

# As the device plugin for virtual machines calls what it offers: by the card's model, or by the type of a vGPU.
# Source: kubevirt-gpu-device-plugin, pkg/device_plugin (names of pci.ids, and of mdev types).
_OF_A_MODEL = pattern(r"nvidia\.com/[A-Z][A-Za-z0-9.-]{0,30}_[A-Za-z0-9_.-]{1,40}")
_SLICE = "nvidia.com/mig-"
_WANTED, _CUT = "nvidia.com/mig.config", "nvidia.com/mig.config.state"
# The layouts of the operator's own configuration that cut a GPU into slices of one kind, and of several.
_OF_ONE_KIND, _BALANCED = pattern(r"all-(?P<slice>\d{1,2}g\.\d{1,3}gb)(?P<media>\.me)?"), "all-balanced"
_SHOWN = 3


def why_no_machine_gets_one(resource: str, nodes: Collection[NodeGpus]) -> tuple[str, str] | None:
    """Why nobody offers a GPU to virtual machines, and what to do; None where it is no name of such."""
    if _OF_A_MODEL.fullmatch(resource) is None or any(map(is_for_machines, nodes)):
        return None
    with_gpus = next((node.name for node in nodes if node.has_gpus), "NODE")
    return (
        f"{resource.partition('/')[2]} is a card's model (or a vGPU's type), by which the device plugin for virtual "
        f"machines offers GPUs; it runs on nodes whose GPUs go to machines, and no node is told so: without the label "
        f"{WORKLOAD} a node's GPUs are for containers",
        f"kubectl label node {with_gpus} {WORKLOAD}=vm-passthrough (vm-vgpu for vGPUs), once no container uses its "
        "GPUs, with sandboxWorkloads.enabled=true in the ClusterPolicy: the operator then takes the driver away there "
        "and binds the cards to vfio-pci; the guest has a driver of its own, and KubeVirt's permittedHostDevices name "
        "the resource; without the operator, bind the card to vfio-pci and run kubevirt-gpu-device-plugin there",
    )


def why_no_slice(resource: str, nodes: Collection[NodeGpus]) -> tuple[str, str] | None:
    """Why nobody offers such a slice, where nodes say how they are to be cut."""
    if not resource.startswith(_SLICE):
        return None
    cut = [node for node in nodes if node.labels.get(_WANTED) and _slices(node) and node.change is None]
    otherwise = next((node for node in cut if _is_cut_otherwise(node)), None)
    if otherwise is not None:
        return _not_as_asked(otherwise)
    if not cut:
        return None
    told = [f"{node.title} is cut as {node.labels[_WANTED]}, and offers {_offers(node)}" for node in cut[:_SHOWN]]
    return (
        f"no node is cut into such slices: {'; '.join(told)}",
        f"ask for a slice that there is, or choose a layout with it: kubectl label node {cut[0].name} {_WANTED}=LAYOUT "
        "--overwrite, once nothing uses its GPUs",
    )


def _not_as_asked(node: NodeGpus) -> tuple[str, str]:
    wanted, state = node.labels[_WANTED], node.labels.get(_CUT, "")
    says = f" ({_CUT}={state})" if state else ""
    return (
        f"{node.title} is to be cut as {wanted}{says}, and still offers {_offers(node)}: the label was not brought "
        "about: the MIG manager did not act on it, or the device plugin has not looked again",
        "read where it stopped: kubectl logs -A -l app=nvidia-mig-manager --tail=50 (it acts on a change of the label: "
        f"set another value, then {wanted} again); where nvidia-smi -L on {node.name} shows the slices, restart its "
        "device plugin; a release of the MIG manager that does nothing on this system (0.14 where the host has its own "
        "driver, as on Talos): take the one before",
    )


def _is_cut_otherwise(node: NodeGpus) -> bool:
    """Whether it offers other slices than its layout certainly makes, and nobody is about to cut it."""
    offered, wanted = _slices(node), node.labels[_WANTED]
    if node.is_not_cut:
        return False
    if wanted == _BALANCED:
        return len(offered) == 1
    one = _OF_ONE_KIND.fullmatch(wanted)
    return one is not None and not one["media"] and f"{_SLICE}{one['slice']}" not in offered


def _slices(node: NodeGpus) -> Sequence[str]:
    return sorted(name for name, amount in node.capacity.items() if amount and name.startswith(_SLICE))


def _offers(node: NodeGpus) -> str:
    return ", ".join(_slices(node)[:_SHOWN]) or "no slice"
