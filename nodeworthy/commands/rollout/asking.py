"""`--pause` and `--abort`: asked of whoever runs the rollout, by its Lease."""

from __future__ import annotations

from nodeworthy.commands.rollout.options import Options
from nodeworthy.commands.rollout.telling import deliver
from nodeworthy.repair.server import Server
from nodeworthy.rollout.lease import ask_for
from nodeworthy.rollout.view import ABORT, PAUSE


def ask(options: Options) -> int:
    wanted = PAUSE if options.pause else ABORT
    assert options.asg is not None
    who = ask_for(Server(options.context), options.asg, wanted)
    when = "when its node is replaced" if options.pause else "with what it is just doing"
    return deliver(options, f"{who} is asked to {wanted}: it will, {when}\n", 0)
