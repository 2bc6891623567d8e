"""What is broken and whom it hits, in plain words: findings that say the same to whoever waits are one cause."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from nodeworthy.facts.cluster.sighting import Sighting, Sign
from nodeworthy.records import dataclass
from nodeworthy.verdict import Finding

SHOWN = 5


@dataclass(frozen=True)
class Cause:
    says: str
    # Whom it concerns: pool 'h100'.
    on: tuple[str, ...]
    findings: tuple[Finding, ...]

    @property
    def victims(self) -> list[str]:
        """A job that is itself the fault is hit by it, too."""
        found = dict.fromkeys(victim for each in self.findings for victim in each.victims)
        return list(found) or (self.places if self._plain is not None and self._plain.theirs else [])

    @property
    def places(self) -> list[str]:
        return list(dict.fromkeys(each.where.object or str(each.where) for each in self.findings))

    @property
    def _plain(self) -> Plain | None:
        return RULES.get(self.findings[0].rule)

    @property
    def where_and_what(self) -> str:
        return f"{names(self.on)}: {self.says}" if self.on else self.says

    @property
    def is_mendable(self) -> bool:
        return all(each.remedy for each in self.findings)

    @property
    def to_do(self) -> str:
        if self._plain is None or self._plain.theirs is None:
            return "not known yet."
        if not self._plain.theirs:
            return "nothing. Your jobs need no change for this."
        remedies = list(dict.fromkeys(each.remedy for each in self.findings if each.remedy))
        return f"change the job: {'; '.join(remedies[:SHOWN]) or 'how was not found.'}"

    def among(self, sightings: Iterable[Sighting]) -> list[Sighting]:
        """What the cluster said of those that this is about."""
        objects = {*self.victims, *(each.where.object for each in self.findings)}
        return [each for each in sightings if each.object in objects]


def causes(broken: Iterable[Finding]) -> list[Cause]:
    """The causes, those that hit most first."""
    alike: dict[tuple[str, tuple[str, ...]], list[Finding]] = {}
    for each in broken:
        plain = RULES.get(each.rule)
        alike.setdefault((plain.says if plain else each.message, each.on), []).append(each)
    found = [Cause(says, on, tuple(findings)) for (says, on), findings in alike.items()]
    return sorted(found, key=lambda cause: -len(cause.victims))


def names(some: Sequence[str]) -> str:
    return ", ".join(some[:SHOWN]) + (f" and {len(some) - SHOWN} more" if len(some) > SHOWN else "")


def platform_objects(sightings: Iterable[Sighting]) -> set[str]:
    return {each.object for each in sightings if each.sign is Sign.OWN}


# What an object's trouble is called by Kubernetes, and what that means for whoever waits for it.
TROUBLES = {
    "FailedCreatePodSandBox": "cannot start: stuck in ContainerCreating",
    "UnexpectedAdmissionError": "cannot run: turned away by the node",
    "OutOfnvidia.com/gpu": "cannot run: turned away by the node",
    "TopologyAffinityError": "cannot run: turned away by the node",
    "FailedScheduling": "must wait in Pending: no node to run on",
    "FailedCreate": "cannot make pods: they are refused",
    "FailedCreatePod": "cannot make pods: they are refused",
    "FailedMount": "cannot start: a volume cannot be mounted",
    "FailedAttachVolume": "cannot start: a volume cannot be attached",
    "CrashLoopBackOff": "cannot stay up: crashes again and again",
    "BackOff": "cannot stay up: crashes again and again, or its image cannot be fetched",
    "ImagePullBackOff": "cannot start: the image cannot be fetched",
    "ErrImagePull": "cannot start: the image cannot be fetched",
    "CreateContainerConfigError": "cannot start: something that its settings name is not there",
    "OOMKilled": "ended: more memory was taken than is allowed",
    "Evicted": "ended: the node ran out of something",
}


@dataclass(frozen=True)
class Plain:
    says: str
    # Whether those who run jobs mend it themselves, in their jobs; None where that differs from case to case.
    theirs: bool | None = False


_HAMI = "HAMi, which shares GPUs between jobs,"
RULES = {
    "containerd-paths": Plain(
        "the part that gives containers their GPUs was set up for another container runtime than the one that "
        "Kubernetes uses on these machines, so containers that need GPUs cannot be started there"
    ),
    "toolkit-reaches-containerd": Plain(
        "the container runtime that Kubernetes uses on these machines was not told about GPUs, so containers that need "
        "them cannot be started there"
    ),
    "toolkit-env-wellformed": Plain("the part that gives containers their GPUs has settings that it cannot use"),
    "runtime-class-agrees": Plain(
        "the name under which jobs ask for the GPU runtime is not the name under which the machines have it",
        theirs=None,
    ),
    "operator-release-works": Plain("the GPU operator is of a release that is known to break here"),
    "one-driver": Plain("not exactly one source installs the GPU driver"),
    "one-device-plugin": Plain("not exactly one program offers the machines' GPUs to jobs"),
    "gpu-count-complete": Plain("not all GPUs of these machines can be given to jobs"),
    "verification-yields": Plain("a test of the machines holds their GPUs, and does not give them back for jobs"),
    "dcgm-off-profiling-nodes": Plain(
        "a program that measures GPUs runs where only profilers may, and the two get in each other's way"
    ),
    "profiling-node-exists": Plain("fewer machines are set aside for profiling than should be"),
    "database-replicated": Plain("the database that keeps the job queue is not set up as it should be"),
    "no-secret-in-plain-sight": Plain("a password, token or key can be read where it should not"),
    "hami-installed-once": Plain(f"{_HAMI} is not installed exactly once"),
    "hami-components-healthy": Plain(f"{_HAMI} does not run whole"),
    "hami-plugin-configured": Plain(f"{_HAMI} cannot work with the settings that it has on the machines"),
    "hami-pods-mutated": Plain(f"{_HAMI} was passed by, so what these pods asked for was not arranged", theirs=None),
    "driver-capabilities-allowed": Plain("a container asks the GPU driver for something it may not have", theirs=True),
    "gpu-fits-a-node": Plain("a job asks for something that no machine here has", theirs=True),
    "gpu-quantity": Plain("a job asks for GPUs in a way that Kubernetes does not take", theirs=True),
    "profiling-pod-privileged": Plain("a job that profiles lacks the right to read the counters", theirs=True),
}

NO_WORD = "named as hit; what was read does not say how"

_NEVER = datetime.min.replace(tzinfo=UTC)


def lines_of_hurt(victims: Sequence[str], sightings: Iterable[Sighting]) -> list[str]:
    """One line for each trouble: how many have it, and who."""
    words = _words(sightings)
    by_trouble: dict[str, list[str]] = {}
    for victim in victims:
        by_trouble.setdefault(_trouble(words.get(victim)), []).append(victim)
    return [f"{how_many(some)} {trouble}: {few_named(some)}" for trouble, some in by_trouble.items()]


def how_many(objects: Sequence[str]) -> str:
    """`2 pods`, or `3 objects` where they are of several kinds."""
    kinds = {each.partition("/")[0] for each in objects}
    kind = kinds.pop() if len(kinds) == 1 else "object"
    return f"{len(objects)} {kind.lower() if kind == 'Pod' else kind}{'s' if len(objects) > 1 else ''}"


def few_named(objects: Sequence[str]) -> str:
    shown = ", ".join(_name(each) for each in objects[:SHOWN])
    return f"{shown} and {len(objects) - SHOWN} more" if len(objects) > SHOWN else shown


def spaces_of(objects: Iterable[str]) -> list[str]:
    return sorted({parts[1] for each in objects if len(parts := each.split("/", 2)) == 3})


def _name(object_: str) -> str:
    """The name of an object as people say it: without its kind."""
    return object_.partition("/")[2] or object_


def _words(sightings: Iterable[Sighting]) -> dict[str, str]:
    """The words of each object: what its status says, else its newest warning."""
    newest: dict[str, tuple[bool, datetime, str]] = {}
    for each in sightings:
        if each.word:
            key = (each.sign is Sign.STATE, each.last or each.first or _NEVER, each.word)
            newest[each.object] = max(newest.get(each.object, key), key)
    return {name: word for name, (_, _, word) in newest.items()}


def _trouble(word: str | None) -> str:
    if word is None:
        return NO_WORD
    known = TROUBLES.get(word)
    return f"{known} ({word})" if known else f"in trouble, which Kubernetes calls {word}"
