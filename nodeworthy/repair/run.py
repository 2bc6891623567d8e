"""Shows a repair, makes it, looks until its rules ask for no more, and puts back what was there if it did not help."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any

from nodeworthy.engine import Judgement
from nodeworthy.errors import CouldNotLook, Ends, InputError
from nodeworthy.records import dataclass
from nodeworthy.repair import told
from nodeworthy.repair.apply import apply, record_way, try_dry
from nodeworthy.repair.change import Change, World
from nodeworthy.repair.edit import Edit, NotEditable, RepairRefused, Untouched, value_at
from nodeworthy.repair.helm import Helm
from nodeworthy.repair.lease import hold_lease
from nodeworthy.repair.plan import RepairPlan, plan
from nodeworthy.repair.record import APPLIED, APPLYING, PUT_BACK, Record, StateFile, new_state_path
from nodeworthy.repair.server import Server
from nodeworthy.repair.undo import SLACK_SECONDS, Say, restore
from nodeworthy.repair.way import OnPaper, ThroughHelm, ToObject, Way, way_of
from nodeworthy.report.json import finding_as_data
from nodeworthy.verdict import Finding, Verdict


@dataclass(frozen=True)
class Looked:
    """What was seen of a cluster, and what rules say of it."""

    judgements: Sequence[Judgement]
    # The names of its ClusterPolicies.
    policies: Sequence[str]
    # What a diagnosis would end with.
    exit_code: int


@dataclass(frozen=True)
class Repair:
    look: Callable[[], Looked]
    # Whether to go on, once the changes were shown.
    agreed: Callable[[str], bool]
    server: Server | None
    helm: Helm | None
    wait_seconds: float = 300
    # What is told as it happens.
    say: Say = field(default=sys.stdout.write)

    def preview(self, before: Looked, world: World) -> int:
        """1 if something would change."""
        planned, ways = self.planned(before, world)
        self._show(planned, ways, dry=True)
        if ways:
            return 1
        return 3 if before.exit_code == 3 else 0

    def fix(self, before: Looked, world: World) -> int:
        planned, ways = self.planned(before, world)
        own = [each for each in ways if not isinstance(each, OnPaper)]
        refused = self._show(planned, ways, dry=False)
        if refused is not None:
            raise RepairRefused(f"nothing was changed: {refused}")
        if not own:
            return before.exit_code
        assert self.server is not None
        if not self.agreed(f"make {len(own)} of these on {self.server.server}?"):
            self.say("nothing was changed\n")
            return 1
        with hold_lease(self.server, int(self.wait_seconds) + SLACK_SECONDS):
            mended = self._make(own, before)
        return 1 if not mended or planned.left or len(own) < len(ways) else 0

    def planned(self, before: Looked, world: World) -> tuple[RepairPlan, list[Way]]:
        planned = plan(before.judgements, before.policies, world)
        return planned, [way_of(each, self.helm, live=self.server is not None) for each in planned.changes]

    def _show(self, planned: RepairPlan, ways: Sequence[Way], *, dry: bool) -> str | None:
        """Why the server would not have it."""
        self.say(told.heading(ways))
        refused: str | None = None
        for number, way in enumerate(ways, 1):
            self.say("\n" + told.way(number, way))
            if not isinstance(way, OnPaper):
                answer = self._tried(way, say=dry)
                refused = refused or answer
        self.say("\n" + told.tell_left(planned.left) if planned.left else "")
        return refused

    def _tried(self, way: ToObject | ThroughHelm, *, say: bool) -> str | None:
        if self.server is None:
            self.say("   no server was asked: this is a recording\n")
            return None
        answer = try_dry(way, self.server)
        if answer is not None:
            self.say(f"   the server's dry run: refused: {answer}\n")
        elif say:
            self.say("   the server's dry run: accepted\n")
        return answer

    def _make(self, ways: Sequence[ToObject | ThroughHelm], before: Looked) -> bool:
        assert self.server is not None
        kept = StateFile(new_state_path(), self.server.server, [record_way(each) for each in ways])
        try:
            kept.write(APPLYING)
        except InputError as problem:
            raise InputError(f"{problem}; nothing was changed") from None
        self.say(f"\nwhat was there is kept: nodeworthy diagnose --undo {kept.path} puts it back\n")
        for index, way in enumerate(ways):
            try:
                kept.records[index] = apply(way, kept.records[index], self.server)
            except Untouched as problem:
                return self._give_up(problem, kept, kept.records[:index])
            except Ends as problem:
                return self._give_up(problem, kept, kept.records[: index + 1])
            self.say(f"changed {kept.records[index].title}\n")
        self._write(kept, APPLIED)
        waited = wait(lambda: self._still_wrong(ways, kept.records, before), self.wait_seconds)
        if waited.still:
            why = RepairRefused(f"after {waited.seconds:.0f} s it has not helped: {waited.still}")
            return self._give_up(why, kept, kept.records)
        self.say(f"verified after {waited.seconds:.0f} s: the rules that asked for it find nothing more\n")
        return True

    def _still_wrong(self, ways: Sequence[Way], records: Sequence[Record], before: Looked) -> str:
        assert self.server is not None
        for record in records:
            now = self.server.object(record.target)
            for edit in record.edits:
                if not _stands(now, edit):
                    return f"{edit.where} of {record.target} was changed back meanwhile"
        found = complaints(before.judgements, self.look().judgements, [each.change for each in ways])
        return f"{found[0].rule}: {found[0].sentence()}" if found else ""

    def _give_up(self, why: Ends, kept: StateFile, done: Sequence[Record]) -> bool:
        """Raises it again where there is nothing to put back."""
        assert self.server is not None
        if not done:
            kept.path.unlink()
            raise why
        self.say(f"failed: {why}\n")
        back = [restore(each, self.server, self.helm, self.say) for each in reversed(done)]
        if all(back):
            self._write(kept, PUT_BACK)
        return False

    def _write(self, kept: StateFile, state: str) -> None:
        """What was there is in the file already: to undo, no more is needed, and to verify least of all."""
        try:
            kept.write(state)
        except InputError as problem:
            self.say(f"{problem}; it still holds what was there before\n")


def _stands(now: Mapping[str, Any] | None, edit: Edit) -> bool:
    try:
        return now is not None and value_at(now, edit.within, edit.name) == edit.after
    except NotEditable:
        return False


_BAD = (Verdict.FAIL, Verdict.UNKNOWN, Verdict.ERROR)
_FIRST_PAUSE, _LONGEST_PAUSE = 1.0, 10.0

Key = tuple[str, str | None, str]


@dataclass(frozen=True)
class Waited:
    seconds: float
    # What was still complained of at the end.
    still: str = ""


def complaints(before: Sequence[Judgement], now: Sequence[Judgement], changes: Sequence[Change]) -> list[Finding]:
    """The causes that are still there, and what rules that watch the changes find anew."""
    known = {_key(each) for each in _bad(before)}
    causes = [cause for change in changes for cause in change.causes]
    watched = {rule for change in changes for rule in change.watched}
    return [
        each
        for each in _bad(now)
        if any(_is_same(each, cause) for cause in causes) or (each.rule in watched and _key(each) not in known)
    ]


def _bad(judgements: Sequence[Judgement]) -> list[Finding]:
    found = (each for judgement in judgements for each in judgement.findings)
    return [each for each in found if each.verdict in _BAD and not each.suppressed]


def _key(finding: Finding) -> Key:
    return finding.rule, finding.where.object, finding.message


def _is_same(found: Finding, cause: Finding) -> bool:
    """Whether both findings are the same, though their messages may count pods that come and go."""
    same_place = (found.rule, found.where.object) == (cause.rule, cause.where.object)
    return same_place and (found.message == cause.message or found.remedy == cause.remedy)


def wait(complained: Callable[[], str], seconds: float) -> Waited:
    """`complained` looks, and says what is wrong; nothing if all is well."""
    begun, pause, said = time.monotonic(), _FIRST_PAUSE, ""
    while True:
        still = _heard(complained)
        waited = time.monotonic() - begun
        if not still:
            return Waited(waited)
        if waited + pause > seconds:
            return Waited(waited, still)
        if still != said or sys.stderr.isatty():
            sys.stderr.write(f"waiting ({waited:.0f} of {seconds:.0f} s): {still}\n")
            sys.stderr.flush()
        said = still
        time.sleep(pause)
        pause = min(pause * 1.5, _LONGEST_PAUSE)


def _heard(complained: Callable[[], str]) -> str:
    try:
        return complained()
    except CouldNotLook as problem:
        return str(problem)


# What --fix would do, for a program: each change with the server's own answer, and what is left to people.

SCHEMA = "nodeworthy/repair/v1"


def preview_as_data(repair: Repair, before: Looked, world: World) -> tuple[dict[str, Any], int]:
    """The preview with the exit code: 1 if something would change."""
    planned, ways = repair.planned(before, world)
    left = [{"finding": finding_as_data(each.finding), "why": each.why or None} for each in planned.left]
    changes = [_way(each, repair.server) for each in ways]
    code = 1 if ways else 3 if before.exit_code == 3 else 0
    return {"schema": SCHEMA, "changes": changes, "left": left}, code


def _way(way: Way, server: Server | None) -> dict[str, Any]:
    change = way.change
    told: dict[str, Any] = {
        "object": str(change.target),
        "edits": [each.as_data() for each in change.edits],
        "because": [finding_as_data(each) for each in change.causes],
        "how": "on paper" if isinstance(way, OnPaper) else "helm" if isinstance(way, ThroughHelm) else "patch",
    }
    if isinstance(way, OnPaper):
        return {**told, "why_not": way.why, "command": way.command or None}
    if server is None:
        return {**told, "dry_run": None}
    refused = try_dry(way, server)
    return {**told, "dry_run": {"accepted": refused is None, "why_not": refused}}
