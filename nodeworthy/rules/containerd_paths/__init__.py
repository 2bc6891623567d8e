"""The GPU operator's toolkit must write the NVIDIA runtime into the containerd that kubelet talks to.

The operator mounts the folders of `CONTAINERD_CONFIG` and `CONTAINERD_SOCKET` into its toolkit pod without
looking whether they exist. A wrong path becomes an empty folder: the API refuses nothing, the toolkit
crash-loops half a minute later, and every GPU pod stays in `ContainerCreating` with
`no runtime for "nvidia" is configured`. Where no value is given, the operator takes the stock paths, which
are wrong on every distribution that keeps its containerd elsewhere. One operator serves the whole cluster with one
pair of paths, so pools whose containerds differ can't share it.

Without a fleet, pools follow from evidence, and the finding says from what. Those of a plan are its groups of GPU
nodes, by their image (an amiType, an SSM parameter, a name) or by how their script joins. For values in files they
are what Karpenter (EKS Auto Mode too), eksctl, Cluster API and Talos are asked for beside them, what scripts there
make of a machine, and, which is only likely, what a HelmChart needs. Where nothing says it, nobody knows where these
paths will be used; but a config and a socket that no distribution has together are wrong on all of them, and so is a
template that the containerd of the socket is not made from.

A script that makes a cluster of its machine (k3s, RKE2, MicroK8s, k0s, k8s-snap) and then installs the operator there
with helm shows both: no release of the operator finds such a containerd by itself. What the command says counts, over
what its values files say where they can be read; of a cluster elsewhere (another kubeconfig, a context) nothing is
told.
"""

from __future__ import annotations

from collections.abc import Sequence

from nodeworthy.facts.fleet.gpu_pool import GpuPool
from nodeworthy.facts.operator.by_helm import OperatorByHelm
from nodeworthy.facts.operator.toolkit_on_nodes import ToolkitOnNodes
from nodeworthy.facts.operator.values import OperatorValues, ToolkitSettings
from nodeworthy.known.containerd import Containerd, bare, defaults, same_file
from nodeworthy.known.operator_parts import CONFIG, SOCKET
from nodeworthy.records import replace
from nodeworthy.rule import Rule
from nodeworthy.verdict import Draft, Findings, Known, Located, Severity, Unknown, Verdict, fail, need, skip, unknown

RULE = Rule(
    "containerd-paths",
    severity=Severity.ERROR,
    incident="A",
    title="The toolkit's containerd paths are those of the containerd that kubelet uses",
    remedy="set CONTAINERD_CONFIG and CONTAINERD_SOCKET in toolkit.env to those of the containerd that kubelet uses",
    mends=True,
    reads_logs=True,
)

CAUSE = (
    "the operator writes the NVIDIA runtime into the containerd of these paths; kubelet talks to another one, "
    'which then says: no runtime for "nvidia" is configured'
)

NOBODY_SAYS_IT = "nothing says which containerd it must be"
# A node with this label is left out by the operator's toolkit.
OWN_TOOLKIT = "nvidia.com/gpu.deploy.container-toolkit=false"


@RULE.check(unless=ToolkitOnNodes)
def values_name_the_containerd_of_kubelet(values: OperatorValues, pool: GpuPool, pools: Sequence[GpuPool]) -> Findings:
    toolkit = values.toolkit
    if pool.runs_unsaid:
        skip(NOBODY_SAYS_IT)
    if not need(toolkit.enabled):
        skip("the operator's toolkit is off, so its containerd paths have no effect")
    if need(toolkit.uses_nri):
        skip("the operator's NRI plugin edits no containerd config, so its paths have no effect")
    runtime = need(pool.runtime)
    if not runtime.is_containerd:
        skip(f"kubelet on {pool.title} talks to {runtime.runtime}: containerd's paths have no effect")
    if not runtime.toolkit:
        yield _toolkit_must_be_off(toolkit, pool, runtime)
        return
    not_read = variables_in_vain(toolkit)
    if SOCKET not in not_read:
        yield from _shared(SOCKET, toolkit.socket, pool, pools, runtime)
    if toolkit.config.written or not (runtime.config_optional or CONFIG in not_read):
        yield from _shared(CONFIG, toolkit.config, pool, pools, runtime)
    if not_read or is_misspelt(toolkit):
        skip("what stands in toolkit.env is no variable, or no bare path: toolkit-env-wellformed says why")


# Paths of containerd that stand in `toolkit.env` in a form in which nobody reads them


def variables_in_vain(toolkit: ToolkitSettings) -> frozenset[str]:
    """The variables that are not set, and may be what somebody meant to set."""
    return frozenset(name for name in (SOCKET, CONFIG) if _is_another(toolkit, name))


def _is_another(toolkit: ToolkitSettings, name: str) -> bool:
    others = any(not each.tree.is_mapping or each.meant == name for each in toolkit.variables)
    return toolkit.named(name) is None and (not toolkit.is_a_list or others)


def is_misspelt(toolkit: ToolkitSettings) -> bool:
    """Whether a path may be the right one, and is no bare path."""
    states = [path.state for path in (toolkit.socket, toolkit.config)]
    return any(bare(state.value) != state.value for state in states if isinstance(state, Known))


def _shared(name: str, path: Located[str], pool: GpuPool, pools: Sequence[GpuPool], runtime: Containerd) -> Findings:
    """Where another pool needs this very path, taking the right one for this pool would only move the fault."""
    right = runtime.socket if name == SOCKET else runtime.config
    for each in _path(name, path, right, pool, runtime):
        # Asked only of a fault: of hundreds of pools that agree, each would ask all the others.
        others = pools if each.verdict is Verdict.FAIL else ()
        other = next((one for one in others if one is not pool and _is_path_of(one, name, path)), None)
        if other is None:
            yield each
            continue
        yield replace(
            each,
            message=f"one operator can't serve both: {name} is right for {other.title}, and not the {_kind(name)} "
            "of the containerd that kubelet uses",
            related=(*each.related, other.declares_its_runtime()),
            remedy=f"give {pool.title} its own toolkit and its nodes the label {OWN_TOOLKIT}, or the same containerd",
            edit=None,
        )


def _is_path_of(pool: GpuPool, name: str, path: Located[str]) -> bool:
    if not isinstance(pool.runtime.state, Known) or not isinstance(path.state, Known):
        return False
    runtime, written = pool.runtime.state.value, bare(path.state.value)
    return written is not None and (runtime.accepts_socket if name == SOCKET else runtime.accepts_config)(written)


def _path(name: str, path: Located[str], right: str | None, pool: GpuPool, runtime: Containerd) -> Findings:
    if isinstance(path.state, Unknown):
        yield unknown(path, f"{name} is not known: {path.state.why}")
        return
    written = bare(path.state.value)
    if written is None or same_file(written, right) or _is_path_of(pool, name, path):
        return
    if any(same_file(written, one) for one in runtime.doubtful):
        yield unknown(path, f"{name} may be right for {pool.title}: {runtime.note}", should=right)
        return
    yield _wrong(name, path, right, pool, runtime)


def _wrong(name: str, path: Located[str], right: str | None, pool: GpuPool, runtime: Containerd) -> Draft:
    if not path.written:
        says = "is not set, and the operator's default is not the containerd that kubelet uses"
    elif any(same_file(str(path.shown()), template) for template in runtime.templates):
        says = "is a template for people to edit: what the toolkit writes there breaks the node at its next boot,"
    else:
        says = f"is not the {_kind(name)} of the containerd that kubelet uses"
    from nodeworthy.facts.operator.toolkit_edits import setting

    return fail(
        path,
        f"{name} {says}",
        should=right,
        on=pool.title,
        related=[pool.declares_its_runtime()],
        severity=pool.severity,
        cause=CAUSE,
        remedy=f"set {name} in toolkit.env to {right}",
        edit=setting(name, path, right),
    )


def _kind(name: str) -> str:
    return "socket" if name == SOCKET else "config"


def _toolkit_must_be_off(toolkit: ToolkitSettings, pool: GpuPool, runtime: Containerd) -> Draft:
    return fail(
        toolkit.enabled,
        f"the operator's toolkit is on where it can do nothing right ({runtime.note})",
        on=pool.title,
        should="toolkit.enabled: false",
        related=[pool.declares_its_runtime()],
        remedy="set toolkit.enabled to false",
    )


@RULE.check(unless=ToolkitOnNodes)
def values_name_one_containerd(values: OperatorValues, pool: GpuPool | None) -> Findings:
    if pool is not None or values.place.object is not None:
        skip(NOBODY_SAYS_IT)
    from nodeworthy.rules.containerd_paths.paths_apart import paths_apart

    apart = paths_apart(values.toolkit)
    if apart is None or not need(values.toolkit.enabled) or need(values.toolkit.uses_nri):
        skip(NOBODY_SAYS_IT)
    yield apart.told()


@RULE.check
def helm_tells_the_operator_the_containerd_of_its_machine(operator: OperatorByHelm) -> Findings:
    toolkit, machine = operator.values.toolkit, operator.machine
    if machine is None:
        skip("the script does not show which containerd kubelet uses")
    if operator.values.elsewhere is not None and toolkit.tree.get("enabled").is_absent:
        yield from _hidden(operator, machine)
        return
    for each in values_name_the_containerd_of_kubelet(operator.values, machine, (machine,)):
        yield replace(each, edit=None, remedy=each.remedy if toolkit.variables else _by_flags(machine))
        if not toolkit.variables:
            return


def _hidden(operator: OperatorByHelm, machine: GpuPool) -> Findings:
    """Where the stock containerd is the right one, whatever is hidden is most likely not about it."""
    if need(machine.runtime).accepts_socket(defaults().socket):
        return
    yield unknown(
        operator,
        f"whether the operator is told the containerd of {need(machine.distribution)} is not known: "
        f"{operator.values.elsewhere}",
        related=[machine.declares_its_runtime()],
        remedy=f"say it in the command itself: {_flags(machine)}",
    )


def _by_flags(machine: GpuPool) -> str:
    return f"install it with {_flags(machine)}"


def _flags(machine: GpuPool) -> str:
    runtime = need(machine.runtime)
    told = (
        [(SOCKET, runtime.socket)] if runtime.config_optional else [(CONFIG, runtime.config), (SOCKET, runtime.socket)]
    )
    told += runtime.toolkit_env.items()
    each = (
        f"--set toolkit.env[{at}].name={name} --set toolkit.env[{at}].value={path}"
        for at, (name, path) in enumerate(told)
    )
    return " ".join(each)
