"""What a run on Kubernetes would be: its nodes, its terms, and what is left out of it with why."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from nodeworthy.commands.accept.options import Options
from nodeworthy.errors import InputError
from nodeworthy.known.acceptance import Level, level_tests
from nodeworthy.records import dataclass

if TYPE_CHECKING:
    from nodeworthy.collect.in_cluster.cluster import Cluster
    from nodeworthy.collect.workload.jobs import RunTerms
    from nodeworthy.collect.workload.live.piece import Piece
    from nodeworthy.collect.workload.recording import Job, LeftOut, RunRecording
    from nodeworthy.facts.accept.given_back import GpusGivenBack
    from nodeworthy.facts.accept.measure import Shape
    from nodeworthy.fleet.model import Fleet


@dataclass(frozen=True)
class Planned:
    terms: RunTerms
    shapes: tuple[Shape, ...]
    left_out: tuple[LeftOut, ...]
    told: tuple[str, ...]
    began: str

    def alone(self) -> list[Piece]:
        """What each node is tried by itself with."""
        from nodeworthy.collect.workload.jobs import job_name, of_nodes, seconds_of
        from nodeworthy.collect.workload.live.piece import Piece

        tests = of_nodes(self.terms.tests)
        if not tests:
            return []
        seconds = seconds_of(tests, self.terms)
        names = (job_name(number, each, self.terms) for number, each in enumerate(self.shapes))
        return [Piece(name, (each,), tests, seconds) for name, each in zip(names, self.shapes, strict=True)]

    def together(self, shapes: Sequence[Shape]) -> list[Piece]:
        """What some of its nodes are tried together with."""
        from nodeworthy.collect.workload.jobs import groups, of_groups, seconds_of
        from nodeworthy.collect.workload.live.piece import Piece

        tests = of_groups(self.terms.tests)
        if not tests:
            return []
        seconds = seconds_of(tests, self.terms)
        return [Piece(name, some, tests, seconds) for name, some in groups(shapes, self.terms).items()]

    def by_hand(self) -> list[Job]:
        """As if all of it had run, and printed nothing yet."""
        from nodeworthy.collect.workload.live.piece import Ended

        pieces = [*self.alone(), *self.together(self.shapes)]
        return [Ended(each, None, "", 0.0, (b"",) * len(each.shapes)).job for each in pieces]

    def without(self, nodes: Mapping[str, LeftOut]) -> Planned:
        """Less these nodes: of each, every test that would have run is left out for the same reason."""
        left = [replace(why, test=test) for why in nodes.values() for test in self.terms.tests]
        staying = tuple(each for each in self.shapes if each.node not in nodes)
        return replace(self, shapes=staying, left_out=(*self.left_out, *left))


def namespace_of(options: Options) -> str:
    from nodeworthy.collect.in_cluster.role import HOME, check_name

    return check_name(options.namespace or HOME)


def plan(options: Options, tests: tuple[str, ...], terms: RunTerms, fleet: Fleet | None, cluster: Cluster) -> Planned:
    """Raises CouldNotLook where the cluster does not tell its nodes."""
    from nodeworthy.collect.workload.targets import not_begun, targets

    found = targets(cluster, options.nodes, options.selector, fleet, options.pool)
    left_out = (*found.left_out, *not_begun(found.shapes, tests, terms.level))
    return Planned(terms, found.shapes, left_out, found.told, f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}")


def terms_of(options: Options, tests: tuple[str, ...], fleet: Fleet | None) -> RunTerms:
    """Raises InputError where nobody says which image or which nodes."""
    from nodeworthy.collect.in_cluster.job import PRIORITY
    from nodeworthy.collect.workload.jobs import RunTerms

    image = options.image or (fleet.accept.image if fleet is not None and fleet.accept is not None else None)
    if not image or image.startswith("-"):
        raise InputError("nothing says in which image torch is: --image IMAGE, or accept.image of the fleet")
    if not (options.nodes or options.selector or fleet is not None):
        raise InputError("no node is named: NODE, --selector LABEL=VALUE, or --fleet FILE")
    level = Level(options.level)
    return RunTerms(
        run=secrets.token_hex(4),
        nonce=secrets.token_hex(16),
        image=image,
        level=level,
        tests=tuple(each for each in tests if each in level_tests(level)),
        namespace=namespace_of(options),
        queue=options.queue,
        job_seconds=_job_seconds(options),
        priority_class=options.priority_class or PRIORITY,
    )


# Below this no program could say a word.
_LEAST_JOB_SECONDS = 30


def _job_seconds(options: Options) -> int | None:
    from nodeworthy.collect.node.durations import seconds

    if options.job_deadline is None:
        return None
    found = int(seconds(options.job_deadline))
    if found < _LEAST_JOB_SECONDS:
        raise InputError(f"--job-deadline {options.job_deadline}: nothing can be tried in less than 30s")
    return found


def recording(planned: Planned, jobs: Sequence[Job], given_back: Sequence[GpusGivenBack] = ()) -> RunRecording:
    from nodeworthy.collect.workload.recording import RunRecording

    terms = planned.terms
    return RunRecording(
        path="",
        nonce=terms.nonce,
        level=terms.level,
        on="kubernetes",
        began=planned.began,
        image=terms.image,
        jobs=tuple(jobs),
        left_out=planned.left_out,
        given_back=tuple(given_back),
    )
