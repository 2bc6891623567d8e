"""Which EC2NodeClass a NodePool takes where a repository describes several clusters, each with the same names."""

from __future__ import annotations

import pytest

from nodeworthy.documents.yaml import read
from nodeworthy.facts.fleet.karpenter import KarpenterClass, KarpenterPool
from nodeworthy.facts.fleet.karpenter_choice import chosen_classes
from nodeworthy.facts.fleet.karpenter_objects import karpenter
from nodeworthy.verdict import Place

_CLASS = """
apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata: {name: gpu}
spec: {amiSelectorTerms: [{alias: al2023@v20260101}]}
"""
_POOL = """
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: NAME}
spec:
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: gpu}
      requirements: [{key: node.kubernetes.io/instance-type, operator: In, values: [g6.2xlarge]}]
"""


def _read(text: str, path: str) -> KarpenterClass | KarpenterPool:
    document = read(text, Place(path, 1, 1))
    assert document is not None
    (found,) = karpenter(document)
    assert isinstance(found, KarpenterClass | KarpenterPool)
    return found


@pytest.mark.parametrize(
    ("pools", "classes", "chosen"),
    [
        pytest.param(["a/pool.yaml"], ["b/class.yaml"], {"a/pool.yaml": "b/class.yaml"}, id="the-only-one"),
        pytest.param(
            ["dev/pool.yaml", "prod/pool.yaml"],
            ["dev/class.yaml", "prod/class.yaml"],
            {"dev/pool.yaml": "dev/class.yaml", "prod/pool.yaml": "prod/class.yaml"},
            id="each-its-own",
        ),
        pytest.param(
            ["dev/pool.yaml", "prod/pool.yaml"],
            ["dev/class.yaml"],
            {"dev/pool.yaml": "dev/class.yaml"},
            id="anothers-is-not-taken",
        ),
        pytest.param(
            ["overlays/dev/pool.yaml", "overlays/prod/pool.yaml"],
            ["base/class.yaml"],
            {"overlays/dev/pool.yaml": "base/class.yaml", "overlays/prod/pool.yaml": "base/class.yaml"},
            id="one-for-both",
        ),
        pytest.param(
            ["overlays/dev/pool.yaml", "overlays/prod/pool.yaml"],
            ["base/class.yaml", "overlays/prod/class.yaml"],
            {"overlays/dev/pool.yaml": "base/class.yaml", "overlays/prod/pool.yaml": "overlays/prod/class.yaml"},
            id="one-overlay-has-its-own",
        ),
        pytest.param(["pool.yaml"], ["a/class.yaml", "b/class.yaml"], {}, id="two-as-near"),
        pytest.param(
            ["all.yaml"], ["all.yaml", "class.yaml"], {"all.yaml": "all.yaml"}, id="that-of-the-same-file-comes-first"
        ),
    ],
)
def test_a_pool_takes_the_class_of_its_own_cluster(
    pools: list[str], classes: list[str], chosen: dict[str, str]
) -> None:
    own = [_read(_POOL.replace("NAME", "gpu"), each) for each in pools]
    theirs = [_read(_CLASS, each) for each in classes]
    found = chosen_classes(
        [each for each in own if isinstance(each, KarpenterPool)],
        [each for each in theirs if isinstance(each, KarpenterClass)],
    )
    assert {each.pool.place.file: each.node_class.place.file for each in found} == chosen


def test_two_pools_of_one_cluster_take_one_class() -> None:
    pools = [_read(_POOL.replace("NAME", name), path) for name, path in (("small", "a.yaml"), ("large", "b/b.yaml"))]
    found = chosen_classes(
        [each for each in pools if isinstance(each, KarpenterPool)],
        [each for each in [_read(_CLASS, "c.yaml")] if isinstance(each, KarpenterClass)],
    )
    assert [each.pool.name for each in found] == ["small", "large"]
