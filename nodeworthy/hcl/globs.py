"""Patterns of file names as `fileset` takes them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from nodeworthy.hcl.values import Refusal


def matching(paths: Iterable[str], written: str) -> Iterator[str]:
    found = _compiled(written)
    return (path for path in paths if found.fullmatch(path))


@cache
def _compiled(written: str) -> re.Pattern[str]:
    """`**` over folders, `*` and `?` within a name, `{a,b}`, `[abc]`."""
    if len(written) > 300 or written.count("*") > 6:
        raise Refusal("so long a pattern")
    made, at, depth = "", 0, 0
    while at < len(written):
        each = written[at]
        if written.startswith("**/", at):
            made, at = made + "(?:[^/]+/)*", at + 3
            continue
        if written.startswith("**", at):
            made, at = made + ".*", at + 2
            continue
        depth += (each == "{") - (each == "}")
        made += {"*": "[^/]*", "?": "[^/]", "{": "(?:", "}": ")", "[": "[", "]": "]"}.get(each) or (
            "|" if each == "," and depth else each if each in "-!" and "[" in made[-8:] else re.escape(each)
        )
        at += 1
    try:
        return re.compile(made)
    except re.error:
        raise Refusal(f"{written} is no pattern") from None
