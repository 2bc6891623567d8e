"""What `nodeworthy accept` takes on its command line, and which options would do nothing beside the others."""

from __future__ import annotations

import argparse
import difflib
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from nodeworthy.commands import judging
from nodeworthy.errors import InputError
from nodeworthy.known.acceptance import BY_THE_DRIVER, TESTS, Level, level_tests


class Options(judging.Options):
    nodes: list[str]
    on: str | None
    folder: str | None
    dry_run: bool
    record: str | None
    pool: str | None
    selector: list[str]
    image: str | None
    context: str | None
    namespace: str | None
    queue: str | None
    priority_class: str | None
    job_deadline: str | None
    burn_time: str | None
    download_url: str | None
    model: str | None
    total_deadline: str | None
    window: str | None
    max_nodes: str | None
    yes_last: bool
    print_role: bool
    taint: bool
    gpus: str | None
    python: str | None
    container: str | None
    accounting_patience: str | None
    scratch: str | None
    partition: str | None
    account: str | None
    qos: str | None
    reservation: str | None
    setup: str | None
    level: str
    without_torch: bool
    test: list[str]
    skip_test: list[str]
    baseline: str | None
    save_baseline: str | None
    yes: bool


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("nodes", nargs="*", metavar="NODE", help="nodes, by their names")
    parser.add_argument("--on", choices=("kubernetes", "slurm"), help="what runs the work there")
    parser.add_argument("--from", metavar="DIR", dest="folder", help="judge what an earlier run recorded")
    parser.add_argument("--dry-run", action="store_true", help="print what would be run, and run nothing")
    recorded = "keep the run's plan and what each of its pods printed, for --from"
    parser.add_argument("--record", metavar="DIR", help=recorded)
    _kubernetes(parser)
    _courtesy(parser)
    _slurm(parser)
    _what(parser)
    judging.configure(parser)


def _kubernetes(parser: argparse.ArgumentParser) -> None:
    labels = "Kubernetes: the nodes with this label (repeatable)"
    parser.add_argument("--pool", metavar="NAME", help="Kubernetes: the pool of the fleet whose nodes are meant")
    parser.add_argument("--selector", metavar="LABEL=VALUE", action="append", default=[], help=labels)
    parser.add_argument("--image", metavar="IMAGE", help="Kubernetes: an image with torch (accept.image of the fleet)")
    parser.add_argument("--context", metavar="NAME", help="Kubernetes: the kubeconfig's context (the current one)")
    parser.add_argument("--namespace", metavar="NAME", help="Kubernetes: where Jobs are made (nodeworthy)")
    parser.add_argument("--queue", metavar="NAME", help="Kubernetes: the local queue of Kueue, where it governs")


def _courtesy(parser: argparse.ArgumentParser) -> None:
    class_ = "Kubernetes: another PriorityClass below zero (nodeworthy-verification)"
    job = "from a Job's creation to its end, the pull of an image too (what the level needs)"
    last = "also the last free node of its pool"
    parser.add_argument("--priority-class", metavar="NAME", help=class_)
    parser.add_argument("--job-deadline", metavar="TIME", help=job)
    parser.add_argument("--total-deadline", metavar="TIME", help="all nodes together (by their number)")
    parser.add_argument("--window", metavar="WHEN", help="'22:00-06:00 Mon-Fri' (accept.window)")
    parser.add_argument("--max-nodes", metavar="N", help="nodes of a pool held at once (a quarter of it)")
    parser.add_argument("--yes-last", action="store_true", help=last)
    parser.add_argument("--print-role", action="store_true", help="Kubernetes: print the rights that a run needs")
    marks = "mark nodes by their verdict: on Kubernetes the gate (accept.gate), on Slurm those that fail are drained"
    parser.add_argument("--taint", action="store_true", help=marks)


def _slurm(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--gpus", metavar="[TYPE:]N", help="Slurm: the GPUs of a node, such as h100:8")
    parser.add_argument("--python", metavar="PATH", help="Slurm: a Python with torch (accept.python of the fleet)")
    pyxis = "Slurm: an image with torch, which Pyxis runs; --python is then that of the image (python3)"
    parser.add_argument("--container", metavar="IMAGE", help=pyxis)
    parser.add_argument("--scratch", metavar="DIR", help="Slurm: a folder that all nodes see (accept.scratch)")
    parser.add_argument("--partition", metavar="NAME", help="Slurm: the partition")
    parser.add_argument("--account", metavar="NAME", help="Slurm: the account")
    parser.add_argument("--qos", metavar="NAME", help="Slurm: the quality of service")
    parser.add_argument("--reservation", metavar="NAME", help="Slurm: the reservation")
    parser.add_argument("--setup", metavar="FILE", help="Slurm: lines of shell that come first (module load …)")
    patience = "Slurm: how long somebody is asked what has become of a job, before it is unknown (5m)"
    parser.add_argument("--accounting-patience", metavar="TIME", help=patience)


def _what(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--level", choices=tuple(each.value for each in Level), default=Level.FULL.value, help="how much is run (full)"
    )
    burn = "how long the level burn holds a node (30m, at most 4h)"
    parser.add_argument("--burn-time", metavar="TIME", help=burn)
    download = "what disk-and-network downloads on each node, for ten seconds at most (nothing)"
    model = "a folder with a model that vLLM serves in inference, where nodes see it (one of random weights)"
    parser.add_argument("--model", metavar="DIR", help=model)
    parser.add_argument("--download-url", metavar="URL", help=download)
    alone = "only what the driver alone can measure: any image or Python from 3.9 on will do"
    parser.add_argument("--without-torch", action="store_true", help=alone)
    parser.add_argument("--test", metavar="ID", action="append", default=[], help="only this test (repeatable)")
    parser.add_argument("--skip-test", metavar="ID", action="append", default=[], help="not this test (repeatable)")
    parser.add_argument("--baseline", metavar="FILE", help="what this fleet measured of itself when it was well")
    parser.add_argument("--save-baseline", metavar="FILE", help="write what was measured there, if all is well")
    parser.add_argument(
        "--yes", action="store_true", help="begin without asking; with --save-baseline: learn of few nodes, too"
    )


# What says whether there is a Kubernetes, and whether a Slurm.
_KUBECONFIG, _SBATCH = "KUBECONFIG", "sbatch"


def refuse_idle(options: Options) -> None:
    """Refuses options that do nothing beside the other ones."""
    if options.folder is not None:
        of_a_run = options.on or options.dry_run or options.record or options.nodes or options.taint
        if of_a_run or options.without_torch or options.download_url or options.model:
            raise InputError(
                "--from judges what was recorded: --on, --dry-run, --record, --taint, --without-torch, --download-url, "
                "--model and NODE are of a run"
            )
        return
    if options.print_role:
        return
    needs_torch = [each for each in options.test if each not in BY_THE_DRIVER]
    if options.without_torch and needs_torch:
        raise InputError(
            f"--test {needs_torch[0]} needs torch: beside --without-torch there are {', '.join(BY_THE_DRIVER)}"
        )
    _refuse_of_no_test(options)
    if options.burn_time is not None and options.level != Level.BURN:
        raise InputError("--burn-time is of --level burn, and the level here is " + options.level)
    if options.dry_run and options.taint:
        raise InputError("--dry-run runs nothing, so that there is nothing to mark: --taint does not go with it")
    for name, given, what_for in _for_nothing(options):
        if given:
            raise InputError(f"{name} is for --on {what_for}")


def platform_of(options: Options) -> str:
    """The platform where work runs: the one that is named, else the one that is there. Raises InputError where both are
    there, or none."""
    return options.on or _the_one_that_is_there()


def _the_one_that_is_there() -> str:
    kubeconfig = os.environ.get(_KUBECONFIG) or Path.home() / ".kube" / "config"
    is_kubernetes = bool(os.environ.get("KUBERNETES_SERVICE_HOST")) or any(
        Path(each).exists() for each in str(kubeconfig).split(os.pathsep) if each
    )
    is_slurm = shutil.which(_SBATCH) is not None
    if is_kubernetes is not is_slurm:
        return "kubernetes" if is_kubernetes else "slurm"
    there = f"{'both are' if is_slurm else 'neither is'} there: a kubeconfig ({kubeconfig}) and {_SBATCH} on PATH"
    raise InputError(
        "nothing says what is judged: --from DIR names a recording, --on kubernetes|slurm where work runs "
        f"({there} were looked for)"
    )


def _for_nothing(options: Options) -> list[tuple[str, object, str]]:
    """Each option that is of the other of both, what was given for it, and of which it is."""
    of_kubernetes: dict[str, object] = {
        "--pool": options.pool,
        "--selector": options.selector,
        "--image": options.image,
        "--context": options.context,
        "--namespace": options.namespace,
        "--queue": options.queue,
        "--priority-class": options.priority_class,
    }
    of_slurm: dict[str, object] = {
        "--gpus": options.gpus,
        "--python": options.python,
        "--scratch": options.scratch,
        "--partition": options.partition,
        "--account": options.account,
        "--qos": options.qos,
        "--reservation": options.reservation,
        "--setup": options.setup,
        "--container": options.container,
        "--accounting-patience": options.accounting_patience,
    }
    given, other = (of_kubernetes, "kubernetes") if platform_of(options) == "slurm" else (of_slurm, "slurm")
    return [(name, value, other) for name, value in given.items()]


def _refuse_of_no_test(options: Options) -> None:
    of_tests = (
        ("--download-url", options.download_url, "disk-and-network"),
        ("--model", options.model, "inference"),
    )
    for name, value, test in of_tests:
        if value is not None and not is_run(options, test):
            raise InputError(f"{name} is of {test}, which is not run here")


def is_run(options: Options, test: str) -> bool:
    by_torch = options.without_torch and test not in BY_THE_DRIVER
    return test in chosen_tests(options) and test in level_tests(Level(options.level)) and not by_torch


def chosen_tests(options: Options) -> tuple[str, ...]:
    """Raises InputError for a test that there is not."""
    _refuse_unknown_tests("--test", options.test)
    _refuse_unknown_tests("--skip-test", options.skip_test)
    return tuple(each for each in TESTS if each in (options.test or TESTS) and each not in options.skip_test)


def _refuse_unknown_tests(option: str, names: Sequence[str]) -> None:
    for each in names:
        if each not in TESTS:
            near = difflib.get_close_matches(each, TESTS, 1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise InputError(f"{option} {each}: there is no such test{hint} There are {', '.join(TESTS)}")
