"""Looks at fresh machines and judges them: the same as `pytest nodes --hosts=…`.

HOST is ssh://[user@]host[:port] (the system's ssh: its config, agent and known hosts), local://,
docker://container, kubectl://pod?namespace=…, nsenter://PID, or replay:PATH of a recording that --record made, a
file or a folder of them. Each host is asked once, over one connection; one that does not answer costs its deadline.
"""

from __future__ import annotations

import argparse
import importlib.util
from pathlib import Path

from nodeworthy.commands import judging, node_progress
from nodeworthy.errors import MissingExtra
from nodeworthy.rule import Moment

DEADLINE = "30s"
WORKERS = "16"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "hosts", nargs="+", metavar="HOST", help="ssh://h1, local://, docker://c, kubectl://p, replay:PATH"
    )
    parser.add_argument("--pool", metavar="NAME", help="the pool of the fleet that these hosts are of")
    parser.add_argument("--deadline", metavar="TIME", default=DEADLINE, help=f"how long a host may take ({DEADLINE})")
    parser.add_argument("--wait", metavar="TIME", help="look again until every boot has ended, this long at most (10m)")
    parser.add_argument("--max-workers", metavar="N", default=WORKERS, help=f"hosts asked at once ({WORKERS})")
    parser.add_argument("--record", metavar="DIR", help="keep what each host said, without secrets, one file a host")
    parser.add_argument("--ssh-config", metavar="FILE", help="instead of ~/.ssh/config")
    parser.add_argument("--ssh-identity-file", metavar="FILE", help="the key to show")
    judging.configure(parser)


def run(options: argparse.Namespace) -> int:
    if importlib.util.find_spec("testinfra") is None:
        raise MissingExtra("nodeworthy node", "nodes")
    from nodeworthy.collect.node import collector, specs
    from nodeworthy.collect.node.durations import count, seconds
    from nodeworthy.collect.node.pools import Declared
    from nodeworthy.collect.source.fleets import Fleets

    named = specs.parse_all(options.hosts)
    declared = Declared(Fleets(options.fleet, options.stack).asked_for(), options.pool)
    asking = collector.Asking(
        seconds(options.deadline),
        count(options.max_workers),
        options.ssh_config,
        options.ssh_identity_file,
        wait=seconds(options.wait) if options.wait else None,
        watching=node_progress.waiting(options),
    )
    asked = collector.ask_all(named, asking, node_progress.asked(options))
    if options.record:
        collector.record(asked, Path(options.record), judging.write_whole)
    scenes = [collector.scene(each, declared) for each in asked]
    if not asked:
        scenes = [collector.nothing_asked("there is no recording in the folder that was named")]
    report = judging.judged(options, Moment.NODE, scenes, {"hosts": len(asked)})
    return judging.deliver(options, report)
