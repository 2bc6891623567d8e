"""`--dry-run`: what a run would make, whole; what is left out, and why; and its plan, for whoever runs it by hand."""

from __future__ import annotations

import json
import secrets
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nodeworthy.commands import judging
from nodeworthy.commands.accept.options import Options
from nodeworthy.errors import InputError
from nodeworthy.known.acceptance import Level, level_tests
from nodeworthy.patterns import pattern
from nodeworthy.report.printable import escape_json, on_one_line

if TYPE_CHECKING:
    from nodeworthy.collect.workload.jobs import RunTerms
    from nodeworthy.collect.workload.recording import LeftOut
    from nodeworthy.collect.workload.slurm import SlurmTerms
    from nodeworthy.facts.accept.measure import Shape
    from nodeworthy.fleet.model import Accept, Fleet

NOTHING_TO_RUN = 3
_GPUS = pattern(r"(?:[A-Za-z0-9_.-]+:)?[1-9][0-9]{0,2}")


def show(options: Options, tests: tuple[str, ...]) -> int:
    """0 where something would be run, 3 where nothing would. Raises InputError, and CouldNotLook of a cluster."""
    from nodeworthy.collect.source.fleets import Fleets

    fleet = Fleets(options.fleet, options.stack).asked_for()
    return _kubernetes(options, tests, fleet) if options.on == "kubernetes" else _slurm(options, tests, fleet)


def _said(fleet: Fleet | None) -> Accept | None:
    return fleet.accept if fleet is not None else None


def _kubernetes(options: Options, tests: tuple[str, ...], fleet: Fleet | None) -> int:
    from nodeworthy.collect.in_cluster.cluster import Cluster
    from nodeworthy.collect.in_cluster.role import HOME, check_name
    from nodeworthy.collect.workload.jobs import RunTerms
    from nodeworthy.collect.workload.targets import not_begun, targets

    said, namespace = _said(fleet), check_name(options.namespace or HOME)
    image = options.image or (said.image if said is not None else None)
    if not image or image.startswith("-"):
        raise InputError("nothing says in which image torch is: --image IMAGE, or accept.image of the fleet")
    if not (options.nodes or options.selector or fleet is not None):
        raise InputError("no node is named: NODE, --selector LABEL=VALUE, or --fleet FILE")
    level = Level(options.level)
    chosen = tuple(each for each in tests if each in level_tests(level))
    terms = RunTerms(secrets.token_hex(4), secrets.token_hex(16), image, level, chosen, namespace, options.queue)
    found = targets(Cluster(options.context, namespace), options.nodes, options.selector, fleet, options.pool)
    left_out = [*found.left_out, *not_begun(found.shapes, tests, level)]
    _deliver(options, "".join(_manifests(found.shapes, left_out, found.told, terms)))
    if options.record:
        _write_plan(options.record, _plan(found.shapes, left_out, terms))
    return 0 if found.shapes else NOTHING_TO_RUN


def _manifests(
    shapes: Sequence[Shape], left_out: Sequence[LeftOut], told: Sequence[str], terms: RunTerms
) -> Iterator[str]:
    import yaml

    from nodeworthy.collect.workload.jobs import objects, priority_class

    yield "# Nothing was made: this is a dry run. What follows is a run whole, to be applied and removed by hand.\n"
    yield from (f"# {on_one_line(each)}\n" for each in (*told, *_reasons(left_out)))
    if not shapes:
        return
    yield f"#   kubectl delete jobs,services,configmaps -n {terms.namespace} -l nodeworthy/run={terms.run}\n"
    for each in (priority_class(), *objects(shapes, terms)):
        yield "---\n" + yaml.safe_dump(each, sort_keys=False, width=120)


def _reasons(left_out: Sequence[LeftOut]) -> Iterator[str]:
    by_why: dict[tuple[tuple[str, ...], str], list[str]] = {}
    for each in left_out:
        by_why.setdefault((each.nodes, each.why), []).append(each.test)
    for (nodes, why), tests in by_why.items():
        yield f"not run on {', '.join(nodes)}: {', '.join(tests)}: {why}"


def _plan(shapes: Sequence[Shape], left_out: Sequence[LeftOut], terms: RunTerms) -> Mapping[str, Any]:
    from nodeworthy.collect.workload.jobs import job_name, of_groups, of_nodes

    alone, together = of_nodes(terms.tests), of_groups(terms.tests)
    jobs = [
        _job(job_name(number, each, terms), [each], alone, [f"{job_name(number, each, terms)}.log"])
        for number, each in enumerate(shapes)
        if alone
    ]
    if together and len(shapes) > 1:
        logs = [f"{terms.name}-group-{number}.log" for number in range(len(shapes))]
        jobs.append(_job(f"{terms.name}-group", shapes, together, logs))
    nodes = [
        {"name": each.node, "gpu": each.gpu, "count": each.count, "instance": each.instance, "rack": each.rack}
        for each in shapes
    ]
    return {**_head(terms.nonce, terms.level, "kubernetes", terms.image), "nodes": nodes, "jobs": jobs} | {
        "not_run": [
            {"test": each.test, "nodes": list(each.nodes), "reason": each.reason.value, "why": each.why}
            for each in left_out
        ]
    }


def _head(nonce: str, level: Level, on: str, image: str) -> dict[str, Any]:
    from nodeworthy.collect.workload.recording import SCHEMA

    began = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    head = {"schema": SCHEMA, "moment": "workload", "nonce": nonce, "level": level.value}
    return {**head, "on": on, "image": image, "began": began}


def _job(name: str, shapes: Sequence[Shape], tests: Sequence[str], logs: Sequence[str]) -> dict[str, Any]:
    gpus = sum(each.count or 0 for each in shapes)
    nodes = [each.node for each in shapes]
    return {"name": name, "nodes": nodes, "tests": [*tests], "state": "ran", "why": "", "gpus": gpus, "logs": [*logs]}


def _slurm(options: Options, tests: tuple[str, ...], fleet: Fleet | None) -> int:
    from nodeworthy.collect.workload.slurm import scripts

    made = scripts(_slurm_terms(options, tests, _said(fleet)))
    _deliver(options, "\n".join(made.values()))
    if options.record:
        _make_folder(options.record)
        for name, text in made.items():
            judging.write_private(Path(options.record, f"{name}.sbatch"), text)
    return 0 if made else NOTHING_TO_RUN


def _slurm_terms(options: Options, tests: tuple[str, ...], said: Accept | None) -> SlurmTerms:
    from nodeworthy.collect.workload.slurm import SlurmTerms

    gpus, python = options.gpus, options.python or (said.python if said is not None else None)
    scratch = options.scratch or (said.scratch if said is not None else None)
    if gpus is None or not _GPUS.fullmatch(gpus):
        raise InputError("nothing says what a node has: --gpus TYPE:N, as sinfo -o '%P %G' spells it, such as h100:8")
    if not python or not scratch or not python.startswith("/") or not scratch.startswith("/"):
        raise InputError("--python PATH of one with torch, and --scratch DIR that all nodes see, both from the root on")
    level = Level(options.level)
    return SlurmTerms(
        run=secrets.token_hex(4),
        nonce=secrets.token_hex(16),
        level=level,
        tests=tuple(each for each in tests if each in level_tests(level)),
        gpus=gpus,
        python=python,
        scratch=scratch.rstrip("/"),
        nodes=tuple(options.nodes),
        partition=options.partition,
        account=options.account,
        qos=options.qos,
        reservation=options.reservation,
        setup=_text(options.setup),
    )


def _text(path: str | None) -> str | None:
    if path is None:
        return None
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise InputError(f"--setup {path} can't be read: {problem}") from None


def _deliver(options: Options, written: str) -> None:
    if options.output:
        judging.write_whole(Path(options.output), written)
    else:
        sys.stdout.write(escape_json(written))
        sys.stdout.flush()


def _write_plan(folder: str, plan: Mapping[str, Any]) -> None:
    from nodeworthy.collect.workload.recording import PLAN

    _make_folder(folder)
    judging.write_private(Path(folder, PLAN), json.dumps(plan, indent=1) + "\n")


def _make_folder(folder: str) -> None:
    try:
        Path(folder).mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as problem:
        raise InputError(f"can't write to {folder}: {problem.strerror}") from None
