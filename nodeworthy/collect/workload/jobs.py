"""The Kubernetes objects of a run: a Job for each node, an Indexed Job for a group, and the programs as a ConfigMap.

They are courteous by what they are, and not by a promise: the scheduler places them, all other work goes before them,
they end by three deadlines, are never begun again on top of people's work, and are cleared away by Kubernetes itself.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

from nodeworthy import programs
from nodeworthy.collect.in_cluster.job import (
    KEPT_SECONDS,
    MADE_BY_US,
    NODE,
    PRIORITY,
    PRIORITY_VALUE,
    RUN,
    name_of,
    only_on,
)
from nodeworthy.collect.workload.askings import STEPS, Asking
from nodeworthy.collect.workload.live.piece import Piece
from nodeworthy.collect.workload.room import Room, room_for
from nodeworthy.facts.accept.measure import Shape
from nodeworthy.known.acceptance import ALLOCATION, AS_ASKED, HELD, OF_GROUPS, Level
from nodeworthy.known.resources import GPU
from nodeworthy.known.verification import LABEL
from nodeworthy.records import dataclass

# Of a container that is killed: the launcher ends its programs within five seconds, and no longer.
GRACE_SECONDS = 5
# Between the program's own deadline and that of its Job: the time to say so.
SPARE_SECONDS = 20
# All others of a group must be there by then, or everybody goes home.
RENDEZVOUS_SECONDS = 60
UNVERIFIED = "nodeworthy/unverified"
# On all that a run makes which is watched, with the run that holds its lease.
TURN = "nodeworthy/turn"
# Of more, all pairs would take too long.
LARGEST_GROUP = 16
_PORT = 29400
# The parts of a level's time that a test may take; the sum is what a node is held.
_SHARES = {
    "gpu-sanity": 6,
    "inference": 2,
    "ddp": 3,
    "fsdp": 3,
    "multi-node": 6,
    AS_ASKED: 1,
    "disk-and-network": 2,
    "checkpoint-restart": 3,
    "data-loading": 2,
    "moe": 2,
    ALLOCATION: 2,
}
# What one asking may take: less says nothing, and more is never needed to say which GPUs came.
_LEAST_OF_AN_ASKING, _MOST_OF_AN_ASKING = 5, 30


@dataclass(frozen=True)
class RunTerms:
    """What all objects of a run have in common."""

    run: str
    nonce: str
    image: str
    level: Level
    tests: tuple[str, ...]
    namespace: str
    queue: str | None = None
    # From a Job's creation to its end, where somebody says it: shorter than a level holds a node, or longer where an
    # image has to be pulled first.
    job_seconds: int | None = None
    priority_class: str = PRIORITY
    # Whether somebody watches it, and removes what he left should he be killed.
    is_watched: bool = False
    # Whether the driver alone is asked, for which any image with Python will do.
    without_torch: bool = False
    # How long a node is held to burn it; nobody else asks.
    burn_seconds: int | None = None
    # What a node downloads, to see how fast.
    download: str | None = None
    # A folder with a model that vLLM serves; without it, one of random weights is.
    model: str | None = None
    on: ClassVar[str] = "kubernetes"

    def node_name(self, number: int, shape: Shape) -> str:
        return job_name(number, shape, self)

    def group_pieces(self, shapes: Sequence[Shape]) -> dict[str, tuple[Shape, ...]]:
        return groups(shapes, self)

    def seconds_of(self, tests: Sequence[str]) -> int:
        return seconds_of(tests, self)

    @property
    def labels(self) -> dict[str, str]:
        queue = {"kueue.x-k8s.io/queue-name": self.queue} if self.queue else {}
        turn = {TURN: self.run} if self.is_watched else {}
        return {**MADE_BY_US, RUN: self.run, LABEL: "accept", **queue, **turn}

    @property
    def selector(self) -> str:
        return f"{RUN}={self.run}"

    @property
    def held(self) -> int:
        """The most that the programs of a node may take together."""
        return held_seconds(self.level, self.burn_seconds, self.job_seconds)

    @property
    def name(self) -> str:
        return f"nodeworthy-accept-{self.run}"


def held_seconds(level: Level, burn: int | None, job: int | None) -> int:
    """The most that the programs of a node may take together."""
    most = burn if burn is not None and level is Level.BURN else HELD[level]
    return min(most, job - SPARE_SECONDS) if job is not None else most


def limits(tests: Sequence[str], held: int, of: Sequence[str]) -> dict[str, int]:
    """Seconds for some of a run's tests: all together take at most what may hold a node."""
    shares = {each: _SHARES[each] for each in tests}
    whole = sum(shares.values()) or 1
    parts = {each: math.floor(held * share / whole) for each, share in shares.items() if each in of}
    if ALLOCATION in parts:  # several times over
        parts[ALLOCATION] = max(_LEAST_OF_AN_ASKING, min(_MOST_OF_AN_ASKING, parts[ALLOCATION] // STEPS))
    return parts


def seconds_of(tests: Sequence[str], terms: RunTerms) -> int:
    """The seconds from the creation of a Job with these tests to its end."""
    return terms.job_seconds or sum(limits(terms.tests, terms.held, tests).values()) + SPARE_SECONDS


def node_tests(tests: Sequence[str]) -> tuple[str, ...]:
    """The tests that are run on one node in one go."""
    return tuple(each for each in tests if each not in OF_GROUPS and each != ALLOCATION)


def group_tests(tests: Sequence[str]) -> tuple[str, ...]:
    return tuple(each for each in tests if each in OF_GROUPS)


def objects(pieces: Iterable[Piece], terms: RunTerms) -> Iterator[dict[str, Any]]:
    """The objects in the order in which they are made."""
    yield config_map(terms)
    for each in pieces:
        yield from objects_of(each, terms)


def objects_of(piece: Piece, terms: RunTerms) -> Iterator[dict[str, Any]]:
    """The objects of a piece; its Job comes last."""
    if group_tests(piece.tests):
        yield from group_job(piece.name, piece.shapes, piece.tests, terms)
    else:
        yield node_job(piece.name, piece.shapes[0], piece.tests, terms, piece.asking)


def groups(shapes: Sequence[Shape], terms: RunTerms) -> dict[str, tuple[Shape, ...]]:
    """The groups of several nodes that are tried together, by the names of their Jobs."""
    return {f"{terms.name}-group{number}": each for number, each in neighbours(shapes).items() if len(each) > 1}


def neighbours(shapes: Sequence[Shape]) -> dict[str, tuple[Shape, ...]]:
    """Neighbours together, and none larger than can be measured; by what tells one name from another."""
    inorder = sorted(shapes, key=lambda each: (each.rack, each.node))
    count = -(-len(inorder) // LARGEST_GROUP)
    sizes = [len(inorder[number::count]) for number in range(count)]
    found, begin = [], 0
    for size in sizes:
        found.append(tuple(inorder[begin : begin + size]))
        begin += size
    numbers = [""] if count == 1 else [f"-{number}" for number in range(count)]
    return dict(zip(numbers, found, strict=True))


def priority_class() -> dict[str, Any]:
    """The PriorityClass that must exist before a run. No run creates it."""
    return {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": PRIORITY},
        "value": PRIORITY_VALUE,
        "preemptionPolicy": "Never",
        "globalDefault": False,
        "description": "Proves nodes fit for work, and gives way to any.",
    }


def config_map(terms: RunTerms) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": terms.name, "namespace": terms.namespace, "labels": terms.labels},
        "immutable": True,
        "data": program_files(),
    }


def program_files() -> dict[str, str]:
    folder = Path(programs.__file__).parent
    return {each.name: each.read_text(encoding="utf-8") for each in sorted(folder.glob("[!_]*.py"))}


def job_name(number: int, shape: Shape, terms: RunTerms) -> str:
    return name_of(terms.run, number, shape.node)


def node_job(
    name: str, shape: Shape, tests: Sequence[str], terms: RunTerms, asking: Asking | None = None
) -> dict[str, Any]:
    """A Job with all GPUs of the node, or with those that are asked for."""
    gpus, more = (asking.gpus, asking.environment) if asking is not None else (shape.count or 1, {})
    room = replace(room_for(gpus, [shape]), resource=asking.resource if asking is not None else GPU)
    pod = _pod([shape.node], room, tests, terms, more)
    return _job(name, pod, seconds_of(tests, terms), terms, {NODE: shape.node})


def group_job(name: str, shapes: Sequence[Shape], tests: Sequence[str], terms: RunTerms) -> Iterator[dict[str, Any]]:
    """Pods that find each other by a Service's name, each on a node of its own."""
    nodes = [each.node for each in shapes]
    room = room_for(min(each.count or 1 for each in shapes), shapes)
    yield {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name, "namespace": terms.namespace, "labels": terms.labels},
        "spec": {"clusterIP": "None", "publishNotReadyAddresses": True, "selector": {"job-name": name}},
    }
    rendezvous = {
        "MASTER_ADDR": f"{name}-0.{name}",
        "MASTER_PORT": str(_PORT),
        "NODEWORTHY_NODES": str(len(nodes)),
        "NODEWORTHY_BARRIER": str(RENDEZVOUS_SECONDS),
    }
    pod = {**_pod(nodes, room, tests, terms, rendezvous), "subdomain": name}
    pod["affinity"]["podAntiAffinity"] = {
        "requiredDuringSchedulingIgnoredDuringExecution": [
            {"labelSelector": {"matchLabels": {"job-name": name}}, "topologyKey": "kubernetes.io/hostname"}
        ]
    }
    made = _job(name, pod, seconds_of(tests, terms), terms, {})
    made["spec"] |= {"completionMode": "Indexed", "completions": len(nodes), "parallelism": len(nodes)}
    yield made


def _job(name: str, pod: dict[str, Any], seconds: int, terms: RunTerms, notes: dict[str, str]) -> dict[str, Any]:
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, "namespace": terms.namespace, "labels": terms.labels, "annotations": notes},
        "spec": {
            "backoffLimit": 0,
            "activeDeadlineSeconds": seconds,
            "ttlSecondsAfterFinished": KEPT_SECONDS,
            "podReplacementPolicy": "Failed",
            # Whoever was preempted is not begun again on top of those that he gave way to.
            "podFailurePolicy": {"rules": [{"action": "FailJob", "onPodConditions": [{"type": "DisruptionTarget"}]}]},
            "template": {"metadata": {"labels": terms.labels, "annotations": notes}, "spec": pod},
        },
    }


def _pod(
    nodes: Sequence[str], room: Room, tests: Sequence[str], terms: RunTerms, more: dict[str, str]
) -> dict[str, Any]:
    return {
        "priorityClassName": terms.priority_class,
        "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": only_on(*nodes)}},
        "tolerations": [{"key": GPU, "operator": "Exists"}, {"key": UNVERIFIED, "operator": "Exists"}],
        "restartPolicy": "Never",
        "terminationGracePeriodSeconds": GRACE_SECONDS,
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "securityContext": {
            "runAsNonRoot": True,
            "runAsUser": 65534,
            "fsGroup": 65534,
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "containers": [_container(room, tests, terms, more)],
        "volumes": [
            {"name": "programs", "configMap": {"name": terms.name}},
            {"name": "scratch", "emptyDir": {"sizeLimit": "16Gi"}},
            # A container's own has 64 MiB, and processes hand their data over through it.
            {"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": "8Gi"}},
        ],
    }


def _container(room: Room, tests: Sequence[str], terms: RunTerms, more: dict[str, str]) -> dict[str, Any]:
    seconds = limits(terms.tests, terms.held, tests)
    amounts = {"cpu": str(room.cpus), "memory": f"{room.memory_gib}Gi", room.resource: room.gpus}
    return {
        "name": "accept",
        "image": terms.image,
        "command": ["python3", "/programs/launch.py", *(f"{test}={limit}" for test, limit in seconds.items())],
        "env": [*_environment(room, sum(seconds.values()), terms, more)],
        "resources": {"requests": amounts, "limits": amounts},
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        },
        "volumeMounts": [
            {"name": "programs", "mountPath": "/programs", "readOnly": True},
            {"name": "scratch", "mountPath": "/scratch"},
            {"name": "shm", "mountPath": "/dev/shm"},  # noqa: S108 - of the container
        ],
    }


def serving(folder: str) -> dict[str, str]:
    """The environment of vLLM: it fetches nothing, reports to nobody, and writes only where the folder is cleared
    away."""
    caches = {"VLLM_CACHE_ROOT": "vllm", "HF_HOME": "hf", "TRITON_CACHE_DIR": "triton"}
    said = {"HF_HUB_OFFLINE": "1", "VLLM_NO_USAGE_STATS": "1"}
    return {**{name: f"{folder}/{below}" for name, below in caches.items()}, **said}


def _environment(room: Room, seconds: int, terms: RunTerms, more: dict[str, str]) -> Iterator[dict[str, Any]]:
    said = {
        "NODEWORTHY_NONCE": terms.nonce,
        "NODEWORTHY_GPUS": str(room.gpus),
        "NODEWORTHY_DEADLINE": str(seconds),
        "NODEWORTHY_SCRATCH": "/scratch",
        "OMP_NUM_THREADS": str(room.threads),
        # Nothing is written where nobody clears it away.
        "HOME": "/scratch",
        "TMPDIR": "/scratch",
        "TORCHINDUCTOR_CACHE_DIR": "/scratch/inductor",
        **({"NODEWORTHY_WITHOUT_TORCH": "1"} if terms.without_torch else {}),
        **({"NODEWORTHY_BURN": "1"} if terms.level is Level.BURN else {}),
        **({"NODEWORTHY_DOWNLOAD": terms.download} if terms.download else {}),
        **({"NODEWORTHY_MODEL": terms.model, **serving("/scratch")} if terms.model else {}),
        **more,
    }
    yield {"name": "NODEWORTHY_NODE", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}}
    if "MASTER_ADDR" in more:
        index = "metadata.annotations['batch.kubernetes.io/job-completion-index']"
        yield {"name": "NODE_RANK", "valueFrom": {"fieldRef": {"fieldPath": index}}}
    yield from ({"name": name, "value": value} for name, value in said.items())
