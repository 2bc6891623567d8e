"""A GPU computes the same twice, and the same as the other GPUs of its model.

A GPU with a broken unit rarely crashes: it returns numbers, and some of them are wrong. Training on it diverges after
days, or learns nothing, and no counter says why. So a seeded chain of matrix products is computed twice on each GPU,
and its checksum compared: with itself, and with the checksums of all others of the same model, driver libraries and
torch. One that differs from at least three that agree is wrong, and is named by its UUID. Where only two or three GPUs
are there, and they differ, one of them is wrong, and nobody can tell which: that is unknown, and passes for neither.
Two small kernels, which need no torch, have results that are known beforehand: there, one GPU alone is enough.

Uncorrected memory errors, remapped rows and Xids that came while it computed, and bits of memory that did not come
back as they were written, say the same in the GPU's own words.
"""

from __future__ import annotations

from nodeworthy.facts.accept.right import MAJORITY, Counters, GpuChecksums, Kernel
from nodeworthy.rule import Rule
from nodeworthy.verdict import Draft, Findings, Severity, fail, unknown

RULE = Rule(
    "gpu-computes-right",
    severity=Severity.ERROR,
    title="A GPU computes the same twice, and the same as the others of its model",
    remedy="take the node out of work (kubectl cordon, or scontrol update state=drain), and have this GPU replaced",
)

_CAUSE = "its results are wrong without any error: what is trained on it is worth nothing, and poisons all other ranks"
_COUNTED = {
    "ecc_uncorrected": "uncorrected memory errors",
    "remapped_rows": "rows of its memory that were remapped",
    "xid": "Xids in the kernel's log",
}


@RULE.check
def it_agrees_with_itself_and_its_peers(seen: GpuChecksums) -> Findings:
    for kernel in seen.kernels:
        yield from _kernel(seen, kernel)
    for counter in seen.counters:
        if counter.grew:
            yield _grown(seen, counter)
    if seen.pattern_errors:
        yield fail(
            seen,
            f"{seen.gpu} gives back other bits than were written into its memory",
            is_=f"{seen.pattern_errors:g} words differ",
            should="none",
            cause=_CAUSE,
        )


def _kernel(seen: GpuChecksums, kernel: Kernel) -> Findings:
    if not kernel.is_steady:
        yield fail(
            seen,
            f"{seen.gpu} does not compute {kernel.name} the same twice",
            is_=" and ".join(dict.fromkeys(kernel.own)),
            should="one checksum, each time",
            cause=_CAUSE,
        )
    elif len(kernel.own) < 2:
        yield unknown(seen, f"{seen.gpu} computed {kernel.name} only once: whether it does so again is not known")
    elif kernel.right is not None:
        if kernel.own[0] != kernel.right:
            yield _wrong(seen, kernel, kernel.right)
    elif kernel.majority is not None:
        if kernel.own[0] != kernel.majority[0]:
            yield _outvoted(seen, kernel, *kernel.majority)
    elif set(kernel.others.values()) - set(kernel.own):
        yield unknown(
            seen,
            f"{seen.gpu} and others of its model differ in {kernel.name}, and they are too few to say which is wrong",
            is_=", ".join([kernel.own[0], *(f"{value} on {who}" for who, value in sorted(kernel.others.items()))]),
            should=f"at least {MAJORITY} that agree",
            remedy="measure these GPUs together with others of their model",
        )


def _wrong(seen: GpuChecksums, kernel: Kernel, right: str) -> Draft:
    return fail(
        seen,
        f"{seen.gpu} computes {kernel.name} wrong, twice alike",
        is_=kernel.own[0],
        should=f"{right}, as arithmetic has it",
        cause=_CAUSE,
    )


def _outvoted(seen: GpuChecksums, kernel: Kernel, usual: str, many: int) -> Draft:
    return fail(
        seen,
        f"{seen.gpu} computes {kernel.name} otherwise than {many} GPUs of its model, twice",
        is_=kernel.own[0],
        should=usual,
        cause=_CAUSE,
    )


def _grown(seen: GpuChecksums, counter: Counters) -> Draft:
    return fail(
        seen,
        f"{seen.gpu} has {counter.after - counter.before:g} new {_COUNTED[counter.name]} since it began to compute",
        is_=f"{counter.before:g} before, {counter.after:g} after",
        should="as many as before",
        cause=_CAUSE,
    )
