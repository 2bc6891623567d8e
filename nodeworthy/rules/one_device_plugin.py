"""Exactly one device plugin advertises a resource on a node.

Two of them (the operator's and NVIDIA's own manifest, or HAMi's beside either) register the same `nvidia.com/gpu` with
kubelet: the one that came last wins until the other starts again, and GPUs are handed out twice, or a restart
brings the count of physical GPUs back where shared ones were promised. The operator deploys its own plugin unless
`devicePlugin.enabled` is false, or a node says `nvidia.com/gpu.deploy.device-plugin=false`. Bottlerocket's images for
NVIDIA, those of EKS Auto Mode among them, run one as a service of the host, and GKE runs its own on nodes without the
label gke-no-default-nvidia-gpu-device-plugin: a second one beside it is a warning. With none of them nobody counts the
GPUs of a node, and no pod can have one; nor does one count that does not mount the folder of kubelet's socket, for it
has nowhere to register. Google's plugin on nodes that are not GKE's hands out devices without the driver's libraries,
unless it is told where these lie, or Google's installer puts them where it looks: that is a warning.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, product

from nodeworthy.documents.settled import settle, why_incomplete
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.cluster.missing_plugin import how_to_bring_one, no_plugin, what_karpenter_makes
from nodeworthy.facts.cluster.node import ClusterNode
from nodeworthy.facts.cluster.node_gpus import NodeGpus
from nodeworthy.facts.cluster.offered_gpus import OWN_PLUGIN_IS_SILENT, RESTART_OWN_PLUGIN, OfferedGpus
from nodeworthy.facts.cluster.pending_kept_away import is_a_cordon
from nodeworthy.facts.cluster.pending_not_offered import NAME_IT_ALONE, why_unlabelled
from nodeworthy.facts.cluster.plugins_on_nodes import PluginsOnNodes
from nodeworthy.facts.operator.daemonset_manifest import DaemonSetManifest, Part
from nodeworthy.facts.operator.device_plugins import Advertiser, DevicePlugins, PluginBesideImage, meet
from nodeworthy.facts.pod.node_choice import Selection, labels_asked_for
from nodeworthy.known.node_signs import OF_NVIDIA, labelled_by_class
from nodeworthy.known.operator_parts import DEPLOY, DEVICE_PLUGIN, NO_PLUGIN_OF_GKE
from nodeworthy.rule import Rule
from nodeworthy.verdict import Draft, Findings, Known, Located, Related, Severity, Unknown, fail, need, unknown

RULE = Rule(
    "one-device-plugin",
    severity=Severity.ERROR,
    incident="B",
    title="Exactly one device plugin advertises a resource on a node",
    remedy="keep one of them: set devicePlugin.enabled: false in the operator's values, or remove the other",
)

# Where kubelet's socket for device plugins is, in whatever folder of the host it keeps its own things.
_KUBELETS = "/var/lib/kubelet/device-plugins/"

_SHOWN = 3

CAUSE = (
    "both register the same resource with kubelet, and the one that registered last is believed: GPUs are handed out "
    "twice, or counted as what the other plugin makes of them"
)


@RULE.check
def one_is_deployed(plugins: DevicePlugins) -> Findings:
    for one, other in _pairs(plugins.advertisers):
        yield from _pair(one, other, plugins)


def _pairs(advertisers: Sequence[Advertiser]) -> Iterator[tuple[Advertiser, Advertiser]]:
    """The operator is one, in however many files its settings stand: these never meet, and may be thousands."""
    others = [each for each in advertisers if not each.is_operators]
    yield from combinations(others, 2)
    yield from product((each for each in advertisers if each.is_operators), others)


def _pair(one: Advertiser, other: Advertiser, plugins: DevicePlugins) -> Findings:
    if Known(False) in (one.enabled.state, other.enabled.state):
        return
    met = meet(one, other, opted_out=plugins.opted_out)
    resources = (one.resource.state, other.resource.state)
    differ = all(isinstance(each, Known) for each in resources) and resources[0] != resources[1]
    if met is False or differ:
        return
    # The operator's has a switch, so there the fault is mended.
    first, second = (one, other) if one.is_operators or not other.is_operators else (other, one)
    related = [Related(second.place, f"{second.title} is deployed here")]
    door = plugins.where_both_go(one, other) if met is None else None
    if door is not None:
        met = True
        related.append(Related(door.place, f"the nodes of {door.title} register with the labels that it asks for"))
    open_ = [each.state.why for each in (one.enabled, other.enabled, one.resource, other.resource)
             if isinstance(each.state, Unknown)]  # fmt: skip
    if open_ or met is None:
        why = open_[0] if open_ else "they choose their nodes by labels that are not known here"
        said = f"whether {first.title} and {second.title} meet on a node is not known: {why}"
        yield unknown(first, said, related=related)
        return
    yield fail(
        first,
        f"{first.title} and {second.title} would both advertise {_resource(one)}",
        is_="two device plugins",
        should="one",
        related=related,
        cause=CAUSE,
        remedy=_remedy(first),
    )


@RULE.check
def none_is_beside_the_images(plugin: PluginBesideImage) -> Findings:
    enabled = plugin.enabled
    if need(enabled) and not plugin.door.pool.sets_own_plugin:
        how = "" if enabled.written else ", as nothing says otherwise"
        of_gke = plugin.door.pool.distribution.shown().startswith("gke-")
        whose = f"GKE runs one on {plugin.door.title}" if of_gke else f"the image of {plugin.door.title} runs one"
        yield fail(
            enabled,
            f"{plugin.title} is on{how}, and {whose} already",
            is_="two device plugins",
            should="one",
            related=[plugin.own],
            cause=CAUSE,
            remedy=_LEAVE_GKES if of_gke else _LEAVE_ONE,
            severity=Severity.WARNING,
        )


_LEAVE_ONE = (
    "leave one: devicePlugin.enabled: false in the operator's values, no DaemonSet of a plugin on these nodes, or "
    "settings.kubelet-device-plugins.nvidia.enabled = false in their user data"
)
_LEAVE_GKES = (
    f"make the pool with the label {NO_PLUGIN_OF_GKE}=true, which keeps GKE's away, or set devicePlugin.enabled: false"
)


def _resource(one: Advertiser) -> str:
    return one.resource.shown()


def _remedy(first: Advertiser) -> str:
    if not first.is_operators:
        return "remove one of them, or let each choose nodes of its own"
    return f"set devicePlugin.enabled: false, or register the other's nodes with {DEVICE_PLUGIN}=false"


@RULE.check
def it_reaches_kubelet(plugin: DaemonSetManifest) -> Findings:
    """A plugin registers by a socket in this folder. The pods of a chart get it mounted by the chart."""
    if plugin.part is Part.DCGM_EXPORTER or plugin.is_of_chart or plugin.by_command or plugin.elsewhere is not None:
        return
    containers = plugin.pods.get("containers")
    mounts = [mount for each in containers.sequence for mount in need(_mounts(each))]
    # Google's plugin has the folder at another place.
    kubelets = {each.get("name").text for each in plugin.pods.get("volumes").sequence if _is_kubelets(each)}
    if not containers.sequence or any(
        _KUBELETS.startswith(_folder(each)) or each.get("name").text in kubelets for each in mounts
    ):
        return
    yield fail(
        containers.sequence[0].place,
        f"{plugin.title} does not mount the folder in which kubelet waits for device plugins",
        is_=", ".join(need(settle(each.get("mountPath"))) or "" for each in mounts) or "no volumeMounts",
        should=f"a hostPath of {_KUBELETS}, mounted there",
        cause="it finds no kubelet.sock, registers nowhere and starts again and again: the node offers no GPU",
        remedy=f"mount {_KUBELETS} as NVIDIA's own manifest does, or install the plugin's chart",
    )


@RULE.check
def it_asks_for_nothing_that_it_hands_out(plugin: DaemonSetManifest) -> Findings:
    if plugin.part is Part.DCGM_EXPORTER:
        return
    # A chart's values say it once, of its containers.
    asking = (plugin.pods,) if plugin.is_of_chart else plugin.pods.get("containers").sequence
    resource = need(plugin.resource)
    for container in asking:
        asked = container.get("resources", "limits", resource)
        if asked.is_absent:
            asked = container.get("resources", "requests", resource)
        if asked.says_nothing or need(settle(asked)) in (0, "0"):
            continue
        yield fail(
            asked.heading,
            f"{plugin.title} asks for the {resource} that only it can bring",
            is_=f"{resource}: {asked.located().shown()}",
            should=f"no {resource}",
            cause="no node offers one before it runs, so the scheduler places it nowhere: its pods stay Pending "
            f"(Insufficient {resource}), and so does every pod that waits for GPUs",
            remedy=f"take {resource} out of its resources",
        )


def _mounts(container: Tree) -> Located[Sequence[Tree]]:
    mounts = container.get("volumeMounts")
    if why := why_incomplete(mounts):
        return Located.unknown(f"what it mounts is not known: {why}", mounts.place)
    return Located.known(mounts.sequence, mounts.place)


def _is_kubelets(volume: Tree) -> bool:
    path = volume.get("hostPath", "path").text
    return path is not None and _KUBELETS.startswith(f"{path.rstrip('/')}/")


def _folder(mount: Tree) -> str:
    return f"{str(need(settle(mount.get('mountPath'))) or '-').rstrip('/')}/"


@RULE.check
def one_runs_on_a_node(running: PluginsOnNodes) -> Findings:
    if running.with_their_own:
        plugin = next((each for each in running.plugins if each.part is Part.DEVICE_PLUGIN), None)
        if plugin is not None:
            yield _beside_hosts(plugin, running.with_their_own)
    for one, other in combinations(running.plugins, 2):
        if one.resource.state != other.resource.state:
            continue
        yield fail(
            other,
            f"{other.part} ({other.title}) and {one.part} ({one.title}) both advertise {one.resource.shown()}",
            is_="two device plugins",
            should="one",
            on=[f"node '{name}'" for name in running.nodes],
            related=[Related(one.place, "the other one")],
            cause=CAUSE,
            remedy="remove one of them; the operator's goes with devicePlugin.enabled: false, or from a node with "
            f"`kubectl label node {running.nodes[0]} {DEVICE_PLUGIN}=false`",
        )


@RULE.check
def it_finds_the_driver(running: PluginsOnNodes) -> Findings:
    if running.of_google is None or not running.not_googles:
        return
    yield fail(
        running.of_google,
        f"{running.of_google.title} is Google's device plugin, made for GKE's nodes, and runs",
        is_="nvidia-gpu-device-plugin without -host-path",
        should="NVIDIA's device plugin (k8s-device-plugin)",
        on=[node.title for node in running.not_googles],
        cause="it gives a container the device files, and what lies in /home/kubernetes/bin/nvidia of the node, where "
        "GKE has its driver: elsewhere containers get GPUs and no library of the driver (libcuda.so.1 and nvidia-smi "
        "are not there)",
        remedy="remove it, install NVIDIA's (nvcr.io/nvidia/k8s-device-plugin, its chart or the GPU operator), and let "
        "NVIDIA's runtime start containers: nvidia-ctk runtime configure --set-as-default for the node's runtime",
        severity=Severity.WARNING,
    )


def _beside_hosts(plugin: DaemonSetManifest, nodes: Sequence[ClusterNode]) -> Draft:
    return fail(
        plugin,
        f"{plugin.part} ({plugin.title}) runs beside the one that Bottlerocket runs itself",
        is_="two device plugins",
        should="one",
        on=[f"node '{node.name}'" for node in nodes],
        related=[Related(node.place, f"it is {node.os_image}") for node in nodes[:_SHOWN]],
        cause="Bottlerocket's images for NVIDIA run a device plugin as a service of the host "
        f"(nvidia-k8s-device-plugin): {CAUSE}; and by the DaemonSet's way of handing GPUs over, which Bottlerocket "
        "does not listen to in unprivileged containers, pods may get none",
        remedy="keep the DaemonSet off these nodes (a node affinity, the operator's devicePlugin.enabled: false), or "
        "switch the host's off: settings.kubelet-device-plugins.nvidia.enabled = false",
        severity=Severity.WARNING,
    )


@RULE.check
def one_is_there(offered: OfferedGpus) -> Findings:
    if not offered.bare:
        return
    elsewhere = [each.title for each in offered.plugins]
    first = offered.bare[0]
    if first.name in offered.with_own_plugin:
        yield _own_is_silent(offered)
        return
    labelled = why_unlabelled(offered.bare) or _by_class(first, offered.plugins)
    yield fail(
        first,
        "no device plugin advertises the GPUs",
        is_=f"{' and '.join(elsewhere)} without a pod there" if elsewhere else no_plugin(offered.operator),
        should="one",
        on=[node.title for node in offered.bare],
        related=[Related(each.place, _chooses(each)) for each in offered.plugins],
        cause="kubelet offers only what a device plugin has registered: no pod that asks for a GPU can run there"
        + _kept_back(first)
        + _lacks(first, offered.plugins)
        + what_karpenter_makes(first.labels)
        + (f"; {labelled[0]}" if labelled else ""),
        remedy=labelled[1] if labelled else _bring_one(first, offered),
        victims=offered.waiting,
        link="daemonsets" if elsewhere else "plugin",
        nodes=[node.name for node in offered.bare],
    )


def _bring_one(node: NodeGpus, offered: OfferedGpus) -> str:
    if not offered.plugins:
        return how_to_bring_one(offered.operator)
    missing = _missing_labels(node, offered.plugins)
    if missing and all(each.startswith(DEPLOY) for each in missing):
        return (
            f"kubectl label node {node.name} {' '.join(missing)}, and so for each part that it lacks (kubectl get node "
            f"{node.name} --show-labels | tr , '\\n' | grep {DEPLOY}, beside a node that is well); the operator sets "
            "them itself on a node with nvidia.com/gpu.present: see that it runs"
        )
    return (
        f"compare its nodeSelector, affinity and tolerations with the node: kubectl describe node {node.name}"
        if not missing
        else f"let {node.name} have {' '.join(missing)}, where its GPUs are meant to be offered: see who sets it "
        f"(node feature discovery those of its own names), or kubectl label node {node.name} {' '.join(missing)}"
    )


def _by_class(node: NodeGpus, plugins: Sequence[DaemonSetManifest]) -> tuple[str, str] | None:
    """Why a plugin that goes by NFD's label of the vendor leaves a node out that is labelled by the card's class."""
    label, by = labelled_by_class(node.labels), [each for each in plugins if OF_NVIDIA in Selection(each.pods).labels]
    if not label or len(by) != 1:
        return None
    return f"{by[0].title} chooses nodes by {OF_NVIDIA}, and NFD tells of the card of {node.title} by {label}", (
        f"{NAME_IT_ALONE}; or let the plugin choose by {label} (affinity in its chart's values)"
    )


def _lacks(node: NodeGpus, plugins: Sequence[DaemonSetManifest]) -> str:
    missing = _missing_labels(node, plugins)
    return f"; {node.title} lacks the label by which it would be chosen ({', '.join(missing)})" if missing else ""


def _missing_labels(node: NodeGpus, plugins: Sequence[DaemonSetManifest]) -> list[str]:
    """The labels by which a plugin chooses nodes and this one has not; of several plugins each has its own, and to a
    node that is worked on they may come yet."""
    if len(plugins) != 1 or plugins[0].elsewhere is not None or any(map(is_a_cordon, node.taints)):
        return []
    choice = Selection(plugins[0].pods)
    refused = [each for each in choice.labels if choice.refuses(each, node.labels.get(each))]
    wanted = ((each, next(choice.wanted(each), "" if each in node.labels else "true")) for each in refused)
    return [f"{label}={value}" for label, value in wanted if value]


def _own_is_silent(offered: OfferedGpus) -> Draft:
    own = [node for node in offered.bare if node.name in offered.with_own_plugin]
    return fail(
        own[0],
        "no device plugin advertises the GPUs",
        is_="no nvidia.com/gpu",
        should="the device plugin of the node's image, registered with kubelet",
        on=[node.title for node in own],
        cause=OWN_PLUGIN_IS_SILENT,
        remedy=RESTART_OWN_PLUGIN,
        victims=offered.waiting,
        link="plugin",
        nodes=[node.name for node in own],
    )


def _kept_back(node: NodeGpus) -> str:
    """Somebody who cordons a node works on it, and what the stack brings may come only when he is done."""
    if not any(map(is_a_cordon, node.taints)):
        return ""
    others = ", ".join(str(each) for each in node.taints if not is_a_cordon(each))
    return (
        f"; {node.title} is cordoned{f', and has {others}' if others else ''}: somebody works on it, and it may be new"
    )


def _chooses(plugin: DaemonSetManifest) -> str:
    """The labels by which a plugin chooses nodes. They may be missing there."""
    keys = sorted(labels_asked_for(plugin.pods))
    return f"it chooses its nodes by {', '.join(keys)}" if keys else "it runs on other nodes"
