"""Long words of a container, cut to the part that tells."""

from __future__ import annotations

from nodeworthy.known.evidence import in_text

_LONGEST, _BEHIND = 300, 60
# Of what wraps one error in another, the beginning says who speaks, and the end what is wrong.
_BEGINNING, _END = 150, 250


def telling_part(words: str) -> str:
    """The words on one line; of long ones, which a runtime begins with how it came to them, the part that is known."""
    said = " ".join(words.split())
    if len(said) <= _LONGEST:
        return said
    itself = next((" ".join(each.itself.split()) for each in in_text(words)), "")
    at = max(said.find(itself), 0)
    begins = min(at, max(0, at + len(itself) + _BEHIND - _LONGEST))
    cut = said[begins : begins + _LONGEST].strip()
    return cut.partition(" ")[2] if 0 <= cut.find(" ") < at - begins else cut


def both_ends(words: str) -> str:
    """The words on one line; of long ones both ends."""
    said = " ".join(words.split())
    if len(said) <= _BEGINNING + _END:
        return said
    begins, ends = said[:_BEGINNING].rpartition(" ")[0], said[-_END:].partition(" ")[2]
    return f"{begins or said[:_BEGINNING]} … {ends or said[-_END:]}"
