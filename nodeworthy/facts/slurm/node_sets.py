"""Node sets of Slinky, which runs Slurm on Kubernetes: the GPUs that their pods ask for, and those that Slurm knows.

A pod's limits are Kubernetes' own. What slurmd registers with is what its NodeSet adds to its `--conf`, and of GPUs
that stand in no `Gres` there Slurm knows nothing, detected or not.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from nodeworthy.documents.release import Release
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.pod.containers import is_gpu_resource
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

_GROUP, _GRES = "slinky.slurm.net/", "gres"
_SAYS_GRES = pattern(r"(?i)(?:\A|\s)gres\s*=")
_OF_GPUS = pattern(r"(?i)\b(?:AutoDetect[ \t]{0,9}=[ \t]{0,9}(?:nvidia|nvml)|Name[ \t]{0,9}=[ \t]{0,9}gpu)\b")


@dataclass(frozen=True)
class SlinkyNodeSet:
    called: ClassVar[str] = "a node set of Slinky's with GPUs"

    place: Place
    title: str
    # The limit that asks Kubernetes for GPUs.
    gpus: Tree
    # What it adds to slurmd's --conf: a text, or a mapping.
    conf: Tree
    # A key that no NodeSet has, in which somebody says what belongs there.
    misplaced: Tree | None = None
    # Where gres.conf speaks of GPUs.
    gres_conf: Place | None = None
    # Its spelling in what was read.
    field: str = "extraConf"

    @property
    def says_gres(self) -> bool:
        if self.conf.is_mapping:
            return any(key.lower() == _GRES for key in self.conf.mapping)
        return _SAYS_GRES.search(self.conf.string) is not None


def slinky_node_sets(document: Tree) -> Iterator[SlinkyNodeSet]:
    spec = document.get("spec")
    if not document.get("apiVersion").string.startswith(_GROUP):
        return
    gpus = _gpus(spec)
    if gpus is not None:
        title = f"NodeSet '{document.get('metadata', 'name').text or 'of no name'}'"
        yield SlinkyNodeSet(document.place, title, gpus, spec.get("extraConf"), _misplaced(spec))


def node_sets_in_values(release: Release) -> Iterator[SlinkyNodeSet]:
    """Of the chart `slurm`: its text wins over its mapping."""
    values = release.values
    gres_conf = values.get("configFiles", "gres.conf")
    told = gres_conf.place if _speaks_of_gpus(gres_conf.string) else None
    for name, each in values.get("nodesets").mapping.items():
        gpus = _gpus(each) if each.get("enabled").value is not False else None
        if gpus is not None:
            text, pairs = each.get("extraConf"), each.get("extraConfMap")
            conf = text if text.text or text.is_unknown else pairs
            title = f"the node set '{name}'"
            yield SlinkyNodeSet(each.heading, title, gpus, conf, _misplaced(each), told, "extraConfMap")


def _speaks_of_gpus(gres_conf: str) -> bool:
    lines = (line for line in gres_conf.splitlines() if not line.lstrip().startswith("#"))
    return any(_OF_GPUS.search(line) is not None for line in lines)


def _gpus(node_set: Tree) -> Tree | None:
    limits = node_set.get("slurmd", "resources", "limits").mapping
    asked = (tree for name, tree in limits.items() if is_gpu_resource(name))
    return next((tree for tree in asked if tree.is_unknown or tree.value not in (None, 0, "0", "")), None)


def _misplaced(node_set: Tree) -> Tree | None:
    return next((tree for key, tree in node_set.mapping.items() if key.lower() == _GRES), None)
