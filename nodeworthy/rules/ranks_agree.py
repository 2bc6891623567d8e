"""All ranks end with the same parameters, and several processes learn what one would.

After each step all ranks of a job must hold the same model. One that does not take part in a sum (a forgotten
`no_sync`, a rank that hangs, a card that computes otherwise) trains a model of its own, and the loss that is printed is
that of rank 0. So each rank's parameters are hashed, and the loss is compared with that of one process on the same
data: 1e-3 of it for DDP, which adds the same numbers up in another order; 1e-2 for FSDP in bf16, which rounds them.
"""

from __future__ import annotations

from collections import Counter

from nodeworthy.facts.accept.right import RanksAgreement
from nodeworthy.rule import Rule
from nodeworthy.verdict import Draft, Findings, Severity, fail, unknown

RULE = Rule(
    "ranks-agree",
    severity=Severity.ERROR,
    title="All ranks end with the same parameters, and several processes learn what one would",
    remedy="run gpu-sanity on the node of the rank that differs; with NCCL, NCCL_DEBUG=INFO of that rank",
)

# Beside which other way a loss is compared, and by how much of it they may differ.
_BESIDE = {"ddp": ("one", 1e-3), "fsdp": ("ddp", 1e-2), "multi-node": ("one", 1e-3)}
_CALLED = {"one": "one process", "ddp": "ddp"}
_CAUSE = "ranks that differ train models of their own, and nothing but rank 0 is ever looked at"


@RULE.check
def they_agree(seen: RanksAgreement) -> Findings:
    if seen.error is not None or seen.missing:
        yield _missing(seen)
        return
    yield from _parameters(seen)
    yield from _losses(seen)


def _missing(seen: RanksAgreement) -> Draft:
    who = [seen.who.get(each, f"rank {each}") for each in seen.missing]
    said = f"{seen.error.text} (rank {seen.error.rank} on {seen.error.node})" if seen.error is not None else ""
    return fail(
        seen,
        f"{', '.join(who) or 'a rank'} did not take part to the end",
        is_=said or f"{len(seen.missing)} of the ranks said nothing at their end",
        should="every rank comes to its end",
        cause="all others wait for it, with their GPUs, until something ends the job",
    )


def _parameters(seen: RanksAgreement) -> Findings:
    usual, many = Counter(seen.parameters.values()).most_common(1)[0]
    odd = [rank for rank, value in sorted(seen.parameters.items()) if value != usual]
    if not odd:
        return
    who = ", ".join(seen.who.get(each, f"rank {each}") for each in odd)
    is_majority = many * 2 > len(seen.parameters)
    yield fail(
        seen,
        f"{who} ended with other parameters than {many} others" if is_majority else "ranks ended with other parameters",
        is_=", ".join(f"rank {rank}: {seen.parameters[rank]}" for rank in odd),
        should=usual if is_majority else "one hash of all ranks",
        cause=_CAUSE,
    )


def _losses(seen: RanksAgreement) -> Findings:
    beside, tolerance = _BESIDE[seen.test]
    own = seen.losses.get(seen.test, seen.losses.get("ddp"))
    other = seen.losses.get(beside)
    if own is None or other is None:
        if seen.test != "multi-node":
            yield unknown(
                seen,
                f"whether {seen.test} ends with the loss of {_CALLED[beside]} is not known: one of them was not told",
            )
        return
    if abs(own - other) > tolerance * max(abs(other), 1e-12):
        yield fail(
            seen,
            f"{seen.test} ends with another loss than {_CALLED[beside]}",
            is_=f"{own:g}",
            should=f"{other:g}, within {tolerance:g} of it",
            cause="the sums of gradients are not those of the data: what is trained so is another model",
        )
