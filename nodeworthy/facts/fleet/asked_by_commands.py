"""Nodes with GPUs that a script asks a cloud for: by the flags of eksctl, gcloud, az and kops, or by manifests that it
writes or hands to kubectl. A command comes to what the same cloud is asked for in a file, and is read by who reads
that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from nodeworthy.boot.commands.call import Given, split_options
from nodeworthy.boot.content import Content
from nodeworthy.boot.effects import Effect, Runs, Writes
from nodeworthy.boot.text import Text
from nodeworthy.documents.tree import Tree, plant
from nodeworthy.documents.yaml import NotYaml, read_all
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.facts.fleet.asked_nodes import AskedNodes, SaidCluster
from nodeworthy.facts.fleet.asked_types import types_of_eksctl
from nodeworthy.facts.fleet.eksctl import OF_GROUP, nodes_of_eksctl
from nodeworthy.facts.fleet.gpu_pool import AskedTypes
from nodeworthy.facts.fleet.hosted_objects import nodes_called
from nodeworthy.facts.fleet.hosted_pools import (
    AKS_CLUSTER,
    AKS_POOL,
    GKE_CLUSTER,
    GKE_POOL,
    HostedResource,
    hosted_pools,
)
from nodeworthy.facts.fleet.machines import NOTHING_SAID, Machines, texts_of
from nodeworthy.facts.fleet.made_clusters import groups_of_kops
from nodeworthy.facts.fleet.said_cluster import minor_of, range_of, said_clusters
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, replace
from nodeworthy.verdict import Located, NotKnown, Place, Placed, Unknown

Found = AskedNodes | AskedTypes | SaidCluster
# What reads an object that a script writes.
Reader = Callable[[Tree], Iterator[Placed]]

_FILES = ("-f", "--config-file", "--filename")
_NO_LETTERS = pattern(r"\W+")


def asked_by_commands(script: BootScript, read_object: Reader) -> Iterator[Placed]:
    """Each once; what stands under a condition may not come to be, and is only likely."""
    told: set[object] = set()
    try:
        effects = script.timeline.effects
    except NotKnown:  # what can't be read of it, other rules tell
        return
    for effect in effects:
        for each in _nodes_asked_by(effect, read_object):
            what = _identity_of(each)
            if what not in told:
                told.add(what)
                yield each.in_doubt() if effect.conditions and isinstance(each, AskedNodes) else each


def _identity_of(fact: Placed) -> object:
    """What is asked for twice, as notes of somebody's do, is there once."""
    if isinstance(fact, AskedNodes):
        cluster = fact.cluster.shown() if fact.cluster is not None else ""
        return fact.name, cluster, fact.distribution.shown()
    return type(fact), fact.place


def _nodes_asked_by(effect: Effect, read_object: Reader) -> Iterator[Placed]:
    if isinstance(effect, Writes):
        yield from _nodes_in_content(effect.whole, read_object)
    elif isinstance(effect, Runs):
        words = [each.string for each in effect.arguments]
        if words[0] in ("kubectl", "eksctl") and effect.given is not None:
            yield from _nodes_in_content(effect.given, read_object)
        yield from _by_flags(words[0].rpartition("/")[2], effect)


def _by_flags(program: str, effect: Runs) -> Iterator[Found]:
    for each in _COMMANDS:
        if each.program == program:
            asked = _Asked(effect.place, split_options(effect.arguments[1:], each.takes), each)
            if asked.verbs == each.verbs:
                yield from each.read(asked)


# What a command is told

_TOLD_AS_WRITTEN = frozenset(("cluster", "nodegroup", "name", "instanceType", "instanceTypes", "accelerator"))


@dataclass(frozen=True)
class _Command:
    program: str
    verbs: tuple[str, ...]
    # Its options that have a value behind them, by what the same is called in a file.
    options: Mapping[str, tuple[str, ...]]
    read: Callable[[_Asked], Iterator[Found]]

    @property
    def takes(self) -> frozenset[str]:
        return frozenset(name for names in (*self.options.values(), _OTHERS) for name in names)


# They have a value, too, and say nothing of nodes.
_OTHERS = tuple(
    "-g --resource-group --region --zone --location -l --project --profile --scopes --disk-size --disk-type "
    "--service-account --subscription --network --subnetwork --workload-pool --workload-metadata --addons --tags "
    "--ssh-public-key --node-volume-size --node-volume-type --zones --node-locations --metadata --mode --max-pods "
    "--node-osdisk-size --node-osdisk-type --network-plugin --network-policy --vnet-subnet-id --dns-service-ip "
    "--release-channel --max-surge-upgrade --reservation --reservation-affinity --os-sku --spot-max-price --priority "
    "--eviction-policy --timeout --vpc-cidr --subnet-ids --vpc-private-subnets --vpc-public-subnets --attach-acr "
    "--generate-ssh-keys-dir --ssh-key-value --output -o --verbosity --format --logging --monitoring --snapshot-id "
    "--location-policy --placement-type --local-nvme-ssd-block --ephemeral-storage-local-ssd --aks-custom-headers "
    "--load-balancer-sku --outbound-type --api-server-authorized-ip-ranges --node-resource-group --nodepool-tags "
    "--enable-addons -a --workspace-resource-id --ssh-key-name --assign-identity --node-security-groups".split()
)


@dataclass(frozen=True)
class _Asked:
    place: Place
    given: Given
    command: _Command

    def named(self, *names: str) -> str | None:
        """The name as it is written: where it is filled in, equal words name the same thing."""
        operands = self._operands[len(self.command.verbs) :]
        said = self.given.value(*names) or (operands[0] if operands else None)
        return said.shown() if said else None

    @property
    def verbs(self) -> tuple[str, ...]:
        return tuple(each.string for each in self._operands[: len(self.command.verbs)])

    @property
    def _operands(self) -> Sequence[Text]:
        """gcloud has another edition before all others: `gcloud beta container …`."""
        operands = self.given.operands
        return operands[1:] if operands and operands[0].known in ("beta", "alpha") else operands

    @property
    def pairs(self) -> list[str]:
        """What of `--labels a=b c=d` stands behind the first."""
        return [each.shown() for each in self.given.operands if "=" in each.shown()]

    def texts(self) -> dict[str, Any]:
        """What of its options is said, by the names that a file has for them."""
        found = ((key, self.given.value(*names)) for key, names in self.command.options.items())
        return {key: _value(key, said) for key, said in found if said}

    def has(self, *names: str) -> bool:
        return self.given.has(*names)


def _value(key: str, said: Text) -> Any:
    """A name is told as it is written, also where it is filled in."""
    if said.known is None:
        return said.shown() if key in _TOLD_AS_WRITTEN else Unknown(said.doubt())
    return int(said.known) if said.known.isdecimal() else said.known


def _without_gaps(said: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    """What somebody says."""
    return {key: value for key, value in {**said, **more}.items() if value is not None}


def _pairs(said: Any, between: str = ",", then: str = "=") -> Any:
    """`a=b,c=d`; what is not known stays so."""
    if not isinstance(said, str):
        return said
    parts = (each.strip().partition(then) for each in said.replace(" ", between).split(between) if each.strip())
    return {name: value for name, _, value in parts}


# EKS


def _by_eksctl(asked: _Asked) -> Iterator[Found]:
    """What eksctl's own file of the same words would say; a cluster that is made without a group of its own has
    none."""
    if asked.has(*_FILES):
        return
    said, makes_a_cluster = asked.texts(), asked.command.verbs[1] == "cluster"
    cluster = asked.named("--name", "-n") if makes_a_cluster else said.get("cluster")
    several = said.get("instanceTypes")
    named = said.get("nodegroup") if makes_a_cluster else asked.named("--name", "-n")
    group = _without_gaps(
        {key: said.get(key) for key in _OF_A_GROUP},
        name=named or f"of {cluster or 'eksctl'}",
        instanceTypes=several.split(",") if isinstance(several, str) else None,
        labels=_pairs(said.get("labels")),
    )
    has_none = makes_a_cluster and asked.has("--without-nodegroup", "--fargate", "--enable-auto-mode")
    document = plant(
        {
            "apiVersion": "eksctl.io/v1alpha5",
            "kind": "ClusterConfig",
            "metadata": _without_gaps({"name": cluster, "version": _version(said.get("version"))}),
            "managedNodeGroups": [] if has_none else [group],
        },
        asked.place,
    )
    yield from types_of_eksctl(document)
    for nodes in nodes_of_eksctl(document):
        yield nodes if named else replace(nodes, machines=replace(nodes.machines, labels=_labels_of_unnamed(nodes)))
    if makes_a_cluster:
        yield from said_clusters(document)


def _labels_of_unnamed(nodes: AskedNodes) -> Mapping[str, Located[str]]:
    """The labels of a group whose name eksctl makes up, without the label that has this name."""
    return {name: said for name, said in nodes.machines.labels.items() if name != OF_GROUP}


def _version(said: Any) -> Any:
    """`1.31`, which is no number here."""
    return str(said) if isinstance(said, (int, float)) else said


_OF_A_GROUP = ("instanceType", "desiredCapacity", "minSize", "maxSize", "amiFamily", "ami")
_EKSCTL = {
    "cluster": ("--cluster",),
    "nodegroup": ("--nodegroup-name",),
    "name": ("--name", "-n"),
    "version": ("--version",),
    "instanceType": ("--node-type", "-t"),
    "instanceTypes": ("--instance-types",),
    "desiredCapacity": ("--nodes", "-N"),
    "minSize": ("--nodes-min", "-m"),
    "maxSize": ("--nodes-max", "-M"),
    "amiFamily": ("--node-ami-family",),
    "ami": ("--node-ami",),
    "labels": ("--node-labels",),
    "file": _FILES,
}


# GKE


def _by_gcloud(asked: _Asked) -> Iterator[Found]:
    said, makes_a_cluster = asked.texts(), asked.command.verbs[1] == "clusters"
    accelerator = _accelerator(said.get("accelerator"))
    config = _without_gaps(
        {key: said.get(key) for key in ("machine_type", "image_type")},
        guest_accelerator=[accelerator] if accelerator is not None else None,
        labels=_pairs(said.get("labels")),
        taint=_taints(said.get("taints")),
    )
    scaling = {key: said[key] for key in ("min_node_count", "max_node_count") if key in said}
    pool = _without_gaps(
        {"node_config": [config], "autoscaling": [scaling] if asked.has("--enable-autoscaling") else []},
        initial_node_count=said.get("count"),
        version=said.get("version"),
        min_master_version=said.get("version"),
        name=asked.named() or "",
    )
    cluster = asked.named() if makes_a_cluster else said.get("cluster")
    yield from _hosted(asked, GKE_CLUSTER if makes_a_cluster else GKE_POOL, pool, cluster)
    if makes_a_cluster:
        yield _said_cluster(asked, cluster, frozenset(("gke-cos", "gke-ubuntu")), said)


_FILLED_IN = "{} is filled in when the script runs"


def _accelerator(said: Any) -> dict[str, Any] | None:
    """`type=nvidia-l4,count=1,gpu-driver-version=latest`; without a count it is one."""
    if said is None:
        return None
    told: Mapping[str, str] = _pairs(said)
    driver, kind = told.get("gpu-driver-version"), told.get("type", "")
    installs = [{"gpu_driver_version": driver.upper()}] if driver else []
    shares = {"gpu_sharing_config": [told]} if "gpu-sharing-strategy" in told else {}
    cuts = {"gpu_partition_size": told["gpu-partition-size"]} if "gpu-partition-size" in told else {}
    count = told.get("count", "1")
    return {
        "type": Unknown(_FILLED_IN.format(kind)) if "$" in kind else kind,
        "count": int(count) if count.isdecimal() else Unknown(_FILLED_IN.format(count)),
        "gpu_driver_installation_config": installs,
        **shares,
        **cuts,
    }


def _taints(said: Any) -> list[dict[str, str]] | None:
    """`a=b:NoSchedule,…`."""
    if not isinstance(said, str):
        return None
    parts = [each.rpartition(":") for each in said.split(",") if ":" in each]
    return [
        {"key": before.partition("=")[0], "value": before.partition("=")[2], "effect": effect}
        for before, _, effect in parts
    ]


_GCLOUD = {
    "cluster": ("--cluster",),
    "machine_type": ("--machine-type", "-m"),
    "image_type": ("--image-type",),
    "accelerator": ("--accelerator",),
    "count": ("--num-nodes",),
    "min_node_count": ("--min-nodes",),
    "max_node_count": ("--max-nodes",),
    "labels": ("--node-labels",),
    "taints": ("--node-taints",),
    "version": ("--cluster-version", "--node-version"),
    "services": ("--services-ipv4-cidr",),
    "pods": ("--cluster-ipv4-cidr",),
}


# AKS


def _by_az(asked: _Asked) -> Iterator[Found]:
    said, makes_a_cluster = asked.texts(), asked.command.verbs[1] == "create"
    skips = asked.has("--skip-gpu-driver-install") or str(said.get("gpu_driver", "")).lower() == "none"
    labels, taints = said.get("labels"), said.get("taints")
    pool = _without_gaps(
        {key: said.get(key) for key in ("vm_size", "node_count", "min_count", "max_count", "os_type")},
        node_labels=_pairs(" ".join([labels, *asked.pairs]), " ") if isinstance(labels, str) else None,
        node_taints=taints.split(",") if isinstance(taints, str) else None,
        gpu_driver="None" if skips else None,
        # AKS gives it to pools of GPUs alone, whatever size they are of.
        has_gpus=True if asked.has("--enable-managed-gpu") else None,
    )
    cluster = asked.named("--name", "-n") if makes_a_cluster else said.get("cluster")
    if makes_a_cluster:
        first = {"name": said.get("nodepool") or "nodepool1", **pool}
        values = _without_gaps({"default_node_pool": [first]}, kubernetes_version=said.get("version"))
        yield from _hosted(asked, AKS_CLUSTER, values, cluster)
        yield _said_cluster(asked, cluster, frozenset(("aks",)), said)
        return
    of_pool = _without_gaps(pool, name=asked.named("--name", "-n") or "", orchestrator_version=said.get("version"))
    yield from _hosted(asked, AKS_POOL, of_pool, cluster)


_AZ = {
    "cluster": ("--cluster-name",),
    "name": ("--name", "-n"),
    "nodepool": ("--nodepool-name",),
    "vm_size": ("--node-vm-size", "-s"),
    "node_count": ("--node-count", "-c"),
    "min_count": ("--min-count",),
    "max_count": ("--max-count",),
    "os_type": ("--os-type",),
    "labels": ("--labels", "--nodepool-labels"),
    "taints": ("--node-taints", "--nodepool-taints"),
    "gpu_driver": ("--gpu-driver",),
    "version": ("--kubernetes-version", "-k"),
    "services": ("--service-cidr",),
    "pods": ("--pod-cidr",),
}


# k3s


def _by_k3sup(asked: _Asked) -> Iterator[Found]:
    """Nodes on machines of one's own, over SSH; what they are called is not said."""
    version, words = asked.given.value("--k3s-version"), asked.given.value("--k3s-extra-args")
    said = Tree(version.known if version else None, asked.place)
    labels = _pairs(" ".join(_LABEL_OF_K3S.findall(words.shown())), " ") if words else {}
    machines = Machines(labels=texts_of(plant(labels, asked.place)))
    has_gpus = any("gpu" in each for each in labels)
    yield AskedNodes(
        "k3sup-gpu" if has_gpus else "k3sup",
        "the nodes of",
        asked.place,
        Located.known("k3s", asked.place),
        f"k3sup makes them of k3s{f' {said.text}' if said.text else ''}",
        kubernetes=minor_of(said),
        machines=machines if has_gpus else NOTHING_SAID,
    )


_LABEL_OF_K3S = pattern(r"--node-label[ =]([\w./-]+=[\w.-]*)")
_K3SUP = {
    "server": ("--ip", "--host", "--server-ip", "--server-host", "--user", "--server-user", "--ssh-key", "--ssh-port"),
    "version": ("--k3s-version", "--k3s-channel", "--k3s-extra-args", "--tls-san", "--token", "--datastore"),
    "context": ("--context", "--local-path", "--node-token-path", "--node-token", "--sudo"),
}


# All of them

# kops


def _by_kops(asked: _Asked) -> Iterator[Found]:
    """What kops' own objects of the same words would say: a group of nodes, which it makes for each zone."""
    said, cluster = asked.texts(), asked.named("--name")
    label = {"kops.k8s.io/cluster": cluster} if cluster is not None else {}
    brings = _NVIDIA_BY_KOPS.search(" ".join(str(said.get(key) or "") for key in ("set", "override"))) is not None
    group = {
        "apiVersion": _OF_KOPS,
        "kind": "InstanceGroup",
        "metadata": {"name": f"nodes of {cluster or 'kops'}", "labels": label},
        "spec": _without_gaps(
            {"machineType": said.get("machineType"), "minSize": said.get("count"), "maxSize": said.get("count")},
            containerd={"nvidiaGPU": {"enabled": True}} if brings else None,
        ),
    }
    for nodes in groups_of_kops(plant(group, asked.place)):
        yield replace(nodes, machines=replace(nodes.machines, labels={}))
    named = _without_gaps({"name": cluster})
    spec = _without_gaps({"kubernetesVersion": _version(said.get("version"))})
    made = {"apiVersion": _OF_KOPS, "kind": "Cluster", "metadata": named, "spec": spec}
    yield from said_clusters(plant(made, asked.place))


_OF_KOPS = "kops.k8s.io/v1alpha2"
_NVIDIA_BY_KOPS = pattern(r"(?i)nvidiaGPU\.enabled=true")
_KOPS = {
    "name": ("--name",),
    "machineType": ("--node-size",),
    "count": ("--node-count",),
    "version": ("--kubernetes-version",),
    "set": ("--set",),
    "override": ("--override",),
    "others": (
        *("--cloud", "--state", "--master-size", "--control-plane-size", "--master-count", "--control-plane-count"),
        *("--networking", "--topology", "--dns", "--dns-zone", "--image", "--node-image", "--vpc", "--subnets"),
        *("--master-zones", "--control-plane-zones", "--cloud-labels", "--admin-access", "--ssh-access"),
    ),
}

_COMMANDS: Sequence[_Command] = (
    _Command("eksctl", ("create", "cluster"), _EKSCTL, _by_eksctl),
    _Command("eksctl", ("create", "nodegroup"), _EKSCTL, _by_eksctl),
    _Command("gcloud", ("container", "clusters", "create"), _GCLOUD, _by_gcloud),
    _Command("gcloud", ("container", "node-pools", "create"), _GCLOUD, _by_gcloud),
    _Command("az", ("aks", "create"), _AZ, _by_az),
    _Command("az", ("aks", "nodepool", "add"), _AZ, _by_az),
    _Command("kops", ("create", "cluster"), _KOPS, _by_kops),
    _Command("k3sup", ("install",), _K3SUP, _by_k3sup),
    _Command("k3sup", ("join",), _K3SUP, _by_k3sup),
)


def _hosted(asked: _Asked, type_: str, values: dict[str, Any], cluster: Any) -> Iterator[Found]:
    tree = plant(values, asked.place)
    name = values.get("name")
    for pool in hosted_pools([HostedResource(type_, str(name or "gpu"), asked.place, tree)]):
        told = Tree(cluster, asked.place) if isinstance(cluster, str) else None
        yield nodes_called(replace(pool, cluster=told.located() if told is not None else None), "node pool")


def _said_cluster(asked: _Asked, cluster: Any, of: frozenset[str], said: Mapping[str, Any]) -> SaidCluster:
    version, services, pods = (Tree(said.get(key), asked.place) for key in ("version", "services", "pods"))
    return SaidCluster(
        asked.place,
        frozenset((cluster,) if isinstance(cluster, str) else ()),
        of=of,
        version=minor_of(version),
        services=range_of(services),
        pods=range_of(pods),
    )


# Manifests

# What of a manifest says which nodes there are.
OF_NODES = ("AskedNodes", "AskedTypes", "KarpenterClass", "KarpenterPool", "SaidCluster", "SaidMachines")
_KINDS_OF_NODES = ("eksctl.io/", "karpenter", "eks.amazonaws.com/", "cluster.x-k8s.io/")


def _nodes_in_content(content: Content | None, read_object: Reader) -> Iterator[Placed]:
    """What the shell fills in, and nobody knows here, stands as it is written: `$CLUSTER` holds together what names
    it."""
    if content is None or not any(each in content.text.shown() for each in _KINDS_OF_NODES):
        return
    try:
        documents = read_all(_as_a_document(content.text), content.lines[0].place)
    except NotYaml:
        return
    yield from (fact for each in documents for fact in read_object(each) if type(fact).__name__ in OF_NODES)
    yield from (fact for each in documents for fact in types_of_eksctl(each))


def _as_a_document(text: Text) -> str:
    """A command that the shell runs has quotes and colons of its own, which are no document's: it is told by its
    letters."""
    return "".join(piece if isinstance(piece, str) else _told_by_letters(piece.shown) for piece in text.pieces)


def _told_by_letters(shown: str) -> str:
    return f"${{{_NO_LETTERS.sub('_', shown)}}}" if shown.startswith(("$(", "`")) else shown
