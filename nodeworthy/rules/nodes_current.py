"""A running node is what its group would start now: image, boot script, type, profile, open ports, disks, metadata.

A template that was mended mends nothing that runs. Auto scaling starts the next machine from it, and those that are
there stay what they were until somebody replaces them: for weeks half of a pool boots with the old script, and nobody
knows which half. The versions' numbers do not tell it: a newer version with the same content is the same, and passes.

What a machine boots with is read from the machine itself. A group that takes its image from a parameter of AWS starts
newer ones by and by, without anybody's doing: that alone is a warning. While an instance refresh runs, it is not known
which machines stay. A group that follows the default version of its template, where the newest one says something else,
is a warning, too: somebody wrote a version that nobody uses.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from nodeworthy.facts.aws.node_drainer import is_of_a_cluster
from nodeworthy.facts.aws.running import Makeup, RunningMachine, RunningNodes
from nodeworthy.facts.aws.script_changes import first_change
from nodeworthy.records import dataclass
from nodeworthy.rule import Rule
from nodeworthy.verdict import Draft, Findings, Located, Related, Severity, fail, need, skip, unknown

RULE = Rule(
    "nodes-current",
    severity=Severity.ERROR,
    incident="D",
    title="A running node is what its group would start now",
    remedy="nodeworthy rollout --asg GROUP --dry-run, then without it: it replaces them one by one, each drained and "
    "its successor proven; by hand: cordon, drain and `aws autoscaling terminate-instance-in-auto-scaling-group "
    "--no-should-decrement-desired-capacity`",
)

CAUSE = "a node stays what it was started from until it is replaced, whatever its template says since"
_SCRIPT, _IMAGE = "boot script", "image"


@dataclass(frozen=True)
class _Old:
    """One thing in which a machine is not what it would be now."""

    what: str
    is_: str
    should: str
    told: str


@RULE.check
def machines_are_what_would_be_started(running: RunningNodes) -> Findings:
    _refuse_others(running)
    machines = need(running.machines)
    if not machines:
        skip(f"no machine of {running.title} runs")
    now = need(running.now)
    alike: dict[tuple[_Old, ...], list[RunningMachine]] = defaultdict(list)
    for each in machines:
        alike[tuple(_differences(each.made_of, now))].append(each)
    for old, some in alike.items():
        if not old:
            continue
        if running.renewed:
            yield unknown(running, f"which nodes of {running.title} stay is not known: {running.renewed}")
            return
        yield _draft_of_nodes(running, old, some, len(machines))


def _refuse_others(running: RunningNodes) -> None:
    if not is_of_a_cluster(running.nodes) and not running.nodes.is_managed and not running.nodes.joins:
        skip(f"nothing says that {running.title} starts nodes of a cluster")


def _draft_of_nodes(running: RunningNodes, old: Sequence[_Old], some: Sequence[RunningMachine], count: int) -> Draft:
    whats = [each.what for each in old]
    by_itself = whats == [_IMAGE] and bool(running.image_by)
    versions = sorted({each.version for each in some if each.version})
    is_other = bool(versions) and versions != [running.version]
    said = f"version {', '.join(versions)} of the template; now it is {running.version}" if is_other else ""
    return fail(
        running,
        f"{len(some)} of {count} nodes of {running.title} are not what their group would start now: {', '.join(whats)}",
        is_="; ".join(filter(None, (*(each.told for each in old), said))),
        should="; ".join(f"{each.what}: {each.should}" for each in old),
        related=[*running.nodes.declared, *_read_at(old, some), *_works(running, some)],
        cause=f"AWS has a newer image under {running.image_by}" if by_itself else CAUSE,
        victims=[each.id for each in some],
        severity=Severity.WARNING if by_itself else Severity.ERROR,
        remedy=_remedy(running),
    )


def _remedy(running: RunningNodes) -> str:
    name = (running.place.urn or "").rpartition("autoScalingGroupName/")[2] or "GROUP"
    if running.nodes.is_managed:
        return f"nodeworthy rollout --asg {name} --dry-run prints the command by which EKS replaces its own nodes"
    return RULE.remedy.replace("GROUP", name, 1)


def _read_at(old: Sequence[_Old], some: Sequence[RunningMachine]) -> Iterator[Related]:
    """Where the old boot script was read."""
    if any(each.what == _SCRIPT for each in old):
        for place in dict.fromkeys(each.read_at for each in some if each.read_at is not None):
            yield Related(place, "this machine still boots with the old script")


def _works(running: RunningNodes, some: Sequence[RunningMachine]) -> Iterator[Related]:
    """The nodes as their cluster knows them, and the work on them, which ends with them or is waited for."""
    for each in some:
        node = running.joined.get(each.id)
        if node is not None:
            yield Related(node.place, f"it is {each.id}{_at_work(node.works)}")


def _at_work(works: Sequence[str] | None) -> str:
    if works is None:
        return ""
    more = f" and {len(works) - 3} more" if len(works) > 3 else ""
    return f"; on its GPUs: {', '.join(works[:3])}{more}" if works else "; nobody holds GPUs of it"


@RULE.check
def the_newest_version_is_used(running: RunningNodes) -> Findings:
    _refuse_others(running)
    if running.newer is None:
        return
    newest = need(running.newer)
    yield fail(
        running.newer,
        f"{running.title} starts from the default version of its template, and a newer one says something else",
        is_=f"$Default, which is version {running.version}",
        should=f"version {newest}, or no such version",
        related=running.nodes.declared,
        cause="what somebody mended in the newer version reaches no node",
        remedy=f"aws ec2 modify-launch-template --default-version {newest}, or name the version in the group",
        severity=Severity.WARNING,
    )


def _differences(machine: Makeup, now: Makeup) -> Iterator[_Old]:
    yield from _of_scripts(machine.script, now.script)
    yield from _of_texts(_IMAGE, machine.image, now.image)
    yield from _of_types(machine, now)
    yield from _of_texts("instance profile", machine.profile, now.profile)
    yield from _of_doors(machine, now)
    yield from _of_disks(machine, now)
    yield from _of_metadata(machine, now)


def _of_scripts(own: Located[str | None], now: Located[str | None]) -> Iterator[_Old]:
    is_, should = need(own), need(now)
    if is_ == should:
        return
    change = first_change(is_ or "", should or "")
    yield _Old(_SCRIPT, change.is_, change.should, f"{_SCRIPT}: {change.is_}")


def _of_texts(what: str, own: Located[str | None], now: Located[str | None]) -> Iterator[_Old]:
    should = need(now)
    if should is None:
        return
    is_ = need(own)
    if is_ is not None and is_ != should:
        yield _Old(what, is_, should, f"{what} {is_}")


def _of_types(machine: Makeup, now: Makeup) -> Iterator[_Old]:
    is_, should = need(machine.types), need(now.types)
    if should and not is_ <= should:
        yield _Old("type", ", ".join(sorted(is_)), " or ".join(sorted(should)), f"type {', '.join(sorted(is_))}")


def _of_doors(machine: Makeup, now: Makeup) -> Iterator[_Old]:
    is_, should = need(machine.doors), need(now.doors)
    if should is not None and is_ is not None and is_ != should:
        yield _Old(
            "security groups",
            ", ".join(sorted(is_)),
            ", ".join(sorted(should)),
            f"security groups {', '.join(sorted(is_))}",
        )


def _of_disks(machine: Makeup, now: Makeup) -> Iterator[_Old]:
    for device, told in now.encrypted.items():
        own = machine.encrypted.get(device)
        if own is not None and need(own) != need(told):
            words = {True: "encrypted", False: "not encrypted"}
            yield _Old(f"disk {device}", words[need(own)], words[need(told)], f"disk {device} {words[need(own)]}")
    for device, wanted in now.sizes.items():
        size = machine.sizes.get(device)
        # A larger one was grown where it runs.
        if size is not None and need(size) < need(wanted):
            yield _Old(f"disk {device}", f"{need(size)} GiB", f"{need(wanted)} GiB", f"disk {device} {need(size)} GiB")


def _of_metadata(machine: Makeup, now: Makeup) -> Iterator[_Old]:
    """Differences in what both the template says and the machine tells."""
    for name, told in now.metadata.items():
        own = machine.metadata.get(name)
        if own is not None and need(own) != need(told):
            yield _Old(f"metadata service ({name})", need(own), need(told), f"{name} {need(own)}")
