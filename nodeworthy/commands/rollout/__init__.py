"""Replaces the stale nodes of a group in AWS one by one, each proven before the next one goes.

Stale is what audit says: a machine that is not what its group would start now. Each is cordoned, emptied by the
Eviction API alone, ended; its successor joins, passes the node suite, then acceptance by work, and only then gets work
itself. Where there is room the successor comes first. Work on GPUs is waited for. The first failure stops it: what is
fresh and not proven keeps its taint, and the group is set to the former version by its number, so that AWS starts no
more.

--dry-run says all of it beforehand: whom, in which order, who would be evicted, and what forbids it.

What it does is written to a file before it is done. Whoever is killed goes on by --resume FILE.
"""

from __future__ import annotations

from nodeworthy.commands.rollout.options import Options, refuse_beside
from nodeworthy.commands.rollout.options import configure as configure
from nodeworthy.commands.rollout.telling import deliver
from nodeworthy.repair.server import Server
from nodeworthy.rollout.lease import ask_for
from nodeworthy.rollout.view import ABORT, PAUSE


def run(options: Options) -> int:
    if options.print_policy:
        from nodeworthy.commands.rollout.telling import deliver
        from nodeworthy.rollout.plan_told import policy

        return deliver(options, policy(), 0)
    if options.print_role:
        from nodeworthy.commands.rollout.telling import deliver
        from nodeworthy.rollout.role import manifests

        return deliver(options, manifests(), 0)
    refuse_beside(options)
    if options.pause or (options.abort and options.resume is None):
        return ask(options)
    if options.resume is not None:
        from nodeworthy.commands.rollout.going import resume

        return resume(options, options.resume)
    from nodeworthy.commands.rollout.beginning import begin

    return begin(options)


# `--pause` and `--abort`: asked of whoever runs the rollout, by its Lease.


def ask(options: Options) -> int:
    wanted = PAUSE if options.pause else ABORT
    assert options.asg is not None
    who = ask_for(Server(options.context), options.asg, wanted)
    when = "when its node is replaced" if options.pause else "with what it is just doing"
    return deliver(options, f"{who} is asked to {wanted}: it will, {when}\n", 0)
