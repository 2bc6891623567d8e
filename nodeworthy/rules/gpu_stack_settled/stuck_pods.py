"""A pod of the stack, or with GPUs, that is stuck: what it does not do, why, and what to do."""

from __future__ import annotations

from nodeworthy.facts.cluster.hanging import why_hanging
from nodeworthy.facts.cluster.lingering_pods import LINGERS
from nodeworthy.facts.cluster.no_library import by_platform, without_library
from nodeworthy.facts.cluster.own_logs import NO_MEMORY, ONLY_NONE, is_of_the_node
from nodeworthy.facts.cluster.pod import ClusterPod
from nodeworthy.facts.cluster.shared_claims import HeldVolume
from nodeworthy.facts.cluster.telling_words import both_ends
from nodeworthy.facts.cluster.unsettled_pods import (
    OF_ITS_OWNER,
    REFUSED,
    SPEAKS,
    WITHOUT_GPUS,
    UnsettledPods,
    is_killed_in_its_init,
)
from nodeworthy.known.chain import link_of_evidence, link_of_part
from nodeworthy.known.evidence import Evidence, in_text
from nodeworthy.known.gpu_stack import DRA_DRIVER, why_it_is_killed
from nodeworthy.known.operator_parts import OPERANDS
from nodeworthy.verdict import Draft, Severity, fail

_SHOWN = 3
# As known/gpu_stack.toml calls it; and who asks it for its GPUs before a container starts.
_DRIVER, _TOOLKIT_ASKS = "the driver", "nvidia-container-cli"
OF_MACHINES = "the device plugin for virtual machines"
_OUT_OF_MEMORY = "OOMKilled"
_NOT_BY_IT = (
    "let runc start it: make runc the default runtime of nodes whose cards go to virtual machines (Docker: "
    "default-runtime in daemon.json; containerd: default_runtime_name); to be sure: docker info | grep -i runtime, or "
    "containerd config dump | grep default_runtime_name; lspci -nnk -d 10de: shows who has the cards"
)
_NEEDS_NO_DRIVER = (
    "NVIDIA's runtime starts it, as the node's default one, and asks for a loaded driver; where cards go to virtual "
    "machines there is none, and this plugin needs none"
)
_OTHER_RUNTIME = (
    "let the node's default runtime be runc until a driver is loaded (Docker: default-runtime in daemon.json; the "
    "toolkit's CONTAINERD_SET_AS_DEFAULT=false), or take a driver's image that says NVIDIA_VISIBLE_DEVICES=void; to be "
    "sure: docker info | grep -i runtime, or containerd config dump | grep default_runtime_name"
)
_DIVIDES_NO_MEMORY = (
    "its GPU is shared in turn (time slicing, nvidia.com/gpu.replicas={}), which divides no memory: each pod on it may "
    "take all that is left, and a framework often does so at its start"
)
_LIMIT_IT = (
    "let each program take its part (TensorFlow: TF_FORCE_GPU_ALLOW_GROWTH=true or a memory limit; PyTorch: "
    "set_per_process_memory_fraction; JAX: XLA_PYTHON_CLIENT_MEM_FRACTION; vLLM: --gpu-memory-utilization), fewer "
    "replicas, or share by MPS or MIG, which divide it; to be sure: nvidia-smi on the node lists who holds how much"
)
_BY_IPV4_ALONE = (
    "the node has IPv6 addresses alone, and nv-hostengine of DCGM's container is started with -b 0.0.0.0, which is "
    "IPv4: nobody reaches it at the node's address"
)
# Source: NVIDIA, GPU Operator, platform support: GPUDirect Storage; NVIDIA/gpu-operator issue 2911.
_NO_PROGRAM, _WITH_SIDECARS = "operand-image-without-program", ("Ubuntu", "CoreOS")
_OF_OTHER_SYSTEMS = (
    "GDRCopy and GPUDirect Storage in the driver's pod are made for Ubuntu's LTS releases and for OpenShift alone, and "
    "the node has {}: their image does not start there, and while that one container fails the whole driver pod is not "
    "ready, though the driver is loaded"
)
_WITHOUT_SIDECARS = (
    "set gdrcopy.enabled=false and gds.enabled=false (in the ClusterPolicy, or in the NVIDIADriver of these nodes); "
    "GDRCopy from 2.6 on works without its module, else install it on the host"
)
_ENGINE_UNREACHED = (
    "DCGM's own engine runs on the node, in the pod {}, and the exporter does not reach it at port 5555: that is a "
    "hostPort, which a CNI without its portmap plugin does not serve (or a network policy keeps them apart, or the "
    "engine listens elsewhere)"
)
_ITS_OWN_ENGINE = (
    "let the exporter run its own engine: dcgm.enabled=false in the operator's values (without "
    "DCGM_REMOTE_HOSTENGINE_INFO); to be sure: kubectl exec DCGM-POD -- ss -ltn | grep 5555"
)
_GETS_NONE = (
    "its pod asks for GPUs, and its program finds none in its container: NVIDIA's runtime did not start it, or was "
    "told of none (NVIDIA_VISIBLE_DEVICES, CUDA_VISIBLE_DEVICES)"
)
_NO_CLASS = (
    "; it names no runtimeClassName, and the cluster has the RuntimeClass nvidia: where runc is a node's default "
    "runtime, only pods that name it are started by NVIDIA's"
)
_NAME_IT = (
    "give the pod runtimeClassName: nvidia, or make nvidia the nodes' default runtime (k3s and RKE2: default-runtime: "
    "nvidia in config.yaml); to be sure: kubectl exec POD -- nvidia-smi -L"
)
_KEEP_IT_OFF = (
    "keep it off such nodes: choose by nvidia.com/gpu.present=true (its nodeSelector), or, of the operator's parts, "
    "kubectl label node {} {}=false"
)
_NO_LIBRARY, _NO_ENGINE = "nvml-library-not-found", "dcgm-hostengine-unreachable"
_ELSEWHERE = (
    "the DRA driver finds no library of the driver below its nvidiaDriverRoot; on this node the operator's container "
    "brings the driver, which lies under /run/nvidia/driver"
)
_LOOK_THERE = (
    "set nvidiaDriverRoot=/run/nvidia/driver in the values of the DRA driver's chart; to be sure: ls "
    "/run/nvidia/driver/usr/bin/nvidia-smi on the node"
)
_NOT_BELOW = (
    "the DRA driver finds no library of the driver below its nvidiaDriverRoot: the driver is not installed there; or "
    "something else bears the library's name in a folder that is looked at first (an empty directory "
    "libnvidia-ml.so.1, as a mount leaves one)"
)
_LOOK_BELOW = (
    "let nvidiaDriverRoot of its chart say where the driver is (/ for the host's, /run/nvidia/driver for the "
    "operator's container), and take away what is no library; to be sure, on the node: nvidia-smi; ls -ldL "
    "/usr/lib64/libnvidia-ml.so.1 /usr/lib/*-linux-gnu/libnvidia-ml.so.1"
)
_HELD = (
    "its node has not ended it: a process of it hangs in the driver (state D: a GPU that has fallen off the bus, a "
    "network filesystem), its DRA driver can't take a claim back, a volume is not unmounted, or somebody's finalizer "
    "is still on it; its GPUs are not free until it is gone"
)
_LET_GO = (
    "see which: kubectl get pod -n {namespace} {name} -o jsonpath='{{.metadata.finalizers}}'; on {node}: ps -eo "
    "state,pid,etime,cmd | grep '^D', dmesg | grep -i xid, journalctl -u kubelet | grep {name}; where a process hangs "
    "in the driver only a reboot frees the GPU"
)
_LET_IT_COME = (
    "let its labels be there (Node Feature Discovery sets those of the system and of PCI: is its release one that this "
    "operator's release goes with?), or let the DaemonSet choose by others: kubectl get node {node} --show-labels"
)
_SHOULD = {WITHOUT_GPUS: "a program that finds the GPUs of its pod", SPEAKS: "nodes that work"}
# By these NCCL says that an interface is not there, or not the one that it needs.
_OF_INTERFACES = frozenset(("nccl-no-interface", "nccl-connect-failed", "nccl-address-of-one-node"))
# By these kubelet says that it waits for a volume.
_OF_VOLUMES = frozenset(("volume-not-mounted", "volume-held-elsewhere"))
_HELD_ELSEWHERE = (
    "its claim '{claim}' is {mode}, a disk that one node at a time may have, and {holder} has it on node '{node}': it "
    "is not attached here until that pod ends"
)
_SHARE_IT = (
    "put both on one node (affinity to pods, topologyKey kubernetes.io/hostname), give each a claim of its own, or "
    "make the claim anew with ReadWriteMany of a class for many nodes; or end {holder}; to be sure: kubectl get "
    "volumeattachments"
)
_NO_NETWORKS = (
    "the pod asks Multus for a further network (k8s.v1.cni.cncf.io/networks: {}), and none was made: Multus runs on "
    "other nodes, and not there: {}; the pod has no interface but its first one"
)
_LET_MULTUS_COME = (
    "let Multus and the plugins that it calls (CNI plugins, whereabouts) come to the GPU nodes, by tolerations of "
    "their DaemonSets (of the network operator: tolerations in the NicClusterPolicy), then delete the pod; to be sure: "
    "kubectl get pods -A -o wide | grep multus; kubectl get pod POD -o yaml | grep network-status"
)


def stuck_pods(stuck: UnsettledPods) -> Draft:
    known = next((each.evidence for each in in_text(stuck.words)), None)
    should = "gone" if stuck.fault == LINGERS else "running and ready"
    is_mild = stuck.fault == SPEAKS or _is_its_owners_to_see(stuck, known)
    cause, remedy = _explained(stuck, known)
    return fail(
        stuck,
        f"{_who(stuck)} {_does_not(stuck, known)}",
        is_=_fares(stuck),
        should=_SHOULD.get(stuck.fault, should),
        cause=cause,
        remedy=remedy,
        on=[f"node '{each.node}'" for each in stuck.pods if each.node and stuck.fault != SPEAKS][:_SHOWN],
        victims=[each.object for each in (*stuck.pods, *stuck.beside) if stuck.fault != SPEAKS],
        link=_link(stuck, known),
        severity=Severity.WARNING if is_mild else Severity.ERROR,
    )


def _fares(stuck: UnsettledPods) -> str:
    first = stuck.first
    restarts = f" after {first.restarts} restarts" if first.restarts else ""
    whose = f" (its container {first.ails_in})" if first.ails_in and stuck.fault == first.fault else ""
    return f"{stuck.fault}{restarts}{whose}"


def _link(stuck: UnsettledPods, known: Evidence | None) -> str:
    """What it says itself counts; a part that says nothing breaks what it brings."""
    if _starts_by_itself(stuck):
        return link_of_part(_DRIVER)
    said = link_of_evidence(known.id, known.layer) if known is not None else link_of_part(stuck.waits_for)
    return said or (link_of_part(stuck.first.part) if stuck.first.part else "pod")


def _who(stuck: UnsettledPods) -> str:
    of_stack, count = stuck.first.part, len(stuck.pods)
    if of_stack:
        return f"{of_stack} ({stuck.first.daemonset or stuck.first.name})"
    if stuck.first.uses_gpus:
        return "a pod with GPUs" if count == 1 else f"{count} pods with GPUs"
    return "a pod on a node with GPUs" if count == 1 else f"{count} pods on nodes with GPUs"


def _does_not(stuck: UnsettledPods, known: Evidence | None) -> str:
    if stuck.fault == LINGERS:
        return "was deleted, and does not go" if len(stuck.pods) == 1 else "were deleted, and do not go"
    if stuck.fault == SPEAKS:
        return f"says: {known.says}" if known is not None else "says that a node does not work"
    if stuck.first.part:
        return "runs, and may not do what it needs to" if stuck.fault == REFUSED else "does not run"
    if stuck.fault in OF_ITS_OWNER:
        return "can't start for want of what its container names"
    if is_killed_in_its_init(stuck.first):
        return f"does not start: {stuck.first.fails_in}, which its operator put there, is killed"
    if stuck.by_its_own_words:
        return "says that it sees no GPU it can use" if stuck.first.ready else _crashes(stuck, known)
    return "was not started by the platform" if len(stuck.pods) == 1 else "were not started by the platform"


def _crashes(stuck: UnsettledPods, known: Evidence | None) -> str:
    verb = "crashes" if len(stuck.pods) == 1 else "crash"
    if stuck.first.is_over:
        verb = "has failed" if len(stuck.pods) == 1 else "have failed"
    if known is None or is_of_the_node(known) or _shares_its_memory(stuck, known):
        return f"{verb} for what its node lacks"
    return f"{verb}: {known.says}"


def _explained(stuck: UnsettledPods, known: Evidence | None) -> tuple[str, str]:
    """Why, and what to do."""
    first, said = stuck.first, both_ends(stuck.words)
    if stuck.fault == LINGERS:
        return _why_it_lingers(first, known, said)
    if _starts_by_itself(stuck):
        why = "NVIDIA's runtime starts the driver's own container, too, and asks for what only that brings"
        return f"{why}: {said}", _OTHER_RUNTIME
    if _is_refused_without_need(stuck):
        return f"{_NEEDS_NO_DRIVER}: {said}", _NOT_BY_IT
    if stuck.on_no_gpu:
        why = f"a machine of the type {stuck.on_no_gpu} has no GPU of NVIDIA's, and this part does not run without one"
        return why, _KEEP_IT_OFF.format(first.node, OPERANDS)
    own = _of_what_it_is(stuck, known) if known is not None else None
    if stuck.volume is not None and (known is None or known.id in _OF_VOLUMES):
        own = _of_its_volume(stuck.volume)
    if is_killed_in_its_init(first):
        own = why_it_is_killed(first.fails_in)
    if own is not None:
        return f"{own[0]}; it said: {said}" if said else own[0], own[1]
    if stuck.absent:
        waits = f"its init container {first.waits_in} waits for {stuck.waits_for}"
        return f"{waits}, which does not come: {stuck.absent}", _LET_IT_COME.format(node=first.node)
    if known is not None:
        return _by_its_words(stuck, known, said)
    return _by_how_it_fares(stuck, said)


def _of_its_volume(held: HeldVolume) -> tuple[str, str]:
    why = _HELD_ELSEWHERE.format(claim=held.claim, mode=held.mode, holder=held.holder, node=held.node)
    return why, _SHARE_IT.format(holder=held.holder)


def _why_it_lingers(pod: ClusterPod, known: Evidence | None, said: str) -> tuple[str, str]:
    let_go = _LET_GO.format(namespace=pod.namespace, name=pod.name, node=pod.node)
    why, remedy = (known.why, known.mending) if known is not None else (_HELD, let_go)
    return f"{why}; it said: {said}" if said else why, remedy


def _by_its_words(stuck: UnsettledPods, known: Evidence, said: str) -> tuple[str, str]:
    if not stuck.by_its_own_words or known.id not in ONLY_NONE:
        return f"{known.why}; it said: {said}", known.mending
    no_class, remedy = (_NO_CLASS, _NAME_IT) if stuck.names_no_class else ("", known.mending)
    return f"{_GETS_NONE}{no_class}; it said: {said}", remedy


def _by_how_it_fares(stuck: UnsettledPods, said: str) -> tuple[str, str]:
    """Where nothing is known of its words, or it said none."""
    first = stuck.first
    if said == _OUT_OF_MEMORY:
        remedy = f"raise resources.limits.memory of {first.daemonset or first.name}"
        return "the kernel killed it at its memory limit (OOMKilled)", remedy
    hangs, remedy = why_hanging(first)
    if hangs:
        return hangs, remedy
    if stuck.waits_for:
        waits = f"its init container {first.waits_in} waits for {stuck.waits_for}"
        remedy = f"see whether it runs there: kubectl get pods -A --field-selector spec.nodeName={first.node}"
        return f"it said: {said}" if said else waits, remedy
    verb = "logs --previous" if first.restarts else "describe pod"
    why = f"it said: {said}" if said else "what it said is not in what was read, and no other rule knows why"
    whose = f" -c {first.ails_in}" if first.ails_in and first.restarts else ""
    return why, f"read why: kubectl {verb} -n {first.namespace} {first.name}{whose}"


def _of_what_it_is(stuck: UnsettledPods, known: Evidence) -> tuple[str, str] | None:
    """Why, and what to do, where the words alone say another thing than they do of such a pod. No runtime helps the DRA
    driver to libraries: it looks for them where it is told."""
    if stuck.first.part == DRA_DRIVER and known.id == _NO_LIBRARY:
        return (_ELSEWHERE, _LOOK_THERE) if stuck.beside_driver else (_NOT_BELOW, _LOOK_BELOW)
    if _shares_its_memory(stuck, known):
        return _DIVIDES_NO_MEMORY.format(stuck.shared_by), _LIMIT_IT
    if stuck.is_of_ipv6 and known.id == _NO_ENGINE:
        return _BY_IPV4_ALONE, _ITS_OWN_ENGINE
    if known.id == _NO_PROGRAM and _has_no_sidecars(stuck.system):
        return _OF_OTHER_SYSTEMS.format(stuck.system), _WITHOUT_SIDECARS
    if stuck.engine and known.id == _NO_ENGINE:
        return _ENGINE_UNREACHED.format(stuck.engine), _ITS_OWN_ENGINE
    if stuck.no_networks and known.id in _OF_INTERFACES:
        return _NO_NETWORKS.format(stuck.first.networks, stuck.no_networks), _LET_MULTUS_COME
    of_platform = by_platform(stuck.first, known, stuck.platform)
    return of_platform or without_library(stuck.first, known, stuck.runtime if stuck.first.part else "")


def _has_no_sidecars(system: str) -> bool:
    return bool(system) and not any(each in system for each in _WITH_SIDECARS)


def _is_its_owners_to_see(stuck: UnsettledPods, known: Evidence | None) -> bool:
    has_ended = stuck.by_its_own_words and stuck.first.is_over
    return stuck.fault == WITHOUT_GPUS or has_ended or _shares_its_memory(stuck, known)


def _shares_its_memory(stuck: UnsettledPods, known: Evidence | None) -> bool:
    return stuck.by_its_own_words and known is not None and known.id == NO_MEMORY


def _starts_by_itself(stuck: UnsettledPods) -> bool:
    """Whether it is the driver's container that the toolkit can't start for want of a driver."""
    return stuck.first.part == _DRIVER and _TOOLKIT_ASKS in stuck.words


def _is_refused_without_need(stuck: UnsettledPods) -> bool:
    return stuck.first.part == OF_MACHINES and _TOOLKIT_ASKS in stuck.words
