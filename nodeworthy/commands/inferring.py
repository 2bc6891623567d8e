"""What `nodeworthy fleet infer` looks at: files, a Pulumi program, a cluster or its dump."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from nodeworthy.backstop import TookTooLong, call_bounded, watch_time
from nodeworthy.errors import InputError
from nodeworthy.facts.fleet.asked_nodes import SaidCluster
from nodeworthy.facts.fleet.inferred import InferredFleet, infer_fleets
from nodeworthy.facts.fleet.plugin_by_address import PluginByAddress
from nodeworthy.facts.operator.by_helm import OperatorByHelm
from nodeworthy.facts.operator.daemonset_manifest import DaemonSetManifest
from nodeworthy.facts.operator.values import OperatorValues
from nodeworthy.report.printable import escape_json, on_one_line, printable
from nodeworthy.verdict import Place

if TYPE_CHECKING:
    from nodeworthy.collect.source.files import Source
    from nodeworthy.collect.source.parsing import FileContents
    from nodeworthy.facts.fleet.gpu_pool import GpuPool
    from nodeworthy.fleet.model import Fleet

_NOTHING = "nothing here says what GPU nodes are: no node group, no class of nodes, no script that joins a cluster"

_OF_A_PROGRAM = "; what the program of this folder makes, `nodeworthy fleet infer --stack NAME` says"


def fleets_of_files(paths: Sequence[str]) -> list[InferredFleet]:
    """The fleets that follow from whatever asks for nodes in these files, or makes some; nobody applies what is laid
    aside, unless there is nothing else."""
    from nodeworthy.collect.source.files import sources
    from nodeworthy.collect.source.laid_aside import is_laid_aside

    every = list(sources([*paths]))
    now = [each for each in every if not (each.below and is_laid_aside(each.path, Path(each.below)))]
    found = _fleets_of(now)
    return found if found or len(now) == len(every) else _fleets_of(every)


def _fleets_of(sources: Sequence[Source]) -> list[InferredFleet]:
    from nodeworthy.collect.source.no_cluster import pools_of_some_cluster
    from nodeworthy.facts.fleet.karpenter_choice import pools_of_any_image
    from nodeworthy.facts.fleet.pool_system import clusters_of_stack
    from nodeworthy.facts.fleet.pools_by_evidence import pools_of_charts, pools_together

    with watch_time():
        found = list(_contents_of(sources))
        installed = list(_installed_in(sources))
        # All files of a root of Terraform bring the same ones.
        planned = {id(pool): pool for each in found for pool in each.pools}
        stacks = [stack for each in found for stack in each.stacks]
        planned |= {id(pool): pool for stack in stacks for pool in stack.gpu_pools(stack.facts(None))}
    # What a stack fills in boots the nodes that it starts, and is told of with them.
    filled = frozenset(path for stack in stacks for path in stack.scripts_lie_in).union(
        *(each.templates for each in found)
    )
    facts = [
        fact
        for each in found
        for fact in (*each.facts, *(script for script in each.scripts if script.place.path not in filled))
    ]
    facts += [said for stack in stacks for said in clusters_of_stack(stack.resources)]
    values = [each for each in facts if isinstance(each, OperatorValues)]
    values += [each.values for each in facts if isinstance(each, OperatorByHelm)]
    known = {each.place.file for each in values}
    values += [each for each in installed if isinstance(each, OperatorValues) and each.place.file not in known]
    folder = Path(values[0].place.file).parent if values else Path()
    # What a root of Terraform applies lies there as well.
    every = [*pools_together(facts), *(each.pool for each in pools_of_any_image(facts))]
    asked = {(pool.place, pool.title): pool for pool in every}
    pools = [*planned.values(), *asked.values()] or list(pools_of_charts(values, folder))
    pools = pools_of_some_cluster(pools, sources)
    clusters = [each for each in facts if isinstance(each, SaidCluster)]
    plugins = [each for each in facts if isinstance(each, DaemonSetManifest)]
    by_address = [each for each in installed if isinstance(each, PluginByAddress)]
    return infer_fleets(pools, values, clusters, [*plugins, *by_address])


def _installed_in(sources: Sequence[Source]) -> Iterator[OperatorValues | PluginByAddress]:
    """What commands install, each once: all files of a play bring the same."""
    from nodeworthy.collect.source.parsing import InputRefused

    seen = set[Place]()
    for source in sources:
        try:
            every: list[OperatorValues | PluginByAddress] = call_bounded(_parts_in, source)
        except (InputRefused, TookTooLong):
            continue
        yield from (each for each in every if each.place not in seen)
        seen.update(each.place for each in every)


def _parts_in(source: Source) -> list[OperatorValues | PluginByAddress]:
    from nodeworthy.collect.source.parsing import content
    from nodeworthy.collect.source.parts_installed import parts_installed
    from nodeworthy.rules import ids

    return list(parts_installed(source, content(source) or b"", frozenset(ids())))


def _contents_of(sources: Sequence[Source]) -> Iterator[FileContents]:
    """A file that is named must be readable; one that lies in a folder is no evidence where it is not."""
    from nodeworthy.collect.source.one_file import whats_in
    from nodeworthy.collect.source.parsing import InputRefused
    from nodeworthy.rules import ids

    for source in sources:
        try:
            found = call_bounded(whats_in, source, frozenset(ids()))
        except (InputRefused, TookTooLong) as problem:
            if source.named:
                raise InputError(str(problem)) from None
            continue
        if found is not None:
            yield found


def fleets_of_plan(stack: str) -> list[InferredFleet] | None:
    """The fleets that follow from what this folder's program makes. A fleet that the stack declares is no evidence.
    None where the program failed; its own words say why."""
    from dataclasses import replace

    from nodeworthy.collect.plan.preview import PreviewRequest, prepare
    from nodeworthy.collect.plan.runs import ProgramFailed
    from nodeworthy.commands.preview import shown_program
    from nodeworthy.facts.aws.node_group import NodeGroup
    from nodeworthy.facts.aws.pools_by_evidence import pools_of_groups
    from nodeworthy.facts.boot.script import BootScript
    from nodeworthy.facts.fleet.pools_by_evidence import pools_asked_for
    from nodeworthy.rules import ids

    preview = replace(prepare(PreviewRequest(Path(), stack), frozenset(ids())), fleet=None)
    try:
        with shown_program() as shown:
            plain, simulated = preview.run(None, shown).scenes
    except ProgramFailed:
        return None
    facts = (simulated or plain).facts
    groups = [each for each in facts if isinstance(each, NodeGroup)]
    pools = pools_of_groups(groups, [each for each in facts if isinstance(each, BootScript)])
    values = [each for each in facts if isinstance(each, OperatorValues)]
    clusters = [each for each in facts if isinstance(each, SaidCluster)]
    daemonsets = [each for each in facts if isinstance(each, DaemonSetManifest)]
    return infer_fleets([*pools, *pools_asked_for(facts)], values, clusters, daemonsets)


def fleets_of_cluster(context: str | None, dump: str | None) -> list[InferredFleet]:
    """The fleets that follow from what the nodes say of themselves."""
    from nodeworthy.collect.cluster.kinds import CLUSTER_POLICIES
    from nodeworthy.facts.cluster.pools_of_nodes import pools_of_nodes

    with watch_time():
        if dump is not None:
            from nodeworthy.collect.cluster import dump as reader

            seen = reader.look(dump, None)
        else:
            from nodeworthy.collect.cluster import live

            seen = live.look(context, None, 4, None, with_logs=False)
        has_operator = bool(seen.documents[CLUSTER_POLICIES] or seen.toolkits)
        return _one(list(pools_of_nodes(seen.nodes.values())), has_operator=has_operator)


def _one(pools: Sequence[GpuPool], *, has_operator: bool) -> list[InferredFleet]:
    """A cluster is one, whatever some of its nodes say of its name."""
    name = next((each.cluster for each in pools if each.cluster is not None), None)
    return [InferredFleet(tuple(pools), name, has_operator=has_operator)] if pools else []


def print_fleets(fleets: Sequence[InferredFleet], form: str = "text", *, of_files: bool = False) -> int:
    """Prints them; 3 where there is nothing to print. Drawn (`html`, `picture`) is one, as it would be kept."""
    from nodeworthy.report.inferred_fleet import as_data, text

    if not fleets:
        also = _OF_A_PROGRAM if of_files and Path("Pulumi.yaml").is_file() else ""
        print(f"nodeworthy fleet: {on_one_line(_NOTHING + also)}", file=sys.stderr)
        return 3
    if form == "json":
        print(escape_json(json.dumps(as_data(fleets), indent=2, ensure_ascii=False)))
        return 0
    if form in ("html", "picture"):
        sys.stdout.write(_drawn(_as_kept(fleets), form))
        return 0
    sys.stdout.write(printable(text(fleets)))
    return 0


def _as_kept(fleets: Sequence[InferredFleet]) -> Fleet:
    """The fleet that is declared by whoever keeps what is printed."""
    from nodeworthy.documents.yaml import read
    from nodeworthy.fleet.read import Malformed, read_fleet
    from nodeworthy.report.inferred_fleet import text

    if len(fleets) > 1:
        raise InputError(f"{len(fleets)} clusters are in reach, and one is drawn: give the files of one")
    tree = read(text(fleets), Place(path="what follows"))
    try:
        if tree is not None:
            return read_fleet(tree, None)
    except Malformed as problem:
        raise InputError(f"what follows can't be drawn as a fleet yet: {problem.faults[0].message}") from None
    raise InputError(_NOTHING)


def _drawn(fleet: Fleet, form: str) -> str:
    from nodeworthy.report.fleet_html import html
    from nodeworthy.report.fleet_picture import picture_of, text_picture

    return html(picture_of(fleet)) if form == "html" else printable(text_picture(picture_of(fleet)))
