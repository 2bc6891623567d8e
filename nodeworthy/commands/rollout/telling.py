"""How a rollout tells what it would do, and what it does."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from nodeworthy.commands.judging import write_whole
from nodeworthy.commands.rollout.options import Options
from nodeworthy.redaction import hide_secrets
from nodeworthy.report.printable import escape_json, on_one_line, printable


def deliver(options: Options, text: str, code: int) -> int:
    if options.output:
        write_whole(Path(options.output), text)
    else:
        sys.stdout.write(text)
        sys.stdout.flush()
    return code


def as_json(data: Any) -> str:
    return escape_json(json.dumps(data, indent=2, ensure_ascii=False)) + "\n"


def teller(options: Options) -> Callable[[str], object]:
    """A line a step, with its time; as JSON one event a line."""

    def tell(text: str) -> None:
        when, said = datetime.now(UTC), hide_secrets(on_one_line(text))
        if options.format == "json":
            line = escape_json(json.dumps({"time": f"{when:%Y-%m-%dT%H:%M:%SZ}", "told": said}, ensure_ascii=False))
        else:
            line = printable(f"{when:%H:%M:%S}  {said}")
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()

    return tell


def agree(options: Options, question: str) -> bool:
    if options.yes:
        return True
    sys.stderr.write(f"{question} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")
