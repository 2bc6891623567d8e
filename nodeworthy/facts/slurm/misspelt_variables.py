"""Variables of Slurm's by names that it does not have: the shell makes nothing of them."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.facts.slurm.job import SlurmJob
from nodeworthy.facts.slurm.lines import is_template
from nodeworthy.known.slurm import meant_variable
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, replace
from nodeworthy.verdict import Place

# With a default nobody is left without a value: `${SLURM_CPU:-4}`.
_ASKED = pattern(r"(?<!\\)\$(?:\{(SLURM_\w+)(?![\w:+-])|(SLURM_\w+))", words=("SLURM_",))
_SET = r"(?:^|[\s;&|(\"'`]){}=|\b(?:read|for|export|unset|declare|local)(?:[ \t]+[\w-]+)*[ \t]+{}\b|\[[^\]\n]*{}"
_COMMENT = pattern(r"(?:^|\s)#.*")


@dataclass(frozen=True, slots=True)
class MisspeltVariable:
    place: Place
    name: str
    meant: str


def misspelt_variables(job: SlurmJob) -> Iterator[MisspeltVariable]:
    """Each name once, where it stands first; not where the job sets one of this name itself, or asks whether it is."""
    if not job.is_shell or job.within or is_template(job.text) or "SLURM_" not in job.text:
        return
    told = set[str]()
    for row, line in enumerate(job.text.split("\n")):
        for found in _ASKED.finditer(_COMMENT.sub("", line)):
            name = found[1] or found[2]
            meant = meant_variable(name) if name not in told else None
            if meant is not None and pattern(_SET.replace("{}", name)).search(job.text) is None:
                told.add(name)
                yield MisspeltVariable(replace(job.place, line=row + 1, column=found.start() + 1), name, meant)
