"""The page on what each rule needs, and where that may come from: nobody has to declare what follows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from markdown import page, table

from nodeworthy.rule import Many, Rule
from nodeworthy.rules import catalogue

_DECLARED = "a declared fleet"
# Of every type that a check asks for beside what it judges: what brings it. The first word is the strongest.
_LOOK = "the same look at the node"
SOURCES: dict[str, str] = {
    "BootEnd": f"{_LOOK}: what cloud-init leaves",
    "PromisedPool": "a declared fleet alone, which says `registries` or `storage`",
    "BootPool": f"{_DECLARED}; of what a stack starts, its groups and images say it to checks of their own",
    "BootScript": "scripts that nodes boot with: a plan's user data, the lines of a template",
    "ClaimsAround": "ResourceClaims, their templates, DeviceClasses and ComputeDomains in the same folder",
    "ClusterClasses": "the cluster, its dump, or manifests of the same scope",
    "DeclaredFleet": f"{_DECLARED}, beside files",
    "DevicePlugins": "device plugins that lie in one folder, or are one fleet's: values of charts, DaemonSets",
    "DraDriver": "values of NVIDIA's DRA driver: files, a plan's releases",
    "GpuPool": f"{_DECLARED}; a plan's node groups (amiType, SSM parameter, image, how the script joins); files: "
    "Karpenter and EKS Auto Mode, eksctl, Cluster API, Talos, scripts that join; a HelmChart of k3s or RKE2, which is "
    "only likely",
    "GresConf": "a gres.conf in the same folder",
    "GuardedNodes": "a plan's node groups and their security groups",
    "HamiGpus": f"{_DECLARED}; the nodes of a cluster",
    "HamiSetup": "HAMi's values, or its installation in a cluster",
    "ImageHandlers": "the images of all nodes with GPUs, as pools say them, and what their boot scripts write",
    "KubeadmConfig": "the documents of one file that kubeadm is given with --config",
    "ChosenClass": "NodePools that ask for GPUs, and the EC2NodeClasses of their cluster",
    "MigLayouts": "configurations of mig-parted: a ConfigMap, values, a file",
    "MonitoringAsked": f"{_DECLARED} alone",
    "NodeDriver": f"{_LOOK}: NVIDIA's folder in /proc, the files of modprobe",
    "NodeDrainers": "a plan: what drains nodes before they go",
    "NodeGroup": "a plan's groups of nodes",
    "NodeFirewall": f"{_LOOK}: what its kernel filters",
    "NodeIdentity": f"{_DECLARED}, or none; labels, instance type, runtime and OS that the node shows",
    "NodeKernelLog": f"{_LOOK}: dmesg, else the journal",
    "NodeNodeadm": f"{_LOOK}: its units, where the image has them",
    "NodeRuntimes": f"{_LOOK}: processes, sockets, containerd's own word",
    "NodeSmi": f"{_LOOK}: nvidia-smi, where something has the GPUs open",
    "NodeToolkit": f"{_LOOK}: what the toolkit leaves",
    "ResourceClaim": "ResourceClaims and their templates: files, a plan",
    "NodeSize": f"{_DECLARED}; the nodes of a cluster; what eksctl, Karpenter and a plan's node groups ask for",
    "PoolDoor": f"{_DECLARED}; what eksctl, Karpenter and a plan's node groups say of labels, taints and images",
    "NodePools": "NodePools that ask for GPUs, in the same scope",
    "OperatorByHelm": "scripts that install the operator with helm",
    "NvidiaExtensions": "the extensions of Talos' images that lie in one folder",
    "OperatorValues": "the operator's values: files, a plan's releases, a ClusterPolicy",
    "PlannedFleet": f"{_DECLARED} of the previewed stack",
    "ObjectOfGoneApi": "what is applied with pods of one file",
    "PodService": "Services, in the same folder",
    "PodTemplate": "whatever makes pods, in the same folder",
    "ProfilingAsked": f"{_DECLARED}; a label, a pod or a tool that asks for profiling",
    "ProfilingNodes": f"{_DECLARED}; labels of nodes",
    "ServerQuery": "alerts, dashboards and autoscalers that ask for metrics of a server of models",
    "QueueAsked": f"{_DECLARED} alone",
    "QueueCover": "the ClusterQueues of Kueue that lie in the same scope",
    "SharingConfig": "the device plugin's config: values, a ConfigMap",
    "VolumeClaim": "PersistentVolumeClaims, in the same folder",
    "ToolkitOnNodes": "the operator's toolkit in a cluster: its DaemonSets, and their nodes",
}


# Of what a fleet may declare: by which of its keys it says that.
SAID_BY: dict[str, tuple[str, ...]] = {
    "BootPool": ("pools.instanceType", "pools.distribution", "pools.driver"),
    "DeclaredFleet": ("pools",),
    "GpuPool": ("pools.distribution", "pools.driver"),
    "HamiGpus": ("hami", "pools.gpusPerNode"),
    "MonitoringAsked": ("monitoring",),
    "NodeIdentity": ("pools",),
    "NodeSize": ("pools.instanceType", "pools.gpusPerNode"),
    "PlannedFleet": ("cluster", "pools"),
    "PoolDoor": ("pools",),
    "ProfilingAsked": ("pools.profilingDedicated",),
    "ProfilingNodes": ("pools.profilingDedicated",),
    "PromisedPool": ("registries", "storage"),
    "QueueAsked": ("queue",),
}

_OF_WHAT_IS_WRITTEN = "the same of what is written; what only a fleet promises is no gap"
# Of the rules that are a policy, as far as a fleet makes them one: what they are where nobody declares any, how severe
# a fault then is ("" where they say nothing), and a case that shows it. All others tell what happens on any machine.
WITHOUT_A_FLEET: dict[str, tuple[str, str, str]] = {
    "database-replicated": (_OF_WHAT_IS_WRITTEN, "error", "bad-source-one-server"),
    "dcgm-off-profiling-nodes": (
        "only of nodes that are labelled for profiling",
        "error",
        "bad-cluster-exporter-runs-there",
    ),
    "fleet-as-built": ("silent: nothing is declared that could be built otherwise", "", ""),
    "hami-installed-once": ("only of HAMi that is installed twice", "error", "bad-cluster-twice"),
    "metrics-fit-their-disk": (_OF_WHAT_IS_WRITTEN, "warning", "bad-source-exporter-not-scraped"),
    "pool-size-fixed": (
        "a warning; an error of what is reserved, nothing where the cluster's autoscaler gets its rights",
        "warning",
        "bad-cloud-may-grow",
    ),
    "profiling-before-driver": ("only where something asks for profiling", "error", "bad-in-a-trap"),
    "profiling-node-exists": ("silent: nobody promises such nodes", "", ""),
    "registry-resolvable": (_OF_WHAT_IS_WRITTEN, "error", "bad-without-a-fleet"),
    "registry-trusted": (_OF_WHAT_IS_WRITTEN, "error", "bad-without-a-fleet"),
    "shared-storage-mounted": (_OF_WHAT_IS_WRITTEN, "error", "bad-by-ansible"),
}
# The parts of a node need no declaration: it says them itself.
_OF_A_NODE = "nodeworthy.facts.node."


def source_of(kind: type[Any]) -> str:
    if kind.__module__.startswith(_OF_A_NODE) and kind.__name__ not in SOURCES:
        return "the node itself, or a recording of it"
    return SOURCES[kind.__name__]


def asked() -> dict[str, type[Any]]:
    """Whatever any check asks for beside what it judges, by its name."""
    return {each.type.__name__: each.type for rule in catalogue() for check in rule.checks for each in check.context}


def needs() -> str:
    return page(
        "# What rules need, and where it may come from",
        "A rule judges facts. What it judges is there or it is not; what it needs beside that, to know what is right, "
        "may be declared (a [fleet](fleet.md)) or follow from evidence, and a finding says which (`see`). What a fleet "
        "declares wins. `nodeworthy fleet infer` prints what follows as a fleet that can be kept.",
        "## What is needed",
        table(("needed", "comes from", "a fleet says it by"), *sorted(map(_row, asked().values()))),
        "A rule for which only a fleet has the word (registries, storage, monitoring, a queue) judges without one what "
        "is written of them, and says nothing of what nobody wrote: only the sentence named here would change that.",
        "## Without a fleet",
        "What a rule says of the world it says to everybody. What is a policy speaks more softly, or not at all, where "
        "nobody has made it his; `a case` shows that.",
        table(("rule", "fault", "without a declared fleet", "a case"), *map(_without, catalogue())),
        "## By rule",
        "A check that can use more than it must have is told by *if there is*.",
        table(("rule", "judges", "needs beside it"), *(row for rule in catalogue() for row in _rows(rule))),
    )


def _row(kind: type[Any]) -> tuple[str, str, str]:
    return _name(kind), source_of(kind), ", ".join(f"`{each}`" for each in SAID_BY.get(kind.__name__, ()))


def _without(rule: Rule) -> tuple[str, str, str, str]:
    said, _, case = WITHOUT_A_FLEET.get(rule.id, ("the same", "", ""))
    return f"[{rule.id}](rules/{rule.id}.md)", rule.severity.value, said, f"`{case}`" if case else ""


def _rows(rule: Rule) -> Iterator[tuple[str, str, str]]:
    told = dict[tuple[str, str], None]()
    for check in rule.checks:
        beside = [
            f"if there is, {_name(each.type)}" if each.many is Many.OPTIONAL else _name(each.type)
            for each in check.context
        ]
        told[_name(check.subject), "; ".join(dict.fromkeys(beside)) or "nothing"] = None
    yield from ((f"[{rule.id}](rules/{rule.id}.md)", judged, beside) for judged, beside in told)


def _name(kind: type[Any]) -> str:
    called = str(getattr(kind, "called", kind.__name__))
    return called.partition(" (no fleet")[0]
