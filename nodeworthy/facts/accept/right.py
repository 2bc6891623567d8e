"""Whether what was computed is right: checksums, ranks that agree, tokens, a checkpoint that goes on where it was."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from nodeworthy.derive import derive
from nodeworthy.facts.accept.measure import Gpu, Measure, ProgramError, RanTest, place_of
from nodeworthy.known.acceptance import RESULTS
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

# So many GPUs that agree outvote one that does not; of fewer nobody knows which is wrong.
MAJORITY = 3


@dataclass(frozen=True)
class Kernel:
    """One seeded computation: what this GPU made of it each time, and what the others of its model did."""

    name: str
    own: tuple[str, ...]
    # By UUID; of those that agree with themselves.
    others: Mapping[str, str]

    @property
    def is_steady(self) -> bool:
        return len(set(self.own)) == 1

    @property
    def right(self) -> str | None:
        """What any GPU must make of it; None where only other GPUs can tell."""
        return RESULTS.get(self.name)

    @property
    def majority(self) -> tuple[str, int] | None:
        """What most others computed, and how many they are; None where they are too few or do not agree."""
        for said, times in Counter(self.others.values()).most_common(1):
            if times >= MAJORITY and times * 2 > len(self.others):
                return said, times
        return None


@dataclass(frozen=True)
class Counters:
    """Errors that the GPU counts itself, before and after."""

    name: str
    before: float
    after: float

    @property
    def grew(self) -> bool:
        return self.after > self.before


@dataclass(frozen=True)
class GpuChecksums:
    called: ClassVar[str] = "what a GPU computed"

    place: Place
    test: str
    nodes: tuple[str, ...]
    gpu: Gpu
    kernels: tuple[Kernel, ...]
    counters: tuple[Counters, ...]
    pattern_errors: float


_COUNTED = ("ecc_uncorrected", "remapped_rows", "xid")


@derive
def gpu_checksums(runs: Sequence[RanTest]) -> Iterator[GpuChecksums]:
    sums = [(run, each) for run in runs for each in run.of("checksum") if each.gpu is not None]
    alike: dict[tuple[str, ...], dict[str, list[str]]] = {}
    for run, each in sums:
        assert each.gpu is not None
        alike.setdefault(_kind(run, each), {}).setdefault(each.gpu.uuid, []).append(str(each.value))
    of_gpus: dict[tuple[str, str], list[tuple[RanTest, Measure]]] = {}
    for run, each in sums:
        assert each.gpu is not None
        of_gpus.setdefault((each.test, each.gpu.uuid), []).append((run, each))
    for (_, uuid), some in of_gpus.items():
        yield _checksums(uuid, some, alike)


def _kind(run: RanTest, each: Measure) -> tuple[str, ...]:
    """What must be equal for two checksums to be: the model, the libraries, and the computation."""
    assert each.gpu is not None
    versions = run.text("torch", each.node), run.text("cuda", each.node)
    return (each.test, each.gpu.name, *versions, each.series)


def _checksums(
    uuid: str, some: Sequence[tuple[RanTest, Measure]], alike: Mapping[tuple[str, ...], Mapping[str, Sequence[str]]]
) -> GpuChecksums:
    first = some[0][1]
    assert first.gpu is not None
    kinds = {_kind(run, each): each for run, each in some}
    kernels = tuple(_kernel(each, uuid, alike[kind]) for kind, each in kinds.items())
    # What a counter said before a run is compared with what it said behind that one.
    of_runs = [_measures_of(uuid, run) for run in {id(run): run for run, _ in some}.values()]
    counters = tuple(counter for mine in of_runs for counter in _counters(mine))
    wrong = sum(each.number for mine in of_runs for each in mine if each.name == "pattern_errors")
    place = place_of(first.test, (first.node,), uuid)
    return GpuChecksums(place, first.test, (first.node,), first.gpu, kernels, counters, wrong)


def _measures_of(uuid: str, run: RanTest) -> list[Measure]:
    return [each for each in run.measures if each.gpu is not None and each.gpu.uuid == uuid]


def _kernel(each: Measure, uuid: str, alike: Mapping[str, Sequence[str]]) -> Kernel:
    others = {other: said for other, same in alike.items() if other != uuid and (said := _steady(same)) is not None}
    return Kernel(str(each.where.get("kernel", each.series)), tuple(alike[uuid]), others)


def _steady(same: Sequence[str]) -> str | None:
    """What it computes each time; None where that differs."""
    first, *others = set(same)
    return None if others else first


def _counters(mine: Sequence[Measure]) -> Iterator[Counters]:
    for name in _COUNTED:
        when = {each.where.get("when"): each.number for each in mine if each.name == name}
        if "before" in when and "after" in when:
            yield Counters(name, when["before"], when["after"])


@dataclass(frozen=True)
class RanksAgreement:
    """A model that several processes trained: each one's parameters, and the loss beside that of another way."""

    called: ClassVar[str] = "what ranks computed together"

    place: Place
    test: str
    nodes: tuple[str, ...]
    # By rank: a hash of its parameters, and who it is.
    parameters: Mapping[int, str]
    who: Mapping[int, str]
    # By way: ddp, fsdp, one.
    losses: Mapping[str, float]
    missing: tuple[int, ...]
    error: ProgramError | None


@derive
def ranks_agreements(run: RanTest) -> Iterator[RanksAgreement]:
    hashes = list(run.of("parameter_hash"))
    error = run.error("rank-missing", "rank-hung")
    if run.test not in ("ddp", "fsdp", "multi-node") or not (hashes or error or run.missing_ranks):
        return
    yield RanksAgreement(
        run.place,
        run.test,
        run.nodes,
        {each.rank: str(each.value) for each in hashes},
        {each.rank: f"rank {each.rank} on {each.node}{f', {each.gpu}' if each.gpu else ''}" for each in run.measures},
        {str(each.where.get("how", "")): each.number for each in run.of("loss_final")},
        tuple(run.missing_ranks),
        error,
    )


@dataclass(frozen=True)
class Decoding:
    """Tokens that a model made with its cache, beside those that it made in another way, or once more."""

    called: ClassVar[str] = "what a model decoded"

    place: Place
    test: str
    nodes: tuple[str, ...]
    # By model and GPU, then by way: a hash of the tokens.
    tokens: Mapping[str, Mapping[str, str]]


@derive
def decodings(run: RanTest) -> Iterator[Decoding]:
    tokens: dict[str, dict[str, str]] = {}
    for each in run.of("tokens"):
        of = f"{each.where.get('model', 'the model')} on {each.gpu or f'rank {each.rank}'}"
        tokens.setdefault(of, {})[str(each.where.get("how", ""))] = str(each.value)
    if tokens:
        yield Decoding(run.place, run.test, run.nodes, tokens)


@dataclass(frozen=True)
class CheckpointCycle:
    """Work that was stopped, saved and begun again, beside work that never was."""

    called: ClassVar[str] = "a checkpoint and its resumption"

    place: Place
    test: str
    nodes: tuple[str, ...]
    numbers: Mapping[str, float]
    # By way: whole, resumed.
    results: Mapping[str, str]
    losses: Mapping[str, float]
    error: ProgramError | None


@derive
def checkpoint_cycles(run: RanTest) -> Iterator[CheckpointCycle]:
    if run.test != "checkpoint-restart":
        return
    yield CheckpointCycle(
        run.place,
        run.test,
        run.nodes,
        {each.name: each.number for each in run.of("stopped_at", "resumed_from", "save_s", "grace_s")},
        {str(each.where.get("how", "")): str(each.value) for each in run.of("parameter_hash")},
        {str(each.where.get("how", "")): each.number for each in run.of("loss_final")},
        run.error("shard", "no-checkpoint"),
    )
