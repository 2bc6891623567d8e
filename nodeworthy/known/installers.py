"""Scripts that are fetched and run at once: the table of `installers.toml`, typed."""

from __future__ import annotations

from functools import cache

from nodeworthy.known.tables import table_of
from nodeworthy.records import dataclass


@dataclass(frozen=True)
class Installer:
    urls: tuple[str, ...]
    installs: tuple[str, ...]
    source: str
    starts: tuple[str, ...] = ()
    joins: str = ""


@cache
def _installers() -> tuple[Installer, ...]:
    rows = table_of("installers")["installer"]
    return tuple(
        Installer(
            tuple(row["urls"]),
            tuple(row["installs"]),
            row["source"],
            tuple(row.get("starts", ())),
            row.get("joins", ""),
        )
        for row in rows
    )


def installer_at(url: str) -> Installer | None:
    """The installer whose script stands at an address, of which only the beginning may be known."""
    address = (url.partition("://")[2] or url).partition("?")[0]
    return next((each for each in _installers() if any(_is_at(address, known) for known in each.urls)), None)


def _is_at(address: str, known: str) -> bool:
    return address == known or address.startswith(f"{known}/")
