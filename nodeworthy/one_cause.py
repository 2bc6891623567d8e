"""One cause is told once. The cause is a subject that could not be read, or a value that several rules find wrong. The
rule that is responsible for it tells it, if that rule runs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from nodeworthy.records import replace
from nodeworthy.verdict import Finding, Place, Unread, Verdict, worst

if TYPE_CHECKING:
    from nodeworthy.edit import Edit
    from nodeworthy.engine import Judgement
    from nodeworthy.scene import Scene


def told_by_one_rule(made: Sequence[Judgement], scene: Scene) -> list[Judgement]:
    return _left_to_who_knows_more(_told_once_that_unread(made, scene))


def _left_to_who_knows_more(made: Sequence[Judgement]) -> list[Judgement]:
    """Two rules may fail the same value. Then only the rule that knows the value's purpose tells it."""
    told = {
        (finding.where, finding.is_): each.rule.id
        for each in made
        if not each.rule.gives_way
        for finding in each.findings
        if finding.verdict is Verdict.FAIL and not finding.suppressed
    }
    return [_given_way(each, told) if each.rule.gives_way and each.findings else each for each in made]


def told_by_others(made: Sequence[Judgement]) -> list[Judgement]:
    """All judgements without what a rule that tells the rest finds, where others name it. A finding that somebody
    suppressed counts as named."""
    if not any(each.rule.tells_the_rest and each.findings for each in made):
        return list(made)
    named = {
        told
        for each in made
        if not each.rule.tells_the_rest
        for finding in each.findings
        if finding.verdict in (Verdict.FAIL, Verdict.UNKNOWN)
        for told in (finding.where.object, *finding.victims)
    }
    return [_the_rest(each, named) if each.rule.tells_the_rest and each.findings else each for each in made]


def told_first(made: Sequence[Judgement]) -> list[Judgement]:
    """What two subjects have in common (one script of three groups, one file under two roots) is told of the first
    alone, with the edit that either knows. Where it harms others, too, it is told of both, so that nobody is lost whom
    it harms."""
    said = [[_as_told(each) for each in judgement.findings] for judgement in made]
    told: set[Finding] = set()
    edits = {
        key: each.edit
        for judgement, keys in zip(made, said, strict=True)
        for each, key in zip(judgement.findings, keys, strict=True)
        if each.edit is not None
    }
    return [
        _without_repeats(judgement, keys, told, edits) if keys else judgement
        for judgement, keys in zip(made, said, strict=True)
    ]


def _as_told(finding: Finding) -> Finding:
    return replace(finding, related=(), remedy=None, edit=None)


def _without_repeats(
    judgement: Judgement, keys: Sequence[Finding], told: set[Finding], edits: Mapping[Finding, Edit]
) -> Judgement:
    kept = tuple(
        each if each.edit is not None or key not in edits else replace(each, edit=edits[key])
        for each, key in zip(judgement.findings, keys, strict=True)
        if key not in told
    )
    told.update(keys)
    if kept == judgement.findings:
        return judgement
    if not kept:
        return replace(judgement, verdict=Verdict.SKIP, findings=(), suppressed=False, why="it was told of another one")
    still = [each.verdict for each in kept if not each.suppressed]
    verdict = worst(still) if still else judgement.verdict
    return replace(judgement, verdict=verdict, findings=kept, suppressed=not still)


def _the_rest(judgement: Judgement, named: set[str | None]) -> Judgement:
    def is_left(finding: Finding) -> bool:
        about = finding.victims or (finding.where.object,)
        # What is neither a pod nor made of pods is the cause of its victims, whatever else is said of them.
        if finding.where.object is not None and not finding.where.object.startswith(("Pod/", "DaemonSet/")):
            about = (finding.where.object,)
        return None in about or not all(each in named for each in about)

    kept = tuple(filter(is_left, judgement.findings))
    if len(kept) == len(judgement.findings):
        return judgement
    still = [each.verdict for each in kept if not each.suppressed]
    verdict = worst(still) if still else Verdict.PASS
    return replace(judgement, verdict=verdict, findings=kept, suppressed=bool(kept) and not still)


def _given_way(judgement: Judgement, told: Mapping[tuple[Place, str | None], str]) -> Judgement:
    kept = tuple(each for each in judgement.findings if (each.where, each.is_) not in told)
    if kept == judgement.findings:
        return judgement
    if not kept:
        by = next(told[each.where, each.is_] for each in judgement.findings)
        why = f"{by} says what is wrong"
        return replace(judgement, verdict=Verdict.SKIP, findings=(), suppressed=False, why=why)
    still = [each.verdict for each in kept if not each.suppressed]
    verdict = worst(still) if still else Verdict.PASS
    return replace(judgement, verdict=verdict, findings=kept, suppressed=not still)


def _told_once_that_unread(made: Sequence[Judgement], scene: Scene) -> list[Judgement]:
    """A subject that could not be read is told by one rule. Where that rule did not tell it, every rule says `unknown`
    for itself, so nothing passes unseen."""
    told = {
        (each.rule.tells, id(each.subject)): each.rule.id
        for each in made
        if each.rule.tells is not None and each.verdict in (Verdict.FAIL, Verdict.UNKNOWN) and not each.suppressed
    }
    return list(_once((_left_to_it(each, told) for each in made), scene))


def _once(made: Iterable[Judgement], scene: Scene) -> Iterator[Judgement]:
    """Some messages of a fact need only one rule to tell them. The first rule that meets such a message says it; the
    later ones skip."""
    told: dict[tuple[int, str], str] = {}
    for each in made:
        said = {finding.message for finding in each.findings} if each.verdict is Verdict.UNKNOWN else set()
        once = _told_once_of(each, said, scene) if said else set()
        by = [told.get(one) for one in once]
        if said and said <= {message for _, message in once} and all(by):
            why = f"{by[0]} says why: {next(iter(said))}"
            yield replace(each, verdict=Verdict.SKIP, findings=(), why=why)
            continue
        told |= {} if each.suppressed else dict.fromkeys(once, each.rule.id)
        yield each


def _told_once_of(judgement: Judgement, said: Collection[str], scene: Scene) -> set[tuple[int, str]]:
    """The messages that are to be told once, each with whose it is: its subject's, or of what that is judged by."""
    subject, rule = judgement.subject, judgement.rule
    by = {parameter.type for check in rule.checks if check.subject is type(subject) for parameter in check.context}
    facts = [subject, *(fact for kind in by for fact in scene.telling_once.get(kind, ()))]
    return {(id(fact), each) for fact in facts for each in getattr(fact, "told_once", ()) if each in said}


def _left_to_it(judgement: Judgement, told: Mapping[tuple[Unread, int], str]) -> Judgement:
    # Asked last: whoever answers may have to read the whole subject for it.
    if judgement.verdict is not Verdict.UNKNOWN:
        return judgement
    unread = getattr(judgement.subject, "unread_as", None)
    teller = told.get((unread, id(judgement.subject))) if unread is not None else None
    if teller is None or judgement.rule.tells is unread:
        return judgement
    return replace(judgement, verdict=Verdict.SKIP, findings=(), why=f"{teller} says why nothing of it could be read")
