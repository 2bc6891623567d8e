"""What `nodeworthy rollout` takes on its command line, and which of it does not go together."""

from __future__ import annotations

import argparse

from nodeworthy.collect.node.durations import seconds
from nodeworthy.collect.workload.live.window import read_window
from nodeworthy.errors import InputError
from nodeworthy.rollout.journal import Terms
from nodeworthy.rollout.plan import AUTO, NEWEST, RolloutRequest

FORMATS = ("text", "json", "html", "brief")
# What tells of a rollout that runs, and nothing of one that does not.
OF_A_RUN = ("html", "brief")
WAYS = ("node", "refresh")
LEVELS = ("none", "quick", "full")


class Options:
    pool: str | None
    asg: str | None
    node: list[str]
    region: str | None
    profile: str | None
    endpoint_url: str | None
    context: str | None
    fleet: str | None
    stack: str | None
    to: str | None
    by: str
    max_unavailable: int
    surge: str
    canary: int
    pause_after_canary: bool
    drain_timeout: str
    wait_for_jobs: str | None
    join_timeout: str
    soak: str | None
    window: str | None
    accept: str
    evict: list[str]
    keep_labels: bool
    only_stale: bool
    accept_image: str | None
    allow_unknown: bool
    image: str | None
    dry_run: bool
    yes: bool
    yes_may_lose_capacity: bool
    resume: str | None
    pause: bool
    abort: bool
    rollback: str | None
    print_policy: bool
    print_role: bool
    format: str
    output: str | None


def configure(parser: argparse.ArgumentParser) -> None:
    _which(parser)
    _how(parser)
    _what_for(parser)


def _which(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--pool", metavar="NAME", help="the pool whose stale nodes are replaced")
    parser.add_argument("--asg", metavar="NAME", help="the auto scaling group, where a pool has several")
    parser.add_argument(
        "--node", metavar="NAME", action="append", default=[], help="this node only, opted out or not (repeatable)"
    )
    parser.add_argument("--region", metavar="NAME", help="where the group is (the stack's, or AWS_REGION)")
    parser.add_argument("--profile", metavar="NAME", help="the profile of AWS' own settings")
    parser.add_argument("--endpoint-url", metavar="URL", help="ask there instead of AWS")
    parser.add_argument("--context", metavar="NAME", help="the kubeconfig's context (the current one)")
    parser.add_argument("--fleet", metavar="FILE", help="the fleet to judge by: a Pulumi.<stack>.yaml")
    parser.add_argument("--stack", metavar="NAME", help="the stack whose fleet it is")


def _how(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--to", metavar="VERSION", help="set the group to this version of its template first: a number, or newest"
    )
    parser.add_argument(
        "--by",
        choices=WAYS,
        default=WAYS[0],
        help="who ends a machine that is empty: this rollout, or an instance refresh that waits for each (node)",
    )
    parser.add_argument(
        "--max-unavailable", metavar="N", type=_positive, default=1, help="so many nodes away at once, at most (1)"
    )
    parser.add_argument(
        "--surge", choices=(AUTO, "0", "1"), default=AUTO, help="start the successor first: where there is room (auto)"
    )
    parser.add_argument(
        "--canary", metavar="N", type=_number, default=1, help="so many one by one, before several at once (1)"
    )
    parser.add_argument("--pause-after-canary", action="store_true", help="pause then; --resume FILE goes on")
    _how_long(parser)
    _how_each(parser)


def _how_long(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--drain-timeout", metavar="TIME", default="30m", help="how long budgets may say no (30m)")
    parser.add_argument(
        "--wait-for-jobs", metavar="TIME", help="how long work on GPUs is waited for (as long as it declares itself)"
    )
    parser.add_argument("--join-timeout", metavar="TIME", default="20m", help="from start to Ready (20m)")
    parser.add_argument("--soak", metavar="TIME", help="how long a fresh node is left alone before the next goes (0)")
    parser.add_argument(
        "--window", metavar="WHEN", help="begin nodes only then, by this machine's clock: '22:00-06:00 Mon-Fri'"
    )


def _how_each(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--accept", choices=LEVELS, default="quick", help="what a fresh node proves by work, behind the suite (quick)"
    )
    parser.add_argument("--accept-image", metavar="IMAGE", help="what acceptance runs from (the fleet's accept.image)")
    parser.add_argument(
        "--allow-unknown", action="store_true", help="what acceptance does not know does not keep a node from work"
    )
    parser.add_argument("--image", metavar="IMAGE", help="what the node suite runs from, as node --in-cluster has it")
    parser.add_argument(
        "--evict",
        metavar="NAMESPACE/POD",
        action="append",
        default=[],
        help="evict this pod although it would block (repeatable)",
    )
    parser.add_argument(
        "--keep-labels",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="set labels, annotations and taints of people on the successor again (on)",
    )
    parser.add_argument(
        "--only-stale",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="replace those only that are not what their group would start now (on)",
    )


def _what_for(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dry-run", action="store_true", help="say what would be done, and do nothing")
    parser.add_argument("--yes", action="store_true", help="do not ask")
    parser.add_argument(
        "--yes-may-lose-capacity", action="store_true", help="end nodes before AWS has shown that it has another one"
    )
    parser.add_argument("--resume", metavar="FILE", help="go on with a rollout that was paused, stopped or killed")
    parser.add_argument("--pause", action="store_true", help="ask the rollout that runs to pause behind its node")
    parser.add_argument("--abort", action="store_true", help="ask it to stop where it stands; with --resume: end it")
    parser.add_argument("--rollback", metavar="FILE", help="bring back the version that was there before it")
    parser.add_argument(
        "--print-policy", action="store_true", help="print the rights that this needs in AWS, as IAM reads them"
    )
    parser.add_argument(
        "--print-role", action="store_true", help="print the rights that this needs in the cluster, for kubectl apply"
    )
    parser.add_argument(
        "--format",
        choices=FORMATS,
        default="text",
        help="how it is told; html: a page written anew at each step, brief: messages to people",
    )
    parser.add_argument("--output", metavar="FILE", help="where it is written (standard output)")


def _number(text: str) -> int:
    if not text.isdecimal() or len(text) > 4:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of nodes")
    return int(text)


def _positive(text: str) -> int:
    if _number(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} nodes away at once: nothing could be replaced")
    return int(text)


def wishes(options: Options) -> RolloutRequest:
    """Raises InputError for a time that is none, or a pod without its namespace."""
    for each in options.evict:
        if not all(each.partition("/")[::2]) or each.count("/") != 1:
            raise InputError(f"--evict {each}: a pod is named NAMESPACE/POD")
    if options.to is not None and not options.to.isdecimal() and options.to != NEWEST:
        raise InputError(
            f"--to {options.to}: a version is a number (or newest, which is looked up), so that what is started can be "
            "told and taken back"
        )
    terms = Terms(
        options.max_unavailable,
        canaries=options.canary,
        pause_after_canary=options.pause_after_canary,
        drain_seconds=seconds(options.drain_timeout),
        join_seconds=seconds(options.join_timeout),
        job_seconds=seconds(options.wait_for_jobs) if options.wait_for_jobs is not None else None,
        accept=options.accept,
        evict=frozenset(options.evict),
        keeps_labels=options.keep_labels,
        soak_seconds=seconds(options.soak) if options.soak is not None else 0.0,
        window=read_window(options.window).written if options.window is not None else "",
        by_refresh=options.by == "refresh",
    )
    return RolloutRequest(
        terms, options.surge, options.only_stale, tuple(options.node), options.yes_may_lose_capacity, options.to
    )


def refuse_beside(options: Options) -> None:
    """Raises InputError where options do not go together."""
    chosen = [
        name
        for name, given in (
            ("--dry-run", options.dry_run and not options.rollback),
            ("--resume", options.resume),
            ("--rollback", options.rollback),
            ("--pause", options.pause),
            ("--abort", options.abort and not options.resume),
        )
        if given
    ]
    if len(chosen) > 1:
        raise InputError(f"{' and '.join(chosen)} are two things: one at a time")
    if options.format in OF_A_RUN and options.dry_run:
        raise InputError(f"--format {options.format} tells of a rollout that runs, and --dry-run starts none")
    if options.by == "refresh" and options.surge == "1":
        raise InputError("--surge 1 starts a successor first, and an instance refresh ends a machine first: --by node")
    if options.format == "html" and not options.output:
        raise InputError("--format html is a page that is written anew at each step: --output FILE")
    from_file = options.resume or options.rollback
    if from_file and (options.pool or options.asg or options.to or options.node):
        raise InputError(
            "which group it is and to what version stands in the file: --pool, --asg, --node and --to do not"
        )
    if not from_file and not options.pool and not options.asg:
        raise InputError("which nodes are meant is not said: --pool NAME, or --asg NAME")
    asks = options.pause or (options.abort and not options.resume)
    if asks and options.asg is None:
        raise InputError("--pause and --abort are about one group: --asg NAME")
