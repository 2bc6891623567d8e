"""The score for a reader: a table of the rules, the bars, and each thing that somebody should look at."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bench.exam.records import Label, Said
from bench.exam.scoring import ALL_TRUE, ERRORS_TRUE, FOUND, UNKNOWNS_A_FILE, Labelled, Score, by_rule, rules_of

_HEAD = ("rule", "true", "false", "undecided", "doubt", "missed", "unknown")


def text(score: Score) -> str:
    return "\n".join([*_table(score), "", *_totals(score), *_lists(score)])


def as_json(score: Score) -> dict[str, Any]:
    return {
        "files": {
            "looked_at": len(score.looked),
            "missing": list(score.missing),
            "unrecognised": [one.file for one in score.looked if not one.recognised],
        },
        "rules": {rule: _counts(score, rule) for rule in rules_of(score)},
        "precision": {"errors": score.precision("error"), "all": score.precision()},
        "labels": {label: score.count(label) for label in Label},
        "blind": {label: sum(one.blind and one.label is label for one in score.labelled) for label in Label},
        "recall": score.recall,
        "unknowns_a_file": score.unknowns_a_file,
        "crashes": [{"file": one.file, "said": one.crash} for one in score.crashes],
        "passes": score.passes,
        "said": [_one(one) for one in score.labelled],
        "unknowns": [vars(one) for one in score.unknowns],
        "missed": [vars(fault) for fault in score.missed],
        "withdrawn": [vars(fault) for fault in score.withdrawn],
    }


def _one(one: Labelled) -> dict[str, Any]:
    return {**vars(one.said), "label": one.label, "blind": one.blind, "why": one.why}


def _counts(score: Score, rule: str) -> dict[str, int]:
    counts = {label.value: score.count(label, rule) for label in Label}
    return {**counts, "missed": by_rule(score.missed)[rule], "unknown": by_rule(score.unknowns)[rule]}


def _table(score: Score) -> Iterator[str]:
    rules = rules_of(score)
    width = max([len(rule) for rule in rules] + [len(_HEAD[0])])
    yield "  ".join([_HEAD[0].ljust(width), *_HEAD[1:]])
    for rule in rules:
        counts = _counts(score, rule)
        cells = [str(counts[name] or ".").rjust(len(name)) for name in _HEAD[1:]]
        yield "  ".join([rule.ljust(width), *cells])


def _totals(score: Score) -> Iterator[str]:
    strange = sum(not one.recognised for one in score.looked)
    yield f"{len(score.looked)} files, {strange} of no known kind, {len(score.missing)} missing"
    yield f"errors true   {score.precision('error'):4.0%}  (at least {ERRORS_TRUE:.0%})"
    yield f"all true      {score.precision():4.0%}  (at least {ALL_TRUE:.0%})"
    of_all = len(score.found) + len(score.missed)
    yield f"found         {score.recall:4.0%}  (at least {FOUND:.0%}): {len(score.found)} of {of_all}"
    yield f"unknowns      {len(score.unknowns):4}  (at most {UNKNOWNS_A_FILE * len(score.looked):.0f})"
    yield f"crashes       {len(score.crashes):4}"


def _lists(score: Score) -> Iterator[str]:
    for label in (Label.FALSE, Label.UNDECIDED, Label.DOUBT):
        yield from _listed(label, [_line(one.said) for one in score.labelled if one.label is label])
    yield from _listed("unknown", [_line(one) for one in score.unknowns])
    yield from _listed("missed", [f"{fault.file}:{fault.line} {fault.rule}: {fault.why}" for fault in score.missed])
    yield from _listed("crashed", [f"{one.file}: {one.crash}" for one in score.crashes])
    yield from _listed("missing", list(score.missing))


def _listed(title: str, lines: list[str]) -> Iterator[str]:
    if lines:
        yield from ("", f"{title}:", *(f"  {line}" for line in lines))


def _line(said: Said) -> str:
    return f"{said.file}:{said.line} {said.rule} ({said.severity}): {said.message}"
