"""What `--in-cluster` tells: which Jobs it would make, who is asked, how far they are; and what a dry run shows."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from nodeworthy.commands import judging
from nodeworthy.commands.asking import ask_yes
from nodeworthy.commands.node.in_cluster.terms import check_namespace
from nodeworthy.errors import CouldNotLook, InputError
from nodeworthy.report.printable import escape_json, on_one_line, printable

if TYPE_CHECKING:
    from nodeworthy.collect.in_cluster.chosen import Chosen
    from nodeworthy.collect.in_cluster.cluster import Cluster
    from nodeworthy.collect.in_cluster.job import Terms
    from nodeworthy.collect.node.recording import Recording
    from nodeworthy.commands.node.options import Options


# Of the names that are told.
SHOWN = 12
SPARSE_SECONDS = 15.0


def agree(options: Options, cluster: Cluster, terms: Terms, chosen: Chosen, workers: int) -> None:
    """Raises InputError where nobody can be asked, CouldNotLook where the answer is no."""
    if not (options.quiet and options.yes):
        print(printable("\n".join(plan(cluster, terms, chosen, workers))), file=sys.stderr, flush=True)
    if options.yes or not chosen.nodes:
        return
    if not sys.stdin.isatty():
        raise InputError("--in-cluster asks before it makes Jobs, and there is no terminal: look at this, then --yes")
    if not ask_yes(f"make {_jobs(chosen)} in {cluster.server}?"):
        raise CouldNotLook("no Job was made, and no node was looked at")


def plan(cluster: Cluster, terms: Terms, chosen: Chosen, workers: int) -> Iterator[str]:
    yield from chosen.told
    if chosen.opted_out:
        yield f"left out, for they opted out: {_names(f'{host} ({why})' for host, why in chosen.opted_out.items())}"
    if not chosen.nodes:
        yield "no Job is made"
        return
    yield f"{_jobs(chosen)} in namespace {cluster.namespace} of {cluster.server}: {_names(chosen.nodes.values())}"
    yield f"  each runs {terms.image} once on its node, and a second time if that fails: {' '.join(terms.command())}"
    yield "  privileged, in the node's own namespaces; mounts nothing of it, asks for no GPU, requests no CPU or memory"
    yield f"  priority: {_priority(terms)}"
    yield (
        f"  at most {workers} at a time; {terms.bound} s for each, {terms.total_seconds:g} s for all; a Job is removed "
        "when its node was read"
    )


def _priority(terms: Terms) -> str:
    if terms.priority_class:
        return f"PriorityClass {terms.priority_class}, below that of any other work"
    return "that of other work: a PriorityClass below it is among what --print-role prints"


def _jobs(chosen: Chosen) -> str:
    return f"{len(chosen.nodes)} Job{'' if len(chosen.nodes) == 1 else 's'}"


def _names(names: Iterable[str]) -> str:
    every = list(names)
    more = f" and {len(every) - SHOWN} more" if len(every) > SHOWN else ""
    return f"{', '.join(every[:SHOWN])}{more}"


class Progress:
    """One changing line in a terminal; elsewhere a line now and then. Who was not reached is named at once."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._in_terminal = sys.stderr.isatty()
        self._when = -math.inf

    def __call__(self, done: int, of: int, recording: Recording) -> None:
        if self._quiet:
            return
        if recording.unreached is not None:
            self._line(f"{recording.host} was not reached: {recording.unreached}")
        if self._in_terminal:
            end = "\n" if done == of else ""
            print(f"\r\033[K{done} of {of} nodes read", end=end, file=sys.stderr, flush=True)
        elif done == of or time.monotonic() - self._when >= SPARSE_SECONDS:
            self._when = time.monotonic()
            self._line(f"{done} of {of} nodes read")

    def _line(self, text: str) -> None:
        clear = "\r\033[K" if self._in_terminal else ""
        print(f"{clear}{on_one_line(text)}", file=sys.stderr, flush=True)


NOTHING_TO_LOOK_AT = 3
_MARKS = "and then marks each node by its verdict: label nodeworthy/verified and no taint, or the taint with the reason"


def refuse_others(options: Options) -> None:
    """Options that are about what comes of a look."""
    given = {"--format": options.format != "text", "--also": options.also, "--record": options.record}
    for name, is_given in given.items():
        if is_given:
            raise InputError(f"--dry-run shows the Jobs, and looks at no node: {name} does not go with it")


def show_dry(options: Options, cluster: Cluster, terms: Terms, chosen: Chosen, workers: int) -> int:
    """0 where Jobs would be made, 3 where a node could not be looked at. Raises InputError where a run would."""
    written = "".join(_dry_run_lines(options, cluster, terms, chosen, workers))
    if options.output:
        judging.write_whole(Path(options.output), written)
    else:
        sys.stdout.write(escape_json(written))
        sys.stdout.flush()
    check_namespace(cluster)
    return 0 if chosen.nodes and not chosen.missing else NOTHING_TO_LOOK_AT


def _dry_run_lines(options: Options, cluster: Cluster, terms: Terms, chosen: Chosen, workers: int) -> Iterator[str]:
    from nodeworthy.collect.in_cluster.job import job, name_of
    from nodeworthy.collect.in_cluster.role import manifests
    from nodeworthy.documents.manifest import as_manifest

    yield "# Nothing was made: this is a dry run. What follows, a run would make and remove again.\n"
    for each in _plan_lines(options, cluster, terms, chosen, workers):
        yield f"# {on_one_line(each)}\n"
    for number, node in enumerate(chosen.nodes.values()):
        made = job(name_of(terms.run, number, node), node, terms)
        yield "---\n" + as_manifest(made)
    yield "---\n# What has to be there before, which a run does not make.\n"
    yield manifests(options.namespace, taints=options.taint)


def _plan_lines(options: Options, cluster: Cluster, terms: Terms, chosen: Chosen, workers: int) -> Iterator[str]:
    yield from (f"there is no such node in {cluster.server}: {each}" for each in chosen.missing)
    yield from plan(cluster, terms, chosen, workers)
    if options.taint and chosen.nodes:
        yield _MARKS
