"""The checkpoint signal leaves time to write, never less than 60 s.

Slurm looks at its clocks about every half minute, so a signal may come a minute early or half a one late, and what
remains has to be enough to write a checkpoint. `--signal=USR1@300` goes to the job's steps (what `srun` starts) and
not to the batch shell; `--signal=B:USR1@300` goes to the batch shell alone, which dies of it where no `trap` answers,
and answers only between commands: what runs has to run in the background, with `wait` behind it.

A time that the script works out (`TIMEOUT=$((WALLTIME - BUFFER))`) is negative where the wall time is shorter than the
buffer: it needs a floor of 60 s.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from nodeworthy.boot.text import Text
from nodeworthy.facts.slurm.job import SlurmJob
from nodeworthy.facts.slurm.lines import Option
from nodeworthy.facts.slurm.ran import Ran, Reckoned
from nodeworthy.facts.slurm.request import ENDLESS, duration_in_words, seconds
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.rule import Rule
from nodeworthy.verdict import Draft, Findings, NotKnown, Place, Severity, fail, need, skip, unknown

RULE = Rule(
    "slurm-checkpoint-in-time",
    severity=Severity.ERROR,
    incident="E",
    title="The checkpoint signal leaves time to write, never less than 60 s",
    remedy="#SBATCH --signal=B:USR1@300 and a longer --time; trap 'checkpoint' USR1; srun … & wait",
)

LEAST = 60
_LATE = "the job is killed while it writes, and the checkpoint is lost"


@RULE.check
def there_is_time_to_write(job: SlurmJob) -> Findings:
    signal, dead = signal_of(job), job.request.dead("signal")
    is_read = job.is_shell and job.unreadable is None
    left = list(times_left(job)) if is_read else []
    ends = list(timeouts(job)) if is_read else []
    if signal is None and dead is None and not left and not any(each.signals for each in ends):
        skip("it asks for no signal before its end, and works out no time for one")
    if signal is not None:
        yield from _in_time(job, signal)
        yield from _answered(job, signal) if is_read else ()
    elif dead is not None:
        yield fail(
            dead.place,
            "the checkpoint signal is never sent: its line stands behind the first command",
            is_=dead.written,
            should="above the first command",
            cause="Slurm reads no #SBATCH line behind a command",
        )
    for each in left:
        yield from _floored(each)
    yield from _before_the_end(job)


def _in_time(job: SlurmJob, signal: Signal) -> Findings:
    option, limit, seconds = signal.option, job.request.text("time"), limit_of(job)
    if signal.before < LEAST:
        message = f"the checkpoint signal comes {signal.before} s before the end"
        should = f"--signal=…@{LEAST} or more; 300 for a large model"
        yield fail(option.place, message, is_=option.written, should=should, cause=_LATE)
    elif seconds is not None and signal.before >= seconds:
        yield fail(
            option.place,
            "the checkpoint signal is due before the job begins",
            is_=f"{duration_in_words(signal.before)} before the end of a job of {duration_in_words(seconds)}",
            should=f"a --time of more than {duration_in_words(signal.before)}, or a smaller buffer (at least {LEAST} "
            "s)",
            related=job.related(job.request.option("time")),
            cause="the wall time is shorter than the buffer: it checkpoints at once, or never works at all",
        )
    elif limit is None:
        dead = job.request.dead("time")
        why = "how long the job may run is not known: it asks for no --time, and the partition's default decides"
        related = job.related(dead, "this line stands behind the first command, where Slurm reads nothing")
        yield unknown(option.place, why, related=related, remedy="#SBATCH --time=HH:MM:SS")
    elif seconds is None and limit.lower() not in ENDLESS:
        yield unknown(option.place, f"how long --time={limit} is can't be read")


def _answered(job: SlurmJob, signal: Signal) -> Findings:
    answering = [each for each in traps(job) if signal.name in each.signals]
    work = [each for each in job.launches if each.is_python or each.step is not None]
    if not signal.to_shell:
        if job.python_launches and not any(each.step is not None or each.program == "bash" for each in job.launches):
            yield _never_comes(signal, trapped=bool(answering))
    elif not answering:
        if job.walked.sourced:
            yield unknown(signal.option.place, f"{job.walked.sourced[0]} may set a trap, and was not read")
        elif not any(replaces_shell(each.ran) for each in work):
            yield _nobody_answers(signal)
    elif work and not any(each.ran.background for each in work) and not waits(job):
        yield fail(
            work[0].place,
            f"the trap for {signal.name} waits until the work has ended",
            is_="the work runs in the foreground",
            should=f"{work[0].ran.raw.splitlines()[0][:60]} & with `wait` behind it",
            related=job.related(signal.option, "the signal is sent to the batch shell"),
            cause="a shell answers a signal only when its foreground command is done, and Slurm kills both before that",
        )


def _nobody_answers(signal: Signal) -> Draft:
    return fail(
        signal.option.place,
        f"nothing answers {signal.name}, which the batch shell is sent",
        is_=f"no trap for {signal.name}",
        should=f"trap 'checkpoint' {signal.name}; srun … & wait",
        cause="a shell without a trap dies of it, and the job with it, before its time",
    )


def _never_comes(signal: Signal, *, trapped: bool) -> Draft:
    return fail(
        signal.option.place,
        f"nothing here is sent {signal.name}" + (": its trap never runs" if trapped else ""),
        is_=signal.option.written,
        should=f"--signal=B:{signal.name}@{signal.before} and a trap, or srun before what runs",
        cause="without B: only what srun starts gets it, and nothing here is started by srun",
    )


def _floored(each: Left) -> Findings:
    if each.left is not None and each.left < LEAST:
        yield fail(
            each.place,
            f"{each.name} is negative" if each.left < 0 else f"{each.name} leaves less than {LEAST} s",
            is_=f"{each.name}={each.raw}, which is {each.left}",
            should=f"at least {LEAST}: (( {each.name} < {LEAST} )) && {each.name}={LEAST}, and a word that it was",
            cause="the wall time is shorter than the buffer",
        )
    elif each.left is None and not each.floored:
        yield unknown(
            each.place,
            f"{each.name} is known only when the job runs, and nothing keeps it from being less than {LEAST} s",
            is_=f"{each.name}={each.raw}",
            should=f"(( {each.name} < {LEAST} )) && {each.name}={LEAST}",
        )


def _before_the_end(job: SlurmJob) -> Findings:
    is_read = job.is_shell and job.unreadable is None
    ends = [each for each in timeouts(job) if each.signals] if is_read else []
    limit = limit_of(job) if ends else None
    for each in ends:
        if limit is not None and limit - each.after < LEAST:
            yield fail(
                each.place,
                "the checkpoint signal of `timeout` comes too late",
                is_=f"{duration_in_words(each.after)} of a job of {duration_in_words(limit)}",
                should=f"at least {LEAST} s before the end",
                related=job.related(job.request.option("time")),
                cause=_LATE,
            )


# How a job comes to its checkpoint in time: the signal that it asks for, the times that it works out for itself.


# `--signal=B:USR1@300`, and the traps that answer it.

_SIGNAL = pattern(r"(?:(?P<to>[RB]+):)?(?P<name>[A-Za-z0-9]+)(?:@(?P<before>\d+))?")
_NUMBERS = {"10": "USR1", "12": "USR2", "15": "TERM", "1": "HUP", "2": "INT", "3": "QUIT", "18": "CONT"}
# Where it does not say how long before the end.
_DEFAULT = 60


@dataclass(frozen=True, slots=True)
class Signal:
    option: Option
    name: str
    before: int
    # To the batch shell, and to nothing else.
    to_shell: bool


@dataclass(frozen=True, slots=True)
class Trap:
    place: Place
    signals: frozenset[str]
    raw: str


def signal_of(job: SlurmJob) -> Signal | None:
    option = job.request.option("signal")
    if option is None:
        return None
    found = _SIGNAL.fullmatch(need(option.value))
    if found is None:
        raise NotKnown(f"{option.written} is no signal that can be read", option.place)
    before = int(found["before"]) if found["before"] else _DEFAULT
    return Signal(option, signal_name(found["name"]), before, "B" in (found["to"] or ""))


def signal_name(signal: str) -> str:
    """`SIGUSR1`, `usr1`, `10` are one."""
    name = signal.upper().removeprefix("SIG")
    return _NUMBERS.get(name, name)


def traps(job: SlurmJob) -> list[Trap]:
    found = []
    for ran in job.walked.ran:
        words = [each.shown() for each in ran.words]
        if words[0] == "trap" and len(words) > 2 and words[1] != "-":
            signals = words[3:] if words[1] == "--" else words[2:]
            found.append(Trap(ran.place, frozenset(map(signal_name, signals)), ran.raw))
    return found


def waits(job: SlurmJob) -> bool:
    """Whether the shell waits for what runs in the background, and so can answer at once."""
    return any(ran.words[0].known == "wait" for ran in job.walked.ran)


def replaces_shell(ran: Ran) -> bool:
    return ran.words[0].known == "exec"


# Times that a script works out for itself: what is left of the wall time before a checkpoint.

_TIMES = pattern(r"TIMEOUT|CHECKPOINT|CKPT|DEADLINE", re.IGNORECASE)
_COUNTS = pattern(r"STEP|ITER|EPOCH|INTERVAL|NUM|COUNT|KEEP|EVERY", re.IGNORECASE)
_LESSENS = pattern(r"[\w)}\]]\s*-\s*[\w$({]")
_FLOORS = pattern(r"[<>?]|max\(", re.IGNORECASE)
_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}


@dataclass(frozen=True, slots=True)
class Left:
    """A time that remains after something was taken off."""

    name: str
    place: Place
    raw: str
    # In seconds; None where it is known only when the job runs.
    left: int | None
    # The script looks at it, and sets it to something else where it is too small.
    floored: bool


def times_left(job: SlurmJob) -> Iterator[Left]:
    used = _used(job)
    last: dict[str, Reckoned] = {each.name: each for each in job.walked.reckoned}
    for name, reckoned in last.items():
        counts_down = re.search(rf"\b{name}\b", reckoned.raw) is not None
        if counts_down or not _LESSENS.search(reckoned.raw) or not _is_time(name, used):
            continue
        value = job.walked.final.get(name, reckoned.value)
        floored = job.walked.assigned.get(name, 0) > 1 or _FLOORS.search(reckoned.raw) is not None
        yield Left(name, reckoned.place, reckoned.raw, _number(value), floored)


def _is_time(name: str, used: frozenset[str]) -> bool:
    return name in used or (_TIMES.search(name) is not None and _COUNTS.search(name) is None)


def _number(value: Text) -> int | None:
    known = value.known
    return int(known) if known is not None and re.fullmatch(r"-?\d+", known) else None


def _used(job: SlurmJob) -> frozenset[str]:
    """Variables that stand behind `timeout`."""
    found: set[str] = set()
    for ran in job.walked.ran:
        if ran.words[0].known == "timeout":
            found.update(re.findall(r"\$\{?(\w+)", ran.raw.split("python")[0]))
    return frozenset(found)


@dataclass(frozen=True, slots=True)
class Ends:
    """`timeout --signal=USR1 3500 …`."""

    place: Place
    after: int
    raw: str
    signals: bool


# Nobody waits for as many seconds as have more digits.
_LONGEST = 18


def timeouts(job: SlurmJob) -> Iterator[Ends]:
    for launch in job.launches:
        words = [each.shown() for each in launch.timeout]
        found = next((each for each in reversed(words) if re.fullmatch(r"-?\d+(?:\.\d+)?[smhd]?", each)), None)
        if found is None or len(found) > _LONGEST:
            continue
        number, unit = (found[:-1], found[-1]) if found[-1].isalpha() else (found, "")
        signals = any(word.startswith(("-s", "--signal")) for word in words)
        yield Ends(launch.place, int(float(number) * _UNITS[unit]), " ".join(words), signals)


def limit_of(job: SlurmJob) -> int | None:
    """The job's time limit in seconds; None where it asks for none, or has no end."""
    text = job.request.text("time")
    return (seconds(text) or None) if text is not None else None
