"""What a walk through a job script has seen: its commands, what it reckons, and what it sets."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import islice

from nodeworthy.boot.conditions import Asks, Guard
from nodeworthy.boot.content import Content
from nodeworthy.boot.text import Text
from nodeworthy.markers import JOB_FOLDER
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, field
from nodeworthy.verdict import Place

HOME = JOB_FOLDER
# Of what the batch script filled in before any task saw it.
FILLED = "the batch script fills it in: "
# What may start work, in a region that could not be read.
STARTS = pattern(r"\b(?:python[\d.]*|torchrun|accelerate|deepspeed|vllm|srun|mpirun|mpiexec|timeout)\b")


def path_in_words(text: Text) -> str:
    """A path for a reader: where the job begins is the folder from which it was submitted."""
    shown = re.sub(rf"{HOME}/(?=~)", "", text.shown())
    return re.sub(rf"{HOME}(?![\w-])", "$SLURM_SUBMIT_DIR", shown)


@dataclass(frozen=True, slots=True)
class Ran:
    """One command: as it is written, and as the shell runs it."""

    place: Place
    raw: str
    words: tuple[Text, ...]
    environment: Mapping[str, Text]
    # Set, and not exported: no program sees them; where each is set.
    kept: Mapping[str, Place]
    # What its words ask for, and nobody has set.
    unset: frozenset[str]
    folder: str | None
    guard: Guard
    background: bool
    # What its `<<EOF` holds, where there is one.
    stdin: Content | None = None
    # Where the script sets what its environment holds; a variable before the command itself stands there.
    places: Mapping[str, Place] = field(default_factory=dict)
    # The shells of their own in which it runs, `( … )` and `$( … )`, the outermost first.
    shells: tuple[int, ...] = ()

    @property
    def in_loop(self) -> bool:
        return any(each.question.asks is Asks.LOOP for each in self.guard)


@dataclass(frozen=True, slots=True)
class Exported:
    """A place where something is exported, and when. A variable that is missing belongs there."""

    place: Place
    guard: Guard


@dataclass(frozen=True, slots=True)
class Reckoned:
    """`NAME=$((…))`, and what came of it."""

    name: str
    place: Place
    raw: str
    value: Text


# What goes to another folder.
_MOVES = ("cd", "pushd")


@dataclass
class Walked:
    ran: list[Ran] = field(default_factory=list)
    reckoned: list[Reckoned] = field(default_factory=list)
    # How often a variable is given a value.
    assigned: dict[str, int] = field(default_factory=dict)
    # Where each variable got its last value.
    places: dict[str, Place] = field(default_factory=dict)
    exports: list[Exported] = field(default_factory=list)
    # Files that were sourced and not read.
    sourced: list[str] = field(default_factory=list)
    # The user's own profile is sourced: what it sets is not known, and no fault of the job.
    personal: bool = False
    final: dict[str, Text] = field(default_factory=dict)
    # Files that the script itself makes, as their paths are shown: known, or by the same words that name them later.
    made: set[str] = field(default_factory=set)
    # And what it writes into them, one behind the other, of those of which all is known.
    texts: list[tuple[str, Content]] = field(default_factory=list)
    # Regions that are no shell: where each begins, and what stands in it.
    broken: list[tuple[Place, str]] = field(default_factory=list)

    def before(self, ran: Ran) -> Iterator[Ran]:
        """The commands before this one; all of them, of one that a task runs by itself."""
        yield from islice(self.ran, self._turn(ran))

    def moves_before(self, ran: Ran) -> Iterator[Ran]:
        """Each `cd` before it that still holds there, the last one first; `$(cd lib && pwd)` leads nobody away."""
        behind = bisect_left(self._moves, self._turn(ran))
        moves = (self.ran[self._moves[at]] for at in range(behind - 1, -1, -1))
        return (each for each in moves if each.shells == ran.shells[: len(each.shells)])

    def _turn(self, ran: Ran) -> int:
        return self._turns.get(id(ran), len(self.ran))

    # Of one that is walked to its end.
    @cached_property
    def _turns(self) -> dict[int, int]:
        return {id(each): turn for turn, each in enumerate(self.ran)}

    @cached_property
    def _moves(self) -> list[int]:
        return [turn for turn, each in enumerate(self.ran) if each.words[0].known in _MOVES]
