"""A shell script put together: what it is, its values, the bodies it is made of, and the steps in their order.

Bodies are plain shell in files of their own. Nothing is filled into them: values are variables at the head of the
script, and what differs from one call to the next is an argument of the call. Both are quoted, whatever they hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from shlex import quote


@dataclass(frozen=True)
class Step:
    """Something that is done, under a name that the log and a failure give."""

    title: str
    # A function of the body, with its arguments.
    call: tuple[str, ...]
    # The file in bodies/ that has the function.
    body: str
    # The variables that the body reads.
    values: Mapping[str, str] = field(default_factory=dict)


@cache
def body(name: str) -> str:
    return files(__package__).joinpath("bodies", f"{name}.sh").read_text(encoding="utf-8")


def script(title: Sequence[str], steps: Iterable[Step]) -> str:
    steps = list(steps)
    values = {name: value for step in steps for name, value in step.values.items()}
    bodies = dict.fromkeys(["log", *(step.body for step in steps)])
    return "\n".join(
        [
            "#!/bin/bash\n" + comment(title) + "set -Eeuo pipefail\n",
            *(["".join(f"{name}={quote(value)}\n" for name, value in values.items())] if values else []),
            *(body(name) for name in bodies),
            _main(steps),
        ]
    )


def comment(lines: Iterable[str]) -> str:
    """Whatever a name holds, it stays within its line."""
    return "".join(f"# {' '.join(line.split())}\n" for line in lines)


def _main(steps: Iterable[Step]) -> str:
    lines = ["main() {", """    trap 'failed "$?" "$LINENO" "$BASH_COMMAND"' ERR"""]
    title = ""
    for step in steps:
        if step.title != title:
            title = step.title
            lines.append(f"    step {quote(title)}")
        lines.append(f"    {' '.join(map(quote, step.call))}")
    return "\n".join([*lines, "    step 'done'", "}", "", "main 2>&1 | stamped", ""])
