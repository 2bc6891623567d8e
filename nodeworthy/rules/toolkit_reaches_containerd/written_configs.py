"""Configurations of containerd as they are written: in files, and by a boot script."""

from __future__ import annotations

from nodeworthy.facts.boot.runtime import runtime_of, version_of
from nodeworthy.facts.boot.script import BootPool, BootScript
from nodeworthy.facts.containerd.config import ConfigFile, Role, config_files
from nodeworthy.facts.containerd.runtimes import DEFAULT, Runtimes, runtimes_of
from nodeworthy.facts.containerd.schema import schema_flaws
from nodeworthy.facts.node.files import NodeFiles
from nodeworthy.facts.node.paths import NodeFileKind
from nodeworthy.facts.operator.values import OperatorValues
from nodeworthy.known.containerd import defaults
from nodeworthy.rules.toolkit_reaches_containerd import RULE
from nodeworthy.verdict import Draft, Findings, Place, Severity, fail, skip, unknown, value_if_known

_NODEADM = "nodeadm"


@RULE.check
def the_default_runtime_is_in_the_files(files: NodeFiles, pool: BootPool | None) -> Findings:
    handler = defaults().runtime_class
    every = [_runtimes(each, pool) for each in files.only(NodeFileKind.CONFIG).as_filled_in]
    if any(any(schema_flaws(file, files.version(pool))) for each in every for file in each.files):
        skip("containerd does not read them as they stand there, which containerd-config-read says")
    made = [(*each.default, each) for each in every if each.default is not None and each.default[0].startswith(handler)]
    if not made:
        skip(every[0].dark or f"none of them makes {handler} the default runtime")
    without = [(name, place, each) for name, place, each in made if name not in each.tables]
    if not without:
        return
    name, place, runtimes = without[0]
    is_always_without = len(without) == len(every)
    unseen = runtimes.unseen or ("" if is_always_without else "a template decides which of its lines are there")
    if unseen:
        yield unknown(place, f"whether containerd has the runtime {name} is not known: {unseen}")
    else:
        yield _default_is_missing(name, place, runtimes)


@RULE.check
def the_files_of_a_gpu_pool_have_it(files: NodeFiles, pool: BootPool, operator: OperatorValues | None) -> Findings:
    """Files as nodeadm writes them at every boot. For other nodes, a file in a repository is only where their setup
    begins."""
    if not pool.pool.is_gpu or operator is not None or pool.fleet.operator is not None:
        skip("these nodes have no GPUs, or an operator's toolkit brings the runtime")
    if not _is_nodeadms(pool):
        skip("who adds the runtime to these files is not known")
    every = [_runtimes(each, pool) for each in files.only(NodeFileKind.CONFIG).as_filled_in]
    whole = [each for each in every if each.tables and any(file.role is Role.ROOT for file in each.files)]
    if not whole or len(whole) != len(every):
        skip("no root file that configures runtimes lies here, and what else there is nobody knows")
    without = [each for each in whole if not _serves_gpus(each)]
    if not without:
        return
    if any(any(schema_flaws(file, files.version(pool))) for each in every for file in each.files):
        skip("containerd does not read them as they stand there, which containerd-config-read says")
    place, unseen = without[0].files[0].reading.line_of("runtimes"), without[0].unseen
    if unseen:
        yield unknown(place, f"whether containerd of {pool.title} has a runtime for its GPUs is not known: {unseen}")
    else:
        yield _no_runtime_for_gpus(without[0], place, pool)


def _is_nodeadms(pool: BootPool) -> bool:
    runtime = value_if_known(pool.pool.runtime)
    return runtime is not None and runtime.written_by == _NODEADM


def _serves_gpus(runtimes: Runtimes) -> bool:
    return any(defaults().runtime_class in f"{name} {said}" for name, said in runtimes.tables.items())


def _no_runtime_for_gpus(runtimes: Runtimes, place: Place, pool: BootPool) -> Draft:
    handler = defaults().runtime_class
    return fail(
        place,
        f"containerd of {pool.title} has no nvidia runtime, and its nodes have GPUs",
        is_=", ".join(runtimes.tables),
        should=f"a table runtimes.{handler} beside it; as {DEFAULT}, where pods name no RuntimeClass",
        related=[pool.declared("has GPUs, and no GPU operator is there")],
        cause="a container started by another runtime sees no driver: the device plugin finds no GPU, the node offers "
        "none (unless all goes by CDI). nodeadm writes it so where its release does not know the instance type",
        remedy="take an image whose nodeadm knows the type, or write the runtime: nvidia-ctk runtime configure "
        "--runtime=containerd --set-as-default, then systemctl restart containerd",
        severity=Severity.WARNING,
    )


@RULE.check
def the_default_runtime_is_in_what_the_boot_writes(script: BootScript, pool: BootPool | None) -> Findings:
    """Judged only where the whole configuration is there: what a program adds to it may hold the runtime."""
    handler, runtime = defaults().runtime_class, runtime_of(script, pool)
    files = config_files(script.timeline, runtime)
    runtimes = runtimes_of(files)
    if runtimes.default is None or not runtimes.default[0].startswith(handler):
        skip(f"the script writes no configuration that makes {handler} the default runtime")
    is_whole = len(runtimes.files) == len(files) and not runtimes.unseen
    if not is_whole or any(_is_read_otherwise(each, script, pool) for each in files):
        skip("what else stands in its configuration of containerd is not known, or is not read as it stands there")
    name, place = runtimes.default
    if name not in runtimes.tables:
        yield _default_is_missing(name, place, runtimes)


def _is_read_otherwise(file: ConfigFile, script: BootScript, pool: BootPool | None) -> bool:
    return file.is_default or file.is_template or any(schema_flaws(file, version_of(script, pool)))


def _runtimes(files: NodeFiles, pool: BootPool | None) -> Runtimes:
    runtime = files.runtime(pool)
    return runtimes_of(config_files(files.timeline_on(runtime), runtime))


def _default_is_missing(name: str, place: Place, runtimes: Runtimes) -> Draft:
    return fail(
        place,
        f"{name} is the default runtime, and no such runtime is configured",
        is_=", ".join(runtimes.tables) or "no runtime",
        should=f"a table runtimes.{name} beside it",
        cause="the CRI plugin does not load: no corresponding runtime configured in `containerd.runtimes`; "
        "kubelet has no runtime, and the node never becomes ready",
        remedy=f"nvidia-ctk runtime configure --runtime=containerd writes it, as does the operator's toolkit; "
        f"else delete {DEFAULT}, and let pods name the RuntimeClass",
    )
