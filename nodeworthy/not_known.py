"""Turns nested not-knowns into one sentence: what is not known, and because of what."""

from __future__ import annotations

from nodeworthy.patterns import pattern

# `A is not known: B is not known: C`.
_NESTED = pattern(r" (is|are) not known: ([^\n]{1,300}?),? (is|are) not known(?=: )")
_WHY = pattern(r" not known(?:: |, because )")


def unnest(message: str) -> str:
    """`A is not known, because B is not: C`."""
    return _NESTED.sub(lambda found: f" {found[1]} not known, because {found[2]} {found[3]} not", message)


def what_and_why(message: str) -> tuple[str, str]:
    """Splits a message into what is not known (`whether X is set`) and why. The first is empty where the message has
    another form."""
    found = _WHY.search(message)
    if found is None:
        return "", message
    what = message[: found.start()].removesuffix(" are").removesuffix(" is").removesuffix(",")
    return what, message[found.end() :]
