"""Between moto's AWS and a real API server: a node for every machine of a group, as its kubelet and the cloud's controller
would bring it, and none for a machine that is gone. It can be slow, fail to join, or not be Ready."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from typing import Any, Self

from .stand_in_kubelet import NODES, Goes, StandInKubelet

EVERY = 0.1
# Kubernetes gives up a node of which it hears nothing for forty seconds.
BEAT = 4.0
# In seconds, of who joins behind everybody's patience.
LATE = 25.0


@dataclass
class Bridge:
    scaling: Any
    kubelets: StandInKubelet
    group: str
    # How pods go on nodes that come.
    goes: Goes
    # What happens to nodes that come: join, late, never-ready; empty: they join.
    fault: str = ""
    nodes: dict[str, str] = field(default_factory=dict)
    # The most nodes that were away at once, by samples.
    most_away: int = 0
    size: int = 2
    _over: threading.Event = field(default_factory=threading.Event)
    # When a machine was seen first.
    _came: dict[str, float] = field(default_factory=dict)
    _not_ready: set[str] = field(default_factory=set)
    _heard: float = 0.0

    def __enter__(self) -> Self:
        self.join(first=True)
        self._threads = [threading.Thread(target=each, daemon=True) for each in (self._join_on, self._sample)]
        for each in self._threads:
            each.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        for each in self._threads:
            each.join()
        for name in list(self.nodes.values()):
            self.kubelets.client.request("DELETE", f"{NODES}/{name}")

    def machines(self) -> list[dict[str, Any]]:
        [found] = self.scaling.describe_auto_scaling_groups(AutoScalingGroupNames=[self.group])["AutoScalingGroups"]
        listed: list[dict[str, Any]] = found["Instances"]
        return listed

    def join(self, *, first: bool = False) -> None:
        there = {each["InstanceId"]: each["AvailabilityZone"] for each in self.machines()}
        for machine in [each for each in self.nodes if each not in there]:
            self.kubelets.client.request("DELETE", f"{NODES}/{self.nodes.pop(machine)}")
        for machine, zone in there.items():
            if machine in self.nodes or (not first and self._keeps_away(machine)):
                continue
            name = f"ip-{machine[-8:]}"
            ready = first or self.fault != "never-ready"
            self.add(name, machine=f"aws:///{zone}/{machine}", ready=ready)
            self.nodes[machine] = name
            if not ready:
                self._not_ready.add(name)
            if first:
                self.kubelets.client.expect(
                    "PATCH",
                    f"{NODES}/{name}",
                    {"spec": {"taints": None}},
                    content_type="application/merge-patch+json",
                )

    def _keeps_away(self, machine: str) -> bool:
        came = self._came.setdefault(machine, time.monotonic())
        return self.fault == "join" or (self.fault == "late" and time.monotonic() - came < LATE)

    def add(self, name: str, *, machine: str, ready: bool) -> None:
        self.kubelets.add(name, self.goes, machine=machine, ready=ready)

    def _join_on(self) -> None:
        while not self._over.wait(EVERY):
            self.join()
            if time.monotonic() - self._heard >= BEAT:
                self._heard = time.monotonic()
                for name in list(self.nodes.values()):
                    self.kubelets.beat(name, ready=name not in self._not_ready)

    def _sample(self) -> None:
        """Without a pause of its own: each look takes as long as the server needs."""
        while not self._over.wait(0.05):
            nodes = self.kubelets.client.get(NODES)["items"]
            own = set(self.nodes.values())
            ready = sum(each["metadata"]["name"] in own and is_available(each) for each in nodes)
            self.most_away = max(self.most_away, self.size - ready)


def is_available(node: dict[str, Any]) -> bool:
    taints = [each["key"] for each in node["spec"].get("taints", [])]
    conditions = {each["type"]: each["status"] for each in node["status"].get("conditions", [])}
    return (
        conditions.get("Ready") == "True"
        and not node["spec"].get("unschedulable")
        and "nodeworthy/unverified" not in taints
    )


def settle(bridge: Bridge) -> None:
    while len(bridge.nodes) < bridge.size:
        time.sleep(EVERY)
