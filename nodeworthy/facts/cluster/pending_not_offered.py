"""Pods that wait for GPUs which no node offers: there is none, or what should offer them does not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nodeworthy.facts.cluster.cut_in_vain import link_of_cut, why_cut_in_vain
from nodeworthy.facts.cluster.missing_plugin import how_to_bring_one, no_plugin, what_karpenter_makes
from nodeworthy.facts.cluster.no_library import without_library
from nodeworthy.facts.cluster.node_gpus import NodeGpus
from nodeworthy.facts.cluster.node_labels import waits_for_an_installer
from nodeworthy.facts.cluster.offered_gpus import (
    OWN_PLUGIN_IS_SILENT,
    RESTART_OWN_PLUGIN,
    WORKLOAD,
    fares,
    first_missing,
    is_for_machines,
)
from nodeworthy.facts.cluster.pending_cause import PendingCause
from nodeworthy.facts.cluster.pending_kept_away import (
    SET_BY_KUBERNETES,
    SHOWN,
    is_of_discovery,
    what_does_not_clear_it,
    while_it_starts,
)
from nodeworthy.facts.cluster.pending_world import PendingWorld
from nodeworthy.facts.cluster.pod import ClusterPod
from nodeworthy.facts.cluster.stack_daemonset import StackDaemonSet
from nodeworthy.facts.cluster.starters_words import is_about_gpus, no_node_by_its_log
from nodeworthy.facts.cluster.telling_words import telling_part
from nodeworthy.facts.cluster.unoffered_names import why_no_machine_gets_one, why_no_slice
from nodeworthy.facts.pod.containers import GPU, holds_a_gpu
from nodeworthy.known.evidence import in_text
from nodeworthy.known.node_signs import has_a_card_of_no_vendor, labelled_with_more
from nodeworthy.known.platforms import platforms
from nodeworthy.known.scaling import worker_of_taint
from nodeworthy.verdict import NOWHERE, Related, fail

WHY_NONE_IS_FOUND = (
    "it found no GPU (the driver is not loaded, or the plugin's pod does not get the NVIDIA runtime, by its "
    "runtimeClassName or by default), or kubelet has lost it since it registered"
)
_NO_INSTALLER = (
    "Google installs no driver for this pool (its nodes have no label cloud.google.com/gke-gpu-driver-version), and "
    "its device plugin waits for one: the nvidia-driver-installer DaemonSet has to bring it, and is not there or not "
    "done"
)
_INSTALL_IT = (
    "let Google install it: a pool with --accelerator type=…,count=…,gpu-driver-version=default (gcloud container "
    "node-pools update takes it, too); or kubectl apply Google's nvidia-driver-installer (daemonset-preloaded.yaml of "
    "cos or ubuntu in container-engine-accelerators), and see that its pods are ready on these nodes"
)
_BY_CLAIMS = (
    "NVIDIA's DRA driver hands out the GPUs of node {} by claims, and no device plugin offers them by a name; a "
    "DeviceClass's extendedResourceName stands for that name only where the feature gate DRAExtendedResource is on, "
    "which it is not by default before Kubernetes 1.36"
)
_CLAIM_THEM = (
    "let the pods claim them (resourceClaims of the pod, resources.claims of the container, by a ResourceClaimTemplate "
    "of the class gpu.nvidia.com) instead of asking for nvidia.com/gpu; or turn DRAExtendedResource on in API server, "
    "controller manager, scheduler and kubelet (1.34 and newer), with extendedResourceName: nvidia.com/gpu in the "
    "class; or let NVIDIA's device plugin offer them, and not both"
)
_NOBODY_TELLS = "nothing is here that would tell, neither a device plugin nor feature discovery"
_UNLABELLED = "feature discovery has labelled none, and by its labels the GPU operator knows nodes with GPUs"
_NO_DISCOVERY = "no node bears any label of feature discovery, so nothing in this cluster sets that one"
_BRING_DISCOVERY = (
    "install what sets it, Node Feature Discovery: nfd.enabled=true in the operator's chart, gfd.enabled=true in the "
    "plugin's own, which brings it along"
)
_LABEL_THEM = (
    "where a node has them already, see that feature discovery's master and workers run and may come to it: kubectl "
    "get pods -A -o wide | grep feature-discovery"
)
_NOT_WELL = "its own words say why"
_LOST = "kubelet has lost it since it registered, as its log says that it did"
_LOOK_FOR_A_PLUGIN = (
    "look at the device plugin's DaemonSet and its pods: kubectl get daemonsets,pods -A | grep device-plugin"
)
_OF_NO_VENDOR = (
    "{} has a 3D controller, and NFD's label does not say whose: the operator looks for NVIDIA's vendor id "
    "(pci-10de.present, pci-0302_10de.present), and brings nothing to a node without it"
)
_OF_A_LONGER_NAME = (
    "NFD tells of the card by {}, and the operator looks for pci-10de.present (or pci-0302_10de.present, "
    "pci-0300_10de.present): it brings nothing to such a node, and takes away what it brought"
)
NAME_IT_ALONE = (
    "let NFD write the vendor alone: sources.pci.deviceLabelFields: [vendor] in its worker's configuration (of "
    "OpenShift's NodeFeatureDiscovery: workerConfig.configData), or let a NodeFeatureRule write pci-10de.present; to "
    "be sure: kubectl get node NODE --show-labels | tr , '\\n' | grep 10de"
)
_NAME_THE_VENDOR = (
    "let NFD's labels hold the vendor: sources.pci.deviceLabelFields: [vendor] in its worker's configuration, or leave "
    "it to the chart's default; then lspci -nn -d 10de: on the node shows whether the card is NVIDIA's"
)
_IF_IT_DOES_NOT_END = (
    "where it does not end, whoever does it gave up: kubectl logs -A -l app=nvidia-mig-manager --tail=50 for MIG (it "
    "waits for another value of nvidia.com/mig.config: set one, and then the wanted one again); for a driver: kubectl "
    "get nodes -L nvidia.com/gpu-driver-upgrade-state"
)


def not_offered(resource: str, world: PendingWorld) -> PendingCause:
    others = sorted(name for name in world.resources if holds_a_gpu(name))
    have = [node for node in world.nodes.values() if node.has_gpus]
    named = why_no_machine_gets_one(resource, have) or why_no_slice(resource, have) if have else None
    if have and all(map(is_for_machines, have)):
        cause, remedy = _of_machines(have)
    elif named is not None:
        cause, remedy = named
    elif others:
        cause = f"nodes offer {', '.join(others)}: the device plugin's config (MIG, sharing) names them so"
        remedy = f"ask for {others[0]}, or let the device plugin offer {resource}"
    elif resource == GPU and world.by_claims and not _has_plugins(world):
        cause, remedy = _BY_CLAIMS.format(", ".join(map("'{}'".format, world.by_claims[:SHOWN]))), _CLAIM_THEM
    elif have:
        cause, remedy = _of_their_plugin(have, world)
    elif unnamed := [node for node in world.nodes.values() if has_a_card_of_no_vendor(node.labels)]:
        cause, remedy = _OF_NO_VENDOR.format(unnamed[0].title), _NAME_THE_VENDOR
    else:
        cause, remedy = _of_no_node(world)
    return PendingCause(
        ("not offered", resource),
        fail(
            NOWHERE,
            f"no node offers {resource}",
            is_=f"{resource} on none of {len(world.nodes)} nodes",
            should=f"a node with {resource}",
            cause=cause,
            remedy=remedy,
            related=tuple(
                Related(each.place, f"{each.title} has {each.gpu or 'GPUs'} and offers none") for each in have[:SHOWN]
            )
            if not others
            else (),
            victims=() if others else _stuck(world),
            link="pod" if others else link_of_cut(have, list(_beside(world))),
            nodes=[each.name for each in have],
        ),
        more_nodes_help=not others and not have,
    )


def _of_machines(have: Sequence[NodeGpus]) -> tuple[str, str]:
    whose = "the only node that has" if len(have) == 1 else f"all {len(have)} nodes that have"
    cause = (
        f"the GPUs of {whose} some go to virtual machines ({WORKLOAD}={have[0].labels[WORKLOAD]}): the operator binds "
        "them to vfio-pci or NVIDIA's vGPU manager, and its device plugin for KubeVirt offers them by their models' "
        "names; containers get none"
    )
    return cause, (
        f"start a node whose GPUs are for containers, or give one back: kubectl label node {have[0].name} "
        f"{WORKLOAD}=container --overwrite, once no machine uses them"
    )


def _of_no_node(world: PendingWorld) -> tuple[str, str]:
    start = "start a node with GPUs: look at the node group's size and at the autoscaler"
    plugin, words = world.telling_plugin or (None, "")
    if not words and (own := _of_ones_own(world)) is not None:
        return own
    if plugin is not None:
        return _by_a_plugin(plugin, words, start)
    if not world.placeless:
        return _no_machine(world) or _nobody_tells(world, start)
    first = world.placeless[0]
    cause, label = f"no node tells of GPUs, and {_chooses(first)}", _label_it(first)
    # A label that nothing sets by itself was forgotten rather than the machines. Discovery labels each node it sees.
    is_discoverys = any(map(is_of_discovery, first.choice.selection.labels))
    if is_discoverys and not any(is_of_discovery(name) for node in world.nodes.values() for name in node.labels):
        return f"{cause}; {_NO_DISCOVERY}", f"{_BRING_DISCOVERY}; {label}; else {start}"
    return cause, f"{start}; {label}" if is_discoverys else f"{label}; else {start}"


def _no_machine(world: PendingWorld) -> tuple[str, str] | None:
    """What Karpenter's newest claim of a machine with NVIDIA GPUs came to, where no pod is told of it; or what it, or
    the Cluster Autoscaler, says in its log."""
    short = world.events.short.items()
    said = max((each for name, each in short if is_about_gpus(name, each[1])), default=None)
    known = next((each.evidence for each in in_text(said[1])), None) if said is not None else None
    if said is None or known is None:
        return no_node_by_its_log(world.starters_say)
    words = telling_part(said[1]).rstrip(".")
    return f"no node has GPUs; Karpenter tried to start one: {known.why}; it said: {words}", known.mending


def _nobody_tells(world: PendingWorld, start: str) -> tuple[str, str]:
    """Where nothing was installed that tells of GPUs, a node may have some all the same."""
    says = "no node tells of GPUs, or none has started yet"
    labels = (name for node in world.nodes.values() for name in node.labels)
    if not world.unoffered.without_plugin or any(map(is_of_discovery, labels)):
        return says, start
    if world.unoffered.operator is not None:
        return f"{says}; {_UNLABELLED}", f"{start}; {_LABEL_THEM}"
    return f"{says}; {_NOBODY_TELLS}", f"{start}; where a node has them already: {how_to_bring_one(None)}"


def _of_ones_own(world: PendingWorld) -> tuple[str, str] | None:
    """What is so of a cluster on one's own machine, for which nobody starts nodes."""
    of = [platforms().get(each.platform) for each in world.nodes.values()]
    own = of[0] if of else None
    if own is None or not all(each is not None and each.is_ones_own for each in of):
        return None
    return f"no node tells of GPUs: {own.why}", own.remedy


def _by_a_plugin(plugin: ClusterPod, words: str, start: str) -> tuple[str, str]:
    """Nothing labels nodes where the plugin is all that was installed: it alone says of a node that GPUs are missed."""
    known = next((each.evidence for each in in_text(words)), None)
    where = f"where node '{plugin.node}' has GPUs"
    if known is None:
        ready, read = (WHY_NONE_IS_FOUND, read_which(plugin)) if plugin.ready else (_NOT_WELL, _read_why(plugin))
        return (
            f"no node tells of GPUs, and none may have started yet; {where}, its device plugin offers none: "
            f"{fares([plugin])}: {ready}",
            f"{where}: {read}; else {start}",
        )
    return (
        f"no node tells of GPUs, and none may have started yet; {where}, its device plugin says why they are not "
        f"offered: {fares([plugin])}: {known.why}; it said: {words}",
        f"{where}: {known.mending}; else {start}",
    )


def _chooses(plugin: StackDaemonSet) -> str:
    """Why the plugin comes to no node: none has the label that it goes by."""
    return (
        f"the device plugin {plugin.namespace}/{plugin.name}, which offers them, comes to none: it chooses nodes by "
        f"{plugin.choice.shown}, and none has that"
    )


def _by_taints(
    says: str, have: Sequence[NodeGpus], plugin: StackDaemonSet, world: PendingWorld
) -> tuple[str, str] | None:
    """A taint that keeps the plugin away keeps most others away, too, and with them the labels that it chooses by."""
    away = [plugin.choice.kept_away(node) for node in have]
    taint = next((each for taints in away for each in taints if not SET_BY_KUBERNETES.get(each.key)), None)
    if taint is None or not all(away):
        return None
    who = worker_of_taint(taint.key)
    _, remedy = while_it_starts(taint) or (
        "",
        f"let the GPU stack's parts tolerate {taint} (tolerations of the chart, of NFD's worker, too), or remove it",
    )
    waits = f", which {who} takes away once its work there is done" if who else ""
    return (
        f"{says} them: {have[0].title} has the taint {taint}{waits}: the device plugin "
        f"{plugin.namespace}/{plugin.name} does not tolerate it, nor may what labels nodes for it"
        + what_does_not_clear_it(taint, world),
        remedy,
    )


def _label_it(plugin: StackDaemonSet) -> str:
    selection = plugin.choice.selection
    if selection.selector and not selection.terms and not any(map(is_of_discovery, selection.selector)):
        wanted = plugin.choice.shown.replace(",", "")
        return f"label each node with GPUs, as nothing does so by itself: kubectl label node NODE {wanted}"
    return (
        "where a node has GPUs already, give it the label, or let Node Feature Discovery do so: kubectl get nodes -L "
        + ",".join(plugin.choice.selection.labels)
    )


def _beside(world: PendingWorld) -> Iterator[ClusterPod]:
    return (pod for name in sorted(world.unoffered.nodes) for pod in world.unoffered.beside.get(name, ()))


def _stuck(world: PendingWorld) -> tuple[str, ...]:
    """What should bring their GPUs to the cluster, and does not run."""
    found = world.unoffered
    pods = (pod for name in sorted(found.nodes) for on in (found.beside, found.plugins_on) for pod in on.get(name, ()))
    return tuple(pod.object for pod in pods if not pod.ready)


def _has_plugins(world: PendingWorld) -> bool:
    return any(map(bool, world.unoffered.plugins_on.values())) or bool(world.placeless)


def _of_their_plugin(have: Sequence[NodeGpus], world: PendingWorld) -> tuple[str, str]:
    """Why GPUs that are there are not offered: what does not run beside the plugin comes first, it waits for that."""
    found = world.unoffered
    plugins = [pod for name in sorted(found.nodes) for pod in found.plugins_on.get(name, ())]
    beside = [pod for name in sorted(found.nodes) for pod in found.beside.get(name, ())]
    says = (
        "one node has GPUs, and does not offer" if len(have) == 1 else f"{len(have)} nodes have GPUs, and none offers"
    )
    change = next((node.change for node in have), None) if not plugins else None
    if change is not None:
        return f"{says} them: {change}, and the operator starts the plugin again once that is done", _IF_IT_DOES_NOT_END
    if not plugins and beside:
        return _by_its_words(f"{says} them: no device plugin has registered there; {fares(beside)}", beside[0], world)
    if not plugins and (away := _comes_to_none(says, have, world)):
        return away
    if not plugins and found.with_own_plugin:
        return f"{says} them: {OWN_PLUGIN_IS_SILENT}", RESTART_OWN_PLUGIN
    if not plugins and (labelled := _by_their_labels(says, have)):
        return labelled
    if not plugins and found.without_plugin:
        there = f"{no_plugin(found.operator)}{what_karpenter_makes(have[0].labels)}"
        return f"{says} them: there is {there}", how_to_bring_one(found.operator)
    if not plugins:
        return f"{says} them: no device plugin has registered there", _LOOK_FOR_A_PLUGIN
    missed = first_missing(beside)
    if plugins[0].ready and missed is not None:
        return _by_its_words(f"{says} them: {fares(plugins)}, and finds none: {fares([missed])}", missed, world)
    if plugins[0].ready:
        why, remedy = why_it_offers_none(have, plugins[0], found.words.get(plugins[0].object, ""))
        return f"{says} them: {fares(plugins)}, and offers none: {why}", remedy
    waits = f"; beside it {fares(beside)}" if beside else ""
    return _by_its_words(
        f"{says} them: their device plugin does not work: {fares(plugins)}{waits}", (*beside, *plugins)[0], world
    )


def _comes_to_none(says: str, have: Sequence[NodeGpus], world: PendingWorld) -> tuple[str, str] | None:
    """Why a plugin that is there comes to none of these nodes."""
    tainted = (_by_taints(says, have, each, world) for each in (*world.placeless[:1], *world.plugins))
    if told := next(filter(None, tainted), None):
        return told
    placeless = next(iter(world.placeless), None)
    return (f"{says} them: {_chooses(placeless)}", _label_it(placeless)) if placeless is not None else None


def _by_their_labels(says: str, have: Sequence[NodeGpus]) -> tuple[str, str] | None:
    """What feature discovery says of them is enough to tell why they offer none."""
    if (cut := why_cut_in_vain(have)) is not None:
        return f"{says} them: {cut[0]}", cut[1]
    labelled = why_unlabelled(have)
    return (f"{says} them: no device plugin has registered there; {labelled[0]}", labelled[1]) if labelled else None


def why_unlabelled(have: Sequence[NodeGpus]) -> tuple[str, str] | None:
    """Why the operator brings nothing to nodes that NFD labels otherwise than it knows them, and what to do."""
    label = next(filter(None, (labelled_with_more(node.labels) for node in have)), "")
    return (_OF_A_LONGER_NAME.format(label), NAME_IT_ALONE) if label else None


def _by_its_words(cause: str, pod: ClusterPod, world: PendingWorld) -> tuple[str, str]:
    """The cause with what is known of the plugin's last words."""
    words = telling_part(pod.last_words or world.unoffered.words.get(pod.object, ""))
    told = f"; it said: {words}" if words and words not in cause else ""
    known = next((each.evidence for each in in_text(words)), None)
    hangs, remedy = world.unoffered.hangs.get(pod.object, ("", ""))
    if hangs and known is None:
        return f"{cause}: {hangs}{told}", remedy
    if known is None or known.is_symptom:
        return f"{cause}{told}", _read_why(pod)
    why, mending = without_library(pod, known, _runtime_of(pod, world)) or (known.why, known.mending)
    return f"{cause}; {why}{told}", mending


def _runtime_of(pod: ClusterPod, world: PendingWorld) -> str:
    return world.nodes[pod.node].starts_containers if pod.node in world.nodes else ""


def _read_why(pod: ClusterPod) -> str:
    verb = "logs --previous" if pod.restarts else "logs" if pod.ready else "describe pod"
    return f"read why: kubectl {verb} -n {pod.namespace} {pod.name}"


def why_it_offers_none(nodes: Sequence[NodeGpus], plugin: ClusterPod, words: str) -> tuple[str, str]:
    """Why a plugin that runs offers no GPU, and what to do."""
    if (cut := why_cut_in_vain(nodes)) is not None:
        return cut
    known = next((each.evidence for each in in_text(words)), None)
    if known is not None:
        why, mending = without_library(plugin, known, nodes[0].starts_containers) or (known.why, known.mending)
        return f"{why}; it said: {words}", mending
    if words:
        return f"{_LOST}: {words}", f"restart it: kubectl delete pod -n {plugin.namespace} {plugin.name}"
    if all(waits_for_an_installer(node.labels) for node in nodes):
        return _NO_INSTALLER, f"{_INSTALL_IT}; to be sure: kubectl logs -n {plugin.namespace} {plugin.name}"
    return WHY_NONE_IS_FOUND, read_which(plugin)


def read_which(pod: ClusterPod) -> str:
    """One that runs tells in its log whether it found any, and whether it told kubelet."""
    at = f"-n {pod.namespace} {pod.name}"
    return f"read which: kubectl logs {at}; where it says `Registered device plugin`: kubectl delete pod {at}"


def nobody_shares(resource: str) -> PendingCause:
    return PendingCause(
        ("not shared", resource),
        fail(
            NOWHERE,
            f"they ask for {resource}, which only HAMi gives, and no HAMi is in the cluster",
            is_=f"{resource} on no node",
            should="HAMi, or pods that ask for whole GPUs",
            cause="shares of a GPU are handed out by HAMi's scheduler and device plugin alone",
            remedy=f"install HAMi, or leave {resource} out of the pods",
        ),
    )
