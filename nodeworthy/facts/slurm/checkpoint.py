"""How a job comes to its checkpoint in time: the signal that it asks for, the times that it works out for itself."""

from __future__ import annotations

import re
from collections.abc import Iterator

from nodeworthy.boot.text import Text
from nodeworthy.facts.slurm.job import SlurmJob
from nodeworthy.facts.slurm.lines import Option
from nodeworthy.facts.slurm.ran import Ran, Reckoned
from nodeworthy.facts.slurm.request import seconds
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import NotKnown, Place, need

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
