"""Which rules the pack holds, and which of them it asks of a single resource."""

from __future__ import annotations

from nodeworthy.collect.collected import moments_of
from nodeworthy.collect.pack.enforcement import configure_rules, reads_what_is_known_late
from nodeworthy.collect.pack.judge import Judge
from nodeworthy.collect.pack.server import policies
from nodeworthy.collect.pack.stack import Stack
from nodeworthy.collect.plan.plan import Resource
from nodeworthy.rule import Moment
from nodeworthy.rules import catalogue, rule

GROUP = "aws:autoscaling/group:Group"


def test_every_rule_that_a_plan_can_prove_is_in_the_pack() -> None:
    held = {each.id for each in policies()}
    assert held >= {each.id for each in catalogue() if Moment.PLAN in moments_of(each)}
    assert {"efa-complete", "aws-accepts", "database-replicated", "profiling-node-exists"} <= held


def test_what_needs_the_whole_stack_waits_for_it() -> None:
    """A group alone has no launch template yet: it is not called one without."""
    rules = policies()
    judge = Judge(rules, configure_rules(rules, {}), Stack("project", "dev"))
    group = Resource(f"urn:pulumi:dev::project::{GROUP}::gpus", GROUP, "gpus", None, {"minSize": 1, "maxSize": 2})
    assert judge.one(group).violations == []
    told = {each.finding.rule for each in judge.all([group]).violations}
    assert "pool-size-fixed" in told


def test_who_counts_profiling_nodes_reads_boot_scripts() -> None:
    assert reads_what_is_known_late(rule("profiling-node-exists"))
    assert reads_what_is_known_late(rule("dcgm-off-profiling-nodes"))
    assert not reads_what_is_known_late(rule("efa-complete"))
