"""The floors of a fleet: what its GPUs, storage and network must measure. What can't be is refused with its place."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Mapping

from nodeworthy.documents.tree import Tree
from nodeworthy.fleet.walk import Section
from nodeworthy.known.acceptance import keys, limit_of
from nodeworthy.known.gpus import gpu_named
from nodeworthy.verdict import Known, Located, Place

Refuse = Callable[[Place, str], None]
Floors = Mapping[tuple[str, str], tuple[float, Place]]

# What is measured in GB/s, and may be written in less.
_UNITS = {"MB/s": 1e-3, "GB/s": 1.0}


def floors(section: Section, refuse: Refuse) -> Floors:
    found: dict[tuple[str, str], tuple[float, Place]] = {}
    for name, parts in (("storage", ("write", "read")), ("network", ("node", "download"))):
        inner = section.section(name)
        for part in parts:
            said: Located[str | None] = inner.located(part)
            if isinstance(said.state, Known) and said.state.value is not None:
                found["", part] = (_speed(said.state.value), said.place)
    tree: Tree = section.read["floors"]
    for gpu, its_floors in tree.mapping.items():
        found.update(_of_gpu(gpu, its_floors, f"{section.path}.floors.{gpu}", refuse))
    return found


def _speed(text: str) -> float:
    number, unit = text[:-4], text[-4:]
    return float(number) * _UNITS[unit]


def _of_gpu(name: str, tree: Tree, path: str, refuse: Refuse) -> Iterator[tuple[tuple[str, str], tuple[float, Place]]]:
    gpu = gpu_named(name)
    if gpu is None:
        refuse(tree.heading, f"{path}: {name} is no GPU that we know")
        return
    if not tree.is_mapping:
        refuse(tree.place, f"{path} must be a mapping from what is measured to the least, such as all_reduce-8: 440")
        return
    for key, child in tree.mapping.items():
        value = _number(gpu.name, key, child, f"{path}.{key}", refuse)
        if value is not None:
            yield (gpu.name, key), (value, child.place)


def _number(gpu: str, key: str, child: Tree, path: str, refuse: Refuse) -> float | None:
    if key not in keys():
        near = difflib.get_close_matches(key, keys(), 1)
        meant = f"did you mean {near[0]}?" if near else f"what may stand here: {', '.join(keys())}"
        refuse(child.heading, f"{path}: nothing is measured by that name; {meant}")
        return None
    value = child.value
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1e9:
        refuse(child.place, f"{path} must be a number more than nothing, without its unit")
        return None
    limit = limit_of(key, gpu)
    if limit is not None and value > limit.value:
        refuse(
            child.place,
            f"{path} is {value:g}, and {limit.value:g} {limit.unit} is what physics allows: no {gpu} will ever pass",
        )
        return None
    return float(value)
