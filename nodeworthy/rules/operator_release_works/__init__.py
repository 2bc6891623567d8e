"""No release of the GPU operator is used where it is known to break: with these settings, this containerd, here.

Some releases fail on one distribution, with one setting or with one range of containerd, in ways that show only when
their pods crash: 25.3.3 mounts the wrong folder for a `CONTAINERD_SOCKET` of one's own, 25.10 turns CDI on, which
containerd before 1.7 does not have, and from 26.3 on the toolkit may write a drop-in that ends containerd and its
node with it. What is known of them is a table, with its sources: a release that is not in it passes. Settings that do
not say for which release they are meant are not judged, unless they choose a version of the toolkit. A ClusterPolicy
that somebody writes must have what its schema requires, be it empty: else no API server takes it; and of a part's
repository, image and version all or none, since only Helm's chart fills in the others. And what is written
must be what some release reads: `enable` for `enabled`, `driver.enabled` as one key (only `--set` splits it),
tolerations in each part (`daemonsets.tolerations` is read, for all), workers of node feature discovery below `nfd` are
passed over, and Helm says nothing; nor does it of a `runtimeClass` for the device plugin's own chart. Without a fleet,
paths in `toolkit.env` that only some distributions have say where it will run. What a script says to helm (`--version`,
`--set`) is judged like a values file, with the defaults of the script's variables. A `version` of one part is the tag
of its image, and not every tag was published: the toolkit's of 1.17 end with `-ubuntu20.04` on every system, and the
driver's is written without a system, which the operator adds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from nodeworthy.documents.release import LOOSE
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.fleet.gpu_pool import GpuPool
from nodeworthy.facts.operator.recognition import (
    ORIGIN,
    half_images,
    is_filled_in_by_nobody,
    is_written_whole,
    left_out_fields,
)
from nodeworthy.facts.operator.sharing import UNREAD
from nodeworthy.facts.operator.values import OperatorValues
from nodeworthy.known.operator_parts import (
    is_there_by_default,
    keys_read,
    oldest_with_these_keys,
    read_below,
    read_instead,
    read_instead_of,
)
from nodeworthy.known.versions import Span, numbers, span_of
from nodeworthy.rule import Rule
from nodeworthy.verdict import (
    Draft,
    Findings,
    Known,
    Located,
    Related,
    Severity,
    ToGive,
    fail,
    need,
    skip,
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


@RULE.check
def its_images_are_whole(values: OperatorValues) -> Findings:
    if not is_filled_in_by_nobody(values):
        skip("Helm's chart fills in what its images leave out, or it is no whole ClusterPolicy")
    for path, part, said in half_images(values):
        missing = " and ".join(f"no {name}" for name, value in said.items() if not value)
        yield fail(
            part.get(next(name for name in said if said[name])).located(),
            f"the ClusterPolicy says {' and '.join(name for name in said if said[name])} of {path}, and {missing}",
            is_="{repository}/{image}:{version}".format(**said),
            should=f"repository, image and version of {path}, or none of them",
            cause="as soon as it has a repository or a version the operator puts the image together of all three; "
            "Helm's chart fills in the others, and of an object that somebody writes (OLM's) nobody does: its pods end "
            "with InvalidImageName",
            remedy=f"write all three ({path}: repository, image, version; of the driver nvcr.io/nvidia and driver), or "
            "none, which takes the image of the operator's own release",
        )


# As many parts as no other chart is likely to have.
_SURELY = 3
# The chart of node feature discovery, below its own name.
_CHART_WITHIN = "node-feature-discovery"
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
        only_of_a_release(values)
        return
    yield _unread_settings(values, unread)


def _are_surely_its(values: OperatorValues) -> bool:
    """Whether these are surely the operator's values, by their chart or by their keys: other charts have a toolkit as
    well."""
    is_installed_as_its = values.origin != LOOSE and values.elsewhere is None
    told = [name for name in values.tree.mapping if keys_read(name) or name == _CHART_WITHIN]
    return is_installed_as_its or len(told) >= _SURELY


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
    if values.origin == ORIGIN and should == _CHART_WITHIN:
        should = f"no {key}"
    where = "a ClusterPolicy has" if values.origin == ORIGIN else "the operator's chart reads"
    also = "" if values.origin == ORIGIN else ", and Helm says nothing"
    instead = "leave it out" if should.startswith("no ") else f"write {should} instead"
    return fail(
        tree.heading,
        f"{where} no {_setting_called(part, key)}: what it says is passed over",
        is_=_setting_called(part, key),
        should=should,
        related=[
            Related(each.heading, f"nor {_setting_called(name, said)}") for name, said, each in others[:_MOST_RELATED]
        ],
        cause=_passed_over(part, key) + also,
        remedy=f"{instead}: helm show values nvidia/gpu-operator lists what is read",
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
    only_of_a_release(values)
    from nodeworthy.rules.operator_release_works.known_breakages import draft_of_hit, hits, hits_doubted_once

    for hit in hits_doubted_once(list(hits(values, None))):
        yield draft_of_hit(hit, values, None)


@RULE.check
def it_works_on_this_pool(values: OperatorValues, pool: GpuPool) -> Findings:
    only_of_a_release(values)
    if pool.runs_unsaid:
        skip(f"no file says what the nodes of {pool.title} run")
    from nodeworthy.rules.operator_release_works.known_breakages import (
        draft_of_doubt,
        draft_of_hit,
        hits,
        hits_doubted_once,
        is_asked_for,
    )

    found = list(hits(values, pool))
    for hit in hits_doubted_once(found):
        if not hit.unsaid:
            yield draft_of_hit(hit, values, pool)
        elif need(pool.runtime).chosen and is_asked_for(hit):
            yield draft_of_doubt(hit, values, pool)
    if any(hit.unsaid for hit in found):
        why = f"{pool.title} does not say which containerd it runs, on which it depends whether this release works"
        skip(ToGive(why, "say it in the fleet (containerd of the pool)") if need(pool.runtime).chosen else why)


@RULE.check
def it_works_where_its_paths_are(values: OperatorValues, pool: GpuPool | None) -> Findings:
    """Without a fleet, the paths of one distribution show which it is for; a cluster tells it itself."""
    only_of_a_release(values)
    if pool is not None or values.place.object is not None:
        return
    from nodeworthy.facts.operator.paths_of import nodes_by_paths
    from nodeworthy.rules.operator_release_works.known_breakages import draft_of_hit, hits

    nodes = nodes_by_paths(values.toolkit)
    for hit in hits(values, nodes) if nodes is not None else ():
        if not hit.unsaid:
            yield draft_of_hit(hit, values, nodes)


def only_of_a_release(values: OperatorValues) -> None:
    """What is known to break is read where somebody names a release, which few files do."""
    if not names_a_release(values):
        skip(
            ToGive(
                "nobody says which release of the operator these settings are for", "say it in a fleet (operator.chart)"
            )
        )


def names_a_release(values: OperatorValues) -> bool:
    """Whether anybody says which release these settings are for, be it by a version of the toolkit."""
    return values.release.state != Known(None) or toolkit_version(values) is not None


def toolkit_version(values: OperatorValues) -> Located[Any] | None:
    version = values.tree.get("toolkit", "version").located()
    known = isinstance(version.state, Known) and isinstance(version.state.value, str)
    return version if known and span_of(version.state.value) else None  # type: ignore[union-attr]
