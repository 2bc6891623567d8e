"""What the API server says to a write, and whether it is worth asking again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from nodeworthy.repair.change import Target
from nodeworthy.repair.server import PatchAnswer
from nodeworthy.rollout.acts import DONE, Outcome
from nodeworthy.rollout.kube import Kube

NODE = {"metadata": {"name": "n1", "uid": "u1", "resourceVersion": "7"}, "spec": {}}
NO_LEADER = PatchAnswer(500, {"message": "etcdserver: leader changed"})
TOO_MANY = PatchAnswer(
    429, {"message": "the server has received too many requests and has asked us to try again later"}
)
FORBIDDEN = PatchAnswer(403, {"message": 'nodes "n1" is forbidden: User "rollout" cannot patch resource "nodes"'})
TWO_BUDGETS = PatchAnswer(
    500, {"message": "This pod has more than one PodDisruptionBudget, which the eviction subresource ..."}
)


class Answering(Kube):
    """A cluster that says this to whatever is written."""

    def __init__(self, said: PatchAnswer) -> None:
        self._said = said

    def object(self, target: Target) -> Mapping[str, Any] | None:
        return NODE

    def _write(
        self, method: str, path: str, query: dict[str, str], body: Mapping[str, Any], *, kind: str = ""
    ) -> PatchAnswer:
        return self._said


WRITES: dict[str, Callable[[Kube], Outcome]] = {
    "cordon": lambda kube: kube.cordon("n1", "r1"),
    "label": lambda kube: kube.keep_labels("n1", {"labels": {"team": "research"}}),
    "taint": lambda kube: kube.taint("n1", "looked-at", "nobody did"),
    "evict": lambda kube: kube.evict("research", "web", "u2"),
}


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
@pytest.mark.parametrize(
    ("said", "later"),
    [(NO_LEADER, True), (TOO_MANY, True), (FORBIDDEN, False)],
    ids=["no-leader", "too-many", "forbidden"],
)
def test_who_has_too_much_to_do_is_asked_again_and_who_refuses_is_not(
    write: Callable[[Kube], Outcome], said: PatchAnswer, later: bool
) -> None:
    outcome = write(Answering(said))
    assert (outcome.is_done, outcome.later) == (False, later)
    assert said.why in outcome.why


def test_two_budgets_stay_two() -> None:
    assert not Answering(TWO_BUDGETS).evict("research", "web", "u2").later


def test_who_is_gone_is_evicted() -> None:
    assert Answering(PatchAnswer(404, {})).evict("research", "web", "u2") == DONE
