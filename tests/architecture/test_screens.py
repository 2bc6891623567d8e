"""The pictures of docs/ say what the terminal said, in its colours, and are XML whatever that was."""

from __future__ import annotations

import importlib.util
from xml.etree import ElementTree

from tests.architecture.tree import ROOT

SPEC = importlib.util.spec_from_file_location("terminal_svg", ROOT / "tools" / "terminal_svg.py")
assert SPEC is not None
assert SPEC.loader is not None
terminal_svg = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(terminal_svg)
TEXT = "{http://www.w3.org/2000/svg}text"


def shown(printed: str, columns: int = 80) -> list[tuple[str, str | None]]:
    picture = ElementTree.fromstring(terminal_svg.svg("a <title>", printed, columns))
    return [(each.text or "", each.get("class")) for each in picture.iter(TEXT)]


def test_every_run_has_its_own_style() -> None:
    printed = "\x1b[1mvalues.yaml:8\x1b[0m: \x1b[1;31mfail\x1b[0m \x1b[90m<script>\x1b[0m & more\n"
    assert shown(printed) == [
        ("values.yaml:8", "bold"), (":", None), ("fail", "bold red"), ("<script>", "faint"), ("& more", None),
    ]  # fmt: skip


def test_a_long_line_goes_on_in_its_style() -> None:
    assert shown("ab\x1b[32mcdef\x1b[0mg", columns=4) == [("ab", None), ("cd", "green"), ("ef", "green"), ("g", None)]
