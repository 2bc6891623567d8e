"""The file of a baseline: one entry a line, sorted, so that a change of it reads like a list of what changed."""

from __future__ import annotations

import json
import os
import stat
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from hashlib import blake2b
from pathlib import Path, PurePath
from typing import Any

from nodeworthy.errors import InputError
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Finding, Verdict

STDIN = "-"
# More than anybody reads in a list of such entries.
LONGEST = 300
# What moves though nothing has changed: the line in a text, the position in a list.
_LINES = pattern(r"\b(lines?) \d+(?:(?:, | and |-|–)\d+)*")
_POSITION = pattern(r"\[\d+\]")


@dataclass(frozen=True)
class BaselineEntry:
    """One failure or unknown: its file, its rule, what it is about there, what is said of it and what was found."""

    path: str
    rule: str
    at: str = ""
    says: str = ""
    found: str = ""
    # Empty of a failure: the baselines of before hold nothing else.
    verdict: str = ""

    @property
    def place(self) -> str:
        return " ".join(filter(None, (self.path, self.at)))


def entry_of(finding: Finding, folder: Path) -> BaselineEntry:
    """Paths are from the baseline's folder on, so that it holds wherever the command is run."""
    where = finding.where
    about = " ".join(filter(None, (where.urn, where.host, where.object, where.subject)))
    path = path_from(folder, where.path) if where.path else ""
    verdict = "" if finding.verdict is Verdict.FAIL else finding.verdict.value
    return BaselineEntry(
        path, finding.rule, _at_rest(about), _at_rest(finding.message), _at_rest(finding.is_ or ""), verdict
    )


def path_from(folder: Path, path: str | Path) -> str:
    if path == STDIN:
        return STDIN
    return PurePath(os.path.relpath(os.path.abspath(path), folder)).as_posix()


def _at_rest(text: str) -> str:
    return _shortened(_POSITION.sub("[]", _LINES.sub(r"\1", text)))


def _shortened(text: str) -> str:
    if len(text) <= LONGEST:
        return text
    return f"{text[:LONGEST]}… {blake2b(text.encode('utf-8', 'surrogatepass'), digest_size=6).hexdigest()}"


NAME = ".nodeworthy-baseline.json"
SCHEMA = "nodeworthy/baseline/v1"
LIMIT = 20_000_000
_ABOUT = "failures and unknowns that were there when it was written; `nodeworthy baseline` writes it anew"
_FIRST_KEY = pattern(r'^\s*\{\s*"path":', 0)
_KEYS = ("path", "rule", "at", "says", "found", "verdict")


@dataclass(frozen=True)
class Baseline:
    path: Path
    shown: str
    # What was looked at for it, from its folder on.
    checked: Sequence[str]
    entries: Mapping[BaselineEntry, int]
    # Where each entry stands in the file.
    lines: Mapping[BaselineEntry, int]

    @property
    def folder(self) -> Path:
        return self.path.parent

    @property
    def total(self) -> int:
        return sum(self.entries.values())


def baseline_text(entries: Mapping[BaselineEntry, int], checked: Sequence[str]) -> str:
    head = json.dumps({"schema": SCHEMA, "about": _ABOUT, "checked": sorted(checked)}, indent=2, ensure_ascii=True)
    ordered = sorted(entries, key=lambda each: (each.path, each.rule, each.at, each.says, each.found, each.verdict))
    rows = ",\n".join(f"    {_row(each, entries[each])}" for each in ordered)
    listed = f"[\n{rows}\n  ]" if rows else "[]"
    return f'{head[:-2]},\n  "failures": {listed}\n}}\n'


def _row(entry: BaselineEntry, count: int) -> str:
    """What isn't there is not written; printable whatever a file's name holds."""
    told = {name: value for name, value in asdict(entry).items() if value or name in ("path", "rule")}
    return json.dumps({**told, **({"count": count} if count > 1 else {})}, ensure_ascii=True)


def read(path: Path, shown: str) -> Baseline:
    """Raises InputError for what is no baseline of this version."""
    text = _text(path, shown)
    try:
        data = json.loads(text)
    except json.JSONDecodeError as problem:
        raise InputError(f"{shown}:{problem.lineno}:{problem.colno}: the baseline is no JSON: {problem.msg}") from None
    except RecursionError:
        raise InputError(f"{shown}: this is no baseline of nodeworthy: it nests too deep") from None
    _refuse_another(data, shown)
    rows = list(_entries(data["failures"], shown))
    counted: Counter[BaselineEntry] = Counter()
    for entry, count in rows:
        counted[entry] += count
    return Baseline(path, shown, tuple(data["checked"]), counted, _lines_of(text, [entry for entry, _ in rows]))


def _text(path: Path, shown: str) -> str:
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # a pipe that nobody writes to never ends
            raise InputError(f"{shown} is no file, and so no baseline")
        with path.open("rb") as file:
            data = file.read(LIMIT + 1)
        if len(data) > LIMIT:
            raise InputError(f"{shown} is larger than a baseline may be: {LIMIT // 1_000_000} MB")
        return data.decode("utf-8-sig")
    except OSError as problem:
        raise InputError(f"can't read the baseline {shown}: {problem.strerror}") from None
    except UnicodeDecodeError as problem:
        raise InputError(f"{shown} is no baseline: no text in UTF-8 (byte {problem.start})") from None


def _refuse_another(data: Any, shown: str) -> None:
    schema = data.get("schema") if isinstance(data, dict) else None
    if isinstance(schema, str) and schema != SCHEMA and schema.startswith("nodeworthy/baseline/"):
        raise InputError(f"{shown} is a {schema}, and this version reads {SCHEMA}: write it anew with it")
    shaped = schema == SCHEMA and _are_texts(data.get("checked")) and isinstance(data.get("failures"), list)
    if not shaped:
        raise InputError(f"{shown}: this is no baseline of nodeworthy, or not all of one ({SCHEMA})")


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _entries(rows: Sequence[Any], shown: str) -> Iterator[tuple[BaselineEntry, int]]:
    for number, row in enumerate(rows, 1):
        told = dict(row) if isinstance(row, dict) else {}
        count = told.pop("count", 1)
        sound = {"path", "rule"} <= told.keys() <= set(_KEYS) and all(isinstance(each, str) for each in told.values())
        sound = sound and told.get("verdict", "") in ("", Verdict.UNKNOWN.value)
        if not sound or not isinstance(count, int) or isinstance(count, bool) or count < 1:
            raise InputError(f"{shown}: failure {number} of this baseline is none of ours: write it anew")
        yield BaselineEntry(**told), count


def _lines_of(text: str, entries: Sequence[BaselineEntry]) -> Mapping[BaselineEntry, int]:
    """The line of each entry as we write the file; none in a file that somebody has laid out anew."""
    lines = [number for number, line in enumerate(text.splitlines(), 1) if _FIRST_KEY.match(line)]
    return dict(zip(entries, lines, strict=True)) if len(lines) == len(entries) else {}
