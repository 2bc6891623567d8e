"""The nodes that Cluster API makes: what its bootstrap templates turn a machine into, and the script that they put
together of files and commands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from nodeworthy.documents.tree import Tree
from nodeworthy.documents.yaml import NotYaml, read_all
from nodeworthy.facts.boot.given_script import ScriptLines, commands, script_of
from nodeworthy.facts.boot.pools import GPU_SIGNS
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.facts.fleet.asked_nodes import AskedNodes
from nodeworthy.facts.fleet.cri_socket import with_kubeadm
from nodeworthy.facts.fleet.machines import NOTHING_SAID, Machines, text_of
from nodeworthy.facts.fleet.node_taint import NodeTaint, taints_in, written_taint
from nodeworthy.facts.fleet.talos import TALOS, drivers_of
from nodeworthy.records import dataclass, replace
from nodeworthy.verdict import Located, Place

APIS = ("bootstrap.cluster.x-k8s.io/", "controlplane.cluster.x-k8s.io/")
_CLUSTER = "cluster.x-k8s.io/cluster-name"
_LABELS = "node-labels"
# clusterctl fills templates in, and takes one of two dollars away.
# Where its image brings no kubelet.
_INSTALLED = ("kubernetes.io", "pkgs.k8s.io", "packages.cloud.google.com", "ufw ", "firewalld")
_ESCAPED = ("$${", "${")
# The folder in which k3s and RKE2 keep containerd's own.
_WRITTEN_ANEW = "/agent/etc/containerd/"


@dataclass(frozen=True)
class _Kind:
    """What makes machines of this kind into nodes, and how its commands before and after are called."""

    distribution: str
    before: str = ""
    after: str = ""


_KUBEADM = _Kind("kubeadm", "preKubeadmCommands", "postKubeadmCommands")
_RKE2 = _Kind("rke2", "preRKE2Commands", "postRKE2Commands")
_K3S = _Kind("k3s", "preK3sCommands", "postK3sCommands")
_NODEADM = _Kind("eks-al2023", "preNodeadmCommands")
# By the script of Amazon Linux 2, unless its machines are looked up by another image.
_EKS = _Kind("eks-al2", "preBootstrapCommands", "postBootstrapCommands")
_CK8S = _Kind("k8s-snap", "preRunCommands", "postRunCommands")
_OF_KIND: Mapping[str, _Kind] = {
    **dict.fromkeys(("CK8sConfig", "CK8sConfigTemplate", "CK8sControlPlane"), _CK8S),
    **dict.fromkeys(("EKSConfig", "EKSConfigTemplate"), _EKS),
    **dict.fromkeys(("NodeadmConfig", "NodeadmConfigTemplate"), _NODEADM),
    **dict.fromkeys(("KubeadmConfig", "KubeadmConfigTemplate", "KubeadmControlPlane"), _KUBEADM),
    **dict.fromkeys(("RKE2Config", "RKE2ConfigTemplate", "RKE2ControlPlane"), _RKE2),
    **dict.fromkeys(("KThreesConfig", "KThreesConfigTemplate", "KThreesControlPlane"), _K3S),
    **dict.fromkeys(("K0sWorkerConfig", "K0sWorkerConfigTemplate", "K0sControlPlane"), _Kind("k0s")),
    **dict.fromkeys(("MicroK8sConfig", "MicroK8sConfigTemplate", "MicroK8sControlPlane"), _Kind("microk8s")),
    **dict.fromkeys(("TalosConfig", "TalosConfigTemplate", "TalosControlPlane"), _Kind("talos")),
}


def nodes_of_cluster_api(document: Tree) -> Iterator[AskedNodes]:
    kind = _OF_KIND.get(document.get("kind").string)
    name = document.get("metadata", "name").text
    if kind is None or name is None or not document.get("apiVersion").string.startswith(APIS):
        return
    spec = _spec(document)
    called = document.get("kind").string
    script = _script(spec, kind)
    modules = _modules_of_talos(spec) if kind.distribution == TALOS else None
    yield AskedNodes(
        name,
        called,
        document.place,
        _distribution(spec, kind, document),
        f"a {called} of Cluster API{f' with {modules.text}' if modules is not None else ''}",
        True if modules is not None else None,
        kubernetes=_version(document),
        cluster=text_of(document.get("metadata", "labels", _CLUSTER)),
        services=text_of(spec.get("clusterConfiguration", "networking", "serviceSubnet")),
        pods=text_of(spec.get("clusterConfiguration", "networking", "podSubnet")),
        machines=_machines(spec, kind, is_for_gpus=script is not None and _does_something(script, GPU_SIGNS)),
        scripts=(script,) if script is not None else (),
    )


def _modules_of_talos(spec: Tree) -> Tree | None:
    """NVIDIA's, in the patches of a machine config that its template is given: a text each, or an edit of JSON's."""
    patches = (*spec.get("strategicPatches").sequence, *spec.get("configPatches").sequence)
    for each in patches:
        for document in _documents_in(each):
            machine = document.get("machine")
            drivers = drivers_of(machine if machine.is_mapping else _edited(each))
            if drivers:
                return drivers[0]
    return None


def _documents_in(patch: Tree) -> Sequence[Tree]:
    if patch.text is None:
        return (patch,)
    try:
        return read_all(patch.text, patch.inside or patch.place)
    except NotYaml:
        return ()


def _edited(patch: Tree) -> Tree:
    """The machine with the part of it that an edit of JSON's writes: `{op: add, path: /machine/kernel, value: …}`."""
    *above, last = patch.get("path").string.strip("/").split("/")
    value = patch.get("value")
    if above == ["machine"]:
        return Tree({last: value}, patch.place)
    return Tree({above[1]: Tree({last: value}, patch.place)}, patch.place) if len(above) == 2 else value


def _spec(document: Tree) -> Tree:
    """The specification in a template, in a control plane (whose kubeadm has a key of its own), or of a single
    machine."""
    spec = document.get("spec")
    for inner in (spec.get("template", "spec"), spec.get("kubeadmConfigSpec")):
        if inner.is_mapping:
            return inner
    return spec


def _machines(spec: Tree, kind: _Kind, *, is_for_gpus: bool) -> Machines:
    """What its machines register with, where they are known to be ones with GPUs."""
    labels, taints = (_of_kubeadm if kind is _KUBEADM else _of_agent)(spec)
    words = [word for name, each in labels.items() for word in (name, each.shown())]
    has_gpus = is_for_gpus or any("gpu" in each for each in (*words, *map(str, taints)))
    return Machines(labels=labels, taints=taints) if has_gpus else NOTHING_SAID


def _of_kubeadm(spec: Tree) -> tuple[dict[str, Located[str]], tuple[NodeTaint, ...]]:
    told = spec.get("joinConfiguration", "nodeRegistration")
    arguments = told.get("kubeletExtraArgs")
    # A mapping up to v1beta1, a list from v1beta2 on.
    listed = (each.get("value") for each in arguments.sequence if each.get("name").text == _LABELS)
    said = next(listed, arguments.get(_LABELS))
    return _written_labels(said.string.split(","), said.place), taints_in(told.get("taints").sequence)


def _of_agent(spec: Tree) -> tuple[dict[str, Located[str]], tuple[NodeTaint, ...]]:
    """RKE2's and k3s': as their own options take them."""
    labels, taints = (spec.get("agentConfig", each).sequence for each in ("nodeLabels", "nodeTaints"))
    found = (written_taint(each.string, each.place) for each in taints)
    every = {name: said for each in labels for name, said in _written_labels([each.string], each.place).items()}
    return every, tuple(each for each in found if each is not None)


def _written_labels(said: Sequence[str], place: Place) -> dict[str, Located[str]]:
    pairs = (each.strip().partition("=") for each in said)
    return {name: Located.known(value, place) for name, equals, value in pairs if equals}


def _distribution(spec: Tree, kind: _Kind, document: Tree) -> Located[str]:
    """kubeadm takes whichever runtime its criSocket names."""
    if kind is not _KUBEADM:
        return Located.known(kind.distribution, document.place)
    named = [spec.get(each, "nodeRegistration", "criSocket") for each in ("joinConfiguration", "initConfiguration")]
    return with_kubeadm(document.place, next((each for each in named if not each.is_absent), None))


def _version(document: Tree) -> Located[str] | None:
    """The version as a control plane says it: `v1.31.4`, `v1.31.4+rke2r1`."""
    said = document.get("spec", "version")
    return text_of(said) if said.string.startswith("v1.") else None


def _script(spec: Tree, kind: _Kind) -> BootScript | None:
    """cloud-init writes the files, then runs the commands; how it joins between them is its controller's affair. Of
    machines that do nothing with GPUs, install nothing of their own, and leave containerd's files to k3s and RKE2,
    nothing is told."""
    run = [*commands(spec.get(kind.before)), *commands(spec.get(kind.after))] if kind.before else []
    files = [step for each in spec.get("files").sequence if (step := _file_as_heredoc(each)) is not None]
    steps = [replace(each, text=each.text.replace(*_ESCAPED)) for each in (*files, *run)]
    is_told = bool(run) and any(sign in each.text for each in steps for sign in (*GPU_SIGNS, *_INSTALLED))
    is_told |= any(_WRITTEN_ANEW in each.text for each in files)
    script = script_of(steps, on_ec2=False) if is_told else None
    return replace(script, of_cloud_images=True) if script is not None else None


def _does_something(script: BootScript, signs: Sequence[str]) -> bool:
    return any(sign in part.text for part in script.userdata.parts for sign in signs)


def _file_as_heredoc(file: Tree) -> ScriptLines | None:
    """One whose text stands there; what is packed, or comes from a secret, is not known."""
    path, content = file.get("path").text, file.get("content")
    if path is None or content.text is None or not file.get("encoding").is_absent or "'" in path:
        return None
    mark = "END_OF_THE_FILE"
    text = content.text.rstrip("\n")
    return None if mark in text else ScriptLines(f"cat > '{path}' <<'{mark}'\n{text}\n{mark}", content, own_from=1)
