"""`--dry-run`: what a run would make, whole; what is left out, and why; and its plan, for whoever runs it by hand."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from nodeworthy.commands import judging
from nodeworthy.commands.accept.options import Options, platform_of
from nodeworthy.errors import InputError
from nodeworthy.report.printable import escape_json, on_one_line

if TYPE_CHECKING:
    from nodeworthy.collect.workload.jobs import RunTerms
    from nodeworthy.collect.workload.recording import LeftOut, RunRecording
    from nodeworthy.commands.accept.planned import Planned
    from nodeworthy.fleet.model import Fleet

NOTHING_TO_RUN = 3


def show(options: Options, tests: tuple[str, ...]) -> int:
    """0 where something would be run, 3 where nothing would. Raises InputError, and CouldNotLook of a cluster."""
    from nodeworthy.collect.source.fleets import Fleets

    fleet = Fleets(options.fleet, options.stack).asked_for()
    return _kubernetes(options, tests, fleet) if platform_of(options) == "kubernetes" else _slurm(options, tests, fleet)


def _kubernetes(options: Options, tests: tuple[str, ...], fleet: Fleet | None) -> int:
    from nodeworthy.collect.in_cluster.cluster import Cluster
    from nodeworthy.commands.accept.planned import plan, recording, terms_of

    terms = terms_of(options, tests, fleet)
    planned = plan(options, tests, terms, fleet, Cluster(options.context, terms.namespace))
    _deliver(options, "".join(_manifests(planned, terms)))
    by_hand = planned.by_hand()
    if options.record:
        write_run(options.record, recording(planned, by_hand))
    return 0 if by_hand else NOTHING_TO_RUN


def _manifests(planned: Planned, terms: RunTerms) -> Iterator[str]:
    from nodeworthy.collect.workload.jobs import objects, priority_class
    from nodeworthy.documents.manifest import as_manifest

    yield "# Nothing was made: this is a dry run. What follows is a run whole, to be applied and removed by hand.\n"
    yield from (f"# {on_one_line(each)}\n" for each in (*planned.told, *reasons(planned.left_out)))
    if not planned.by_hand():
        return
    yield f"#   kubectl delete jobs,services,configmaps -n {terms.namespace} -l {terms.selector}\n"
    for each in (priority_class(), *objects(planned.pieces(), terms)):
        yield "---\n" + as_manifest(each)


def reasons(left_out: Sequence[LeftOut]) -> Iterator[str]:
    by_why: dict[tuple[tuple[str, ...], str], list[str]] = {}
    for each in left_out:
        by_why.setdefault((each.nodes, each.why), []).append(each.test)
    for (nodes, why), tests in by_why.items():
        yield f"not run on {', '.join(nodes)}: {', '.join(tests)}: {why}"


def write_run(folder: str, run: RunRecording) -> None:
    """Writes a run with what each of its pods printed, where one printed something."""
    from nodeworthy.collect.workload.recording import PLAN, as_data, log_names

    make_folder(folder)
    for job in run.jobs:
        for name, log in zip(log_names(job), job.logs, strict=True):
            if log:
                judging.write_private(Path(folder, name), log.decode("utf-8", "replace"))
    judging.write_private(Path(folder, PLAN), json.dumps(as_data(run), indent=1) + "\n")


def _slurm(options: Options, tests: tuple[str, ...], fleet: Fleet | None) -> int:
    from nodeworthy.collect.workload.slurm import scripts
    from nodeworthy.collect.workload.targets import ONLY_WATCHED
    from nodeworthy.commands.accept.planned import accounting_seconds, slurm_terms_of
    from nodeworthy.known.acceptance import ALLOCATION

    terms = slurm_terms_of(options, tests, fleet)
    accounting_seconds(options)
    made = scripts(terms)
    _deliver(options, "\n".join(made.values()))
    if ALLOCATION in terms.tests:  # not among the scripts, which go to sbatch as they are
        print(on_one_line(f"not run: {ALLOCATION}: {ONLY_WATCHED}"), file=sys.stderr)
    if options.record:
        make_folder(options.record)
        for name, text in made.items():
            judging.write_private(Path(options.record, f"{name}.sbatch"), text)
    return 0 if made else NOTHING_TO_RUN


def _deliver(options: Options, written: str) -> None:
    if options.output:
        judging.write_whole(Path(options.output), written)
    else:
        sys.stdout.write(escape_json(written))
        sys.stdout.flush()


def make_folder(folder: str) -> None:
    try:
        Path(folder).mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as problem:
        raise InputError(f"can't write to {folder}: {problem.strerror}") from None
