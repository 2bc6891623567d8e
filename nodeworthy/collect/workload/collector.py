"""A recorded run as facts: each test that said all that it had to say, and of every other why it did not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from nodeworthy.collect.workload.lines import Line, NotBelieved, read_lines
from nodeworthy.collect.workload.recording import Job, RunRecording
from nodeworthy.facts.accept.baseline import Baseline
from nodeworthy.facts.accept.burns import Burn
from nodeworthy.facts.accept.floors import CollectiveSpeeds, FleetFloors, GpuSpeeds, StorageSpeeds
from nodeworthy.facts.accept.given import Allocation, Loading, SeenGpus, Transport
from nodeworthy.facts.accept.given_back import GpusGivenBack
from nodeworthy.facts.accept.measure import Measure, ProgramError, RanTest, place_of
from nodeworthy.facts.accept.peers import PairMatrix, Peers
from nodeworthy.facts.accept.right import CheckpointCycle, Decoding, GpuChecksums, RanksAgreement
from nodeworthy.facts.not_seen import NotLookedAt
from nodeworthy.fleet.model import Fleet
from nodeworthy.known.acceptance import ALLOCATION, AS_ASKED, LEAST_OF_A_GROUP, OF_GROUPS, TESTS, NotRun, verdict_of
from nodeworthy.records import dataclass
from nodeworthy.scene import Missing, Scene, make_scene
from nodeworthy.verdict import Verdict

# Troubles that a rule tells; any other is a test that could not be tried.
_JUDGED: Final[Mapping[str, frozenset[str]]] = {
    "ddp": frozenset({"rank-missing", "rank-hung"}),
    "fsdp": frozenset({"rank-missing", "rank-hung"}),
    "multi-node": frozenset({"rank-missing", "rank-hung"}),
    "checkpoint-restart": frozenset({"shard", "no-checkpoint"}),
    "data-loading": frozenset({"worker-died", "shared-memory"}),
}
# A rank that is missing among others is told by the rule of ranks.
_OF_RANKS = frozenset(test for test, kinds in _JUDGED.items() if "rank-missing" in kinds)
# What cannot be without this test, or without any of these.
_TOLD_BY: Final[Mapping[type[Any], tuple[str, ...]]] = {
    GpuChecksums: ("gpu-sanity",),
    # Who is the odd one is asked of both alike: only where neither is there, is it not.
    Peers: ("gpu-sanity", "multi-node"),
    Burn: ("gpu-sanity",),
    GpuSpeeds: ("gpu-sanity", "inference", "ddp", "fsdp", "moe"),
    # Of gpu-sanity, where it burns.
    CollectiveSpeeds: ("multi-node", "ddp", "moe", "gpu-sanity"),
    PairMatrix: ("gpu-sanity", "multi-node"),
    Transport: ("multi-node",),
    StorageSpeeds: ("disk-and-network", "multi-node"),
    RanksAgreement: ("ddp", "fsdp", "multi-node"),
    Decoding: ("inference", "moe"),
    Allocation: ("allocation",),
    SeenGpus: (AS_ASKED,),
    CheckpointCycle: ("checkpoint-restart",),
    Loading: ("data-loading",),
}
# Why a program could not even begin, by its own word for it.
_NOT_TRIED: Final[Mapping[str, NotRun]] = {
    "torch-missing": NotRun.NO_TORCH,
    "not-met": NotRun.NOT_HEARD,
    "dns": NotRun.DNS,
}
_REMEDIES = {
    NotRun.NO_TORCH: "an image with torch: --image, or accept.image of the fleet; on Slurm --python of a venv with it",
    NotRun.IMAGE: "--image of one that the nodes can pull",
    NotRun.BROKEN: "look at what its program printed, in the folder of --record",
}


@dataclass(frozen=True)
class Outcome:
    """The outcome of one test on its nodes: it ran, or why it did not."""

    test: str
    nodes: tuple[str, ...]
    job: Job | None = None
    # None where all of it ran.
    reason: NotRun | None = None
    why: str = ""
    # What ran of it.
    ran: RanTest | None = None


def outcomes(run: RunRecording) -> list[Outcome]:
    """The outcomes in the order of tests and nodes. What was both tried and left out counts as tried."""
    found = _together(_with_freed(each) for job in run.jobs for each in _of_job(run, job))
    tried = {(each.test, name) for each in found for name in each.nodes}
    for left in run.left_out:
        nodes = tuple(each for each in left.nodes if (left.test, each) not in tried)
        if nodes:
            found.append(Outcome(left.test, nodes, None, left.reason, left.why))
    return sorted(found, key=lambda each: (TESTS.index(each.test), each.nodes))


def _of_job(run: RunRecording, job: Job) -> Iterator[Outcome]:
    if job.ended is NotRun.LOST:
        yield Outcome(ALLOCATION, job.nodes, job, ran=_gave_way(job))
        return
    try:
        lines = [line for log in job.logs for line in read_lines(log, run.nonce, job.shapes)]
    except NotBelieved as problem:
        # Whoever was stopped had no time to end well; whoever says that he ended has.
        reason = job.ended or NotRun.BROKEN
        why = job.why if job.ended else f"what it printed is not believed: {problem}"
        yield from (Outcome(each, job.nodes, job, reason, why) for each in job.tests)
        return
    for test in job.tests:
        yield _of_test(job, test, [each for each in lines if each.test == test])


def _gave_way(job: Job) -> RanTest:
    """A candidate that lost says nothing; whoever watched the run saw when it was gone."""
    want = (("want", job.asking),)
    seen = [Measure(ALLOCATION, job.nodes[0], 0, "lost", 1, at=want)]
    seen += [Measure(ALLOCATION, job.nodes[0], 0, "gone_s", job.freed, "s", at=want)] if job.freed is not None else []
    return RanTest(place_of(ALLOCATION, job.nodes), ALLOCATION, job.shapes, tuple(seen), world=0)


def _with_freed(asked: Outcome) -> Outcome:
    """When its GPUs were free no program can tell: whoever watched the run saw it."""
    ran, job = asked.ran if asked.test == ALLOCATION else None, asked.job
    want = next((each.at for each in ran.of("asked")), None) if ran is not None else None
    if ran is None or want is None or job is None or job.freed is None:
        return asked
    freed = Measure(ALLOCATION, job.nodes[0], 0, "freed_s", job.freed, "s", at=want)
    return replace(asked, ran=replace(ran, measures=(*ran.measures, freed)))


def _together(found: Iterable[Outcome]) -> list[Outcome]:
    """A node may be tried by several jobs, each for a part of its GPUs: what they say of it is one test."""
    parts: dict[tuple[str, tuple[str, ...]], list[Outcome]] = {}
    for each in found:
        parts.setdefault((each.test, each.nodes), []).append(each)
    return [_whole(each) for each in parts.values()]


def _whole(parts: Sequence[Outcome]) -> Outcome:
    """What came is judged, also where not all that should be tried was."""
    if len(parts) == 1:
        return parts[0]
    jobs = [each.job for each in parts if each.job is not None]
    job = replace(jobs[0], held=sum(each.held for each in jobs), gpus=max(each.gpus for each in jobs))
    late = next((each for each in parts if each.reason is not None), None)
    ran = [each.ran for each in parts if each.ran is not None]
    return replace(late or parts[0], job=job, ran=_all_of(ran) if ran else None)


def _all_of(ran: Sequence[RanTest]) -> RanTest:
    measures = tuple(one for each in ran for one in each.measures)
    return replace(ran[0], measures=measures, errors=tuple(one for each in ran for one in each.errors))


def _of_test(job: Job, test: str, lines: Sequence[Line]) -> Outcome:
    if not lines:
        reason = job.ended or NotRun.BROKEN
        return Outcome(test, job.nodes, job, reason, job.why or "its program said nothing of it")
    if test in OF_GROUPS and len(job.nodes) < LEAST_OF_A_GROUP:
        return Outcome(test, job.nodes, job, NotRun.ONE_NODE, "needs 2 nodes, and was tried on one")
    ran = _ran(job, test, lines)
    unjudged = next((each for each in ran.errors if each.kind not in _JUDGED.get(test, ())), None)
    if unjudged is not None:
        return Outcome(test, job.nodes, job, _NOT_TRIED.get(unjudged.kind, NotRun.BROKEN), _words(unjudged))
    if ran.missing_ranks and (job.ended is not None or test not in _OF_RANKS or not ran.ranks):
        why = job.why or f"{len(ran.missing_ranks)} of {ran.world} of its processes did not end"
        return Outcome(test, job.nodes, job, job.ended or NotRun.BROKEN, why)
    return Outcome(test, job.nodes, job, ran=ran)


def _ran(job: Job, test: str, lines: Sequence[Line]) -> RanTest:
    return RanTest(
        place_of(test, job.nodes),
        test,
        job.shapes,
        tuple(each.measure for each in lines if each.measure is not None),
        tuple(each.error for each in lines if each.error is not None),
        max(each.world for each in lines),
        frozenset(each.rank for each in lines if each.is_end),
    )


def _words(error: ProgramError) -> str:
    return f"{error.kind} on {error.node}, rank {error.rank}: {error.text}"


def scene(
    found: Sequence[Outcome],
    fleet: Fleet | None,
    baseline: Baseline | None,
    given_back: Sequence[GpusGivenBack] = (),
) -> Scene:
    facts: list[Any] = [*given_back, *(each.ran for each in found if each.ran is not None)]
    facts += [_not_looked(each) for each in found if _is_told(each)]
    if not found:
        facts.append(NotLookedAt(place_of("accept", ()), "nothing was run: no node was chosen, or no test"))
    if baseline is not None:
        facts.append(baseline)
    floors = fleet_floors(fleet)
    missing = dict(_missing(found))
    if not given_back:
        missing[GpusGivenBack] = Missing("nobody watched the run, and counted what it gave back")
    return make_scene(facts + ([floors] if floors is not None else []), missing)


def _is_told(outcome: Outcome) -> bool:
    return outcome.reason is not None and verdict_of(outcome.reason) is not Verdict.SKIP


def _not_looked(outcome: Outcome) -> NotLookedAt:
    assert outcome.reason is not None
    why = f"{outcome.test} did not run: {outcome.reason.replace('-', ' ')}{f': {outcome.why}' if outcome.why else ''}"
    remedy = _REMEDIES.get(outcome.reason)
    return NotLookedAt(place_of(outcome.test, outcome.nodes), why, verdict_of(outcome.reason), remedy)


def _missing(found: Sequence[Outcome]) -> Iterator[tuple[type[Any], Missing]]:
    """What no test of this run could have told, with why its tests did not run."""
    ran = {each.test for each in found if each.ran is not None}
    for kind, tests in _TOLD_BY.items():
        if ran.isdisjoint(tests):
            whys = [each.why or str(each.reason) for each in found if each.test in tests]
            yield kind, Missing(f"{' and '.join(tests)} did not run{f': {whys[0]}' if whys else ''}")


def fleet_floors(fleet: Fleet | None) -> FleetFloors | None:
    if fleet is None or fleet.accept is None:
        return None
    return FleetFloors(fleet.accept.place, fleet.accept.floors)
