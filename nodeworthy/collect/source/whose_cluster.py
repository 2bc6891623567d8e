"""The cluster, of several, that values or pods belong to: by the destination of an Argo CD Application, by the Flux
object that applies their folder, or by the folders in which they lie."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePath

from nodeworthy.collect.source.files import Source
from nodeworthy.documents.tree import Tree
from nodeworthy.documents.yaml import NotYaml, read_all
from nodeworthy.facts.fleet.gpu_pool import GpuPool
from nodeworthy.facts.operator.values import OperatorValues
from nodeworthy.patterns import pattern
from nodeworthy.verdict import Place

_FLUX, _YAML = pattern(rb"kustomize\.toolkit\.fluxcd\.io/"), (".yaml", ".yml")
# A folder below one of these is called as its cluster is.
_OF_CLUSTERS = frozenset(("clusters", "cluster", "environments", "envs", "env", "overlays", "sites", "regions"))


def pools_of_its_cluster(
    pools: Sequence[GpuPool], values: Sequence[OperatorValues], source: Source
) -> Sequence[GpuPool]:
    """The pools of the cluster that is meant; all pools where nothing says which."""
    sent = {each.cluster for each in values if each.cluster}
    if len(sent) == 1:
        return _sent_to(sent.pop(), pools)
    root = source.scope.root
    if root is None or not Path(source.lies).is_relative_to(root):
        return pools
    folder = PurePath(source.lies).parent.relative_to(root)
    names = {name for name in (*_applied_from(folder, source, root), *_named_by(folder)) if name}
    return _pools_called_so(names, pools) or [each for each in pools if not _is_of_a_folder_beside(folder, each)]


def clusters_named(values: Sequence[OperatorValues], source: Source) -> frozenset[str]:
    """The names by which somebody says for which cluster these values are: where they are sent, or in the folders in
    which they lie."""
    root = source.scope.root
    sent = frozenset(each.cluster for each in values if each.cluster)
    if sent or root is None or not Path(source.lies).is_relative_to(root):
        return sent
    return frozenset(_named_by(PurePath(source.lies).parent.relative_to(root)))


def _sent_to(name: str, pools: Sequence[GpuPool]) -> Sequence[GpuPool]:
    """A name that somebody gives may be longer than that of the cluster, or shorter. Where all pools are of clusters
    that are called otherwise, none is meant."""
    found = _pools_called_so({name}, pools)
    if found:
        return found
    named = [each.cluster.shown() for each in pools if each.cluster is not None]
    is_of_another = len(named) == len(pools) and not any(name in each or each in name for each in named)
    return [] if is_of_another else pools


def _pools_called_so(names: set[str], pools: Sequence[GpuPool]) -> Sequence[GpuPool]:
    """The pools whose cluster has that name, or which lie in a folder in which not all of them lie."""
    every = [_names(each) for each in pools]
    telling = names.difference(frozenset.intersection(*every)) if len(every) > 1 else names
    return [pool for pool, own in zip(pools, every, strict=True) if own & telling]


def _names(pool: GpuPool) -> frozenset[str]:
    folders = PurePath(pool.place.file).parent.parts
    return frozenset((*folders, pool.cluster.shown() if pool.cluster is not None else ""))


def _named_by(folder: PurePath) -> Iterator[str]:
    yield from (below for above, below in zip(folder.parts, folder.parts[1:], strict=False) if above in _OF_CLUSTERS)


def _is_of_a_folder_beside(folder: PurePath, pool: GpuPool) -> bool:
    """`clusters/east` beside `clusters/west`: what lies in one says nothing of the other."""
    own, its = _by_kind(folder), _by_kind(PurePath(pool.place.file).parent)
    kind = next((each for each in own if each in its), None)
    return kind is not None and own[kind] != its[kind]


def _by_kind(folder: PurePath) -> dict[str, str]:
    """What the folders are called that lie below one of clusters, the uppermost first."""
    found: dict[str, str] = {}
    for above, below in zip(folder.parts, folder.parts[1:], strict=False):
        if above in _OF_CLUSTERS:
            found.setdefault(above, below)
    return found


def _applied_from(folder: PurePath, source: Source, root: Path) -> Iterator[str]:
    """The names of the folders of whoever has Flux apply this folder, or the nearest above it, and of the cluster that
    he has it applied to."""
    found = [each for each in _kustomizations(source) if folder.is_relative_to(each[0])]
    deepest = max((len(path.parts) for path, _, _ in found), default=0)
    for path, document, lies in found:
        if len(path.parts) == deepest and deepest:
            yield from lies.parent.relative_to(root).parts
            yield document.get("spec", "kubeConfig", "secretRef", "name").string.removesuffix("-kubeconfig")


def _kustomizations(source: Source) -> Iterator[tuple[PurePath, Tree, Path]]:
    for held in source.scope.holding(_FLUX, _YAML):
        try:
            documents = read_all(held.data.decode("utf-8", "replace"), Place(path=os.fspath(held.path)))
        except NotYaml:
            continue
        for each in documents:
            path = each.get("spec", "path").text
            if path and each.get("apiVersion").string.startswith("kustomize.toolkit.fluxcd.io/"):
                yield PurePath(os.path.normpath(path.lstrip("/"))), each, held.path
