"""No release of the GPU operator is used where it is known to break: with these settings, this containerd, here.

Some releases fail on one distribution, with one setting or with one range of containerd, in ways that show only when
their pods crash: 25.3.3 mounts the wrong folder for a `CONTAINERD_SOCKET` of one's own, 25.10 turns CDI on, which
containerd before 1.7 does not have, and from 26.3 on the toolkit may write a drop-in that ends containerd and its
node with it. What is known of them is a table, with its sources: a release that is not in it passes. Settings that do
not say for which release they are meant are not judged, unless they choose a version of the toolkit. A ClusterPolicy
that somebody writes must have what its schema requires, be it empty: else no API server takes it. Without a fleet,
paths in `toolkit.env` that only some distributions have say where it will run. What a script says to helm (`--version`,
`--set`) is judged like a values file, with the defaults of the script's variables.
"""

from __future__ import annotations

from collections.abc import Sequence

from nodeworthy.facts.fleet.gpu_pool import GpuPool
from nodeworthy.facts.operator.by_helm import OperatorByHelm
from nodeworthy.facts.operator.recognition import is_written_whole, left_out_fields
from nodeworthy.facts.operator.values import OperatorValues
from nodeworthy.rule import Rule
from nodeworthy.rules.operator_release_works.release_breakage import Hit, hits, names_a_release
from nodeworthy.verdict import (
    Draft,
    Findings,
    Known,
    Located,
    Place,
    Related,
    Severity,
    ToGive,
    fail,
    need,
    skip,
    unknown,
)

RULE = Rule(
    "operator-release-works",
    severity=Severity.ERROR,
    incident="A",
    title="No release of the GPU operator is used where it is known to break",
    remedy="use a release, or settings, that are not known to break here",
)


@RULE.check
def its_schema_takes_them(values: OperatorValues) -> Findings:
    if not is_written_whole(values):
        skip("it is no ClusterPolicy that somebody writes")
    missing = left_out_fields(values)
    if missing:
        named = f"{', '.join(missing[:-1])} and {missing[-1]}" if len(missing) > 1 else missing[0]
        yield fail(
            values.tree.place,
            f"the ClusterPolicy leaves out {named}, which its schema requires",
            is_=f"no {' and no '.join(missing)}",
            should=", ".join(f"{each}: {{}}" for each in missing),
            cause=f"the API server refuses it (spec.{missing[0]}: Required value): the operator has nothing to go by",
            remedy="write them, be they empty; or let the chart make the ClusterPolicy, out of its values",
        )


@RULE.check
def it_works_with_these_settings(values: OperatorValues) -> Findings:
    _of_a_release(values)
    for hit in hits(values, None):
        yield _told(hit, values, None)


@RULE.check
def it_works_on_this_pool(values: OperatorValues, pool: GpuPool) -> Findings:
    _of_a_release(values)
    found = list(hits(values, pool))
    for hit in found:
        if not hit.unsaid:
            yield _told(hit, values, pool)
        elif need(pool.runtime).chosen and _is_asked_for(hit):
            yield _depends(hit, values, pool)
    if any(hit.unsaid for hit in found):
        why = f"{pool.title} does not say which containerd it runs, on which it depends whether this release works"
        skip(ToGive(why, "say it in the fleet (containerd of the pool)") if need(pool.runtime).chosen else why)


def _is_asked_for(hit: Hit) -> bool:
    """Whether somebody wrote what depends on it, rather than it being on by default."""
    return any(each.written for each in hit.found)


@RULE.check
def it_works_where_its_paths_are(values: OperatorValues, pool: GpuPool | None) -> Findings:
    """Without a fleet, paths of one distribution say which it is for; a cluster says it itself."""
    _of_a_release(values)
    if pool is not None or values.place.object is not None:
        return
    from nodeworthy.facts.operator.paths_of import nodes_by_paths

    nodes = nodes_by_paths(values.toolkit)
    for hit in hits(values, nodes) if nodes is not None else ():
        if not hit.unsaid:
            yield _told(hit, values, nodes)


@RULE.check
def it_works_as_a_script_installs_it(operator: OperatorByHelm, every: Sequence[OperatorByHelm]) -> Findings:
    """Without a values file: what the command says. An `install` and an `upgrade` that say the same are told once."""
    values, machine = operator.values, operator.machine
    _of_a_release(values)
    if any(_says_before(each, operator) for each in every):
        skip("a command before it says the same")
    found: list[tuple[Hit, GpuPool | None]] = [(each, None) for each in hits(values, None)]
    found += [(each, machine) for each in hits(values, machine)] if machine is not None else []
    # Where it is not known which release it is, only what somebody wrote asks for one that works with it.
    told = [(hit, pool) for hit, pool in found if not hit.unsaid and (hit.unsure is None or _is_asked_for(hit))]
    sure = [each for each in told if each[0].unsure is None]
    yield from (_told(hit, values, pool) for hit, pool in sure or told[:1])


def _says_before(other: OperatorByHelm, operator: OperatorByHelm) -> bool:
    if other.place.path != operator.place.path or (other.place.line or 0) >= (operator.place.line or 0):
        return False
    one, another = ([hit.breakage.id for hit in hits(each.values, None)] for each in (other, operator))
    return one == another and other.values.release.state == operator.values.release.state


def _of_a_release(values: OperatorValues) -> None:
    if not names_a_release(values):
        skip(
            ToGive(
                "nobody says which release of the operator these settings are for", "say it in a fleet (operator.chart)"
            )
        )


def _told(hit: Hit, values: OperatorValues, pool: GpuPool | None) -> Draft:
    where, named = _where(hit, values)
    on = pool.title if pool is not None else ()
    related = [*_related(hit, values), *([pool.declares_its_runtime()] if pool is not None else [])]
    if hit.unsure is not None:
        why = f"{named} may break here ({hit.unsure}): {hit.breakage.says}"
        return unknown(where, why, related=related, remedy=hit.breakage.remedy)
    return fail(
        where,
        f"{named} is known to break: {hit.breakage.says}",
        is_=_shown(values),
        on=on,
        related=related,
        cause=f"{hit.breakage.because} ({hit.breakage.source})",
        remedy=hit.breakage.remedy,
    )


def _depends(hit: Hit, values: OperatorValues, pool: GpuPool) -> Draft:
    where, named = _where(hit, values)
    why = f"{named} may break on {pool.title}, which does not say which containerd it runs: {hit.breakage.says}"
    remedy = f"say it in the fleet (containerd of the pool); where it is one that breaks: {hit.breakage.remedy}"
    return unknown(where, why, related=[*_related(hit, values), pool.declares_its_runtime()], remedy=remedy)


def _where(hit: Hit, values: OperatorValues) -> tuple[Place, str]:
    """Where the release is named, and what it is called there; where others name it, what breaks with it."""
    if values.release_is_the_fleets:
        own = (each.place for each in hit.found if each.written and each.place.path == values.place.path)
        return next(own, values.place), "the fleet's release of the operator"
    if values.release.state != Known(None):
        return values.release.place, "this release of the operator"
    return values.tree.get("toolkit", "version").place, "the operator that brings this toolkit"


def _shown(values: OperatorValues) -> str:
    if values.release.state != Known(None):
        return values.release.shown()
    return values.tree.get("toolkit", "version").located().shown()


def _related(hit: Hit, values: OperatorValues) -> list[Related]:
    found = [Related(each.place, _says(each)) for each in hit.found if each.written]
    if values.release_is_the_fleets:
        found.append(Related(values.release.place, f"the fleet names release {values.release.shown()}"))
    return found


def _says(located: Located[object]) -> str:
    shown = located.shown()
    return f"{located.place.subject or 'it'} is {shown.lower() if shown in ('True', 'False') else shown}"
