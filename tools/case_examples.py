"""Cases of tests/cases, run as a user would run them, for the pages of docs/."""

from __future__ import annotations

import contextlib
import io
import shlex
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from nodeworthy.cli import main
from nodeworthy.own_rules.cases import Case, case_at, cases_of
from nodeworthy.report.rule_page import Example

ROOT = Path(__file__).resolve().parents[1]
CASES = ROOT / "tests" / "cases"
# What a reader can take in on a page.
LONGEST = 120


def examples_of(rule: str) -> Iterator[Example]:
    """A bad case of the rule and a good one, if it has them."""
    for kind, heading in (("bad", "Where it fails"), ("good", "Where it passes")):
        folder = _telling(rule, kind)
        if folder is not None:
            yield run_case(folder, heading)


def _telling(rule: str, kind: str) -> Path | None:
    """The case that tells most: the incident's own, else one of files that fits on a page, else the first."""
    cases = [case for case in cases_of(CASES / rule) if case.kind == kind]
    short = [case for case in cases if case.typed == Case.typed and fits(looked_at(case.folder))]
    incident = [case for case in short if "incident" in case.name]
    return next((case.folder for case in (*incident, *short, *cases)), None)


def fits(files: Mapping[str, str]) -> bool:
    return sum(len(text.splitlines()) for text in files.values()) <= LONGEST


def looked_at(folder: Path) -> dict[str, str]:
    with tempfile.TemporaryDirectory() as temporary:
        whole = case_at(folder).lay_out(Path(temporary))
        files = [path for path in sorted(whole.rglob("*")) if path.is_file()]
        return {
            path.relative_to(whole).as_posix(): path.read_text(encoding="utf-8", errors="replace") for path in files
        }


def run_case(folder: Path, heading: str = "") -> Example:
    command, files = case_at(folder).typed, looked_at(folder)
    with elsewhere(folder) as place:
        output, code = run(command, place)
    # Recordings and dumps are for programs: there the page says where they are.
    shown = files if fits(files) else {}
    return Example(heading, f"nodeworthy {command}", output, code, shown, folder.relative_to(ROOT).as_posix())


@contextlib.contextmanager
def elsewhere(folder: Path | None = None) -> Iterator[Path]:
    """The case alone, in what looks like a repository of its own: what lies above it is not looked at."""
    with tempfile.TemporaryDirectory() as temporary:
        place = Path(temporary) / "here"
        if folder is None:
            place.mkdir()
        else:
            case_at(folder).lay_out(place)
        (place / ".git").mkdir()
        yield place


def run(command: str, folder: Path) -> tuple[str, int]:
    """What a user sees, both streams as they come, and the exit code."""
    seen = io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stdout(seen), contextlib.redirect_stderr(seen):
        try:
            code = main(shlex.split(command))
        except SystemExit as end:
            code = int(end.code or 0)
    return seen.getvalue(), code
