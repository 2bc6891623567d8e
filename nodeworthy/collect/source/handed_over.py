"""User data that stands in a script which starts machines with it: `--user-data "$(cat <<EOF`, `USERDATA=$(cat <<EOF |
base64)`, `cat > worker.sh <<EOF` and `--user-data file://worker.sh`, `read -r -d '' USERDATA <<EOF`, and what stands
between quotes: `--user-data '#!/bin/bash …'`, `USERDATA="#!/bin/bash …"`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from nodeworthy.boot.origin import Straight
from nodeworthy.boot.unpack import unpack
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.facts.surroundings import Surroundings
from nodeworthy.patterns import pattern
from nodeworthy.records import replace
from nodeworthy.verdict import Place

_MARKS = ("user-data", "custom-data", "startup-script", "user_data", "userdata", "USER_DATA", "USERDATA")
_WORDS = r"(?:user[-_]?data|custom[-_]data|startup[-_]script)"
_HERE = pattern(
    r"(?:read[ \t]+(?:-[rd]+[ \t]+|''[ \t]*|\"\"[ \t]*){0,4}(?P<variable>\w{1,64})[ \t]*|cat[ \t]*)"
    r"(?:>[ \t]*[\"']?(?P<file>[\w./${}-]{1,200})[\"']?[ \t]*)?<<(?P<tabs>-?)[ \t]*(?P<quote>[\"']?)"
    r"(?P<tag>\w{1,40})(?P=quote)[ \t]*(?:>[ \t]*[\"']?(?P<to>[\w./${}-]{1,200})[\"']?)?[^\n]*\n"
)
# What the text is put into: a variable, an option.
_VARIABLE = pattern(r"(?<![\w-])(\w{1,64})=[\"']?(?:\$\(|`)[ \t]*\Z")
_OPTION = pattern(rf"(?i){_WORDS}(?:-file)?[= \t]+[\"']?(?:\$\(|`)[ \t]*\Z")
_CALLED_SO = pattern(rf"(?i){_WORDS}")
# `--user-data "$NAME"`, `--custom-data @worker.sh`, `--metadata-from-file startup-script=worker.sh`.
_GIVEN = pattern(rf"(?i){_WORDS}(?:-file)?[= \t]+[\"']?(?:file://|fileb://|@)?([^\s\"'\\);&|]{{1,200}})")
# What a shell is to put between quotes for a machine.
_QUOTED = pattern(
    rf"(?i)(?:--{_WORDS}[= \t]+|\bstartup-script=|(?m:^)[ \t]*(?:export[ \t]+)?\w{{0,40}}{_WORDS}\w{{0,40}}=)"
    r"\$?(?P<mark>[\"'])",
    words=(
        *("user-data", "user_data", "userdata", "custom-data", "custom_data"),
        *("startup-script", "startup_script", "startupscript"),
    ),
    in_a_line=True,
)
# Their first line, where no other one says what they are.
_COMMANDS = pattern(
    r"\s*(?:(?:set|export)[ \t][^\n]*\n\s*)?(?:sudo[ \t]+)?"
    r"(?:apt-get|apt|yum|dnf|curl|wget|snap|systemctl|swapoff|modprobe)[ \t]"
)
_OF_A_NODE = pattern(
    r"nvidia|cuda|kube|k3s|rke2|containerd|docker",
    words=("nvidia", "cuda", "kube", "k3s", "rke2", "containerd", "docker"),
)
_LONGEST = 64 * 1024
_HEADS = ("#!", "#cloud-config", "#cloud-boothook", "Content-Type:", "MIME-Version:")
# What the outer shell fills in where the mark of the end is not quoted; what is behind a backslash is the machine's.
_FILLED = pattern(r"\\(?P<own>[$`\\])(?P<brace>\{)?|\$(?:\{(?P<braced>[A-Za-z_]\w*)[^{}\n]*\}|(?P<name>[A-Za-z_]\w*))")
_OF_EC2 = pattern(r"\baws[ \t]+ec2[ \t]|request-spot-", words=("ec2", "request-spot-"), in_a_line=True)
_NEAR = 200


def scripts_handed_over(text: str, shown: str, surroundings: Surroundings | None) -> Iterator[BootScript]:
    """Each as a script of the machines that are started with it, where it makes nodes of them."""
    if not any(mark in text for mark in _MARKS):
        return
    on_ec2 = _OF_EC2.search(text) is not None
    for written, at, is_filled in (*_in_heredocs(text), *_between_quotes(text)):
        row, begin = text.count("\n", 0, at) + 1, text.rfind("\n", 0, at) + 1
        place = Place(path=shown, line=row, column=1 if "\n" in written else at - begin + 1)
        data = _FILLED.sub(_as_template, written) if is_filled else written
        read = unpack(data.encode(), place, template=is_filled, origin=Straight(replace(place, column=1)))
        script = BootScript(
            place, read, of_an_object=True, on_ec2=on_ec2, of_cloud_images=True, surroundings=surroundings
        )
        if script.makes_a_node or _has_no_head(written):
            yield script


def _in_heredocs(text: str) -> Iterator[tuple[str, int, bool]]:
    """What is handed over, where it begins, and whether the outer shell fills it in."""
    if "<<" not in text:
        return
    given: set[str] | None = None
    for found in _HERE.finditer(text):
        before = text[max(0, found.start() - _NEAR) : found.start()]
        written = inside(text, found.end(), found["tag"], tabs=bool(found["tabs"]))
        if written is None or not _is_user_data(written):
            continue
        if given is None:
            given = {each[1] for each in _GIVEN.finditer(text)}
        if _is_handed_over(before, found["file"] or found["to"], found["variable"], given):
            yield written, found.end(), not found["quote"]


def _between_quotes(text: str) -> Iterator[tuple[str, int, bool]]:
    for found in _QUOTED.finditer(text):
        quote, start = found["mark"], found.end()
        end = text.find("'", start, start + _LONGEST) if quote == "'" else _closed(text, start)
        if end >= start and _is_user_data(text[start:end]):
            yield text[start:end].replace('\\"', '"'), start, quote == '"'


def _closed(text: str, start: int) -> int:
    at = text.find('"', start, start + _LONGEST)
    while at > 0 and text[at - 1] == "\\":
        at = text.find('"', at + 1, start + _LONGEST)
    return at


def _is_user_data(written: str) -> bool:
    return written.lstrip().startswith(_HEADS) or _has_no_head(written)


def _has_no_head(written: str) -> bool:
    """Commands that make a node, and nothing by which cloud-init would know that they are to run."""
    return _COMMANDS.match(written) is not None and _OF_A_NODE.search(written) is not None


def _is_handed_over(before: str, file: str | None, name: str | None, given: set[str]) -> bool:
    if file is not None:
        return file in given
    variable = _VARIABLE.search(before)
    if variable is None and name is None:
        return _OPTION.search(before) is not None
    name = name or (variable[1] if variable is not None else "")
    return _CALLED_SO.search(name) is not None or not given.isdisjoint((f"${name}", f"${{{name}}}"))


def inside(text: str, start: int, tag: str, *, tabs: bool) -> str | None:
    """What stands up to the mark of the end; None where it never comes."""
    end = end_of_heredoc(text, start, tag, blanks="\t" if tabs else "")
    return text[start:end] if end is not None else None


def end_of_heredoc(text: str, start: int, tag: str, *, blanks: str = "") -> int | None:
    """Where the line of the mark begins, before which these blanks may stand."""
    at = start
    while at < len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        if text[at:end].rstrip("\r").lstrip(blanks) == tag:
            return at
        at = end + 1
    return None


def _as_template(found: re.Match[str]) -> str:
    if found["own"]:
        return "$${" if found["own"] == "$" and found["brace"] else f"{found['own']}{found['brace'] or ''}"
    return f"${{{found['name'] or found['braced']}}}"
