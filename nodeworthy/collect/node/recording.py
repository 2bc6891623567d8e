"""What a host said, kept: one JSON file a host, without secrets, judged the same whenever it is replayed."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from nodeworthy.collect.node.script import Part
from nodeworthy.limits import without_long_numbers
from nodeworthy.records import dataclass
from nodeworthy.redaction import hide_secrets

SCHEMA = "nodeworthy/recording/v1"
SUFFIX = ".json"
LOCAL = "local://"


class NoRecording(Exception):
    """A file that is no recording of a node, and why."""


@dataclass(frozen=True)
class Recording:
    """One host: what it said, or why it said nothing."""

    # As reports name it: ssh://h1, local://gpu-01.
    host: str
    parts: tuple[Part, ...] = ()
    unreached: str | None = None

    @cached_property
    def by_name(self) -> Mapping[str, Part]:
        return {each.name: each for each in self.parts}

    def part(self, name: str) -> Part | None:
        return self.by_name.get(name)

    @property
    def file_name(self) -> str:
        name = re.sub(r"[^\w.-]+", "-", self.host.removeprefix(LOCAL)).strip("-.")
        return f"{name or 'local'}{SUFFIX}"


def without_secrets(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """Nor with numbers that nobody can read."""
    return tuple(Part(p.name, p.code, p.seconds, _fit(p.stdout), _fit(p.stderr)) for p in parts)


def _fit(said: str) -> str:
    return hide_secrets(without_long_numbers(said))


def as_text(recording: Recording) -> str:
    data: dict[str, Any] = {"schema": SCHEMA, "moment": "node", "host": recording.host}
    if recording.unreached is not None:
        data["unreached"] = recording.unreached
    data["parts"] = [
        {
            "name": each.name,
            "exit": each.code,
            "seconds": each.seconds,
            # A list of lines, which people can read and compare.
            "stdout": _lines(each.stdout),
            **({"stderr": _lines(each.stderr)} if each.stderr else {}),
        }
        for each in recording.parts
    ]
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def _lines(text: str) -> list[str]:
    return text.split("\n") if text else []


def load(path: Path) -> Recording:
    """Raises NoRecording with why; OSError where the file can't be read."""
    try:
        data = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        raise NoRecording("it is not JSON") from None
    return recording_from_data(data)


def recording_from_data(data: Any) -> Recording:
    """Raises NoRecording with why."""
    if not isinstance(data, dict) or "schema" not in data:
        raise NoRecording("it is JSON, but no recording")
    if data["schema"] != SCHEMA or data.get("moment") != "node":
        raise NoRecording(f"it is {data['schema']} of {data.get('moment')!r}, and not {SCHEMA} of a node")
    unreached = data.get("unreached")
    if not isinstance(data.get("host"), str) or not isinstance(unreached, str | None):
        raise NoRecording("it is malformed: it does not say in words of which host it is, or why that was not reached")
    if not isinstance(data.get("parts"), list):
        raise NoRecording("it is malformed: it has no list of parts")
    parts = tuple(_part(number, each) for number, each in enumerate(data["parts"], start=1))
    return Recording(
        hide_secrets(data["host"]), without_secrets(parts), hide_secrets(unreached) if unreached else unreached
    )


def _part(number: int, data: Any) -> Part:
    try:
        name, code, seconds = str(data["name"]), int(data["exit"]), float(data["seconds"])
        return Part(name, code, seconds, _text(data["stdout"]), _text(data.get("stderr", [])))
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as problem:
        what = f"{problem} is missing" if isinstance(problem, KeyError) else str(problem)
        raise NoRecording(f"part {number} of it is malformed: {what}") from None


def _text(said: Any) -> str:
    """A list of lines, or, where somebody has written it by hand, a text."""
    if isinstance(said, list) and all(isinstance(each, str) for each in said):
        return "\n".join(said)
    if isinstance(said, str):
        return said
    raise TypeError("what it says is neither lines nor a text")
