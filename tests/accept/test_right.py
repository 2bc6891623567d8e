"""Whose results are compared with whose: by model, by libraries, by computation, and by nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pytest

from nodeworthy.facts.accept.measure import Gpu, Measure, ProgramError, RanTest, Scalar, Shape, place_of
from nodeworthy.facts.accept.right import (
    GpuChecksums,
    Kernel,
    checkpoint_cycles,
    decodings,
    gpu_checksums,
    ranks_agreements,
)
from nodeworthy.known.acceptance import RESULTS
from nodeworthy.records import replace

NODES = ("n0", "n1", "n2", "n3")


def ran(measures: Iterable[Measure], test: str = "gpu-sanity", nodes: tuple[str, ...] = NODES) -> RanTest:
    return RanTest(place_of(test, nodes), test, tuple(map(Shape, nodes)), tuple(measures))


def checksum(node: int, value: str, *, gpu: str = "H100", kernel: str = "gemm", at: int = 1) -> Measure:
    where: tuple[tuple[str, Scalar], ...] = (("kernel", kernel), ("round", at))
    return Measure("gpu-sanity", NODES[node], node, "checksum", value, gpu=Gpu(f"GPU-{node}", gpu), at=where)


def library(node: int, name: str, version: str) -> Measure:
    return Measure("gpu-sanity", NODES[node], node, name, version)


def others_of_the_first(*runs: RanTest) -> Mapping[str, str]:
    return next(gpu_checksums(runs)).kernels[0].others


def test_a_gpu_is_compared_with_all_others() -> None:
    run = ran([checksum(0, "a"), checksum(1, "a"), checksum(2, "b")])
    assert others_of_the_first(run) == {"GPU-1": "a", "GPU-2": "b"}
    first, *_ = gpu_checksums([run])
    assert (first.place, first.test, first.nodes) == (place_of("gpu-sanity", ("n0",), "GPU-0"), "gpu-sanity", ("n0",))
    assert first.kernels[0].name == "gemm"


def test_what_is_no_ones_or_has_no_name_is_compared_all_the_same() -> None:
    of_nobody = Measure("gpu-sanity", "n0", 0, "checksum", "c")
    unnamed = Measure("gpu-sanity", "n0", 0, "checksum", "d", gpu=Gpu("GPU-0", "H100"))
    (found,) = gpu_checksums([ran([of_nobody, unnamed])])
    assert [each.name for each in found.kernels] == ["checksum"]


def test_runs_one_after_the_other_are_compared() -> None:
    assert others_of_the_first(ran([checksum(0, "a")]), ran([checksum(1, "b")])) == {"GPU-1": "b"}


@pytest.mark.parametrize(
    "other",
    [
        [checksum(1, "b", gpu="H200")],
        [checksum(1, "b"), library(1, "torch", "2.8.0")],
        [checksum(1, "b"), library(1, "cuda", "12.9")],
        [checksum(1, "b", kernel="gemm-fp8")],
    ],
    ids=["model", "torch", "cuda", "kernel"],
)
def test_what_must_be_equal_for_two_to_be_compared(other: list[Measure]) -> None:
    libraries = [library(node, name, "2.9.0") for node in (0, 2) for name in ("torch", "cuda")]
    same = [library(1, name, "2.9.0") for name in ("torch", "cuda") if name not in [each.name for each in other]]
    run = ran([checksum(0, "a"), *other, *same, checksum(2, "b"), *libraries])
    assert others_of_the_first(run) == {"GPU-2": "b"}


def test_who_does_not_agree_with_itself_says_nothing_of_others() -> None:
    run = ran([checksum(0, "a"), checksum(1, "a"), checksum(1, "b", at=2), checksum(2, "b"), checksum(2, "b", at=2)])
    assert others_of_the_first(run) == {"GPU-2": "b"}
    assert [(each.gpu.uuid, each.kernels[0].own) for each in gpu_checksums([run])] == [
        ("GPU-0", ("a",)),
        ("GPU-1", ("a", "b")),
        ("GPU-2", ("b", "b")),
    ]
    assert [each.kernels[0].is_steady for each in gpu_checksums([run])] == [True, False, True]


def test_what_only_arithmetic_tells_is_known_by_its_name() -> None:
    name, right = next(iter(RESULTS.items()))
    assert (Kernel(name, ("a",), {}).right, Kernel("gemm", ("a",), {}).right) == (right, None)


@pytest.mark.parametrize(
    ("others", "majority"),
    [("aaa", ("a", 3)), ("aa", None), ("", None), ("aaabb", ("a", 3)), ("aaabbb", None), ("aaaabbb", ("a", 4))],
)
def test_a_majority_is_three_and_more_than_half(others: str, majority: tuple[str, int] | None) -> None:
    assert Kernel("gemm", ("a",), {f"GPU-{at}": value for at, value in enumerate(others)}).majority == majority


def counted(name: str, when: str, value: float, gpu: int = 0) -> Measure:
    return Measure("gpu-sanity", "n0", 0, name, value, gpu=Gpu(f"GPU-{gpu}", "H100"), at=(("when", when),))


def seen_by(*measures: Measure) -> GpuChecksums:
    return next(gpu_checksums([ran([checksum(0, "a"), *measures])]))


def test_what_a_gpu_counts_is_told_where_both_ends_are_there() -> None:
    counters = [counted("xid", "before", 1), counted("xid", "after", 2), counted("ecc_uncorrected", "after", 3)]
    beside = [counted("xid", "after", 9, gpu=1), counted("remapped_rows", "before", 3)]
    (counter,) = seen_by(*counters, *beside).counters
    assert (counter.name, counter.before, counter.after, counter.grew) == ("xid", 1, 2, True)


def test_what_stays_as_it_is_did_not_grow() -> None:
    (counter,) = seen_by(counted("xid", "before", 2), counted("xid", "after", 2)).counters
    assert not counter.grew


def test_patterns_that_come_back_otherwise_are_added_up_by_gpu() -> None:
    found = seen_by(*(counted("pattern_errors", "after", each) for each in (1, 2)), counted("pattern_errors", "", 8, 1))
    assert found.pattern_errors == 3


def test_a_gpu_that_ran_twice_has_its_errors_of_both_runs() -> None:
    grew = [counted("xid", "before", 2), counted("xid", "after", 3), counted("pattern_errors", "after", 4)]
    first = ran([checksum(0, "a"), counted("xid", "before", 2), counted("xid", "after", 2)])
    (found,) = gpu_checksums([first, ran([checksum(0, "a"), *grew])])
    assert [each.grew for each in found.counters] == [False, True]
    assert found.pattern_errors == 4


def trained(rank: int, name: str, value: Scalar, how: str = "", test: str = "ddp") -> Measure:
    gpu = Gpu(f"GPU-{rank}", "H100") if rank else None
    return Measure(test, NODES[rank], rank, name, value, gpu=gpu, at=(("how", how),) if how else ())


def test_what_ranks_say_is_kept_by_rank_and_way() -> None:
    said = [trained(0, "parameter_hash", "a"), trained(1, "parameter_hash", "b"), trained(0, "loss_final", 2.5, "one")]
    (found,) = ranks_agreements(ran(said, "ddp"))
    assert (found.parameters, found.losses) == ({0: "a", 1: "b"}, {"one": 2.5})
    assert found.who == {0: "rank 0 on n0", 1: "rank 1 on n1, GPU-1"}


def test_of_a_test_that_trains_nothing_no_ranks_are_compared() -> None:
    said = replace(ran([trained(0, "parameter_hash", "a")], "gpu-sanity"), ranks=frozenset({0}))
    assert list(ranks_agreements(said)) == []
    assert len(list(ranks_agreements(replace(said, test="fsdp")))) == 1
    whole = replace(ran([trained(0, "loss_final", 1)], "ddp"), ranks=frozenset({0}))
    assert list(ranks_agreements(whole)) == []
    assert [each.missing for each in ranks_agreements(replace(whole, world=2))] == [(1,)]
    ended = ProgramError("rank-hung", "", "n0", 0)
    assert [each.error for each in ranks_agreements(replace(whole, errors=(ended,)))] == [ended]


def test_tokens_are_kept_by_model_gpu_and_way() -> None:
    one = Measure("decode", "n0", 0, "tokens", "a", gpu=Gpu("GPU-0", "H100"), at=(("model", "m"), ("how", "cached")))
    two = Measure("decode", "n1", 1, "tokens", "b", at=(("how", "whole"),))
    (found,) = decodings(ran([one, two], "decode"))
    assert found.tokens == {"m on GPU-0": {"cached": "a"}, "the model on rank 1": {"whole": "b"}}
    assert found.place == place_of("decode", NODES)
    assert list(decodings(ran([], "decode"))) == []


def test_a_cycle_is_of_the_test_that_stops_and_resumes() -> None:
    test = "checkpoint-restart"
    said = [trained(0, "stopped_at", 40, test=test), trained(0, "save_s", 2, test=test)]
    ways = [trained(0, "parameter_hash", "a", "whole", test), trained(0, "loss_final", 1.5, "resumed", test)]
    (found,) = checkpoint_cycles(ran([*said, *ways], test))
    assert found.numbers == {"stopped_at": 40, "save_s": 2}
    assert (found.results, found.losses) == ({"whole": "a"}, {"resumed": 1.5})
    assert list(checkpoint_cycles(ran(said, "ddp"))) == []
