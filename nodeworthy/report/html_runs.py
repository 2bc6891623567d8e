"""What real work showed, on a page: tests by nodes, and who sends how fast to whom, as a map."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import Any

from nodeworthy.known.acceptance import TESTS
from nodeworthy.report.accept import SeriesComparison, compare_with_baseline
from nodeworthy.report.html_findings import name, text

# The shares of the middle below which a cell is shown as slower: as many classes, the first the slowest.
_SLOWER = (0.5, 0.7, 0.85, 0.95)
STYLE = """
.runs td, .pairs td { text-align: center; padding: .2rem .5rem; } .pairs th { color: var(--faint); }
.pairs .slow-0 { background: var(--fail); color: Canvas; font-weight: 700; }
.pairs .slow-1 { background: color-mix(in srgb, var(--fail) 55%, Canvas); }
.pairs .slow-2 { background: color-mix(in srgb, var(--fail) 30%, Canvas); }
.pairs .slow-3 { background: color-mix(in srgb, var(--fail) 12%, Canvas); }
.runs .not-run { color: var(--faint); } .wide { overflow-x: auto; }
"""


def sections(runs: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The sections about runs; none where nothing was run."""
    if not runs:
        return
    yield f"<section><h2>Nodes and tests</h2>{_table(runs)}</section>\n"
    compared = compare_with_baseline((each["test"], each["measures"]) for each in runs)
    if compared:
        yield f"<section><h2>Beside the baseline</h2>{_compared(compared)}</section>\n"
    for each in runs:
        for at, cells in sorted(_rounds(each).items()):
            yield (
                f"<section><h2>Who sends how fast to whom</h2><p>{name(each['test'])}, {name(at)}, in GB/s: a row "
                f"sends, a column receives. What is far below the middle ({_number(median(cells.values()))}) is "
                f"dark.</p>{_map(cells)}</section>\n"
            )


def _table(runs: Sequence[Mapping[str, Any]]) -> str:
    tests = [each for each in TESTS if any(one["test"] == each for one in runs)]
    nodes = dict.fromkeys(node for each in runs for node in each["nodes"])
    found = {(node, each["test"]): each for each in runs for node in each["nodes"]}
    heads = "".join(f'<th scope="col">{name(each)}</th>' for each in tests)
    rows = (
        f'<tr><th scope="row">{name(node)}</th>{"".join(_state(found.get((node, test))) for test in tests)}</tr>'
        for node in nodes
    )
    return f'<div class="wide"><table class="runs"><tr><td></td>{heads}</tr>{"".join(rows)}</table></div>'


def _state(run: Mapping[str, Any] | None) -> str:
    if run is None:
        return "<td>–</td>"
    kind = "not-run" if run["state"] == "not run" else f"of-{run['state']}"
    why = f' title="{text(str(run["why"]))}"' if run["why"] else ""
    return f'<td class="{kind}"{why}>{name(run["state"])}</td>'


def _compared(compared: Sequence[SeriesComparison]) -> str:
    heads = "".join(f'<th scope="col">{each}</th>' for each in ("test", "measured", "baseline", "now", "change"))
    rows = "".join(_beside(each) for each in compared)
    return f'<div class="wide"><table class="runs pairs"><tr>{heads}</tr>{rows}</table></div>'


def _beside(each: SeriesComparison) -> str:
    """Darker the more it lacks."""
    kind = _slower(1 + each.change)
    numbers = f"<td>{_number(each.usual)} {text(each.unit)}</td><td>{_number(each.now)} {text(each.unit)}</td>"
    old = ' title="the baseline is old"' if each.is_old else ""
    return (
        f'<tr><td>{name(each.test)}</td><th scope="row">{name(each.series)}</th>{numbers}'
        f"<td{kind}{old}>{each.change:+.1%}</td></tr>"
    )


def _rounds(run: Mapping[str, Any]) -> dict[str, dict[tuple[str, str], float]]:
    """Each pair's speed, by round."""
    found: dict[str, dict[tuple[str, str], float]] = {}
    for each in run["measures"]:
        if each["name"] == "pair_gbps" and isinstance(each["value"], int | float):
            at = each["at"]
            pair = (str(at.get("from", "")), str(at.get("to", "")))
            found.setdefault(f"round {at.get('round', 1)}", {})[pair] = float(each["value"])
    return found


def _map(cells: Mapping[tuple[str, str], float]) -> str:
    nodes = list(dict.fromkeys(each for pair in cells for each in pair))
    middle = median(cells.values())
    heads = "".join(f'<th scope="col">{name(each)}</th>' for each in nodes)
    rows = (
        f'<tr><th scope="row">{name(one)}</th>{"".join(_cell(cells.get((one, other)), middle) for other in nodes)}</tr>'
        for one in nodes
    )
    return f'<div class="wide"><table class="pairs"><tr><td></td>{heads}</tr>{"".join(rows)}</table></div>'


def _cell(speed: float | None, middle: float) -> str:
    if speed is None:
        return "<td></td>"
    return f"<td{_slower(speed / middle if middle else 1.0)}>{_number(speed)}</td>"


def _slower(share: float) -> str:
    """The class of what is so much of what it should be; none where it is not far below."""
    slower = next((at for at, least in enumerate(_SLOWER) if share < least), None)
    return f' class="slow-{slower}"' if slower is not None else ""


def _number(value: float) -> str:
    return f"{value:.3g}"
