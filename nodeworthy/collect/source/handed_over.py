"""User data that stands in a script which starts machines with it: `--user-data "$(cat <<EOF`, `USERDATA=$(cat <<EOF |
base64)`, `cat > worker.sh <<EOF` and `--user-data file://worker.sh`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from nodeworthy.boot.origin import Straight
from nodeworthy.boot.unpack import unpack
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.facts.surroundings import Surroundings
from nodeworthy.patterns import pattern
from nodeworthy.verdict import Place

_MARKS = ("user-data", "custom-data", "startup-script", "user_data", "userdata", "USER_DATA", "USERDATA")
_WORDS = r"(?:user[-_]?data|custom[-_]data|startup[-_]script)"
_HERE = pattern(
    r"cat[ \t]*(?:>[ \t]*[\"']?(?P<file>[\w./${}-]{1,200})[\"']?[ \t]*)?<<(?P<tabs>-?)[ \t]*(?P<quote>[\"']?)"
    r"(?P<tag>\w{1,40})(?P=quote)[ \t]*(?:>[ \t]*[\"']?(?P<to>[\w./${}-]{1,200})[\"']?)?[^\n]*\n"
)
# What the text is put into: a variable, an option.
_VARIABLE = pattern(r"(?<![\w-])(\w{1,64})=[\"']?(?:\$\(|`)[ \t]*\Z")
_OPTION = pattern(rf"(?i){_WORDS}(?:-file)?[= \t]+[\"']?(?:\$\(|`)[ \t]*\Z")
_CALLED_SO = pattern(rf"(?i){_WORDS}")
# `--user-data "$NAME"`, `--custom-data @worker.sh`, `--metadata-from-file startup-script=worker.sh`.
_GIVEN = pattern(rf"(?i){_WORDS}(?:-file)?[= \t]+[\"']?(?:file://|fileb://|@)?([^\s\"'\\);&|]{{1,200}})")
_HEADS = ("#!", "#cloud-config", "#cloud-boothook", "Content-Type:", "MIME-Version:")
# What the outer shell fills in where the mark of the end is not quoted; what is behind a backslash is the machine's.
_FILLED = pattern(r"\\(?P<own>[$`\\])(?P<brace>\{)?|\$(?:\{(?P<braced>[A-Za-z_]\w*)[^{}\n]*\}|(?P<name>[A-Za-z_]\w*))")
_OF_EC2 = pattern(r"\baws[ \t]+ec2[ \t]|request-spot-")
_NEAR = 200


def scripts_handed_over(text: str, shown: str, surroundings: Surroundings | None) -> Iterator[BootScript]:
    """Each as a script of the machines that are started with it, where it makes nodes of them."""
    if "<<" not in text or not any(mark in text for mark in _MARKS):
        return
    given: set[str] | None = None
    for found in _HERE.finditer(text):
        before = text[max(0, found.start() - _NEAR) : found.start()]
        written = inside(text, found.end(), found["tag"], tabs=bool(found["tabs"]))
        if written is None or not written.lstrip().startswith(_HEADS):
            continue
        if given is None:
            given = {each[1] for each in _GIVEN.finditer(text)}
        if not _is_handed_over(before, found["file"] or found["to"], given):
            continue
        row = text.count("\n", 0, found.end()) + 1
        place, is_filled = Place(path=shown, line=row, column=1), not found["quote"]
        data = _FILLED.sub(_as_template, written) if is_filled else written
        read = unpack(data.encode(), place, template=is_filled, origin=Straight(place))
        on_ec2 = _OF_EC2.search(text) is not None
        script = BootScript(
            place, read, of_an_object=True, on_ec2=on_ec2, of_cloud_images=True, surroundings=surroundings
        )
        if script.makes_a_node:
            yield script


def _is_handed_over(before: str, file: str | None, given: set[str]) -> bool:
    if file is not None:
        return file in given
    variable = _VARIABLE.search(before)
    if variable is None:
        return _OPTION.search(before) is not None
    name = variable[1]
    return _CALLED_SO.search(name) is not None or not given.isdisjoint((f"${name}", f"${{{name}}}"))


def inside(text: str, start: int, tag: str, *, tabs: bool) -> str | None:
    """What stands up to the mark of the end; None where it never comes."""
    at = start
    while at < len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        line = text[at:end].rstrip("\r")
        if (line.lstrip("\t") if tabs else line) == tag:
            return text[start:at]
        at = end + 1
    return None


def _as_template(found: re.Match[str]) -> str:
    if found["own"]:
        return "$${" if found["own"] == "$" and found["brace"] else f"{found['own']}{found['brace'] or ''}"
    return f"${{{found['name'] or found['braced']}}}"
