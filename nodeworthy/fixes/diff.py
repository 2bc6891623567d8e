"""What a plan changes, as a unified diff that people read and `patch` applies."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator

from nodeworthy.fixes.plan import Plan
from nodeworthy.fixes.text import Text
from nodeworthy.redaction import hidden_lines


def diff(plan: Plan) -> str:
    """Without the secrets of either side: where one stands, nothing is changed."""
    return "".join(_of_file(plan.before[path], plan.after[path]) for path in plan.changed)


def _of_file(before: Text, after: Text) -> str:
    lines = difflib.unified_diff(_lines(before), _lines(after), f"a/{before.path}", f"b/{before.path}")
    return "".join(_ended(lines))


def _lines(text: Text) -> list[str]:
    """With their ends, and by these alone: whatever else Python takes for one stays in its line."""
    return re.findall(r"[^\n]*\n|[^\n]+", hidden_lines(text.text))


def _ended(lines: Iterator[str]) -> Iterator[str]:
    for line in lines:
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
