"""Machines with GPUs that are of no cluster of Kubernetes: somebody logs in to them, or runs Slurm there.

A machine of a cluster whose image and script say nothing of it may be made a node by other files, whatever these are
written for. Where no file of its scope has a word of Kubernetes, nobody makes it one.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from nodeworthy.collect.source.files import Source
from nodeworthy.facts.fleet.gpu_pool import GpuPool
from nodeworthy.patterns import pattern
from nodeworthy.verdict import Unknown

_OF_KUBERNETES = pattern(
    rb"[kK]ube|KUBE|[kK]8s|[kK]3s|K3S_|k0s|rke2?\b|RKE2|[rR]ancher|[tT]alos|[oO]pen[sS]hift|"
    rb"EKS|eks\b|eks_|apiVersion[ \t]*:"
)
_SUFFIXES = (
    *(".tf", ".tofu", ".tfvars", ".hcl", ".yaml", ".yml", ".json", ".toml", ".sh", ".bash", ".j2", ".tpl", ".tftpl"),
    *(".py", ".ts", ".go", ".ini", ".cfg", ".nix", ""),
)


def pools_of_some_cluster(pools: Iterable[GpuPool], sources: Sequence[Source]) -> list[GpuPool]:
    """The pools less those of which nothing says that they are nodes, in a scope that has no word of Kubernetes."""
    every = list(pools)
    if not any(map(_is_of_nothing, every)) or any(map(_has_a_word, _one_of_each_scope(sources))):
        return every
    return [each for each in every if not _is_of_nothing(each)]


def _is_of_nothing(pool: GpuPool) -> bool:
    return isinstance(pool.distribution.state, Unknown) and pool.cluster is None and pool.kubernetes is None


def _one_of_each_scope(sources: Sequence[Source]) -> list[Source]:
    return list({os.fspath(each.scope.root or each.lies): each for each in sources}.values())


def _has_a_word(source: Source) -> bool:
    """Also where not everything was looked at."""
    scope = source.scope
    if scope.root is None or scope.incomplete:
        return True
    return next(scope.holding(_OF_KUBERNETES, _SUFFIXES), None) is not None
