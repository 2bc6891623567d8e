"""What `nodeworthy node` takes on its command line, besides what every judging command takes."""

from __future__ import annotations

import argparse

from nodeworthy.commands import node_in_cluster, node_taint

DEADLINE = "30s"
WORKERS = "16"


def configure(parser: argparse.ArgumentParser) -> None:
    _which(parser)
    _times(parser)
    node_in_cluster.configure(parser)
    node_taint.configure(parser)
    _how(parser)
    _by_ssh(parser)
    _by_kubernetes(parser)
    _by_aws(parser)


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
