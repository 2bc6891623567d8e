"""What a rollout has done and means to do, in a file: whoever is killed goes on from it.

It says what was meant. What is, is always read again from AWS and Kubernetes, and an act that is done already is not
done twice.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import field
from enum import Enum
from pathlib import Path
from typing import Any

from nodeworthy.documents.plain import at, mapping_at, mappings_at, number_at, strings_at, text_at
from nodeworthy.errors import InputError
from nodeworthy.records import dataclass

_KIND, _VERSION = "Rollout", "nodeworthy/v1"


class Stage(Enum):
    """How far the replacement of a node is: what has been done of it."""

    WAITS = "waits"
    GROWN = "grown"
    CORDONED = "cordoned"
    EMPTY = "empty"
    TERMINATED = "terminated"
    REPLACED = "replaced"
    JOINED = "joined"
    LABELLED = "labelled"
    PROVEN = "proven"
    ACCEPTED = "accepted"
    WELCOME = "welcome"
    DONE = "done"


# One node goes, then its successor comes; or the successor first, where there is room for one more.
OLD_FIRST = (
    Stage.WAITS,
    Stage.CORDONED,
    Stage.EMPTY,
    Stage.TERMINATED,
    Stage.REPLACED,
    Stage.JOINED,
    Stage.LABELLED,
    Stage.PROVEN,
    Stage.ACCEPTED,
    Stage.WELCOME,
    Stage.DONE,
)
NEW_FIRST = (
    Stage.WAITS,
    Stage.GROWN,
    Stage.REPLACED,
    Stage.JOINED,
    Stage.LABELLED,
    Stage.PROVEN,
    Stage.ACCEPTED,
    Stage.WELCOME,
    Stage.CORDONED,
    Stage.EMPTY,
    Stage.TERMINATED,
    Stage.DONE,
)


class Status(Enum):
    RUNNING = "running"
    PAUSED = "paused"
    STOPPED = "stopped"
    ABORTED = "aborted"
    DONE = "done"


@dataclass
class Lane:
    """One node that is to go, and the one that comes for it."""

    old: str
    node: str
    stage: Stage = Stage.WAITS
    # When this stage was reached, and since when nothing but pods that may be evicted is left on the old node.
    since: float = 0.0
    drains_since: float = 0.0
    fresh: str = ""
    fresh_node: str = ""
    kept: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    was_protected: bool = False

    @property
    def title(self) -> str:
        return f"{self.node} ({self.old})" if self.node else self.old

    @property
    def fresh_title(self) -> str:
        return f"{self.fresh_node} ({self.fresh})" if self.fresh_node else self.fresh or "its successor"

    def as_data(self) -> dict[str, Any]:
        return {
            "old": self.old,
            "node": self.node,
            "stage": self.stage.value,
            "since": self.since,
            "drainsSince": self.drains_since,
            "fresh": self.fresh,
            "freshNode": self.fresh_node,
            "kept": {name: dict(each) for name, each in self.kept.items()},
            "wasProtected": self.was_protected,
        }


@dataclass(frozen=True)
class Terms:
    """What was asked for, and holds for the whole of a rollout."""

    most_unavailable: int = 1
    new_first: bool = False
    canaries: int = 1
    pause_after_canary: bool = False
    drain_seconds: float = 1800.0
    join_seconds: float = 1200.0
    # None: as long as jobs themselves declare.
    job_seconds: float | None = None
    # none, quick, full
    accept: str = "none"
    evict: frozenset[str] = frozenset()
    keeps_labels: bool = True
    # How long a fresh node is left alone before the next one goes.
    soak_seconds: float = 0.0
    # When nodes may be begun, as people write it; empty where they always may.
    window: str = ""
    # Whether an instance refresh of AWS ends machines and starts their successors.
    by_refresh: bool = False

    @property
    def stages(self) -> tuple[Stage, ...]:
        return NEW_FIRST if self.new_first else OLD_FIRST

    def as_data(self) -> dict[str, Any]:
        return {
            "maxUnavailable": self.most_unavailable,
            "surge": int(self.new_first),
            "canary": self.canaries,
            "pauseAfterCanary": self.pause_after_canary,
            "drainSeconds": self.drain_seconds,
            "joinSeconds": self.join_seconds,
            "jobSeconds": self.job_seconds,
            "accept": self.accept,
            "evict": sorted(self.evict),
            "keepLabels": self.keeps_labels,
            "soakSeconds": self.soak_seconds,
            "window": self.window,
            "byRefresh": self.by_refresh,
        }


@dataclass
class Journal:
    id: str
    group: str
    region: str
    account: str
    server: str
    # As it stood before: how the group names its version, the number that old nodes have, and the number to come.
    named_version: str
    former: str
    target: str
    desired: int
    smallest: int
    largest: int
    terms: Terms
    lanes: list[Lane]
    # Every machine that was there at the beginning: who is not among them is a successor.
    originals: tuple[str, ...]
    status: Status = Status.RUNNING
    # Processes that we suspended, and have to resume.
    suspended: tuple[str, ...] = ()
    # What is just being done, written before it is.
    intent: str = ""
    why: str = ""
    # How it is just being ended: whoever is killed there ends it, and goes on with nothing.
    ending: str = ""
    is_pinned: bool = False
    has_paused: bool = False
    # Whether the group has to be set to the target before anything else.
    sets_version: bool = False
    # What the node suite runs from.
    image: str = ""
    # The instance refresh that is ours, once it is seen; and whether it was asked for.
    refresh: str = ""
    asked_for_refresh: bool = False
    # Machines that we protect from it for as long as it lasts.
    shielded: tuple[str, ...] = ()
    # Whether AWS may take a refresh back that fails: of a group that names its version by number.
    rolls_back: bool = False

    def unfinished(self) -> Sequence[Lane]:
        return [each for each in self.lanes if each.stage is not Stage.DONE]

    def under_way(self) -> Sequence[Lane]:
        return [each for each in self.unfinished() if each.stage is not Stage.WAITS]

    def finished(self) -> int:
        return len(self.lanes) - len(self.unfinished())

    @property
    def how_far(self) -> str:
        return f"{self.finished()} of {len(self.lanes)} nodes are replaced"

    def has_reached(self, lane: Lane, stage: Stage) -> bool:
        stages = self.terms.stages
        return stages.index(lane.stage) >= stages.index(stage)

    def as_data(self) -> dict[str, Any]:
        return {
            "apiVersion": _VERSION,
            "kind": _KIND,
            "id": self.id,
            "status": self.status.value,
            "why": self.why,
            "ending": self.ending,
            "intent": self.intent,
            "aws": {"account": self.account, "region": self.region, "group": self.group},
            "server": self.server,
            "image": self.image,
            "setsVersion": self.sets_version,
            "refresh": self.refresh,
            "askedForRefresh": self.asked_for_refresh,
            "shielded": list(self.shielded),
            "rollsBack": self.rolls_back,
            "former": {
                "namedVersion": self.named_version,
                "version": self.former,
                "desired": self.desired,
                "smallest": self.smallest,
                "largest": self.largest,
            },
            "target": self.target,
            "terms": self.terms.as_data(),
            "originals": list(self.originals),
            "suspended": list(self.suspended),
            "isPinned": self.is_pinned,
            "hasPaused": self.has_paused,
            "lanes": [each.as_data() for each in self.lanes],
        }


def journal_from(data: Any) -> Journal:
    """Raises InputError for what is no journal, or of which anything is missing."""
    if text_at(data, "kind") != _KIND or text_at(data, "apiVersion") != _VERSION:
        raise InputError("this is no file that a rollout has kept")
    try:
        return Journal(
            id=_name_at(data, "id"),
            group=_name_at(data, "aws", "group"),
            region=_name_at(data, "aws", "region"),
            account=_name_at(data, "aws", "account"),
            server=_name_at(data, "server"),
            named_version=_name_at(data, "former", "namedVersion"),
            former=text_at(data, "former", "version"),
            target=_name_at(data, "target"),
            desired=_number(data, "former", "desired"),
            smallest=_number(data, "former", "smallest"),
            largest=_number(data, "former", "largest"),
            terms=_terms(mapping_at(data, "terms")),
            lanes=_lanes(data),
            originals=tuple(_texts(data, "originals")),
            status=Status(text_at(data, "status")),
            suspended=tuple(_texts(data, "suspended")),
            intent=text_at(data, "intent"),
            why=text_at(data, "why"),
            ending=text_at(data, "ending"),
            is_pinned=at(data, "isPinned") is True,
            has_paused=at(data, "hasPaused") is True,
            sets_version=at(data, "setsVersion") is True,
            image=text_at(data, "image"),
            refresh=text_at(data, "refresh"),
            asked_for_refresh=at(data, "askedForRefresh") is True,
            shielded=tuple(_texts(data, "shielded")) if at(data, "shielded") is not None else (),
            rolls_back=at(data, "rollsBack") is True,
        )
    except ValueError as problem:
        raise InputError(f"this is no file that a rollout has kept: {problem}") from None


def read_journal(path: Path) -> Journal:
    """Raises InputError."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as problem:
        raise InputError(f"{path}: it can't be read: {problem.strerror}") from None
    except (ValueError, RecursionError):
        raise InputError(f"{path}: this is no file that a rollout has kept: it is not JSON") from None
    try:
        return journal_from(data)
    except InputError as problem:
        raise InputError(f"{path}: {problem}") from None


def _terms(data: Mapping[str, Any]) -> Terms:
    seconds = at(data, "jobSeconds")
    return Terms(
        _number(data, "maxUnavailable"),
        _number(data, "surge") > 0,
        _number(data, "canary"),
        at(data, "pauseAfterCanary") is True,
        _seconds(at(data, "drainSeconds")),
        _seconds(at(data, "joinSeconds")),
        None if seconds is None else _seconds(seconds),
        _name_at(data, "accept"),
        frozenset(_texts(data, "evict")),
        at(data, "keepLabels") is True,
        _seconds(at(data, "soakSeconds")),
        text_at(data, "window"),
        at(data, "byRefresh") is True,
    )


def _lanes(data: Any) -> list[Lane]:
    """All of them: one that is passed over would be a node that nobody replaces."""
    written, found = at(data, "lanes"), mappings_at(data, "lanes")
    if not found or len(found) != len(written):
        raise ValueError("a node of it is missing")
    return [_lane(each) for each in found]


def _lane(data: Mapping[str, Any]) -> Lane:
    return Lane(
        _name_at(data, "old"),
        text_at(data, "node"),
        Stage(text_at(data, "stage")),
        _seconds(at(data, "since")),
        _seconds(at(data, "drainsSince")),
        text_at(data, "fresh"),
        text_at(data, "freshNode"),
        {name: strings_at(data, "kept", name) for name in mapping_at(data, "kept")},
        at(data, "wasProtected") is True,
    )


def _name_at(data: Any, *names: str) -> str:
    found = text_at(data, *names)
    if not found:
        raise ValueError(f"it says no {'.'.join(names)}")
    return found


def _number(data: Any, *names: str) -> int:
    found = number_at(data, *names)
    if found is None:
        raise ValueError(f"its {'.'.join(names)} is no number")
    return found


def _seconds(said: Any) -> float:
    if not isinstance(said, int | float) or isinstance(said, bool):
        raise ValueError(f"{said!r} is no number of seconds")
    return float(said)


def _texts(data: Any, name: str) -> list[str]:
    found = at(data, name)
    if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
        raise ValueError(f"its {name} is no list of names")
    return found
