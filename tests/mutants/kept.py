"""What came of each mutant, outside of the tree, so that a run that was ended goes on where it was."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

from tests.mutants.trial import Outcome


def folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    made = Path(base) / "nodeworthy" / "mutants"
    made.mkdir(parents=True, exist_ok=True)
    return made


@dataclass(frozen=True)
class Said:
    killed: bool
    by: str
    seconds: float
    # By which tests: others may notice more.
    tests: str


class Kept:
    """A line for each; of two of one mutant the later counts."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.said: dict[str, Said] = {}
        for line in file.read_text(encoding="utf-8").splitlines() if file.exists() else ():
            try:
                told = json.loads(line)
            except ValueError:
                continue  # the run was ended while it wrote
            name = told.pop("mutant")
            self.said[name] = Said(**told)

    def answers(self, mutant: str, tests: str) -> Said | None:
        """What is killed stays killed; what survived is tried again where its tests are others."""
        said = self.said.get(mutant)
        return said if said is not None and (said.killed or said.tests == tests) else None

    def keep(self, outcome: Outcome, tests: str) -> None:
        said = Said(outcome.killed, outcome.by, round(outcome.seconds, 1), tests)
        self.said[outcome.mutant.name] = said
        with self.file.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"mutant": outcome.mutant.name, **said.__dict__}) + "\n")
