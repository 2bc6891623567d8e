"""A release of the operator that a script installs with helm, judged like a values file."""

from __future__ import annotations

from collections.abc import Sequence

from nodeworthy.facts.fleet.gpu_pool import GpuPool
from nodeworthy.facts.operator.by_helm import OperatorByHelm
from nodeworthy.rules.operator_release_works import RULE, only_of_a_release
from nodeworthy.rules.operator_release_works.known_breakages import Hit, draft_of_hit, hits, is_asked_for
from nodeworthy.verdict import Findings, skip


@RULE.check
def it_works_as_a_script_installs_it(operator: OperatorByHelm, every: Sequence[OperatorByHelm]) -> Findings:
    """A release without a values file is judged by its command. An `install` and an `upgrade` that say the same are
    told once."""
    values, machine = operator.values, operator.machine
    only_of_a_release(values)
    if any(_says_before(each, operator) for each in every):
        skip("a command before it says the same")
    found: list[tuple[Hit, GpuPool | None]] = [(each, None) for each in hits(values, None)]
    found += [(each, machine) for each in hits(values, machine)] if machine is not None else []
    # Where it is not known which release it is, only what somebody wrote asks for one that works with it.
    told = [(hit, pool) for hit, pool in found if not hit.unsaid and (hit.unsure is None or is_asked_for(hit))]
    sure = [each for each in told if each[0].unsure is None]
    yield from (draft_of_hit(hit, values, pool) for hit, pool in sure or told[:1])


def _says_before(other: OperatorByHelm, operator: OperatorByHelm) -> bool:
    if other.place.path != operator.place.path or other.place.row >= operator.place.row:
        return False
    one, another = ([hit.breakage.id for hit in hits(each.values, None)] for each in (other, operator))
    return one == another and other.values.release.state == operator.values.release.state
