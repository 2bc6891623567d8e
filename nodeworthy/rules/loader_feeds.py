"""Workers feed the GPUs within what the pod has.

A pod's `/dev/shm` has 64 MiB unless somebody asks for more, and processes hand their batches over through it: the
worker dies in the first epoch. Where each of eight workers starts as many threads as the machine has cores, all of them
together are slower than one. So data is loaded with 0, 2, 4 and 8 workers, and must come whole, and faster with two
than with none where there are four CPUs.
"""

from __future__ import annotations

from nodeworthy.facts.accept.given import Loading
from nodeworthy.rule import Rule
from nodeworthy.verdict import Findings, Severity, fail, unknown

RULE = Rule(
    "loader-feeds",
    severity=Severity.WARNING,
    title="Workers feed the GPUs within what the pod has",
    remedy="emptyDir {medium: Memory} at /dev/shm, CPUs enough (four a GPU), OMP_NUM_THREADS = CPUs / workers",
)

# Fewer can't show that workers help.
_CPUS = 4


@RULE.check
def they_do(seen: Loading) -> Findings:
    if seen.error is not None:
        yield fail(
            seen,
            "a process that loads data died",
            is_=seen.error.text,
            should="all of them hand over all of their data",
            cause="training ends with it, in its first epoch or in its tenth",
        )
        return
    if not seen.by_workers or seen.is_sum_right is None:
        yield unknown(seen, "whether workers feed the GPUs is not known: nothing was loaded")
        return
    if not seen.is_sum_right:
        yield fail(seen, "workers did not hand over all data", is_="another sum", should="that of all items")
    yield from _gain(seen)


def _gain(seen: Loading) -> Findings:
    none, two = (seen.by_workers.get(each) for each in (0, 2))
    if none is None or two is None:
        yield unknown(seen, "whether workers help is not known: only with and without them is it seen")
        return
    if seen.cpus is not None and seen.cpus >= _CPUS and two <= none:
        yield fail(
            seen,
            "two workers load data no faster than none",
            is_=f"{two:g} items/s with two, {none:g} with none; OMP_NUM_THREADS {seen.threads or 'is not set'}",
            should=f"more, on {seen.cpus:g} CPUs",
            cause="threads of all workers stand in each other's way, and GPUs wait for data",
        )
