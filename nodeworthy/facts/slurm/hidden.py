"""What a job starts on several nodes by a variable that nothing in it sets."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.boot.shell.nested import SHELLS
from nodeworthy.boot.text import Hole
from nodeworthy.facts.slurm.job import SlurmJob
from nodeworthy.facts.slurm.ran import FILLED, Ran
from nodeworthy.facts.slurm.ranks import nodes_of
from nodeworthy.facts.slurm.words import Peeled, peeled
from nodeworthy.records import dataclass


@dataclass(frozen=True, slots=True)
class Hidden:
    ran: Ran
    shown: str
    why: str
    nodes: int


def hidden(job: SlurmJob) -> Iterator[Hidden]:
    if not job.is_shell or job.unreadable is not None:
        return
    for ran in job.walked.ran:
        found = peeled(ran.words, ran.environment)
        hole = _hole(found) if found.step is not None and found.step.program == "srun" else None
        if hole is None or found.step is None:
            continue
        nodes = nodes_of(job, found.step)
        if nodes > 1:
            yield Hidden(ran, hole.shown, hole.why.removeprefix(FILLED), nodes)


def _hole(found: Peeled) -> Hole | None:
    """In the place of what is started: `srun $CMD`, `srun bash -c "$CMD"`."""
    word = found.words[0] if found.words and not found.program else None
    if found.program in SHELLS and len(found.words) > 2 and (found.words[1].known or "").endswith("c"):
        word = found.words[2]
    first = next((each for each in word.pieces if isinstance(each, Hole) or each.strip()), None) if word else None
    return first if isinstance(first, Hole) else None
