"""Each test of a run as it is shown: the worst of what rules said of its facts, or that it did not run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from nodeworthy.collect.workload.collector import Outcome
from nodeworthy.collect.workload.recording import RunRecording
from nodeworthy.engine import Judgement
from nodeworthy.facts.accept.baseline import is_speed
from nodeworthy.facts.accept.floors import Floor, Floors
from nodeworthy.facts.accept.measure import Measure, RanTest
from nodeworthy.facts.accept.peers import Peers
from nodeworthy.known.acceptance import verdict_of
from nodeworthy.report.accept import NOT_RUN, Shown, worst_of
from nodeworthy.verdict import Verdict

# Of what one test measured on one node, the most that is listed.
_MOST = 2_000


def rows_of(
    run: RunRecording, found: Iterable[Outcome], judgements: Sequence[Judgement], floors: Floors
) -> list[Shown]:
    by_test: dict[str, list[Judgement]] = {}
    for each in judgements:
        test = test_of(each.subject)
        if test and not each.suppressed:
            by_test.setdefault(test, []).append(each)
    return [_shown_outcome(run, each, by_test.get(each.test, []), floors) for each in found]


def test_of(subject: object) -> str:
    """The test that gave a fact."""
    test = subject.test if hasattr(subject, "test") else ""
    return test if isinstance(test, str) else ""


def _shown_outcome(run: RunRecording, outcome: Outcome, judgements: Sequence[Judgement], floors: Floors) -> Shown:
    held, gpus = (outcome.job.held, outcome.job.gpus) if outcome.job is not None else (0.0, 0)
    if outcome.ran is None or outcome.reason is not None:
        return _not_run(outcome, held, gpus)
    verdicts = [verdict for each in judgements for verdict in _on(each, outcome.nodes)]
    # A test of which no rule said a word was not judged, and passed nothing.
    state = worst_of(verdicts) if any(each is not Verdict.SKIP for each in verdicts) else Verdict.UNKNOWN.value
    versions = {name: outcome.ran.text(name) for name in ("torch", "driver")}
    measures = tuple(_measure(each, outcome.ran, floors) for each in outcome.ran.measures[:_MOST])
    why = "" if verdicts else "no rule judges what it measured"
    return Shown(outcome.test, outcome.nodes, state, why, None, held, gpus, {"image": run.image, **versions}, measures)


def _on(judgement: Judgement, nodes: tuple[str, ...]) -> Iterator[Verdict]:
    """What the judgement says of these nodes."""
    subject: Any = judgement.subject
    if not set(subject.nodes).isdisjoint(nodes):
        yield judgement.verdict if concerns(judgement, nodes) else Verdict.PASS


def concerns(judgement: Judgement, nodes: tuple[str, ...]) -> bool:
    """Whether it speaks of these nodes; of many that were compared, it does of those that a finding names."""
    subject: Any = judgement.subject
    if not hasattr(subject, "nodes") or set(subject.nodes).isdisjoint(nodes):
        return False
    named = {name for each in judgement.findings for name in each.nodes}
    return not (isinstance(subject, Peers) and named and named.isdisjoint(nodes))


def _not_run(outcome: Outcome, held: float, gpus: int) -> Shown:
    assert outcome.reason is not None
    why = outcome.why or outcome.reason.replace("-", " ")
    is_error = verdict_of(outcome.reason) is Verdict.ERROR
    state = Verdict.ERROR.value if is_error else NOT_RUN
    return Shown(outcome.test, outcome.nodes, state, why, outcome.reason.value, held, gpus)


def _measure(measure: Measure, ran: RanTest, floors: Floors) -> Mapping[str, Any]:
    limit = measure.limit(ran.shape_of(measure.node).instance)
    found = floors.of(measure, ran) if is_speed(measure) else None
    floor = found if isinstance(found, Floor) else None
    usual = floors.usual(measure, ran)
    return {
        "name": measure.name,
        "value": measure.value,
        "unit": measure.unit,
        "at": measure.where,
        "node": measure.node,
        "rank": measure.rank,
        "device": measure.gpu.uuid if measure.gpu is not None else None,
        "throttle": list(measure.throttle),
        "limit": limit.value if limit is not None else None,
        "floor": floor.value if floor is not None else None,
        "floor_source": floor.source if floor is not None else None,
        "baseline": usual.median if usual is not None else None,
    }
