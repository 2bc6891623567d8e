"""Nodes of Talos whose machine configs load NVIDIA's modules, where no image that is described here has them.

A module is there by an extension of the image alone. Which image a machine is installed with may stand elsewhere: by
the id of a schematic, which says nothing of what is in it. So it counts where lists of extensions lie in the
repository, none of its files names an extension with the modules, and none names an image by its id.
"""

from __future__ import annotations

from nodeworthy.collect.source.files import Source, shown_path
from nodeworthy.facts.fleet.gpu_pool import GpuPool
from nodeworthy.facts.fleet.talos import TALOS
from nodeworthy.facts.fleet.talos_extensions import HOLDS_MODULES
from nodeworthy.fleet.model import Driver
from nodeworthy.patterns import pattern
from nodeworthy.records import replace
from nodeworthy.verdict import Place, Related

_LISTS = pattern(rb"(?m)^[ \t]*officialExtensions:", words=(b"officialExtensions",))
_BY_ID = pattern(rb"factory\.talos\.dev/[\w-]*installer[\w-]*/", words=(b"factory.talos.dev",))
_MANIFESTS = (".yaml", ".yml")
_NO_MODULES = "no image that is described here has an extension with NVIDIA's modules"


def without_the_driver(pool: GpuPool, source: Source) -> GpuPool:
    scope = source.scope
    if pool.driver is not Driver.AMI or pool.distribution.shown() != TALOS or scope.root is None:
        return pool
    if any(next(scope.holding(mark), None) is not None for mark in (HOLDS_MODULES, _BY_ID)):
        return pool
    listed = next(scope.holding(_LISTS, _MANIFESTS), None)
    if listed is None:
        return pool
    found = _LISTS.search(listed.data)
    line = listed.data.count(b"\n", 0, found.start()) + 1 if found is not None else 1
    said = Related(Place(shown_path(listed.path), line), _NO_MODULES)
    return replace(pool, driver=Driver.OPERATOR, driver_said=said)
