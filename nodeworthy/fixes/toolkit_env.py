"""What stands in toolkit.env in a wrong form, where the right one leaves no choice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nodeworthy.fixes.edit import Edit, Fix, Left, NotMended
from nodeworthy.fixes.entries import removed
from nodeworthy.fixes.fault import Fault
from nodeworthy.fixes.scalar import plain, quoted, replaced, scalar
from nodeworthy.fixes.text import Text
from nodeworthy.fixes.yaml_nodes import Node, Spot, spot
from nodeworthy.known.toolkit import RUNTIME_SOCKET, SOCKET
from nodeworthy.verdict import Finding


def fixes(fault: Fault) -> Iterator[Fix | Left]:
    for each in fault.findings:
        found = next(((title, mend) for says, title, mend in _MENDS if says in each.message), None)
        if found is None:
            yield Left(each, "its remedy is a decision")
        else:
            yield fault.mended([each], *found)


def _at(text: Text, finding: Finding) -> Spot:
    return spot(text, finding.where.line or 0, finding.where.column or 0)


def _quote(text: Text, findings: Sequence[Finding]) -> list[Edit]:
    at = _at(text, findings[0])
    edit = quoted(text, at)
    if edit.new != findings[0].should or findings[0].is_ in ("null", "~", "", None):
        raise NotMended("what it should be is not told by what stands there")
    return [edit]


def _bare(text: Text, findings: Sequence[Finding]) -> list[Edit]:
    """A path that is right but for what stands around it."""
    at = _at(text, findings[0])
    node = scalar(text, at)
    path = node.value.strip().removeprefix("unix://")
    if not path.startswith("/") or "://" in path:
        raise NotMended("which path is meant is not told by what stands there")
    if node.style:
        return [replaced(text, at, path, findings[0].is_)]
    return [Edit(node.start, node.end, plain(path))]


def _once(text: Text, findings: Sequence[Finding]) -> list[Edit]:
    """Of two entries that say the same, the second."""
    at = _at(text, findings[0])
    at.refuse_shared()
    mappings, lists = at.within("mapping"), at.within("sequence")
    if not mappings or not lists or mappings[0] not in lists[0].children:
        raise NotMended("it does not stand in the list itself")
    entry, entries = mappings[0], lists[0]
    first = next(each for each in entries.children if _says(each, "name") == _says(entry, "name"))
    if first is entry or _as_data(first) != _as_data(entry):
        raise NotMended("the two entries do not say the same: which one is meant, only its writer knows")
    return [removed(text, entries, entry)]


def _rename(text: Text, findings: Sequence[Finding]) -> list[Edit]:
    at = _at(text, findings[0])
    entry = next(iter(at.within("mapping")), None)
    name = entry.get("name") if entry is not None else None
    if name is None:
        raise NotMended("its name does not stand beside it")
    return [replaced(text, Spot((*at.chain[:-1], name[1]), at.shared), SOCKET, RUNTIME_SOCKET)]


def _says(entry: Node, name: str) -> str | None:
    pair = entry.get(name)
    return pair[1].value if pair is not None and pair[1].kind == "scalar" else None


def _as_data(entry: Node) -> object:
    """What a variable says, whatever the quotes; none where it says more than a name and a value."""
    if entry.kind != "mapping" or len(entry.children) != 4 or _says(entry, "value") is None:
        return object()
    return _says(entry, "name"), _says(entry, "value")


_MENDS = (
    (", not a string: the API refuses", "Quote the value", _quote),
    ("is a URL, and the operator takes a bare path", "Write the bare path", _bare),
    ("has white space around it", "Take off the white space", _bare),
    ("stands twice in toolkit.env", "Remove the second entry, which says the same", _once),
    ("RUNTIME_SOCKET alone has no effect", f"Name it {SOCKET}", _rename),
)
