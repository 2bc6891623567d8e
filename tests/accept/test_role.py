"""The rights that runs of real work and the node suite print are applied one after the other, to one namespace."""

from __future__ import annotations

from typing import Any

import yaml

from nodeworthy.collect.in_cluster import role as suite
from nodeworthy.collect.workload.live import role as work


def namespaces(manifests: str) -> list[dict[str, Any]]:
    return [each for each in yaml.safe_load_all(manifests) if each["kind"] == "Namespace"]


def test_whoever_applies_the_later_ones_takes_nothing_away() -> None:
    of_the_suite = namespaces(suite.manifests(None, taints=False))
    assert len(of_the_suite) == 1
    assert namespaces(work.manifests(None, taints=False)) == of_the_suite
    assert namespaces(work.manifests("elsewhere", taints=False)) == []
