"""What a program prints, as far as that can be said."""

from __future__ import annotations

from nodeworthy.boot.commands.call import Call, Did
from nodeworthy.boot.content import Content, Line, lines_of
from nodeworthy.boot.text import Hole, Text

NOTHING = Content()
# A script that makes more of them makes them for nobody to read.
MOST_LINES = 20_000
SILENT = Did(output=NOTHING)


def printed(call: Call, text: Text) -> Content:
    return Content(lines_of(text, call.place)) if text else NOTHING


def shown(call: Call) -> str:
    return " ".join([argument.shown() for argument in call.arguments])


def on_the_node(call: Call, why: str = "") -> Content:
    """One line that nobody knows before the node runs it."""
    before = call.stdin.printed_by if call.stdin is not None else ""
    said = f"{before} | {shown(call)}" if before else shown(call)
    hole = Hole(f"$({said})", why or f"{said} prints it on the node")
    return Content((Line(Text((hole,)), call.place),))


def asked(call: Call) -> Did:
    """A program that only tells what the node is like."""
    return Did((), on_the_node(call))


def has_open_lines(content: Content) -> bool:
    """Whether a line of it may stand for any number of lines."""
    return any(len(pieces := line.text.pieces) == 1 and isinstance(pieces[0], Hole) for line in content.lines)
