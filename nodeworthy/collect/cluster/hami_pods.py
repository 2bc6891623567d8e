"""The pods of a cluster that ask HAMi for shares: as facts, those that it never saw, and those that crash."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property

from nodeworthy.collect.cluster.kinds import NODES
from nodeworthy.collect.cluster.seen import ClusterObjects, Key
from nodeworthy.facts.cluster.live_pod import LivePod, live_template
from nodeworthy.facts.cluster.node import ClusterNode
from nodeworthy.facts.hami.cluster import HamiCluster
from nodeworthy.facts.hami.crash import Crash, is_crash
from nodeworthy.facts.hami.health import Waiting
from nodeworthy.facts.hami.pod import HamiPod, is_hamis
from nodeworthy.facts.hami.setup import HamiSetup
from nodeworthy.facts.hami.shares import devices_of
from nodeworthy.facts.hami.unmutated import PastWebhook
from nodeworthy.facts.operator.daemonset_manifest import Part


def _waits(pods: Iterable[LivePod]) -> bool:
    return any(not each.node for each in pods)


class PodsOfHami:
    def __init__(self, seen: ClusterObjects, cluster: HamiCluster, setup: HamiSetup) -> None:
        self._seen = seen
        self._cluster = cluster
        self._setup = setup

    @cached_property
    def nodes(self) -> list[ClusterNode]:
        """The nodes whose GPUs HAMi shares."""
        return [each for each in self._seen.nodes.values() if devices_of(each)]

    @cached_property
    def _has_all(self) -> bool:
        with_gpus = [each for each in self._seen.nodes.values() if each.gpus]
        return bool(with_gpus) and all(map(devices_of, with_gpus))

    @cached_property
    def _groups(self) -> list[tuple[HamiPod, list[LivePod]]]:
        names = {each.name for each in self.nodes}
        found = []
        for kept, pods in self._seen.gpu_pods.groups():
            template = live_template(kept, pods)
            on_its_nodes = any(each.node in names or (not each.node and self._has_all) for each in pods)
            if is_hamis(template, self._setup.names, has_all_gpus=on_its_nodes):
                found.append((HamiPod(template, self._setup.names), pods))
        return found

    @cached_property
    def facts(self) -> list[HamiPod]:
        past = {id(each.pod) for each in self.past_webhook}
        unseen = self._seen.why_not_all(NODES)
        return [
            replace(pod, mutated=id(pod) not in past, unseen_nodes=unseen if _waits(live) else None)
            for pod, live in self._groups
        ]

    def waiting(self, past_webhook: tuple[str, ...]) -> Waiting:
        """The pods that are on no node yet. GPUs as a whole are HAMi's to offer where nobody else offers them."""
        pods = [each for each in self._seen.capacity.waiting if not each.gates]
        named = tuple(sorted(each.object for each in pods if each.scheduler in self._cluster.scheduler_names))
        alone = not any(each.part is Part.DEVICE_PLUGIN for each in self._seen.gpu_daemonsets.values())
        names = self._setup.names
        wanted = {*names.shares, *([names.count] if alone else [])}
        asking = tuple(sorted(each.object for each in pods if wanted & each.amounts.keys()))
        return Waiting(past_webhook, named, asking)

    @cached_property
    def past_webhook(self) -> list[PastWebhook]:
        return list(self._past())

    def _past(self) -> Iterator[PastWebhook]:
        for pod, live in self._groups:
            named = pod.pod.spec.get("schedulerName").text
            others = [each for each in live if (each.namespace, each.name) not in self._seen.hami.allocated]
            if not pod.asking or named in self._cluster.scheduler_names or not others:
                continue
            labels, created = self._seen.hami.others.get((others[0].namespace, others[0].name), ({}, ""))
            yield PastWebhook(pod, labels, created)

    def crashes(self) -> Iterator[Crash]:
        shared = {name for pod, _ in self._groups for name in pod.victims}
        for key, pod in self._seen.pods.items():
            if pod.wants_gpus and is_crash(pod) and (pod.object in shared or self._was_shared(key)):
                said = self._seen.hami.logs.get(pod.object)
                ended = self._seen.hami.ended.get(key, "")
                why = self._seen.no_logs.get(pod.object, "")
                yield Crash(pod, ended, said.evidence if said else (), said.last_line if said else "", why)

    def _was_shared(self, key: Key) -> bool:
        return key in self._seen.hami.allocated
