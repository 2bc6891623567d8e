"""Which of the known breakages a release of the operator has with these settings, on this pool, and how it is told."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from nodeworthy.facts.fleet.gpu_pool import GpuPool
from nodeworthy.facts.operator.values import OperatorValues, boolean
from nodeworthy.known.containerd import defaults, same_file
from nodeworthy.known.releases import CDI, CUSTOM_SOCKET, NRI, TOOLKIT, Breakage, breakages, has_cdi_on
from nodeworthy.known.versions import Span, numbers, range_of, span_of
from nodeworthy.records import dataclass
from nodeworthy.rules.operator_release_works import toolkit_version
from nodeworthy.verdict import Draft, Known, Located, Place, Related, Unknown, fail, unknown


def hits_doubted_once(found: Sequence[Hit]) -> Iterator[Hit]:
    """Where it is not known which release it is, one of what may break stands for all: one answer settles them."""
    doubted = next((each for each in found if each.unsure is not None and not each.unsaid), None)
    yield from (each for each in found if each.unsure is None or each.unsaid or each is doubted)


def is_asked_for(hit: Hit) -> bool:
    """Whether somebody wrote what depends on it, rather than it being on by default."""
    return any(each.written for each in hit.found)


def draft_of_hit(hit: Hit, values: OperatorValues, pool: GpuPool | None) -> Draft:
    where, named = _where(hit, values)
    on = pool.title if pool is not None else ()
    related = [*_related(hit, values), *([pool.declares_its_runtime()] if pool is not None else [])]
    if hit.unsure is not None:
        why = f"{named} may break here ({hit.unsure}): {hit.breakage.says}"
        return unknown(where, why, related=related, remedy=hit.breakage.remedy)
    return fail(
        where,
        f"{named} is known to break: {hit.breakage.says}",
        is_=_release_in_words(values),
        on=on,
        related=related,
        cause=f"{hit.breakage.because} ({hit.breakage.source})",
        remedy=hit.breakage.remedy,
    )


def draft_of_doubt(hit: Hit, values: OperatorValues, pool: GpuPool) -> Draft:
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


def _release_in_words(values: OperatorValues) -> str:
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


# The settings that a breakage may depend on.
SETTINGS = (TOOLKIT, CDI, NRI, CUSTOM_SOCKET)


@dataclass(frozen=True)
class Hit:
    """A breakage that is there, or, where something that it depends on is not known, may be."""

    breakage: Breakage
    # What it depends on, as it was found: the settings first.
    found: tuple[Located[Any], ...]
    unsure: str | None = None
    # Nobody says which containerd or which Kubernetes there is, and it depends on them.
    unsaid: bool = False


# One condition: whether it holds, and where that is seen. None: it is not known, with why, or nobody says it.
@dataclass(frozen=True)
class _Answer:
    holds: bool | None
    seen: Located[Any] | None = None
    why: str = ""


def hits(values: OperatorValues, pool: GpuPool | None) -> Iterator[Hit]:
    """The breakages that depend on a pool, where one is given; else those that depend on none."""
    asked = [each for each in breakages() if each.depends_on_the_pool == (pool is not None)]
    found = [hit for each in asked if (hit := _hit(each, values, pool)) is not None]
    sure = {hit.breakage.id for hit in found if hit.unsure is None}
    yield from (hit for hit in found if hit.breakage.told_by not in sure)


def _hit(each: Breakage, values: OperatorValues, pool: GpuPool | None) -> Hit | None:
    answers = [_release(each, values), *_settings(each, values), *(_of_pool(each, pool) if pool is not None else ())]
    if any(answer.holds is False for answer in answers):
        return None
    seen = tuple(answer.seen for answer in answers[1:] if answer.seen is not None)
    open_ = [answer.why for answer in answers if answer.holds is None]
    doubts = [*filter(None, open_), *([f"{each.doubt} is not known"] if each.doubt else [])]
    return Hit(each, seen, doubts[0] if doubts else None, unsaid="" in open_)


def _release(each: Breakage, values: OperatorValues) -> _Answer:
    toolkit = toolkit_version(values)
    if each.toolkit is not None and toolkit is not None:
        return _covered((each.toolkit,), toolkit, "toolkit.version")
    release = values.release.state
    if isinstance(release, Known):
        return _Answer(False) if release.value is None else _covered((each.releases,), values.release, "the release")
    asked = range_of(values.asked_release) or Span()
    inside = each.releases.covers(asked)
    return _Answer(inside, values.release, f"which release of the operator it is, is not known: {release.why}")


def _settings(each: Breakage, values: OperatorValues) -> Iterator[_Answer]:
    for name in each.needs:
        on = _setting(name, values, each)
        yield _is(on, values.toolkit.socket if name == CUSTOM_SOCKET else on, wanted=True)
    for name, beginning in each.given.items():
        yield _is(_is_variable_given(name, beginning, values), values.toolkit.said(name), wanted=True)
    for name, beginning in each.without.items():
        yield _is(_is_variable_given(name, beginning, values), values.toolkit.said(name), wanted=False)


def _is(located: Located[bool], shown: Located[Any], *, wanted: bool) -> _Answer:
    if isinstance(located.state, Unknown):
        return _Answer(None, shown, located.state.why)
    return _Answer(located.state.value is wanted, shown if located.written else None)


def _of_pool(each: Breakage, pool: GpuPool) -> Iterator[_Answer]:
    yield _distribution(each, pool)
    if each.containerd:
        yield _containerd(each, pool)
    if each.kubernetes is not None:
        yield _covered((each.kubernetes,), pool.kubernetes, "the cluster's version")


def _containerd(each: Breakage, pool: GpuPool) -> _Answer:
    runtime = pool.runtime.state
    if pool.containerd is None and isinstance(runtime, Known):
        if not runtime.value.is_containerd:
            return _Answer(False)
        newer = Span(numbers(runtime.value.oldest)) if runtime.value.oldest else Span()
        if not any(span.covers(newer) is not False for span in each.containerd):
            return _Answer(False)
    return _covered(each.containerd, pool.containerd, f"the containerd of {pool.title}")


def _distribution(each: Breakage, pool: GpuPool) -> _Answer:
    state = pool.distribution.state
    if isinstance(state, Unknown):
        if pool.one_of and each.distributions and pool.one_of.isdisjoint(each.distributions):
            return _Answer(False)
        return _Answer(None, pool.distribution, f"the distribution of {pool.title} is not known: {state.why}")
    # A node may show several that it could be.
    could_be = state.value.split(" or ")
    listed = {not each.distributions or name in each.distributions for name in could_be}
    excluded = any(name in each.not_on for name in could_be)
    if excluded or listed == {False}:
        return _Answer(False)
    if len(listed) > 1:
        return _Answer(None, pool.distribution, f"{pool.title} may be {state.value}")
    return _Answer(True)


def _covered(spans: Iterable[Span], version: Located[Any] | None, what: str) -> _Answer:
    if version is None:
        return _Answer(None)
    if isinstance(version.state, Unknown):
        return _Answer(None, version, f"{what} is not known: {version.state.why}")
    asked = span_of(str(version.state.value))
    if asked is None:
        return _Answer(None, version, f"{what} is {version.shown()}, which is no version")
    covered = {span.covers(asked) for span in spans}
    if True in covered:
        return _Answer(True, version)
    if None in covered:
        return _Answer(None, version, f"{what} is {version.shown()}, and only some of its releases are concerned")
    return _Answer(False)


# Settings


def _setting(name: str, values: OperatorValues, breakage: Breakage) -> Located[bool]:
    """Whether it is on, by what is written or by the default of the releases that the breakage is about."""
    match name:
        case "toolkit":
            return _toolkit_edits(values)
        case "cdi":
            return _cdi(values, breakage)
        case "nri":
            return values.toolkit.uses_nri
        case "custom-socket":
            return _custom_socket(values)
    raise ValueError(f"{breakage.id}: no setting is called {name!r}")


def _is_variable_given(name: str, beginning: str, values: OperatorValues) -> Located[bool]:
    """Whether toolkit.env has this variable, with a value that begins so."""
    variable = values.toolkit.said(name)
    if isinstance(variable.state, Unknown):
        return Located(variable.state, variable.place)
    says = str(variable.state.value) if variable.written else ""
    return Located(Known(says.startswith(beginning)), variable.place, written=variable.written)


def _toolkit_edits(values: OperatorValues) -> Located[bool]:
    """Whether the toolkit changes containerd's config: with the NRI plugin it leaves it alone."""
    nri = values.toolkit.uses_nri
    if isinstance(nri.state, Unknown) or nri.state.value:
        return Located(nri.state if isinstance(nri.state, Unknown) else Known(False), nri.place)
    return values.toolkit.enabled


def _cdi(values: OperatorValues, breakage: Breakage) -> Located[bool]:
    tree = values.tree.get("cdi", "enabled")
    if tree.is_absent and values.elsewhere is not None:
        return Located.unknown(f"cdi.enabled is not known: {values.elsewhere}", tree.place)
    return boolean("cdi.enabled", tree, default=has_cdi_on(breakage.releases))


def _custom_socket(values: OperatorValues) -> Located[bool]:
    socket = values.toolkit.socket
    if isinstance(socket.state, Unknown):
        return Located(socket.state, socket.place)
    custom = not same_file(str(socket.state.value), defaults().socket)
    return Located(Known(custom), socket.place, written=socket.written)
