"""The launcher's script exists, and is what runs.

`torchrun --nproc_per_node=4 train.py` runs train.py, not torchrun: who looks for the first word only sends the job to a
folder without it (`can't open file 'train.py'`), after hours in the queue. The script is looked for behind launchers
and wrappers (srun, torchrun, accelerate, deepspeed, apptainer, conda run, …), in the folders from which the job may be
submitted: that of the job's script, those above it up to the repository's root, and any below it. Nobody knows which of
them it is, so a script is missing only where its tree shows that it should be there: other scripts lie beside the job
or in its repository, this one nowhere, and nothing fetches it. Of a job that lies alone nothing is said. Slurm runs a
copy of the job's script, so `cd "$(dirname "$0")"` leads to Slurm's own folder, and `source "$(dirname "$0")/env.sh"`
and `sed -n "${N}p" "$(dirname "$0")/params.txt"` find nothing there. What lies on the cluster's disks (`/scratch/…`,
`cd $HOME/…`, `$CODE/…`, `#SBATCH --chdir=/…`) or in a container can't be looked for from here, and is not judged; a
script that a variable names which the job does not set is not known. What the job writes itself is there; modules
(`-m`) are not looked for. What it writes or builds below `/tmp` is there on its first node alone: tasks of other nodes
do not find it.

A line that ends without its backslash cuts off what stands below: options are then run as programs. `pyhton` and
`torchun` are no programs, and what stands before torchrun's script without being one of its options ends it. Nor is
`python` a script: `torchrun … python train.py` looks for a file of that name. What a job starts with `&`, and waits
for nowhere, is killed at once: Slurm ends a job with its batch script.

sbatch itself takes only a script that says in its first line who runs it, with Unix line ends, and lines that it
knows: over `--gpu=1`, `--cpus_per_task=8`, `--mem=64 GB`, `--time=48h`, `-N=2`, an option of srun's alone
(`--cpu-bind`), or `--mem` beside `--mem-per-cpu` it ends before there is a job. (An option that a plugin of the
site's may bring is none of these.) A line that begins with `#SBTACH` or `#SBATH`, or with a blank, is a comment to
it, and what stands there is not asked for. It fills in nothing of its own lines: `#SBATCH --nodes=$NODES`,
`--cpus-per-task=$(nproc)` and `--mem=${MEM:-64}G` are refused as they stand, whatever the environment holds
(`--job-name` and the name of a log take them literally: a log in `~/logs` or `$HOME/logs` lies in a folder that is
called so, which Slurm makes since 23.02, and over which the job ends before; so does one of an older Slurm in a
folder that is not there yet, and a `mkdir -p logs` within the job comes too late for its own log). pyxis, too, is
given `--container-image=${IMAGE:-…}` as it stands, and the job ends before its first command. Where a program may
make the job of a template first (`${NODES}`, and nothing that only a shell understands), what is asked for is not
known.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from nodeworthy.edit import Edit, EditKind
from nodeworthy.facts.slurm.first_node import only_on_the_first_node
from nodeworthy.facts.slurm.gpus import misspelt_requests
from nodeworthy.facts.slurm.job import SlurmJob
from nodeworthy.facts.slurm.launch import Launch
from nodeworthy.facts.slurm.left_running import left_running
from nodeworthy.facts.slurm.lines import (
    MARK,
    Option,
    RefusedSbatchOption,
    is_template,
    lines_with_a_slip,
    logs_in_no_folder,
    read_too_late,
)
from nodeworthy.facts.slurm.paths import MadeTooLate, logs_made_too_late
from nodeworthy.facts.slurm.ran import path_in_words
from nodeworthy.facts.slurm.scripts import (
    Script,
    There,
    cut_off,
    misplaced_options,
    misspelt_programs,
    programs_for_scripts,
    read_beside_copy,
    scripts,
    sourced_beside_copy,
)
from nodeworthy.rule import Rule
from nodeworthy.verdict import Draft, Findings, Place, Related, Severity, Unread, fail, skip, unknown

RULE = Rule(
    "slurm-script-found",
    severity=Severity.ERROR,
    incident="E",
    title="The launcher's script exists and is what runs",
    remedy="name the script by its path from where the job is submitted, or cd to $SLURM_SUBMIT_DIR/… first",
    mends=True,
    tells=Unread.HEADER,
)


@RULE.check
def what_it_starts_is_there(job: SlurmJob) -> Findings:
    taken = list(_taken_by_sbatch(job))
    yield from taken
    if job.unreadable is not None:
        why = "what the job runs is not known: from here on this is no shell that could be read"
        yield unknown(job.unreadable, why, remedy=f"bash -n {job.place.path or 'the script'} says what is wrong")
        return
    cut = list(cut_off(job)) if job.is_shell else []
    yield from (_cut_off(place, option) for place, option in cut[:1])
    misplaced = list(misplaced_options(job)) if job.is_shell else []
    yield from (_misplaced(*each) for each in misplaced[:1])
    programs = list(programs_for_scripts(job)) if job.is_shell else []
    yield from (_no_script(*each) for each in programs[:1])
    slips = list(misspelt_programs(job)) if job.is_shell else []
    yield from (_misspelt(*each) for each in slips[:1])
    sourced = [(each, each.words[1]) for each in sourced_beside_copy(job)] if job.is_shell else []
    sourced += read_beside_copy(job) if job.is_shell else ()
    yield from (_beside_copy(each.place, path_in_words(path), ()) for each, path in sourced[:1])
    found = list(scripts(job)) if job.is_shell else []
    said_already = taken or cut or misplaced or programs or slips or sourced
    if not found and not said_already:
        skip("it starts no script that could be looked for")
    if found and not said_already and all(each.there is There.OUT_OF_SIGHT for each in found):
        skip(f"{found[0].path} can't be looked for from here: {found[0].why}")
    for each in found:
        yield from _there(each)


@RULE.check
def sbatch_takes_its_lines(job: SlurmJob) -> Findings:
    if not job.refusals:
        skip("sbatch knows what its lines ask for, or they are filled in later")
    first, *others = job.refusals
    yield fail(
        first.place,
        f"sbatch refuses the job over {first.written}",
        is_=first.written,
        should=first.should,
        related=[Related(each.place, f"{each.written}: {each.says}") for each in others],
        cause=f"sbatch: error: {first.says}; there is no job",
        remedy="sbatch --test-only says whether it takes the lines, and starts nothing",
    )


@RULE.check
def sbatch_reads_its_lines(job: SlurmJob) -> Findings:
    found = list(lines_with_a_slip(job.text, job.place))
    told = {option.place for _, option in misspelt_requests(job)} if found else set()
    left = [(mark, each) for mark, each in found if each.place not in told]
    if not left:
        skip("none of its lines begins almost as Slurm's do, but for what is told of its GPUs")
    (mark, first), *others = left
    yield fail(
        first.place,
        f"nobody asks for {first.written}: {mark} is a comment to Slurm",
        is_=f"{mark} {first.written}",
        should=f"{MARK} {first.written}",
        related=[Related(option.place, f"nor for {option.written}") for _, option in others],
        cause=f"sbatch reads the lines that begin with {MARK}, and no others",
        remedy=f"write {MARK}",
        severity=Severity.WARNING,
    )


@RULE.check
def sbatch_reads_them_all(job: SlurmJob) -> Findings:
    found = [] if job.filled or is_template(job.text) else list(read_too_late(job))
    if not found:
        skip("no line of Slurm's stands behind its first command, but for what is told of its GPUs and its signal")
    first, *others = found
    yield fail(
        first.place,
        f"nobody asks for {first.written}: the line stands behind the first command",
        is_=f"{MARK} {first.written}, behind a command",
        should="above the first command",
        related=[Related(option.place, f"nor for {option.written}") for option in others],
        cause="sbatch reads its lines up to the first command: what is below is a comment, and the default holds",
        remedy="move it to the top",
        severity=Severity.WARNING,
    )


@RULE.check
def it_waits_for_what_it_starts(job: SlurmJob) -> Findings:
    left = left_running(job)
    if left is None:
        skip("it leaves nothing running in the background")
    called = path_in_words(left.script) if left.script is not None else left.module or left.program
    yield fail(
        left,
        f"the job ends at once, and {called} with it: nothing waits for what runs in the background",
        is_=f"{left.ran.raw.splitlines()[0][:100].rstrip(' &')} &, and nothing below it that takes time",
        should="wait, in the last line",
        cause="Slurm ends a job with its batch script, and kills what is left of it",
        remedy="write `wait` below what runs in the background",
    )


@RULE.check
def it_is_on_every_node(job: SlurmJob) -> Findings:
    found = next(only_on_the_first_node(job), None)
    if found is None:
        skip("it starts nothing on several nodes that it has made on the first one alone")
    yield fail(
        found.started.place,
        f"{found.path} is on the first node alone, and srun starts it on {found.nodes} nodes",
        is_="below a folder that each node has for itself, made by the batch script",
        should="a path that all nodes share, or sbcast before it",
        related=[Related(found.made.place, "it is made here")] if found.made is not None else [],
        cause="a batch script runs on the first node of its job: the tasks of the others find no such file, and the "
        "step ends",
        remedy=f"write it below $SLURM_SUBMIT_DIR, or: sbcast {found.path} {found.path}",
    )


@RULE.check
def its_log_has_a_folder(job: SlurmJob) -> Findings:
    found, late = list(logs_in_no_folder(job)), list(logs_made_too_late(job))
    if not found and not late:
        skip("its log lies in no folder that only a shell would know, and in none that it makes itself")
    if found:
        yield _no_folder(found)
    for each in late:
        yield _made_too_late(each)


def _made_too_late(each: MadeTooLate) -> Draft:
    return fail(
        each.option.place,
        f"the job's log lies in {each.folder}, which only the job itself makes: that is too late",
        is_=each.option.written,
        should=f"a folder {each.folder} that is there when the job is submitted",
        related=[Related(each.made.place, "it is made here")],
        cause="Slurm opens the log before the first command. Before 23.02 (Debian 12 has 22.05) a "
        "job without the folder ends at once, with 0:53, and none of its lines runs; newer ones make it",
        remedy=f"mkdir -p {each.folder} before sbatch, or keep the folder in the repository (with a .gitignore in it)",
        severity=Severity.WARNING,
    )


def _no_folder(found: Sequence[tuple[Option, str]]) -> Draft:
    (first, word), *others = found
    return fail(
        first.place,
        f"the job's log is not where it is looked for: {first.written} names a folder that is called {word}",
        is_=first.written,
        should="a path that is written out, from / or from where the job is submitted; %u stands for the user",
        related=[Related(option.place, f"{option.written} names none either") for option, _ in others],
        cause=f"no shell reads {MARK} lines. Since 23.02 Slurm makes a folder of that name where the job is "
        "submitted; before, the job ends before its first command, without a line of a log",
        remedy=f'write the path out, or submit the job with sbatch --{first.name}="{_value(first)}" …',
    )


def _value(option: Option) -> str:
    return option.written.partition("=")[2] or option.written.rpartition(" ")[2]


def _taken_by_sbatch(job: SlurmJob) -> Findings:
    first = Place(job.place.path, job.place.line or 1, 1)
    if job.within:
        return
    if not job.text.startswith("#!"):
        yield fail(
            first,
            "sbatch takes no script that does not say who runs it",
            is_=(job.text.splitlines() or [""])[0][:60] or "an empty first line",
            should="#!/bin/bash in the first line",
            cause="This does not look like a batch script",
            remedy="#!/bin/bash as the very first line",
        )
    if job.refused:
        yield _not_filled_in(job.refused)
    if "\r\n" in job.text:
        yield fail(
            first,
            "sbatch takes no script with Windows line ends",
            is_="lines end with \\r\\n",
            should="lines end with \\n",
            cause="Batch script contains DOS line breaks (\\r\\n)",
            remedy=f"dos2unix {job.place.path or 'the script'}",
            edit=Edit(EditKind.LINE_ENDS, first, "\r\n", "\n", "Convert the line ends"),
        )


def _not_filled_in(refused: Sequence[RefusedSbatchOption]) -> Draft:
    first, *others = refused
    written, outside = first.option.written, f'sbatch --{first.option.name}="{first.asked}"'
    message = f"sbatch refuses {written}: it fills in nothing of its own lines"
    cause = f"a shell takes {MARK} for a comment, and sbatch takes it as it stands{first.why}"
    if first.is_image:
        message = f"{written} is no image's name: sbatch fills in nothing of its own lines"
        cause = f"{cause}; pyxis is given this text, and the job ends before its first command"
    return fail(
        first.option.place,
        message,
        is_=written,
        should=f"a value that is written out; or no such line, and {outside} … where the job is submitted",
        related=[Related(each.option.place, f"{each.option.written} is not filled in either") for each in others],
        cause=cause,
        remedy=f"take the line out, and submit the job with {outside} …",
    )


def _there(each: Script) -> Findings:
    related = [Related(each.went, "it goes there")] if each.went is not None else []
    if each.there is There.NOBODY_KNOWS:
        yield unknown(each.launch, f"whether {each.path} is there is not known: {each.why}", related=related)
    elif each.there is There.NO:
        yield _missing(each)
    elif each.there is There.BESIDE_COPY:
        yield _beside_copy(each.launch.place, each.path, related)
    elif each.there is There.NONE_NAMED:
        yield _none_named(each)


def _missing(each: Script) -> Draft:
    program, path = each.launch.program, each.path
    around = "beside the job" if each.why == "." else f"in {each.why}"
    return fail(
        each.launch.place,
        f"{path} is not there",
        is_=f"{program} is to run {path}: it lies neither beside the job's script, nor above it, nor below",
        should=f"a path from where the job is submitted; what is like it lies {around}",
        cause="the job waits in the queue, starts, and ends at once: No such file or directory",
        remedy=f"name the script by its path from where the job is submitted (sbatch --chdir), or add {path}",
    )


def _beside_copy(place: Place, path: str, related: Iterable[Related]) -> Draft:
    return fail(
        place,
        f"{path} is looked for beside Slurm's copy of the script",
        is_="$0 is /var/spool/slurmd/job…/slurm_script",
        should='cd "$SLURM_SUBMIT_DIR"',
        related=related,
        cause="Slurm copies the script to the node and runs the copy: nothing else lies beside it",
        remedy='cd "$SLURM_SUBMIT_DIR", or #SBATCH --chdir',
    )


def _cut_off(place: Place, option: str) -> Draft:
    return fail(
        place,
        f"{option} is run as a program",
        is_="the line that it belongs to has ended before it",
        should="a backslash at the end of the line above it, and nothing behind that",
        cause=f"{option}: command not found; and the program above never hears of it",
        remedy="end every line but the last with a backslash and nothing behind it",
    )


def _misplaced(launch: Launch, option: str) -> Draft:
    script = launch.script.shown() if launch.script is not None else "train.py"
    return fail(
        launch.place,
        f"torchrun knows no --{option}, and never comes to the script",
        is_=f"--{option} before {script}",
        should=f"torchrun --nproc_per_node=… SCRIPT --{option} …",
        cause=f"torchrun: error: unrecognized arguments: --{option}",
        remedy="what the script is to read stands behind it",
    )


def _no_script(launch: Launch, name: str) -> Draft:
    return fail(
        launch.place,
        f"{launch.program} is to run a script that is called {name}",
        is_=f"{launch.program} … {name} …",
        should=f"{launch.program} … train.py: no {name} before the script",
        cause=f"{launch.program} starts Python itself, and gives it the first word: can't open file '{name}'",
        remedy=f"take out {name}, or tell {launch.program} --no_python",
    )


def _misspelt(place: Place, written: str, meant: str) -> Draft:
    return fail(
        place,
        f"{written} is no program",
        is_=written,
        should=meant,
        cause=f"{written}: No such file or directory; nothing of the job is done",
        remedy=f"write {meant}",
    )


def _none_named(each: Script) -> Draft:
    return fail(
        each.launch.place,
        f"{each.launch.program} is given no script",
        is_=each.launch.ran.raw.splitlines()[0][:80],
        should=f"{each.launch.program} … train.py",
        cause="a line that was to go on ends here: no backslash, or a blank behind it",
        remedy="end every line but the last with a backslash and nothing behind it",
    )
