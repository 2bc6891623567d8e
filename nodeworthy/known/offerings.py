"""Which regions offer the instance types that have GPUs.

Regions gain types, so what is said of one that is not on the list is what AWS said when it was asked; of a region or
a type that was not asked for, nothing is known. `python -m nodeworthy.known.offerings` writes the list anew, from the
answers of AWS that the installed moto has recorded.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from nodeworthy.known.instances import gpus_of

LIST = "ec2_gpu_offerings.txt"


@cache
def _list() -> tuple[str, tuple[str, ...], Mapping[str, tuple[str, ...]]]:
    first, second, *rest = Path(__file__).with_name(LIST).read_text(encoding="utf-8").splitlines()
    rows = (line.split() for line in rest)
    return first.removeprefix("# "), tuple(second.split()[1:]), {name: tuple(regions) for name, *regions in rows}


def offerings_source() -> str:
    return _list()[0]


def regions_of(instance_type: str) -> tuple[str, ...]:
    """The regions that offer it; none where nobody was heard to."""
    return _list()[2].get(instance_type, ())


def is_offered(instance_type: str, region: str) -> bool | None:
    """None where that is not known: another region than those that were asked, a type that none of them has."""
    _, asked, offered = _list()
    if region not in asked or instance_type not in offered:
        return None
    return region in offered[instance_type]


def regenerate() -> str:
    """The list as moto has it now. For maintainers: needs moto."""
    import gzip
    import json

    import moto

    folder = Path(moto.__file__).parent / "ec2" / "resources" / "instance_type_offerings" / "region"
    offered: dict[str, list[str]] = {}
    recorded = sorted(folder.glob("*.json.gz"))
    for path in recorded:
        for each in json.loads(gzip.decompress(path.read_bytes())):
            if gpus_of(each["InstanceType"]) is not None:
                offered.setdefault(each["InstanceType"], []).append(path.name.removesuffix(".json.gz"))
    asked = " ".join(path.name.removesuffix(".json.gz") for path in recorded)
    head = [f"# moto {moto.__version__}, recorded DescribeInstanceTypeOfferings", f"asked {asked}"]
    return "\n".join([*head, *(f"{name} {' '.join(regions)}" for name, regions in sorted(offered.items()))]) + "\n"


if __name__ == "__main__":
    Path(__file__).with_name(LIST).write_text(regenerate(), encoding="utf-8")
    sys.stdout.write(f"{LIST} written, of {offerings_source()}\n")
