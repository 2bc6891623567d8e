"""What clouds take as user data and who sees it there: the table of `clouds.toml`, typed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache, cached_property, lru_cache

from nodeworthy.known.tables import table_of
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, field


@dataclass(frozen=True)
class Cloud:
    key: str
    title: str
    shown_by: str
    fetch: str
    elsewhere: str
    in_files: str
    source: str
    folders: Sequence[str] = field(default_factory=tuple)
    # None where nothing in a script says so.
    in_script: str | None = None
    # One of them stands wherever that does.
    words: Sequence[str] = ()
    # None where no limit is known.
    limit: int | None = None
    counted: str = "raw"
    refuses: str = ""
    # It puts user data into a cloud-config of its own.
    merges: bool = False

    @property
    def most(self) -> int | None:
        """The largest user data in bytes before base64."""
        return self.limit // 4 * 3 if self.limit is not None and self.counted == "base64" else self.limit

    @cached_property
    def script_sign(self) -> re.Pattern[str] | None:
        return pattern(self.in_script, words=tuple(self.words)) if self.in_script is not None else None

    @cached_property
    def file_sign(self) -> re.Pattern[bytes]:
        return re.compile(self.in_files.encode())


@cache
def clouds() -> tuple[Cloud, ...]:
    table = table_of("clouds")
    return tuple(Cloud(key, **row) for key, row in table["clouds"].items())


def cloud(key: str) -> Cloud:
    return next(each for each in clouds() if each.key == key)


def cloud_of_script(text: str) -> Cloud | None:
    """The only cloud of which something stands in a script."""
    return _only(each for each in clouds() if (sign := each.script_sign) is not None and sign.search(text))


# One program names many scripts, and each of them asks.
@lru_cache(maxsize=8)
def cloud_of_file(data: bytes) -> Cloud | None:
    """The only cloud in which a program or a template makes something."""
    return _only(each for each in clouds() if each.file_sign.search(data))


def cloud_of_folders(names: Sequence[str]) -> Cloud | None:
    """The cloud after which the nearest folder is named; the nearest comes first."""
    for name in names:
        words = set(re.split(r"[^a-z0-9]+", name.lower()))
        found = _only(each for each in clouds() if words & set(each.folders))
        if found is not None:
            return found
    return None


def _only(found: Iterator[Cloud]) -> Cloud | None:
    every = list(found)
    return every[0] if len(every) == 1 else None
