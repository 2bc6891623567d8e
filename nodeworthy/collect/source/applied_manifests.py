"""Objects that a script gives to kubectl: `kubectl apply -f - <<EOF`, `cat <<EOF | kubectl apply -f -`, and
`cat > pod.yaml <<EOF` before `kubectl apply -f pod.yaml`. Each stands where it is written, and is judged as a file of
its own would be.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from nodeworthy.collect.objects import facts_of_given, objects
from nodeworthy.collect.source.handed_over import inside
from nodeworthy.documents.tree import Tree
from nodeworthy.documents.yaml import NotYaml, read_all
from nodeworthy.patterns import pattern
from nodeworthy.records import replace
from nodeworthy.scene import Fact
from nodeworthy.verdict import Place

# All of it has its bounds: a line that says the same a thousand times takes no longer than a thousand lines.
_GIVES = (
    r"\b(?:kubectl|oc)\b[^\n|;&]{0,120}?[ \t](?:apply|create|replace)\b(?![^\n|;&]{0,200}--dry-run)"
    r"[^\n|;&]{0,120}?[ \t](?:-f|--filename)[ \t=]{0,4}"
)
# By which a text begins, with what stands behind it on its line.
_BEGINS = pattern(
    r"<<(?P<tabs>-?)[ \t]*(?P<quote>[\"']?)(?P<tag>\w{1,40})(?P=quote)(?P<behind>[^\n]*)\n", words=("<<",)
)
_COMMENT = pattern(r"(?<!\S)#")
# No command is longer.
_LONGEST = 2_000
_TO_KUBECTL = pattern(_GIVES + r"(?:-|/dev/stdin)(?=[ \t\n)\"';|&]|\Z)")
# `kubectl apply -f <(cat <<EOF`: bash makes a file of it.
_NEAR = 200
_AS_A_FILE = pattern(_GIVES + r"<\([ \t]*cat[ \t]*\Z")
_TO_A_FILE = pattern(r"(?:>[ \t]*|\btee[ \t]+(?:-\S+[ \t]+)*)[\"']?(?P<file>[^\s\"'|;&<>]{1,200})")
_FILES_GIVEN = pattern(_GIVES + r"[\"']?(?P<file>[^\s\"'|;&<>]{1,200})")
# What K3s, RKE2 and kubelet apply by themselves.
WATCHED = pattern(r"/(?:server|etc/kubernetes)/manifests/")
_NO_OBJECT = pattern(r"apiVersion[ \t]*:")
# What the shell fills in where the mark of the end is not quoted; what is behind a backslash stands as it is.
_FILLED = pattern(
    r"\\(?P<own>[$`\\])|\$\{(?P<braced>[A-Za-z_]\w*)(?P<else>[^{}\n]*)\}|\$(?P<name>[A-Za-z_]\w*)|\$\((?P<ran>[^()\n]*)\)|`[^`\n]*`"
)
_SET = pattern(r"(?m)(?:^|[;&]|\b(?:export|readonly|local|declare))[ \t]*(?P<name>[A-Za-z_]\w*)=(?P<value>[^\n;&]*)")
_PLAIN = pattern(r"(?P<quote>[\"']?)(?P<text>[\w./:@+-]*)(?P=quote)[ \t]*(?:#.*)?")
_ANOTHER = pattern(r"\b(?:read|for|getopts|select|mapfile|readarray|printf[ \t]+-v)\b(?P<names>[^\n;]*)")


def applied_objects(text: str, shown: str) -> Iterator[Fact]:
    """What all of them bring. A text that is no YAML before the shell has filled it in says nothing."""
    for each in objects_in_script(text, Place(path=shown, line=1, column=1)):
        yield from facts_of_given(each)


def objects_in_script(text: str, begins: Place) -> Iterator[Tree]:
    """The objects of a script that begins there."""
    if "<<" not in text or "apiVersion" not in text:
        return
    given = {found["file"] for found in _FILES_GIVEN.finditer(text)}
    known: Mapping[str, str] | None = None
    for found in _BEGINS.finditer(text):
        before = _before(text, found.start())
        if before is None or not (
            _is_applied(f"{before} {found['behind']}", given) or _AS_A_FILE.search(before[-_NEAR:])
        ):
            continue
        written = inside(text, found.end(), found["tag"], tabs=bool(found["tabs"]))
        if written is None or not _NO_OBJECT.search(written):
            continue
        if found["tabs"]:
            written = re.sub(r"(?m)^\t+", "", written)
        if not found["quote"]:
            known = _set_once(text) if known is None else known
            written = _as_filled(written, known)
        row = (begins.line or 1) + text.count("\n", 0, found.end())
        yield from _objects_written(written, replace(begins, line=row))


def _before(text: str, at: int) -> str | None:
    """What stands before it in its command, which may go on over lines that end with a backslash; None where that is a
    comment, begins another text, or is too long."""
    first = max(0, at - _LONGEST)
    end = text.rfind("\n", first, at)
    while end > 0 and text[end - 1] == "\\":
        end = text.rfind("\n", first, end)
    if end < 0 and first > 0:
        return None
    before = text[end + 1 : at]
    return None if "<<" in before or _COMMENT.search(before) else before


def _is_applied(line: str, given: set[str]) -> bool:
    if _TO_KUBECTL.search(line):
        return True
    file = _TO_A_FILE.search(line)
    if file is None:
        return False
    return file["file"] in given or WATCHED.search(file["file"]) is not None


def _objects_written(written: str, at: Place) -> Iterator[Tree]:
    try:
        documents = read_all(written, at)
    except NotYaml:
        return
    for document in documents:
        yield from objects(document)


def _set_once(text: str) -> Mapping[str, str]:
    """The variables that have one value, whatever way the script takes."""
    said: dict[str, list[str | None]] = {}
    for found in _SET.finditer(text):
        plain = _PLAIN.fullmatch(found["value"].strip())
        said.setdefault(found["name"], []).append(plain["text"] if plain is not None else None)
    others = {name for found in _ANOTHER.finditer(text) for name in re.findall(r"[A-Za-z_]\w*", found["names"])}
    return {name: each[0] for name, each in said.items() if len(each) == 1 and each[0] and name not in others}


def _as_filled(written: str, known: Mapping[str, str]) -> str:
    """What is not known is left as something that is filled in later."""

    def filled(found: re.Match[str]) -> str:
        if found["own"]:
            return str(found["own"])
        name = found["braced"] or found["name"]
        if name is None:
            return "${OUTPUT}"
        return known[name] if name in known and not found["else"] else f"${{{name}}}"

    return _FILLED.sub(filled, written)
