"""The GPUs that slurm.conf promises, that gres.conf has, and that a job may get."""

from __future__ import annotations

from itertools import islice
from pathlib import PurePath

from nodeworthy.facts.slurm.configuration import (
    Gpus,
    GresConf,
    Row,
    Short,
    SlurmConf,
    cores_beyond,
    files_twice,
    gpus_in_partition,
    most_of_type,
    named_twice,
    nodes_left_out,
    partition_of,
    short_nodes,
)
from nodeworthy.facts.slurm.job import SlurmJob
from nodeworthy.facts.slurm.request import GpuAsk, SlurmRequest
from nodeworthy.rules.slurm_gpu_as_asked import RULE
from nodeworthy.verdict import Draft, Findings, Related, Severity, Unknown, fail, need, skip


@RULE.check
def a_node_has_what_slurm_manages(conf: SlurmConf) -> Findings:
    if conf.gres_types is None or conf.nodes or not conf.every_node:
        skip("it manages no GPUs, or a node has them")
    if conf.includes or conf.grows:
        skip("nodes may be named elsewhere")
    if "gpu" in need(conf.gres_types).lower().split(","):
        yield fail(
            conf.every_node[0].place,
            "no job gets a GPU: GresTypes names gpu, and no node has a Gres",
            is_=f"GresTypes={need(conf.gres_types)}, and NodeName={conf.every_node[0].text('nodename')} without Gres",
            should="Gres=gpu:TYPE:COUNT on the line of each node with GPUs",
            related=[Related(conf.gres_types.place, "GPUs are managed here")],
            cause="what a node has stands in slurm.conf, whatever its gres.conf says: a job that asks for a GPU is "
            "refused (Invalid generic resource (gres) specification)",
            remedy="`slurmd -G` on the node prints what it finds; write Gres=gpu:COUNT into the NodeName line",
            severity=Severity.WARNING,
        )


@RULE.check
def slurm_manages_gpus(conf: SlurmConf) -> Findings:
    if not conf.nodes:
        skip("none of its nodes has GPUs")
    if conf.gres_types is None and (conf.includes or conf.is_included):
        skip("a file that it includes, or that includes it, may say GresTypes")
    types = need(conf.gres_types) if conf.gres_types is not None else ""
    if "gpu" not in types.lower().split(","):
        yield fail(
            conf.nodes[0].pairs["gres"],
            "no job gets a GPU: GresTypes does not name gpu",
            is_=f"GresTypes={types}" if types else "no GresTypes",
            should=f"GresTypes={types},gpu" if types else "GresTypes=gpu",
            cause="Slurm manages no generic resources by itself: a job that asks for a GPU is refused (Invalid generic "
            "resource (gres) specification)",
            remedy="write GresTypes=gpu into slurm.conf of every machine, and restart slurmctld and every slurmd",
        )


@RULE.check
def nodes_have_what_is_promised(conf: SlurmConf, gres: GresConf) -> Findings:
    if PurePath(conf.place.file).parent != PurePath(gres.place.file).parent:
        skip("the two files lie in two folders")
    if gres.detects:
        skip("Slurm finds the GPUs by itself (AutoDetect)")
    for each in short_nodes(conf, gres):
        yield from _too_few(each)
    left = nodes_left_out(conf, gres)
    if left:
        yield _left_out(*left[0], len(left) - 1, gres)


def _left_out(node: Row, name: str, others: int, gres: GresConf) -> Draft:
    promised, there = node.pairs["gres"], gres.gpus[0].pairs["nodename"]
    more = f" and {others} more" if others else ""
    return fail(
        promised,
        f"no line of gres.conf is for {name}{more}, where slurm.conf promises GPUs",
        is_=f"gres.conf has lines for {', '.join(dict.fromkeys(each.text('nodename') for each in gres.gpus))}",
        should=f"NodeName={name} Name=gpu File=/dev/nvidia[0-N]",
        related=[Related(there.place, "each of its lines names its nodes")],
        cause="slurmd of that node finds no GPU (gres/gpu count reported lower than configured), and slurmctld takes "
        "the node out of service: no job runs there",
        remedy="name the node in gres.conf as slurm.conf does, or write AutoDetect=nvml; then scontrol reconfigure",
    )


@RULE.check
def no_gpus_are_named_twice(gres: GresConf) -> Findings:
    for before, again in islice(named_twice(gres), 1):
        yield fail(
            again.pairs["name"],
            "gres.conf names the GPUs of a node twice, and slurmd does not start",
            is_=f"Name={need(again.pairs['name'])} again, without File and Type",
            should="AutoDetect and no such line" if gres.detects else "one line, with File",
            related=[Related(before.place, "the line that says the same")],
            cause="slurmd ends: fatal: gres.conf duplicate records for gpu",
            remedy="take both lines out" if gres.detects else "write one line with File=/dev/nvidia[0-N]",
        )


@RULE.check
def no_device_is_named_twice(gres: GresConf) -> Findings:
    for before, again, path in islice(files_twice(gres), 1):
        yield fail(
            again.pairs["file"],
            f"gres.conf names {path} twice, and slurmd does not start",
            is_=f"File={need(again.pairs['file'])}",
            should="a device of its own in each line",
            related=[Related(before.pairs["file"].place, "it is named here as well")],
            cause=f"slurmd ends: gpu duplicate device file name ({path}), Gres GPU plugin failed to load configuration",
            remedy="`ls /dev/nvidia*` on the node shows what there is; name each once",
        )


@RULE.check
def its_cores_are_the_nodes(conf: SlurmConf, gres: GresConf) -> Findings:
    if PurePath(conf.place.file).parent != PurePath(gres.place.file).parent:
        skip("the two files lie in two folders")
    beyond = list(islice(cores_beyond(conf, gres), 1))
    if not beyond and any(isinstance(each.state, Unknown) for row in gres.gpus for each in row.pairs.values()):
        skip("its cores may be filled in later")
    for row, node, key, has in beyond:
        written, spelt = row.pairs[key], row.spelt.get(key, key)
        yield fail(
            written,
            f"gres.conf gives a GPU of {node.text('nodename')} cores that the node does not have",
            is_=f"{spelt}={need(written)}",
            should=f"numbers up to {has - 1}: Sockets × CoresPerSocket is {has}",
            related=[Related(node.place, "the node's sockets and cores")],
            cause="a current Slurm counts cores there; lscpu and nvidia-smi topo -m count threads. slurmctld drops the "
            "line's cores (invalid GRES core specification), and jobs may run far from their GPU",
            remedy="leave out the second threads, or the whole option with AutoDetect=nvml; then scontrol reconfigure",
            severity=Severity.WARNING,
        )


def _too_few(short: Short) -> Findings:
    name, promised = need(short.node.pairs["nodename"]), short.node.pairs["gres"]
    said, row = short.said, short.row
    written = next(row.pairs[key] for key in ("count", "file", "type", "name") if key in row.pairs)
    kind = f" of type {said.type}" if said.type is not None else ""
    yield fail(
        written,
        f"gres.conf has fewer GPUs{kind} for {name} than slurm.conf promises",
        is_=f"{short.has}, by {need(written)}",
        should=f"{said.count}, as Gres={need(promised)} says",
        related=[Related(promised.place, f"Gres={need(promised)} is promised of {name}")],
        cause="slurmd reports fewer than are configured (gres/gpu count reported lower than configured), and slurmctld "
        "takes the node out of service: no job runs there",
        remedy="`slurmd -G` on the node prints what it finds; write both files by it, then scontrol reconfigure",
    )


@RULE.check
def its_partition_has_them(job: SlurmJob) -> Findings:
    if not any(request.gpus for request in job.requests):
        skip("it asks for no GPUs")
    for request in job.requests:
        for ask in request.gpus:
            yield from _more_than_a_node_has(request, ask, job.cluster)


def _more_than_a_node_has(request: SlurmRequest, ask: GpuAsk, cluster: SlurmConf | None) -> Findings:
    names = request.named("partition")
    if cluster is None or ask.per != "node" or len(names) != 1:
        return
    partition = partition_of(cluster, names[0])
    nodes = gpus_in_partition(cluster, partition) if partition is not None else []
    most = most_of_type(nodes, ask.type)
    if partition is not None and most < ask.count:
        kind = f" of type {ask.type}" if ask.type is not None else ""
        yield fail(
            ask.place,
            f"no node of partition {names[0]} has {ask.count} GPUs{kind}",
            is_=ask.option.written,
            should=f"at most {most} on a node" if most else _what_there_is(nodes),
            related=[Related(partition.place, f"its nodes have {most} at most")],
            cause="no node ever fits: sbatch refuses it (Requested node configuration is not available)",
        )


def _what_there_is(nodes: list[list[Gpus]]) -> str:
    there = {f"gpu:{each.type}" if each.type else "gpu, without a type" for gpus in nodes for each in gpus}
    return " or ".join(sorted(there)) + ", as slurm.conf calls it" if there else "a partition whose nodes have them"
