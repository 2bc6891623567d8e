"""The manual: nodeworthy(1), and a page for each command, from the parsers."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

from interface import Argument, Interface, interfaces
from reference_pages import MEANINGS

from nodeworthy import __version__

DESCRIPTION = (
    "nodeworthy proves that a GPU node is fit for work: before it is declared, while it is built, after it has booted, "
    "and as long as it lives. An invariant is written once, as a rule, and proven at every moment at which it can be "
    "proven."
)
WIDTH = 72
CHANGELOG = Path(__file__).resolve().parents[1] / "CHANGELOG.md"
# Of the manual itself, as long as no version has a date.
WRITTEN = "2026-11-22"


def man_pages() -> dict[str, str]:
    """File name → its text."""
    commands = list(interfaces())
    pages = {f"nodeworthy-{each.name}.1": _page(f"nodeworthy-{each.name}", _command(each)) for each in commands}
    return {"nodeworthy.1": _page("nodeworthy", _front(commands)), **pages}


def _page(name: str, lines: Iterator[str]) -> str:
    head = f'.TH {_text(name.upper())} 1 "{_date()}" "nodeworthy {__version__}" "nodeworthy"'
    return "\n".join([head, *lines]) + "\n"


def _date() -> str:
    """That of the last version: two builds of one version are the same."""
    text = CHANGELOG.read_text(encoding="utf-8") if CHANGELOG.exists() else ""
    dated = re.search(r"^## \[[^]]+\] - (\d{4}-\d\d-\d\d)$", text, re.MULTILINE)
    return dated[1] if dated else WRITTEN


def _front(commands: list[Interface]) -> Iterator[str]:
    yield from (".SH NAME", r"nodeworthy \- proves that a GPU node is fit for work")
    yield from (".SH SYNOPSIS", r".B nodeworthy", r".I COMMAND", r"[\fIOPTION\fR ...]")
    yield from (".SH DESCRIPTION", *_prose(DESCRIPTION))
    yield ".SH COMMANDS"
    for each in commands:
        moment = f"The moment: {each.command.moment}." if each.command.moment else ""
        yield from (".TP", rf"\fBnodeworthy\-{_text(each.name)}\fR(1)", *_prose(f"{each.command.line}. {moment}"))
    yield from _exit_codes()
    yield ".SH FILES"
    for name, says in (
        ("Pulumi.<stack>.yaml", "the fleet, under nodeworthy:fleet: looked for beside what is checked, and upwards"),
        ("nodeworthy.answers.yaml", "what a previewed program asks of AWS is answered from it"),
    ):
        yield from (".TP", rf"\fI{_text(name)}\fR", *_prose(says))
    yield from (".SH ENVIRONMENT", ".TP", r"\fBNO_COLOR\fR", *_prose("no colours, as --no-color"))
    yield from (".TP", r"\fBNODEWORTHY_TRACEBACK\fR", *_prose("a fault of nodeworthy's own shows its traceback"))


def _command(each: Interface) -> Iterator[str]:
    yield from (".SH NAME", rf"nodeworthy\-{_text(each.name)} \- {_text(each.command.line)}")
    yield from (".SH SYNOPSIS", rf".B nodeworthy {_text(each.name)}", r"[\fIOPTION\fR ...]")
    yield from (_place(place) for place in each.places)
    yield from (".SH DESCRIPTION", *_prose(each.documentation))
    if each.places:
        yield from (".SH ARGUMENTS", *(line for place in each.places for line in _described(place)))
    yield from (".SH OPTIONS", *(line for option in each.options for line in _described(option)))
    if each.judges:
        yield from _exit_codes()
    yield from (".SH SEE ALSO", r"\fBnodeworthy\fR(1)")


def _place(place: Argument) -> str:
    word = place.word.removesuffix("…") + (" ..." if place.repeated else "")
    return rf"\fI{_text(word)}\fR" if place.needed else rf"[\fI{_text(word)}\fR]"


def _described(each: Argument) -> Iterator[str]:
    names = ", ".join(rf"\fB{_text(name)}\fR" for name in each.names)
    word = rf"\fI{_text(each.word.replace('…', ' ...'))}\fR" if each.word else ""
    yield from (".TP", " ".join(filter(None, (names, word))), *_prose(each.help))


def _exit_codes() -> Iterator[str]:
    yield ".SH EXIT STATUS"
    for code, means in MEANINGS:
        yield from (".TP", rf"\fB{code}\fR", *_prose(means))


def _prose(text: str) -> Iterator[str]:
    for index, paragraph in enumerate(re.split(r"\n\s*\n", text.strip())):
        if index:
            yield ".PP"
        words = " ".join(paragraph.split())
        yield from map(_text, textwrap.wrap(words, WIDTH, break_long_words=False, break_on_hyphens=False))


def _text(text: str) -> str:
    """As roff takes it: its own signs are no orders, and what one copies is a minus."""
    written = text.replace("\\", r"\e").replace("-", r"\-").replace("`", r"\(ga").replace("'", r"\(aq")
    written = written.replace("…", "...").replace("→", r"\(->").replace("–", r"\(en").replace("×", r"\(mu")
    return rf"\&{written}" if written.startswith((".", r"\(aq")) else written
