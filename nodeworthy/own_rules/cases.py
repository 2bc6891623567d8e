"""A rule is seen failing, passing and not knowing, on files as people keep them.

A case is a folder `cases/<rule-id>/{bad,good,unknown}-<name>/`: what is looked at, an optional `cmd` (`check .` where
there is none), and `expected.json`, all that was told then. What the folder's name promises holds whatever the golden
says, so that an update can't turn a bad case into a good one.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from nodeworthy.records import dataclass

EXIT = {"bad": 1, "good": 0, "unknown": 3}
PROMISED = {"bad": "fail", "good": "pass", "unknown": "unknown"}
COMMAND, GOLDEN = "cmd", "expected.json"
# They grow with every rule of the catalogue, which is no business of a case. The golden itself lies in the folder, and
# is no kind of file that we know.
_GROWING = ("subjects", "rules", "verdicts", "unrecognised")


@dataclass(frozen=True)
class Case:
    folder: Path

    @property
    def rule(self) -> str:
        return self.folder.parent.name

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def kind(self) -> str:
        return self.name.split("-")[0]

    @property
    def command(self) -> list[str]:
        written = self.folder / COMMAND
        return shlex.split(written.read_text(encoding="utf-8")) if written.exists() else ["check", "."]

    @property
    def golden(self) -> Path:
        return self.folder / GOLDEN


def cases_in(folder: Path) -> list[Case]:
    return [Case(path) for path in sorted(folder.glob("*/*")) if path.is_dir() and not path.name.startswith(("_", "."))]


def broken_promises(case: Case, code: int, report: Mapping[str, Any]) -> Iterator[str]:
    """What the folder's name promises and the run did not keep."""
    if case.kind not in PROMISED:
        yield f"its name begins with none of {', '.join(f'{kind}-' for kind in PROMISED)}"
        return
    own = {found["verdict"] for found in report["findings"] if found["rule"] == case.rule and not found["suppressed"]}
    said = " and ".join(sorted(own)) or "nothing"
    promised = PROMISED[case.kind]
    if promised not in own:
        yield f"{case.rule} says {said}, and {promised} was promised"
    elif case.kind == "good" and own != {"pass"}:
        yield f"{case.rule} says {said}, and nothing but pass was promised"
    elif case.kind == "bad" and "unknown" in own and "fail" not in own:
        yield f"{case.rule} does not know, and fail was promised"
    if code != EXIT[case.kind]:
        yield f"the exit code is {code}, and {EXIT[case.kind]} was promised{_others(case, report)}"


def _others(case: Case, report: Mapping[str, Any]) -> str:
    told = ("fail", "error", "unknown")
    others = {found["rule"] for found in report["findings"] if found["verdict"] in told} - {case.rule}
    return f" ({', '.join(sorted(others))} had something to say, too)" if others else ""


def told(code: int, report: Mapping[str, Any]) -> dict[str, Any]:
    """Of a run all that a golden holds."""
    return {
        "exit": code,
        "looked_at": {name: count for name, count in report["evaluated"].items() if name not in _GROWING},
        "summary": {name: count for name, count in report["summary"].items() if name not in ("pass", "skip")},
        "findings": [_kept(found) for found in report["findings"] if found["verdict"] not in ("pass", "skip")],
    }


def _kept(finding: Mapping[str, Any]) -> dict[str, Any]:
    """Which other checks of a rule did not apply is no more part of a golden than any skip."""
    return {name: value for name, value in finding.items() if name != "skipped"}
