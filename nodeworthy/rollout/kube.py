"""The cluster of a rollout: which nodes a group has, who is on them, and what is written to it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from nodeworthy.documents.plain import at, mapping_at, mappings_at, strings_at, text_at
from nodeworthy.errors import CouldNotLook
from nodeworthy.known.verification import opt_out_label
from nodeworthy.repair.apply import move
from nodeworthy.repair.change import Target
from nodeworthy.repair.edit import (
    ANNOTATIONS,
    LABELS,
    TAINTS,
    Edit,
    NotEditable,
    NotNow,
    RepairRefused,
    ValuePath,
    value_at,
)
from nodeworthy.repair.record import Record
from nodeworthy.repair.server import PatchAnswer, Server, uid_of, version_of
from nodeworthy.repair.standing import Fitness, Standing, mark_edits
from nodeworthy.rollout.acts import DONE, Outcome
from nodeworthy.rollout.guests import guest, local_volumes, set_by_hand
from nodeworthy.rollout.world import MARK, Node

_KINDS: Mapping[str, ValuePath] = {"labels": LABELS, "annotations": ANNOTATIONS, "taints": TAINTS}
_TRIES = 4
# The server's 500 for what no time will mend.
_TWO_BUDGETS = "more than one PodDisruptionBudget"
Object = Mapping[str, Any]


class Kube(Server):
    # Looking

    def nodes_of(self, machines: Collection[str], busy: Callable[[str], bool]) -> Sequence[Node]:
        """The nodes of these machines, with the pods of those that `busy` names by their machine."""
        found = [(_machine(each), each) for each in self.nodes() if _machine(each) in machines]
        asked = {machine for machine, _ in found if busy(machine)}
        budgets = self._every("/apis/policy/v1/poddisruptionbudgets", "the disruption budgets") if asked else ()
        volumes = self._every("/api/v1/persistentvolumes", "the persistent volumes") if asked else ()
        attached = self._every("/apis/storage.k8s.io/v1/volumeattachments", "the attached volumes") if asked else ()
        busy_with = {text_at(each, "spec", "nodeName") for each in attached}
        return [
            self._node(each, machine, budgets, volumes, busy_with, looks=machine in asked) for machine, each in found
        ]

    def _node(
        self,
        data: Object,
        machine: str,
        budgets: Sequence[Object],
        volumes: Sequence[Object],
        attached: Collection[str],
        *,
        looks: bool,
    ) -> Node:
        name, now = text_at(data, "metadata", "name"), datetime.now(UTC)
        pods = self._every("/api/v1/pods", f"the pods of {name}", f"spec.nodeName={name}") if looks else ()
        return Node(
            name,
            machine,
            _is_ready(data),
            at(data, "spec", "unschedulable") is True,
            strings_at(data, "metadata", "annotations").get(MARK, ""),
            tuple(f"{text_at(each, 'key')}:{text_at(each, 'effect')}" for each in mappings_at(data, "spec", "taints")),
            strings_at(data, "metadata", "labels"),
            set_by_hand(data),
            opt_out_label(mapping_at(data, "metadata", "labels")) or "",
            [guest(each, budgets, now) for each in pods],
            local_volumes(volumes, strings_at(data, "metadata", "labels").get("kubernetes.io/hostname", name)),
            name in attached,
        )

    def _every(self, path: str, what: str, field: str = "") -> Sequence[Object]:
        query = {"limit": "500", **({"fieldSelector": field} if field else {})}
        found: list[Object] = []
        while True:
            answer = self.get(path, query)
            if answer.status != 200:
                raise CouldNotLook(f"{what} can't be read: {answer.why}")
            found += mappings_at(answer.body, "items")
            more = text_at(answer.body, "metadata", "continue")
            if not more:
                return found
            query = {**query, "continue": more}

    # Acting

    def cordon(self, name: str, rollout: str) -> Outcome:
        return self._changed(name, lambda node: _cordoning(node, rollout))

    def uncordon(self, name: str, rollout: str) -> Outcome:
        """What others have cordoned stays so."""
        return self._changed(name, lambda node: _uncordoning(node, rollout))

    def _changed(self, name: str, wanted: Callable[[Object], Object | str | None]) -> Outcome:
        target = Target("Node", name)
        said = PatchAnswer(409, {})
        for _ in range(_TRIES):
            now = self.object(target)
            if now is None:
                return Outcome(is_done=False, why=f"node {name} is not there any more")
            patch = wanted(now)
            if patch is None:
                return DONE
            if isinstance(patch, str):
                return Outcome(is_done=False, why=f"node {name} {patch}")
            said = self.patch(target, patch, version_of(now))
            if not said.is_conflict:
                break
        if said.is_yes:
            return DONE
        return Outcome(is_done=False, why=f"node {name} is not changed: {said.why}", later=said.is_for_now)

    def evict(self, namespace: str, pod: str, uid: str, *, dry: bool = False) -> Outcome:
        """Evicts a pod by the Eviction API and by nothing else: budgets have the last word."""
        body = {
            "apiVersion": "policy/v1",
            "kind": "Eviction",
            "metadata": {"name": pod, "namespace": namespace},
            "deleteOptions": {"preconditions": {"uid": uid}},
        }
        path = f"/api/v1/namespaces/{namespace}/pods/{pod}/eviction"
        said = self._write("POST", path, {"dryRun": "All"} if dry else {}, body)
        # It is gone, or another one has its name.
        if said.is_yes or said.status in (404, 409):
            return DONE
        is_for_now = said.is_for_now and _TWO_BUDGETS not in said.why
        return Outcome(is_done=False, why=f"{namespace}/{pod}: {_words(said)}", later=is_for_now)

    def keep_labels(self, name: str, kept: Mapping[str, Mapping[str, str]]) -> Outcome:
        def edits(node: Object) -> list[Edit]:
            wanted = [(_KINDS[kind], key, value) for kind, each in kept.items() for key, value in each.items()]
            return [Edit(within, key, value_at(node, within, key), value) for within, key, value in wanted]

        return self._edited(name, edits)

    def taint(self, name: str, rule: str, why: str) -> Outcome:
        unfit = Standing(Fitness.UNFIT, rule, why)
        return self._edited(name, lambda node: list(mark_edits(unfit, node, datetime.now(UTC))))

    def welcome(self, name: str) -> Outcome:
        fit = Standing(Fitness.FIT)
        return self._edited(name, lambda node: list(mark_edits(fit, node, datetime.now(UTC))))

    def _edited(self, name: str, wanted: Callable[[Object], list[Edit]]) -> Outcome:
        target = Target("Node", name)
        node = self.object(target)
        if node is None:
            return Outcome(is_done=False, why=f"node {name} is not there any more")
        try:
            edits = tuple(each for each in wanted(node) if not each.is_idle)
            if edits:
                move(self, Record(target, uid_of(node), edits))
        except (NotEditable, RepairRefused) as problem:
            is_for_now = isinstance(problem, NotNow)
            return Outcome(is_done=False, why=f"node {name} is not changed: {problem}", later=is_for_now)
        return DONE


def _cordoning(node: Object, rollout: str) -> Object | str | None:
    mark = strings_at(node, "metadata", "annotations").get(MARK, "")
    is_cordoned = at(node, "spec", "unschedulable") is True
    if is_cordoned and mark == rollout:
        return None
    if is_cordoned:
        return f"was cordoned by {f'rollout {mark}' if mark else 'somebody else'}"
    return {"metadata": {"annotations": {MARK: rollout}}, "spec": {"unschedulable": True}}


def _uncordoning(node: Object, rollout: str) -> Object | None:
    if strings_at(node, "metadata", "annotations").get(MARK) != rollout:
        return None
    return {"metadata": {"annotations": {MARK: None}}, "spec": {"unschedulable": None}}


def _words(said: PatchAnswer) -> str:
    causes = (text_at(each, "message") for each in mappings_at(said.body, "details", "causes"))
    return "; ".join(filter(None, (said.why, *causes)))


def _machine(node: Object) -> str:
    return text_at(node, "spec", "providerID").rpartition("/")[2]


def _is_ready(node: Object) -> bool:
    conditions = mappings_at(node, "status", "conditions")
    return any(text_at(each, "type") == "Ready" and text_at(each, "status") == "True" for each in conditions)
