"""The variables that NCCL reads: `nccl.toml`."""

from __future__ import annotations

from functools import cache

from nodeworthy.known.tables import table_of

# Two names are nearly the same where they differ in so little: NCCL_IB_GTD_INDEX and NCCL_IB_GID_INDEX.
_NEAR = 0.93


@cache
def variable_meant(name: str) -> str:
    """The one that was meant, where NCCL reads none of this name and one of nearly the same; else empty."""
    from difflib import SequenceMatcher, get_close_matches

    names = table_of("nccl")["names"]
    if name in names:
        return ""
    near = next(iter(get_close_matches(name, names, 1, _NEAR)), "")
    if not near or near.startswith(name) or name.startswith(near):
        return _with_a_letter_behind(name, near)
    changes = [each for each in SequenceMatcher(None, name, near).get_opcodes() if each[0] != "equal"]
    return near if sum(max(last - first, end - begin) for _, first, last, begin, end in changes) <= 2 else ""


def _with_a_letter_behind(name: str, near: str) -> str:
    """A longer name may be one that is not listed, but for `IFNAMES` and `DISABLED`."""
    return near if near and name in (f"{near}S", f"{near}D") else ""
