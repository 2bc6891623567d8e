"""HAMi in a cluster as facts: its installations, their parts and settings, and the pods that ask for shares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from nodeworthy.collect.cluster.hami_pods import PodsOfHami
from nodeworthy.collect.cluster.hami_seen import KINDS
from nodeworthy.collect.cluster.kinds import (
    CLUSTER_POLICIES,
    PODS,
    PROMETHEUSES,
    RUNTIME_CLASSES,
    SERVICE_MONITORS,
    SERVICES,
    WEBHOOKS,
)
from nodeworthy.collect.cluster.seen import ClusterObjects
from nodeworthy.collect.source.comments import annotation_suppressions
from nodeworthy.documents.plain import text_at
from nodeworthy.documents.tree import plant
from nodeworthy.facts.hami.cluster import (
    HamiCluster,
    HamiInstallations,
    HamiPart,
    Installation,
    Role,
    Webhook,
    installations,
)
from nodeworthy.facts.hami.crash import HamiCrashes
from nodeworthy.facts.hami.fault import HamiPluginNodes, HamiSums, UnmutatedPods
from nodeworthy.facts.hami.health import HamiComponents, part_faults, silences_its_webhook, webhook_faults
from nodeworthy.facts.hami.live import sums
from nodeworthy.facts.hami.metrics import HamiMetrics, sources
from nodeworthy.facts.hami.placed import node_faults, plugin_spec
from nodeworthy.facts.hami.pod import HamiPod
from nodeworthy.facts.hami.policies import Policy, policies_of_values
from nodeworthy.facts.hami.setup import HamiRuntime, HamiSetup, beside_the_operator
from nodeworthy.facts.hami.shares import HamiGpus, gpus_of_nodes, shared_devices, total
from nodeworthy.facts.hami.unmutated import left_in_silence, unmutated_pods
from nodeworthy.facts.hami.values import HamiNodeConfigs, HamiValues, hami_config_maps
from nodeworthy.facts.operator.daemonset_manifest import GPU, Part
from nodeworthy.facts.operator.values import OperatorValues
from nodeworthy.facts.services.monitoring_stack import MonitoringStack, scraping
from nodeworthy.fleet.model import Fleet
from nodeworthy.scene import Fact, Scene, make_scene
from nodeworthy.verdict import Place, Related

_TYPES: tuple[type[Any], ...] = (
    HamiInstallations,
    HamiComponents,
    HamiMetrics,
    HamiPluginNodes,
    HamiPod,
    HamiSums,
    UnmutatedPods,
    HamiCrashes,
)
_NONE = {
    HamiPod: "no pod asks for a share of a GPU",
    HamiMetrics: "no Prometheus is in what was read",
    HamiGpus: "no node in what was read has GPUs that HAMi's device plugin registered",
}


# What is told of HAMi here, and in no other scene of the same cluster.
TOLD: frozenset[type[Any]] = frozenset((*_TYPES, HamiGpus, HamiNodeConfigs, HamiRuntime, HamiSetup, HamiValues, Policy))


def hami(seen: ClusterObjects, fleet: Fleet | None, asked: frozenset[type[Any]], rules: frozenset[str]) -> Scene:
    found = installations(seen.hami.parts.values(), seen.hami.makers)
    wanted = fleet.hami if fleet is not None else None
    if found:
        facts = list(_Facts(seen, tuple(found), wanted.place if wanted else None, asked).all())
        kept = [
            each
            for fact in facts
            if isinstance(fact, HamiPod)
            for each in annotation_suppressions(fact.pod.document, rules, None)
        ]
        return make_scene(facts, _NONE, kept, about=TOLD)
    if wanted is None or seen.namespace:
        why = "HAMi is not in what was read" if wanted is None else f"only namespace {seen.namespace} was looked at"
        return make_scene([], dict.fromkeys(_TYPES, why))
    place = replace(wanted.place, subject="hami")
    said = Related(place, f"the fleet wants HAMi in namespace {wanted.namespace}")
    unseen = seen.why_not_all(PODS)
    nothing = HamiInstallations(place, HamiCluster(()), said, unseen)
    return make_scene([nothing], dict.fromkeys(_TYPES[1:], "HAMi is not in what was read"))


class _Facts:
    def __init__(
        self, seen: ClusterObjects, found: tuple[Installation, ...], asked_at: Place | None, asked: frozenset[type[Any]]
    ) -> None:
        self._seen = seen
        self._asked_at = asked_at
        self._asked = asked
        self._cluster = _cluster(seen, found)
        settings = list(settings_of(seen, found[0]))
        values = tuple(each for each in settings if isinstance(each, HamiValues))
        self._settings = settings
        self._setup = HamiSetup(found[0].place, values, has_all_gpus=True)
        self._pods = PodsOfHami(seen, self._cluster, self._setup)

    def all(self) -> Iterator[Fact]:
        yield HamiInstallations(self._setup.place, self._cluster)
        yield from self._components()
        yield from self._settings
        yield from (each for values in self._setup.values for each in policies_of_values(values))
        yield self._setup
        yield from (each for operator in self._operators for each in beside_the_operator(self._setup, operator))
        yield from self._pods.facts
        yield from self._capacity()
        yield HamiCrashes(self._setup.place, tuple(self._pods.crashes()))
        yield from metrics_of(self._seen, self._cluster, self._asked)

    @property
    def _operators(self) -> list[OperatorValues]:
        return self._seen.read(OperatorValues, CLUSTER_POLICIES)

    def _components(self) -> Iterator[Fact]:
        """A webhook that can't be reached is the cause of what passed it in silence."""
        silent = [each for each in self._pods.past_webhook if left_in_silence(each, self._cluster)]
        victims = tuple(name for each in silent for name in each.pod.victims)
        has_gpus = any(each.is_gpu for each in self._seen.nodes.values())
        told = self._seen.stack.said
        words = {**told, **{name: said.last_line for name, said in self._seen.hami.logs.items()}}
        silenced = False
        for one in self._cluster.found:
            parts = list(part_faults(one, words, self._pods.waiting(victims), has_gpus=has_gpus))
            hooks = list(webhook_faults(self._cluster, one, victims))
            silenced = silenced or bool(hooks) or silences_its_webhook(one)
            yield HamiComponents(one.place, (*parts, *hooks), self._unseen_webhook())
        left = [each for each in self._pods.past_webhook if not (silenced and each in silent)]
        yield from unmutated_pods(left, self._cluster)

    def _unseen_webhook(self) -> str | None:
        why = self._cluster.unseen.get(WEBHOOKS.plural)
        refused = self._seen.was_kept_away(WEBHOOKS) and not self._seen.namespace
        return why if why and (refused or HamiComponents in self._asked) else None

    @property
    def _served_otherwise(self) -> frozenset[str]:
        """The nodes on which a device plugin runs that is not HAMi's; all, where shares have a name of their own."""
        if self._setup.names.count != GPU:
            return frozenset(each.name for each in self._seen.nodes.values())
        others = {key for key, each in self._seen.gpu_daemonsets.items() if each.part is Part.DEVICE_PLUGIN}
        return frozenset(each.node for each in self._seen.pods.values() if (each.namespace, each.daemonset) in others)

    def _capacity(self) -> Iterator[Fact]:
        gpus = list(gpus_of_nodes(self._pods.nodes))
        yield from gpus
        nodes = list(self._seen.nodes.values())
        classes = frozenset(name for _, name in self._seen.documents[RUNTIME_CLASSES])
        seen_classes = classes if self._seen.has_all(RUNTIME_CLASSES) else None
        for one in self._cluster.found:
            faults = node_faults(one, nodes, seen_classes, self._served_otherwise)
            yield HamiPluginNodes(one.place, tuple(faults))
        if gpus:
            devices = shared_devices(self._pods.nodes, self._seen.hami.shares.values())
            summed = sums(self._pods.facts, self._setup, gpus, total(self._pods.nodes), devices)
            if summed is not None:
                yield summed


def _cluster(seen: ClusterObjects, found: tuple[Installation, ...]) -> HamiCluster:
    kept = seen.hami
    unseen = {kind.plural: why for kind in KINDS if (why := seen.why_not_all(kind)) is not None}
    hooks = tuple(Webhook(name, data) for (_, name), data in kept.webhooks.items())
    return HamiCluster(found, hooks, kept.services, kept.ready, kept.namespaces, unseen, frozenset(seen.refused))


# Who measures HAMi in a cluster, as facts.


def metrics_of(seen: ClusterObjects, cluster: HamiCluster, asked: frozenset[type[Any]]) -> Iterator[HamiMetrics]:
    """The metrics of HAMi; none where there is no Prometheus, or where nobody wrote down what would tell."""
    why = seen.why_not_all(PROMETHEUSES)
    if why is not None and (seen.was_kept_away(PROMETHEUSES) or HamiMetrics in asked):
        yield HamiMetrics(Place(subject=PROMETHEUSES.plural), (), unseen=why)
        return
    stacks = seen.read(MonitoringStack, PROMETHEUSES)
    if not stacks or len(cluster.found) > 1:
        return
    unseen = next(
        (cluster.unseen[each.plural] for each in (SERVICES, SERVICE_MONITORS) if each.plural in cluster.unseen), ""
    )
    refused = seen.was_kept_away(SERVICES) or seen.was_kept_away(SERVICE_MONITORS)
    for one in cluster.found:
        place = one.parts[0].pod.place if one.parts else Place(subject=SERVICES.plural)
        if unseen:
            if refused or HamiMetrics in asked:
                yield HamiMetrics(place, (), unseen=unseen)
            continue
        found = sources(one, seen.hami.services.values(), seen.hami.monitors.values())
        yield HamiMetrics(place, tuple(found), next(scraping(stacks), None))


# HAMi's settings in a cluster: its ConfigMaps, and what its programs are started with.


_SCHEDULERS = {
    "--scheduler-name": ("schedulerName",),
    "--force-overwrite-default-scheduler": ("scheduler", "forceOverwriteDefaultScheduler"),
    "--node-scheduler-policy": ("scheduler", "defaultSchedulerPolicy", "nodeSchedulerPolicy"),
    "--gpu-scheduler-policy": ("scheduler", "defaultSchedulerPolicy", "gpuSchedulerPolicy"),
}
_PLUGINS = {"--mig-strategy": ("devicePlugin", "migStrategy")}


def settings_of(seen: ClusterObjects, one: Installation) -> Iterator[HamiValues | HamiNodeConfigs]:
    for (namespace, _), document in seen.hami.configs.items():
        if namespace == one.namespace:
            yield from hami_config_maps(document)
    for role, named in ((Role.SCHEDULER, _SCHEDULERS), (Role.DEVICE_PLUGIN, _PLUGINS)):
        part = next((each for each in one.of(role) if each.arguments), None)
        if part is not None:
            yield _of_arguments(part, named)
    found = plugin_spec(one)
    if found is not None and text_at(found[1], "runtimeClassName"):
        place, spec = found
        values = {"devicePlugin": {"runtimeClassName": text_at(spec, "runtimeClassName")}}
        yield HamiValues(place, plant(values, place), "the device plugin's own pods")


def _of_arguments(part: HamiPart, named: Mapping[str, tuple[str, ...]]) -> HamiValues:
    values: dict[str, Any] = {}
    for argument, path in named.items():
        if argument in part.arguments:
            within = values
            for name in path[:-1]:
                within = within.setdefault(name, {})
            within[path[-1]] = part.arguments[argument]
    return HamiValues(part.pod.place, plant(values, part.pod.place), "the arguments of HAMi's own pods")
