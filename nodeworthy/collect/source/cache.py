"""Answers a run from an earlier one, where nothing that it read has changed since.

What a run reads besides the files themselves (stack files, settings, fleets elsewhere, scripts that a job starts)
counts as much as they do, and so do those that it looked for in vain. Where only some files changed, those that held
nothing of ours are not read again.
"""

from __future__ import annotations

import json
import os
import stat
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Protocol

from nodeworthy.collect.source import cache_judgements, cache_store
from nodeworthy.collect.source.cache_stamps import Stamp, around, program, stamp
from nodeworthy.collect.source.digest import digest_of
from nodeworthy.collect.source.files import Source
from nodeworthy.engine import Judgement
from nodeworthy.records import dataclass, field

_OTHERWISE_SHAPED = (KeyError, TypeError, ValueError, IndexError, AttributeError)


@dataclass(frozen=True)
class Answer:
    judgements: Sequence[Judgement]
    counts: dict[str, int]
    # The files that held nothing of ours.
    nothing: Sequence[str]
    # The pools that followed from evidence, in the words in which they were told.
    inferred: dict[str, str]


class Kept(Protocol):
    """What was looked at."""

    @property
    def counts(self) -> dict[str, int]: ...
    @property
    def nothing(self) -> Sequence[str]: ...


@dataclass
class Memory:
    """What an earlier run of the same call left behind, beside what there is now."""

    sources: Sequence[Source]
    _name: str
    _began: int = field(default_factory=time.time_ns)
    _stamps: list[Stamp] = field(default_factory=list)
    _kept: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._stamps = [stamp(source.path, self._began) for source in self.sources]
        kept = cache_store.recall(self._name)
        self._kept = kept if isinstance(kept, dict) else {}

    def answer(self) -> Answer | None:
        try:
            if not self._is_unchanged():
                return None
            judged = cache_judgements.judgements_from_data(self._kept["judged"])
            nothing = [str(each) for each in self._kept["nothing"]]
            return Answer(judged, self._kept["counts"], nothing, dict(self._kept["inferred"]))
        except _OTHERWISE_SHAPED:
            return None

    def _is_unchanged(self) -> bool:
        """A file without a stamp may have changed; two of them are never the same."""
        before, beside = self._kept["files"], self._kept["beside"]
        now = [[source.shown, source.named, each] for source, each in zip(self.sources, self._stamps, strict=True)]
        if None in self._stamps or before != now or None in beside.values():
            return False
        return bool(beside == around(self._folders, self._kept["named"], self._began))

    @property
    def nothing(self) -> frozenset[str]:
        """The files that held nothing of ours, and have not changed since."""
        try:
            known = {shown: each for shown, named, each in self._kept["files"] if each and not named}
            now = {source.shown: each for source, each in zip(self.sources, self._stamps, strict=True)}
            return frozenset(shown for shown in self._kept["nothing"] if now.get(shown) == known.get(shown, 0))
        except _OTHERWISE_SHAPED:
            return frozenset()

    @property
    def _folders(self) -> Iterable[Path]:
        """The folders of the files. Thousands of files may lie in one: it is found by one of them."""
        one_of_each = {each.path if each.path.name == ".." else _written_folder(each): each for each in self.sources}
        return dict.fromkeys(Path(os.path.abspath(each.path)).parent for each in one_of_each.values())

    def keep(
        self, judgements: Sequence[Judgement], looked: Kept, inferred: dict[str, str], named: Iterable[Path]
    ) -> None:
        """`named` are the other files that the run asked for, whether they are there or not."""
        asked = sorted({os.path.abspath(path) for path in named})
        cache_store.keep(
            self._name,
            {
                "files": [[each.shown, each.named, now] for each, now in zip(self.sources, self._stamps, strict=True)],
                "beside": around(self._folders, asked, self._began),
                "named": asked,
                "nothing": list(looked.nothing),
                "inferred": inferred,
                "judged": cache_judgements.as_data(judgements),
                "counts": looked.counts,
            },
        )


def _written_folder(source: Source) -> str:
    return os.path.dirname(os.fspath(source.path))  # noqa: PTH120 - of thousands of files


def memory(paths: Sequence[str], sources: Sequence[Source], asked: dict[str, Any]) -> Memory | None:
    """None where an answer can't be kept: what comes through a pipe comes once, and some machines keep nothing."""
    if not cache_store.can_be() or not all(map(_stays, paths)):
        return None
    try:
        whole = json.dumps([program(), Path.cwd().as_posix(), list(paths), asked], sort_keys=True)
    except OSError:
        return None
    return Memory(sources, f"check-{digest_of(whole.encode())}.json")


def _stays(path: str) -> bool:
    try:
        mode = Path(path).stat().st_mode
    except (OSError, ValueError):
        return False
    return stat.S_ISREG(mode) or stat.S_ISDIR(mode)
