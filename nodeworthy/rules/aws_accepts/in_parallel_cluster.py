"""What AWS ParallelCluster refuses before it makes anything: names, numbers, storage, and words in the wrong place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.aws.parallel_cluster import VALIDATED_BY, ComputeResource, ParallelCluster
from nodeworthy.known.parallel_cluster import keys_of, sizes_refused, throughput_refused, words_of
from nodeworthy.patterns import pattern
from nodeworthy.rules.aws_accepts import RULE
from nodeworthy.verdict import Draft, Findings, Related, fail

_NAME = pattern(r"[a-z][a-z0-9-]{0,24}")
# What fills a template in later: `${NAME}`, `{{ name }}`, `<name>`, `$NAME`.
_FILLED_IN = pattern(r"[$<>{}%]")
_REFUSED = "`pcluster create-cluster` validates the whole file first, and makes nothing of one that has an error"
_SHOWN = 6


@RULE.check
def it_takes_its_names(cluster: ParallelCluster) -> Findings:
    named = [
        each.get("Name") for each in (*(one.tree for one in cluster.queues), *(one.tree for one in cluster.resources))
    ]
    wrong = [each for each in named if each.string and not _FILLED_IN.search(each.string) and not _is_name(each.string)]
    if wrong:
        first, *others = wrong
        yield fail(
            first,
            f"ParallelCluster takes no queue and no compute resource of the name {first.string}",
            is_=first.string,
            should="a small letter, then small letters, digits and hyphens: 25 at most, and not `default`",
            related=[Related(each.place, f"nor of the name {each.string}") for each in others[:_SHOWN]],
            cause=_REFUSED,
            remedy=f"write {_meant(first.string)}",
        )
    yield from _twice([each.tree.get("Name") for each in cluster.queues], "queue")
    for queue in cluster.queues:
        yield from _twice([each.tree.get("Name") for each in queue.resources], "compute resource")


def _is_name(name: str) -> bool:
    return _NAME.fullmatch(name) is not None and name != "default"


def _meant(name: str) -> str:
    return name.lower().replace("_", "-").replace(".", "-")[:25] if name != "default" else "another name"


def _twice(names: Sequence[Tree], what: str) -> Iterator[Draft]:
    seen: dict[str, Tree] = {}
    for each in names:
        if each.string and each.string in seen:
            yield fail(
                each,
                f"two {what}s have the name {each.string}",
                is_=each.string,
                should="a name of its own",
                related=[Related(seen[each.string].place, "here is the other")],
                cause=_REFUSED,
                remedy=f"write what should be there; {VALIDATED_BY}",
            )
        seen.setdefault(each.string, each)


@RULE.check
def its_numbers_and_subnets_go_together(cluster: ParallelCluster) -> Findings:
    for each in cluster.resources:
        least, most = each.count("MinCount"), each.count("MaxCount")
        if least is not None and most is not None and least > most:
            said = each.tree.get("MinCount")
            yield fail(
                said,
                f"{each.title} has at least {least} nodes, and at most {most}",
                is_=f"MinCount: {least}",
                should=f"MinCount of at most {most}, or a larger MaxCount (10 where none stands there)",
                cause=_REFUSED,
                remedy=f"write what should be there; {VALIDATED_BY}",
            )
        if each.is_in_several_zones:
            yield from _in_several_zones(each)
        if each.tree.get("Efa", "GdrSupport").value is True and not each.has_efa:
            said = each.tree.get("Efa", "GdrSupport")
            yield fail(
                said,
                f"{each.title} asks for GdrSupport without EFA",
                should="Enabled: true",
                cause=_REFUSED,
                remedy=f"write what should be there; {VALIDATED_BY}",
            )


def _in_several_zones(each: ComputeResource) -> Iterator[Draft]:
    subnets = each.queue.get("Networking", "SubnetIds")
    said = each.tree.get("InstanceType")
    if not said.says_nothing:
        yield fail(
            said.located(),
            f"{each.title} has one InstanceType, and its queue several subnets",
            is_=f"InstanceType: {said.string}",
            should="Instances, with this InstanceType in it, or one subnet",
            related=[Related(subnets.heading, f"here are {len(subnets.sequence)}")],
            cause=_REFUSED,
            remedy=f"write what should be there; {VALIDATED_BY}",
        )
    if each.is_grouped:
        yield fail(
            each.group.heading,
            f"{each.title} has a placement group, and its queue subnets of several zones",
            is_="PlacementGroup",
            should="one subnet, or no placement group",
            related=[Related(subnets.heading, f"here are {len(subnets.sequence)}")],
            cause=f"a cluster placement group is in one zone; {_REFUSED}",
            remedy=f"write what should be there; {VALIDATED_BY}",
        )


@RULE.check
def its_storage_has_such_a_size(cluster: ParallelCluster) -> Findings:
    for each in cluster.storage:
        settings = each.get("FsxLustreSettings")
        if settings.says_nothing or not settings.get("FileSystemId").says_nothing:
            continue
        kind = settings.get("DeploymentType").text or "SCRATCH_2"
        capacity, disks = settings.get("StorageCapacity"), settings.get("StorageType").string
        through = settings.get("PerUnitStorageThroughput")
        if settings.get("DeploymentType").is_unknown or settings.get("StorageType").is_unknown:
            continue
        if not settings.get("BackupId").says_nothing or (not through.says_nothing and not _is_a_number(through)):
            continue
        if should := sizes_refused(capacity.value, kind, disks):
            yield _of_storage(capacity, f"FSx for Lustre has no {capacity.value} GiB of {kind}", should)
        if should := throughput_refused(through.value if _is_a_number(through) else None, kind, disks):  # type: ignore[arg-type]
            where = through if _is_a_number(through) else settings
            yield _of_storage(where, f"FSx for Lustre has no such throughput for each TiB of {kind}", should)


def _is_a_number(said: Tree) -> bool:
    return isinstance(said.value, int) and not isinstance(said.value, bool)


def _of_storage(where: Tree, message: str, should: str) -> Draft:
    return fail(
        where.located() if not where.is_mapping else where.heading,
        message,
        should=should,
        cause=_REFUSED,
        remedy=f"write what should be there; {VALIDATED_BY}",
    )


@RULE.check
def its_words_stand_where_they_are_read(cluster: ParallelCluster) -> Findings:
    for section, tree in _sections(cluster.tree):
        for name, said in tree.mapping.items():
            if should := keys_of(section).refuses(name):
                yield fail(
                    said.heading,
                    f"ParallelCluster has no {name} in {section}",
                    is_=name,
                    should=should,
                    cause=_REFUSED,
                    remedy=f"write what should be there; {VALIDATED_BY}",
                )
        for name, words in words_of(section).items():
            said = tree.get(name)
            if said.string and said.string not in words and not _FILLED_IN.search(said.string):
                yield fail(
                    said,
                    f"ParallelCluster knows no {name} of this name",
                    should=" or ".join(words),
                    cause=_REFUSED,
                    remedy=f"write what should be there; {VALIDATED_BY}",
                )


def _sections(tree: Tree) -> Iterator[tuple[str, Tree]]:
    """Each by the name of its key; those within it by theirs."""
    yield "the file", tree
    for name in ("HeadNode", "Scheduling", "Image"):
        yield name, tree.get(name)
    yield "SlurmSettings", tree.get("Scheduling", "SlurmSettings")
    for each in tree.get("SharedStorage").sequence:
        yield "SharedStorage", each
    for queue in tree.get("Scheduling", "SlurmQueues").sequence:
        yield "SlurmQueues", queue
        yield "Networking of a queue", queue.get("Networking")
        for resource in queue.get("ComputeResources").sequence:
            yield "ComputeResources", resource
