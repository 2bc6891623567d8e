"""slurmctld starts with its slurm.conf, and slurmd with its cgroup.conf.

Each ends at the first thing that it cannot take, and with it every job that is to begin: an option that was removed
from Slurm (a file that has come along since Slurm 17), one that is misspelt (`GresType`), a number with a unit
(`RealMemory=64G`, `SlurmctldTimeout=5m`), a word that it does not know, what belongs to nodes or partitions on a line
of its own (`MaxTime`, `CPUs`), a limit that sacctmgr sets (`MaxJobsPerUser`), a partition with a node that no line
defines, a file without any partition. Clients read the same file: sbatch and srun end with `Unable to process
configuration file`. Some settings need others: `AccountingStorageTRES=gres/gpu` needs slurmdbd, shards and MPS need
`select/cons_tres`, a `PreemptType` a `PreemptMode`.

Nor does a command start for a user who may not read slurm.conf: a task of Ansible's that gives it 0600 or 0640 leaves
sbatch and squeue to slurm and root alone, unless Slurm hands it out (`enable_configless`).

A NodeName is a name, or a list in brackets (`gpu[01-08]`), in slurm.conf and in gres.conf: a star stands for nothing,
and a line with one is of no node.

What the file says is asked of Slurm 22.05, and `select/cons_res`, which 23.11 has no more, of that; an older one still
takes what is gone. Where other files are
included, or nodes come by themselves (`MaxNodeCount`, `NodeSet`), partitions are not judged; nor are they where a boot
script writes the file in parts. What it writes into /etc/slurm is read as the files themselves are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from nodeworthy.facts.ansible.tasks_as_written import TasksAsWritten
from nodeworthy.facts.secrets.modes_of_keys import read_by_nobody
from nodeworthy.facts.slurm.configuration import GresConf, Row, SlurmConf, starred_names, unknown_nodes
from nodeworthy.facts.slurm.configuration_faults import (
    NO_LINE,
    CgroupConf,
    Unreadable,
    unreadable_in_cgroup,
    unreadable_settings,
)
from nodeworthy.known.slurm import removed_options
from nodeworthy.rule import Rule
from nodeworthy.verdict import Draft, Findings, Located, Related, Severity, fail, need, skip

RULE = Rule(
    "slurm-configuration-read",
    severity=Severity.ERROR,
    title="slurmctld starts with its slurm.conf",
    remedy="`slurmctld -D -v` in the foreground names the first thing that it cannot take",
)

_HOSTS, _STATE = ("slurmctldhost", "controlmachine"), "statesavelocation"


@RULE.check
def every_option_is_known(conf: SlurmConf) -> Findings:
    found = [(row, key) for row in conf.settings for key in row.pairs if key in removed_options()]
    if not found:
        skip("it has no option that was removed from Slurm")
    (row, key), *others = found
    instead = removed_options()[key][1]
    yield fail(
        row.pairs[key],
        f"a slurmctld of today does not start: {_setting_as_written(row, key)} was removed from Slurm",
        is_=_setting_as_written(row, key),
        should=instead or "no such line",
        related=[
            Related(each.pairs[name].place, f"{_setting_as_written(each, name)} was removed, too")
            for each, name in others
        ],
        cause="Slurm 22.05 and newer end with: Unable to process configuration file; an older one takes it, until it "
        "is upgraded",
        remedy=f"write {instead}" if instead else "take the line out",
        severity=Severity.WARNING,
    )


@RULE.check
def every_setting_is_one(conf: SlurmConf) -> Findings:
    found = list(unreadable_settings(conf))
    if found:
        yield _unreadable("slurmctld", found)


@RULE.check
def slurmd_reads_its_cgroups(conf: CgroupConf) -> Findings:
    found = list(unreadable_in_cgroup(conf))
    if found:
        yield _unreadable("slurmd", found)


def _unreadable(daemon: str, found: Sequence[Unreadable]) -> Draft:
    first, *others = sorted(found, key=lambda each: each.is_old)
    which = f"a {daemon} of today" if first.is_old else daemon
    return fail(
        first.place,
        f"{which} does not start over {first.written}",
        is_=first.written,
        should=first.should,
        related=[Related(each.place, f"nor over {each.written}: {each.says}") for each in others],
        cause=f"{daemon} ends: {first.says}",
        remedy=f"{_does(first)}; `{daemon} -D -v` in the foreground names the next one",
        severity=Severity.WARNING if all(each.is_old for each in found) else Severity.ERROR,
    )


def _does(setting: Unreadable) -> str:
    return f"write {setting.should}" if setting.should != NO_LINE else "take the line out"


@RULE.check
def partitions_have_nodes(conf: SlurmConf) -> Findings:
    named = [each for each in conf.partitions if "nodes" in each.pairs]
    if not named:
        skip("no partition names nodes")
    found = ((each, name) for each in named for name in unknown_nodes(conf, each))
    yield from (_unknown_node(conf, partition, name) for partition, name in islice(found, 1))


@RULE.check
def there_is_a_partition(conf: SlurmConf) -> Findings:
    said = {key for row in conf.settings for key in row.pairs}
    # What some program but a controller reads says less.
    is_whole = _STATE in said and not said.isdisjoint(_HOSTS)
    if conf.partitions or conf.includes or not conf.every_node or not is_whole:
        skip("it has partitions, or is a part of what others say")
    yield fail(
        conf.every_node[-1].place,
        "slurmctld does not start: there is no partition",
        is_="nodes, and no line with PartitionName",
        should="PartitionName=all Nodes=ALL Default=YES",
        cause="slurmctld ends: fatal: No PartitionName information available!",
        remedy="add a line with PartitionName",
    )


@RULE.check
def nodes_are_called_by_their_names(conf: SlurmConf) -> Findings:
    if not conf.every_node:
        skip("it defines no nodes")
    yield from _told_starred(conf.every_node, "slurmctld has no such node")


@RULE.check
def gpus_are_of_nodes_by_their_names(conf: GresConf) -> Findings:
    if not any("nodename" in each.pairs for each in conf.gpus):
        skip("its lines are of the node on which it lies")
    yield from _told_starred(conf.gpus, "slurmd looks for its own name, and finds no line of its GPUs")


def _told_starred(rows: Sequence[Row], then: str) -> Iterator[Draft]:
    found = list(starred_names(rows))
    for first in found[:1]:
        yield _told_starred_first(first, found[1:], then)


def _told_starred_first(first: Located[str], others: Sequence[Located[str]], then: str) -> Draft:
    return fail(
        first,
        f"NodeName={need(first)} is the name of no node: {then}",
        is_=f"NodeName={need(first)}",
        should="a list in brackets, as in gpu[01-08]",
        related=[Related(each.place, f"nor is {need(each)}") for each in others],
        cause="Slurm's lists of hosts know numbers in brackets; a star or a question mark is a letter as any other",
        remedy="write the numbers in brackets",
    )


@RULE.check
def its_users_may_read_it(tasks: TasksAsWritten) -> Findings:
    if "slurm.conf" not in tasks.text:
        skip("no task in it lays down slurm.conf")
    for each in read_by_nobody(tasks):
        yield fail(
            each.place,
            f"no user may read {each.path}: sbatch, srun and squeue end for all but slurm and root",
            is_=f"mode {each.shown}",
            should='mode: "0644"',
            cause="each command reads slurm.conf first, as the user who types it: Permission denied, and it ends with "
            "Unable to process configuration file",
            remedy='give it mode: "0644"; secrets belong into slurmdbd.conf, which has 0600',
        )


def _unknown_node(conf: SlurmConf, partition: Row, name: str) -> Draft:
    defined = ", ".join(_names(conf))
    return fail(
        partition.pairs["nodes"],
        f"slurmctld does not start: partition {partition.text('partitionname')} has a node {name} that no line defines",
        is_=f"Nodes={need(partition.pairs['nodes'])}",
        should=f"some of {defined}",
        related=[Related(conf.every_node[0].place, "nodes are defined here")],
        cause=f"slurmctld ends: build_part_bitmap: invalid node name {name} in partition",
        remedy="name nodes as their NodeName lines do",
    )


def _names(conf: SlurmConf) -> Iterator[str]:
    yield from dict.fromkeys(each.text("nodename") for each in conf.every_node)


def _setting_as_written(row: Row, key: str) -> str:
    return f"{removed_options()[key][0]}={row.text(key)}"
