"""What sbatch, or pyxis, finds in #SBATCH lines where somebody thought that a shell would fill something in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from nodeworthy.facts.slurm.lines import MARK, Option
from nodeworthy.known.slurm import refused_by_pyxis, refused_by_sbatch, refused_by_slurm
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Known

if TYPE_CHECKING:
    from nodeworthy.facts.slurm.job import SlurmJob

_ASKS = pattern(r"\$|`")
# What only a shell fills in: no program that makes a job of a template knows it. Slurm's own variables are there when
# the job is, and `$(NAME)` alone may be make's or Julia's. A blank and a `#` end the value: `$(wc -l <list)`, `${#X}`.
_OF_A_SHELL = pattern(
    r"\$\(\(|\$\((?:nproc|pwd|date|whoami|hostname)\)|\$\([^)]*$|\$\{$|`|"
    r"\$\{[A-Za-z_]\w*(?:\[[^\]]*\])?(?::?[-+=?]|[%#/^,]|:\d)|"
    r"\$\{?[1-9@*#?]|"
    r"\$\{?SLURM_(?:JOB_?ID|ARRAY_\w+|SUBMIT_DIR|(?:JOB_)?NODELIST|NNODES|PROCID|NODEID|(?:CPUS|GPUS)_ON_NODE)\b"
)
_NAME = pattern(r"\$\{?([A-Za-z_]\w*)")
# Signs of a template, which somebody else reads before Slurm does.
_TEMPLATE = pattern(r"\{\{|\{%|<%|%\{|\$\$\{|\btemplate\b|^\s*\$\{\w+\}\s*$", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Refused:
    option: Option
    # Its value as it is written: `$(nproc)`, `gpu:$GPUS`.
    asked: str
    # How it is known that nobody fills it in, where its own words don't say so.
    why: str = ""

    @property
    def is_image(self) -> bool:
        """It is pyxis that has no use for it, once the job runs."""
        return self.option.name in refused_by_pyxis()


def refused(job: SlurmJob) -> tuple[Refused, ...]:
    """In their order. Nothing of a job that may be filled in before Slurm sees it."""
    if job.filled or _TEMPLATE.search(job.text):
        return ()
    return tuple(_refused(job))


def may_be_refused(job: SlurmJob) -> bool:
    """Whether it depends on how it is submitted."""
    return not job.filled and any(_ASKS.search(each.written) for each in _looked_at(job))


def _refused(job: SlurmJob) -> Iterator[Refused]:
    for option in _looked_at(job):
        why = _nobody_fills_in(job, option) if _ASKS.search(option.written) else None
        if why is not None:
            yield Refused(option, re.sub(r"^(?:--[\w-]+[=\s]|-\w[=\s]?)", "", option.written), why)


def _looked_at(job: SlurmJob) -> Iterator[Option]:
    """Numbers and times sbatch reads at once, whatever its command line says; of names the last counts."""
    for request in job.requests:
        for option in request.options:
            if option.dead or option in job.given:
                continue
            is_name = option.name in refused_by_slurm() | refused_by_pyxis()
            counts = is_name and request.option(option.name) is option
            if counts or option.name in refused_by_sbatch():
                yield option


def _nobody_fills_in(job: SlurmJob, option: Option) -> str | None:
    if _OF_A_SHELL.search(option.written):
        return ""
    if isinstance(option.value.state, Known):
        # `$` in another meaning than that of a variable.
        return None
    names = _NAME.findall(option.written)
    if any(_is_set(name, job.text) for name in names):
        return f"; {names[0]} is set by the script itself, once it runs"
    return f"; {job.submitted} submits it as it is" if job.submitted else None


def _is_set(name: str, text: str) -> bool:
    """To something plain: what is worked out may have the name of what somebody fills in by chance."""
    rows = (row for row in text.splitlines() if not row.startswith(MARK))
    plain = re.compile(rf"\s*(?:export\s+|readonly\s+)?{name}=(['\"]?)[\w.:-]+\1\s*(?:#.*)?")
    return any(plain.fullmatch(row) for row in rows)
