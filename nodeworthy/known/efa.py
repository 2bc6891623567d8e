"""EC2 instance types with EFA: how many interfaces, and on which network cards.

`python -m nodeworthy.known.efa` writes the table anew, from what the installed moto recorded of DescribeInstanceTypes.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from nodeworthy.records import dataclass

TABLE = "ec2_efa.txt"


@dataclass(frozen=True)
class Efa:
    interfaces: int
    # The first network card that takes one: card 0, but for types whose card 0 is for IP traffic alone.
    first_card: int = 0


@cache
def _table() -> tuple[str, Mapping[str, Efa]]:
    first, *lines = Path(__file__).with_name(TABLE).read_text(encoding="utf-8").splitlines()
    return first.removeprefix("# "), dict(map(_row, lines))


def _row(line: str) -> tuple[str, Efa]:
    name, *numbers = line.split()
    return name, Efa(*map(int, numbers or ["0"]))


def efa_source() -> str:
    return _table()[0]


def efa_of(instance_type: str) -> Efa | None:
    """What a type has, which may be none at all; None where we don't know."""
    return _table()[1].get(instance_type)


def regenerate() -> str:
    """The table as moto has it now. For maintainers: needs moto."""
    import gzip
    import json
    from importlib.resources import files

    import moto

    recorded = json.loads(gzip.decompress(files("moto.ec2.resources").joinpath("instance_types.json.gz").read_bytes()))
    head = f"# moto {moto.__version__}, ec2, DescribeInstanceTypes: EFA interfaces, first network card that takes one"
    return "\n".join([head, *(_type_in_words(name, recorded[name]["NetworkInfo"]) for name in sorted(recorded))]) + "\n"


def _type_in_words(name: str, network: Mapping[str, Any]) -> str:
    if not network.get("EfaSupported"):
        return name
    cards = [each["NetworkCardIndex"] for each in network["NetworkCards"] if "efa" in each["InterfaceTypes"]]
    return f"{name} {network['EfaInfo']['MaximumEfaInterfaces']} {min(cards, default=0)}"


if __name__ == "__main__":
    Path(__file__).with_name(TABLE).write_text(regenerate(), encoding="utf-8")
    sys.stdout.write(f"{len(_table()[1])} instance types of {efa_source()}\n")
