"""What `check` says of files that hold a seed, held against what it says of the same lines as a script."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import Enum
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.doors.scripts_doors import Door, script
from tests.doors.scripts_seeds import SEEDS, Seed
from tests.run import run_json

_RULES = {each.rule for each in SEEDS}
_DIGITS = re.compile(r"\d+")

Finding = Mapping[str, Any]


class Heard(Enum):
    ALIKE = "."
    NOTHING = "0"
    ANOTHER_VERDICT = "u"
    ANOTHER_TEXT = "v"
    ANOTHER_LINE = "l"


def heard(files: Mapping[str, str], door: Door, seed: Seed, folder: Path) -> Heard:
    """What is told of a fault that came by a door."""
    found = [each for each in plainly(files, folder) if each["rule"] == seed.rule]
    plain = _of_the_script(seed)
    if not found:
        return Heard.NOTHING
    alike = [each for each in found if each["verdict"] in {one["verdict"] for one in plain}]
    if not alike:
        return Heard.ANOTHER_VERDICT
    same = [each for each in alike if any(_says_the_same(each, one) for one in plain)]
    if not same:
        return Heard.ANOTHER_TEXT
    shown = not door.shows or any(seed.shown in _line(each, folder) for each in same)
    return Heard.ALIKE if shown else Heard.ANOTHER_LINE


def plainly(files: Mapping[str, str], folder: Path) -> list[Finding]:
    """What the rules of the seeds say of these files."""
    (folder / ".git").mkdir(parents=True, exist_ok=True)
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return [each for each in run_json("check", ".", "--no-cache", cwd=folder).findings if each["rule"] in _RULES]


@cache
def _of_the_script(seed: Seed) -> tuple[Finding, ...]:
    with TemporaryDirectory() as folder:
        found = plainly({"user-data.sh": script(seed.faulty)}, Path(folder))
    told = tuple(each for each in found if each["rule"] == seed.rule)
    assert told, f"nothing is told of {seed.name} as a plain script"
    return told


def _says_the_same(one: Finding, other: Finding) -> bool:
    """Numbers of lines differ, and a command is shown with what stands around it."""
    said, plain = (_DIGITS.sub("N", each.get("is") or "") for each in (one, other))
    return plain in said


def _line(finding: Finding, folder: Path) -> str:
    where = finding["where"]
    lines = (folder / where["path"]).read_text().splitlines()
    return lines[where["line"] - 1] if "line" in where else ""


def rows() -> Iterator[tuple[Door, dict[str, Heard]]]:
    """The whole matrix: of each door what is heard of each seed."""
    from tests.doors.scripts_doors import DOORS

    for door in DOORS:
        found: dict[str, Heard] = {}
        for seed in SEEDS:
            files = door.write(seed.faulty)
            with TemporaryDirectory() as folder:
                if files:
                    found[seed.name] = heard(files, door, seed, Path(folder))
        yield door, found


if __name__ == "__main__":
    for door, found in rows():
        print(f"{door.name:52}", " ".join(found[seed.name].value if seed.name in found else "-" for seed in SEEDS))
