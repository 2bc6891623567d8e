"""A plan as facts, judged by the fleet of the previewed stack."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from nodeworthy.collect.beside_pods import beside_pods, missing_beside_pods
from nodeworthy.collect.plan.aws import Aws
from nodeworthy.collect.plan.boot_scripts import BootScripts
from nodeworthy.collect.plan.left_out import left_out
from nodeworthy.collect.plan.manifests import GROUPS, manifests
from nodeworthy.collect.plan.plan import STACK_TYPE, Plan, Resource, urn_of
from nodeworthy.collect.plan.planted import LATER, Planter
from nodeworthy.collect.plan.releases import Releases
from nodeworthy.collect.plan.standins import StandIns
from nodeworthy.collect.plan.templated_charts import CHART
from nodeworthy.collect.together import pools_of, put_together
from nodeworthy.documents.tree import Tree
from nodeworthy.engine import Fact, Missing, Scene
from nodeworthy.facts.aws.image import image_of
from nodeworthy.facts.aws.node_group import NodeGroup
from nodeworthy.facts.aws.world_ports import PlannedFleet
from nodeworthy.facts.boot.pool_drivers import with_image
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.facts.fleet.gpu_pool import GpuPool
from nodeworthy.facts.fleet.pool_claim import pool_claims
from nodeworthy.facts.fleet.pool_system import planned_systems, pool_systems
from nodeworthy.facts.not_seen import NotLookedAt
from nodeworthy.facts.profiling.promise import promises_of_plan
from nodeworthy.facts.secrets.plain_text import PlainText
from nodeworthy.facts.secrets.planned_secret import PlannedSecret
from nodeworthy.facts.secrets.stack_outputs import outputs_in_plain_sight
from nodeworthy.facts.services.queue_database import QueueDatabase
from nodeworthy.fleet.model import Fleet
from nodeworthy.known.secrets import spans
from nodeworthy.suppression import Suppression
from nodeworthy.verdict import Place

ENCRYPTED = f"{LATER}, or encrypted in the stack's config"


def scene_of(
    plan: Plan,
    *,
    folder: Path,
    fleet: Fleet | None,
    no_fleet: str = "",
    made: StandIns | None = None,
    encrypted: bool = False,
    file: PlainText | None = None,
    suppressions: Sequence[Suppression] = (),
) -> Scene:
    """Everything in a plan that rules ask for, and the fleet that it is judged by."""
    unknown = ENCRYPTED if encrypted else LATER
    scripts = BootScripts(plan.resources, fleet, no_fleet, made)
    aws = list(Aws(plan, scripts, unknown).facts())
    facts = [*_with_images(_of_resources(plan, Releases(folder, fleet), scripts, unknown), aws), *aws]
    if not plan.complete:
        facts.append(
            NotLookedAt(
                Place(subject="the program"), "the program left before its end, so there may be more than it registered"
            )
        )
    if file is not None and spans(file.text):
        # Only then: that this file holds no secret says nothing about what the program makes.
        facts.append(file)
    facts += outputs_in_plain_sight(_outputs(plan, made, unknown))
    facts += _of_several(facts, fleet)
    facts = _told_once(facts, fleet)
    facts += left_out(plan, facts, fleet)
    facts += beside_pods(facts, fleet)
    if fleet is None:
        return Scene(facts, {GpuPool: Missing(no_fleet), **missing_beside_pods(facts, no_fleet)}, suppressions)
    missing = {GpuPool: Missing(f"the fleet of stack {plan.stack} has no GPU pool")}
    return Scene(
        [*facts, PlannedFleet(fleet), *pool_claims(fleet), *pools_of(fleet, facts, _groups(facts))],
        missing,
        suppressions,
    )


def _with_images(facts: Iterable[Fact], aws: Iterable[Fact]) -> Iterator[Fact]:
    """Boot scripts, with the image of the nodes that boot with them."""
    images = {each.template.urn: image_of(each) for each in _groups(aws) if each.template is not None}
    for fact in facts:
        yield with_image(fact, images.get(fact.place.urn or "")) if isinstance(fact, BootScript) else fact


def _outputs(plan: Plan, made: StandIns | None, unknown: str) -> Tree:
    place = Place(urn=urn_of(plan.stack, plan.project, None, STACK_TYPE, f"{plan.project}-{plan.stack}"))
    return Planter(place, made, unknown).tree(dict(plan.outputs))


def _groups(facts: Iterable[Fact]) -> list[NodeGroup]:
    return [fact for fact in facts if isinstance(fact, NodeGroup)]


def _of_several(facts: Sequence[Fact], fleet: Fleet | None) -> Iterator[Fact]:
    groups = _groups(facts)
    yield from put_together(facts, fleet)
    yield from planned_systems(groups)
    if fleet is not None:
        yield from pool_systems(fleet)
        yield from promises_of_plan(groups, [fact for fact in facts if isinstance(fact, BootScript)], fleet)


def _told_once(facts: Sequence[Fact], fleet: Fleet | None) -> list[Fact]:
    """Without the secrets that the rule for the queue's database looks for."""
    queues = [fact for fact in facts if isinstance(fact, QueueDatabase)]
    judged = [each for each in queues if each.is_for_pgmq or (fleet is not None and fleet.queue is not None)]
    told = {variable.get("value").place for each in judged for variable in each.passwords}
    return [fact for fact in facts if not (isinstance(fact, PlannedSecret) and fact.place in told)]


def of_fleet_alone(fleet: Fleet) -> Scene:
    """What can be judged before the program runs."""
    return Scene(list(pool_claims(fleet)))


def _of_resources(plan: Plan, releases: Releases, scripts: BootScripts, unknown: str) -> Iterator[Fact]:
    parents = {each.parent for each in plan.resources}
    for resource in plan.resources:
        planter = Planter(resource.place, scripts.made, unknown, resource.property_dependencies)
        if resource.type in GROUPS:
            yield from manifests(resource, planter, releases.folder)
        elif resource.remote:
            yield _unopened(resource)
        elif resource.type == CHART and not resource.inputs and resource.urn not in parents:
            yield NotLookedAt(resource.place, f"what the chart {resource.name} is given is not known before deployment")
        yield from releases.facts(resource, planter)
        yield from scripts.facts(resource, planter)


def _unopened(resource: Resource) -> NotLookedAt:
    return NotLookedAt(
        resource.place,
        f"{resource.type} '{resource.name}' is a remote component: only its own provider can say what it would create",
        remedy="use the plain resources that it is made of, or preview with the pulumi CLI and policies/",
    )
