"""Fault × rule, for a person, for a program, and as a page of docs/."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence

from nodeworthy.lab.faults.fault import NOT_INJECTED
from nodeworthy.lab.faults.injecting import Outcome
from nodeworthy.report.table import aligned

SCHEMA = "nodeworthy/lab-faults/v1"
MARK = "<!-- Generated: `make lab-faults` writes this page, on a machine that can boot nodes (root). -->"
NONE = "–"
HEADS = ("", "fault", "must turn red", "turned red", "can't be known then")


def text(outcomes: Sequence[Outcome]) -> str:
    rows = [("ok" if each.as_expected else "NOT OK", *_row(each)) for each in outcomes]
    blocks = [aligned(HEADS, rows), *map(_what_is_wrong, filter(_is_wrong, outcomes)), _sum(outcomes)]
    return "\n\n".join(blocks) + "\n"


def as_json(outcomes: Sequence[Outcome]) -> str:
    data = {"schema": SCHEMA, "faults": [_data(each) for each in outcomes]}
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def markdown(outcomes: Sequence[Outcome]) -> str:
    heads = ("fault", "what is wrong", "turned red", "can't be known then")
    rows = [heads, tuple("---" for _ in heads), *map(_line, outcomes)]
    table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    blocks = (MARK, "# Faults, and the rules that see them", ABOUT, table, _sum(outcomes), *_not_injected())
    return "\n\n".join(blocks) + "\n"


def _not_injected() -> Iterator[str]:
    yield from (f"No fault for [{name}](rules/{name}.md): {why}." for name, why in NOT_INJECTED.items())


ABOUT = """\
`nodeworthy lab faults` boots a fresh node for each of these, with a real systemd, cloud-init, kmod and containerd,
injects the fault, and runs the node suite: exactly the rule of the fault must turn red, and no other. What no machine
without GPUs has (what the kernel and NVIDIA's driver show of GPUs, NVSwitches and EFA, the kernel's log and its clock)
comes from stand-ins, all in `nodeworthy/lab/images/gpu-node`. What can't be known is what nobody can look at while the
fault is there. The harmless ones turn nothing red."""


def _row(outcome: Outcome) -> tuple[str, ...]:
    return outcome.fault.name, outcome.fault.rule or NONE, _names(outcome.red, outcome.why), _names(outcome.unknown)


def _line(outcome: Outcome) -> tuple[str, ...]:
    fault = outcome.fault
    red = ", ".join(f"[{each}](rules/{each}.md)" for each in sorted(outcome.red)) or NONE
    return f"`{fault.name}`", fault.says.replace("|", "\\|"), red, _names(fault.unknown)


def _names(names: Iterable[str], why: str = "") -> str:
    return "could not look" if why else ", ".join(sorted(names)) or NONE


def _is_wrong(outcome: Outcome) -> bool:
    return not outcome.as_expected


def _what_is_wrong(outcome: Outcome) -> str:
    if outcome.why:
        return f"{outcome.fault.name}: {outcome.why}"
    said = [
        f"  {rule}: {outcome.verdicts[rule]}: {outcome.said[rule]}" for rule in sorted(outcome.red | outcome.unknown)
    ]
    expected = f"{outcome.fault.rule or 'nothing'} should be red"
    unknown = f", and {_names(outcome.fault.unknown)} unknown" if outcome.fault.unknown else ""
    skipped = f"; {_names(outcome.not_looked_at)} did not pass" if outcome.not_looked_at else ""
    return "\n".join([f"{outcome.fault.name}: {outcome.fault.says}; {expected}{unknown}{skipped}", *said])


def _sum(outcomes: Sequence[Outcome]) -> str:
    right = sum(each.as_expected for each in outcomes)
    rules = {each.fault.rule for each in outcomes if each.fault.rule}
    said = f"{len(outcomes)} nodes, {len(rules)} rules: {right} as they must be"
    return said if right == len(outcomes) else f"{said}, {len(outcomes) - right} not"


def _data(outcome: Outcome) -> dict[str, object]:
    return {
        "fault": outcome.fault.name,
        "says": outcome.fault.says,
        "rule": outcome.fault.rule,
        "asExpected": outcome.as_expected,
        "red": sorted(outcome.red),
        "unknown": sorted(outcome.unknown),
        "verdicts": {name: each.value for name, each in sorted(outcome.verdicts.items())},
        "why": outcome.why or None,
    }
