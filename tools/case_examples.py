"""Cases of tests/cases, run as a user would run them, for the pages of docs/."""

from __future__ import annotations

import contextlib
import io
import shlex
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from nodeworthy.cli import main
from nodeworthy.report.rule_page import Example

ROOT = Path(__file__).resolve().parents[1]
CASES = ROOT / "tests" / "cases"
NOT_LOOKED_AT = {"cmd", "expected.json"}
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
    folders = sorted((CASES / rule).glob(f"{kind}-*"))
    short = [folder for folder in folders if fits(folder) and not (folder / "cmd").exists()]
    incident = [folder for folder in short if "incident" in folder.name]
    return next(iter([*incident, *short, *folders]), None)


def fits(folder: Path) -> bool:
    return sum(len(text.splitlines()) for text in looked_at(folder).values()) <= LONGEST


def looked_at(folder: Path) -> dict[str, str]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and path.name not in NOT_LOOKED_AT)
    return {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8", errors="replace") for path in files}


def run_case(folder: Path, heading: str = "") -> Example:
    written = folder / "cmd"
    command = written.read_text(encoding="utf-8").strip() if written.exists() else "check ."
    with elsewhere(folder) as place:
        output, code = run(command, place)
    # Recordings and dumps are for programs: there the page says where they are.
    files = looked_at(folder) if fits(folder) else {}
    return Example(heading, f"nodeworthy {command}", output, code, files, folder.relative_to(ROOT).as_posix())


@contextlib.contextmanager
def elsewhere(folder: Path | None = None) -> Iterator[Path]:
    """A copy of the folder that looks like a repository of its own: what lies above it is not looked at."""
    with tempfile.TemporaryDirectory() as temporary:
        place = Path(temporary) / "here"
        if folder is None:
            place.mkdir()
        else:
            shutil.copytree(folder, place, ignore=shutil.ignore_patterns(*NOT_LOOKED_AT))
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
