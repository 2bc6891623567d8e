"""The page of what was measured: of what `python -m bench` has kept of one machine."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.measure import SCALE_MS

RESULTS = Path(__file__).with_name("results")
Row = Mapping[str, Any]
_HEAD = (("", "wanted", "fails above", "measured", "on"), ("---",) * 5)


def page_of_speed() -> str:
    kept = json.loads(_newest().read_text(encoding="utf-8"))
    rows = kept["results"]
    processors = " and ".join(dict.fromkeys(each["processor"] for each in rows))
    blocks = (
        "# How fast",
        f"`make speed` measures it and writes this page: here on {kept['cores']} cores ({processors}). A time "
        f"is told as on a machine where a bare interpreter computes for {SCALE_MS:g} ms until it has started: what one "
        "took there at that hour is divided out. `make bench` measures yours; on a busy machine only what is "
        "*computing* tells the truth. Each row says on which day it was measured, with the program as it was then, and "
        "under which load.",
        "*Wanted* is what it is to be, and what misses that says so; *fails above* ends `make bench` with exit code 1.",
        "\n".join(f"| {' | '.join(each)} |" for each in (*_HEAD, *map(_row, rows))),
        _summed_up(rows),
    )
    return "\n\n".join(blocks) + "\n"


def _summed_up(rows: Sequence[Row]) -> str:
    missed = sum(map(_misses, rows))
    unknown = sum(each["measured"] is None for each in rows)
    if not missed and not unknown:
        return f"All {len(rows)} are as fast as wanted, or faster."
    also = f" {unknown} could not be measured there." if unknown else ""
    return f"{missed} of {len(rows)} miss what is wanted.{also}"


def _newest() -> Path:
    return max(RESULTS.glob("*.json"), key=_taken)


def _taken(path: Path) -> tuple[str, str]:
    rows = json.loads(path.read_text(encoding="utf-8"))["results"]
    return max(each["taken"] for each in rows), path.name


def _row(each: Row) -> tuple[str, ...]:
    wanted = each["wanted"] if each["wanted"] is not None else each["limit"]
    said = "".join(_words(each))
    return each["name"], _shown(wanted, each["unit"]), _shown(each["limit"], each["unit"]), said, _when(each)


def _when(each: Row) -> str:
    """The day, and how many wanted to compute on it then."""
    return each["taken"] if each["load"] is None else f"{each['taken']}, load {each['load']:g}"


def _words(each: Row) -> Iterator[str]:
    if each["measured"] is None:
        yield each["verdict"]
        return
    yield _shown(_settled(each), each["unit"])
    if _misses(each):
        yield " (**misses it**)"


def _settled(each: Row) -> float:
    """On a machine where the limits hold as they are written."""
    measured: float = each["measured"]
    return measured * SCALE_MS / each["interpreter_ms"] if each["unit"] == "ms" else measured


def _misses(each: Row) -> bool:
    wanted = each["wanted"] if each["wanted"] is not None else each["limit"]
    return each["measured"] is not None and _settled(each) > wanted


def _shown(figure: float, unit: str) -> str:
    if unit == "ms" and figure >= 1000:
        return f"{figure / 1000:,.1f} s"
    return f"{figure:,.{0 if figure >= 100 or figure == int(figure) else 2}f} {unit}".strip()
