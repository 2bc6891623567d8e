"""What a template fills in where a secret belongs: no value stands there yet, and one will."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.known.secret_names import Holds, holds, kept_secret
from nodeworthy.known.secrets import name_before
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass

# `${ghcr_token}`, `${var.ghcr_token}`, CloudFormation's `${HubToken}` and `${Hub.Token}`; not the escaped `$${…}`,
# which the shell reads, nor a call of any other function.
_NAME = r"[A-Za-z]\w{0,63}"
# What Terraform lays a text out with: it is the same text to whoever reads it.
_LAID_OUT = (
    r"(?:(?:indent\([ \t]{0,4}\d{1,2}[ \t]{0,4},|(?:trimspace|chomp|jsonencode|base64encode|nonsensitive)\()"
    r"[ \t]{0,4})?"
)
_FILLED = pattern(
    rf"(?<!\$)\$\{{[ \t]{{0,8}}{_LAID_OUT}((?:{_NAME}(?:\[[^\]\n{{}}]{{1,64}}\])?\.){{0,4}}({_NAME}))\)?[ \t]{{0,8}}\}}"
)
# In capitals alone it is a variable of a shell, or of what fills in a script without being Terraform.
_IN_CAPITALS = pattern(r"[A-Z][A-Z0-9_]*|[A-Z]\w*_\w*")
# One of CloudFormation's is one of Secrets Manager, and what it fills in is that one's ARN.
_OF_A_STORE = pattern(r"[A-Z]\w*[Ss]ecret")
_INDEX = pattern(r"\[[^\]]*\]")
# `K3S_TOKEN='${K3S_TOKEN}'`: between these quotes no shell fills anything in.
_FOR_ANOTHER = pattern(r"(?<![\w$])([A-Z]\w{0,63})='\$\{(\1)\}'")

_FLAG = pattern(r"(?<=\s)--([a-z][\w-]{1,40})[ \t]{1,8}\\?[\"']?\Z")

# The script's own variable; `--token=${token}` sets none, nor does `TOKEN=${TOKEN}`.
_SET = pattern(r"(?<![\w-])([A-Za-z]\w{0,63})=(?![\"']?\$\{\1\})")


@dataclass(frozen=True, slots=True)
class Filling:
    """A variable of a template that is filled in where it stands."""

    # As it stands there: var.ghcr_token
    variable: str
    # The variable, key or flag that takes it.
    name: str
    # Whether its own name says that it is a secret, or what it is taken from; else only the name of what takes it does.
    is_called_so: bool
    line: int
    column: int


def fillings(text: str, *, all_of_them: bool = False) -> Iterator[Filling]:
    """The fillings that are secrets by their own name, or by the name of what takes them. With `all_of_them`, names in
    capitals count as well, where no shell can fill them in."""
    if "${" not in text:
        return
    own = set(_SET.findall(text))
    line, counted = 1, 0
    for found in _FILLED.finditer(text):
        if "." not in found[1] and _is_of_another(found[1], all_of_them=all_of_them):
            continue
        name = name_before(text, found.start()) or _flag_before(text, found.start())
        called = _is_called_so(found[1], found[2])
        if not called and not _is_secret(name):
            continue
        line += text.count("\n", counted, found.start())
        counted = found.start()
        if "." not in found[1] and found[2] in own:
            continue
        yield Filling(found[1], name, called, line, found.start() - text.rfind("\n", 0, found.start()))


def _flag_before(text: str, start: int) -> str:
    """`--token ${x}`: what takes it, apart from it."""
    found = _FLAG.search(text, max(0, start - 64), start)
    return found[1] if found is not None else ""


def _is_of_another(name: str, *, all_of_them: bool) -> bool:
    return _OF_A_STORE.fullmatch(name) is not None or (not all_of_them and _IN_CAPITALS.fullmatch(name) is not None)


def _is_called_so(reference: str, name: str) -> bool:
    return _is_secret(name) or _is_kept_secret(reference)


def _is_kept_secret(reference: str) -> bool:
    """What Terraform hides in its plan: a password that it made, the key that it made, what it took from a store."""
    if "." not in reference:
        return False
    *of, attribute = _INDEX.sub("", reference).split(".")
    return any(each in of or each == "*" for each in kept_secret().get(attribute, ()))


def fillings_by_another(text: str) -> Iterator[Filling]:
    """What somebody fills in beforehand although no template shows itself: the shell would hand on the letters."""
    for found in _FOR_ANOTHER.finditer(text) if "='${" in text else ():
        if _is_secret(found[1]):
            start = found.start(2) - 2
            column = start - text.rfind("\n", 0, start)
            yield Filling(found[2], found[1], True, text.count("\n", 0, start) + 1, column)


def _is_secret(name: str) -> bool:
    return bool(name) and holds(name) in (Holds.PASSWORD, Holds.TOKEN)
