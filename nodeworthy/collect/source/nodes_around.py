"""For which nodes values are meant, where no fleet says it: by the files beside them and around.

The nearest folder above the values below which anything asks for nodes, or makes some, decides: up to the root of their
scope. What is found is evidence, and nothing is told of it.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import field, replace
from pathlib import Path, PurePath

from nodeworthy.collect.source import evidence
from nodeworthy.collect.source.files import Source
from nodeworthy.documents.files import REPOSITORY, holds
from nodeworthy.facts.fleet.gpu_pool import GpuPool
from nodeworthy.facts.fleet.node_size import NodeSize, sizes_of_pools
from nodeworthy.facts.fleet.pools_by_evidence import pools_by_evidence, pools_of_charts, settle_drivers
from nodeworthy.facts.operator.values import OperatorValues
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.scene import Fact
from nodeworthy.verdict import Located, Unknown

_OF_NODES = pattern(
    rb"eksctl\.io/v1|karpenter\.k8s\.aws|eks\.amazonaws\.com/v1|(?:bootstrap|controlplane)\.cluster\.x-k8s\.io|"
    rb"(?m:^(?:machine|(?:agent-)?token(?:-file)?):)|talosVersion|get\.k3s\.io|get\.rke2\.io|kubeadm (?:join|init)|"
    rb"/etc/eks/bootstrap\.sh|node\.eks\.aws|snap install (?:microk8s|k8s)\b"
)
# What lies in a folder of one of these names is there to be read, or was once: for what lies elsewhere it says nothing.
_ASIDE = frozenset(
    (
        *("archive", "archived", "attic", "backup", "deprecated", "legacy", "obsolete", "old", "unused"),
        *("demo", "doc", "docs", "example", "examples", "ref", "reference", "sample", "samples"),
        *("fixtures", "test", "testdata", "tests"),
    )
)
_SHARES = pattern(rb"timeSlicing|(?m:^\s*mps:)|deviceSplitCount|(?i:hami\b)")
_SUFFIXES = (".yaml", ".yml", ".sh", ".bash", ".tpl", ".tftpl", "")
# What is looked at in a scope that is full of examples.
_MOST = 50


@dataclass
class NodesAround:
    """Of one run: each file is looked at once, however many values it is evidence for."""

    rules: frozenset[str]
    _holding: dict[Path, list[Path]] = field(default_factory=dict)
    _facts: dict[Path, list[Fact]] = field(default_factory=dict)

    def pools(self, facts: Sequence[Fact], source: Source) -> list[GpuPool]:
        """`facts` are those of the files that are judged together with this one."""
        values = [each for each in facts if isinstance(each, OperatorValues)]
        charts = pools_of_charts(values, Path(source.lies).parent)
        pools = _of_its_cluster(self._around(source) or pools_by_evidence(facts) or list(charts), values, source)
        return [_doubted_at(values, each) for each in settle_drivers(pools, values, _folder(source))]

    def sizes(self, facts: Sequence[Fact], source: Source) -> list[NodeSize]:
        """How large nodes are that pods of this file may come to; none where what shares GPUs lies in the scope: then
        nodes offer more of them than they have."""
        root = source.scope.root
        if root is None or next(source.scope.holding(_SHARES, _SUFFIXES), None) is not None:
            return []
        return sizes_of_pools(_of_its_cluster(self._around(source) or pools_by_evidence(facts), [], source))

    def _around(self, source: Source) -> list[GpuPool]:
        root = source.scope.root
        if root is None:
            return []
        held = [
            path for path in self._held(source, root) if _is_of_its_own(path, source) and not _is_aside(path, source)
        ]
        for folder in Path(source.lies).parents:
            below = [path for path in held if path.is_relative_to(folder)][:_MOST]
            pools = pools_by_evidence([fact for path in below for fact in self._brought(path, source)])
            if pools or folder == root:
                return pools
        return []

    def _held(self, source: Source, root: Path) -> list[Path]:
        if root not in self._holding:
            self._holding[root] = [each.path for each in source.scope.holding(_OF_NODES, _SUFFIXES)]
        return self._holding[root]

    def _brought(self, path: Path, source: Source) -> list[Fact]:
        if path not in self._facts:
            found = evidence.read(evidence.lying_beside(path, source), self.rules)
            self._facts[path] = [*found.facts, *found.scripts] if found is not None else []
        return self._facts[path]


def _of_its_cluster(pools: Sequence[GpuPool], values: Sequence[OperatorValues], source: Source) -> Sequence[GpuPool]:
    """Imported only where there are some."""
    if not pools:
        return pools
    from nodeworthy.collect.source.whose_cluster import of_its_cluster

    return of_its_cluster(pools, values, source)


def _doubted_at(values: Sequence[OperatorValues], pool: GpuPool) -> GpuPool:
    """What nodes do not say is a doubt about the values, whichever file was asked for."""
    unknown = pool.distribution.state
    if not values or not isinstance(unknown, Unknown) or pool.distribution.place.path == values[0].place.path:
        return pool
    doubt = Located.unknown(f"of {pool.title} ({pool.distribution.place}): {unknown.why}", values[0].place)
    return replace(pool, distribution=doubt, runtime=doubt)


def _folder(source: Source) -> PurePath:
    """Where it lies in its repository, which is the same wherever the command runs."""
    folder, root = Path(source.lies).parent, source.scope.root
    return folder.relative_to(root) if root is not None and folder.is_relative_to(root) else folder


def _is_aside(path: Path, source: Source) -> bool:
    """Whether a folder on the way to it, and not on the way to the values, is one of examples or of the past."""
    ways = (each.parent.parts for each in (path, Path(source.lies)))
    evidence, values = ways
    return any(step.lower() in _ASIDE for step in evidence if step not in values)


def _is_of_its_own(path: Path, source: Source) -> bool:
    """What lies below a folder that is nobody's project has nothing to do with it: people keep values in /tmp."""
    folder, root = Path(source.lies).parent, source.scope.root
    return folder != root or path.parent == folder or holds(os.fspath(root), REPOSITORY)
