"""EC2 instance types: which exist, and what GPUs they have.

`python -m nodeworthy.known.instances` writes the list of those that exist anew, from the installed botocore.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from nodeworthy.known.tables import table_of
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass

LIST = "ec2_instance_types.txt"


@dataclass(frozen=True)
class InstanceGpus:
    """What a GPU instance type has."""

    type: str
    gpu: str
    count: int
    memory: int
    efa: int | None  # None: we don't know
    nvswitch: bool
    source: str


@cache
def _list() -> tuple[str, frozenset[str]]:
    first, *types = Path(__file__).with_name(LIST).read_text(encoding="utf-8").splitlines()
    return first.removeprefix("# "), frozenset(types)


def instance_types() -> frozenset[str]:
    """The types of botocore's InstanceType enum."""
    return _list()[1]


def instance_types_source() -> str:
    return _list()[0]


_NAMED = pattern(r"([a-z]{1,4})([0-9]{1,2})([a-z0-9-]{0,12})\.([a-z0-9-]{1,16})")


@cache
def _newest() -> Mapping[str, int]:
    """The highest number of each series (g, p, trn) on the list."""
    newest: dict[str, int] = {}
    for each in map(_NAMED.fullmatch, instance_types()):
        if each is not None:
            newest[each[1]] = max(newest.get(each[1], 0), int(each[2]))
    return newest


def is_arm(instance_type: str) -> bool | None:
    """Whether its cores are Arm's: EC2's naming conventions give those of AWS and NVIDIA a g behind the number."""
    named = _NAMED.fullmatch(instance_type)
    if named is None or named[1] == "mac":
        return None
    return "g" in named[3] or (named[1], named[2]) == ("a", "1")


def named_parts(instance_type: str) -> tuple[str, str] | None:
    """The series and the generation, as Karpenter's category and generation have them: g and 5 of g5.xlarge."""
    named = _NAMED.fullmatch(instance_type)
    return (named[1], named[2]) if named is not None else None


# So many a list of some age may lack; `g66` is a slip of the finger.
_AHEAD = 3


def may_be_newer(instance_type: str) -> bool:
    """Whether it is called as the next of a series would be, in a size that there is: the list has a date."""
    named = _NAMED.fullmatch(instance_type)
    if named is None or named[1] not in _newest():
        return False
    is_next = 0 < int(named[2]) - _newest()[named[1]] <= _AHEAD
    return is_next and any(each.endswith(f".{named[4]}") for each in instance_types())


@cache
def _table() -> Mapping[str, Any]:
    return table_of("instances")


def _families() -> Mapping[str, Any]:
    families: Mapping[str, Any] = _table()["family"]
    return families


def exists(instance_type: str) -> bool:
    """EC2's list of names has a date; what has a row is there."""
    return instance_type in instance_types() or gpus_of(instance_type) is not None


def is_named_so(name: str) -> bool:
    """Whether it is a name as EC2 gives its types; other clouds have other forms."""
    return _NAMED.fullmatch(name) is not None


def is_no_family(family: str) -> bool:
    """Whether no type of EC2 is of it (p4, whose types are p4d's and p4de's)."""
    of_types = {*_families(), *(each.partition(".")[0] for each in instance_types())}
    if family in of_types:
        return False
    # What a list of some age may lack is a number of its own, or a letter behind one.
    is_stem = family[-1:].isdigit() and any(
        each.startswith(family) and each[len(family)].isalpha() for each in of_types
    )
    return is_stem or not (is_gpu_family(family) or may_be_newer(f"{family}.large"))


def families_beginning(name: str) -> tuple[str, ...]:
    return tuple(sorted(each for each in _families() if each.startswith(name)))


_XLARGES = pattern(r"(\d{0,2})xlarge")


def cpus_of(instance_type: str) -> int | None:
    """How many vCPUs a type with GPUs has: four for each xlarge of its name; None where its name does not say it."""
    size = _XLARGES.fullmatch(instance_type.partition(".")[2])
    return 4 * int(size[1] or 1) if size is not None and gpus_of(instance_type) is not None else None


@cache
def gpus_of(instance_type: str) -> InstanceGpus | None:
    """What GPUs a type has; None where we know of none."""
    family, _, size = instance_type.partition(".")
    row = _families().get(family)
    if row is None or size not in row["sizes"]:
        return None
    from nodeworthy.known.efa import efa_of

    has = efa_of(instance_type)
    return InstanceGpus(
        instance_type,
        row["gpu"],
        row["sizes"][size],
        row["memory"],
        has.interfaces if has is not None else None,
        size in row.get("nvswitch", ()),
        row["source"],
    )


# EC2 names what has GPUs g and p, with the generation behind; another vendor's are told apart by the table.
_OF_GPUS = pattern(r"(?:gr?|p)\d[a-z0-9-]*")


@cache
def _without_nvidia() -> frozenset[str]:
    return frozenset(_table()["without_nvidia"]["families"])


def is_gpu_family(family: str) -> bool:
    """Whether the part of a type's name before the dot is a family with GPUs. It may be too new for the table."""
    return family in _families() or (_OF_GPUS.fullmatch(family) is not None and family not in _without_nvidia())


def has_gpus(instance_type: str) -> bool:
    """Whether it has any of NVIDIA's, however many."""
    return "." in instance_type and is_gpu_family(instance_type.partition(".")[0])


def is_a_part_of_one(name: str) -> bool:
    """Whether a type, or all types of a family, have a part of a GPU."""
    return name.partition(".")[0] in _table()["parts_of_gpus"]["families"]


def most_gpus_of(family: str) -> int | None:
    """How many GPUs the largest type of a family has; None where we know of none."""
    row = _families().get(family)
    return max(row["sizes"].values()) if row is not None else None


def least_gpus_of(family: str) -> int | None:
    """How many GPUs the smallest type of a family has; None where we know of none."""
    row = _families().get(family)
    return min(row["sizes"].values()) if row is not None else None


def gpu_of_family(family: str) -> str | None:
    """The GPU that all of its types have; None where we know of none."""
    row = _families().get(family)
    return str(row["gpu"]) if row is not None else None


def counts_of(family: str, sizes: Collection[str] = ()) -> frozenset[int]:
    """How many GPUs its types have: those of these sizes, or all."""
    row = _families().get(family)
    every: Mapping[str, int] = row["sizes"] if row is not None else {}
    return frozenset(count for size, count in every.items() if not sizes or size in sizes)


@cache
def types_with(gpu: str) -> tuple[str, ...]:
    """The types that have this GPU, in the order of the table."""
    return tuple(
        f"{family}.{size}" for family, row in _families().items() if row["gpu"] == gpu for size in row["sizes"]
    )


@cache
def gpus_on_ec2() -> tuple[str, ...]:
    return tuple(sorted({row["gpu"] for row in _families().values()}))


def near(instance_type: str) -> tuple[str, ...]:
    """What may have been meant, likeliest first; GPU types before others that are as near."""
    known = [f"{family}.{size}" for family, row in _families().items() for size in row["sizes"]]
    from difflib import get_close_matches

    found = get_close_matches(instance_type.lower(), known, 3, 0.75)
    return tuple(found or get_close_matches(instance_type.lower(), sorted(instance_types()), 3, 0.75))


def regenerate() -> str:
    """The list as botocore has it now. For maintainers: needs botocore."""
    import botocore
    from botocore.loaders import Loader

    enum = Loader().load_service_model("ec2", "service-2")["shapes"]["InstanceType"]["enum"]
    lines = [f"# botocore {botocore.__version__}, ec2, InstanceType", *sorted(enum)]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    Path(__file__).with_name(LIST).write_text(regenerate(), encoding="utf-8")
    sys.stdout.write(f"{len(instance_types())} instance types of {instance_types_source()}\n")
