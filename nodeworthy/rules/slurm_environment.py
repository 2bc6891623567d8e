"""OMP_NUM_THREADS where nothing sets or binds it, TOKENIZERS_PARALLELISM where tokenizers are; caches not in $HOME.

Processes that share CPUs each start a thread for every CPU that they see, unless somebody says how many. torchrun,
accelerate and deepspeed say it themselves for the processes that they start, and Slurm binds a task to the CPUs that it
asks for; what is left are several processes in the background of one batch script, and tasks on a node that is theirs
as a whole and that nobody divides. Whatever is written has to reach the programs: exported, and not empty
(`$SLURM_CPUS_PER_TASK` is set only where the job asks for `--cpus-per-task`).

Without `TOKENIZERS_PARALLELISM` every worker of a data loader that uses Hugging Face's tokenizers warns about its fork,
and may hang. It is asked for where there is a sign of them: vLLM, TRL, a script that imports transformers, a comment of
the job. Models and compiled kernels are gigabytes; without a variable that says otherwise vLLM and Hugging Face keep
them under `~/.cache`, where the quota of a home folder ends the job, and that of everybody else of this user. vLLM
reads `VLLM_CACHE_ROOT`, and knows no `VLLM_CACHE_DIR`.

Looked at are jobs with GPUs that run Python. There is one finding a job: at what is set wrongly, else where the missing
line belongs.

A batch shell is not the shell that one types in: it reads no ~/.bashrc, and `conda activate` is a function that conda
puts there. In a job that neither sources anything nor loads a module it ends with an error, and what runs below it is
whatever Python the submitting shell had; `conda init` changes what later shells read, and not this one.

A program that asks for a variable which the job sets and does not export (`os.environ["MODEL"]` below `MODEL=…`) ends
with a KeyError. That is looked for where its text is known: in the job, in a file that the job writes, beside it.

A variable of Slurm's whose name is one letter off (`$SLURM_CPUS_PER_TASKS`, `$SLURM_NODENAME` for SLURMD_NODENAME) is
nothing: a program is given an empty word, or the option behind it. A name that the job sets itself is its own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from nodeworthy.facts.slurm.job import SlurmJob
from nodeworthy.facts.slurm.launch import Launch
from nodeworthy.facts.slurm.misspelt_variables import misspelt_variables
from nodeworthy.facts.slurm.ran import Ran
from nodeworthy.facts.slurm.settings import SettingFault, faults, kept_from_programs, place_for
from nodeworthy.patterns import pattern
from nodeworthy.rule import Rule
from nodeworthy.verdict import Draft, Findings, Place, Related, Severity, fail, skip, unknown

RULE = Rule(
    "slurm-environment",
    severity=Severity.WARNING,
    incident="E",
    title="OMP_NUM_THREADS and TOKENIZERS_PARALLELISM reach what needs them, caches are not in $HOME",
    remedy="export what is missing above the launch, and keep caches on scratch",
)


@RULE.check
def what_runs_finds_its_settings(job: SlurmJob) -> Findings:
    launches = job.python_launches
    if not any(
        request.option("gres", "gpus", "gpus-per-node", "gpus-per-task") for request in job.requests
    ) and not any(launch.is_distributed or launch.program == "vllm" for launch in launches):
        skip("it asks for no GPUs")
    found = faults(job)
    if not launches and not found:
        skip("it runs no Python that could be seen")
    sure = [each for each in found if not (each.missing and job.walked.sourced)]
    if sure:
        yield _draft_of_settings(job, sure)
    elif found:
        yield _perhaps(job, found)


@RULE.check
def its_shell_knows_what_it_calls(job: SlurmJob) -> Findings:
    found = activates_in_vain(job) if job.is_shell else None
    if found is None:
        skip("it activates no environment that its shell does not know")
    program = found.words[0].shown()
    hook = f'eval "$({program} shell.bash hook)"'
    yield fail(
        found.place,
        f"`{program} activate` fails in a batch shell: nothing here brings {program}'s shell function",
        is_=found.raw.splitlines()[0][:80],
        should=f"{hook} above it, or a module that does it",
        cause="Run 'conda init' before 'conda activate': what runs below has the submitting shell's Python, or none",
        remedy=f"above line {found.place.line}: {hook}, or source …/etc/profile.d/conda.sh",
    )


@RULE.check
def slurm_has_its_variables(job: SlurmJob) -> Findings:
    found = list(misspelt_variables(job))
    if not found:
        skip("it asks for no variable whose name is almost one of Slurm's")
    first, *others = found
    yield fail(
        first.place,
        f"${first.name} is nothing: Slurm has {first.meant}, and nobody sets this one",
        is_=f"${first.name}",
        should=f"${first.meant}",
        related=[Related(each.place, f"nor does anybody set {each.name} ({each.meant})") for each in others],
        cause="the shell makes an empty word of a variable that nobody has set, or none, and says nothing",
        remedy=f"write ${first.meant}",
    )


@RULE.check
def programs_are_given_what_they_ask_for(job: SlurmJob) -> Findings:
    kept = kept_from_programs(job) if job.is_shell and job.unreadable is None else None
    if kept is None:
        skip("no program asks here for a variable that is set and not exported")
    (first, place), *others = kept.names.items()
    yield fail(
        place,
        f"{first} is set and not exported: the program that asks for it ends with a KeyError",
        is_=f'{first}=…, and os.environ["{first}"]',
        should=f"export {first}",
        related=[Related(kept.launch.place, "the program is started here")]
        + [Related(at, f"nor is {each} exported") for each, at in others],
        cause="a variable of the shell is none of its programs' until it is exported"
        + ("; only where whoever submits the job has exported it already, it is" if kept.may_be_given else ""),
        remedy=f"export {' '.join(kept.names)} above line {kept.launch.place.line}",
    )


def _draft_of_settings(job: SlurmJob, found: Sequence[SettingFault]) -> Draft:
    places = [each.place or place_for(job, each.launch) for each in found]
    related = [Related(place, each.message) for each, place in zip(found, places, strict=True) if place != places[0]]
    launch = found[0].launch
    if launch.place not in places and launch.place.path == places[0].path:
        related.append(Related(launch.place, "this is started with it"))
    return fail(
        places[0],
        "; ".join(dict.fromkeys(each.message for each in found)),
        is_="; ".join(dict.fromkeys(each.is_ for each in found)),
        should="; ".join(dict.fromkeys(_should(each) for each in found)),
        cause="; ".join(dict.fromkeys(each.cause for each in found)),
        related=related,
        remedy=_remedy(found, places, launch),
    )


def _should(fault: SettingFault) -> str:
    return fault.should or f'export {fault.name}="{fault.value}"'


def _remedy(found: Sequence[SettingFault], places: Sequence[Place], launch: Launch) -> str:
    """The remedy for what is wrong, line by line; what is missing goes above the launch, or below the last export."""
    told: dict[str, list[str]] = {}
    for fault, place in zip(found, places, strict=True):
        where = f"line {place.line}" if fault.place is not None else f"behind line {place.line}"
        if fault.place is None and place == launch.place:
            where = f"above line {place.line}"
        told.setdefault(where, []).append(_should(fault))
    return "; ".join(f"{where}: {'; '.join(dict.fromkeys(lines))}" for where, lines in told.items())


def _perhaps(job: SlurmJob, found: Sequence[SettingFault]) -> Draft:
    names = " and ".join(dict.fromkeys(each.name for each in found))
    file = job.walked.sourced[0]
    return unknown(
        found[0].launch,
        f"whether {names} {'is' if len(found) == 1 else 'are'} set is not known: {file} may do it, and was not read",
        remedy=f"lay {file} beside the job, or export {names} in the job itself",
    )


# What a job takes from the shell of whoever submits it, and a batch shell does not have: conda's function.


_CONDA = ("conda", "mamba", "micromamba")
# Whoever does one of these may bring the function: a profile, a module, the hook itself.
_MAY_BRING_IT = pattern(
    r"\bsource\s|(?:^|[;&|]\s*)\.\s|\bmodule\s|\bml\s|\beval\b|shell\s+hook|\bspack\b|"
    r"\bconda\s*\(\)|\bfunction\s+conda\b|BASH_ENV|<<",
    re.MULTILINE,
)
_HAS_FUNCTIONS = pattern(r"^\s*(?:function\s+[\w-]+|[\w-]+\s*\(\))", re.MULTILINE)
_READS_A_PROFILE = pattern(r"#!\s*\S*sh\s+-\w*[li]|#!.*--(?:login|init)|#!\s*\S*env\s+-S\s.*-\w*[li]")
_COMMENT = pattern(r"^\s*#(?!!)[^\n]*", re.MULTILINE)


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
