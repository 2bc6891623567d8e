"""What is to be written: fixes that were tried on the text, and proved by judging it again."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace

from nodeworthy.engine import Judgement
from nodeworthy.fixes.proposals import proposals
from nodeworthy.fixes.text import Fix, Left, Text, apart, apply_changes
from nodeworthy.records import dataclass
from nodeworthy.redaction import hidden_lines
from nodeworthy.verdict import Finding, Verdict

# Judges everything again, with these bytes in place of what the files of these paths hold.
Judge = Callable[[Mapping[str, bytes]], Sequence[Judgement]]
# A fix may uncover what another one mends; nobody's file needs as many rounds.
ROUNDS = 8

TWO_IN_ONE_PLACE = "two fixes want one place to be two things: mend one of them by hand"
NOT_LOOKED_AT = "with the edit the rule would no longer look at it"
STILL_THERE = "the edit would not mend it: the rule still finds it"


@dataclass
class FixPlan:
    """The texts as they were and as they are to be, what that mends, and what is left as it is."""

    before: Mapping[str, Text]
    after: dict[str, Text]
    fixes: list[Fix] = field(default_factory=list)
    left: list[Left] = field(default_factory=list)

    @property
    def changed(self) -> list[str]:
        return sorted(path for path, text in self.after.items() if text != self.before[path])

    @property
    def mended(self) -> int:
        return sum(len(each.findings) for each in self.fixes)


def plan(judgements: Sequence[Judgement], texts: Mapping[str, Text], judge: Judge) -> FixPlan:
    made = FixPlan(texts, dict(texts))
    refused: dict[tuple[str, ...], Left] = {}
    for _ in range(ROUNDS):
        proposed = list(proposals(judgements, made.after))
        for each in proposed:
            if isinstance(each, Left):
                refused.setdefault(_key(each.finding), each)
        fixes = [each for each in proposed if isinstance(each, Fix) and not _is_refused(each, refused)]
        taken = _Round(judgements, made.after, judge, refused).taken(fixes)
        if not taken:
            break
        made.fixes += taken
        made.after.update(_texts(made.after, taken))
        judgements = judge(_data(made))
    told = Counter(_key(each) for judgement in judgements for each in judgement.findings)
    made.left = [each for key, each in refused.items() if told[key]]
    return made


def _data(made: FixPlan) -> dict[str, bytes]:
    return {path: made.after[path].data for path in made.changed}


def _texts(texts: Mapping[str, Text], fixes: Iterable[Fix]) -> dict[str, Text]:
    by_path: dict[str, list[Fix]] = {}
    for each in fixes:
        by_path.setdefault(each.path, []).append(each)
    return {
        path: replace(
            texts[path], text=apply_changes(texts[path].text, [change for fix in some for change in fix.changes])
        )
        for path, some in by_path.items()
    }


@dataclass
class _Round:
    judgements: Sequence[Judgement]
    texts: Mapping[str, Text]
    judge: Judge
    refused: dict[tuple[str, ...], Left]

    def taken(self, fixes: Sequence[Fix]) -> list[Fix]:
        """The fixes that hold together. One that fails with the others is tried alone."""
        together: list[Fix] = []
        for path in dict.fromkeys(each.path for each in fixes):
            here = [each for each in fixes if each.path == path]
            whole = [each for each in here if self._is_whole(each)]
            kept, against = apart(whole[:1] or here)
            together += kept
            self._refuse(against, TWO_IN_ONE_PLACE)
        if not together or not self._why_not(together):
            return together
        sound = self._sound(together)
        return sound if len(sound) < 2 or not self._why_not(sound) else sound[:1]

    def _sound(self, fixes: Sequence[Fix]) -> list[Fix]:
        """Halved where they fail: of hundreds, one that does costs a few looks and not hundreds."""
        why = self._why_not(fixes)
        if not why:
            return list(fixes)
        if len(fixes) == 1:
            self._refuse(fixes, why)
            return []
        half = len(fixes) // 2
        return [*self._sound(fixes[:half]), *self._sound(fixes[half:])]

    def _is_whole(self, fix: Fix) -> bool:
        return any((each.start, each.end) == (0, len(self.texts[fix.path].text)) for each in fix.changes)

    def _refuse(self, fixes: Iterable[Fix], why: str) -> None:
        for fix in fixes:
            self.refused.update({_key(each): Left(each, why) for each in fix.findings})

    def _why_not(self, fixes: Sequence[Fix]) -> str:
        return why_not(fixes, self.judgements, self.texts, self.judge)


def why_not(fixes: Sequence[Fix], judgements: Sequence[Judgement], texts: Mapping[str, Text], judge: Judge) -> str:
    """What would still be found with these edits, or would be found anew; empty where they mend what they should."""
    edited = {**texts, **_texts(texts, fixes)}
    before = _counted(judgements)
    judged = judge({path: text.data for path, text in edited.items()})
    after = _counted(judged)
    mended = Counter(_key(each) for fix in fixes for each in fix.findings)
    if any(after[key] > before[key] - count for key, count in mended.items()):
        return STILL_THERE
    looked, looks = _looked_at(judgements, fixes), _looked_at(judged, fixes)
    if any(looks[key] < count for key, count in looked.items()):
        return NOT_LOOKED_AT
    found = (each for judgement in judged for each in judgement.findings)
    new = next((each for each in found if after[_key(each)] > before[_key(each)]), None)
    return f"with the edit {new.rule} would say: {new.message}" if new is not None else ""


def _looked_at(judgements: Iterable[Judgement], fixes: Sequence[Fix]) -> Counter[tuple[str, str]]:
    """How often each rule judged something in each of the files: what is no longer looked at is not mended."""
    mended = {(each.rule, each.where.file) for fix in fixes for each in fix.findings}
    found = ((each.rule.id, each.subject.place.file) for each in judgements if each.verdict is not Verdict.SKIP)
    return Counter(each for each in found if each in mended)


def _is_refused(fix: Fix, refused: Mapping[tuple[str, ...], Left]) -> bool:
    return any(_key(each) in refused for each in fix.findings)


def _counted(judgements: Iterable[Judgement]) -> Counter[tuple[str, ...]]:
    return Counter(_key(each) for judgement in judgements for each in judgement.findings)


def _key(finding: Finding) -> tuple[str, ...]:
    """The same finding, whatever lines were put above it."""
    where = finding.where
    return (finding.rule, finding.verdict, where.file, where.subject or "", finding.message)


def diff(plan: FixPlan) -> str:
    """The differences without the secrets of either side: where one stands, nothing is changed."""
    return "".join(_of_file(plan.before[path], plan.after[path]) for path in plan.changed)


def _of_file(before: Text, after: Text) -> str:
    lines = difflib.unified_diff(_lines(before), _lines(after), f"a/{before.path}", f"b/{before.path}")
    return "".join(_ended(lines))


def _lines(text: Text) -> list[str]:
    """The lines with their ends, split at newlines alone: whatever else Python takes for an end stays in its line."""
    return re.findall(r"[^\n]*\n|[^\n]+", hidden_lines(text.text))


def _ended(lines: Iterator[str]) -> Iterator[str]:
    for line in lines:
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
