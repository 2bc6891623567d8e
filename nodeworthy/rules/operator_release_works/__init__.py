"""No release of the GPU operator is used where it is known to break: with these settings, this containerd, here.

Some releases fail on one distribution, with one setting or with one range of containerd, in ways that show only when
their pods crash: 25.3.3 mounts the wrong folder for a `CONTAINERD_SOCKET` of one's own, 25.10 turns CDI on, which
containerd before 1.7 does not have, and from 26.3 on the toolkit may write a drop-in that ends containerd and its
node with it. What is known of them is a table, with its sources: a release that is not in it passes. Settings that do
not say for which release they are meant are not judged, unless they choose a version of the toolkit. A ClusterPolicy
that somebody writes must have what its schema requires, be it empty: else no API server takes it. And what is written
must be what some release reads: `enable` for `enabled`, `driver.enabled` as one key (only `--set` splits it),
tolerations in each part (`daemonsets.tolerations` is read, for all), workers of node feature discovery below `nfd` are
passed over, and Helm says nothing; nor does it of a `runtimeClass` for the device plugin's own chart. Without a fleet,
paths in `toolkit.env` that only some distributions have say where it will run. What a script says to helm (`--version`,
`--set`) is judged like a values file, with the defaults of the script's variables. A `version` of one part is the tag
of its image, and not every tag was published: the toolkit's of 1.17 end with `-ubuntu20.04` on every system, and the
driver's is written without a system, which the operator adds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from nodeworthy.documents.release import LOOSE
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.fleet.gpu_pool import GpuPool
from nodeworthy.facts.operator.by_helm import OperatorByHelm
from nodeworthy.facts.operator.recognition import ORIGIN, is_written_whole, left_out_fields
from nodeworthy.facts.operator.sharing import UNREAD
from nodeworthy.facts.operator.values import OperatorValues, boolean
from nodeworthy.known.containerd import defaults, same_file
from nodeworthy.known.operator_parts import (
    is_there_by_default,
    keys_read,
    oldest_with_these_keys,
    read_below,
    read_instead,
    read_instead_of,
)
from nodeworthy.known.releases import CDI, CUSTOM_SOCKET, NRI, TOOLKIT, Breakage, breakages, has_cdi_on
from nodeworthy.known.versions import Span, numbers, range_of, span_of
from nodeworthy.records import dataclass
from nodeworthy.rule import Rule
from nodeworthy.verdict import (
    Draft,
    Findings,
    Known,
    Located,
    Place,
    Related,
    Severity,
    ToGive,
    Unknown,
    fail,
    need,
    skip,
    unknown,
    value_if_known,
)

_MOST_RELATED = 10
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


# As many parts as no other chart is likely to have.
_SURELY = 3
_SWITCH = "enabled"
# How alike two names are of which one is a slip of the other.
_NEAR = 0.75
# What should share GPUs, or cut them: sharing-configured tells of it.
_OF_SHARING = frozenset({*UNREAD, ("mig", "config")})


@RULE.check
def its_chart_reads_them(values: OperatorValues) -> Findings:
    """What nobody reads is told once, where it stands first."""
    if values.implied or not _are_surely_its(values) or _is_older_than_these_keys(values):
        skip("it is not sure that they are the operator's, of a release of which it is known what it reads")
    unread = [(part, key, tree) for part in values.tree.mapping for key, tree in _unread(values.tree, part)]
    if values.origin == LOOSE:
        # Keys that nobody would take for the operator's may be those of a chart of one's own, which has its name.
        unread.sort(key=lambda each: not _is_a_slip(*each[:2]))
        unread = unread if unread and _is_a_slip(*unread[0][:2]) else []
    beside = [("", key, tree) for key, tree in values.tree.mapping.items() if _is_of_a_part(key) and _is_meant(tree)]
    # A part may be off or on by a key of a path, which is meant for it as nothing else is.
    unread = [*(each for each in beside if read_below(each[1])), *unread, *beside]
    unread = list({each[:2]: each for each in unread}.values())
    if not unread:
        _of_a_release(values)
        return
    yield _unread_settings(values, unread)


def _are_surely_its(values: OperatorValues) -> bool:
    """Whether these are surely the operator's values, by their chart or by their keys: other charts have a toolkit as
    well."""
    is_installed_as_its = values.origin != LOOSE and values.elsewhere is None
    return is_installed_as_its or sum(bool(keys_read(name)) for name in values.tree.mapping) >= _SURELY


def _is_older_than_these_keys(values: OperatorValues) -> bool:
    release = value_if_known(values.release)
    asked = span_of(str(release)) if release is not None else None
    return asked is not None and Span(before=numbers(oldest_with_these_keys())).covers(asked) is True


def _unread(tree: Tree, part: str) -> Iterator[tuple[str, Tree]]:
    known, given = keys_read(part), tree.get(part)
    for key, said in given.mapping.items() if known else ():
        if key in known or (part, key) in _OF_SHARING or not key.isidentifier() or not _is_meant(said):
            continue
        if _meant(part, key) != _SWITCH or said.value is not is_there_by_default(part):
            yield key, said


def _is_meant(tree: Tree) -> bool:
    """Whether anything is meant by it: an empty list is what its absence is."""
    return not tree.is_unknown and (
        bool(tree.mapping or tree.sequence) or tree.text not in (None, "") or isinstance(tree.value, bool)
    )


def _is_a_slip(part: str, key: str) -> bool:
    """Whether it is known to be written for another: `tolerations` of a part, or a key with a letter more or less, or a
    capital one in place of a small one."""
    meant = _meant(part, key)
    is_near = meant is not None and (_bare(meant) != _bare(key) or meant.lower() == key.lower())
    return is_near or key == "tolerations" or part == "nfd" or read_instead(part, key) is not None


def _bare(key: str) -> str:
    """`use_ocp_driver_toolkit` and useOcpDriverToolkit are one name, spelt as two charts spell theirs."""
    return key.replace("_", "").lower()


def _meant(part: str, key: str) -> str | None:
    from difflib import get_close_matches

    return next(iter(get_close_matches(key, keys_read(part), 1, _NEAR)), None)


def _unread_settings(values: OperatorValues, unread: Sequence[tuple[str, str, Tree]]) -> Draft:
    (part, key, tree), *others = unread
    should = _read_setting(part, key)
    where = "a ClusterPolicy has" if values.origin == ORIGIN else "the operator's chart reads"
    also = "" if values.origin == ORIGIN else ", and Helm says nothing"
    return fail(
        tree.heading,
        f"{where} no {_setting_called(part, key)}: what it says is passed over",
        is_=_setting_called(part, key),
        should=should,
        related=[
            Related(each.heading, f"nor {_setting_called(name, said)}") for name, said, each in others[:_MOST_RELATED]
        ],
        cause=_passed_over(part, key) + also,
        remedy=f"write {should} instead: helm show values nvidia/gpu-operator lists what is read",
        severity=Severity.WARNING,
    )


def _is_of_a_part(key: str) -> bool:
    return bool(read_instead_of(key) or read_below(key))


def _setting_called(part: str, key: str) -> str:
    if not part and read_below(key):
        return f"key {key}"
    return f"{part}.{key}" if part else f"{key} beside its parts"


def _read_setting(part: str, key: str) -> str:
    if not part:
        return read_below(key) or read_instead_of(key) or ""
    meant = _meant(part, key)
    return read_instead(part, key) or (f"{part}.{meant}" if meant else f"no {part}.{key}")


def _passed_over(part: str, key: str) -> str:
    if not part and read_below(key):
        return f"a file of values is not split at dots, as --set is: {key} is one name, and no template asks for it"
    if not part:
        return "what stands beside its parts is for none of them"
    if key == "tolerations" and part != "nfd":
        return "the operator gives all of its DaemonSets the tolerations of daemonsets, and none of their parts' own"
    if _meant(part, key) == _SWITCH:
        return f"{part} is {'on' if is_there_by_default(part) else 'off'} as it is by default, whatever {key} says"
    if part == "nfd":
        return "node feature discovery is a chart of its own in the operator's, called node-feature-discovery"
    return f"no release of the operator has {key} in {part}"


@RULE.check
def its_images_are_published(values: OperatorValues) -> Findings:
    parts = values.tree.mapping.values()
    if values.place.object is not None or not any(each.get("version").text for each in parts):
        skip("no version is written for one of its parts, or the registry's answer is seen in its pods")
    from nodeworthy.facts.operator.part_images import part_images, system_said_twice
    from nodeworthy.known.images_gone import gone_image

    for each in part_images(values):
        if (gone := gone_image(each.image)) is not None:
            yield fail(
                each.version.located(),
                f"{each.part} has an image that no registry has: {each.image.rpartition(':')[0]} {gone.says}",
                should=gone.should,
                cause="its pods stay in ImagePullBackOff (manifest unknown), and what waits for them never starts",
                remedy=f"leave {each.part}.version out, or name one that is there: `crane manifest {each.image}` tells",
            )
    if (twice := system_said_twice(values)) is not None:
        yield _system_twice(*twice)


def _system_twice(version: Tree, release: str, system: str) -> Draft:
    return fail(
        version.located(),
        f"the operator looks for a driver {release}-{system}-{system}, which no registry has",
        should=release,
        cause="the operator writes the system of each node behind driver.version by itself: the driver's pods stay in "
        "ImagePullBackOff, and no node has a driver",
        remedy=f'write driver.version: "{release}"',
    )


@RULE.check
def it_works_with_these_settings(values: OperatorValues) -> Findings:
    _of_a_release(values)
    for hit in _doubted_once(list(hits(values, None))):
        yield _draft_of_hit(hit, values, None)


@RULE.check
def it_works_on_this_pool(values: OperatorValues, pool: GpuPool) -> Findings:
    _of_a_release(values)
    if pool.runs_unsaid:
        skip(f"no file says what the nodes of {pool.title} run")
    found = list(hits(values, pool))
    for hit in _doubted_once(found):
        if not hit.unsaid:
            yield _draft_of_hit(hit, values, pool)
        elif need(pool.runtime).chosen and _is_asked_for(hit):
            yield _depends(hit, values, pool)
    if any(hit.unsaid for hit in found):
        why = f"{pool.title} does not say which containerd it runs, on which it depends whether this release works"
        skip(ToGive(why, "say it in the fleet (containerd of the pool)") if need(pool.runtime).chosen else why)


def _doubted_once(found: Sequence[Hit]) -> Iterator[Hit]:
    """Where it is not known which release it is, one of what may break stands for all: one answer settles them."""
    doubted = next((each for each in found if each.unsure is not None and not each.unsaid), None)
    yield from (each for each in found if each.unsure is None or each.unsaid or each is doubted)


def _is_asked_for(hit: Hit) -> bool:
    """Whether somebody wrote what depends on it, rather than it being on by default."""
    return any(each.written for each in hit.found)


@RULE.check
def it_works_where_its_paths_are(values: OperatorValues, pool: GpuPool | None) -> Findings:
    """Without a fleet, the paths of one distribution show which it is for; a cluster tells it itself."""
    _of_a_release(values)
    if pool is not None or values.place.object is not None:
        return
    from nodeworthy.facts.operator.paths_of import nodes_by_paths

    nodes = nodes_by_paths(values.toolkit)
    for hit in hits(values, nodes) if nodes is not None else ():
        if not hit.unsaid:
            yield _draft_of_hit(hit, values, nodes)


@RULE.check
def it_works_as_a_script_installs_it(operator: OperatorByHelm, every: Sequence[OperatorByHelm]) -> Findings:
    """A release without a values file is judged by its command. An `install` and an `upgrade` that say the same are
    told once."""
    values, machine = operator.values, operator.machine
    _of_a_release(values)
    if any(_says_before(each, operator) for each in every):
        skip("a command before it says the same")
    found: list[tuple[Hit, GpuPool | None]] = [(each, None) for each in hits(values, None)]
    found += [(each, machine) for each in hits(values, machine)] if machine is not None else []
    # Where it is not known which release it is, only what somebody wrote asks for one that works with it.
    told = [(hit, pool) for hit, pool in found if not hit.unsaid and (hit.unsure is None or _is_asked_for(hit))]
    sure = [each for each in told if each[0].unsure is None]
    yield from (_draft_of_hit(hit, values, pool) for hit, pool in sure or told[:1])


def _says_before(other: OperatorByHelm, operator: OperatorByHelm) -> bool:
    if other.place.path != operator.place.path or other.place.row >= operator.place.row:
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


def _draft_of_hit(hit: Hit, values: OperatorValues, pool: GpuPool | None) -> Draft:
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


# Which of the known breakages a release of the operator has with these settings, on this pool.


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


def names_a_release(values: OperatorValues) -> bool:
    """Whether anybody says which release these settings are for, be it by a version of the toolkit."""
    return values.release.state != Known(None) or _toolkit_version(values) is not None


def _hit(each: Breakage, values: OperatorValues, pool: GpuPool | None) -> Hit | None:
    answers = [_release(each, values), *_settings(each, values), *(_of_pool(each, pool) if pool is not None else ())]
    if any(answer.holds is False for answer in answers):
        return None
    seen = tuple(answer.seen for answer in answers[1:] if answer.seen is not None)
    open_ = [answer.why for answer in answers if answer.holds is None]
    doubts = [*filter(None, open_), *([f"{each.doubt} is not known"] if each.doubt else [])]
    return Hit(each, seen, doubts[0] if doubts else None, unsaid="" in open_)


def _release(each: Breakage, values: OperatorValues) -> _Answer:
    toolkit = _toolkit_version(values)
    if each.toolkit is not None and toolkit is not None:
        return _covered((each.toolkit,), toolkit, "toolkit.version")
    release = values.release.state
    if isinstance(release, Known):
        return _Answer(False) if release.value is None else _covered((each.releases,), values.release, "the release")
    asked = range_of(values.asked_release) or Span()
    inside = each.releases.covers(asked)
    return _Answer(inside, values.release, f"which release of the operator it is, is not known: {release.why}")


def _toolkit_version(values: OperatorValues) -> Located[Any] | None:
    version = values.tree.get("toolkit", "version").located()
    known = isinstance(version.state, Known) and isinstance(version.state.value, str)
    return version if known and span_of(version.state.value) else None  # type: ignore[union-attr]


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
