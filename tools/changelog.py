"""CHANGELOG.md as a release needs it: the section of a version, and how it is cut from what is unreleased."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime

UNRELEASED = "## [Unreleased]"
HEADING = re.compile(r"^## \[(?P<version>[^]]+)\](?: - (?P<date>\S+))?[ \t]*$", re.MULTILINE)


class NotReady(Exception):
    """What stands in the way of a release, in a sentence."""


@dataclass(frozen=True)
class Section:
    version: str
    date: date
    body: str

    @property
    def epoch(self) -> int:
        """The time that everything built of this version has."""
        return int(datetime(self.date.year, self.date.month, self.date.day, tzinfo=UTC).timestamp())


def section(text: str, version: str) -> Section:
    headings = list(HEADING.finditer(text))
    ends = [*(each.start() for each in headings[1:]), len(text)]
    for heading, end in zip(headings, ends, strict=True):
        if heading["version"] == version:
            body = text[heading.end() : end].strip()
            if not body:
                raise NotReady(f"CHANGELOG.md: the section of {version} is empty")
            return Section(version, _date(heading["date"], version), body)
    raise NotReady(f"CHANGELOG.md has no section of {version}; make release-cut makes it of what is unreleased")


def has_section(text: str, version: str) -> bool:
    return any(each["version"] == version for each in HEADING.finditer(text))


def _date(written: str | None, version: str) -> date:
    try:
        return date.fromisoformat(written or "")
    except ValueError:
        raise NotReady(
            f"CHANGELOG.md: the section of {version} has no date, as in `## [{version}] - 2026-11-22`"
        ) from None


def cut(text: str, version: str, day: date) -> str:
    """What is unreleased becomes the section of this version; nothing is unreleased then."""
    if has_section(text, version):
        raise NotReady(
            f"CHANGELOG.md has a section of {version} already; the next version goes into nodeworthy/__init__.py"
        )
    if UNRELEASED not in text:
        raise NotReady(f"CHANGELOG.md has no line `{UNRELEASED}` to cut a section from")
    written = text.replace(UNRELEASED, f"{UNRELEASED}\n\n## [{version}] - {day.isoformat()}", 1)
    section(written, version)
    return written
