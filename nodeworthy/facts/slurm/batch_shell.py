"""What a job takes from the shell of whoever submits it, and a batch shell does not have: conda's function."""

from __future__ import annotations

from nodeworthy.facts.slurm.job import SlurmJob
from nodeworthy.facts.slurm.ran import Ran
from nodeworthy.patterns import pattern

_CONDA = ("conda", "mamba", "micromamba")
# Whoever does one of these may bring the function: a profile, a module, the hook itself.
_MAY_BRING_IT = pattern(
    r"\bsource\s|(?:^|[;&|]\s*)\.\s|\bmodule\s|\bml\s|\beval\b|shell\s+hook|\bconda\s+init\b|\bspack\b|"
    r"\bconda\s*\(\)|\bfunction\s+conda\b|BASH_ENV|<<",
    8,  # re.MULTILINE
)
_HAS_FUNCTIONS = pattern(r"^\s*(?:function\s+[\w-]+|[\w-]+\s*\(\))", 8)  # re.MULTILINE
_READS_A_PROFILE = pattern(r"#!\s*\S*sh\s+-\w*[li]|#!.*--(?:login|init)|#!\s*\S*env\s+-S\s.*-\w*[li]")
_COMMENT = pattern(r"^\s*#(?!!)[^\n]*", 8)  # re.MULTILINE


def activates_in_vain(job: SlurmJob) -> Ran | None:
    """`conda activate` is a function of the user's own shell: of its program alone it is an error."""
    if job.within or _READS_A_PROFILE.match(job.text):
        return None
    first = next((each for each in job.walked.ran if _activates(each)), None)
    return first if first is not None and not _MAY_BRING_IT.search(_above(job, first)) else None


def _above(job: SlurmJob, ran: Ran) -> str:
    """What runs before it; all of the job where it stands in a function, or in another file."""
    rows = job.text.splitlines(keepends=True)
    is_in_order = ran.place.path == job.place.path and not _HAS_FUNCTIONS.search(job.text)
    last = (ran.place.line or 1) - (job.place.line or 1) + 1
    return _COMMENT.sub("", "".join(rows[:last] if is_in_order else rows))


def _activates(ran: Ran) -> bool:
    words = [each.known for each in ran.words[:2]]
    return words[0] in _CONDA and words[1:] == ["activate"]
