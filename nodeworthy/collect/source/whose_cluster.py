"""The cluster, of several, that values or pods belong to: by the destination of an Argo CD Application, by the Flux
object that applies their folder, or by the folders in which they lie."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
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
    return frozenset((*_folders_of(pool.place.file), pool.cluster.shown() if pool.cluster is not None else ""))


# Each file of the repository is asked with each of its pools.
@lru_cache(maxsize=4096)
def _folders_of(file: str) -> tuple[str, ...]:
    return PurePath(file).parent.parts


def _named_by(folder: PurePath) -> Iterator[str]:
    yield from (below for above, below in pairwise(folder.parts) if above in _OF_CLUSTERS)


def _is_of_a_folder_beside(folder: PurePath, pool: GpuPool) -> bool:
    """`clusters/east` beside `clusters/west`: what lies in one says nothing of the other."""
    own, its = _by_kind(folder.parts), _by_kind(_folders_of(pool.place.file))
    kind = next((each for each in own if each in its), None)
    return kind is not None and own[kind] != its[kind]


@lru_cache(maxsize=4096)
def _by_kind(folders: tuple[str, ...]) -> Mapping[str, str]:
    """What the folders are called that lie below one of clusters, the uppermost first."""
    found: dict[str, str] = {}
    for above, below in pairwise(folders):
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
        for path, document in _applied_by(held.path, held.data):
            yield path, document, held.path


# Of a repository that Flux applies, each file is asked where it is applied from.
@lru_cache(maxsize=1024)
def _applied_by(file: Path, data: bytes) -> Sequence[tuple[PurePath, Tree]]:
    """The folders that Flux applies by the objects in this file."""
    try:
        documents = read_all(data.decode("utf-8", "replace"), Place(path=os.fspath(file)))
    except NotYaml:
        return ()
    applied = ((each.get("spec", "path").text, each) for each in documents if _is_flux_kustomization(each))
    return [(PurePath(os.path.normpath(path.lstrip("/"))), each) for path, each in applied if path]


def _is_flux_kustomization(document: Tree) -> bool:
    return document.get("apiVersion").string.startswith("kustomize.toolkit.fluxcd.io/")
