"""A rollout from its beginning: looks, tells the plan, asks, and goes."""

from __future__ import annotations

import secrets
import sys
from dataclasses import replace
from pathlib import Path

from nodeworthy.collect.cloud.answers import Source
from nodeworthy.collect.cloud.scenes import Wanted
from nodeworthy.collect.cloud.stacks import stack_account
from nodeworthy.commands.rollout.options import Options, wishes
from nodeworthy.commands.rollout.telling import agree, as_json, deliver
from nodeworthy.errors import InputError
from nodeworthy.records import dataclass
from nodeworthy.report.printable import printable
from nodeworthy.rollout import plan_told
from nodeworthy.rollout.cloud import ScalingGroup, Writing
from nodeworthy.rollout.journal import Journal, read_journal
from nodeworthy.rollout.kube import Kube
from nodeworthy.rollout.owners import owners_words
from nodeworthy.rollout.plan import NEWEST, RolloutPlan, RolloutRequest, plan
from nodeworthy.rollout.stale import find_group, with_version
from nodeworthy.rollout.world import World


@dataclass(frozen=True)
class Reached:
    """An account and a cluster that answer."""

    live: Writing
    kube: Kube
    wanted: Wanted


def reach(options: Options, region: str | None = None, account: str | None = None) -> Reached:
    """Raises InputError where these credentials are of another account."""
    from nodeworthy.collect.cloud.live import Reach

    stack = stack_account(options.fleet, options.stack)
    live = Writing(
        Reach(options.profile or stack.profile, options.endpoint_url), region or options.region or stack.region
    )
    stack.refuse_another(live.account)
    if account is not None and live.account != account:
        raise InputError(f"these credentials are of account {live.account}, and the file is about {account}")
    return Reached(live, Kube(options.context), Wanted(stack.fleet, stack.no_fleet, options.pool))


def begin(options: Options) -> int:
    asked, group = wishes(options), options.asg
    old = read_journal(Path(options.rollback)) if options.rollback is not None else None
    if old is not None:
        asked, group = replace(asked, to=_former(old)), old.group
    if not options.dry_run:
        _refuse_blind(options)
    reached = reach(options, old.region if old else None, old.account if old else None)
    words = list(owners_words(reached.kube.nodes(), options.pool)) if options.pool is not None else []
    if words:
        return deliver(options, printable("\n".join([*words, "nothing was changed"])) + "\n", 1)
    made = _planned(reached, asked, group)
    if options.dry_run:
        return _dry(options, made)
    return _go(options, reached, made)


def _former(old: Journal) -> str:
    if not old.former:
        raise InputError("the file does not say which version was there before: --to NUMBER sets one")
    return old.former


def _refuse_blind(options: Options) -> None:
    if not options.image or options.image.startswith("-"):
        raise InputError(
            "a fresh node has to pass the node suite, which runs from an image of its own: build it from this "
            "repository (make image), push it to where the nodes pull from, and name it with --image"
        )
    if not (options.yes or sys.stdin.isatty()):
        raise InputError("rollout asks before it begins, and there is no terminal: look at --dry-run, then --yes")


def _planned(reached: Reached, asked: RolloutRequest, group: str | None) -> RolloutPlan:
    source: Source = reached.live
    if asked.to is not None:
        group = group or find_group(source, reached.wanted, None).name
        asked = replace(asked, to=_numbered(ScalingGroup(reached.live, group), asked.to))
        source = with_version(ScalingGroup(reached.live, group).data(), source, asked.to)
    found = find_group(source, reached.wanted, group)
    now, machines = ScalingGroup(reached.live, found.name).look()
    nodes = reached.kube.nodes_of({each.id for each in machines}, lambda _: True)
    return plan(World(now, machines, nodes), found, asked, asked.to or now.version)


def _numbered(group: ScalingGroup, to: str) -> str:
    number = group.newest() if to == NEWEST else to
    if not number:
        raise InputError(f"--to {to}: {group.name} names no one version of a launch template, which it would set")
    return number


def _dry(options: Options, made: RolloutPlan) -> int:
    """0 where it would begin, or has nothing to do; 1 where something forbids it; 3 where that is not known."""
    text = as_json(plan_told.as_data(made)) if options.format == "json" else _in_words(made)
    return deliver(options, text, _code(made))


def _in_words(made: RolloutPlan) -> str:
    return printable("\n".join(plan_told.lines(made))) + "\n"


def _code(made: RolloutPlan) -> int:
    if made.refusals:
        return 1
    return 3 if made.unknown else 0


def _no_acceptance(options: Options, made: RolloutPlan) -> str:
    """Known before a node is ended, and not when its successor is there."""
    from nodeworthy.commands.rollout.going import gate_of

    named = next((each.node.name for each in made.order if each.node is not None), None)
    if options.accept == "none" or named is None:
        return ""
    return gate_of(options, options.image or "").why_no_acceptance(named, options.accept)


def _go(options: Options, reached: Reached, made: RolloutPlan) -> int:
    from nodeworthy.commands.rollout.going import go

    sys.stderr.write(_in_words(made))
    sys.stderr.flush()
    if not made.may_begin:
        return _code(made)
    why = _no_acceptance(options, made)
    if why:
        sys.stderr.write(printable(f"does not begin: {why}") + "\n")
        return 1
    if not agree(options, f"replace {len(made.order)} nodes of {made.world.group.name}?"):
        sys.stderr.write("nothing was changed\n")
        return 3
    where = {"region": reached.live.region, "account": reached.live.account, "server": reached.kube.server}
    return go(options, reached, made.journal(secrets.token_hex(4), where, options.image or ""), None)
