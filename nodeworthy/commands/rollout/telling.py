"""How a rollout tells what it would do, and what it does."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from nodeworthy.commands.asking import ask_yes
from nodeworthy.commands.judging import hand_over, write_whole
from nodeworthy.commands.rollout.options import Options
from nodeworthy.redaction import hide_secrets
from nodeworthy.report.printable import escape_json, on_one_line, printable
from nodeworthy.rollout.journal import Journal
from nodeworthy.rollout.messages import Told, messages, page


def deliver(options: Options, text: str, code: int) -> int:
    hand_over(text, options.output)
    return code


def as_json(data: Any) -> str:
    return escape_json(json.dumps(data, indent=2, ensure_ascii=False)) + "\n"


class Teller:
    """A line a step, with its time; as JSON one event a line; as a page that is written anew; or as messages."""

    def __init__(self, options: Options) -> None:
        self._form = options.format
        self._output = Path(options.output) if options.output else None
        self._steps: list[tuple[str, str]] = []
        self._told = Told()

    def step(self, text: str) -> None:
        when, said = datetime.now(UTC), hide_secrets(on_one_line(text))
        self._steps.append((f"{when:%H:%M:%S}", said))
        if self._form == "json":
            self._line(json.dumps({"time": f"{when:%Y-%m-%dT%H:%M:%SZ}", "told": said}, ensure_ascii=False))
        elif self._form != "brief":
            self._line(f"{when:%H:%M:%S}  {said}")

    def saved(self, journal: Journal) -> None:
        if self._form == "html" and self._output is not None:
            write_whole(self._output, hide_secrets(page(journal, self._steps)))
        if self._form == "brief":
            for each in messages(journal, self._told):
                self._line(f"{hide_secrets(each)}\n")

    def _line(self, text: str) -> None:
        written = escape_json(text) if self._form == "json" else printable(text)
        if self._output is not None and self._form != "html":
            with self._output.open("a", encoding="utf-8") as file:
                file.write(f"{written}\n")
            return
        sys.stdout.write(f"{written}\n")
        sys.stdout.flush()


def teller(options: Options) -> Teller:
    if options.output and options.format != "html":
        write_whole(Path(options.output), "")
    return Teller(options)


def agree(options: Options, question: str) -> bool:
    return options.yes or ask_yes(question)
