"""A rule is seen failing, passing and not knowing, on files as people keep them.

A case is a folder `cases/<rule-id>/{bad,good,unknown}-<name>/`: what is looked at, an optional `cmd` (`check .` where
there is none), and `expected.json`, all that was told then. What the folder's name promises holds whatever the golden
says, so that an update can't turn a bad case into a good one.

What cases share is written once. `cases/<rule-id>/cases.toml` has a line for each that needs one:

    bad-two-policies = {cmd = "diagnose --from dump", base = ["_base/stock-cluster"]}

A base is a folder below `cases/`: one whose name begins with `_`, which is no case itself, or another case with all
that it is laid over. A case is laid out over its bases, and of one file in both its own counts; where nothing but its
command is its own, it needs no folder.
"""

from __future__ import annotations

import shlex
import shutil
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from nodeworthy.errors import InputError
from nodeworthy.records import dataclass

EXIT = {"bad": 1, "good": 0, "unknown": 3}
PROMISED = {"bad": "fail", "good": "pass", "unknown": "unknown"}
COMMAND, GOLDEN, TABLE = "cmd", "expected.json", "cases.toml"
# What stands in a case and is not looked at by what it runs.
BESIDE = (COMMAND, GOLDEN)
# They grow with every rule of the catalogue, which is no business of a case.
_GROWING = ("subjects", "rules", "verdicts", "unrecognised")


@dataclass(frozen=True)
class Case:
    folder: Path
    # As it was written, less `nodeworthy`.
    typed: str = "check ."
    # The lowest first.
    bases: tuple[Path, ...] = ()

    @property
    def rule(self) -> str:
        return self.folder.parent.name

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def id(self) -> str:
        return f"{self.rule}/{self.name}"

    @property
    def kind(self) -> str:
        return self.name.split("-")[0]

    @property
    def command(self) -> list[str]:
        return shlex.split(self.typed)

    @property
    def golden(self) -> Path:
        return self.folder / GOLDEN

    def lay_out(self, into: Path) -> Path:
        """All that is looked at, as if it had stood in one folder."""
        for folder in (*self.bases, *([self.folder] if self.folder.is_dir() else ())):
            shutil.copytree(folder, into, ignore=_ignore_beside(folder), dirs_exist_ok=True)
        return into


def _ignore_beside(folder: Path) -> Callable[[str, list[str]], Sequence[str]]:
    return lambda where, _: BESIDE if Path(where) == folder else ()


def cases_in(folder: Path) -> list[Case]:
    return [case for rule in _folders(folder) for case in cases_of(rule)]


def case_at(folder: Path) -> Case:
    return _case(folder, _lines(folder.parent))


def _folders(folder: Path) -> list[Path]:
    """Less the bases, and what editors and systems leave."""
    return [path for path in sorted(folder.glob("*")) if path.is_dir() and not path.name.startswith(("_", "."))]


def cases_of(rule: Path) -> list[Case]:
    lines, folders = _lines(rule), _folders(rule)
    without = {rule / name for name in lines} - set(folders)
    for folder in without:
        if not lines[folder.name].bases:
            raise InputError(f"{_table_path(rule)}: {folder.name} has neither a folder nor a base")
    return [_case(each, lines) for each in sorted((*folders, *without))]


@dataclass(frozen=True)
class _Line:
    typed: str | None = None
    bases: tuple[str, ...] = ()


def _lines(rule: Path) -> dict[str, _Line]:
    try:
        table = tomllib.loads((rule / TABLE).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (ValueError, OSError, RecursionError) as problem:
        raise InputError(f"{_table_path(rule)} can't be read: {problem}") from None
    return {name: _line(rule, name, value) for name, value in table.items()}


def _line(rule: Path, name: str, value: Any) -> _Line:
    line = value if isinstance(value, dict) else {"": value}
    typed, base = line.get("cmd", ""), line.get("base", [])
    bases = [base] if isinstance(base, str) else base
    if line.keys() - {"cmd", "base"} or not _all_text([typed]) or not _all_text(bases):
        raise InputError(f'{_table_path(rule)}: {name} = {{cmd = "…", base = ["…"]}}, or one of both, and nothing else')
    return _Line(typed or None, tuple(bases))


def _all_text(values: Any) -> bool:
    return isinstance(values, list) and all(isinstance(each, str) for each in values)


def _case(folder: Path, lines: Mapping[str, _Line]) -> Case:
    line = lines.get(folder.name, _Line())
    typed, written = line.typed, folder / COMMAND
    if typed is None:
        typed = written.read_text(encoding="utf-8").strip() if written.exists() else Case.typed
    return Case(folder, typed, tuple(dict.fromkeys(_below(folder, line, ()))))


def _below(folder: Path, line: _Line, above: tuple[Path, ...]) -> Iterator[Path]:
    cases = folder.parents[1]
    for name in line.bases:
        base = cases / name
        told = f"{_table_path(folder.parent)}: {folder.name} has the base {name!r}"
        if base in (*above, folder):
            raise InputError(f"{told}, and would be laid over itself")
        beneath = () if "_" in {part[:1] for part in Path(name).parts} else _beneath(base, (*above, folder))
        if cases not in base.parents or ".." in base.parts or not (beneath or base.is_dir()):
            raise InputError(
                f"{_table_path(folder.parent)}: {folder.name} has the base {name!r}, which is none below cases/"
            )
        yield from beneath
        if base.is_dir():
            yield base


def _beneath(base: Path, above: tuple[Path, ...]) -> tuple[Path, ...]:
    """The layers beneath a base that is a case itself."""
    line = _lines(base.parent).get(base.name)
    return tuple(_below(base, line, above)) if line is not None else ()


def _table_path(rule: Path) -> str:
    return f"cases/{rule.name}/{TABLE}"


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


def golden_of(code: int, report: Mapping[str, Any]) -> dict[str, Any]:
    """All that a golden holds of a run."""
    return {
        "exit": code,
        "looked_at": {name: count for name, count in report["evaluated"].items() if name not in _GROWING},
        "summary": {name: count for name, count in report["summary"].items() if name not in ("pass", "skip")},
        "findings": [
            _part_for_golden(found) for found in report["findings"] if found["verdict"] not in ("pass", "skip")
        ],
    }


def _part_for_golden(finding: Mapping[str, Any]) -> dict[str, Any]:
    """Which other checks of a rule did not apply is no more part of a golden than any skip."""
    return {name: value for name, value in finding.items() if name != "skipped"}
