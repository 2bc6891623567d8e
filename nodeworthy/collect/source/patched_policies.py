"""What a script changes of a ClusterPolicy that is there: `kubectl patch clusterpolicy NAME -p '{"spec": …}'`.

What the patch says counts; what it leaves out stays as the cluster has it, which nobody sees here.
"""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.documents.tree import Tree
from nodeworthy.documents.yaml import NotYaml, read_all
from nodeworthy.facts.operator.recognition import ORIGIN
from nodeworthy.facts.operator.values import OperatorValues, PatchedPolicy
from nodeworthy.patterns import pattern
from nodeworthy.verdict import Known, Located, Place

_NAMED = pattern(r"clusterpolic(?:y|ies)\b", words=("clusterpolic",))
_BEGINS = pattern(r"[ \t](?:-p|--patch)[ \t=]{0,4}\\?\n?[ \t]{0,40}(?P<quote>['\"])")
_BEFORE, _BEHIND = 300, 500
# A list of operations, and no part of the object.
_OF_OPERATIONS = pattern(r"--type[ =]['\"]?json\b(?!-)")
_LONGEST = 20_000
_SAID = frozenset(("toolkit", "devicePlugin", "migManager", "mig"))
PATCHED = "this is a patch, and what it does not say may stand in the ClusterPolicy that it changes"


def patched_policies(text: str, shown: str) -> Iterator[PatchedPolicy]:
    passed = 0
    for named in _NAMED.finditer(text):
        if named.start() < passed:
            continue
        before = text[max(passed, named.start() - _BEFORE) : named.start()].replace("\\\n", " ").rpartition("\n")[2]
        begins = _BEGINS.search(text, named.end(), named.end() + _BEHIND) if _patches(before) else None
        passed = named.end()
        if begins is None or _ends_before(text[named.end() : begins.start()]):
            continue
        words = before + text[named.end() : begins.start()]
        written, passed = _within(text, begins.end(), begins["quote"])
        if "spec" not in written or _OF_OPERATIONS.search(words):
            continue
        line = text.count("\n", 0, begins.end()) + 1
        spec = _spec(written, Place(path=shown, line=line, column=1))
        if spec is not None and not _SAID.isdisjoint(spec.mapping):
            release = Located[str | None](Known(None), spec.place, written=False)
            yield PatchedPolicy(OperatorValues(spec.place, spec, ORIGIN, release, elsewhere=PATCHED))


def _patches(before: str) -> bool:
    words = before.rpartition(";")[2].rpartition("|")[2].rpartition("&")[2].split()
    who = next((index for index, word in enumerate(words) if word in ("kubectl", "oc")), None)
    return who is not None and "patch" in words[who:]


def _ends_before(behind: str) -> bool:
    """Whether the command is at its end, or has a text of its own, before the patch begins."""
    plain = behind.replace("\\\n", " ")
    return any(mark in plain for mark in ("\n", ";", "|", "&", "'", '"'))


def _within(text: str, start: int, quote: str) -> tuple[str, int]:
    """What stands between quotes, and where it ends; nothing where the shell fills it in, or it never ends. Within
    double quotes each of the patch's own stands behind a backslash."""
    end = text.find(quote, start, start + _LONGEST)
    while quote == '"' and end > 0 and text[end - 1] == "\\":
        end = text.find(quote, end + 1, start + _LONGEST)
    written = text[start : max(end, start)]
    return ("" if "$" in written else written.replace('\\"', '"')), max(end, start)


def _spec(written: str, at: Place) -> Tree | None:
    try:
        documents = list(read_all(written, at))
    except NotYaml:
        return None
    spec = documents[0].get("spec") if len(documents) == 1 and documents[0].is_mapping else None
    return spec if spec is not None and spec.is_mapping else None
