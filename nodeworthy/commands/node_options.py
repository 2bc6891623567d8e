"""Options of `nodeworthy node` that would do nothing beside the others: each is refused, and says what it is for."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from nodeworthy.errors import InputError

if TYPE_CHECKING:
    from nodeworthy.collect.node.specs import Spec

_OF_NODES = "node:// and --selector"
_OF_AWS = "ssm:// and --asg"
_OF_SSH = "ssh:// and --asg with --via ssh"


def refuse_idle(options: argparse.Namespace) -> None:
    """What other options alone give a meaning: known before anybody is asked."""
    if options.via and not options.asg:
        raise InputError("--via says how the instances of --asg are reached: name a group, or spell the hosts ssm://")
    if options.yes and not (options.reboot or options.taint or options.in_cluster):
        raise InputError("--yes answers what --reboot, --taint and --in-cluster ask: without them nothing is asked")
    if options.dry_run and options.reboot:
        raise InputError("--dry-run changes nothing, and --reboot reboots: one without the other")


def refuse_beside(options: argparse.Namespace, hosts: Sequence[Spec]) -> None:
    """What says how hosts are reached, where none is reached so."""
    if not hosts:
        return
    kinds = {each.scheme for each in hosts}
    for name, what_for in _ways(options, kinds):
        raise InputError(f"--{name} is for {what_for}, and here are only {', '.join(sorted(kinds))}")


def _ways(options: argparse.Namespace, kinds: set[str]) -> Iterator[tuple[str, str]]:
    """Each option that was given for nothing, and what it would be for."""
    of_nodes = "node" in kinds or bool(options.selector)
    of_aws = "ssm" in kinds or bool(options.asg)
    meanings = (
        ("context", of_nodes or options.taint, f"{_OF_NODES}, and for --taint"),
        ("namespace", of_nodes, _OF_NODES),
        ("image", of_nodes, _OF_NODES),
        ("region", of_aws, _OF_AWS),
        ("profile", of_aws, _OF_AWS),
        ("endpoint-url", of_aws, _OF_AWS),
        ("ssh-config", "ssh" in kinds, _OF_SSH),
        ("ssh-identity-file", "ssh" in kinds, _OF_SSH),
    )
    for name, is_of_use, what_for in meanings:
        if getattr(options, name.replace("-", "_")) is not None and not is_of_use:
            yield name, what_for
