"""Which paths need no folder to be found: `/etc/hosts`, and what lies in the home of whoever runs the script."""

from __future__ import annotations

from nodeworthy.patterns import pattern

_ROOTED = pattern(r"/|~[\w.-]*(?:/|\Z)")


def is_rooted(path: str) -> bool:
    """`/x`, `~`, `~/x`, `~ubuntu/x`; `~` stays as it is written, for nobody here knows whose home it is."""
    return _ROOTED.match(path) is not None
