"""Only a remedy that is one exact command is understood."""

from __future__ import annotations

import pytest

from nodeworthy.repair.change import Target, Wanted
from nodeworthy.repair.edit import LABELS, TAINTS
from nodeworthy.repair.plan import targets_named


@pytest.mark.parametrize(
    ("remedy", "targets", "wanted"),
    [
        (
            "kubectl label namespace team-a hami.io/webhook-",
            ["Namespace/team-a"],
            [(LABELS, "hami.io/webhook", None, True)],
        ),
        ("kubectl label node a b.c gpu=on", ["Node/a", "Node/b.c"], [(LABELS, "gpu", "on", False)]),
        (
            "kubectl label node a --overwrite n/x=false n/y=false; and in the boot script, as labels go with nodes",
            ["Node/a"],
            [(LABELS, "n/x", "false", True), (LABELS, "n/y", "false", True)],
        ),
        ("kubectl taint node a n/x=1:NoSchedule", ["Node/a"], [(TAINTS, "n/x:NoSchedule", "1", False)]),
        ("kubectl taint nodes a n/x:NoExecute-", ["Node/a"], [(TAINTS, "n/x:NoExecute", None, True)]),
    ],
)
def test_a_command(
    remedy: str, targets: list[str], wanted: list[tuple[tuple[str, ...], str, str | None, bool]]
) -> None:
    found = targets_named(remedy)
    assert found is not None
    assert [str(each) for each in found[0]] == targets
    assert list(found[1]) == [Wanted(*each) for each in wanted]


@pytest.mark.parametrize(
    "remedy",
    [
        "",
        "label the node with nodeworthy/pool=NAME",
        "start nodes that register with it; `kubectl label node NAME a=b` lasts as long as its node",
        "kubectl label node NAME a=b",  # to be filled in
        "kubectl label node a",
        "kubectl label node a=b",
        "kubectl label pod a b=c",
        "kubectl taint namespace a b:NoSchedule",
        "kubectl taint node a b=c",
        "kubectl label node a b=c --all",
        "kubectl label node a b=c $(reboot)",
        "kubectl label node a b='c",
        "kubectl delete node a b=c",
        "kubectl annotate node a b-",
    ],
)
def test_anything_else(remedy: str) -> None:
    assert targets_named(remedy) is None


def test_names_come_before_what_is_said_of_them() -> None:
    assert targets_named("kubectl label node a x=1 b") is None
    assert targets_named("kubectl label node a x=1") == ((Target("Node", "a"),), (Wanted(LABELS, "x", "1", False),))
