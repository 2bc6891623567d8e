"""Many recordings, and nothing else: each is read and judged by itself, so as many processes do it as there are
cores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from nodeworthy.collect.node import collector
from nodeworthy.collect.node.asked import AskedHost, ask
from nodeworthy.collect.node.backends import register
from nodeworthy.collect.node.chain_seen import walks
from nodeworthy.collect.node.connections import Connections
from nodeworthy.commands import judging
from nodeworthy.commands.handed_over import Row, as_rows, judgements_of_rows
from nodeworthy.records import dataclass
from nodeworthy.workers import in_shares

if TYPE_CHECKING:
    from testinfra.host import Host

    from nodeworthy.collect.node.collector import Asking
    from nodeworthy.collect.node.pools import Declared
    from nodeworthy.collect.node.specs import Spec
    from nodeworthy.collect.node.waiting import Progress
    from nodeworthy.commands.node.options import Options
    from nodeworthy.commands.settled import Run
    from nodeworthy.engine import Judgement
    from nodeworthy.facts.chain import Walk

# A worker starts in the time in which some five are judged.
LEAST = 25


def are_all(options: Options, specs: Sequence[Spec]) -> bool:
    """Whether there is nothing but recordings, and nobody wants what they hold."""
    return not (options.record or options.wait) and all(each.recording is not None for each in specs)


@dataclass(frozen=True)
class Judged:
    """What was said of one; `asked` holds no more than its name, and why it can't be replayed."""

    asked: AskedHost
    is_replayed: bool
    rows: Sequence[Row]
    walks: Sequence[Walk]


@dataclass(frozen=True)
class Together:
    asked: Sequence[AskedHost]
    judgements: Sequence[Judgement]
    walks: Sequence[Walk]


def judge_all(
    run: Run, specs: Sequence[Spec], asking: Asking, declared: Declared, progress: Progress | None
) -> Together:
    """Raises InputError where one that was named can't be replayed."""
    register(Connections(asking.seconds, asking.reach))
    hosts = collector.hosts_meant(specs, asking)
    if progress is not None:
        progress.begin([each.backend.get_pytest_id() for each in hosts])
    made = in_shares(lambda share: _judge(run, share, asking, declared), hosts, LEAST)
    for each, host in zip(made, hosts, strict=True):
        if progress is not None:
            progress.asked(each.asked, host.backend.get_pytest_id())
        if not each.is_replayed:
            collector.refuse_named(each.asked, host, specs)
    meant = [each for each in made if asking.means(each.asked)]
    return Together(
        [each.asked for each in meant],
        [judgement for each in meant for judgement in judgements_of_rows(run, each.rows)],
        [walk for each in meant for walk in each.walks],
    )


def _judge(run: Run, hosts: Sequence[Host], asking: Asking, declared: Declared) -> list[Judged]:
    asked = [ask(each) for each in hosts]
    scenes = [collector.scene(each, declared) for each in asked if asking.means(each)]
    made = iter(zip(scenes, judging.judge_each(run, scenes), strict=True))
    found = []
    for each in asked:
        scene, judgements = next(made) if asking.means(each) else (None, [])
        walked = walks([scene]) if scene is not None else []
        told = AskedHost(each.name, None, each.why)
        found.append(Judged(told, each.recording is not None, as_rows(judgements), walked))
    return found
