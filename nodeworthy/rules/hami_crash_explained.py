"""A container that crashes on a GPU which HAMi shares has a named cause.

What it wrote before it ended tells most of them: `CUDA out of memory` is a share that is too small for the model and
its batch, `CUBLAS_STATUS_NOT_INITIALIZED` mostly the same; `no CUDA-capable device` and `CUDA initialization failed`
are a container that was started without the nvidia runtime, or an image whose CUDA is too new for the driver. A
container that the kernel ended (`OOMKilled`) ran out of the node's memory, and `nvidia.com/gpumem` has no part in it.
Its words come from the end of the container's log, which is asked of the cluster or stands beside a dump
(`logs/<namespace>/<pod>/<container>.log`), and from its termination message; a crash of which nothing is known is
unknown, with its last line, or with the reason why its log was not had. One whose cause is another rule's is told
there.
"""

from __future__ import annotations

from nodeworthy.facts.hami.crash import HamiCrashes, by_cause
from nodeworthy.rule import Rule
from nodeworthy.verdict import Findings, Severity, fail, unknown

RULE = Rule(
    "hami-crash-explained",
    severity=Severity.ERROR,
    incident="C",
    title="A container that crashes on a shared GPU has a named cause",
    remedy="read its last log: kubectl logs --previous; `nodeworthy explain -` names what is known in it",
    reads_logs=True,
)


@RULE.check
def their_causes_are_known(found: HamiCrashes) -> Findings:
    for crash in by_cause(found.crashes, RULE.id):
        told = fail if crash.is_explained else unknown
        yield told(
            crash.place,
            crash.message,
            is_=crash.is_,
            should=crash.should,
            cause=crash.cause,
            remedy=crash.remedy,
            victims=crash.victims,
        )
