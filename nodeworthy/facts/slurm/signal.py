"""`--signal=B:USR1@300`, and the traps that answer it."""

from __future__ import annotations

from nodeworthy.facts.slurm.job import SlurmJob
from nodeworthy.facts.slurm.lines import Option
from nodeworthy.facts.slurm.ran import Ran
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import NotKnown, Place, need

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
    return Signal(option, named(found["name"]), before, "B" in (found["to"] or ""))


def named(signal: str) -> str:
    """`SIGUSR1`, `usr1`, `10` are one."""
    name = signal.upper().removeprefix("SIG")
    return _NUMBERS.get(name, name)


def traps(job: SlurmJob) -> list[Trap]:
    found = []
    for ran in job.walked.ran:
        words = [each.shown() for each in ran.words]
        if words[0] == "trap" and len(words) > 2 and words[1] != "-":
            signals = words[3:] if words[1] == "--" else words[2:]
            found.append(Trap(ran.place, frozenset(map(named, signals)), ran.raw))
    return found


def waits(job: SlurmJob) -> bool:
    """Whether the shell waits for what runs in the background, and so can answer at once."""
    return any(ran.words[0].known == "wait" for ran in job.walked.ran)


def replaces_shell(ran: Ran) -> bool:
    return ran.words[0].known == "exec"
