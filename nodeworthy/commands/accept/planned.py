"""What a run on Kubernetes would be: its nodes, its terms, and what is left out of it with why."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from string import ascii_lowercase
from typing import TYPE_CHECKING

from nodeworthy.commands.accept.options import Options
from nodeworthy.errors import InputError
from nodeworthy.known.acceptance import (
    ALLOCATION,
    BURN_SECONDS,
    BY_THE_DRIVER,
    HELD,
    LEAST_BURN_SECONDS,
    OF_A_SLICE,
    OF_THE_NODE,
    Level,
    level_tests,
)
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass

if TYPE_CHECKING:
    from nodeworthy.collect.in_cluster.cluster import Cluster
    from nodeworthy.collect.workload.jobs import RunTerms
    from nodeworthy.collect.workload.live.piece import Piece, Terms
    from nodeworthy.collect.workload.recording import Job, LeftOut, RunRecording
    from nodeworthy.collect.workload.slurm import SlurmTerms
    from nodeworthy.facts.accept.given_back import GpusGivenBack
    from nodeworthy.facts.accept.measure import Shape
    from nodeworthy.fleet.model import Fleet


@dataclass(frozen=True)
class Planned:
    terms: Terms
    shapes: tuple[Shape, ...]
    left_out: tuple[LeftOut, ...]
    told: tuple[str, ...]
    began: str

    def alone(self) -> list[Piece]:
        """What each node is tried by itself with."""
        named = ((self.terms.node_name(number, each), each) for number, each in enumerate(self.shapes))
        return [piece for name, each in named for piece in (*self._whole(name, each), *self._sliced(name, each))]

    def _whole(self, name: str, shape: Shape) -> Iterator[Piece]:
        from nodeworthy.collect.workload.jobs import node_tests
        from nodeworthy.collect.workload.live.piece import Piece

        tests = node_tests(self.terms.tests)
        if tests and shape.has_whole_gpus:
            yield Piece(name, (shape,), tests, self.terms.seconds_of(tests))

    def _sliced(self, name: str, shape: Shape) -> Iterator[Piece]:
        """One slice of each profile. What is about the node is tried with the first, where nothing else tries it."""
        from nodeworthy.collect.workload.askings import one_slice
        from nodeworthy.collect.workload.jobs import node_tests
        from nodeworthy.collect.workload.live.piece import Piece

        can = OF_A_SLICE if shape.has_whole_gpus else (*OF_A_SLICE, *OF_THE_NODE)
        for number, slices in enumerate(shape.slices):
            tests = tuple(each for each in node_tests(self.terms.tests) if each in can)
            if tests:
                yield Piece(
                    f"{name}-mig{number}", (shape,), tests, self.terms.seconds_of(tests), asking=one_slice(slices)
                )
            can = OF_A_SLICE

    def asked(self, shapes: Sequence[Shape]) -> Iterator[list[Piece]]:
        """The steps in which each of these nodes is asked for its GPUs: none begins before the last one is over."""
        from nodeworthy.collect.workload.askings import STEPS, askings
        from nodeworthy.collect.workload.live.piece import Piece

        tests = (ALLOCATION,) if ALLOCATION in self.terms.tests else ()
        seconds, name = self.terms.seconds_of(tests), self.terms.node_name
        for step in range(STEPS if tests else 0):
            yield [
                Piece(f"{name(number, each)}-{step}{letter}", (each,), tests, seconds, asking)
                for number, each in enumerate(shapes)
                for letter, asking in zip(ascii_lowercase, askings(each, step), strict=False)
            ]

    def together(self, shapes: Sequence[Shape]) -> list[Piece]:
        """What some of its nodes are tried together with."""
        from nodeworthy.collect.workload.jobs import group_tests
        from nodeworthy.collect.workload.live.piece import Piece

        tests = group_tests(self.terms.tests)
        if not tests:
            return []
        seconds = self.terms.seconds_of(tests)
        whole = [each for each in shapes if each.has_whole_gpus]
        return [Piece(name, some, tests, seconds) for name, some in self.terms.group_pieces(whole).items()]

    def pieces(self) -> list[Piece]:
        """All pieces, except those that somebody has to watch."""
        return [*self.alone(), *self.together(self.shapes)]

    def by_hand(self) -> list[Job]:
        """The jobs for somebody who starts them by hand: all as if they had run and printed nothing yet."""
        from nodeworthy.collect.workload.live.piece import Ended

        return [Ended(each, None, "", 0.0, (b"",) * len(each.shapes)).job for each in self.pieces()]

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
    manner = {"without_torch": terms.without_torch, "watched": terms.is_watched}
    left_out = (*found.left_out, *not_begun(found.shapes, tests, terms.level, **manner))
    return Planned(terms, found.shapes, left_out, found.told, f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}")


def terms_of(options: Options, tests: tuple[str, ...], fleet: Fleet | None) -> RunTerms:
    """Raises InputError where nobody says which image or which nodes."""
    from nodeworthy.collect.in_cluster.job import PRIORITY
    from nodeworthy.collect.workload.jobs import RunTerms

    image = options.image or (fleet.accept.image if fleet is not None and fleet.accept is not None else None)
    if not image or image.startswith("-"):
        raise InputError(
            "nothing says in which image torch is: --image IMAGE, or accept.image of the fleet; "
            "with --without-torch any image with Python will do"
        )
    if not (options.nodes or options.selector or fleet is not None):
        raise InputError("no node is named: NODE, --selector LABEL=VALUE, or --fleet FILE")
    level = Level(options.level)
    return RunTerms(
        run=secrets.token_hex(4),
        nonce=secrets.token_hex(16),
        image=image,
        level=level,
        tests=_tests(tests, level, options),
        without_torch=options.without_torch,
        namespace=namespace_of(options),
        queue=options.queue,
        job_seconds=job_seconds(options),
        priority_class=options.priority_class or PRIORITY,
        burn_seconds=burn_seconds(options),
        download=download_url(options),
        model=model_folder(options, is_seen_here=False),
    )


def _tests(tests: Sequence[str], level: Level, options: Options) -> tuple[str, ...]:
    can = BY_THE_DRIVER if options.without_torch else tests
    return tuple(each for each in tests if each in level_tests(level) and each in can)


def burn_seconds(options: Options) -> int:
    """Raises InputError."""
    from nodeworthy.collect.node.durations import seconds

    found = int(seconds(options.burn_time)) if options.burn_time is not None else BURN_SECONDS
    if not LEAST_BURN_SECONDS <= found <= HELD[Level.BURN]:
        raise InputError(f"--burn-time {options.burn_time}: from {LEAST_BURN_SECONDS}s to {HELD[Level.BURN] // 3600}h")
    return found


def download_url(options: Options) -> str | None:
    """Raises InputError for what is no address, and for one with a secret: it would stand in every Job and script."""
    from urllib.parse import urlsplit

    url = options.download_url
    if url is None:
        return None
    try:
        parts = urlsplit(url)
        is_one = parts.scheme in ("http", "https") and bool(parts.hostname) and url.isascii() and url.isprintable()
    except ValueError:
        is_one = False
    if not is_one or " " in url:
        raise InputError("--download-url is no address of http or https, such as https://mirror.example.com/1GiB.bin")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise InputError(
            "--download-url stands in every Job and batch script, where all can read it: no user, no password, and "
            "nothing after a question mark; name a file that needs none"
        )
    return url


# What a folder may be called that stands in scripts, in objects, and in mounts of Pyxis: colons and commas are theirs.
_FOLDER = pattern(r"/[^\x00-\x1f:,\x7f]{1,900}")


def model_folder(options: Options, *, is_seen_here: bool) -> str | None:
    """The folder of the model; on Kubernetes it is in the image, or nowhere. Raises InputError."""
    folder = options.model
    if folder is None:
        return None
    if not _FOLDER.fullmatch(folder):
        raise InputError(f"--model {folder}: a folder from the root on, as nodes see it, without colons and commas")
    if is_seen_here and not Path(folder, "config.json").is_file():
        raise InputError(f"--model {folder}: no model is there: a folder with config.json, which all nodes see")
    return folder.rstrip("/")


# Below this no program could say a word.
_LEAST_JOB_SECONDS = 30


def job_seconds(options: Options) -> int | None:
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
        on=terms.on,
        began=planned.began,
        image=terms.image,
        jobs=tuple(jobs),
        left_out=planned.left_out,
        given_back=tuple(given_back),
    )


_GPUS = pattern(r"(?:[A-Za-z0-9_.-]+:)?[1-9][0-9]{0,2}")


def _gpus_asked_for(options: Options) -> str:
    """The GPUs of one node as Slurm spells them. Empty where each node says it itself. Raises InputError for what is
    none."""
    from nodeworthy.collect.workload.room import slice_profile

    gpus = options.gpus or ("" if not options.dry_run else None)
    if gpus is None or (gpus and not _GPUS.fullmatch(gpus)):
        raise InputError("nothing says what a node has: --gpus TYPE:N, as sinfo -o '%P %G' spells it, such as h100:8")
    kind, _, count = gpus.rpartition(":")
    if slice_profile(kind) and count != "1":
        raise InputError(f"--gpus {gpus}: a process sees one slice of a GPU, whatever it was given: --gpus {kind}:1")
    return gpus


def slurm_terms_of(options: Options, tests: tuple[str, ...], fleet: Fleet | None) -> SlurmTerms:
    """Raises InputError where nobody says which Python, or where jobs may write."""
    from nodeworthy.collect.workload.slurm import SlurmTerms

    said = fleet.accept if fleet is not None else None
    gpus = _gpus_asked_for(options)
    container = container_of(options)
    python = options.python or ("python3" if container else said.python if said is not None else None)
    scratch = options.scratch or (said.scratch if said is not None else None)
    if not python or not scratch or not scratch.startswith("/") or not (container or python.startswith("/")):
        raise InputError(
            "--python PATH of one with torch (or --container IMAGE, where Pyxis is), and --scratch DIR that all nodes "
            "see, both from the root on"
        )
    level = Level(options.level)
    return SlurmTerms(
        run=secrets.token_hex(4),
        nonce=secrets.token_hex(16),
        level=level,
        tests=_tests(tests, level, options),
        without_torch=options.without_torch,
        gpus=gpus,
        python=python,
        scratch=scratch.rstrip("/"),
        nodes=tuple(options.nodes),
        partition=options.partition,
        account=options.account,
        qos=options.qos,
        reservation=options.reservation,
        setup=_text(options.setup),
        job_seconds=job_seconds(options),
        burn_seconds=burn_seconds(options),
        download=download_url(options),
        container=container,
        model=model_folder(options, is_seen_here=True),
    )


def accounting_seconds(options: Options) -> float | None:
    """None where nobody says it. Raises InputError."""
    from nodeworthy.collect.node.durations import seconds

    return None if options.accounting_patience is None else seconds(options.accounting_patience)


# As Pyxis takes it: a path to a squashed file, or [docker://][user@][registry#]image[:tag].
_CONTAINER = pattern(r"(?:docker://)?[A-Za-z0-9/._][A-Za-z0-9@#:/._+-]*")
_WITH_PASSWORD = pattern(r"(?:^|//)[^/@#]*:[^/@#]*@.*#")


def container_of(options: Options) -> str | None:
    """Raises InputError."""
    image = options.container
    if image is not None and not _CONTAINER.fullmatch(image):
        raise InputError("--container is no image as Pyxis takes it, such as nvcr.io#nvidia/pytorch:25.10-py3")
    if image is not None and _WITH_PASSWORD.search(image):
        raise InputError("--container stands in every batch script: no password in it (enroot has its own credentials)")
    return image


def _text(path: str | None) -> str | None:
    if path is None:
        return None
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise InputError(f"--setup {path} can't be read: {problem}") from None
