"""What is run in one go on a node or a group, how far it is, and how it ended. Of no platform in particular."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, Protocol

from nodeworthy.collect.workload.askings import Asking
from nodeworthy.collect.workload.recording import Job
from nodeworthy.errors import CouldNotLook
from nodeworthy.facts.accept.measure import Shape
from nodeworthy.known.acceptance import Level, NotRun
from nodeworthy.records import dataclass

if TYPE_CHECKING:
    from nodeworthy.collect.workload.live.ledger import NodeLedger


@dataclass(frozen=True)
class Piece:
    name: str
    shapes: tuple[Shape, ...]
    tests: tuple[str, ...]
    # From its being made to its end, by the platform's own clock.
    seconds: int
    # The part of its one node that it asks for; None where it takes all.
    asking: Asking | None = None

    @property
    def nodes(self) -> tuple[str, ...]:
        return tuple(each.node for each in self.shapes)

    @property
    def is_candidate(self) -> bool:
        """Whether it gives way to whichever of its node begins first."""
        return self.asking is not None and self.asking.is_candidate

    @property
    def gpus(self) -> int:
        """All that it holds."""
        return len(self.shapes) * self.of_each

    @property
    def of_each(self) -> int:
        """How many each of its nodes gives: of a group, as many as the one that has the fewest."""
        return self.asking.gpus if self.asking is not None else min(each.count or 1 for each in self.shapes)


def names(pieces: Iterable[Piece]) -> frozenset[str]:
    return frozenset(each.name for each in pieces)


@dataclass(frozen=True)
class Now:
    """How far a piece is."""

    # What it does, or waits for.
    doing: str
    # Whether it has its GPUs.
    holds: bool = False
    is_over: bool = False
    # Of what is over: why it did not run to its end, None where it did.
    ended: NotRun | None = None


@dataclass(frozen=True)
class Ended:
    piece: Piece
    ended: NotRun | None
    why: str
    held: float = 0.0
    logs: tuple[bytes, ...] = ()
    # Seconds from its end until nothing of it held a GPU any more; None where nobody saw that.
    freed: float | None = None

    @property
    def job(self) -> Job:
        piece = self.piece
        return Job(
            name=piece.name,
            shapes=piece.shapes,
            tests=piece.tests,
            ended=self.ended,
            why=self.why,
            held=round(self.held, 1),
            gpus=piece.gpus,
            logs=self.logs,
            freed=self.freed,
            asking=piece.asking.called if piece.asking is not None else "",
        )


class SaidNo(CouldNotLook):
    """The platform, or what came of it, stands against a piece: for this reason, in these words."""

    def __init__(self, reason: NotRun, why: str) -> None:
        super().__init__(why)
        self.reason, self.why = reason, why


class Terms(Protocol):
    """What pieces of a run have in common, whatever runs them."""

    on: ClassVar[str]

    @property
    def run(self) -> str: ...
    @property
    def nonce(self) -> str: ...
    @property
    def image(self) -> str: ...
    @property
    def level(self) -> Level: ...
    @property
    def tests(self) -> tuple[str, ...]: ...
    @property
    def job_seconds(self) -> int | None: ...
    @property
    def held(self) -> int:
        """The most that the programs of a node may take together."""

    def node_name(self, number: int, shape: Shape, /) -> str:
        """The name of the piece that tries this node by itself."""

    def group_pieces(self, shapes: Sequence[Shape]) -> dict[str, tuple[Shape, ...]]:
        """The pieces of several nodes, by their names."""

    def seconds_of(self, tests: Sequence[str]) -> int:
        """The seconds from the making of a piece to its end."""


class Platform(Protocol):
    """What runs pieces. Everything here raises CouldNotLook where nobody answers: then it is asked again."""

    def start(self, piece: Piece) -> None:
        """Raises SaidNo."""

    def look(self, pieces: Sequence[Piece]) -> Mapping[str, Now]:
        """How far each is, by its name: all of them in as few questions as for one."""

    def keeps_off(self, pieces: Sequence[Piece]) -> Mapping[str, tuple[NotRun, str]]:
        """The nodes that must leave, by name: somebody opted out, or the node has been replaced."""

    def output(self, piece: Piece) -> tuple[bytes, ...]:
        """What each of its processes printed. Raises SaidNo where nobody would believe as much."""

    def remove(self, piece: Piece) -> None:
        """Removes a piece with all that it holds. What is gone already is no trouble."""

    def holding(self, pieces: Sequence[Piece]) -> frozenset[str]:
        """The names of those of which something holds GPUs still, of all that have ended."""


class WatchedPlatform(Platform, Protocol):
    """A platform with what is asked of a run as a whole."""

    def is_gone(self) -> bool:
        """Whether nothing of this run holds anything any more."""

    def after(self) -> tuple[Mapping[str, NodeLedger], list[tuple[str, str]]]:
        """The ledger now, and by node what of this run holds GPUs still."""
