"""What `nodeworthy node` takes on its command line, and which options would do nothing beside the others."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from nodeworthy.commands import judging
from nodeworthy.errors import InputError

if TYPE_CHECKING:
    from nodeworthy.collect.node.specs import Spec

DEADLINE = "30s"
WORKERS = "16"
JOB_DEADLINE = "5m"
TOTAL_DEADLINE = "1h"


class Options(judging.Options):
    hosts: list[str]
    recheck: str | None
    selector: list[str]
    asg: list[str]
    via: str | None
    pool: str | None
    deadline: str
    wait: str | None
    reboot: bool
    in_cluster: bool
    job_deadline: str | None
    total_deadline: str | None
    print_role: bool
    taint: bool
    dry_run: bool
    yes: bool
    max_workers: str
    record: str | None
    ssh_config: str | None
    ssh_identity_file: str | None
    context: str | None
    namespace: str | None
    image: str | None
    region: str | None
    profile: str | None
    endpoint_url: str | None


def configure(parser: argparse.ArgumentParser) -> None:
    _which(parser)
    _times(parser)
    _in_cluster(parser)
    _taint(parser)
    _how(parser)
    _by_ssh(parser)
    _by_kubernetes(parser)
    _by_aws(parser)
    judging.configure(parser)


def _which(parser: argparse.ArgumentParser) -> None:
    hosts = "ssh://h1, local://, docker://c, kubectl://p, nsenter://PID, node://NAME, ssm://i-…, replay:PATH"
    labels = "the cluster's nodes with this label, as node:// (repeatable)"
    groups = "the instances of this Auto Scaling Group, as ssm:// (repeatable)"
    parser.add_argument("hosts", nargs="*", metavar="HOST", help=hosts)
    parser.add_argument("--recheck", metavar="REPORT", help="only what is not well in this earlier report (JSON)")
    parser.add_argument("--selector", metavar="LABEL=VALUE", action="append", default=[], help=labels)
    parser.add_argument("--asg", metavar="NAME", action="append", default=[], help=groups)
    parser.add_argument("--via", choices=("ssm", "ssh"), help="how those of --asg are reached (ssm)")
    parser.add_argument("--pool", metavar="NAME", help="the pool of the fleet that these hosts are of")


def _times(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--deadline", metavar="TIME", default=DEADLINE, help=f"how long a host may take ({DEADLINE})")
    parser.add_argument("--wait", metavar="TIME", help="look again until every boot has ended, this long at most (10m)")
    parser.add_argument("--reboot", action="store_true", help="look, reboot, wait (10m, or --wait), and look again")


def _in_cluster(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--in-cluster",
        action="store_true",
        help="look by a Kubernetes Job on each node: of node://, of --selector, or of the fleet's pools",
    )
    parser.add_argument(
        "--job-deadline", metavar="TIME", help=f"with --in-cluster: from a Job's creation to its end ({JOB_DEADLINE})"
    )
    parser.add_argument(
        "--total-deadline", metavar="TIME", help=f"with --in-cluster: all nodes together ({TOTAL_DEADLINE})"
    )
    parser.add_argument("--print-role", action="store_true", help="with --in-cluster: print the rights that it needs")


def _taint(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--taint",
        action="store_true",
        help="mark the cluster's nodes: one that passes is labelled and untainted, any other tainted with the reason",
    )
    parser.add_argument(
        "--dry-run",
        action="store_true",
        help="with --taint: show what would be changed, change none; with --in-cluster: show its Jobs, make none",
    )


def _how(parser: argparse.ArgumentParser) -> None:
    kept = "keep what each host said, without secrets, one file a host; - prints it instead"
    parser.add_argument("--yes", action="store_true", help="with --reboot, --taint or --in-cluster: do not ask")
    parser.add_argument("--max-workers", metavar="N", default=WORKERS, help=f"hosts asked at once ({WORKERS})")
    parser.add_argument("--record", metavar="DIR", help=kept)


def _by_ssh(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--ssh-config", metavar="FILE", help="instead of ~/.ssh/config")
    parser.add_argument("--ssh-identity-file", metavar="FILE", help="the key to show")


def _by_kubernetes(parser: argparse.ArgumentParser) -> None:
    where = "of node:// and --in-cluster: where pods are made for the time of the look"
    image = "of node://: with a shell and nsenter (busybox); of --in-cluster: this suite's"
    parser.add_argument("--context", metavar="NAME", help="of node://: the kubeconfig's context (the current one)")
    parser.add_argument("--namespace", metavar="NAME", help=where)
    parser.add_argument("--image", metavar="IMAGE", help=image)


def _by_aws(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--region", metavar="NAME", help="of AWS, for ssm:// and --asg")
    parser.add_argument("--profile", metavar="NAME", help="of AWS, for ssm:// and --asg")
    parser.add_argument("--endpoint-url", metavar="URL", help="instead of AWS's own, for ssm:// and --asg")


_OF_NODES = "node:// and --selector"
_OF_AWS = "ssm:// and --asg"
_OF_SSH = "ssh:// and --asg with --via ssh"


def refuse_idle(options: Options) -> None:
    """Refuses options that do nothing without another one, before any host is asked."""
    if options.via and not options.asg:
        raise InputError("--via says how the instances of --asg are reached: name a group, or spell the hosts ssm://")
    if options.yes and not (options.reboot or options.taint or options.in_cluster):
        raise InputError("--yes answers what --reboot, --taint and --in-cluster ask: without them nothing is asked")
    if options.dry_run and options.reboot:
        raise InputError("--dry-run changes nothing, and --reboot reboots: one without the other")


def refuse_of_jobs(options: Options) -> None:
    """Refuses options that do nothing without --in-cluster."""
    given = {
        "--job-deadline": options.job_deadline,
        "--total-deadline": options.total_deadline,
        "--print-role": options.print_role,
    }
    for name, is_given in given.items():
        if is_given and not options.in_cluster:
            raise InputError(f"{name} is for --in-cluster")


def refuse_beside(options: Options, hosts: Sequence[Spec]) -> None:
    """Refuses options about a way of reaching hosts by which none of these hosts is reached."""
    if not hosts:
        return
    kinds = {each.scheme for each in hosts}
    for name, what_for in _for_nothing(options, kinds):
        raise InputError(f"{name} is for {what_for}, and here are only {', '.join(sorted(kinds))}")


def _for_nothing(options: Options, kinds: set[str]) -> Iterator[tuple[str, str]]:
    """Each option that was given for nothing, and what it would be for."""
    of_nodes = "node" in kinds or bool(options.selector)
    of_aws = "ssm" in kinds or bool(options.asg)
    of_ssh = "ssh" in kinds
    meanings = (
        ("--context", options.context, of_nodes or options.taint, f"{_OF_NODES}, and for --taint"),
        ("--namespace", options.namespace, of_nodes, _OF_NODES),
        ("--image", options.image, of_nodes, _OF_NODES),
        ("--region", options.region, of_aws, _OF_AWS),
        ("--profile", options.profile, of_aws, _OF_AWS),
        ("--endpoint-url", options.endpoint_url, of_aws, _OF_AWS),
        ("--ssh-config", options.ssh_config, of_ssh, _OF_SSH),
        ("--ssh-identity-file", options.ssh_identity_file, of_ssh, _OF_SSH),
    )
    for name, given, is_of_use, what_for in meanings:
        if given is not None and not is_of_use:
            yield name, what_for
