"""The device plugin that hands out EFA's devices, as a manifest."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.operator.daemonset_manifest import title_of
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

NAME = "aws-efa-k8s-device-plugin"


@dataclass(frozen=True, eq=False)
class EfaPlugin:
    called: ClassVar[str] = "a DaemonSet of EFA's device plugin"

    place: Place
    title: str
    pods: Tree
    image: Tree


def efa_plugins(document: Tree) -> Iterator[EfaPlugin]:
    pods = document.get("spec", "template", "spec")
    for container in pods.get("containers").sequence:
        image = container.get("image")
        if NAME in image.string:
            yield EfaPlugin(document.place, title_of(document), pods, image)
            return
