"""What a template fills in where a secret belongs: no value stands there yet, and one will."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.known.secret_names import Holds, holds
from nodeworthy.known.secrets import name_before
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass

# `${ghcr_token}`, `${var.ghcr_token}`; not the escaped `$${…}`, which is the shell's, nor a call of a function.
_FILLED = pattern(r"(?<!\$)\$\{[ \t]{0,8}((?:[a-z]\w{0,63}\.){0,4}([a-z]\w{0,63}))[ \t]{0,8}\}")

# The script's own variable; `--token=${token}` sets none.
_SET = pattern(r"(?<![\w-])([a-z]\w{0,63})=")


@dataclass(frozen=True, slots=True)
class Filling:
    """A variable of a template that is filled in where it stands."""

    # As it stands there: var.ghcr_token
    variable: str
    # The variable, key or flag that takes it.
    name: str
    # Whether its own name says that it is a secret; else only the name of what takes it does.
    is_called_so: bool
    line: int
    column: int


def fillings(text: str) -> Iterator[Filling]:
    """Those that are secrets by their own name, or by the name of what takes them."""
    if "${" not in text:
        return
    own = set(_SET.findall(text))
    line, counted = 1, 0
    for found in _FILLED.finditer(text):
        name = name_before(text, found.start())
        called = _is_secret(found[2])
        if not called and not _is_secret(name):
            continue
        line += text.count("\n", counted, found.start())
        counted = found.start()
        if "." not in found[1] and found[2] in own:
            continue
        yield Filling(found[1], name, called, line, found.start() - text.rfind("\n", 0, found.start()))


def _is_secret(name: str) -> bool:
    return bool(name) and holds(name) in (Holds.PASSWORD, Holds.TOKEN)
