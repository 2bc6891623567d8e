"""Texts of which only a part may be known: `/etc/modprobe.d/${NAME}.conf`."""

from __future__ import annotations

from collections.abc import Iterable

from nodeworthy.records import dataclass, field
from nodeworthy.verdict import Known, Located, Place, Unknown

# So much of a text is shown in a sentence about it.
LONGEST = 60


def cut(raw: str) -> str:
    one_line = " ".join(raw.split())
    return one_line if len(one_line) <= LONGEST else f"{one_line[: LONGEST - 3]}…"


# Neither is frozen: nobody changes one, and there are so many that freezing them is felt.
@dataclass(slots=True, unsafe_hash=True)
class Hole:
    """A part of a text that is known only when the script runs."""

    # As it stands in the script: ${REGISTRY}, $(uname -m).
    shown: str
    why: str
    # All that it may be, where branches that were walked gave it one of a few values.
    may_be: tuple[str, ...] = ()


Piece = str | Hole


@dataclass(slots=True, unsafe_hash=True)
class Text:
    # Made by `of`, or of one piece: no two literals stand side by side.
    pieces: tuple[Piece, ...] = ()
    # All of it, or None where a part is not known.
    known: str | None = field(init=False, repr=False, compare=False)

    def __init__(self, pieces: tuple[Piece, ...] = ()) -> None:
        self.pieces = pieces
        # Neighbouring literals are joined, so whatever has two pieces has a hole.
        if len(pieces) == 1:
            only = pieces[0]
            self.known = only if isinstance(only, str) else None
        else:
            self.known = None if pieces else ""

    @staticmethod
    def of(*pieces: Piece) -> Text:
        if len(pieces) == 1:
            return Text(pieces) if pieces[0] else EMPTY
        return Text(tuple(_joined(pieces)))

    @property
    def string(self) -> str:
        """All of it; empty where a part is not known."""
        return self.known or ""

    @property
    def holes(self) -> tuple[Hole, ...]:
        return tuple([piece for piece in self.pieces if isinstance(piece, Hole)])

    @property
    def why(self) -> str:
        """Why it is not known; empty where it is."""
        return self.holes[0].why if self.holes else ""

    def unsaid(self) -> str:
        """`$TOOL, and TOOL is set nowhere in this script`: the text, and why it is not known."""
        shown = cut(self.shown())
        if shown and self.why.startswith(shown):
            return f"{shown}, which{self.why[len(shown) :]}"
        return f"{shown}, and {self.why}"

    def doubt(self) -> str:
        """The text and the reason why it is not known, as one sentence: `$HOST:6443: the template fills it in`."""
        return self.why if self.why.startswith(cut(self.shown())) else f"{self.shown()}: {self.why}"

    def shown(self) -> str:
        pieces = self.pieces
        if len(pieces) == 1:
            only = pieces[0]
            return only if isinstance(only, str) else only.shown
        return "".join([piece if isinstance(piece, str) else piece.shown for piece in pieces])

    def __add__(self, other: Text) -> Text:
        return Text.of(*self.pieces, *other.pieces)

    def __bool__(self) -> bool:
        return bool(self.pieces)

    def could_be(self, text: str) -> bool:
        """Whether it is this text, or may turn out to be."""
        if self.known is not None:
            return self.known == text
        return self._fits(text)

    def contains(self, text: str) -> bool | None:
        """Whether this stands in it; None where only a hole could hold it."""
        if any(text in piece for piece in self.pieces if isinstance(piece, str)):
            return True
        return None if self.holes else False

    def _fits(self, text: str) -> bool:
        """Whether its known pieces stand in the text in their order; holes may be anything."""
        at, last = 0, len(self.pieces) - 1
        for index, piece in enumerate(self.pieces):
            if not isinstance(piece, str):
                continue
            if index == last and index:
                return len(text) - len(piece) >= at and text.endswith(piece)
            found = text.find(piece, at)
            if found < 0 or (index == 0 and found):
                return False
            at = found + len(piece)
        return True

    def located(self, place: Place) -> Located[str]:
        """The text at its place, for a rule; unknown where a part of it is."""
        state = Known(self.known) if self.known is not None else Unknown(self.doubt())
        return Located(state, place)


def _joined(pieces: Iterable[Piece]) -> list[Piece]:
    """Neighbouring literals are one, empty ones none."""
    joined: list[Piece] = []
    run: list[str] = []
    for piece in pieces:
        if not isinstance(piece, str):
            if run:
                joined.append("".join(run))
                run = []
            joined.append(piece)
        elif piece:
            run.append(piece)
    if run:
        joined.append("".join(run))
    return joined


EMPTY = Text()
