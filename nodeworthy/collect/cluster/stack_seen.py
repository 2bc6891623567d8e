"""Keeps of a cluster the DaemonSets of its GPU stack, and what kubelets say of pods that they cannot make."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

from nodeworthy.collect.cluster.kinds import CONFIG_MAPS, NAMESPACES
from nodeworthy.documents.plain import mapping_at, mappings_at, number_at, strings_at, text_at
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.cluster.asking_pod import asks_for_gpus
from nodeworthy.facts.cluster.held_upgrades import Budget, budget
from nodeworthy.facts.cluster.refused_pod import refused_pods
from nodeworthy.facts.cluster.sandbox_failure import subject_of, words_of
from nodeworthy.facts.cluster.scheduling_events import time_of
from nodeworthy.facts.cluster.stack_daemonset import StackDaemonSet
from nodeworthy.facts.hami.cluster import Role, role_of_object
from nodeworthy.facts.operator.mig_layouts import MIG_CONFIGS, MigLayouts, layouts_in_object
from nodeworthy.facts.pod.node_choice import node_choice
from nodeworthy.known.gpu_stack import DEVICE_PLUGIN, part_of
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass

Key = tuple[str, str]
# By it OpenShift adds a node selector to each pod of a project.
_OF_A_PROJECT = "openshift.io/node-selector"
_COUNTS = ("desiredNumberScheduled", "numberReady", "updatedNumberScheduled")
# What kubelet says of a pod that it cannot make; longer than any runtime's sentence.
_REASONS = frozenset(("FailedCreatePodSandBox", "FailedMount", "FailedAttachVolume", "FailedPrepareDynamicResources"))
_MOST = 1000
# Its word for an image that it did not get, among others.
_FAILED, _NO_IMAGE = "Failed", "Failed to pull image"
# Its word for a Secret with the registry's password that is not there; it pulls without, and is refused.
_SECRETLESS = "FailedToRetrieveImagePullSecret"
# How a configuration of the device plugin begins.
_OF_THE_PLUGIN = pattern(r"(?m)^version:\s*[\"']?v1[\"']?\s*$", words=("version:",))
# How it names a ConfigMap that is not there for a pod.
_NO_MAP = pattern(r'configmaps? "(?P<name>[a-z0-9][a-z0-9.-]{0,252})" not found')
# What a controller says of pods, or of Jobs with them, that the API server refuses; Kubeflow's has its own word, and
# that of JobSets.
# The last two are KubeRay's, of a RayCluster (ray-operator/controllers/ray/utils/constant.go).
_REFUSED = frozenset(
    ("FailedCreate", "FailedCreatePod", "JobCreationFailed", "FailedToCreateHeadPod", "FailedToCreateWorkerPod")
)
# What kubelet says of any volume that does not come, and what is said of one that is not attached: that tells why.
_WAITS_FOR_VOLUMES = "Unable to attach or mount volumes"
_NOT_ATTACHED = ("Multi-Attach error", "AttachVolume.Attach failed")
# Of which another rule knows more.
_USED_UP = "exceeded quota"
# What it says of one that it is about to end for its probe: of it the program's own log says nothing.
_PROBED, _ENDS_IT = "Unhealthy", ("Liveness probe failed", "Startup probe failed")


def _tells_less(words: str, beside: Sequence[str]) -> bool:
    return words.startswith(_WAITS_FOR_VOLUMES) and any(each.startswith(_NOT_ATTACHED) for each in beside)


@dataclass
class StackSeen:
    daemonsets: dict[Key, StackDaemonSet] = field(default_factory=dict)
    # HAMi's own device plugins, of whose pods its own rules tell.
    sharing: dict[Key, StackDaemonSet] = field(default_factory=dict)
    # Those that want no pods; and the names of those that run as many as they want, not all of the newest revision.
    idle: set[Key] = field(default_factory=set)
    outdated: set[str] = field(default_factory=set)
    # By object, with the time of it.
    _said: dict[str, tuple[str, str]] = field(default_factory=dict)
    _probed: dict[str, tuple[str, str]] = field(default_factory=dict)
    _unpulled: dict[str, tuple[str, str]] = field(default_factory=dict)
    _secretless: dict[str, tuple[str, str]] = field(default_factory=dict)
    # By DaemonSet, whoever's it is; and by any other maker of pods.
    _refused: dict[Key, tuple[str, str]] = field(default_factory=dict)
    _refused_work: dict[str, tuple[str, str]] = field(default_factory=dict)
    # Those whose pods ask for GPUs.
    _asking: set[str] = field(default_factory=set)
    # The ConfigMaps that were read, and those of them that hold configurations of mig-parted.
    config_maps: set[Key] = field(default_factory=set)
    mig_maps: dict[Key, tuple[MigLayouts, ...]] = field(default_factory=dict)
    # Of those that hold configurations of the device plugin, what is in each.
    plugin_maps: dict[Key, tuple[str, ...]] = field(default_factory=dict)
    # The labels of pods that makers will make, each with its namespace.
    templates: list[tuple[str, Mapping[str, str]]] = field(default_factory=list)
    # What must not be interrupted, by a selector of pods; and namespaces that were deleted, and are still there.
    budgets: dict[Key, Budget] = field(default_factory=dict)
    ending: dict[str, Tree] = field(default_factory=dict)
    # What OpenShift asks of the nodes of a project's pods, by namespace.
    of_projects: dict[str, str] = field(default_factory=dict)
    # Those of the stack itself that are no DaemonSets, and which part each is.
    _parts: dict[str, str] = field(default_factory=dict)

    def add_daemonset(self, key: Key, data: Mapping[str, Any]) -> None:
        template = mapping_at(data, "spec", "template")
        part = _part_in(template)
        if not part and role_of_object(data) is Role.DEVICE_PLUGIN:
            self.sharing[key] = StackDaemonSet(*key, DEVICE_PLUGIN, node_choice(template))
        if part:
            named = text_at(template, "spec", "runtimeClassName")
            self.daemonsets[key] = StackDaemonSet(*key, part, node_choice(template), named)
            self._keep_status(key, data)

    def _keep_status(self, key: Key, data: Mapping[str, Any]) -> None:
        wanted, ready, updated = (number_at(data, "status", each) or 0 for each in _COUNTS)
        is_by_hand = text_at(data, "spec", "updateStrategy", "type") == "OnDelete"
        self.idle.discard(key)
        self.outdated.discard("/".join(key))
        if not wanted:
            self.idle.add(key)
        elif is_by_hand and ready == wanted > updated:
            self.outdated.add("/".join(key))

    def add_maker(self, kind: str, key: Key, data: Mapping[str, Any]) -> None:
        template, maker = mapping_at(data, "spec", "template"), "/".join((kind, *key))
        self.templates.append((key[0], strings_at(template, "metadata", "labels")))
        if asks_for_gpus(template):
            self._asking.add(maker)
        elif part := _part_in(template):
            self._parts[maker] = part

    def add_ray_cluster(self, key: Key, data: Mapping[str, Any]) -> None:
        groups = (mapping_at(data, "spec", "headGroupSpec"), *mappings_at(data, "spec", "workerGroupSpecs"))
        if any(asks_for_gpus(mapping_at(each, "template")) for each in groups):
            self._asking.add("/".join(("RayCluster", *key)))

    def add_namespace(self, name: str, data: Mapping[str, Any]) -> None:
        self.of_projects[name] = strings_at(data, "metadata", "annotations").get(_OF_A_PROJECT, "")
        self.ending.pop(name, None)
        if text_at(data, "metadata", "deletionTimestamp"):
            self.ending[name] = NAMESPACES.document(data)

    def add_budget(self, key: Key, data: Mapping[str, Any]) -> None:
        self.budgets[key] = budget(key, data)

    def add_config_map(self, key: Key, data: Mapping[str, Any]) -> None:
        self.config_maps.add(key)
        self.mig_maps.pop(key, None)
        self.plugin_maps.pop(key, None)
        texts = strings_at(data, "data")
        if texts and all(_OF_THE_PLUGIN.search(written) for written in texts.values()):
            self.plugin_maps[key] = tuple(sorted(texts))
        if any(MIG_CONFIGS in written for written in texts.values()):
            self.mig_maps[key] = tuple(layouts_in_object(CONFIG_MAPS.document(data)))

    def add_event(self, data: Mapping[str, Any]) -> None:
        reason, words = text_at(data, "reason"), words_of(data)[:_MOST]
        is_of_image = reason == _FAILED and words.startswith(_NO_IMAGE)
        is_of_probe = reason == _PROBED and words.startswith(_ENDS_IT)
        is_of_secret = reason == _SECRETLESS
        if reason not in _REASONS and reason not in _REFUSED and not (is_of_image or is_of_probe or is_of_secret):
            return
        about = subject_of(data)
        kind, key = text_at(about, "kind"), (text_at(about, "namespace"), text_at(about, "name"))
        if reason in _REFUSED:
            # Of a RuntimeClass that is missing and of a wrong quantity another rule knows more.
            if kind == "DaemonSet" and refused_pods(data) is None:
                self._refused[key] = max(self._refused.get(key, ("", "")), (time_of(data), words))
            elif kind != "DaemonSet" and refused_pods(data) is None and _USED_UP not in words:
                maker = "/".join((kind, *key))
                self._refused_work[maker] = max(self._refused_work.get(maker, ("", "")), (time_of(data), words))
            return
        told = f"Pod/{'/'.join(key)}"
        kept = self._probed if is_of_probe else self._unpulled if is_of_image else self._said
        kept = self._secretless if is_of_secret else kept
        before, now = kept.get(told, ("", "")), (time_of(data), words)
        kept[told] = max(before, now, key=lambda each: (not _tells_less(each[1], (before[1], words)), each))

    @property
    def said(self) -> Mapping[str, str]:
        return {told: self._with_where_it_lies(told, words) for told, (_, words) in self._said.items()}

    def _with_where_it_lies(self, told: str, words: str) -> str:
        """A ConfigMap that a pod misses may be there for the pods of another namespace."""
        missing = _NO_MAP.search(words)
        if missing is None:
            return words
        own = told.split("/")[1]
        places = {namespace for namespace, name in self.config_maps if name == missing["name"]}
        if not places or own in places:
            return words
        return f"{words} (a ConfigMap of that name is in namespace {min(places)})"

    @property
    def probed(self) -> Mapping[str, str]:
        return {told: words for told, (_, words) in self._probed.items()}

    @property
    def unpulled(self) -> Mapping[str, str]:
        """What kubelet says of an image that it did not get, and of a Secret that it had not for it."""
        secretless = {told: f"; and: {words}" for told, (_, words) in self._secretless.items()}
        return {told: f"{words}{secretless.get(told, '')}" for told, (_, words) in self._unpulled.items()}

    @property
    def refused(self) -> Mapping[Key, str]:
        return {key: words for key, (_, words) in self._refused.items()}

    @property
    def refused_makers(self) -> Mapping[str, str]:
        """The refused makers, whatever their pods ask for."""
        return {maker: words for maker, (_, words) in self._refused_work.items()}

    @property
    def refused_work(self) -> Mapping[str, str]:
        """What is said of pods with GPUs, by who should make them; a Deployment's ReplicaSet bears its name."""
        return {maker: words for maker, (_, words) in self._refused_work.items() if _above(maker) in self._asking}

    @property
    def refused_parts(self) -> Mapping[str, tuple[str, str]]:
        """The refused workloads that are parts of the GPU stack, by their maker: which part, and the words of the
        refusal."""
        told = ((maker, self._parts.get(_above(maker), ""), words) for maker, (_, words) in self._refused_work.items())
        return {maker: (part, words) for maker, part, words in told if part}


def _above(maker: str) -> str:
    """The Deployment of a ReplicaSet, which bears its name."""
    is_of_another = maker.startswith("ReplicaSet/")
    return maker.replace("ReplicaSet/", "Deployment/", 1).rpartition("-")[0] if is_of_another else maker


def _part_in(template: Mapping[str, Any]) -> str:
    images = (text_at(each, "image") for each in mappings_at(template, "spec", "containers"))
    return next(filter(None, map(part_of, images)), "")
