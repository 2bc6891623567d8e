"""Which labels of a node a template may still write."""

from __future__ import annotations

import pytest

from nodeworthy.boot.effects import Joins
from nodeworthy.boot.hidden_labels import may_be
from nodeworthy.boot.unpack import unpack
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.verdict import Place

DEDICATED = "gpu.monitoring/profiling-dedicated"
BOOTSTRAP = "#!/bin/bash\nset -e\n/etc/eks/bootstrap.sh gpu --kubelet-extra-args '{}'\n"
NODE_CONFIG = (
    "apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\nspec:\n  cluster: {{name: gpu}}\n"
    "  kubelet:\n    flags:\n      - {}\n"
)
K3S = "#!/bin/bash\nset -e\nk3s agent --server https://10.0.0.1:6443 --node-label {}\n"
BOTTLEROCKET = '[settings.kubernetes]\ncluster-name = "gpu"\n[settings.kubernetes.node-labels]\n{}\n'


def hidden(text: str) -> tuple[str, ...]:
    place = Place(path="h100.tftpl")
    script = BootScript(place, unpack(text.encode(), place, name="h100.tftpl"))
    return tuple(label for join in script.timeline.of(Joins) for label in join.hidden_labels)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (BOOTSTRAP.format("--node-labels=a=b,x=${x},${more} --max-pods=${pods}"), ("x=${x}", "${more}")),
        (BOOTSTRAP.format("${arguments}"), ("${arguments}",)),
        (BOOTSTRAP.format("--node-labels=a=b --max-pods=${pods}"), ()),
        (NODE_CONFIG.format("--node-labels=a=b,x=${x}"), ("x=${x}",)),
        (NODE_CONFIG.format("--node-labels=a=b"), ()),
        (K3S.format("x=${x}"), ("x=${x}",)),
        (BOOTSTRAP.format("--node-labels=a=b%{ if own },x=y%{ endif }"), ("a=b%{ if own },x=y%{ endif }",)),
        (NODE_CONFIG.format("--max-pods=8\n%{ if own ~}\n      - --node-labels=x=y\n%{ endif ~}"), ("x=y",)),
        (BOTTLEROCKET.format('a = "b"\nx = "${x}"'), ("x=${x}",)),
    ],
)
def test_those_that_a_template_writes(text: str, expected: tuple[str, ...]) -> None:
    assert hidden(text) == expected


def test_only_a_label_of_this_name_or_of_any_may_be_it() -> None:
    assert may_be(DEDICATED, ("x=${x}", f"{DEDICATED}=${{yes}}")) == f"{DEDICATED}=${{yes}}"
    assert may_be(DEDICATED, ("x=${x}", "${more}")) == "${more}"
    assert may_be(DEDICATED, ("x=${x}",)) is None
    under = f"x=y%{{ if own }},{DEDICATED}=true%{{ endif }}"
    assert may_be(DEDICATED, ("a=b", under)) == under
